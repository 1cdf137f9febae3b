/* SPDX-License-Identifier: Apache-2.0 */
/* Semantic validation: everything that a kernel, the executor or a listing relies on, in the order of
 * docs/plan-format.md section 7. Each step may use what the former ones proved. Linear time. */
#include <math.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/permutation.h"
#include "format/family.h"
#include "format/plan.h"
#include "plan_check.h"
#include "format/matrix/stats.h"
#include "format/base/text.h"

#define CHUNK INT64_C(65536)

/* V1 */
static spmm_status_t check_dims(const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(p->rows >= 0 && p->rows <= SPMMI_DIM_MAX && p->cols >= 0 && p->cols <= SPMMI_DIM_MAX,
                 SPMM_ERR_PLAN_DIMS, diag, "%lld x %lld is out of range", (long long)p->rows,
                 (long long)p->cols);
    SPMM_REQUIRE(p->nnz >= 0 && p->nnz <= SPMMI_NNZ_MAX && p->nnz <= p->rows * p->cols, SPMM_ERR_PLAN_DIMS,
                 diag, "%lld nonzeros do not fit", (long long)p->nnz);
    SPMM_REQUIRE(spmm_dtype_size(p->dtype) != 0, SPMM_ERR_PLAN_DIMS, diag, "value type %d is not known",
                 (int)p->dtype);
    SPMM_REQUIRE(p->row_ptr != NULL, SPMM_ERR_PLAN_ROW_PTR, diag, "there are no row pointers");
    SPMM_REQUIRE(p->col_ind != NULL, SPMM_ERR_PLAN_COL_IND, diag, "there are no column indices");
cleanup:
    return status;
}

/* V2 */
spmm_status_t spmmi_check_row_ptr(const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(p->row_ptr[0] == 0, SPMM_ERR_PLAN_ROW_PTR, diag, "the first row pointer is %lld, expected 0",
                 (long long)p->row_ptr[0]);
    for (int64_t i = 0; i < p->rows; i++) {
        const int64_t start = p->row_ptr[i], end = p->row_ptr[i + 1];
        SPMM_REQUIRE_AT(end >= start && end - start <= p->cols, SPMM_ERR_PLAN_ROW_PTR, diag, (uint64_t)i,
                        "row %lld spans nonzeros %lld to %lld of %lld", (long long)i, (long long)start,
                        (long long)end, (long long)p->nnz);
    }
    SPMM_REQUIRE_AT(p->row_ptr[p->rows] == p->nnz, SPMM_ERR_PLAN_ROW_PTR, diag, (uint64_t)p->rows,
                    "the rows hold %lld nonzeros, expected %lld", (long long)p->row_ptr[p->rows],
                    (long long)p->nnz);
cleanup:
    return status;
}

/* V3. One row: ascending from a non-negative first to a last below cols means that every column is in range. */
static int row_is_valid(const int32_t *columns, int64_t length, int64_t cols)
{
    int ascends = 1;
    for (int64_t p = 1; p < length; p++)
        ascends &= columns[p] > columns[p - 1];
    return length == 0 || (ascends && columns[0] >= 0 && columns[length - 1] < cols);
}

/* Of the columns behind left[0], how many are not above their left neighbour; *outside gets its sign bit where one is
 * not in 0 to last. At most CHUNK of them, so that 32 bits count them and the compiler vectorises. */
static uint32_t drops_behind(const int32_t *left, int64_t count, uint32_t last, uint32_t *outside)
{
    uint32_t drops = 0, sign = 0;
    for (int64_t q = 1; q <= count; q++) {
        drops += left[q] <= left[q - 1];
        sign |= (uint32_t)left[q] | (last - (uint32_t)left[q]);
    }
    *outside |= sign;
    return drops;
}

/* How many columns at the begin of a row are not above their left neighbour. Without a branch inside of the loop, as
 * empty rows come at random. */
static int64_t drops_at_starts(const spmm_plan_t *p)
{
    const int64_t *start = p->row_ptr, *end = p->row_ptr + p->rows;
    int64_t drops = 0;
    while (start < end && *start == 0)
        start++;
    while (start < end && end[-1] == p->nnz)
        end--;
    for (; start < end; start++)
        drops += (start[0] < start[1]) & (p->col_ind[start[0]] <= p->col_ind[start[0] - 1]);
    return drops;
}

/* All rows at once: one pass over the columns and one over the rows. A column that is not above its left neighbour must
 * start a row; so both passes count the same number of them. */
