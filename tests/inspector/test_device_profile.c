/* SPDX-License-Identifier: Apache-2.0 */
/* Checks profiles: the embedded ones, interpolated rates, and mistakes in files, each reported with its
 * line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/base/alloc.h"
#include "inspector/cost/device_profile.h"
#include "tests/support/scorecard.h"

/* A profile of a CPU with the minimum content. Line 3 holds the target, line 14 the last single value. */
#define HEAD "# a comment\nname = box\ntarget = 1\nmultiprocessors = 4\n"
#define METRICS                                                                               \
    "clock_ghz = 3 # after a value\nl2_mib = 8\nl1_kib = 512\nlaunch_us = 2\ncopy_gbs = 20\n" \
    "peak_gbs = 25\npeak_gflops = 400\nl1_gbs = 100\nfma_f32_gflops = 300\nfma_f64_gflops = 150\n"
#define TABLES                                                                            \
    "gather_row_bytes = 64 256\ngather_set_mib = 1 4\ngather_gbs =\n    40 80\n\t10 20\n" \
    "scatter_row_bytes = 64\nscatter_gbs = 5\nstrided_bytes = 4 8\nstrided_gbs = 1 2"

static spmm_status_t parse(const char *text, struct spmmi_device_profile *profile, spmm_diag_t *diag)
{
    *diag = (spmm_diag_t){.status = SPMM_OK};
    return spmmi_device_profile_parse(text, strlen(text), "box.profile", profile, diag);
}

static void a_profile_is_read_in_its_units(void **state)
{
    (void)state;
    struct spmmi_device_profile p;
    spmm_diag_t diag;
    assert_int_equal(parse(HEAD METRICS TABLES, &p, &diag), SPMM_OK);
    assert_string_equal(p.name, "box");
    assert_int_equal(p.target, 1);
    assert_int_equal(p.multiprocessors, 4);
    assert_true(p.clock_hz == 3e9 && p.l2_bytes == 8388608 && p.l1_bytes == 524288);
    assert_true(p.copy_rate == 20e9 && p.launch_s == 2e-6);
    assert_int_equal(p.gather.row_count, 2);
    assert_int_equal(p.gather.set_count, 2);
    assert_true(p.gather.rate[1][0] == 10e9 && p.gather.set_bytes[1] == 4194304);
    assert_true(p.model[spmmi_profile_index("row-split", 9)][SPMMI_MODEL_F32].factor[SPMMI_TERM_DRAM] >
                0); /* from the profile cpu */
}

/* A CPU has no tensor cores, so its embedded profile has no constants for them either. */
static void constants_of_tensor_cores_may_be_missing(void **state)
{
    (void)state;
    struct spmmi_device_profile p;
    spmm_diag_t diag;
    assert_int_equal(parse(HEAD METRICS TABLES "\nmodel.window.f16 = 3 4 5 6 7 8 9 10 11 12\n"
                                               "model.shared.f32 = 4 5 6 7 8 9 10 11 12 13 1.5\n",
                           &p, &diag),
                     SPMM_OK);
    assert_true(p.is_fitted[spmmi_profile_index("shared", 6)][SPMMI_MODEL_F32]);
    assert_true(p.model[spmmi_profile_index("shared", 6)][SPMMI_MODEL_F32].start_us == 4);
    assert_true(p.model[spmmi_profile_index("shared", 6)][SPMMI_MODEL_F32].norm == 1.5);
    assert_true(p.model[spmmi_profile_index("window", 6)][SPMMI_MODEL_F16].norm == 0);
    assert_true(p.is_fitted[spmmi_profile_index("window", 6)][SPMMI_MODEL_F16]);
    assert_true(p.model[spmmi_profile_index("window", 6)][SPMMI_MODEL_F16].start_us == 3);
    assert_true(p.model[spmmi_profile_index("window", 6)][SPMMI_MODEL_F16].factor[SPMMI_TERM_CONVERT] == 12);
    assert_false(p.is_fitted[spmmi_profile_index("panel", 5)][SPMMI_MODEL_F16]);
    assert_true(p.model[spmmi_profile_index("panel", 5)][SPMMI_MODEL_F16].start_us == 1);
    assert_true(p.model[spmmi_profile_index("panel", 5)][SPMMI_MODEL_F16].factor[SPMMI_TERM_CONVERT] == 1);
    assert_true(p.is_fitted[spmmi_profile_index("tiled", 5)][SPMMI_MODEL_F64]); /* of profile cpu */
    const int tiled = spmmi_profile_index("tiled", 5);
    assert_true(p.is_fitted[tiled][SPMMI_MODEL_F16]); /* takes the constants of f32 */
    assert_memory_equal(&p.model[tiled][SPMMI_MODEL_F16], &p.model[tiled][SPMMI_MODEL_F32],
                        sizeof p.model[tiled][SPMMI_MODEL_F32]);
}

