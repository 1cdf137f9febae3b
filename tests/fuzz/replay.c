/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target on all files of the given folders, without a fuzz engine, so that every build replays
 * the corpus. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SIZE_MAX_INPUT (1u << 24)

static int replay_file(const char *path, uint8_t *room)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    const size_t size = fread(room, 1, SIZE_MAX_INPUT, file);
    (void)fclose(file);
    /* The copy has exactly the size of the file, so that a sanitizer detects reads beyond its end. */
    uint8_t *input = malloc(size == 0 ? 1 : size);
    if (input == NULL)
        return 0;
    for (size_t i = 0; i < size; i++)
        input[i] = room[i];
    (void)LLVMFuzzerTestOneInput(input, size);
    free(input);
    return 1;
}

static int replay_folder(const char *folder, uint8_t *room)
{
    int count = 0;
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += replay_file(path, room);
    }
    (void)closedir(entries);
    return count;
}

int main(int argc, char **argv)
{
    uint8_t *room = malloc(SIZE_MAX_INPUT);
    int is_missing = room == NULL || argc < 2;
    for (int i = 1; i < argc && room != NULL; i++) {
        const int count = replay_folder(argv[i], room);
        printf("%s: %d inputs\n", argv[i], count);
        is_missing |= count == 0;
    }
    free(room);
    return is_missing;
}
