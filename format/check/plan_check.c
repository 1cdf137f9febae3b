/* SPDX-License-Identifier: Apache-2.0 */
/* Semantic validation of everything that a kernel, the executor or a report relies on, in the order of
 * docs/plan-format.md section 7. Each step may rely on the results of earlier steps. Takes linear time. V1 to
 * V9 are rules of that page. */
#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <string.h>

#include "format/base/diag.h"
#include "format/base/each.h"
#include "digests_check.h"
#include "format/permutation.h"
#include "format/family.h"
#include "format/plan.h"
#include "plan_check.h"
#include "format/base/text.h"

#define CHUNK INT64_C(65536)     /* nonzeros that a thread processes at a time */
#define ROWS_CHUNK INT64_C(4096) /* rows that a thread processes at a time; rows may be long */

/* V1. For a file, the fields of the header have been checked before. */
static spmm_status_t check_dims(const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_RULE(p->rows >= 0 && p->rows <= SPMMI_DIM_MAX && p->cols >= 0 && p->cols <= SPMMI_DIM_MAX &&
                  p->nnz >= 0 && p->nnz <= SPMMI_NNZ_MAX && p->nnz <= p->rows * p->cols &&
                  spmm_dtype_size(p->dtype) != 0,
              DIMS, 0, "%lld x %lld with %lld nonzeros of value type %d", (long long)p->rows,
              (long long)p->cols, (long long)p->nnz, (int)p->dtype);
    SPMM_RULE(p->row_ptr != NULL, ROW_PTR, 0, "there are no row pointers");
    SPMM_RULE(p->col_ind != NULL, COL_IND, 0, "there are no column indices");
cleanup:
    return status;
}

static int is_row_wrong(const spmm_plan_t *p, int64_t row)
{
    return p->row_ptr[row + 1] < p->row_ptr[row] || p->row_ptr[row + 1] - p->row_ptr[row] > p->cols;
}

static int are_rows_wrong(const void *plan, uint64_t index, int thread)
{
    const spmm_plan_t *const p = plan;
    const int64_t end = spmmi_piece_end(p->rows, ROWS_CHUNK, index);
    int is_wrong = 0;
    (void)thread;
    for (int64_t i = (int64_t)index * ROWS_CHUNK; i < end; i++)
        is_wrong |= is_row_wrong(p, i);
    return is_wrong;
}

/* V2. */
spmm_status_t spmmi_check_row_ptr(int threads, const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_RULE(p->row_ptr[0] == 0, ROW_PTR, 0, "the first row pointer is %lld, expected 0",
              (long long)p->row_ptr[0]);
    const uint64_t piece = spmmi_first_wrong(spmmi_pieces(p->rows, ROWS_CHUNK), threads, are_rows_wrong, p);
    for (int64_t i = (int64_t)piece * ROWS_CHUNK; i < p->rows; i++)
        SPMM_RULE(!is_row_wrong(p, i), ROW_PTR, (uint64_t)i, "row %lld spans nonzeros %lld to %lld of %lld",
                  (long long)i, (long long)p->row_ptr[i], (long long)p->row_ptr[i + 1], (long long)p->nnz);
    SPMM_RULE(p->row_ptr[p->rows] == p->nnz, ROW_PTR, (uint64_t)p->rows,
              "the rows hold %lld nonzeros, expected %lld", (long long)p->row_ptr[p->rows],
              (long long)p->nnz);
cleanup:
    return status;
}

/* V3. Returns the number of columns in a list that are not greater than their left neighbour (drops). Sets
 * the sign bit of *outside if a column is not in 0 to last. The list is not empty and has fewer than 2^32
 * columns, so that a 32-bit counter suffices and the compiler vectorises the loop. */