/* Whole numbers may be written with a point or an exponent. */
static void whole_numbers_may_have_points(void **state)
{
    (void)state;
    struct spmmi_device_profile p;
    spmm_diag_t diag;
    assert_int_equal(parse("name = box\ntarget = 1.0\nmultiprocessors = 0.4e1\n" METRICS TABLES, &p, &diag),
                     SPMM_OK);
    assert_int_equal(p.target, 1);
    assert_int_equal(p.multiprocessors, 4);
}

static void rates_lie_between_their_points(void **state)
{
    (void)state;
    struct spmmi_device_profile p;
    spmm_diag_t diag;
    assert_int_equal(parse(HEAD METRICS TABLES, &p, &diag), SPMM_OK);
    const double mib = 1048576;
    assert_true(spmmi_profile_table_at(&p.gather, 1, 1) == 40e9);
    assert_true(spmmi_profile_table_at(&p.gather, 64, mib) == 40e9);
    assert_true(spmmi_profile_table_at(&p.gather, 1e6, 1e12) == 20e9);
    assert_float_equal(spmmi_profile_table_at(&p.gather, 128, mib), 60e9, 1); /* halfway in log2(row bytes) */
    assert_float_equal(spmmi_profile_table_at(&p.gather, 64, 2 * mib), 25e9, 1);
    assert_float_equal(spmmi_profile_table_at(&p.gather, 128, 2 * mib), 37.5e9, 1);
    assert_true(spmmi_profile_curve_at(&p.scatter, 1000) == 5e9);
    assert_true(spmmi_profile_curve_at(&p.strided, 4) == 1e9);
}

static void known_names_open(void **state)
{
    static const struct {
        const char *name;
        uint32_t target;
        int multiprocessors;
    } known[] = {{NULL, 0, 132},    {"any", 0, 132},   {"cpu", 1, 2},
                 {"a100", 80, 108}, {"h100", 90, 132}, {"h200", 90, 132}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct spmmi_device_profile p;
        assert_int_equal(spmmi_device_profile_open(known[i].name, &p, NULL), SPMM_OK);
        assert_string_equal(p.name, known[i].name == NULL ? "any" : known[i].name);
        assert_int_equal(p.target, known[i].target);
        assert_int_equal(p.multiprocessors, known[i].multiprocessors);
    }
}

struct mistake {
    const char *name, *text;
    uint64_t line;
    const char *sentence; /* part of the error message */
};

