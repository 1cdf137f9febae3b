/* SPDX-License-Identifier: Apache-2.0 */
/* What else may be in the folders of the cache of compiled kernels: links, other files, impossible heads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spmm/jit.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/jit/jit_cache.h"
#include "format/base/alloc.h"
#include "tests/support/child.h"
#include "tests/support/io_faults.h"
#include "jit_cache_scene.h"

/* Sizes of 0 or above the limits in a file whose hash is right. */
static void a_head_with_impossible_sizes_is_refused(void **state)
{
    static const struct {
        uint32_t key_bytes, code_bytes;
        uint64_t more;
        const char *why;
    } cases[] = {
        {sizeof KEY - 1, 8, 0, NULL},
        {0, 8, 0, "the size of key or code is out of range"},
        {sizeof KEY - 1, 0, 0, "the size of key or code is out of range"},
        {sizeof KEY - 1, 8, 1, "the size of the file differs from the one in its head"},
        {sizeof KEY - 1, 8, SPMMI_JIT_FILE_MAX, "the file is too large"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t bytes[SPMMI_JIT_ENTRY_HEAD + sizeof KEY + sizeof SOURCE + 8];
        struct spmmi_jit_entry entry = entry_of(KEY), found;
        entry.key_bytes = cases[i].key_bytes;
        entry.code_bytes = cases[i].code_bytes;
        const uint64_t size =
            SPMMI_JIT_ENTRY_HEAD + entry.key_bytes + (uint64_t)entry.source_bytes + entry.code_bytes;
        assert_true(size <= sizeof bytes);
        spmmi_jit_entry_write(&entry, bytes);
        const char *why = spmmi_jit_entry_read(bytes, size + cases[i].more, &found);
        assert_true(cases[i].why == NULL ? why == NULL : why != NULL && strcmp(why, cases[i].why) == 0);
    }
}

/* The size of a file is checked before memory for it is allocated. */
static void a_file_that_is_too_large_is_not_read(void **state)
{
    const struct spmmi_jit_entry entry = entry_of(KEY);
    const struct spmmi_jit_name name = spmmi_jit_name_of(&entry);
    struct spmmi_jit_entry found;
    struct spmmi_jit_cache cache;
    struct stat about;
    char path[256];
    (void)state;
    path_write(KEY, path);
    spmmi_jit_cache_open(&cache, 1);
    for (int more = 0; more < 2; more++) {
        store_in(&cache, KEY);
        assert_int_equal(truncate(path, (off_t)SPMMI_JIT_FILE_MAX + more), 0);
        spmmi_alloc_fail_at(0, 1);
        assert_null(spmmi_jit_cache_read(&cache, &name, &found));
        spmmi_alloc_fail_at(-1, 0);
        assert_non_null(strstr(cache.note, more ? "the file is too large" : "out of memory"));
        assert_int_equal(lstat(path, &about), more ? -1 : 0); /* the larger file is removed */
    }
    spmmi_jit_cache_close(&cache);
}

static void an_entry_may_have_no_source(void **state)
{
    struct spmmi_jit_cache cache;
    struct spmmi_jit_entry entry = entry_of(KEY);
    (void)state;
    entry.source_bytes = 0;
    spmmi_jit_cache_open(&cache, 1);
    spmmi_jit_cache_store(&cache, &entry);
    uint8_t *bytes = spmmi_jit_cache_load(&cache, &entry);
    assert_non_null(bytes);
    spmmi_free(bytes);
    spmmi_jit_cache_close(&cache);
    assert_false(is_found(KEY)); /* that one has a source */
}

static void a_folder_that_is_a_link_is_not_used(void **state)
{
    char real[256], link[256];
    (void)state;
    store(KEY);
    (void)snprintf(link, sizeof link, "%s/jit", folder);
    (void)snprintf(real, sizeof real, "%s/real", folder);
    assert_int_equal(rename(link, real), 0);
    assert_int_equal(symlink(real, link), 0);
    expect_no_cache("a symbolic link");
    assert_int_equal(unlink(link), 0);
    (void)snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink(real, link), 0);
    for (int slashes = 0; slashes < 3; slashes++) { /* a slash at the end would follow the link */
        (void)setenv("SPMM_CACHE_DIR", link, 1);
        expect_no_cache("a symbolic link");
        strcat(link, "/");
    }
    (void)snprintf(link, sizeof link, "%s/loop", folder);
    assert_int_equal(symlink("loop", link), 0);
    strcat(link, "/below");
    (void)setenv("SPMM_CACHE_DIR", link, 1);
    expect_no_cache("a symbolic link");
}

