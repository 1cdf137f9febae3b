/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and loading if memory, the disk or the process fails. A file with the final name is always a
 * complete plan, the old one or the new one. Nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/wait.h>

#include "format/base/alloc.h"
#include "tests/support/child.h"
#include "tests/support/io_faults.h"
#include "tests/support/plan_seal.h"
#include "tests/support/scale.h"
#include "tests/support/scorecard.h"

struct scene {
    char folder[64], path[128];
    spmm_plan_t *older, *newer; /* two different plans */
};

static spmm_plan_t *plan_of(const char *matrix, const char *source)
{
    struct test_matrix *a = test_matrix_named(matrix, TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0}, source);
    if (a->rows == a->cols)
        test_plan_symmetric_permutation(plan, 1);
    test_matrix_free(a);
    return plan;
}

static int set_up(void **state)
{
    struct scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    (void)snprintf(s->folder, sizeof s->folder, "/tmp/spmm-faults-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    (void)snprintf(s->path, sizeof s->path, "%s/a.plan", s->folder);
    s->older = plan_of("arrow", "older");
    s->newer = plan_of("lower triangle", "newer");
    *state = s;
    return 0;
}

/* Returns the number of files in the folder. Removes them if `removes` is set. */
static int count_files(const struct scene *s, int removes)
{
    DIR *folder = opendir(s->folder);
    int count = 0;
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[512];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        (void)snprintf(path, sizeof path, "%s/%s", s->folder, entry->d_name);
        if (removes)
            (void)unlink(path);
    }
    (void)closedir(folder);
    return count;
}

static int tear_down(void **state)
{
    struct scene *s = *state;
    (void)count_files(s, 1);
    (void)rmdir(s->folder);
    spmm_plan_destroy(s->older);
    spmm_plan_destroy(s->newer);
    free(s);
    return 0;
}

