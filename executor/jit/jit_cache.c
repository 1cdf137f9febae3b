/* SPDX-License-Identifier: Apache-2.0 */
/* See jit_cache.h: finding, reading and writing files of the cache. Lists and removal are in jit_files.c. */
#include "jit_cache.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "format/base/alloc.h"
#include "format/base/file_io.h"

static void note(struct spmmi_jit_cache *cache, const struct spmmi_jit_name *name, const char *why)
{
    (void)snprintf(cache->note, sizeof cache->note, "cache: %s/%s: %.80s", name->folder, name->file, why);
}

/* Reads the whole file. Returns NULL and *why on failure. *is_damaged is true if the file must not be
 * trusted, false if it could not be read. */
static uint8_t *file_read(int file, uint64_t *size, const char **why, bool *is_damaged)
{
    struct stat about;
    *is_damaged = true;
    if (spmmi_io->fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        *why = "it is not a regular file";
        return NULL;
    }
    *why =
        (uint64_t)about.st_size > SPMMI_JIT_FILE_MAX ? "the file is too large" : spmmi_jit_distrust(&about);
    if (*why != NULL)
        return NULL;
    *is_damaged = false;
    uint8_t *bytes = spmmi_alloc((uint64_t)about.st_size + 1, 1);
    const int64_t got = bytes == NULL ? -1 : spmmi_read_up_to(file, bytes, (uint64_t)about.st_size);
    if (got < 0) {
        *why = bytes == NULL ? "out of memory" : strerror(errno);
        spmmi_free(bytes);
        return NULL;
    }
    *size = (uint64_t)got;
    return bytes;
}

/* Returns a descriptor of the folder of this name; -1: there is none. */
static int folder_of(struct spmmi_jit_cache *cache, const struct spmmi_jit_name *name, int makes)
{
    const char *why = NULL;
    if (cache->folder < 0)
        return -1;
    const int folder = spmmi_jit_folder_open(cache->folder, name->folder, makes, &why);
    if (folder < 0 && makes)
        note(cache, name, why);
    return folder;
}

/* As spmmi_jit_cache_read, but after a hit leaves *file open for the caller to close. Tries
 * to remove damaged files. */
static uint8_t *read_open(struct spmmi_jit_cache *cache, const struct spmmi_jit_name *name,
                          struct spmmi_jit_entry *entry, int *file)
{
    const int folder = folder_of(cache, name, 0);
    const char *why = NULL;
    uint8_t *bytes = NULL;
    uint64_t size = 0;
    bool is_damaged = false;
    *file = folder < 0 ? -1 : openat(folder, name->file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (*file >= 0) {
        bytes = file_read(*file, &size, &why, &is_damaged);
        if (bytes != NULL)
            is_damaged = (why = spmmi_jit_entry_read(bytes, size, entry)) != NULL;
    } else if (folder >= 0 && errno != ENOENT) {
        is_damaged = errno == ELOOP;
        why = is_damaged ? "it is a symbolic link" : strerror(errno);
    }
    if (why != NULL) {
        note(cache, name, why);
        if (is_damaged)
            (void)unlinkat(folder, name->file, 0);
        spmmi_free(bytes);
        bytes = NULL;
    }
    if (folder >= 0)
        (void)close(folder);
    if (bytes == NULL && *file >= 0)
        (void)spmmi_close(*file);
    return bytes;
}

uint8_t *spmmi_jit_cache_read(struct spmmi_jit_cache *cache, const struct spmmi_jit_name *name,
                              struct spmmi_jit_entry *entry)
{
    int file = -1;
    uint8_t *bytes = read_open(cache, name, entry, &file);
    if (bytes != NULL)
        (void)spmmi_close(file);
    return bytes;
}

uint8_t *spmmi_jit_cache_load(struct spmmi_jit_cache *cache, struct spmmi_jit_entry *entry)
{
    const struct spmmi_jit_name name = spmmi_jit_name_of(entry);
    struct spmmi_jit_entry found;
    int file = -1;
    uint8_t *bytes = read_open(cache, &name, &found, &file);
    if (bytes == NULL)
        return NULL;
    (void)futimens(file, NULL);
    (void)spmmi_close(file);
    if (spmmi_jit_entry_is_of(&found, entry)) {
        *entry = found;
        return bytes;
    }
    spmmi_free(bytes); /* another kernel whose key has the same hash */
    return NULL;
}

/* Writes the file under a temporary name and renames it when it is complete. Returns
 * NULL, or why that failed. */
static const char *file_put(int folder, const struct spmmi_jit_name *name, const uint8_t *bytes,
                            uint64_t size)
{
    uint64_t random = 0;
    char temporary[sizeof SPMMI_JIT_LEFT_OVER + 16];
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return "the system gives no random numbers";
    (void)snprintf(temporary, sizeof temporary, SPMMI_JIT_LEFT_OVER "%016llx", (unsigned long long)random);
    const int file =
        openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0)
        return strerror(errno);
    int is_done = spmmi_write_all(file, "", bytes, size, &spmmi_diag_unheard) == SPMM_OK;
    is_done &= spmmi_close(file) == 0;
    if (is_done && renameat(folder, temporary, folder, name->file) == 0)
        return NULL;
    const int error = errno;
    (void)unlinkat(folder, temporary, 0);
    return strerror(error);
}

void spmmi_jit_cache_store(struct spmmi_jit_cache *cache, const struct spmmi_jit_entry *entry)
{
    const struct spmmi_jit_name name = spmmi_jit_name_of(entry);
    const uint64_t size = spmmi_jit_entry_bytes(entry);
    if (size == 0 || size > cache->most_bytes)
        return;
    const int folder = folder_of(cache, &name, 1);
    if (folder < 0)
        return;
    uint8_t *bytes = spmmi_alloc(size, 1);
    const char *why = "out of memory";
    if (bytes != NULL) {
        spmmi_jit_entry_write(entry, bytes);
        spmmi_jit_room_make(cache, size);
        why = file_put(folder, &name, bytes, size);
    }
    cache->note[0] = '\0'; /* drops a note about the file that is replaced */
    if (why != NULL)
        note(cache, &name, why);
    spmmi_free(bytes);
    (void)close(folder);
}

void spmmi_jit_cache_drop(struct spmmi_jit_cache *cache, const struct spmmi_jit_entry *entry)
{
    const struct spmmi_jit_name name = spmmi_jit_name_of(entry);
    (void)spmmi_jit_cache_remove(cache, &name);
}
