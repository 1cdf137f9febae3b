/* SPDX-License-Identifier: Apache-2.0 */
/* Makes synthetic matrices from generator strings: the table of generators and the parser of the strings. */
#include "generate.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/base/team.h"
#include "format/plan.h"

#define VALUE_SEED UINT64_C(7)
#define FORMS_BYTES (sizeof((spmm_diag_t *)0)->text - sizeof "expected gen: and one of ")

/* Sides of meshes are limited so that the product of three of them is far below 2^63. */
#define RANGE(min, max) \
    {                   \
        min, max        \
    }
#define SIDE RANGE(1, 65536)
#define COUNT RANGE(0, SPMMI_DIM_MAX)
#define SOME RANGE(1, SPMMI_DIM_MAX)

static const struct spmmi_generator generators[] = {
#define GENERATOR(name, parameters, text, ...)                                                            \
    {#name,                                                                                               \
     parameters,                                                                                          \
     text,                                                                                                \
     (int)(sizeof((struct spmmi_generator_limit[]){__VA_ARGS__}) / sizeof(struct spmmi_generator_limit)), \
     {__VA_ARGS__},                                                                                       \
     spmmi_generate_##name},
#include "generator_list.def"
#undef GENERATOR
};
#define GENERATOR_COUNT (sizeof generators / sizeof generators[0])

const struct spmmi_generator *spmmi_generator_at(int index)
{
    return index >= 0 && (size_t)index < GENERATOR_COUNT ? &generators[index] : NULL;
}

spmm_status_t spmm_generator_at(int index, spmm_generator_info_t *info)
{
    const struct spmmi_generator *const row = spmmi_generator_at(index);
    if (row == NULL)
        return SPMM_ERR_ARGUMENT;
    spmm_generator_info_t full;
    memset(&full, 0, sizeof full);
    full.name = row->name;
    full.parameters = row->parameters;
    full.text = row->text;
    full.count = row->args;
    return spmmi_info_write(info, &full, sizeof full);
}

/* Writes "fem3:nx:ny:nz, femshuf:nx:ny:nz, ..", or only the names. Returns false if the text is too short for
 * all. */
static bool list_forms(char *text, size_t size, bool has_values)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < GENERATOR_COUNT && used < size; i++) {
        const struct spmmi_generator *g = &generators[i];
        const int wrote = snprintf(text + used, size - used, "%s%s%s%s", i == 0 ? "" : ", ", g->name,
                                   has_values ? ":" : "", has_values ? g->parameters : "");
        used += wrote > 0 ? (size_t)wrote : size;
    }
    return used < size;
}

/* Reads a number such as ":12" at *text and advances *text past it. Returns false if there is none. */
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

static const struct spmmi_generator *find_generator(const char *name, size_t length)
{
    for (size_t i = 0; i < GENERATOR_COUNT; i++) {
        if (strlen(generators[i].name) == length && memcmp(generators[i].name, name, length) == 0)
            return &generators[i];
    }
    return NULL;
}

static spmm_status_t parse_spec(const char *spec, const struct spmmi_generator **generator,
                                int64_t args[SPMMI_GENERATOR_ARGS_MAX], spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const size_t prefix = strlen("gen:");
    const struct spmmi_generator *g = NULL;
    const char *rest = NULL;
    if (strncmp(spec, "gen:", prefix) == 0) {
        const size_t length = strcspn(spec + prefix, ":");
        g = find_generator(spec + prefix, length);
        rest = spec + prefix + length;
    }
    if (g == NULL) {
        char forms[FORMS_BYTES];
        if (!list_forms(forms, sizeof forms, true))
            (void)list_forms(forms, sizeof forms, false);
        SPMM_FAIL(SPMM_ERR_ARGUMENT, diag, "expected gen: and one of %s", forms);
    }
    for (int i = 0; i < g->args; i++) {
        SPMM_REQUIRE(take_number(&rest, &args[i]), SPMM_ERR_ARGUMENT, diag,
                     "expected gen:%s:%s, found %.100s", g->name, g->parameters, spec);
        SPMM_REQUIRE(args[i] >= g->limits[i].min && args[i] <= g->limits[i].max, SPMM_ERR_ARGUMENT, diag,
                     "parameter %d of gen:%s:%s must be in %lld..%lld, found %lld", i + 1, g->name,
                     g->parameters, (long long)g->limits[i].min, (long long)g->limits[i].max,
                     (long long)args[i]);
    }
    SPMM_REQUIRE(*rest == '\0', SPMM_ERR_ARGUMENT, diag,
                 "expected gen:%s:%s and nothing after it, found %.100s", g->name, g->parameters, spec);
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

/* Makes random values: odd multiples of 2^-24 in (-1, 1). They are never zero, exact in f32, and depend only
 * on the position of the entry. */
static spmm_status_t make_values(spmm_matrix_t *m, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY_ALLOC(m->values = spmmi_alloc((uint64_t)m->nnz, sizeof *m->values), diag);
#pragma omp parallel for num_threads(spmmi_team(m->nnz > 100000 ? 0 : 1)) schedule(static)
    for (int64_t p = 0; p < m->nnz; p++) {
        struct spmmi_random r = spmmi_random_stream(VALUE_SEED, (uint64_t)p);
        const int64_t bits = (int64_t)(spmmi_random_next(&r) >> 40);
        m->values[p] = (double)(2 * bits + 1 - (INT64_C(1) << 24)) * 0x1p-24;
    }
cleanup:
    return status;
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
    const struct spmmi_generator *generator = NULL;
    int64_t args[SPMMI_GENERATOR_ARGS_MAX] = {0};
    spmm_matrix_t *m = NULL;

    spmmi_diag_clear(diag);
    SPMM_REQUIRE(matrix != NULL, SPMM_ERR_ARGUMENT, diag, "matrix is NULL");
    *matrix = NULL;
    SPMM_REQUIRE(spec != NULL, SPMM_ERR_ARGUMENT, diag, "the generator string is NULL");
    SPMM_TRY(parse_spec(spec, &generator, args, diag));

    m = spmmi_alloc_zero(1, sizeof *m);
    SPMM_TRY_ALLOC(m, diag);
    SPMM_TRY(generator->build(args, m, diag));
    if (m->values == NULL)
        SPMM_TRY(make_values(m, diag));
    describe(m, spec);

    *matrix = m;
    m = NULL;
cleanup:
    spmm_matrix_destroy(m);
    return status;
}