static uint32_t drops_of(const int32_t *columns, int64_t count, uint32_t last, uint32_t *outside)
{
    uint32_t drops = 0, sign = (uint32_t)columns[0] | (last - (uint32_t)columns[0]);
    for (int64_t q = 1; q < count; q++) {
        drops += columns[q] <= columns[q - 1];
        sign |= (uint32_t)columns[q] | (last - (uint32_t)columns[q]);
    }
    *outside |= sign;
    return drops;
}

/* Returns the number of drops at the first columns of rows [begin, end). The loop has no branch for empty
 * rows, because it would be mispredicted. */
static int64_t drops_at_starts(const spmm_plan_t *p, int64_t begin, int64_t end)
{
    const int64_t *start = p->row_ptr + begin, *last = p->row_ptr + end;
    int64_t drops = 0;
    while (start < last && *start == 0)
        start++;
    while (start < last && last[-1] == p->nnz)
        last--;
    for (; start < last; start++)
        drops += (start[0] < start[1]) & (p->col_ind[start[0]] <= p->col_ind[start[0] - 1]);
    return drops;
}

/* The plan, and sums over its columns. */
struct columns {
    const spmm_plan_t *plan;
    _Atomic int64_t drops, drops_at_starts;
    _Atomic uint32_t outside;
};

static void columns_piece(void *context, uint64_t index, int thread)
{
    struct columns *const c = context;
    const spmm_plan_t *const p = c->plan;
    const int64_t q = (int64_t)index * CHUNK, count = p->nnz - q <= CHUNK ? p->nnz - q : CHUNK + 1;
    uint32_t outside = 0;
    (void)thread;
    (void)atomic_fetch_add(&c->drops, drops_of(p->col_ind + q, count, (uint32_t)p->cols - 1, &outside));
    (void)atomic_fetch_or(&c->outside, outside);
}

static void starts_piece(void *context, uint64_t index, int thread)
{
    struct columns *const c = context;
    const int64_t end = spmmi_piece_end(c->plan->rows, ROWS_CHUNK, index);
    (void)thread;
    (void)atomic_fetch_add(&c->drops_at_starts, drops_at_starts(c->plan, (int64_t)index * ROWS_CHUNK, end));
}

/* Checks all rows together: one pass over the columns, in chunks that overlap by one column, and one pass
 * over the rows. Only the first column of a row may be a drop, so both passes count the same number of drops
 * if the columns are valid. */
static int columns_are_valid(int threads, const spmm_plan_t *p)
{
    struct columns c = {.plan = p};
    spmmi_each(spmmi_pieces(p->nnz, CHUNK), threads, columns_piece, &c);
    spmmi_each(spmmi_pieces(p->rows, ROWS_CHUNK), threads, starts_piece, &c);
    return c.outside <= INT32_MAX && c.drops == c.drops_at_starts;
}

static spmm_status_t check_columns(int threads, const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t last = (uint32_t)p->cols - 1;
    if (columns_are_valid(threads, p))
        return SPMM_OK;
    for (int64_t i = 0; i < p->rows; i++) {
        const int64_t length = p->row_ptr[i + 1] - p->row_ptr[i];
        uint32_t outside = 0;
        const uint32_t drops = length > 0 ? drops_of(p->col_ind + p->row_ptr[i], length, last, &outside) : 0;
        SPMM_RULE(drops == 0 && outside <= INT32_MAX, COL_IND, (uint64_t)i,
                  "the columns of row %lld are not ascending in 0 to %lld", (long long)i,
                  (long long)p->cols - 1);
    }
    SPMM_FAIL(SPMM_ERR_INTERNAL, diag, "the two checks of the columns disagree");
cleanup:
    return status;
}

spmm_status_t spmmi_check_digests(const spmm_plan_t *p, int with_values, spmm_diag_t *diag)
{
    struct spmmi_digests digests;
    spmmi_digests_begin(&digests, 1, p, with_values);
    return spmmi_digests_end(&digests, diag);
}

