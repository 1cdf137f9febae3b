/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tests of the cache of compiled kernels: a cache in a folder of its own. */
#ifndef TEST_JIT_CACHE_SCENE_H
#define TEST_JIT_CACHE_SCENE_H

#include "executor/jit/jit_cache.h"

extern char folder[]; /* cache folder of a test, removed after it */

#define KEY "operator 1; sm_90; f32; 4 x 4"
#define OTHER_KEY "operator 1; sm_80; f32; 4 x 4"
#define SOURCE "the source\nof a kernel"
#define CODE_BYTES 5000u
/* Size of the file of KEY. */
#define FILE_BYTES (SPMMI_JIT_ENTRY_HEAD + sizeof KEY - 1 + sizeof SOURCE - 1 + CODE_BYTES)

int setup(void **state);
int teardown(void **state);
struct spmmi_jit_entry entry_of(const char *key);
void store_in(struct spmmi_jit_cache *cache, const char *key);
void store(const char *key);
int is_found(const char *key);
void path_write(const char *key, char path[256]);
void expect_no_cache(const char *text);

#endif
