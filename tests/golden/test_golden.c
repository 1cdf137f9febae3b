/* SPDX-License-Identifier: Apache-2.0 */
/* The committed golden files: good plans load and print the committed text, bad ones are refused with their
 * status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "golden_cases.h"
#include "tests/support/plan_dump.h"

static void loads_and_prints_the_committed_text(void **state)
{
    const struct golden_good *good = *state;
    size_t size = 0, text_size = 0, dump_size = 0;
    spmm_diag_t diag;
    spmm_plan_t *plan = NULL;
    char *dump = NULL;
    uint8_t *bytes = golden_read("good", good->name, "plan", &size);
    uint8_t *text = golden_read("good", good->name, "txt", &text_size);
    assert_non_null(bytes);
    assert_non_null(text);
    if (spmm_plan_read(bytes, size, NULL, &plan, &diag) != SPMM_OK)
        fail_msg("%s: %s", good->name, diag.text);
    FILE *out = open_memstream(&dump, &dump_size);
    assert_non_null(out);
    test_plan_dump(plan, out);
    (void)fclose(out);
    assert_string_equal(dump, (const char *)text);
    spmm_plan_destroy(plan);
    free(dump);
    free(text);
    free(bytes);
}

/* A reader that loads a plan must write what it would write for the same content. The compressed bytes depend
 * on the linked zstd, so the comparison uses a plan made now, not the committed file. */
static void is_written_back_byte_for_byte(void **state)
{
    const struct golden_good *good = *state;
    size_t size = 0, again_size = 0;
    spmm_plan_t *plan = NULL;
    void *again = NULL;
    uint8_t *bytes = good->make(&size);
    assert_int_equal(spmm_plan_read(bytes, size, NULL, &plan, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_write(plan, NULL, &again, &again_size, NULL), SPMM_OK);
    if (good->is_canonical) {
        assert_int_equal(size, again_size);
        assert_memory_equal(bytes, again, size);
    }
    spmm_plan_bytes_free(again);
    spmm_plan_destroy(plan);
    free(bytes);
}

/* Reads the status and the offset of a name from expect.txt. Fails the test if there is no line. */
static void expectation(const char *name, char status[64], unsigned long long *offset)
{
    size_t size = 0;
    char line_name[128];
    int found = 0;
    char *text = (char *)golden_read("bad", "expect", "txt", &size);
    assert_non_null(text);
    for (char *line = strtok(text, "\n"); line != NULL && !found; line = strtok(NULL, "\n"))
        found =
            sscanf(line, "%127s %63s %llu", line_name, status, offset) == 3 && strcmp(line_name, name) == 0;
    free(text);
    if (!found)
        fail_msg("expect.txt has no line for %s", name);
}

static void refused(const char *name, const uint8_t *bytes, size_t size, const char *status,
                    unsigned long long at)
{
    spmm_diag_t diag;
    spmm_plan_t *plan = NULL;
    const spmm_status_t found = spmm_plan_read(bytes, size, NULL, &plan, &diag);
    assert_null(plan);
    if (strcmp(spmm_status_name(found), status) != 0 || diag.offset != at || diag.status != found)
        fail_msg("%s: %s at %llu (%s), expected %s at %llu", name, spmm_status_name(found),
                 (unsigned long long)diag.offset, diag.text, status, at);
    assert_true(strlen(diag.text) > 0);
}

static void is_refused_with_its_status_and_offset(void **state)
{
    const struct golden_bad *bad = *state;
    const int64_t live = spmmi_alloc_live();
    size_t size = 0, made_size = 0;
    char status[64] = "";
    unsigned long long offset = 0;
    expectation(bad->name, status, &offset);
    assert_string_equal(status, spmm_status_name(bad->status));
    uint8_t *bytes = golden_read("bad", bad->name, "plan", &size), *made = golden_bad_make(bad, &made_size);
    assert_non_null(bytes);
    refused(bad->name, bytes, size, status, offset);
    /* The file that the code makes now breaks the same rule. */
    spmm_plan_t *plan = NULL;
    assert_int_equal(spmm_plan_read(made, made_size, NULL, &plan, NULL), bad->status);
    free(made);
    free(bytes);
    assert_int_equal(spmmi_alloc_live(), live);
}

/* released.txt has a line "DIGEST  good/NAME.plan" per plan. Another test checks the digests of the files. */
static void every_released_plan_is_tested_here(void **state)
{
    (void)state;
    size_t size = 0, lines = 0;
    char *text = (char *)golden_read(".", "released", "txt", &size), name[128];
    assert_non_null(text);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"), lines++) {
        if (sscanf(line, "%*64[0-9a-f]  good/%127[a-z0-9_].plan", name) != 1)
            fail_msg("released.txt: %s", line);
        size_t i = 0;
        while (i < golden_good_count && strcmp(golden_good_cases[i].name, name) != 0)
            i++;
        if (i == golden_good_count)
            fail_msg("%s is no case of golden_good.c any more", name);
    }
    assert_true(lines > 0);
    free(text);
}

int main(void)
{
    const size_t count = 2 * golden_good_count + golden_bad_count + 1;
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    size_t used = 0;
    if (tests == NULL)
        return 1;
    for (size_t i = 0; i < golden_good_count; i++) {
        void *row = (void *)(uintptr_t)&golden_good_cases[i];
        tests[used++] = (struct CMUnitTest){golden_good_cases[i].name, loads_and_prints_the_committed_text,
                                            NULL, NULL, row};
        tests[used++] =
            (struct CMUnitTest){golden_good_cases[i].name, is_written_back_byte_for_byte, NULL, NULL, row};
    }
    for (size_t i = 0; i < golden_bad_count; i++)
        tests[used++] = (struct CMUnitTest){golden_bad_cases[i].name, is_refused_with_its_status_and_offset,
                                            NULL, NULL, (void *)(uintptr_t)&golden_bad_cases[i]};
    tests[used++] = (struct CMUnitTest)cmocka_unit_test(every_released_plan_is_tested_here);
    const int failed = _cmocka_run_group_tests("golden", tests, used, NULL, NULL);
    free(tests);
    if (failed == 0)
        printf("scorecard: E12 %zu plans of released and present formats load and are written back byte for "
               "byte, %zu broken "
               "ones have the named status and offset\n",
               golden_good_count, golden_bad_count);
    return failed;
}