static spmm_status_t check_stats(const spmm_plan_t *p, spmm_matrix_stats_t *stats, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    /* Without values, the count of zeros cannot be checked:
     * a plan that is saved without its values keeps the count. */
    if (p->values == NULL && p->stats.zeros >= 0 && p->stats.zeros <= p->nnz)
        stats->zeros = p->stats.zeros;
    SPMM_RULE(memcmp(stats, &p->stats, sizeof *stats) == 0, STATS, 0,
              "the statistics are not those of the matrix");
cleanup:
    return status;
}

/* Checks columns, digests and statistics.
 * Which violation is reported does not depend on the number of threads. */
static spmm_status_t check_matrix(int threads, const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK, computed = SPMM_OK;
    spmm_matrix_stats_t stats;
    struct spmmi_digests digests;
    spmmi_digests_begin(&digests, threads, p, 1);
    const int others = spmmi_digests_threads_beside(&digests, threads, omp_get_num_procs());
    const spmm_status_t columns = check_columns(others, p, diag);
    if (columns == SPMM_OK)
        computed = spmmi_stats_compute_on(others, p->rows, p->cols, p->row_ptr, p->col_ind, p->values,
                                          p->dtype, &stats);
    const spmm_status_t digested =
        spmmi_digests_end(&digests, columns == SPMM_OK ? diag : &spmmi_diag_unheard);
    SPMM_TRY(columns);
    SPMM_TRY(digested);
    SPMM_REQUIRE(computed == SPMM_OK, computed, diag, "out of memory in %s", __func__);
    SPMM_TRY(check_stats(p, &stats, diag));
cleanup:
    return status;
}

/* Returns the value type that a variant may multiply: its own type if it is narrower than the type of the
 * plan, else the type of the plan. */
static spmm_dtype_t type_of(const spmm_plan_t *p, const struct spmmi_variant *v)
{
    const spmm_dtype_t own = spmmi_variant_type(v);
    return spmmi_dtype_is_narrower(own, p->dtype) ? own : p->dtype;
}

static spmm_status_t check_variant(const spmm_plan_t *p, uint32_t index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_variant *v = &p->variants[index];
    const uint32_t layouts = SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR;
    SPMM_RULE(v->layouts != 0 && (v->layouts & ~layouts) == 0, VARIANT, index, "variant %u has layouts 0x%x",
              index, v->layouts);
    SPMM_RULE(v->target <= SPMMI_TARGET_MAX, VARIANT, index, "variant %u has target %u", index, v->target);
    SPMM_RULE(v->n_min >= 1 && v->n_min <= v->n_max && v->n_max <= SPMMI_N_MAX, VARIANT, index,
              "variant %u is for n from %lld to %lld", index, (long long)v->n_min, (long long)v->n_max);
    /* Each row of C is written once, so a variant has one
     * part, or two that divide the rows between them (V9). */
    SPMM_RULE(v->part_first < p->part_count && (p->parts[v->part_first].flags & SPMMI_PART_LONG_ROWS) == 0 &&
                  v->part_count == (spmmi_long_rows_of(p, v->part_first) != NULL ? 2u : 1u),
              VARIANT, index, "variant %u has %u parts from part %u of %u", index, v->part_count,
              v->part_first, p->part_count);
    SPMM_RULE(p->parts[v->part_first].op == v->op, VARIANT, index,
              "variant %u and its part have different ops", index);
    SPMM_RULE(spmmi_family_computes(p->parts[v->part_first].family, type_of(p, v), v->compute), VARIANT,
              index, "variant %u has compute type %d, which its part does not have", index, (int)v->compute);
cleanup:
    return status;
}

/* Returns true if the compute type of a trace entry is valid.
 * The compute type of the value type must be stored as 0. */
static int is_trace_compute(const struct spmmi_trace *t, spmm_dtype_t dtype)
{
    const spmm_compute_t own = (spmm_compute_t)dtype;
    return t->compute != own && spmmi_family_computes(t->family, dtype, t->compute != 0 ? t->compute : own);
}

static int is_time(double us)
{
    return isfinite(us) && us >= 0;
}

