/* SPDX-License-Identifier: Apache-2.0 */
/* See jit_folder.h. */
#include "jit_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *spmmi_jit_distrust(const struct stat *about)
{
    if (about->st_uid != geteuid())
        return "it belongs to another user";
    if ((about->st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return "others may write it";
    return NULL;
}

int spmmi_jit_folder_open(int parent, const char *name, int makes, const char **why)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct stat about;
    int folder = openat(parent, name, flags);
    if (folder < 0 && errno == ENOENT && makes &&
        (mkdirat(parent, name, S_IRWXU) == 0 || errno == EEXIST)) /* another process may be faster */
        folder = openat(parent, name, flags);
    if (folder < 0) {
        *why = errno == ENOTDIR || errno == ELOOP ? "it is no folder, or a symbolic link" : strerror(errno);
        return -1;
    }
    *why = fstat(folder, &about) != 0 ? strerror(errno) : spmmi_jit_distrust(&about);
    if (*why == NULL)
        return folder;
    (void)close(folder);
    return -1;
}

/* Makes the folders above the user's cache if they are missing. They need not belong to the user. */
static void parents_make(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, S_IRWXU); /* a failure shows when the last folder is opened */
        *slash = '/';
    }
}

/* Writes the path of the user's cache of this library. Returns NULL, or why there is none. */
static const char *path_find(char path[SPMMI_JIT_PATH])
{
    static const struct {
        const char *variable, *below;
    } homes[] = {{"SPMM_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/spmm"}, {"HOME", "/.cache/spmm"}};
    path[0] = '\0';
    for (size_t i = 0; i < sizeof homes / sizeof homes[0]; i++) {
        const char *value = secure_getenv(homes[i].variable);
        if (value == NULL || (i > 0 && value[0] == '\0'))
            continue;
        if (value[0] == '\0')
            return "SPMM_CACHE_DIR is empty";
        if (value[0] != '/') {
            if (i == 0)
                return "SPMM_CACHE_DIR is no absolute path";
            continue;
        }
        if (strlen(value) + sizeof "/.cache/spmm" >= SPMMI_JIT_PATH - sizeof "/jit")
            return "the path of the cache is too long";
        size_t length = strlen(value); /* O_NOFOLLOW would follow a link if the path ended with a slash */
        while (length > 1 && value[length - 1] == '/')
            length--;
        (void)snprintf(path, SPMMI_JIT_PATH, "%.*s%s", (int)length, value, homes[i].below);
        return NULL;
    }
    return "SPMM_CACHE_DIR, XDG_CACHE_HOME and HOME are not set";
}

static void folder_find(struct spmmi_jit_cache *cache, int makes)
{
    const char *why = path_find(cache->path);
    int folder = -1;
    cache->folder = -1;
    if (why == NULL) {
        if (makes)
            parents_make(cache->path);
        folder = spmmi_jit_folder_open(AT_FDCWD, cache->path, makes, &why);
    }
    if (folder >= 0) {
        const size_t length = strlen(cache->path);
        (void)snprintf(cache->path + length, sizeof cache->path - length, "/jit"); /* path_find left space */
        cache->folder = spmmi_jit_folder_open(folder, "jit", makes, &why);
        (void)close(folder);
    }
    if (cache->folder < 0)
        (void)snprintf(cache->note, sizeof cache->note, "no disk cache: %.60s%s%.60s", cache->path,
                       cache->path[0] == '\0' ? "" : ": ", why);
}

void spmmi_jit_cache_open(struct spmmi_jit_cache *cache, int makes)
{
    *cache = (struct spmmi_jit_cache){.folder = -1, .most_bytes = SPMMI_JIT_CACHE_MAX};
    folder_find(cache, makes);
}

void spmmi_jit_cache_close(struct spmmi_jit_cache *cache)
{
    if (cache->folder >= 0)
        (void)close(cache->folder);
    cache->folder = -1;
}
