/* SPDX-License-Identifier: Apache-2.0 */
/* Checks matrix files at the limits of readers. The budget is small, so status MEMORY means that the text
 * itself was accepted: a text that is refused is refused before anything is allocated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <spmm/inspector.h>

#define MTX "%%MatrixMarket matrix "
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SMALL (UINT64_C(1) << 20)
#define SYNTAX SPMM_ERR_MATRIX_SYNTAX
#define TOO_LARGE SPMM_ERR_MATRIX_TOO_LARGE
#define MEMORY SPMM_ERR_MEMORY

static spmm_status_t read_as(const char *name, const char *text, size_t size, uint64_t budget,
                             spmm_diag_t *diag)
{
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_matrix_t *matrix = NULL;
    options.budget_bytes = budget;
    options.threads = 1;
    const spmm_status_t status = spmm_matrix_read(text, size, name, &options, &matrix, diag);
    assert_int_equal(matrix != NULL, status == SPMM_OK);
    spmm_matrix_destroy(matrix);
    return status;
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        spmm_status_t expected;
        const char *excerpt;
    } cases[] = {
        {"a.mtx", MTX "coordinate real general\n2147483646 1 0\n", MEMORY, "row pointers"},
        {"a.mtx", MTX "coordinate real general\n2147483647 1 0\n", TOO_LARGE, "rows of at most"},
        {"a.mtx", MTX "coordinate real general\n1 2147483646 0\n", SPMM_OK, ""},
        {"a.mtx", MTX "coordinate real general\n1 2147483647 0\n", TOO_LARGE, "columns of at most"},
        {"a.mtx", MTX "coordinate real general\n9 9 1099511627777\n", TOO_LARGE, "entries of at most"},
        {"a.mtx", MTX "coordinate real general\n9 9 1099511627776\n", SYNTAX, "entries"},
        {"a.mtx", MTX "coordinate real general\n1 1 1000000\n1 1 1\n", SYNTAX, "entries"},
        {"a.mtx", MTX "array real general\n1048576 1048576\n", SYNTAX, "entries"},
        {"a.mtx", MTX "array real general\n1048577 1048576\n", TOO_LARGE, "values"},
        {"a.mtx", MTX "array real general\n0 5\n", SPMM_OK, ""},
        {"a.mtx", MTX "array real skew-symmetric\n0 0\n", SPMM_OK, ""},
        {"a.mtx", MTX "array real skew-symmetric\n1 1\n", SPMM_OK, ""},
        {"a.mtx", MTX "coordinate real general\n0 5 1\n1 1 1\n", SYNTAX, "no entries"},
        {"a.mtx", MTX "coordinate real general\n5 0 1\n1 1 1\n", SYNTAX, "no entries"},
        {"a.smtx", "2147483646, 1, 0\n0\n", SYNTAX, "numbers fit in the file"},
        {"a.smtx", "2, 3, 1\n0 1 1\n2\n", SPMM_OK, ""},
        {"a.smtx", "0, 0, 0\n0\n", SPMM_OK, ""},
        {"a.smtx", "0, 3, 1\n1\n2\n", SYNTAX, "nonzeros without rows"},
        {"a.smtx", "1, 0, 1\n0 1\n0\n", SYNTAX, "nonzeros without columns"},
        {"a.smtx", "1, 0, 0\n0 0\n", SPMM_OK, ""},
        {"a.smtx", "4, 3, 0\n0 0 0 0 0\n", SPMM_OK, ""},
        {"a.smtx", "2, 3, 1\n0 1 1\n2\n7", SYNTAX, "end of the file"},
        {"a.smtx", "2 3, 1\n0 1 1\n2\n", SYNTAX, ","},
        {"a.smtx", "2,", SYNTAX, "columns"},
        {"a.smtx", "2", SYNTAX, ","},
        /* Without a name the first line alone decides the format. */
        {"a", "2, 3, 1\n0 1 1\n2\n", SPMM_OK, ""},
        {"a", "2, 3; 1\n0 1 1\n2\n", SYNTAX, "other formats"},
        {"a", "2; 3, 1\n0 1 1\n2\n", SYNTAX, "other formats"},
        {"a", "2, 3, x\n0 1 1\n2\n", SYNTAX, "other formats"},
        {"a", "2, 3, 1 x\n0 1 1\n2\n", SYNTAX, "other formats"},
        {"a", "2, 3,", SYNTAX, "other formats"},
        {"a", "2, 3", SYNTAX, "other formats"},
        /* Names of Rutherford-Boeing files, and names that only look similar. */
        {"a.rua", "x\n", SYNTAX, "a type such as rua"},
        {"a.PSE", "x\n", SYNTAX, "a type such as rua"},
        {"a.xua", "x\n", SYNTAX, "other formats"},
        {"a.rxa", "x\n", SYNTAX, "other formats"},
        {"a.rux", "x\n", SYNTAX, "other formats"},
        {"a.ruaa", "x\n", SYNTAX, "other formats"},
        {"a.ru", "x\n", SYNTAX, "other formats"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        spmm_diag_t diag = {.text = ""};
        const spmm_status_t status =
            read_as(cases[i].name, cases[i].text, strlen(cases[i].text), SMALL, &diag);
        if (status != cases[i].expected || (status != SPMM_OK && strstr(diag.text, cases[i].excerpt) == NULL))
            fail_msg("%s: %s (%s)", cases[i].text, spmm_status_name(status), diag.text);
    }
}

