/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of compiled kernels on disk (executor/jit): what it keeps and which files and folders it trusts.
 * Every error is a miss. */
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

static void what_is_stored_is_found_and_nothing_else(void **state)
{
    struct spmmi_jit_cache cache;
    struct stat about;
    char path[256];
    (void)state;
    assert_false(is_found(KEY));
    store(KEY);
    assert_true(is_found(KEY));
    assert_false(is_found(OTHER_KEY)); /* another compute capability */
    path_write(KEY, path);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(about.st_size, FILE_BYTES);
    spmmi_jit_cache_open(&cache, 0);
    assert_string_equal(cache.note, "");
    const struct spmmi_jit_entry entry = entry_of(KEY);
    spmmi_jit_cache_drop(&cache, &entry);
    spmmi_jit_cache_close(&cache);
    assert_false(is_found(KEY));
}

/* The file stores the whole key and the source, because two keys may have the same file name, and two sources
 * the same hash. */
static void a_file_of_another_key_or_source_is_a_miss(void **state)
{
    struct spmmi_jit_cache cache;
    struct spmmi_jit_entry entry = entry_of(KEY);
    char from[256], to[256];
    (void)state;
    store(KEY);
    spmmi_jit_cache_open(&cache, 0);
    entry.source = "the source\nof a kerneL";
    assert_null(spmmi_jit_cache_load(&cache, &entry));
    entry.source_bytes--;
    assert_null(spmmi_jit_cache_load(&cache, &entry));
    spmmi_jit_cache_close(&cache);
    store(KEY);
    store(OTHER_KEY);
    path_write(KEY, from);
    path_write(OTHER_KEY, to);
    assert_int_equal(rename(from, to), 0);
    assert_false(is_found(KEY));
    assert_false(is_found(OTHER_KEY));
}

/* A flipped bit or a truncated file is a miss, and the file is removed. Each bit of head, key and source is
 * tried, and some bits of the code. */
static void a_damaged_file_is_a_miss_and_goes(void **state)
{
    struct stat about;
    uint8_t byte = 0;
    char path[256];
    (void)state;
    path_write(KEY, path);
    for (size_t i = 0; i < 9 * FILE_BYTES; i += i < 9 * (FILE_BYTES - CODE_BYTES) ? 1 : 401) {
        const size_t at = i / 9, bit = i % 9; /* bit 8: truncate */
        store(KEY);
        const int file = open(path, O_RDWR);
        assert_int_equal(pread(file, &byte, 1, (off_t)at), 1);
        byte ^= (uint8_t)(1u << bit);
        assert_int_equal(bit == 8 ? ftruncate(file, (off_t)at) : pwrite(file, &byte, 1, (off_t)at), bit < 8);
        (void)close(file);
        if (is_found(KEY))
            fail_msg("found with bit %zu of byte %zu changed", bit, at);
        assert_int_equal(stat(path, &about), -1);
    }
    store(KEY);
    assert_true(is_found(KEY));
}

static void a_long_file_and_special_files_are_misses(void **state)
{
    char path[256], target[256];
    struct stat about;
    (void)state;
    path_write(KEY, path);
    store(KEY);
    assert_int_equal(truncate(path, (off_t)SPMMI_JIT_FILE_MAX + 1), 0);
    assert_false(is_found(KEY));
    store(KEY);
    (void)snprintf(target, sizeof target, "%s/elsewhere", folder);
    assert_int_equal(rename(path, target), 0);
    assert_int_equal(symlink(target, path), 0);
    assert_false(is_found(KEY)); /* symbolic links are not followed */
    assert_int_equal(stat(target, &about), 0);
    assert_int_equal(lstat(path, &about), -1);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(is_found(KEY)); /* opening a FIFO does not block */
    assert_int_equal(lstat(path, &about), -1);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(is_found(KEY));
    store(KEY);
    assert_false(is_found(KEY));
}