/* A file, a socket or nothing where a folder or file is expected. */
static void what_is_in_the_way_is_a_miss(void **state)
{
    const struct spmmi_jit_entry entry = entry_of(KEY);
    const struct spmmi_jit_name name = spmmi_jit_name_of(&entry);
    struct spmmi_jit_file *files = NULL;
    struct spmmi_jit_cache cache;
    struct stat about;
    char path[256];
    (void)state;
    store(KEY);
    spmmi_jit_cache_open(&cache, 1);
    path_write(KEY, path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mknod(path, S_IFSOCK | 0600, 0), 0);
    assert_null(spmmi_jit_cache_read(&cache, &name, &(struct spmmi_jit_entry){0}));
    assert_non_null(strstr(cache.note, strerror(ENXIO)));
    assert_int_equal(lstat(path, &about), 0); /* what cannot be opened stays */
    assert_int_equal(unlink(path), 0);
    (void)snprintf(path, sizeof path, "%s/jit/%s", folder, name.folder);
    assert_int_equal(rmdir(path), 0);
    assert_false(spmmi_jit_cache_remove(&cache, &name)); /* there is no such folder */
    const int file = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0 && close(file) == 0);
    spmmi_jit_cache_store(&cache, &entry);
    assert_non_null(strstr(cache.note, "it is no folder"));
    assert_int_equal(spmmi_jit_cache_list(&cache, &files), 0);
    spmmi_jit_cache_close(&cache);
    (void)setenv("SPMM_CACHE_DIR", "/proc/spmm/none", 1);
    expect_no_cache(strerror(ENOENT));
    (void)setenv("SPMM_CACHE_DIR", "//", 1);
    spmmi_jit_cache_open(&cache, 0);
    assert_string_equal(cache.path[1] == '/' ? cache.path + 1 : cache.path, "/jit");
    spmmi_jit_cache_close(&cache);
}

/* Without free descriptors nothing is listed or stored. */
static void without_descriptors_everything_is_a_miss(void **state)
{
    struct rlimit before;
    struct spmmi_jit_file *files = NULL;
    struct spmmi_jit_cache cache;
    (void)state;
    store(OTHER_KEY);
    store(KEY);
    spmmi_jit_cache_open(&cache, 1);
    const int next = dup(0);
    assert_true(next >= 0 && close(next) == 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    for (rlim_t more = 0; more < 2; more++) { /* with one, the folder can be opened, but not the file */
        const struct rlimit few = {(rlim_t)next + more, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        store_in(&cache, KEY);
        const int64_t count = spmmi_jit_cache_list(&cache, &files);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_int_equal(count, 0);
        assert_non_null(strstr(cache.note, strerror(EMFILE)));
    }
    spmmi_jit_cache_close(&cache);
    assert_true(is_found(KEY)); /* the old file */
}

/* Other names in the cache are not listed and stay. More files than the list first has space for. */
static void only_names_of_the_cache_are_listed(void **state)
{
    enum { FILES = 70 };
    static const char *const others[] = {"ab.d", "ab.d/0123456789abcdef0123456789abcd.spk", "abc",
                                         "ab/" SPMMI_JIT_LEFT_OVER "1",
                                         "ab/0123456789abcdef0123456789abcd.spx"};
    struct spmmi_jit_file *files = NULL;
    struct spmmi_jit_cache cache;
    struct stat about;
    char path[256];
    (void)state;
    spmmi_jit_cache_open(&cache, 1);
    for (int i = 0; i < FILES; i++) {
        (void)snprintf(path, sizeof path, "key %d", i);
        store_in(&cache, path);
    }
    (void)snprintf(path, sizeof path, "%s/jit/ab", folder);
    assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            (void)snprintf(path, sizeof path, "%s/jit/%s", folder, others[i]);
            assert_int_equal(turn == 0 ? mkdir(path, 0700) : lstat(path, &about), 0);
        }
    assert_int_equal(spmmi_jit_cache_list(&cache, &files), FILES);
    for (int i = 1; i < FILES; i++)
        assert_true(files[i].bytes > FILE_BYTES - sizeof KEY && !files[i].is_left_over);
    spmmi_free(files);
    spmmi_jit_cache_close(&cache);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_head_with_impossible_sizes_is_refused),
        CASE(a_file_that_is_too_large_is_not_read),
        CASE(an_entry_may_have_no_source),
        CASE(a_folder_that_is_a_link_is_not_used),
        CASE(what_is_in_the_way_is_a_miss),
        CASE(without_descriptors_everything_is_a_miss),
        CASE(only_names_of_the_cache_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
