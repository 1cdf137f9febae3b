/* SPDX-License-Identifier: Apache-2.0 */
/* Plan files and system calls at their edges: descriptor 0, calls that transfer no bytes, files that do not
 * exist or exceed the budget. test_file_faults.c tests failing calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/base/alloc.h"
#include "format/base/file_io.h"
#include "format/file/plan_header.h"
#include "tests/support/plan_seal.h"

struct scene {
    char folder[32], path[64];
    spmm_plan_t *plan;
};

static int set_up(void **state)
{
    static struct scene s;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    strcpy(s.folder, "/tmp/spmm-edges-XXXXXX");
    assert_non_null(mkdtemp(s.folder));
    (void)snprintf(s.path, sizeof s.path, "%s/a.plan", s.folder);
    s.plan = test_plan_whole(a, options, "");
    test_matrix_free(a);
    assert_int_equal(spmm_plan_save(s.plan, s.path, NULL, NULL), SPMM_OK);
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *s = *state;
    spmm_plan_destroy(s->plan);
    return unlink(s->path) | rmdir(s->folder);
}

static spmm_status_t load(const char *path, uint64_t budget, spmm_diag_t *diag)
{
    spmm_load_options_t options = SPMM_LOAD_OPTIONS_INIT;
    spmm_plan_t *plan = NULL;
    options.budget_bytes = budget;
    const spmm_status_t status = spmm_plan_load(path, &options, &plan, diag);
    spmm_plan_destroy(plan);
    return status;
}

static int open_as_0(const char *path, int flags, mode_t mode)
{
    const int is_new = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    const int file = open(path, flags, mode);
    if (!is_new || file <= 0)
        return file;
    const int moved = dup2(file, 0);
    (void)close(file);
    return moved;
}

static void a_plan_that_is_saved_again_keeps_its_mode(void **state)
{
    const struct scene *s = *state;
    struct stat about;
    assert_int_equal(chmod(s->path, 0600), 0);
    assert_int_equal(spmm_plan_save(s->plan, s->path, NULL, NULL), SPMM_OK);
    assert_int_equal(stat(s->path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
}

/* The same on a file system that has no unnamed files. */
static int open_named_as_0(const char *path, int flags, mode_t mode)
{
    errno = EOPNOTSUPP;
    return (flags & O_TMPFILE) == O_TMPFILE ? -1 : open_as_0(path, flags, mode);
}

/* In a program without standard input, open may return descriptor 0. */
static void descriptor_0_is_a_file(void **state)
{
    const struct scene *s = *state;
    struct spmmi_io table = spmmi_io_system;
    const int input = dup(0);
    table.open = open_as_0;
    spmmi_io_set(&table);
    // The new file has descriptor 0.
    const spmm_status_t written = spmm_plan_save(s->plan, s->path, NULL, NULL);
    const int is_left = close(0) == 0;
    (void)dup2(input, 0);
    table.open = open_named_as_0;
    const spmm_status_t named = spmm_plan_save(s->plan, s->path, NULL, NULL);
    spmmi_io_set(NULL);
    (void)close(0);
    // The folder has descriptor 0.
    const spmm_status_t folder = spmm_plan_save(s->plan, s->path, NULL, NULL);
    (void)close(0);
    const spmm_status_t loaded = load(s->path, 0, NULL);
    (void)dup2(input, 0);
    (void)close(input);
    assert_int_equal(written, SPMM_OK);
    assert_false(is_left); /* descriptor 0 was closed */
    assert_int_equal(named, SPMM_OK);
    assert_int_equal(folder, SPMM_OK);
    assert_int_equal(loaded, SPMM_OK);
}

static ssize_t read_nothing(int file, void *bytes, size_t size)
{
    (void)file, (void)bytes, (void)size;
    return 0;
}

static ssize_t write_nothing(int file, const void *bytes, size_t size)
{
    (void)file, (void)bytes, (void)size;
    return 0;
}

static void calls_that_move_nothing(void **state)
{
    const struct scene *s = *state;
    struct spmmi_io table = spmmi_io_system;
    table.read = read_nothing;
    table.write = write_nothing;
    spmmi_io_set(&table);
    const spmm_status_t loaded = load(s->path, 0, NULL), saved = spmm_plan_save(s->plan, s->path, NULL, NULL);
    spmmi_io_set(NULL);
    assert_int_equal(loaded, SPMM_ERR_PLAN_TRUNCATED);
    assert_int_equal(saved, SPMM_ERR_IO);
}

static int calls;

/* Accepts all bytes without reading them. */
static ssize_t write_all(int file, const void *bytes, size_t size)
{
    (void)file, (void)bytes;
    calls++;
    assert_in_range(size, 1, 1 << 30); /* Linux transfers less than 2 GiB per call */
    return (ssize_t)size;
}

static void large_files_are_moved_in_pieces(void **state)
{
    (void)state;
    struct spmmi_io table = spmmi_io_system;
    table.write = write_all;
    spmmi_io_set(&table);
    calls = 0;
    const spmm_status_t status = spmmi_write_all(1, "a file", &table, (UINT64_C(3) << 30) + 1, NULL);
    spmmi_io_set(NULL);
    assert_int_equal(status, SPMM_OK);
    assert_int_equal(calls, 4);
}

static int open_named_only(const char *path, int flags, mode_t mode)
{
    errno = EOPNOTSUPP;
    if ((flags & O_TMPFILE) == O_TMPFILE)
        return -1;
    if ((flags & O_CREAT) == 0)
        return open(path, flags, mode);
    calls++;
    errno = EEXIST;
    return -1;
}

