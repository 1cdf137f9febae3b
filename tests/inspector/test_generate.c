/* SPDX-License-Identifier: Apache-2.0 */
/* Checks generator strings: sizes, structure, reproducibility, refusals, failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/plan.h"
#include "inspector/generate/generate.h"
#include "inspector/matrix/matrix.h"
#include "tests/support/generated.h"
#include "tests/support/scorecard.h"

struct size_case {
    const char *spec;
    int64_t rows, cols, nnz; /* counted by hand; R-MAT, whose edges repeat, is as generated */
    int64_t row_max;
};

static const struct size_case size_cases[] = {
    {"gen:fem3:2:2:2", 24, 24, 576, 24},
    {"gen:fem3:3:1:1", 9, 9, 63, 9},
    {"gen:fem3:5:4:3", 180, 180, 9 * 13 * 10 * 7, 81},
    {"gen:femshuf:5:4:3", 180, 180, 9 * 13 * 10 * 7, 81},
    {"gen:poisson2:1:1", 1, 1, 1, 1},
    {"gen:poisson2:6:4", 24, 24, 24 + 2 * (5 * 4 + 6 * 3), 5},
    {"gen:poisson3:3:4:5", 60, 60, 60 + 2 * (2 * 20 + 3 * 15 + 4 * 12), 7},
    {"gen:elasticity:1:1:1", 12, 12, 144, 12},
    {"gen:elasticity:5:3:2", 180, 180, 6066, 51}, /* assembled from elements in rational numbers */
    {"gen:lap27:1", 1, 1, 1, 1},
    {"gen:lap27:5", 125, 125, 13 * 13 * 13, 27},
    {"gen:qcd:3", 972, 972, 972 * 36, 36},
    {"gen:qcd:1", 12, 12, 144, 12},
    {"gen:band:0:3", 0, 0, 0, 0},
    {"gen:band:10:1", 10, 10, 28, 3},
    {"gen:band:5:100", 5, 5, 25, 5},
    {"gen:hubs:10:1:2", 10, 10, 42, 10}, /* rows 2 and 7 are hubs */
    {"gen:hubs:0:1:2", 0, 0, 0, 0},
    {"gen:hubs:3:0:9", 3, 3, 9, 3},
    {"gen:block:64:4:3", 64, 64, 768, 12},
    {"gen:block:8:8:1", 8, 8, 64, 8},
    {"gen:rand:1000:7", 1000, 1000, 7000, 7},
    {"gen:rand:10:9", 10, 10, 90, 9},
    {"gen:rand:5:0", 5, 5, 0, 0},
    {"gen:rmat:0:3", 1, 1, 1, 1},
    {"gen:rmat:5:0", 32, 32, 0, 0},
    {"gen:dense:7:3", 7, 3, 21, 3},
    {"gen:dense:0:3", 0, 3, 0, 0},
    {"gen:diag:6", 6, 6, 6, 1},
    {"gen:arrow:6", 6, 6, 16, 6},
    {"gen:arrow:1", 1, 1, 1, 1},
    {"gen:arrow:0", 0, 0, 0, 0},
    {"gen:empty:4:9", 4, 9, 0, 0},
    {"gen:powerlaw:300:200:5", 300, 200, 1500, 50},
    {"gen:powerlaw:3:1:1", 3, 1, 3, 1},
    {"gen:uniform:40:9000:300", 40, 9000, 12000, 300},
    {"gen:uniform:5000:4:3", 5000, 4, 15000, 3},
    {"gen:uniform:0:7:7", 0, 7, 0, 0},
    {"gen:uniform:3:0:0", 3, 0, 0, 0},
};

/* Returns true if the generator defines the values. Other generators make random values. */
static bool has_meaning(const spmm_matrix_t *m)
{
    return strstr(m->info.name, "poisson") != NULL || strstr(m->info.name, "elasticity") != NULL;
}

static bool is_random(double value)
{
    return value > -1 && value < 1 && value != 0 && (double)(float)value == value;
}

static void assert_canonical(const spmm_matrix_t *m)
{
    assert_int_equal(m->row_ptr[0], 0);
    assert_int_equal(m->row_ptr[m->rows], m->nnz);
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t p = m->row_ptr[i]; p < m->row_ptr[i + 1]; p++) {
            assert_in_range(m->col_ind[p], 0, m->cols - 1);
            if (p > m->row_ptr[i])
                assert_true(m->col_ind[p] > m->col_ind[p - 1]);
            assert_true(has_meaning(m) || is_random(m->values[p]));
        }
    }
}