static int columns_are_valid(const spmm_plan_t *p)
{
    const uint32_t last = (uint32_t)p->cols - 1;
    int64_t drops = 0;
    uint32_t outside = p->nnz > 0 ? (uint32_t)p->col_ind[0] | (last - (uint32_t)p->col_ind[0]) : 0;
    for (int64_t q = 0; q + 1 < p->nnz; q += CHUNK) {
        const int64_t behind = p->nnz - 1 - q;
        drops += drops_behind(p->col_ind + q, behind < CHUNK ? behind : CHUNK, last, &outside);
    }
    return outside <= INT32_MAX && drops == drops_at_starts(p);
}

static spmm_status_t check_columns(const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    if (columns_are_valid(p))
        return SPMM_OK;
    for (int64_t i = 0; i < p->rows; i++) {
        SPMM_REQUIRE_AT(row_is_valid(p->col_ind + p->row_ptr[i], p->row_ptr[i + 1] - p->row_ptr[i], p->cols),
                        SPMM_ERR_PLAN_COL_IND, diag, (uint64_t)i,
                        "the columns of row %lld are not ascending in 0 to %lld", (long long)i,
                        (long long)p->cols - 1);
    }
    SPMM_FAIL(SPMM_ERR_INTERNAL, diag, "the two checks of the columns disagree");
cleanup:
    return status;
}

static spmm_status_t check_digests(const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint8_t digest[16] = {0};
    spmmi_digest_pattern(p->rows, p->cols, p->row_ptr, p->col_ind, digest);
    SPMM_REQUIRE(memcmp(digest, p->pattern_digest, sizeof digest) == 0, SPMM_ERR_PLAN_DIGEST, diag,
                 "the pattern does not have the digest that the header gives");
    memset(digest, 0, sizeof digest);
    if (p->values != NULL)
        spmmi_digest_values(p->nnz, p->dtype, p->values, digest);
    SPMM_REQUIRE(memcmp(digest, p->values_digest, sizeof digest) == 0, SPMM_ERR_PLAN_DIGEST, diag,
                 "the values do not have the digest that the header gives");
cleanup:
    return status;
}

static spmm_status_t check_stats(const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_matrix_stats_t stats;
    status = spmmi_stats_compute(p->rows, p->cols, p->row_ptr, p->col_ind, p->values, p->dtype, &stats);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory in %s", __func__);
    /* A pattern's count of zeros cannot be checked: a plan that leaves the values out keeps the value. */
    if (p->values == NULL && p->stats.zeros >= 0 && p->stats.zeros <= p->nnz)
        stats.zeros = p->stats.zeros;
    SPMM_REQUIRE(memcmp(&stats, &p->stats, sizeof stats) == 0, SPMM_ERR_PLAN_STATS, diag,
                 "the statistics are not those of the matrix");
cleanup:
    return status;
}

/* Only tensor cores multiply f32 values rounded to tf32, or split in two. */
static int is_compute(spmm_compute_t compute, spmm_dtype_t dtype, spmm_family_t family)
{
    if (dtype == SPMM_F32 && spmmi_is_tcblocks(family))
        return compute == SPMM_COMPUTE_TF32 || compute == SPMM_COMPUTE_3XTF32;
    return (int)compute == (int)dtype;
}

static spmm_status_t check_variant(const spmm_plan_t *p, uint32_t index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_variant *v = &p->variants[index];
    const uint32_t layouts = SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR;
    SPMM_REQUIRE_AT(v->layouts != 0 && (v->layouts & ~layouts) == 0, SPMM_ERR_PLAN_VARIANT, diag, index,
                    "variant %u has layouts 0x%x", index, v->layouts);
    SPMM_REQUIRE_AT(v->target <= SPMMI_TARGET_MAX, SPMM_ERR_PLAN_VARIANT, diag, index,
                    "variant %u has target %u", index, v->target);
    SPMM_REQUIRE_AT(v->n_min >= 1 && v->n_min <= v->n_max && v->n_max <= SPMMI_N_MAX, SPMM_ERR_PLAN_VARIANT,
                    diag, index, "variant %u is for n from %lld to %lld", index, (long long)v->n_min,
                    (long long)v->n_max);
    /* Each row of C is written once, so a variant has one part, or two that share the rows (V9). */
    SPMM_REQUIRE_AT(v->part_first < p->part_count &&
                        (p->parts[v->part_first].flags & SPMMI_PART_LONG_ROWS) == 0 &&
                        v->part_count == (spmmi_long_rows_of(p, v->part_first) != NULL ? 2u : 1u),
                    SPMM_ERR_PLAN_VARIANT, diag, index, "variant %u has %u parts from part %u of %u", index,
                    v->part_count, v->part_first, p->part_count);
    SPMM_REQUIRE_AT(p->parts[v->part_first].op == v->op, SPMM_ERR_PLAN_VARIANT, diag, index,
                    "variant %u and its part have different ops", index);
    SPMM_REQUIRE_AT(is_compute(v->compute, p->dtype, p->parts[v->part_first].family), SPMM_ERR_PLAN_VARIANT,
                    diag, index, "variant %u has compute type %d, which its part does not have", index,
                    (int)v->compute);
cleanup:
    return status;
}

