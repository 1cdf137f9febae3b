/* SPDX-License-Identifier: Apache-2.0 */
/* See nonzeros_cpu.h. A thread computes tiles of a row of C; sums are in the order of the row's nonzeros. */
#include "nonzeros_cpu.h"

#include "executor/cpu/cpu_operand.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "kernels/shared/half_cpu.h"
#include "kernels/shared/level_cpu.h"

#define TILE 64 /* columns */
#define ROWS_A_TURN 16

/* Columns first .. first + width - 1 of a row of C. */
struct tile {
    const struct spmmi_cpu_operand *a;
    const struct spmmi_product *product;
    int64_t row, first;
    int width;
};

/* Computes the tile for one type. Sums follow the rule of every family: alpha * sum + beta * C, rounded once.
 * A sum of 0 stays 0 if alpha is not finite. */
#define TILE_OF(name, type, sum_type, widen, narrow)                                                  \
    static void tile_##name(const struct tile *t)                                                     \
    {                                                                                                 \
        const struct spmmi_product *p = t->product;                                                   \
        const int64_t b_row = spmmi_row_step(&p->b), b_column = spmmi_column_step(&p->b);             \
        const int64_t c_column = spmmi_column_step(&p->c);                                            \
        const type *values = t->a->values;                                                            \
        type *c = (type *)spmmi_column(&p->c, t->first) + t->row * spmmi_row_step(&p->c);             \
        const int64_t end = p->alpha != 0 ? t->a->row_ptr[t->row + 1] : t->a->row_ptr[t->row];        \
        const sum_type alpha = (sum_type)p->alpha, beta = (sum_type)p->beta;                          \
        sum_type sums[TILE] = {0};                                                                    \
        for (int64_t q = t->a->row_ptr[t->row]; q < end; q++) {                                       \
            const sum_type value = widen(values[q]);                                                  \
            const type *b = (const type *)spmmi_column(&p->b, t->first) + t->a->col_ind[q] * b_row;   \
            for (int j = 0; j < t->width; j++)                                                        \
                sums[j] += value * widen(b[j * b_column]);                                            \
        }                                                                                             \
        for (int j = 0; j < t->width; j++) {                                                          \
            const sum_type factor = sums[j] != 0 ? alpha : 0;                                         \
            const sum_type scaled = factor * sums[j];                                                 \
            c[j * c_column] = narrow(p->beta != 0 ? scaled + beta * widen(c[j * c_column]) : scaled); \
        }                                                                                             \
    }
#define AS_IT_IS(x) (x)
TILE_OF(f32, float, float, AS_IT_IS, AS_IT_IS)
TILE_OF(f64, double, double, AS_IT_IS, AS_IT_IS)
TILE_OF(f16, uint16_t, float, half_from_f16, half_to_f16)
TILE_OF(bf16, uint16_t, float, half_from_bf16, half_to_bf16)

static void (*tile_of(spmm_dtype_t type))(const struct tile *)
{
    switch (type) {
    case SPMM_F64:
        return tile_f64;
    case SPMM_F16:
        return tile_f16;
    case SPMM_BF16:
        return tile_bf16;
    default:
        return tile_f32;
    }
}

struct state {
    const struct spmmi_cpu_operand *operand;
    int threads;
};

spmm_status_t spmmi_nonzeros_cpu_create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                                        spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct state *made = NULL;
    void *operand = NULL;
    *bytes += sizeof *made;
    SPMM_TRY(spmmi_shared_use(source, &spmmi_cpu_operand_kind, source->part->op, &operand, bytes, diag));
    if (source->only_counts)
        goto cleanup;
    SPMM_TRY_ALLOC(made = spmmi_alloc(1, sizeof *made), diag);
    *made = (struct state){operand, source->device->threads};
    *state = made;
cleanup:
    return status;
}

uint64_t spmmi_nonzeros_cpu_workspace(const void *state, const struct spmmi_product *product)
{
    (void)state, (void)product;
    return 0;
}

spmm_status_t spmmi_nonzeros_cpu_run(const void *state, const struct spmmi_product *product, void *workspace,
                                     void *stream)
{
    const struct state *s = state;
    const struct spmmi_cpu_operand *a = s->operand;
    const int64_t n = product->b.cols, tiles = (n + TILE - 1) / TILE;
    void (*const compute)(const struct tile *) = tile_of(a->dtype);
    (void)workspace, (void)stream;
    if (n == 0)
        return SPMM_OK;
#pragma omp parallel for num_threads(spmmi_team(spmmi_cpu_threads(a->nnz, n, s->threads))) \
    schedule(dynamic, ROWS_A_TURN)
    for (int64_t i = 0; i < a->rows * tiles; i++) {
        const int64_t first = i % tiles * TILE;
        const struct tile tile = {a, product, i / tiles, first, (int)(n - first < TILE ? n - first : TILE)};
        compute(&tile);
    }
    return SPMM_OK;
}