static void has_the_documented_size(void **state)
{
    const struct size_case *c = *state;
    spmm_matrix_t *m = test_generated(c->spec);
    spmm_matrix_info_t info = {.struct_size = sizeof info};
    int64_t longest = 0;
    assert_canonical(m);
    for (int64_t i = 0; i < m->rows; i++)
        longest = m->row_ptr[i + 1] - m->row_ptr[i] > longest ? m->row_ptr[i + 1] - m->row_ptr[i] : longest;
    assert_int_equal(m->rows, c->rows);
    assert_int_equal(m->cols, c->cols);
    assert_int_equal(m->nnz, c->nnz);
    assert_int_equal(longest, c->row_max);
    assert_int_equal(spmm_matrix_info(m, &info), SPMM_OK);
    assert_string_equal(info.name, c->spec);
    assert_int_equal(info.nnz, c->nnz);
    spmm_matrix_destroy(m);
}

/* Returns the FNV-1a hash of the pattern: the columns of each row, and then a mark for the end of the row. */
static uint64_t fingerprint(const spmm_matrix_t *m)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t p = m->row_ptr[i]; p < m->row_ptr[i + 1]; p++)
            hash = (hash ^ (uint64_t)m->col_ind[p]) * UINT64_C(0x100000001b3);
        hash = (hash ^ UINT64_MAX) * UINT64_C(0x100000001b3);
    }
    return hash;
}

struct fingerprint_case {
    const char *spec;
    uint64_t expected; /* if it changes, published metrics describe other matrices */
    double first_value;
};

static const struct fingerprint_case fingerprint_cases[] = {
#include "generate_fingerprints.inc"
};

static void is_the_same_on_every_machine_and_thread_count(void **state)
{
    const struct fingerprint_case *c = *state;
    for (int threads = 1; threads <= 5; threads += 2) {
        omp_set_num_threads(threads);
        spmm_matrix_t *m = test_generated(c->spec);
        assert_canonical(m);
        if (fingerprint(m) != c->expected)
            fail_msg("%s with %d threads: fingerprint %#llx, expected %#llx", c->spec, threads,
                     (unsigned long long)fingerprint(m), (unsigned long long)c->expected);
        assert_true(m->nnz == 0 || m->values[0] == c->first_value);
        spmm_matrix_destroy(m);
    }
}

static void shuffled_mesh_is_the_mesh_renumbered(void **state)
{
    (void)state;
    spmm_matrix_t *natural = test_generated("gen:fem3:4:3:5");
    spmm_matrix_t *shuffled = test_generated("gen:femshuf:4:3:5");
    int64_t lengths[2][82] = {{0}};
    int moved = 0;
    for (int64_t i = 0; i < natural->rows; i++) {
        lengths[0][natural->row_ptr[i + 1] - natural->row_ptr[i]]++;
        lengths[1][shuffled->row_ptr[i + 1] - shuffled->row_ptr[i]]++;
    }
    assert_memory_equal(lengths[0], lengths[1], sizeof lengths[0]);
    for (int64_t p = 0; p < natural->nnz; p++)
        moved |= natural->col_ind[p] != shuffled->col_ind[p];
    assert_true(moved);
    spmm_matrix_destroy(natural);
    spmm_matrix_destroy(shuffled);
}

/* The pattern must equal its transpose: both must have the same CSR. */
static void lattices_and_meshes_are_structurally_symmetric(void **state)
{
    static const char *const specs[] = {
        "gen:fem3:4:3:2",       "gen:femshuf:4:3:2", "gen:lap27:4", "gen:poisson3:3:2:4",
        "gen:elasticity:2:2:3", "gen:band:30:4",     "gen:arrow:9", "gen:diag:5"};
    (void)state;
    for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++) {
        spmm_matrix_t *m = test_generated(specs[s]);
        int64_t *t_row_ptr = spmmi_alloc((uint64_t)m->cols + 1, sizeof *t_row_ptr);
        int32_t *t_col_ind = spmmi_alloc((uint64_t)m->nnz, sizeof *t_col_ind);
        assert_int_equal(
            spmmi_transpose(m->rows, m->cols, m->row_ptr, m->col_ind, t_row_ptr, t_col_ind, NULL), SPMM_OK);
        assert_memory_equal(t_row_ptr, m->row_ptr, ((size_t)m->rows + 1) * sizeof *t_row_ptr);
        assert_memory_equal(t_col_ind, m->col_ind, (size_t)m->nnz * sizeof *t_col_ind);
        spmmi_free(t_row_ptr);
        spmmi_free(t_col_ind);
        spmm_matrix_destroy(m);
    }
}

