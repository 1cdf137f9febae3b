/* SPDX-License-Identifier: Apache-2.0 */
/* The public interface to the cache of compiled kernels: <spmm/jit.h>. */
#include <spmm/jit.h>
#include <stdio.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "jit_cache.h"

struct item {
    char file[SPMMI_JIT_FOLDER_CHARS + 1 + SPMMI_JIT_NAME_CHARS + 1]; /* path below the cache's folder */
    char key[SPMMI_JIT_KEY_MAX + 1];                                  /* "": the file is damaged */
};

struct spmm_jit_cache {
    struct spmmi_jit_cache disk;
    int64_t count;
    struct spmmi_jit_file *files;
    struct item *items;
};

/* Fills an item from its file. Reading removes a damaged file; it is listed nevertheless. */
static void item_fill(struct spmmi_jit_cache *disk, const struct spmmi_jit_file *file, struct item *item)
{
    struct spmmi_jit_entry entry;
    (void)snprintf(item->file, sizeof item->file, "%s/%s", file->name.folder, file->name.file);
    item->key[0] = '\0';
    uint8_t *bytes = file->is_left_over ? NULL : spmmi_jit_cache_read(disk, &file->name, &entry);
    if (bytes == NULL)
        return;
    memcpy(item->key, entry.key, entry.key_bytes);
    item->key[entry.key_bytes] = '\0';
    spmmi_free(bytes);
}

spmm_status_t spmm_jit_cache_create(spmm_jit_cache_t **cache, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_jit_cache_t *made = NULL;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(cache != NULL, SPMM_ERR_ARGUMENT, diag, "the pointer for the cache is NULL");
    *cache = NULL;
    SPMM_TRY_ALLOC(made = spmmi_alloc_zero(1, sizeof *made), diag);
    spmmi_jit_cache_open(&made->disk, 0);
    made->count = spmmi_jit_cache_list(&made->disk, &made->files);
    SPMM_REQUIRE(made->count >= 0, SPMM_ERR_MEMORY, diag, "out of memory while listing the cache");
    SPMM_TRY_ALLOC(made->items = spmmi_alloc((uint64_t)made->count, sizeof *made->items), diag);
    for (int64_t i = 0; i < made->count; i++)
        item_fill(&made->disk, &made->files[i], &made->items[i]);
    if (made->disk.folder >= 0)
        made->disk.note[0] = '\0'; /* it is about one of the files, whose own key says that it is damaged */
    *cache = made;
    made = NULL;
cleanup:
    spmm_jit_cache_destroy(made);
    return status;
}

void spmm_jit_cache_destroy(spmm_jit_cache_t *cache)
{
    if (cache == NULL)
        return;
    spmmi_jit_cache_close(&cache->disk);
    spmmi_free(cache->files);
    spmmi_free(cache->items);
    spmmi_free(cache);
}

const char *spmm_jit_cache_path(const spmm_jit_cache_t *cache)
{
    return cache->disk.path;
}

const char *spmm_jit_cache_note(const spmm_jit_cache_t *cache)
{
    return cache->disk.note;
}

spmm_status_t spmm_jit_cache_at(const spmm_jit_cache_t *cache, int64_t index, const char **file,
                                const char **key, uint64_t *bytes, int64_t *used)
{
    if (cache == NULL || index < 0 || index >= cache->count)
        return SPMM_ERR_ARGUMENT;
    const struct item *const item = &cache->items[index];
    if (file != NULL)
        *file = item->file;
    if (key != NULL)
        *key = item->key[0] != '\0' ? item->key : NULL;
    if (bytes != NULL)
        *bytes = cache->files[index].bytes;
    if (used != NULL)
        *used = (int64_t)cache->files[index].used.tv_sec;
    return SPMM_OK;
}

spmm_status_t spmm_jit_cache_clear(spmm_jit_cache_t *cache, int64_t *removed, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct item *stays = NULL;
    int64_t count = 0;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(cache != NULL, SPMM_ERR_ARGUMENT, diag, "the cache is NULL");
    for (int64_t i = 0; i < cache->count; i++) {
        if (spmmi_jit_cache_remove(&cache->disk, &cache->files[i].name))
            count++;
        else
            stays = &cache->items[i];
    }
    if (removed != NULL)
        *removed = count;
    SPMM_REQUIRE(stays == NULL, SPMM_ERR_IO, diag, "%.100s/%s cannot be removed", cache->disk.path,
                 stays->file);
cleanup:
    return status;
}
