/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up matrices from generator strings: the table of generators, and the string itself. */
#include "generate.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/plan.h"
#include "random.h"

#define ARGS_MAX 3
#define VALUE_SEED UINT64_C(7)

struct generator {
    const char *name;
    const char *form; /* the numbers, as people write them */
    int args;
    struct {
        int64_t min, max;
    } limit[ARGS_MAX];
    spmmi_generator_fn *build;
};

/* Sides of meshes are limited so that products of three of them stay far from 2^63. */
#define SIDE     \
    {            \
        1, 65536 \
    }
#define COUNT            \
    {                    \
        0, SPMMI_DIM_MAX \
    }
#define SOME             \
    {                    \
        1, SPMMI_DIM_MAX \
    }

static const struct generator generators[] = {
    {"fem3", "nx:ny:nz", 3, {SIDE, SIDE, SIDE}, spmmi_generate_fem3},
    {"femshuf", "nx:ny:nz", 3, {SIDE, SIDE, SIDE}, spmmi_generate_femshuf},
    {"lap27", "g", 1, {SIDE}, spmmi_generate_lap27},
    {"qcd", "l", 1, {{1, 256}}, spmmi_generate_qcd},
    {"band", "m:w", 2, {COUNT, COUNT}, spmmi_generate_band},
    {"hubs", "m:w:h", 3, {COUNT, COUNT, {1, 65536}}, spmmi_generate_hubs},
    {"block", "m:b:d", 3, {SOME, {1, 4096}, SOME}, spmmi_generate_block},
    {"rand", "m:d", 2, {SOME, COUNT}, spmmi_generate_rand},
    {"rmat", "scale:d", 2, {{0, 30}, {0, 65536}}, spmmi_generate_rmat},
    {"dense", "m:k", 2, {COUNT, COUNT}, spmmi_generate_dense},
    {"diag", "m", 1, {COUNT}, spmmi_generate_diag},
    {"arrow", "m", 1, {COUNT}, spmmi_generate_arrow},
    {"empty", "m:k", 2, {COUNT, COUNT}, spmmi_generate_empty},
    {"powerlaw", "m:k:d", 3, {SOME, SOME, SOME}, spmmi_generate_powerlaw},
    {"uniform", "m:k:d", 3, {COUNT, COUNT, COUNT}, spmmi_generate_uniform},
};
#define GENERATOR_COUNT (sizeof generators / sizeof generators[0])

/* "fem3:nx:ny:nz, femshuf:nx:ny:nz, ..." for messages. */
static void list_forms(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < GENERATOR_COUNT && used < size; i++) {
        const int wrote = snprintf(text + used, size - used, "%s%s:%s", i == 0 ? "" : ", ",
                                   generators[i].name, generators[i].form);
        used += wrote > 0 ? (size_t)wrote : size;
    }
}

/* ":12" at *text: read the number and step over it. */
static bool take_number(const char **text, int64_t *number)
{
    const char *p = *text;
    if (*p++ != ':' || *p < '0' || *p > '9')
        return false;
    int64_t value = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (value > (INT64_MAX - 9) / 10)
            return false;
        value = value * 10 + (*p - '0');
    }
    *text = p;
    *number = value;
    return true;
}

static const struct generator *find_generator(const char *name, size_t length)
{
    for (size_t i = 0; i < GENERATOR_COUNT; i++) {
        if (strlen(generators[i].name) == length && memcmp(generators[i].name, name, length) == 0)
            return &generators[i];
    }
    return NULL;
}

