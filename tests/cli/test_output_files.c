/* SPDX-License-Identifier: Apache-2.0 */
/* Files that the programs write: new files in place of old ones, appended pieces, and paths that are no
 * regular files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tools/cli/append_file.h"
#include "tools/cli/output_file.h"
#include "tools/cli/signals.h"

static char folder[] = "/tmp/spmm-output-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    (void)signal(SIGXFSZ, SIG_IGN);
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    return chdir("/") != 0 || rmdir(folder) != 0; /* nothing was left */
}

static void expect_text(const char *path, const char *text)
{
    char found[256];
    const int file = open(path, O_RDONLY);
    const ssize_t size = read(file, found, sizeof found - 1);
    assert_in_range(size, 0, sizeof found - 1);
    found[size] = '\0';
    assert_int_equal(close(file), 0);
    assert_string_equal(found, text);
}

static spmm_status_t put(const char *path, const char *text, spmm_status_t status)
{
    struct output_file out;
    spmm_diag_t diag = {0};
    assert_int_equal(output_file_open(&out, path, &diag), SPMM_OK);
    assert_int_equal(output_file_write(&out, text, strlen(text)), SPMM_OK);
    return output_file_close(&out, status);
}

static void a_new_file_takes_the_place_of_the_old_one(void **state)
{
    (void)state;
    assert_int_equal(put("a", "old", SPMM_OK), SPMM_OK);
    const int held = open("a", O_RDONLY);
    assert_int_equal(put("a", "new", SPMM_ERR_MEMORY), SPMM_ERR_MEMORY);
    expect_text("a", "old");
    assert_int_equal(put("a", "new", SPMM_OK), SPMM_OK);
    expect_text("a", "new");
    char text[4] = "";
    assert_int_equal(read(held, text, 3), 3);
    assert_string_equal(text, "old"); /* a program that has the old file open keeps it */
    assert_int_equal(close(held), 0);
    assert_int_equal(unlink("a"), 0);
}