#define CONSTANTS_9 "1 1 1 1 1 1 1 1 1"
static const struct mistake mistakes[] = {
    {"an_empty_file_has_no_name", "", 0, "has no name"},
    {"a_key_may_not_be_missing", HEAD TABLES, 0, "has no clock_ghz"},
    {"a_gpu_needs_shared_memory", "name = g\ntarget = 90\nmultiprocessors = 1\n" METRICS TABLES, 0,
     "has no shared_sm_kib"},
    {"a_word_alone_is_no_assignment", HEAD "fast\n", 5, "line 5: expected \"key = value\", found \"fast\""},
    {"an_equals_sign_needs_a_key", HEAD "= 3\n", 5, "expected \"key = value\""},
    {"a_continued_line_needs_a_list", " 1 2\n", 1, "expected \"key = value\""},
    {"situations_without_constants_are_refused", HEAD "model.order.f32 = 1\n", 5,
     "line 5: unknown key \"model.order.f32\""},
    {"norms_are_at_least_1", HEAD METRICS TABLES "\nmodel.tiled.f32 = " CONSTANTS_9 " 10 0.9\n", 0,
     "the norm of model.tiled.f32 is below 1"},
    {"unknown_keys_are_refused", HEAD "speed = 3\n", 5, "line 5: unknown key \"speed\""},
    {"a_key_is_given_once", HEAD "clock_ghz = 1\nclock_ghz = 1\n", 6, "clock_ghz is already given in line 5"},
    {"a_name_is_given_once", HEAD "name = b\n", 5, "name is already given in line 2"},
    {"a_name_has_no_blanks", "name = my box\n", 1, "expected the end of the line"},
    {"a_name_is_not_empty", "name =\n", 1, "name must have 1..31"},
    {"a_name_is_short", "name = abcdefghijklmnopqrstuvwxyz0123456789\n", 1, "name must have 1..31"},
    {"words_are_no_numbers", HEAD "clock_ghz = fast\n", 5, "expected a number for clock_ghz, found \"fast\""},
    {"hexadecimal_is_refused", HEAD "clock_ghz = 0x10\n", 5, "found \"0x10\""},
    {"numbers_are_finite", HEAD "clock_ghz = inf\n", 5, "clock_ghz must be in"},
    {"nan_is_refused", HEAD "clock_ghz = nan\n", 5, "clock_ghz must be in"},
    {"rates_are_positive", HEAD "copy_gbs = 0\n", 5, "copy_gbs must be in"},
    {"rates_are_not_negative", HEAD "copy_gbs = -4\n", 5, "copy_gbs must be in"},
    {"a_huge_number_is_refused", HEAD "copy_gbs = 1e300\n", 5, "copy_gbs must be in"},
    {"a_target_is_whole", "name = b\ntarget = 90.5\n", 2,
     "line 2: target must be a whole number, found \"90.5\""},
    {"multiprocessors_are_whole", "multiprocessors = 131.9\n", 1, "multiprocessors must be a whole number"},
    {"registers_are_whole", HEAD "registers_sm = 6.55361e4\n", 5, "registers_sm must be a whole number"},
    {"bytes_of_rows_are_whole", HEAD "gather_row_bytes = 4 8 12.5\n", 5,
     "gather_row_bytes must be a whole number, found \"12.5\""},
    {"bytes_of_stores_are_whole", HEAD "scatter_row_bytes = 4.5\n", 5, "scatter_row_bytes must be a whole"},
    {"strides_are_whole", HEAD "strided_bytes = 2.000001\n", 5, "strided_bytes must be a whole number"},
    {"a_rate_is_one_number", HEAD "clock_ghz = 1 2\n", 5, "clock_ghz takes at most 1 number"},
    {"a_list_is_not_endless", HEAD "strided_bytes = 1 2 3 4 5 6 7 8\n 9 10 11 12 13 14 15 16 17\n", 6,
     "strided_bytes takes at most 16 numbers"},
    {"a_list_is_not_empty", HEAD "strided_bytes =\nl2_mib = 3\n", 6, "line 5: strided_bytes has no number"},
    {"a_table_is_complete",
     HEAD METRICS "gather_row_bytes = 64 256\ngather_set_mib = 1 4\ngather_gbs = 1 2 3\n"
                  "scatter_row_bytes = 64\nscatter_gbs = 5\nstrided_bytes = 4\nstrided_gbs = 1\n",
     0, "3 numbers for 2 sets of 2 rows"},
    {"points_ascend",
     HEAD METRICS "gather_row_bytes = 64 64\ngather_set_mib = 1\ngather_gbs = 1 2\n"
                  "scatter_row_bytes = 64\nscatter_gbs = 5\nstrided_bytes = 4\nstrided_gbs = 1\n",
     0, "gather_row_bytes must ascend"},
    {"curves_are_complete",
     HEAD METRICS "gather_row_bytes = 64\ngather_set_mib = 1\ngather_gbs = 1\n"
                  "scatter_row_bytes = 64 128\nscatter_gbs = 5\nstrided_bytes = 4\nstrided_gbs = 1\n",
     0, "not as long as its bytes"},
    {"constants_are_complete", HEAD METRICS TABLES "\nmodel.tiled.f32 = " CONSTANTS_9 "\n", 0,
     "model.tiled.f32 takes 10 or 11 numbers"},
    {"constants_of_tensor_cores_are_complete", HEAD METRICS TABLES "\nmodel.panel.3xtf32 = " CONSTANTS_9 "\n",
     0, "model.panel.3xtf32 takes 10 or 11 numbers"},
};