static void only_what_is_the_users_alone_is_trusted(void **state)
{
    static const struct {
        mode_t mode;
        int is_other;
        const char *why;
    } cases[] = {{0700, 0, NULL},
                 {0755, 0, NULL},
                 {0770, 0, "others may write it"},
                 {0702, 0, "others may write it"},
                 {0700, 1, "it belongs to another user"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct stat about = {.st_mode = cases[i].mode, .st_uid = geteuid() + (uid_t)cases[i].is_other};
        const char *why = spmmi_jit_distrust(&about);
        assert_true(cases[i].why == NULL ? why == NULL : why != NULL && strcmp(why, cases[i].why) == 0);
    }
}

/* Write permission for others, and another owner, of each folder of the path and of the file. */
static void a_folder_or_file_that_others_may_write_is_not_used(void **state)
{
    char paths[4][256];
    const struct spmmi_jit_entry entry = entry_of(KEY);
    const struct spmmi_jit_name name = spmmi_jit_name_of(&entry);
    (void)state;
    (void)snprintf(paths[0], sizeof paths[0], "%s", folder);
    (void)snprintf(paths[1], sizeof paths[1], "%s/jit", folder);
    (void)snprintf(paths[2], sizeof paths[2], "%s/jit/%s", folder, name.folder);
    path_write(KEY, paths[3]);
    for (int i = 0; i < 4; i++) {
        const mode_t mode = i == 3 ? 0600 : 0700;
        store(KEY);
        assert_int_equal(chmod(paths[i], mode | 0020), 0);
        assert_false(is_found(KEY));
        if (i < 2)
            expect_no_cache("others may write it");
        (void)chmod(paths[i], mode);
        assert_int_equal(is_found(KEY), i != 3); /* only a file is removed */
        if (geteuid() != 0)
            continue;
        store(KEY);
        assert_int_equal(lchown(paths[i], 65534, 65534), 0);
        assert_false(is_found(KEY));
        if (i < 2)
            expect_no_cache("it belongs to another user");
        (void)lchown(paths[i], 0, 0);
    }
}

static void the_variables_say_where_the_cache_is(void **state)
{
    static char long_path[2 * SPMMI_JIT_PATH] = "/";
    struct spmmi_jit_cache cache;
    char path[256];
    (void)state;
    (void)setenv("SPMM_CACHE_DIR", "", 1);
    expect_no_cache("SPMM_CACHE_DIR is empty");
    (void)setenv("SPMM_CACHE_DIR", "here", 1);
    expect_no_cache("SPMM_CACHE_DIR is no absolute path");
    memset(long_path + 1, 'a', sizeof long_path - 2);
    (void)setenv("SPMM_CACHE_DIR", long_path, 1);
    expect_no_cache("the path of the cache is too long");
    (void)unsetenv("SPMM_CACHE_DIR");
    (void)snprintf(path, sizeof path, "%s/xdg/deep", folder);
    (void)setenv("XDG_CACHE_HOME", path, 1);
    (void)setenv("HOME", folder, 1);
    for (int i = 0; i < 3; i++) {
        static const char *const below[] = {"/xdg/deep/spmm/jit", "/.cache/spmm/jit", "/.cache/spmm/jit"};
        (void)snprintf(path, sizeof path, "%s%s", folder, below[i]);
        spmmi_jit_cache_open(&cache, 1);
        assert_true(cache.folder >= 0);
        assert_string_equal(cache.path, path);
        spmmi_jit_cache_close(&cache);
        (void)setenv("XDG_CACHE_HOME", i == 0 ? "" : "relative", 1);
    }
    (void)unsetenv("HOME");
    expect_no_cache("are not set");
    (void)unsetenv("XDG_CACHE_HOME");
}

/* No space, an I/O error, a signal, a quota: the file is stored completely or not at all, and no temporary
 * file is left. */
static void a_disk_that_fails_is_a_miss(void **state)
{
    const struct spmmi_jit_entry entry = entry_of(KEY);
    struct spmmi_jit_file *files = NULL;
    struct spmmi_jit_cache cache;
    (void)state;
    for (int fault = IO_FAULT_EIO; fault < IO_FAULT_KILL; fault++) {
        for (int64_t k = 0, calls = 1; k < calls; k++) {
            const char *failed = NULL;
            io_faults_start(k, (enum io_fault)fault);
            store(KEY);
            calls = io_faults_stop(&failed);
            const int is_harmless = fault == IO_FAULT_EINTR || fault == IO_FAULT_SHORT;
            spmmi_jit_cache_open(&cache, 0);
            const int64_t count = spmmi_jit_cache_list(&cache, &files);
            if (count != is_found(KEY) || (is_harmless && count != 1))
                fail_msg("fault %d of call %lld (%s): %lld files", fault, (long long)k,
                         failed != NULL ? failed : "none", (long long)count);
            spmmi_free(files);
            spmmi_jit_cache_drop(&cache, &entry);
            spmmi_jit_cache_close(&cache);
        }
    }
}

static void a_full_disk_is_a_miss(void **state)
{
    struct rlimit before;
    struct spmmi_jit_cache cache;
    struct spmmi_jit_file *files = NULL;
    (void)state;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {1000, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    spmmi_jit_cache_open(&cache, 1);
    store_in(&cache, KEY);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_non_null(strstr(cache.note, strerror(EFBIG)));
    assert_int_equal(spmmi_jit_cache_list(&cache, &files), 0);
    spmmi_jit_cache_close(&cache);
    assert_false(is_found(KEY));
}

/* A read error or an allocation failure is a miss. */
static void a_read_that_fails_is_a_miss(void **state)
{
    (void)state;
    for (int64_t k = 0, calls = 1; k < calls; k++) {
        const char *failed = NULL;
        store(KEY);
        io_faults_start(k, IO_FAULT_EIO);
        (void)is_found(KEY);
        calls = io_faults_stop(&failed);
    }
    store(KEY);
    for (int64_t k = 0; k < 2; k++) {
        spmmi_alloc_fail_at(k, 1);
        const int found = is_found(KEY);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(!found || k > 0);
        store(KEY);
    }
    assert_true(is_found(KEY));
    struct spmmi_jit_cache cache;
    spmmi_jit_cache_open(&cache, 1);
    spmmi_alloc_fail_at(0, 1);
    store_in(&cache, OTHER_KEY);
    spmmi_alloc_fail_at(-1, 0);
    assert_non_null(strstr(cache.note, "out of memory"));
    spmmi_jit_cache_close(&cache);
    assert_false(is_found(OTHER_KEY));
}

/* root may write anywhere, so the test runs in a process without its rights. */
static void a_home_that_cannot_be_written_is_a_miss(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        struct spmmi_jit_cache cache;
        if (chmod(folder, 0500) != 0)
            _exit(2);
        if (geteuid() == 0 && (chown(folder, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0))
            _exit(3);
        spmmi_jit_cache_open(&cache, 1);
        store_in(&cache, KEY);
        _exit(cache.folder < 0 && strstr(cache.note, strerror(EACCES)) != NULL ? 0 : 1);
    }
    const int result = child_wait(child);
    if (geteuid() == 0)
        assert_int_equal(chown(folder, 0, 0), 0);
    assert_int_equal(result, 0);
}

/* The processes write and read the same keys at the same time. Every file found is complete. */
static void processes_at_once_see_whole_files(void **state)
{
    enum { PROCESSES = 4, TURNS = 200 };
    pid_t child[PROCESSES];
    (void)state;
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            for (int turn = 0; turn < TURNS; turn++) {
                char key[32];
                (void)snprintf(key, sizeof key, "key %d", (turn + i) % 3);
                store(key);
                if (!is_found(key))
                    _exit(1);
            }
            _exit(0);
        }
    }
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(child_wait(child[i]), 0);
}

