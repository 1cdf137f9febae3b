/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of the dense family: A with its zeros as an operand of a dense product. */
#include "dense_cost.h"

#include "format/base/diag.h"
#include "format/family.h"
#include "dense_shape.h"

/* Returns the bytes of A in CSR: a column index and a value per nonzero, a pointer per row. */
static double csr_bytes(const struct spmmi_pattern *a, double value_bytes)
{
    return (double)a->nnz * (value_bytes + sizeof *a->col_ind) + (double)a->rows * sizeof *a->row_ptr;
}

static spmm_status_t propose_one(struct spmmi_search *s, spmm_compute_t compute, spmm_diag_t *diag)
{
    const struct spmmi_pattern *const a = s->pattern;
    const spmm_dtype_t dtype = s->request->options.a_type;
    const double value_bytes = (double)spmm_dtype_size(dtype);
    /* Entries of a block, and the maximum so that all blocks together do not take too many bytes. */
    const double entries = (double)a->rows * (double)spmmi_dense_lda(a->cols, dtype);
    const double blocks = spmmi_is_tf32(compute) ? SPMMI_DENSE_BLOCKS + 1 : 1; /* + 1: the whole values */
    const double most = SPMMI_DENSE_CSR_TIMES * csr_bytes(a, value_bytes) / value_bytes / blocks;
    struct spmmi_candidate c = {
        .family = SPMMI_DENSE, .schedule = SPMMI_DENSE_GEMM, .compute = compute, .is_default = true};
    if (!spmmi_is_forced(s) && (entries > most || entries > (double)SPMMI_DENSE_ENTRIES_MAX)) {
        c.refused = SPMMI_REASON_TOO_LARGE;
        c.value = entries;
        c.threshold = most < (double)SPMMI_DENSE_ENTRIES_MAX ? most : (double)SPMMI_DENSE_ENTRIES_MAX;
    }
    return spmmi_search_emit(s, &c, diag);
}

/* Proposes values as they are and, if tensor cores may be used, f32 on tensor cores. */
static spmm_status_t propose(struct spmmi_search *s, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_compute_t tensor = spmmi_search_compute(s, spmmi_family_of(SPMMI_DENSE));
    SPMM_TRY(propose_one(s, (spmm_compute_t)0, diag));
    if (tensor != 0)
        SPMM_TRY(propose_one(s, tensor, diag));
cleanup:
    return status;
}

static spmm_status_t build(const struct spmmi_search *s, const struct spmmi_candidate *c,
                           struct spmmi_part *part, spmm_diag_t *diag)
{
    (void)c;
    return spmmi_part_set_items(part, (uint64_t)s->pattern->rows, NULL, diag);
}

const struct spmmi_planner spmmi_dense_planner = {.family = SPMMI_DENSE,
                                                  .nonzeros_min = SPMMI_NONZEROS_MEASURED,
                                                  .needs_library = true,
                                                  .propose = propose,
                                                  .cost = spmmi_dense_cost,
                                                  .build = build};