static void save(const spmm_plan_t *plan, const char *path)
{
    spmm_diag_t diag;
    if (spmm_plan_save(plan, path, NULL, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
}

/* Returns 1 if the file is the older plan, 2 if it is the newer one. Fails the test otherwise. */
static int which(const struct scene *s)
{
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    if (spmm_plan_load(s->path, NULL, &plan, &diag) != SPMM_OK)
        fail_msg("torn file: %s", diag.text);
    const int is_older = test_plans_equal(plan, s->older), is_newer = test_plans_equal(plan, s->newer);
    spmm_plan_destroy(plan);
    assert_true(is_older != is_newer);
    return is_older ? 1 : 2;
}

static void a_saved_plan_loads(void **state)
{
    const struct scene *s = *state;
    struct stat about;
    const mode_t mask = umask(027);
    save(s->older, s->path);
    (void)umask(mask);
    assert_int_equal(which(s), 1);
    assert_int_equal(stat(s->path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    save(s->newer, s->path);
    assert_int_equal(which(s), 2);
    assert_int_equal(count_files(s, 0), 1);
}

static void a_name_without_folder_is_saved_here(void **state)
{
    struct scene *s = *state;
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(s->folder), 0);
    save(s->older, "a.plan");
    assert_int_equal(chdir(here), 0);
    assert_int_equal(which(s), 1);
}

static void a_symbolic_link_is_replaced_not_followed(void **state)
{
    const struct scene *s = *state;
    char target[160];
    struct stat about;
    (void)snprintf(target, sizeof target, "%s/target", s->folder);
    assert_int_equal(symlink(target, s->path), 0);
    save(s->older, s->path);
    assert_int_equal(lstat(s->path, &about), 0);
    assert_true(S_ISREG(about.st_mode));
    assert_int_not_equal(lstat(target, &about), 0);
}

static void what_is_no_regular_file_is_refused(void **state)
{
    const struct scene *s = *state;
    const char *const paths[] = {s->folder, "/dev/zero", "/dev/null", s->path};
    assert_int_equal(mkfifo(s->path, 0600), 0);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        spmm_plan_t *plan = NULL;
        spmm_diag_t diag;
        assert_int_equal(spmm_plan_load(paths[i], NULL, &plan, &diag), SPMM_ERR_IO);
        assert_null(plan);
        assert_true(strlen(diag.text) > 0);
    }
}

static void names_that_cannot_be_written_are_refused(void **state)
{
    const struct scene *s = *state;
    char missing[160], folder[160];
    (void)snprintf(missing, sizeof missing, "%s/no/a.plan", s->folder);
    (void)snprintf(folder, sizeof folder, "%s/", s->folder);
    spmm_diag_t diag;
    assert_int_equal(spmm_plan_save(s->older, missing, NULL, &diag), SPMM_ERR_IO);
    assert_int_equal(diag.native_error, ENOENT);
    assert_int_equal(spmm_plan_save(s->older, folder, NULL, &diag), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_save(s->older, s->folder, NULL, &diag), SPMM_ERR_IO);
    assert_int_equal(count_files(s, 0), 0);
}

/* Returns the status of a save in which this call fails in this way. After a signal the call is repeated,
 * except where Linux forbids it (close) or never reports EINTR (link, rename, fstat). The result of closing
 * the folder is ignored. */
static spmm_status_t expected_of_save(const char *call, enum io_fault fault)
{
    if (call == NULL || fault == IO_FAULT_SHORT || strcmp(call, "open unnamed") == 0 ||
        strcmp(call, "late close") == 0)
        return SPMM_OK;
    const int is_repeated =
        strcmp(call, "link") != 0 && strcmp(call, "rename") != 0 && strcmp(call, "fstat") != 0;
    return fault == IO_FAULT_EINTR && is_repeated ? SPMM_OK : SPMM_ERR_IO;
}

/* Saves while call k fails. Returns 1 if there was a call k. */
static int save_with_a_fault(const struct scene *s, enum io_fault fault, int64_t k, int is_named_only)
{
    const int64_t live = spmmi_alloc_live();
    const char *failed = NULL;
    spmm_diag_t diag;
    save(s->older, s->path);
    io_faults_start(k, fault);
    if (is_named_only)
        io_faults_named_only();
    const spmm_status_t status = spmm_plan_save(s->newer, s->path, NULL, &diag);
    (void)io_faults_stop(&failed);
    assert_int_equal(status, expected_of_save(failed, fault));
    assert_int_equal(diag.native_error != 0, status != SPMM_OK);
    const int is_late = failed != NULL && strcmp(failed, "late fsync") == 0;
    assert_int_equal(which(s), status == SPMM_OK || is_late ? 2 : 1);
    assert_int_equal(count_files(s, 0), 1);
    assert_int_equal(spmmi_alloc_live(), live);
    return failed != NULL;
}

/* Each call of the writer fails once in each way, with and without unnamed temporary files. */
static void every_system_call_of_a_save_may_fail(void **state)
{
    int64_t calls = 0;
    for (int is_named_only = 0; is_named_only < 2; is_named_only++)
        for (int fault = IO_FAULT_EIO; fault < IO_FAULT_KILL; fault++)
            for (int64_t k = 0; save_with_a_fault(*state, (enum io_fault)fault, k, is_named_only); k++)
                calls++;
    assert_in_range(calls, 2 * 8 * IO_FAULT_KILL, 2 * 12 * IO_FAULT_KILL);
}

static void every_system_call_of_a_load_may_fail(void **state)
{
    const struct scene *s = *state;
    save(s->older, s->path);
    for (int fault = IO_FAULT_EIO; fault < IO_FAULT_KILL; fault++) {
        const char *failed = "";
        for (int64_t k = 0; failed != NULL; k++) {
            const int64_t live = spmmi_alloc_live();
            spmm_plan_t *plan = NULL;
            spmm_diag_t diag;
            io_faults_start(k, (enum io_fault)fault);
            const spmm_status_t status = spmm_plan_load(s->path, NULL, &plan, &diag);
            (void)io_faults_stop(&failed);
            const int is_close = failed != NULL && strcmp(failed, "close") == 0;
            const int is_fstat = failed != NULL && strcmp(failed, "fstat") == 0;
            if (failed == NULL || is_close || fault == IO_FAULT_SHORT ||
                (fault == IO_FAULT_EINTR && !is_fstat))
                assert_int_equal(status, SPMM_OK);
            else
                assert_int_equal(status, SPMM_ERR_IO);
            assert_int_equal(plan != NULL, status == SPMM_OK);
            spmm_plan_destroy(plan);
            assert_int_equal(spmmi_alloc_live(), live);
        }
    }
}

/* Saves in a child that is killed at its k-th call. Returns 1 if there was a k-th call. */
static int save_until_killed(const struct scene *s, int64_t k, int is_named_only)
{
    const pid_t child = fork();
    if (child == 0) {
        const spmm_save_options_t options = {sizeof options, 0, 0, 1};
        io_faults_start(k, IO_FAULT_KILL);
        if (is_named_only)
            io_faults_named_only();
        _exit(spmm_plan_save(s->newer, s->path, &options, NULL) == SPMM_OK ? 0 : 1);
    }
    const int status = child_wait(child);
    const int is_done = WIFEXITED(status);
    assert_true(is_done ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL);
    return !is_done;
}

static int has_unnamed_files(const struct scene *s)
{
    const int file = open(s->folder, O_TMPFILE | O_WRONLY, 0600);
    return file >= 0 && close(file) == 0;
}

/* A long file is read in pieces. If a piece fails, the whole file is read again, so a transient fault is
 * harmless. */
static void every_piece_of_a_long_file_may_fail(void **state)
{
    enum { BYTES = (9 << 20) + 5, HEAD = 100 };
    const struct scene *s = *state;
    uint8_t *written = malloc(BYTES), *read = malloc(BYTES);
    assert_true(written != NULL && read != NULL);
    for (uint64_t i = 0; i < BYTES; i++)
        written[i] = (uint8_t)test_hash(i / 8, i % 8);
    const int file = open(s->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(spmmi_write_all(file, s->path, written, BYTES, NULL), SPMM_OK);
    for (int64_t k = -1; k < 3; k++)
        for (int fault = IO_FAULT_EIO; fault <= IO_FAULT_SHORT; fault++) {
            const char *failed = NULL;
            memset(read, 0, BYTES);
            assert_int_equal(lseek(file, HEAD, SEEK_SET), HEAD);
            io_faults_start(k, (enum io_fault)fault);
            const spmm_status_t status = spmmi_read_all_on(3, file, s->path, read, BYTES - HEAD, HEAD, NULL);
            assert_true(io_faults_stop(&failed) >= (k < 0 ? 3 : 2)); /* no piece starts after a failure */
            assert_int_equal(status, SPMM_OK);
            assert_memory_equal(read, written + HEAD, BYTES - HEAD);
        }
    spmm_diag_t diag;
    spmmi_diag_clear(&diag);
    assert_int_equal(lseek(file, HEAD, SEEK_SET), HEAD);
    assert_int_equal(spmmi_read_all_on(3, file, s->path, read, BYTES, HEAD, &diag), SPMM_ERR_PLAN_TRUNCATED);
    assert_int_equal(diag.offset, BYTES - HEAD);
    (void)close(file);
    (void)unlink(s->path);
    free(written);
    free(read);
}

/* The file is the older plan until the rename. A file with a temporary name may remain. */
static void kill_at_every_system_call(void **state)
{
    const struct scene *s = *state;
    for (int is_named_only = 0; is_named_only < 2; is_named_only++) {
        int left = 0, found = 1;
        save(s->older, s->path);
        for (int64_t k = 0; save_until_killed(s, k, is_named_only); k++) {
            const int now = which(s);
            assert_in_range(now, found, 2); /* the new plan does not disappear again */
            left += count_files(s, 1) - 1;
            found = now;
            save(found == 1 ? s->older : s->newer, s->path);
        }
        assert_int_equal(which(s), 2);
        /* Left over if killed at close or rename; for named temporary files also at fstat, write and
         * fsync. */
        assert_int_equal(left, is_named_only || !has_unnamed_files(s) ? 5 : 2);
    }
}

/* Saves in an endless loop in a child, which is killed after this time. */
static void save_in_a_child(const struct scene *s, int64_t nanoseconds)
{
    const struct timespec pause = {0, (long)nanoseconds};
    const pid_t child = fork();
    if (child == 0) {
        const spmm_save_options_t options = {sizeof options, 1, 0, 1};
        for (int i = 0;; i++)
            (void)spmm_plan_save((i & 1) ? s->older : s->newer, s->path, &options, NULL);
    }
    (void)nanosleep(&pause, NULL);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_true(WIFSIGNALED(child_wait(child)));
}

static void random_kills(void **state)
{
    const struct scene *s = *state;
    const size_t kills = scaled(300);
    save(s->older, s->path);
    for (uint64_t round = 0; round < kills; round++) {
        save_in_a_child(s, (int64_t)(test_hash(round, 3) % 3000000));
        (void)which(s);
        if (round % 16 == 15) {
            (void)count_files(s, 1); /* removes temporary files of killed writers */
            save(s->older, s->path);
        }
    }
    printf("scorecard: E8 %zu kills of a writer in the library, 0 torn plans\n", kills);
}

static void two_writers_of_one_name_leave_a_whole_plan(void **state)
{
    const struct scene *s = *state;
    pid_t children[4];
    for (int c = 0; c < 4; c++) {
        children[c] = fork();
        if (children[c] == 0) {
            const spmm_save_options_t options = {sizeof options, 1, 0, 1};
            int failures = 0;
            for (int i = 0; i < 50; i++)
                failures += spmm_plan_save((c & 1) ? s->older : s->newer, s->path, &options, NULL) != SPMM_OK;
            _exit(failures);
        }
    }
    for (int c = 0; c < 4; c++) {
        const int status = child_wait(children[c]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    (void)which(s);
    assert_int_equal(count_files(s, 0), 1);
}

/* Every allocation of every path fails, once alone and once with all later ones. */
enum path { LOAD, READ, WRITE, SAVE, CHECK, PATHS };

static spmm_status_t run_path(const struct scene *s, enum path path, const void *bytes, size_t size,
                              spmm_diag_t *diag)
{
    const spmm_load_options_t load = {sizeof load, 0, 1};
    const spmm_save_options_t keep = {sizeof keep, 0, 0, 1};
    spmm_plan_t *plan = NULL;
    void *out = NULL;
    size_t out_size = 0;
    spmm_status_t status = SPMM_OK;
    switch (path) {
    case LOAD:
        status = spmm_plan_load(s->path, &load, &plan, diag);
        break;
    case READ:
        status = spmm_plan_read(bytes, size, &load, &plan, diag);
        break;
    case WRITE:
        status = spmm_plan_write(s->newer, &keep, &out, &out_size, diag);
        break;
    case SAVE:
        status = spmm_plan_save(s->newer, s->path, &keep, diag);
        break;
    case CHECK:
    case PATHS:
        memset(diag, 0, sizeof *diag);
        status = spmmi_plan_check(s->newer, diag);
        break;
    }
    assert_true(status == SPMM_OK || (plan == NULL && out == NULL && out_size == 0));
    spmm_plan_destroy(plan);
    spmm_plan_bytes_free(out);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    const struct scene *s = *state;
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(spmm_plan_write(s->newer, NULL, &bytes, &size, NULL), SPMM_OK);
    save(s->newer, s->path);
    for (int path = LOAD; path < PATHS; path++) {
        for (int every = 0; every < 2; every++) {
            spmm_status_t status = SPMM_ERR_MEMORY;
            for (int64_t k = 0; status != SPMM_OK; k++) {
                const int64_t live = spmmi_alloc_live();
                spmm_diag_t diag;
                spmmi_alloc_fail_at(k, every);
                status = run_path(s, (enum path)path, bytes, size, &diag);
                const int64_t count = spmmi_alloc_count();
                spmmi_alloc_fail_at(-1, 0);
                assert_int_equal(spmmi_alloc_live(), live);
                assert_int_equal(status, count > k ? SPMM_ERR_MEMORY : SPMM_OK);
                assert_int_equal(diag.status, status);
                assert_true(k < 1000);
            }
            assert_int_equal(count_files(s, 0), 1);
        }
    }
    spmm_plan_bytes_free(bytes);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_saved_plan_loads),
        TEST(a_name_without_folder_is_saved_here),
        TEST(a_symbolic_link_is_replaced_not_followed),
        TEST(what_is_no_regular_file_is_refused),
        TEST(names_that_cannot_be_written_are_refused),
        TEST(every_system_call_of_a_save_may_fail),
        TEST(every_system_call_of_a_load_may_fail),
        TEST(every_piece_of_a_long_file_may_fail),
        TEST(kill_at_every_system_call),
        TEST(random_kills),
        TEST(two_writers_of_one_name_leave_a_whole_plan),
        TEST(every_allocation_may_fail),
    };
    return test_score_allocations(cmocka_run_group_tests_name("file_faults", tests, NULL, NULL));
}