/* Each text ends at the |. The characters after the end would make it valid. */
static void what_is_behind_the_end(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *excerpt;
    } cases[] = {{"a", "%%Matrix|Market matrix coordinate real general\n1 1 0\n", "at the start of the file"},
                 {"a.smtx", "2|, 3, 1\n0 1 1\n2\n", "expected a comma"},
                 {"a.smtx", "2, 3|, 1\n0 1 1\n2\n", "expected a comma"},
                 {"a", "2|, 3, 1\n0 1 1\n2\n", "other formats"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[128];
        spmm_diag_t diag = {.text = ""};
        const size_t size = strcspn(cases[i].text, "|");
        (void)snprintf(text, sizeof text, "%.*s%s", (int)size, cases[i].text, cases[i].text + size + 1);
        assert_int_equal(read_as(cases[i].name, text, size, SMALL, &diag), SYNTAX);
        if (strstr(diag.text, cases[i].excerpt) == NULL)
            fail_msg("%s: %s", cases[i].text, diag.text);
    }
}

/* A Rutherford-Boeing file without a name must have a title of at most 256 printable characters. */
static void titles(void **state)
{
    (void)state;
    static const struct {
        int length;
        char first;
        spmm_status_t expected;
    } cases[] = {
        {256, 'x', SPMM_OK}, {257, 'x', SYNTAX}, {9, '\t', SPMM_OK}, {9, ' ', SPMM_OK}, {9, 31, SYNTAX}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[512];
        const int length = snprintf(
            text, sizeof text, "%c%*s\n%14d%14d%14d%14d\npua%11s%14d%14d%14d%14d\n%-16s%-16s\n  1  2\n  1\n",
            cases[i].first, cases[i].length - 1, "title", 2, 1, 1, 0, "", 1, 1, 1, 0, "(2I3)", "(1I3)");
        assert_int_equal(read_as("a", text, (size_t)length, SMALL, NULL), cases[i].expected);
    }
}

/* A refusal must list each format once, although MATLAB has two versions. */
static void other_formats(void **state)
{
    static const char formats[] =
        "; other formats: METIS, list of edges, .smtx, Rutherford-Boeing, .npz, tar, PETSc, MATLAB";
    spmm_diag_t diag = {.text = ""};
    (void)state;
    assert_int_equal(read_as("a", "x\n", 2, SMALL, &diag), SYNTAX);
    const char *found = strstr(diag.text, "; other");
    assert_non_null(found);
    assert_string_equal(found, formats);
}