static spmm_status_t check_trace(const spmm_plan_t *p, uint32_t index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_trace *t = &p->trace[index];
    SPMM_RULE(t->variant < p->variant_count, TRACE, index, "trace %u is about variant %u of %u", index,
              t->variant, p->variant_count);
    SPMM_RULE(spmmi_schedule_of(t->family, t->schedule) != NULL, TRACE, index,
              "trace %u has family %d and schedule %d", index, (int)t->family, (int)t->schedule);
    SPMM_RULE(t->chosen <= 1 && t->reason >= 1 && t->reason < SPMMI_REASON_COUNT_, TRACE, index,
              "trace %u has choice %u and reason %u", index, t->chosen, t->reason);
    SPMM_RULE(is_trace_compute(t, type_of(p, &p->variants[t->variant])), TRACE, index,
              "trace %u has compute type %d", index, (int)t->compute);
    SPMM_RULE(spmmi_permutation_of(t->permutation) != NULL, TRACE, index, "trace %u is about permutation %d",
              index, (int)t->permutation);
    SPMM_RULE(is_time(t->predicted_us) && is_time(t->measured_us) && isfinite(t->value) &&
                  isfinite(t->threshold),
              TRACE, index, "trace %u has a value that is not finite or a negative time", index);
cleanup:
    return status;
}

static spmm_status_t check_choices(const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_RULE(p->part_count <= SPMMI_PART_MAX, PART, 0, "%u parts", p->part_count);
    SPMM_RULE(p->variant_count <= SPMMI_VARIANT_MAX, VARIANT, 0, "%u variants", p->variant_count);
    SPMM_RULE(p->trace_count <= SPMMI_TRACE_MAX && (p->trace_count == 0 || p->trace != NULL), TRACE, 0,
              "%u trace entries", p->trace_count);
    for (uint32_t i = 0; i < p->part_count; i++)
        SPMM_TRY(spmmi_check_part(p, i, diag));
    for (uint32_t i = 0; i < p->variant_count; i++)
        SPMM_TRY(check_variant(p, i, diag));
    for (uint32_t i = 0; i < p->trace_count; i++)
        SPMM_TRY(check_trace(p, i, diag));
cleanup:
    return status;
}

static spmm_status_t check_text(const char *text, size_t room, const char *what, spmm_status_t violation,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const size_t size = strnlen(text, room);
    SPMM_REQUIRE(size < room, violation, diag, "the name of the %s does not end", what);
    const size_t wrong = spmmi_text_wrong(text, size);
    SPMM_REQUIRE_AT(wrong == size, violation, diag, wrong,
                    "the name of the %s is not printable UTF-8 from byte %zu on", what, wrong);
cleanup:
    return status;
}

spmm_status_t spmmi_plan_check_on(int threads, const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    /* The order matters: each check relies on the results of earlier checks. */
    SPMM_TRY(check_dims(p, diag));
    SPMM_TRY(spmmi_check_row_ptr(threads, p, diag));
    SPMM_TRY(check_matrix(threads, p, diag));
    SPMM_TRY(check_choices(p, diag));
    SPMM_TRY(spmmi_check_items(threads, p, diag));
    SPMM_TRY(check_text(p->source, sizeof p->source, "source", SPMM_ERR_PLAN_META, diag));
    SPMM_TRY(spmmi_check_row_block_metrics(p, diag));
    SPMM_TRY(spmmi_check_symmetric_permutation(p, diag));
    SPMM_TRY(spmmi_check_permutation_metrics(p, diag));
    SPMM_TRY(check_text(p->writer, sizeof p->writer, "writer", SPMM_ERR_PLAN_WRITER, diag));
    SPMM_TRY(spmmi_check_metadata(p->metadata, p->metadata_bytes, diag));
    SPMM_TRY(spmmi_check_spgemm(p, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_plan_check(const spmm_plan_t *p, spmm_diag_t *diag)
{
    return spmmi_plan_check_on(1, p, diag);
}