static void refuses_a_mistake(void **state)
{
    const struct mistake *m = *state;
    struct spmmi_device_profile p;
    spmm_diag_t diag;
    assert_int_equal(parse(m->text, &p, &diag), SPMM_ERR_ARGUMENT);
    if (strstr(diag.text, m->sentence) == NULL)
        fail_msg("expected \"%s\" in \"%s\"", m->sentence, diag.text);
    if (m->line != 0)
        assert_int_equal(diag.line, m->line);
    assert_non_null(strstr(diag.text, "box.profile"));
}

static void binary_and_long_files_are_refused(void **state)
{
    (void)state;
    static char zeros[SPMMI_PROFILE_FILE_MAX + 2];
    struct spmmi_device_profile p;
    assert_int_equal(spmmi_device_profile_parse(zeros, 100, "z", &p, NULL), SPMM_ERR_ARGUMENT);
    memset(zeros, '#', sizeof zeros);
    assert_int_equal(spmmi_device_profile_parse(zeros, SPMMI_PROFILE_FILE_MAX + 1, "z", &p, NULL),
                     SPMM_ERR_ARGUMENT);
}

static void a_file_is_opened_by_its_path(void **state)
{
    (void)state;
    char path[] = "/tmp/spmm_profile_XXXXXX";
    struct spmmi_device_profile p;
    spmm_diag_t diag = {.status = SPMM_OK};
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    FILE *file = fdopen(handle, "w");
    assert_non_null(file);
    assert_true(fputs(HEAD METRICS TABLES, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(spmmi_device_profile_open(path, &p, &diag), SPMM_OK);
    assert_string_equal(p.name, "box");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(spmmi_device_profile_open(path, &p, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "expected a device of any, cpu, a100, h100, h200, or a profile file"));
}

/* The parser must never read or write out of bounds: checks every prefix, and every byte replaced by a few
 * others. */
static void torn_files_do_no_harm(void **state)
{
    (void)state;
    static const char text[] = HEAD METRICS TABLES;
    static const char bytes[] = {'\0', '\n', ' ', '=', '#', '9', (char)0xff};
    char torn[sizeof text];
    struct spmmi_device_profile p;
    for (size_t i = 0; i < sizeof text; i++) {
        memcpy(torn, text, sizeof text);
        (void)spmmi_device_profile_parse(torn, i, "torn", &p, NULL);
        for (size_t b = 0; b < sizeof bytes && i < sizeof text - 1; b++) {
            torn[i] = bytes[b];
            (void)spmmi_device_profile_parse(torn, sizeof text - 1, "torn", &p, NULL);
        }
    }
    assert_int_equal(spmmi_device_profile_parse(text, sizeof text - 1, "whole", &p, NULL), SPMM_OK);
}

static void memory_that_is_short_is_reported(void **state)
{
    (void)state;
    struct spmmi_device_profile p;
    for (int64_t k = 0; k < 3; k++) {
        spmmi_alloc_fail_at(k, 1);
        const spmm_status_t status = spmmi_device_profile_open("a100", &p, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(status, SPMM_ERR_MEMORY);
    }
    assert_int_equal(spmmi_alloc_live(), 0);
}

int main(void)
{
    enum { MISTAKES = sizeof mistakes / sizeof mistakes[0] };
    struct CMUnitTest refusals[MISTAKES];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_is_read_in_its_units),
        cmocka_unit_test(constants_of_tensor_cores_may_be_missing),
        cmocka_unit_test(whole_numbers_may_have_points),
        cmocka_unit_test(rates_lie_between_their_points),
        cmocka_unit_test(known_names_open),
        cmocka_unit_test(binary_and_long_files_are_refused),
        cmocka_unit_test(a_file_is_opened_by_its_path),
        cmocka_unit_test(torn_files_do_no_harm),
        cmocka_unit_test(memory_that_is_short_is_reported),
    };
    for (size_t i = 0; i < MISTAKES; i++)
        refusals[i] = (struct CMUnitTest){mistakes[i].name, refuses_a_mistake, NULL, NULL,
                                          (void *)(uintptr_t)&mistakes[i]};
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL) +
                                  cmocka_run_group_tests(refusals, NULL, NULL));
}