/* A plan's own type is written as 0 and in no other way. */
static int is_trace_compute(const struct spmmi_trace *t, spmm_dtype_t dtype)
{
    const spmm_compute_t own = (spmm_compute_t)dtype;
    return t->compute != own && is_compute(t->compute != 0 ? t->compute : own, dtype, t->family);
}

static int is_time(double us)
{
    return isfinite(us) && us >= 0;
}

static spmm_status_t check_trace(const spmm_plan_t *p, uint32_t index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_trace *t = &p->trace[index];
    SPMM_REQUIRE_AT(t->variant < p->variant_count, SPMM_ERR_PLAN_TRACE, diag, index,
                    "trace %u is about variant %u of %u", index, t->variant, p->variant_count);
    SPMM_REQUIRE_AT(spmmi_schedule_of(t->family, t->schedule) != NULL, SPMM_ERR_PLAN_TRACE, diag, index,
                    "trace %u has family %d and schedule %d", index, (int)t->family, (int)t->schedule);
    SPMM_REQUIRE_AT(t->chosen <= 1 && t->reason >= 1 && t->reason < SPMMI_REASON_COUNT_, SPMM_ERR_PLAN_TRACE,
                    diag, index, "trace %u has choice %u and reason %u", index, t->chosen, t->reason);
    SPMM_REQUIRE_AT(is_trace_compute(t, p->dtype), SPMM_ERR_PLAN_TRACE, diag, index,
                    "trace %u has compute type %d", index, (int)t->compute);
    SPMM_REQUIRE_AT(spmmi_permutation_of(t->permutation) != NULL, SPMM_ERR_PLAN_TRACE, diag, index,
                    "trace %u is about permutation %d", index, (int)t->permutation);
    SPMM_REQUIRE_AT(is_time(t->predicted_us) && is_time(t->measured_us) && isfinite(t->value) &&
                        isfinite(t->threshold),
                    SPMM_ERR_PLAN_TRACE, diag, index,
                    "trace %u has a value that is not finite or a negative time", index);
cleanup:
    return status;
}

static spmm_status_t check_choices(const spmm_plan_t *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(p->part_count <= SPMMI_PART_MAX, SPMM_ERR_PLAN_PART, diag, "%u parts", p->part_count);
    SPMM_REQUIRE(p->variant_count <= SPMMI_VARIANT_MAX, SPMM_ERR_PLAN_VARIANT, diag, "%u variants",
                 p->variant_count);
    SPMM_REQUIRE(p->trace_count <= SPMMI_TRACE_MAX && (p->trace_count == 0 || p->trace != NULL),
                 SPMM_ERR_PLAN_TRACE, diag, "%u trace entries", p->trace_count);
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

static spmm_status_t check_source(const spmm_plan_t *p, spmm_diag_t *diag)
{
    return check_text(p->source, sizeof p->source, "source", SPMM_ERR_PLAN_META, diag);
}

static spmm_status_t check_writer(const spmm_plan_t *p, spmm_diag_t *diag)
{
    return check_text(p->writer, sizeof p->writer, "writer", SPMM_ERR_PLAN_WRITER, diag);
}

spmm_status_t spmmi_plan_check(const spmm_plan_t *plan, spmm_diag_t *diag)
{
    /* In this order: each may trust what those before it found. */
    static spmm_status_t (*const checks[])(const spmm_plan_t *plan,
                                           spmm_diag_t *diag) = {check_dims,
                                                                 spmmi_check_row_ptr,
                                                                 check_columns,
                                                                 check_digests,
                                                                 check_stats,
                                                                 check_choices,
                                                                 spmmi_check_items,
                                                                 check_source,
                                                                 spmmi_check_row_block_metrics,
                                                                 spmmi_check_symmetric_permutation,
                                                                 spmmi_check_permutation_metrics,
                                                                 check_writer};
    spmm_status_t status = SPMM_OK;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        SPMM_TRY(checks[i](plan, diag));
cleanup:
    return status;
}
