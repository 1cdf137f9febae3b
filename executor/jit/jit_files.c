/* SPDX-License-Identifier: Apache-2.0 */
/* See jit_files.h. */
#include "jit_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/base/alloc.h"

#define LEFT_OVER_SECONDS 3600
#define LIST_FIRST 64u

struct list {
    struct spmmi_jit_file *files;
    uint64_t count, room;
    bool is_short; /* out of memory */
};

static void list_add(struct list *list, const struct spmmi_jit_file *file)
{
    if (list->count == list->room) {
        const uint64_t room = list->room == 0 ? LIST_FIRST : 2 * list->room;
        struct spmmi_jit_file *files = spmmi_alloc(room, sizeof *files);
        if (files == NULL) {
            list->is_short = true;
            return;
        }
        if (list->count > 0)
            memcpy(files, list->files, list->count * sizeof *files);
        spmmi_free(list->files);
        list->files = files;
        list->room = room;
    }
    list->files[list->count++] = *file;
}

static bool is_left_over(const char *name)
{
    const size_t prefix = strlen(SPMMI_JIT_LEFT_OVER);
    return strncmp(name, SPMMI_JIT_LEFT_OVER, prefix) == 0 && strlen(name) == prefix + 16;
}

/* Returns a stream of the names in a folder, which closes the descriptor; NULL: there is none. */
static DIR *names_of(int folder)
{
    DIR *names = folder >= 0 ? fdopendir(folder) : NULL;
    if (names == NULL && folder >= 0)
        (void)close(folder);
    return names;
}

static void folder_list(int parent, const char *folder, struct list *list)
{
    const char *why;
    DIR *names = names_of(spmmi_jit_folder_open(parent, folder, 0, &why));
    if (names == NULL)
        return;
    for (struct dirent *found = readdir(names); found != NULL; found = readdir(names)) {
        struct stat about;
        struct spmmi_jit_file file = {.is_left_over = is_left_over(found->d_name)};
        if ((!file.is_left_over && !spmmi_jit_is_file(found->d_name)) ||
            fstatat(dirfd(names), found->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        (void)snprintf(file.name.folder, sizeof file.name.folder, "%.2s", folder);
        (void)snprintf(file.name.file, sizeof file.name.file, "%.34s", found->d_name);
        file.bytes = about.st_size > 0 ? (uint64_t)about.st_size : 0;
        file.used = about.st_mtim;
        list_add(list, &file);
    }
    (void)closedir(names);
}

int64_t spmmi_jit_cache_list(struct spmmi_jit_cache *cache, struct spmmi_jit_file **files)
{
    struct list list = {.files = NULL};
    *files = NULL;
    if (cache->folder < 0)
        return 0;
    DIR *names = names_of(openat(cache->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (names == NULL)
        return 0;
    for (struct dirent *found = readdir(names); found != NULL; found = readdir(names))
        if (spmmi_jit_is_folder(found->d_name))
            folder_list(cache->folder, found->d_name, &list);
    (void)closedir(names);
    if (list.is_short) {
        spmmi_free(list.files);
        return -1;
    }
    *files = list.files;
    return (int64_t)list.count;
}

int spmmi_jit_cache_remove(struct spmmi_jit_cache *cache, const struct spmmi_jit_name *name)
{
    const char *why;
    const int folder = cache->folder < 0 ? -1 : spmmi_jit_folder_open(cache->folder, name->folder, 0, &why);
    if (folder < 0)
        return 0;
    const int is_gone = unlinkat(folder, name->file, 0) == 0 || errno == ENOENT;
    (void)close(folder);
    return is_gone;
}

static int by_age(const void *a, const void *b)
{
    const struct timespec *x = &((const struct spmmi_jit_file *)a)->used;
    const struct timespec *y = &((const struct spmmi_jit_file *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

void spmmi_jit_room_make(struct spmmi_jit_cache *cache, uint64_t bytes)
{
    struct spmmi_jit_file *files = NULL;
    const int64_t count = spmmi_jit_cache_list(cache, &files);
    const time_t now = time(NULL);
    uint64_t used = bytes;
    for (int64_t i = 0; i < count; i++)
        used += files[i].bytes;
    if (count > 0)
        qsort(files, (size_t)count, sizeof *files, by_age);
    for (int64_t i = 0; i < count; i++) {
        const bool is_old = files[i].is_left_over && now - files[i].used.tv_sec > LEFT_OVER_SECONDS;
        if ((is_old || used > cache->most_bytes) && spmmi_jit_cache_remove(cache, &files[i].name))
            used -= files[i].bytes;
    }
    spmmi_free(files);
}
