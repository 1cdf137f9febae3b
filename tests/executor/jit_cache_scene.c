/* SPDX-License-Identifier: Apache-2.0 */
/* See jit_cache_scene.h. */
#include "jit_cache_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/stat.h>

#include "executor/jit/jit_cache.h"
#include "format/base/alloc.h"
#include "tests/support/cache_folder.h"

char folder[] = "/tmp/spmm_jit_XXXXXX"; /* cache folder of a test, removed after it */

int setup(void **state)
{
    (void)state;
    return cache_folder_make(folder);
}

int teardown(void **state)
{
    (void)state;
    (void)chmod(folder, 0700);
    return cache_folder_remove(folder);
}

/* Returns the code of a key. Different keys have different code. */
static uint8_t *code_of(const char *key)
{
    static uint8_t code[CODE_BYTES];
    for (uint32_t i = 0; i < CODE_BYTES; i++)
        code[i] = (uint8_t)(i * 7 + (uint8_t)key[i % strlen(key)]);
    return code;
}

struct spmmi_jit_entry entry_of(const char *key)
{
    return (struct spmmi_jit_entry){.key = key,
                                    .source = SOURCE,
                                    .code = code_of(key),
                                    .key_bytes = (uint32_t)strlen(key),
                                    .source_bytes = sizeof SOURCE - 1,
                                    .code_bytes = CODE_BYTES};
}

void store_in(struct spmmi_jit_cache *cache, const char *key)
{
    const struct spmmi_jit_entry entry = entry_of(key);
    spmmi_jit_cache_store(cache, &entry);
}

void store(const char *key)
{
    struct spmmi_jit_cache cache;
    spmmi_jit_cache_open(&cache, 1);
    store_in(&cache, key);
    spmmi_jit_cache_close(&cache);
}

/* Returns 1 if the cache has the key. Fails the test if the bytes differ from the stored ones. */
int is_found(const char *key)
{
    struct spmmi_jit_cache cache;
    struct spmmi_jit_entry entry = entry_of(key);
    spmmi_jit_cache_open(&cache, 0);
    entry.code_bytes = 0;
    uint8_t *bytes = spmmi_jit_cache_load(&cache, &entry);
    const int found = bytes != NULL;
    if (found && (entry.code_bytes != CODE_BYTES || memcmp(entry.code, code_of(key), CODE_BYTES) != 0))
        fail_msg("the cache gave other bytes than were stored");
    spmmi_free(bytes);
    spmmi_jit_cache_close(&cache);
    return found;
}

void path_write(const char *key, char path[256])
{
    const struct spmmi_jit_entry entry = entry_of(key);
    const struct spmmi_jit_name name = spmmi_jit_name_of(&entry);
    (void)snprintf(path, 256, "%s/jit/%s/%s", folder, name.folder, name.file);
}

/* Opens a cache that must be disabled, and checks its note. */
void expect_no_cache(const char *text)
{
    struct spmmi_jit_cache cache;
    spmmi_jit_cache_open(&cache, 1);
    if (cache.folder >= 0 || strstr(cache.note, text) == NULL)
        fail_msg("folder %d, note \"%s\"", cache.folder, cache.note);
    struct spmmi_jit_entry entry = entry_of(KEY);
    spmmi_jit_cache_store(&cache, &entry);
    assert_null(spmmi_jit_cache_load(&cache, &entry));
    struct spmmi_jit_file *files = NULL;
    assert_int_equal(spmmi_jit_cache_list(&cache, &files), 0);
    spmmi_jit_cache_drop(&cache, &entry);
    spmmi_jit_cache_close(&cache);
}