struct refusal_case {
    const char *spec;
    const char *excerpt; /* part of the error message */
};

static const struct refusal_case refusal_cases[] = {
    {"", "expected gen: and one of fem3, femshuf, lap27, poisson2, poisson3, elasticity, qcd, band"},
    {"gen:", "uniform"},
    {"gen:nothing:3", "expected gen: and one of"},
    {"band:3:4", "expected gen: and one of"},
    {"gen:ban:3:4", "expected gen: and one of"},
    {"gen:band", "expected gen:band:m:w, found gen:band"},
    {"gen:band:3", "expected gen:band:m:w"},
    {"gen:band:3:", "expected gen:band:m:w"},
    {"gen:band:-3:4", "expected gen:band:m:w"},
    {"gen:band:3:4:5", "nothing after it"},
    {"gen:band:3:4x", "nothing after it"},
    {"gen:band:3:99999999999999999999", "expected gen:band:m:w"},
    {"gen:band:2147483647:1", "must be in 0..2147483646, found 2147483647"},
    {"gen:fem3:0:1:1", "must be in 1..65536, found 0"},
    {"gen:fem3:65536:65536:65536", "at most 2147483646 rows"},
    {"gen:femshuf:65536:65536:65536", "at most 2147483646 rows"},
    {"gen:poisson2:65536:65536", "at most 2147483646 rows"},
    {"gen:elasticity:65536:65536:65536", "at most 2147483646 rows"},
    {"gen:dense:65536:65536", "could hold 4294967296 nonzeros"},
    {"gen:rmat:31:1", "must be in 0..30"},
    {"gen:rmat:30:3", "could hold 3221225472 nonzeros"},
    {"gen:rand:3:4", "needs d <= m"},
    {"gen:block:10:4:1", "multiple of b"},
    {"gen:block:8:4:3", "needs d <= m / b"},
    {"gen:powerlaw:10:10:3", "needs d <= k / 4"},
    {"gen:uniform:10:4:5", "needs d <= k"},
    {"gen:uniform:2147483646:2147483646:2", "could hold 4294967292 nonzeros"},
    {"gen:qcd:257", "must be in 1..256"},
};

static void refuses_with_one_sentence(void **state)
{
    const struct refusal_case *c = *state;
    spmm_diag_t diag = {0};
    spmm_matrix_t *m = (spmm_matrix_t *)&diag;
    assert_int_equal(spmm_matrix_generate(c->spec, &m, &diag), SPMM_ERR_ARGUMENT);
    assert_null(m);
    assert_int_equal(diag.status, SPMM_ERR_ARGUMENT);
    if (strstr(diag.text, c->excerpt) == NULL)
        fail_msg("%s: found the sentence \"%s\"", c->spec, diag.text);
    assert_null(strchr(diag.text, '\n'));
}