static void put_age(const char *path, time_t seconds)
{
    const struct timespec times[2] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_oldest_files_make_room(void **state)
{
    static const char *const keys[] = {"a", "b", "c"};
    struct spmmi_jit_cache cache;
    char path[256];
    (void)state;
    for (int i = 0; i < 3; i++) {
        store(keys[i]);
        path_write(keys[i], path);
        put_age(path, 1000 - 100 * i);
    }
    assert_true(is_found("a")); /* makes it the most recently used */
    spmmi_jit_cache_open(&cache, 0);
    cache.most_bytes = 3 * (FILE_BYTES - sizeof KEY + 2);
    store_in(&cache, "d");
    assert_true(is_found("a") && !is_found("b") && is_found("c") && is_found("d"));
    cache.most_bytes = CODE_BYTES;
    store_in(&cache, "e"); /* too large for the cache: no other file is removed for it */
    assert_true(is_found("a") && is_found("c") && is_found("d") && !is_found("e"));
    spmmi_jit_cache_close(&cache);
}

/* A file that cannot be removed makes no room, so the next one goes too. */
static void what_cannot_be_removed_makes_no_room(void **state)
{
    static const char *const keys[] = {"a", "b", "c"};
    struct spmmi_jit_cache cache;
    struct stat about;
    char path[256];
    (void)state;
    for (int i = 0; i < 3; i++) {
        store(keys[i]);
        path_write(keys[i], path);
        if (i == 0)
            assert_true(unlink(path) == 0 && mkdir(path, 0700) == 0 && lstat(path, &about) == 0);
        put_age(path, 1000 - 100 * i);
    }
    spmmi_jit_cache_open(&cache, 0);
    cache.most_bytes = (uint64_t)about.st_size + 3 * (FILE_BYTES - sizeof KEY + 2) - 1;
    store_in(&cache, "d");
    assert_true(!is_found("b") && is_found("c") && is_found("d"));
    spmmi_jit_cache_close(&cache);
}

static void what_killed_writers_left_goes_after_an_hour(void **state)
{
    struct spmmi_jit_file *files = NULL;
    struct spmmi_jit_cache cache;
    char path[300];
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct spmmi_jit_entry entry = entry_of(KEY);
        const struct spmmi_jit_name name = spmmi_jit_name_of(&entry);
        store(KEY);
        (void)snprintf(path, sizeof path, "%s/jit/%s/" SPMMI_JIT_LEFT_OVER "000000000000000%d", folder,
                       name.folder, i);
        const int file = open(path, O_WRONLY | O_CREAT, 0600);
        assert_true(file >= 0);
        (void)close(file);
        put_age(path, i == 0 ? 7200 : 60);
    }
    store(KEY);
    spmmi_jit_cache_open(&cache, 0);
    assert_int_equal(spmmi_jit_cache_list(&cache, &files), 2);
    assert_true(files[0].is_left_over != files[1].is_left_over);
    spmmi_free(files);
    spmmi_jit_cache_close(&cache);
}