static spmm_status_t parse_spec(const char *spec, const struct generator **generator, int64_t args[ARGS_MAX],
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const size_t prefix = strlen("gen:");
    const struct generator *g = NULL;
    const char *rest = NULL;
    if (strncmp(spec, "gen:", prefix) == 0) {
        const size_t length = strcspn(spec + prefix, ":");
        g = find_generator(spec + prefix, length);
        rest = spec + prefix + length;
    }
    if (g == NULL) {
        char forms[200];
        list_forms(forms, sizeof forms);
        SPMM_FAIL(SPMM_ERR_ARGUMENT, diag, "expected gen: and one of %s", forms);
    }
    for (int i = 0; i < g->args; i++) {
        SPMM_REQUIRE(take_number(&rest, &args[i]), SPMM_ERR_ARGUMENT, diag,
                     "expected gen:%s:%s, found %.100s", g->name, g->form, spec);
        SPMM_REQUIRE(args[i] >= g->limit[i].min && args[i] <= g->limit[i].max, SPMM_ERR_ARGUMENT, diag,
                     "number %d of gen:%s:%s must be in %lld..%lld, found %lld", i + 1, g->name, g->form,
                     (long long)g->limit[i].min, (long long)g->limit[i].max, (long long)args[i]);
    }
    SPMM_REQUIRE(*rest == '\0', SPMM_ERR_ARGUMENT, diag,
                 "expected gen:%s:%s and nothing after it, found %.100s", g->name, g->form, spec);
    *generator = g;
cleanup:
    return status;
}

spmm_status_t spmmi_generate_check_size(int64_t rows, int64_t cols, int64_t nnz_bound, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(rows <= SPMMI_DIM_MAX && cols <= SPMMI_DIM_MAX, SPMM_ERR_ARGUMENT, diag,
                 "the generated matrix would be %lld x %lld, at most %lld rows and columns are supported",
                 (long long)rows, (long long)cols, (long long)SPMMI_DIM_MAX);
    SPMM_REQUIRE(nnz_bound <= SPMMI_GENERATE_NNZ_MAX, SPMM_ERR_ARGUMENT, diag,
                 "the generated matrix could hold %lld nonzeros, generators make at most %lld",
                 (long long)nnz_bound, (long long)SPMMI_GENERATE_NNZ_MAX);
cleanup:
    return status;
}

/* Odd multiples of 2^-24 in (-1, 1): never zero, exact in a float, a function of the position alone. */
static void make_values(int64_t nnz, double *values)
{
#pragma omp parallel for schedule(static) if (nnz > 100000)
    for (int64_t p = 0; p < nnz; p++) {
        struct spmmi_random r = spmmi_random_stream(VALUE_SEED, (uint64_t)p);
        const int64_t bits = (int64_t)(spmmi_random_next(&r) >> 40);
        values[p] = (double)(2 * bits + 1 - (INT64_C(1) << 24)) * 0x1p-24;
    }
}

static void describe(spmm_matrix_t *matrix, const char *spec)
{
    spmm_matrix_info_t *info = &matrix->info;
    info->struct_size = sizeof *info;
    info->rows = matrix->rows;
    info->cols = matrix->cols;
    info->nnz = matrix->nnz;
    info->entries_stored = matrix->nnz;
    (void)snprintf(info->format, sizeof info->format, "generated");
    (void)snprintf(info->field, sizeof info->field, "real");
    (void)snprintf(info->symmetry, sizeof info->symmetry, "general");
    (void)snprintf(info->name, sizeof info->name, "%s", spec);
}

spmm_status_t spmm_matrix_generate(const char *spec, spmm_matrix_t **matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct generator *generator = NULL;
    int64_t args[ARGS_MAX] = {0};
    spmm_matrix_t *m = NULL;

    spmmi_diag_clear(diag);
    SPMM_REQUIRE(matrix != NULL, SPMM_ERR_ARGUMENT, diag, "matrix is NULL");
    *matrix = NULL;
    SPMM_REQUIRE(spec != NULL, SPMM_ERR_ARGUMENT, diag, "the generator string is NULL");
    SPMM_TRY(parse_spec(spec, &generator, args, diag));

    m = spmmi_alloc_zero(1, sizeof *m);
    SPMM_TRY_ALLOC(m, diag);
    SPMM_TRY(generator->build(args, m, diag));
    m->values = spmmi_alloc((uint64_t)m->nnz, sizeof *m->values);
    SPMM_TRY_ALLOC(m->values, diag);
    make_values(m->nnz, m->values);
    describe(m, spec);

    *matrix = m;
    m = NULL;
cleanup:
    spmm_matrix_destroy(m);
    return status;
}