static void refuses_missing_arguments(void **state)
{
    (void)state;
    spmm_matrix_t *m = NULL;
    assert_int_equal(spmm_matrix_generate("gen:diag:1", NULL, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_generate(NULL, &m, NULL), SPMM_ERR_ARGUMENT);
}

static void survives_every_failing_allocation(void **state)
{
    static const char *const specs[] = {"gen:femshuf:2:2:2",  "gen:rmat:4:3",         "gen:powerlaw:20:20:2",
                                        "gen:poisson3:2:3:2", "gen:elasticity:2:1:1", "gen:rand:9:2"};
    (void)state;
    for (size_t s = 0; s < sizeof specs / sizeof specs[0]; s++) {
        const int64_t live = spmmi_alloc_live();
        int64_t failures = 0;
        for (;; failures++) {
            spmm_diag_t diag = {0};
            spmm_matrix_t *m = NULL;
            spmmi_alloc_fail_at(failures, 0);
            const spmm_status_t status = spmm_matrix_generate(specs[s], &m, &diag);
            spmmi_alloc_fail_at(-1, 0);
            if (status == SPMM_OK) {
                spmm_matrix_destroy(m);
                break;
            }
            assert_int_equal(status, SPMM_ERR_MEMORY);
            assert_null(m);
            assert_int_equal(diag.status, SPMM_ERR_MEMORY);
            assert_int_equal(spmmi_alloc_live(), live);
        }
        assert_true(failures >= 5);
        assert_int_equal(spmmi_alloc_live(), live);
    }
}

/* ---- Every row of the list ---- */

/* Writes "gen:NAME" with count numbers: each the smallest allowed value, but `number` at index `at` (-1:
 * nowhere). */
static void spec_of(const struct spmmi_generator *g, int count, int at, int64_t number, char spec[120])
{
    int used = snprintf(spec, 120, "gen:%s", g->name);
    for (int i = 0; i < count; i++)
        used += snprintf(spec + used, 120 - (size_t)used, ":%lld",
                         (long long)(i == at       ? number
                                     : i < g->args ? g->limits[i].min
                                                   : 1));
}

static void is_refused(const char *spec)
{
    spmm_matrix_t *m = NULL;
    spmm_diag_t diag = {0};
    assert_int_equal(spmm_matrix_generate(spec, &m, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "gen:"));
}

static void each_row_takes_its_values_and_no_others(void **state)
{
    const struct spmmi_generator *g = NULL;
    char spec[120];
    (void)state;
    for (int i = 0; (g = spmmi_generator_at(i)) != NULL; i++) {
        spec_of(g, g->args, -1, 0, spec);
        spmm_matrix_t *m = test_generated(spec);
        assert_canonical(m);
        spmm_matrix_destroy(m);
        spec_of(g, g->args - 1, -1, 0, spec);
        is_refused(spec);
        spec_of(g, g->args + 1, -1, 0, spec);
        is_refused(spec);
        for (int at = 0; at < g->args; at++) {
            spec_of(g, g->args, at, g->limits[at].max + 1, spec);
            is_refused(spec);
            spec_of(g, g->args, at, g->limits[at].min - 1, spec);
            is_refused(spec);
        }
    }
}

/* A row must describe as many parameters, separated by colons, as it has limits, and a fingerprint must fix
 * one of its matrices. */
static void each_row_is_described_and_fingerprinted(void **state)
{
    const struct spmmi_generator *g = NULL;
    spmm_generator_info_t info = {.struct_size = sizeof info};
    (void)state;
    for (int i = 0; (g = spmmi_generator_at(i)) != NULL; i++) {
        char start[40];
        int colons = 0;
        bool has_fingerprint = false;
        for (const char *at = g->parameters; *at != '\0'; at++)
            colons += *at == ':';
        snprintf(start, sizeof start, "gen:%s:", g->name);
        for (size_t k = 0; k < sizeof fingerprint_cases / sizeof fingerprint_cases[0]; k++)
            has_fingerprint |= strncmp(fingerprint_cases[k].spec, start, strlen(start)) == 0;
        assert_int_equal(spmm_generator_at(i, &info), SPMM_OK);
        assert_string_equal(info.name, g->name);
        assert_int_equal(info.count, colons + 1);
        assert_true(info.text[0] != '\0');
        if (!has_fingerprint)
            fail_msg("%s has no row in generate_fingerprints.inc", g->name);
    }
    assert_int_equal(spmm_generator_at(0, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_generator_at(-1, &info), SPMM_ERR_ARGUMENT);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(shuffled_mesh_is_the_mesh_renumbered),
        cmocka_unit_test(lattices_and_meshes_are_structurally_symmetric),
        cmocka_unit_test(refuses_missing_arguments),
        cmocka_unit_test(each_row_takes_its_values_and_no_others),
        cmocka_unit_test(each_row_is_described_and_fingerprinted),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    struct CMUnitTest
        tests[COUNT(size_cases) + COUNT(fingerprint_cases) + COUNT(refusal_cases) + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(size_cases); i++)
        tests[count++] = (struct CMUnitTest){size_cases[i].spec, has_the_documented_size, NULL, NULL,
                                             (void *)(uintptr_t)&size_cases[i]};
    for (size_t i = 0; i < COUNT(fingerprint_cases); i++)
        tests[count++] =
            (struct CMUnitTest){fingerprint_cases[i].spec, is_the_same_on_every_machine_and_thread_count,
                                NULL, NULL, (void *)(uintptr_t)&fingerprint_cases[i]};
    for (size_t i = 0; i < COUNT(refusal_cases); i++)
        tests[count++] = (struct CMUnitTest){refusal_cases[i].spec, refuses_with_one_sentence, NULL, NULL,
                                             (void *)(uintptr_t)&refusal_cases[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return test_score_allocations(cmocka_run_group_tests_name("generate", tests, NULL, NULL));
}