/* A banner of 1,024 characters is accepted, a longer one is refused. */
static void banners(void **state)
{
    (void)state;
    for (int extra = 0; extra < 2; extra++) {
        static const char start[] = MTX "coordinate real ";
        char text[1200];
        spmm_diag_t diag = {.text = ""};
        const int length = snprintf(text, sizeof text, "%s%*s\n1 1 0\n", start,
                                    1024 + extra - (int)strlen(start), "general");
        assert_int_equal(read_as("a.mtx", text, (size_t)length, SMALL, &diag), extra == 0 ? SPMM_OK : SYNTAX);
        assert_true(extra == 0 || strstr(diag.text, "at most 1024") != NULL);
    }
}

/* The number of bytes that a message says are needed must be enough, and one byte less must not be. */
static void the_budget_to_the_byte(void **state)
{
    (void)state;
    static const char *const texts[] = {MTX "coordinate real general\n3 3 2\n1 2 1.5\n3 1 2\n",
                                        "2, 3, 1\n0 1 1\n2\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        spmm_diag_t diag = {.text = ""};
        unsigned long long budget = 1, needs = 0, used = 0;
        int rounds = 0;
        while (read_as("a", texts[i], strlen(texts[i]), budget, &diag) == MEMORY) {
            const char *sentence = strstr(diag.text, " needs ");
            assert_non_null(sentence);
            assert_int_equal(sscanf(sentence, " needs %llu bytes, %llu of", &needs, &used), 2);
            assert_true(needs + used > budget);
            budget = needs + used;
            assert_in_range(++rounds, 1, 100);
            diag.text[0] = '\0';
        }
        assert_int_equal(read_as("a", texts[i], strlen(texts[i]), budget, NULL), SPMM_OK);
        assert_int_equal(read_as("a", texts[i], strlen(texts[i]), budget - 1, NULL), MEMORY);
    }
}

/* libbz2 counts bytes in 32 bits, so it must get 2^32 bytes in pieces. The system only provides the pages
 * that are read. */
static void bzip2_data_of_4_GiB_is_looked_at(void **state)
{
    const size_t size = (size_t)1 << 32;
    spmm_diag_t diag = {.text = ""};
    (void)state;
    char *text = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (text == MAP_FAILED) /* the address space is limited */
        skip();
    memcpy(text, "BZh91AY&SX", 10);
    assert_int_equal(read_as("a.bz2", text, size, 16 * SMALL, &diag), SPMM_ERR_MATRIX_CONTAINER);
    assert_string_equal(diag.text, "a.bz2: the bzip2 data is damaged after 0 bytes unpacked");
    assert_int_equal(munmap(text, size), 0);
}

static void hints_of_bad_indices(void **state)
{
    (void)state;
    static const struct {
        const char *entry, *hint;
    } cases[] = {{"0 1 1", "count from 1"},
                 {"00 1 1", "count from 1"},
                 {"1 % 1", "a line of its own"},
                 {"4 1 1", ""},
                 {"0x 1 1", ""},
                 {"x 1 1", ""},
                 {"1 |", ""}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[128];
        spmm_diag_t diag = {.text = ""};
        (void)snprintf(text, sizeof text, "%s%s\n", MTX "coordinate real general\n3 3 1\n", cases[i].entry);
        const size_t size = strcspn(text, "|");
        text[size] = '%'; /* after the end of the text */
        assert_int_equal(read_as("a.mtx", text, size, SMALL, &diag), SYNTAX);
        const int has_hint =
            strstr(diag.text, "count from 1") != NULL || strstr(diag.text, "line of its own") != NULL;
        if (strstr(diag.text, cases[i].hint) == NULL || has_hint != (cases[i].hint[0] != '\0'))
            fail_msg("%s: %s", cases[i].entry, diag.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(what_is_behind_the_end),
        cmocka_unit_test(titles),
        cmocka_unit_test(other_formats),
        cmocka_unit_test(banners),
        cmocka_unit_test(the_budget_to_the_byte),
        cmocka_unit_test(bzip2_data_of_4_GiB_is_looked_at),
        cmocka_unit_test(hints_of_bad_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