static void keys_and_codes_have_limits(void **state)
{
    static char key[SPMMI_JIT_KEY_MAX + 2];
    static const struct {
        uint32_t key_bytes, source_bytes, code_bytes;
        int fits;
    } cases[] = {
        {SPMMI_JIT_KEY_MAX, 0, 1, 1},
        {SPMMI_JIT_KEY_MAX, 0, 0, 0},
        {SPMMI_JIT_KEY_MAX + 1, 0, 1, 0},
        {0, 1, 1, 0},
        {1, 1, (uint32_t)SPMMI_JIT_FILE_MAX - SPMMI_JIT_ENTRY_HEAD - 2, 1},
        {1, 1, (uint32_t)SPMMI_JIT_FILE_MAX - SPMMI_JIT_ENTRY_HEAD - 1, 0},
        {1, UINT32_MAX, UINT32_MAX, 0},
    };
    (void)state;
    memset(key, 'k', sizeof key - 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct spmmi_jit_entry entry = {.key = key,
                                              .key_bytes = cases[i].key_bytes,
                                              .source_bytes = cases[i].source_bytes,
                                              .code_bytes = cases[i].code_bytes};
        assert_int_equal(spmmi_jit_entry_bytes(&entry) > 0, cases[i].fits);
    }
    store(key); /* one byte too long */
    assert_false(is_found(key));
    store("two\nlines");
    assert_false(is_found("two\nlines"));
}