static void links_are_followed(void **state)
{
    struct stat about;
    (void)state;
    assert_int_equal(put("target", "old", SPMM_OK), SPMM_OK);
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(put("link", "new", SPMM_OK), SPMM_OK);
    expect_text("target", "new");
    assert_int_equal(lstat("link", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(unlink("link"), 0);
    assert_int_equal(unlink("target"), 0);
}

static void a_link_that_leads_nowhere_is_refused(void **state)
{
    struct output_file out;
    struct stat about;
    spmm_diag_t diag = {0};
    (void)state;
    assert_int_equal(symlink("nothing", "link"), 0);
    assert_int_equal(output_file_open(&out, "link", &diag), SPMM_ERR_IO);
    assert_string_equal(diag.text, "the symbolic link leads to no file");
    assert_int_equal(output_file_close(&out, SPMM_ERR_IO), SPMM_ERR_IO);
    assert_int_equal(lstat("link", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(unlink("link"), 0);
}

static void the_mode_stays_that_of_the_old_file(void **state)
{
    static const mode_t modes[] = {0600, 0640, 0400, 0755, 0666};
    struct stat about;
    (void)state;
    assert_int_equal(put("a", "old", SPMM_OK), SPMM_OK);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod("a", modes[i]), 0);
        assert_int_equal(put("a", "new", SPMM_OK), SPMM_OK);
        assert_int_equal(stat("a", &about), 0);
        assert_int_equal(about.st_mode & 07777, modes[i]);
    }
    assert_int_equal(unlink("a"), 0);
}

static void a_pipe_stays_a_pipe(void **state)
{
    struct stat about;
    char text[8] = "";
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    const int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_int_equal(put("pipe", "through", SPMM_OK), SPMM_OK);
    assert_int_equal(read(reader, text, 7), 7);
    assert_string_equal(text, "through");
    assert_int_equal(stat("pipe", &about), 0);
    assert_true(S_ISFIFO(about.st_mode));
    assert_int_equal(close(reader), 0);
    assert_int_equal(unlink("pipe"), 0);
}

static void print_count(FILE *file, const void *count)
{
    fprintf(file, "%d lines", *(const int *)count);
    assert_int_equal(access("a", F_OK), -1); /* the file appears only when it is complete */
}

static void what_is_printed_is_written(void **state)
{
    const int count = 3;
    spmm_diag_t diag = {0};
    (void)state;
    assert_int_equal(output_file_print("a", print_count, &count, &diag), SPMM_OK);
    expect_text("a", "3 lines");
    assert_int_equal(unlink("a"), 0);
}

static void a_write_that_fails_says_why(void **state)
{
    const int count = 3;
    spmm_diag_t diag = {0};
    (void)state;
    assert_int_equal(output_file_print("/dev/full", print_count, &count, &diag), SPMM_ERR_IO);
    assert_string_equal(diag.text, "/dev/full: cannot write: No space left on device");
}

/* The third piece exceeds the file size limit. */
static void a_piece_is_appended_as_a_whole_or_not(void **state)
{
    const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}, few = {25, RLIM_INFINITY};
    struct append_file f;
    spmm_diag_t diag = {0};
    (void)state;
    assert_int_equal(append_file_open(&f, "a", &diag), SPMM_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    for (int i = 0; i < 3; i++) {
        fprintf(f.stream, "piece %d  ;", i);
        assert_int_equal(append_file_flush(&f, &diag), i < 2 ? SPMM_OK : SPMM_ERR_IO);
    }
    expect_text("a", "piece 0  ;piece 1  ;");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    fputs("last;", f.stream);
    assert_int_equal(append_file_close(&f, &diag), SPMM_OK);
    expect_text("a", "piece 0  ;piece 1  ;last;");
    assert_int_equal(unlink("a"), 0);
}

/* Appends while another process, here this test, holds the lock of the file. The piece must wait. */
static void a_piece_waits_for_those_of_others(void **state)
{
    struct append_file f;
    spmm_diag_t diag = {0};
    int status = 0;
    (void)state;
    const int held = open("a", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    assert_int_equal(flock(held, LOCK_EX), 0);
    const pid_t child = fork();
    if (child == 0) {
        const bool is_open = append_file_open(&f, "a", &diag) == SPMM_OK;
        _exit(!is_open || fputs("second;", f.stream) < 0 || append_file_close(&f, &diag) != SPMM_OK);
    }
    (void)usleep(100000);
    expect_text("a", "");
    assert_int_equal(write(held, "first;", 6), 6);
    assert_int_equal(flock(held, LOCK_UN), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    expect_text("a", "first;second;");
    assert_int_equal(close(held), 0);
    assert_int_equal(unlink("a"), 0);
}

static void signals_that_end_a_program_remove_the_name(void **state)
{
    static const int numbers[] = {SIGHUP,  SIGINT,  SIGQUIT,   SIGTERM, SIGXCPU, SIGPIPE, SIGALRM,
                                  SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSTKFLT};
    static char name[] = "temporary";
    const struct spmmi_new_file file = {.temporary = name, .is_named = 1, .file = -1, .directory = -1};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int status = 0;
        assert_int_equal(close(open(name, O_WRONLY | O_CREAT, 0666)), 0);
        const pid_t child = fork();
        if (child == 0) {
            (void)signal(numbers[i], SIG_DFL);
            signals_guard(&file);
            (void)raise(numbers[i]);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
        assert_int_equal(access(name, F_OK), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_file_takes_the_place_of_the_old_one),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(a_link_that_leads_nowhere_is_refused),
        cmocka_unit_test(the_mode_stays_that_of_the_old_file),
        cmocka_unit_test(a_pipe_stays_a_pipe),
        cmocka_unit_test(what_is_printed_is_written),
        cmocka_unit_test(a_write_that_fails_says_why),
        cmocka_unit_test(a_piece_is_appended_as_a_whole_or_not),
        cmocka_unit_test(a_piece_waits_for_those_of_others),
        cmocka_unit_test(signals_that_end_a_program_remove_the_name),
    };
    return cmocka_run_group_tests_name("output_files", tests, set_up, tear_down);
}