/* Every randomly named temporary file already exists. */
static void names_that_are_all_taken(void **state)
{
    const struct scene *s = *state;
    struct spmmi_io table = spmmi_io_system;
    spmm_diag_t diag;
    table.open = open_named_only;
    spmmi_io_set(&table);
    calls = 0;
    const spmm_status_t status = spmm_plan_save(s->plan, s->path, NULL, &diag);
    spmmi_io_set(NULL);
    assert_int_equal(status, SPMM_ERR_IO);
    assert_int_equal(diag.native_error, EEXIST);
    assert_in_range(calls, 2, 100);
    assert_int_equal(load(s->path, 0, NULL), SPMM_OK);
}

static int link_taken_once(int file, const char *path)
{
    errno = EEXIST;
    return calls++ == 0 ? -1 : spmmi_io_system.link(file, path);
}

static void another_name_is_drawn(void **state)
{
    const struct scene *s = *state;
    struct spmmi_io table = spmmi_io_system;
    table.link = link_taken_once;
    spmmi_io_set(&table);
    calls = 0;
    const spmm_status_t status = spmm_plan_save(s->plan, s->path, NULL, NULL);
    spmmi_io_set(NULL);
    assert_int_equal(status, SPMM_OK);
    assert_int_equal(load(s->path, 0, NULL), SPMM_OK);
}

/* The error is found before anything is written. */
static void a_name_that_is_too_long(void **state)
{
    const struct scene *s = *state;
    struct spmmi_io table = spmmi_io_system;
    spmm_diag_t diag;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%0300d", s->folder, 0);
    table.write = write_all;
    spmmi_io_set(&table);
    calls = 0;
    const spmm_status_t status = spmm_plan_save(s->plan, path, NULL, &diag);
    spmmi_io_set(NULL);
    assert_int_equal(status, SPMM_ERR_IO);
    assert_int_equal(diag.native_error, ENAMETOOLONG);
    assert_int_equal(calls, 0);
}

/* Reads one byte, fails once, then reads everything. */
static ssize_t read_and_fail_once(int file, void *bytes, size_t size)
{
    errno = EIO;
    return calls++ == 1 ? -1 : read(file, bytes, calls == 1 ? 1 : size);
}

static void a_read_that_fails_is_not_made_again(void **state)
{
    const struct scene *s = *state;
    struct spmmi_io table = spmmi_io_system;
    table.read = read_and_fail_once;
    spmmi_io_set(&table);
    calls = 0;
    const spmm_status_t status = load(s->path, 0, NULL);
    spmmi_io_set(NULL);
    assert_int_equal(status, SPMM_ERR_IO);
}

static int no_fstat(int file, struct stat *about)
{
    (void)file;
    memset(about, 0, sizeof *about);
    errno = EIO;
    return -1;
}

static void a_sentence_says_what_could_not_be_done(void **state)
{
    const struct scene *s = *state;
    spmm_diag_t diag;
    char path[128];
    (void)snprintf(path, sizeof path, "%s/none.plan", s->folder);
    assert_int_equal(load(path, 0, &diag), SPMM_ERR_IO);
    assert_non_null(strstr(diag.text, "cannot open"));
    struct spmmi_io table = spmmi_io_system;
    table.fstat = no_fstat;
    spmmi_io_set(&table);
    const spmm_status_t status = load(s->path, 0, &diag);
    spmmi_io_set(NULL);
    assert_int_equal(status, SPMM_ERR_IO);
    assert_non_null(strstr(diag.text, "cannot ask the size"));
    assert_int_equal(spmm_plan_save(s->plan, "/proc/no.plan", NULL, &diag), SPMM_ERR_IO);
    assert_non_null(strstr(diag.text, "cannot create"));
}

/* The file is refused without being read into memory. */
static void a_file_above_the_budget(void **state)
{
    const struct scene *s = *state;
    spmm_diag_t diag;
    spmmi_alloc_peak_reset();
    assert_int_equal(load(s->path, 300, &diag), SPMM_ERR_PLAN_BUDGET);
    assert_int_equal(spmmi_alloc_peak_bytes(), 0);
}

/* The contents after its header are unknown. */
static void a_file_of_another_format_is_not_read_on(void **state)
{
    const struct scene *s = *state;
    spmm_diag_t diag;
    const int file = open(s->path, O_RDWR);
    assert_int_equal(pwrite(file, "\x02", 1, SPMMI_AT_format_major), 1);
    assert_int_equal(ftruncate(file, 1 << 20), 0);
    close(file);
    spmmi_alloc_peak_reset();
    assert_int_equal(load(s->path, 0, &diag), SPMM_ERR_PLAN_VERSION);
    assert_non_null(strstr(diag.text, "update spmm"));
    assert_int_equal(spmmi_alloc_peak_bytes(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_that_is_saved_again_keeps_its_mode),
        cmocka_unit_test(descriptor_0_is_a_file),
        cmocka_unit_test(calls_that_move_nothing),
        cmocka_unit_test(another_name_is_drawn),
        cmocka_unit_test(a_name_that_is_too_long),
        cmocka_unit_test(a_read_that_fails_is_not_made_again),
        cmocka_unit_test(large_files_are_moved_in_pieces),
        cmocka_unit_test(names_that_are_all_taken),
        cmocka_unit_test(a_sentence_says_what_could_not_be_done),
        cmocka_unit_test(a_file_above_the_budget),
        cmocka_unit_test(a_file_of_another_format_is_not_read_on), /* damages the file */
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