/* The interface <spmm/jit.h>, on which spmm-jit is built. */
static void programs_list_and_clear_it(void **state)
{
    spmm_jit_cache_t *cache = NULL;
    const char *file = NULL, *key = NULL;
    uint64_t bytes = 0;
    int64_t used = 0, removed = -1;
    char path[256];
    (void)state;
    assert_int_equal(spmm_jit_cache_create(NULL, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_jit_cache_clear(NULL, NULL, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_jit_cache_at(NULL, 0, NULL, NULL, NULL, NULL), SPMM_ERR_ARGUMENT);
    spmm_jit_cache_destroy(NULL);
    store(KEY);
    path_write(KEY, path);
    put_age(path, 500);
    assert_int_equal(spmm_jit_cache_create(&cache, NULL), SPMM_OK);
    assert_string_equal(spmm_jit_cache_note(cache), "");
    assert_int_equal(spmm_jit_cache_at(cache, 0, &file, &key, &bytes, &used), SPMM_OK);
    assert_string_equal(key, KEY);
    assert_non_null(strstr(path, file));
    assert_memory_equal(path, spmm_jit_cache_path(cache), strlen(spmm_jit_cache_path(cache)));
    assert_int_equal(bytes, FILE_BYTES);
    assert_true(used <= time(NULL) - 500 && used > time(NULL) - 600); /* listing does not count as use */
    assert_int_equal(spmm_jit_cache_at(cache, 0, NULL, NULL, NULL, NULL), SPMM_OK);
    assert_int_equal(spmm_jit_cache_at(cache, 1, &file, &key, &bytes, &used), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_jit_cache_at(cache, -1, &file, &key, &bytes, &used), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_jit_cache_clear(cache, &removed, NULL), SPMM_OK);
    assert_int_equal(removed, 1);
    assert_int_equal(spmm_jit_cache_clear(cache, &removed, NULL), SPMM_OK); /* no error: it is gone */
    assert_false(is_found(KEY));
    spmm_jit_cache_destroy(cache);
    spmm_diag_t diag;
    assert_int_equal(mkdir(path, 0700), 0); /* a file that cannot be removed is an error */
    assert_int_equal(spmm_jit_cache_create(&cache, NULL), SPMM_OK);
    assert_int_equal(spmm_jit_cache_clear(cache, NULL, &diag), SPMM_ERR_IO);
    assert_non_null(strstr(diag.text, "cannot be removed"));
    spmm_jit_cache_destroy(cache);
}

static void without_memory_nothing_is_listed(void **state)
{
    const int64_t live = spmmi_alloc_live();
    spmm_status_t status = SPMM_ERR_MEMORY;
    (void)state;
    store(KEY);
    for (int64_t k = 0; status != SPMM_OK; k++) {
        spmm_jit_cache_t *cache = NULL;
        spmmi_alloc_fail_at(k, 0);
        status = spmm_jit_cache_create(&cache, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_true((cache != NULL) == (status == SPMM_OK) &&
                    (status == SPMM_OK || status == SPMM_ERR_MEMORY));
        spmm_jit_cache_destroy(cache);
        assert_int_equal(spmmi_alloc_live(), live);
        assert_true(k < 20);
    }
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_is_stored_is_found_and_nothing_else),
        CASE(a_file_of_another_key_or_source_is_a_miss),
        CASE(a_damaged_file_is_a_miss_and_goes),
        CASE(a_long_file_and_special_files_are_misses),
        CASE(only_what_is_the_users_alone_is_trusted),
        CASE(a_folder_or_file_that_others_may_write_is_not_used),
        CASE(the_variables_say_where_the_cache_is),
        CASE(a_disk_that_fails_is_a_miss),
        CASE(a_full_disk_is_a_miss),
        CASE(a_read_that_fails_is_a_miss),
        CASE(a_home_that_cannot_be_written_is_a_miss),
        CASE(processes_at_once_see_whole_files),
        CASE(the_oldest_files_make_room),
        CASE(what_cannot_be_removed_makes_no_room),
        CASE(what_killed_writers_left_goes_after_an_hour),
        CASE(keys_and_codes_have_limits),
        CASE(programs_list_and_clear_it),
        CASE(without_memory_nothing_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
