/* SPDX-License-Identifier: Apache-2.0 */
/* Files that the programs write: new ones in place of old ones, pieces at the end, and what is no regular file. */
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

#include <sys/resource.h>
#include <sys/stat.h>

#include "tools/cli/append_file.h"
#include "tools/cli/output_file.h"

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
    assert_string_equal(text, "old"); /* who has it open keeps it */
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

static void what_is_printed_is_written(void **state)
{
    struct output_file out;
    spmm_diag_t diag = {0};
    (void)state;
    assert_int_equal(output_file_open(&out, "a", &diag), SPMM_OK);
    fprintf(output_file_stream(&out), "%d lines", 3);
    assert_int_equal(access("a", F_OK), -1); /* not before it is whole */
    assert_int_equal(output_file_close(&out, SPMM_OK), SPMM_OK);
    expect_text("a", "3 lines");
    assert_int_equal(unlink("a"), 0);
}

static void a_write_that_fails_says_why(void **state)
{
    struct output_file out;
    spmm_diag_t diag = {0};
    (void)state;
    assert_int_equal(output_file_open(&out, "/dev/full", &diag), SPMM_OK);
    fputs("text", output_file_stream(&out));
    assert_int_equal(output_file_close(&out, SPMM_OK), SPMM_ERR_IO);
    assert_string_equal(diag.text, "/dev/full: cannot write: No space left on device");
}

/* The third piece does not fit. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_file_takes_the_place_of_the_old_one),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(a_pipe_stays_a_pipe),
        cmocka_unit_test(what_is_printed_is_written),
        cmocka_unit_test(a_write_that_fails_says_why),
        cmocka_unit_test(a_piece_is_appended_as_a_whole_or_not),
    };
    return cmocka_run_group_tests_name("output_files", tests, set_up, tear_down);
}
