/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are far longer than the others of their unit of tensor cores: every block that they alone make is mostly
 * padding, and their unit holds the others up. Peeled, they are multiplied beside the rest by the rows family. */
#ifndef SPMMI_PEEL_H
#define SPMMI_PEEL_H

#include "kernels/tcblock/fragment_plan.h"

#define SPMMI_PEEL_TIMES 16   /* the median row of a unit: longer ones may be peeled */
#define SPMMI_PEEL_LEAST 64   /* nonzeros of a row that may be peeled */
#define SPMMI_PEEL_WORTH 0.97 /* of the time without, what peeling must be predicted to take at most */

/* The rows that may be peeled of the units of one height in one order, and what is left without them. */
struct spmmi_peel {
    const uint32_t *order; /* borrowed; NULL: that of A */
    uint32_t unit_rows;
    uint32_t *rows; /* count, ascending; owned */
    uint64_t count;
    int64_t nnz;
    struct spmmi_fragment_study
        study; /* of the other rows, in their order; none where count is 0 or all rows */
    struct spmmi_model_matrix of_peeled; /* the peeled rows by themselves */
};

/* Everything that was looked at for one op; decisions refer to it. All zero before. */
#define SPMMI_PEELS_MAX (4 * SPMMI_ORDER_KINDS) /* heights 8, 64, 128 and 256 */
struct spmmi_peels {
    struct spmmi_peel list[SPMMI_PEELS_MAX];
    int count;
};
void spmmi_peels_free(struct spmmi_peels *peels);

/* What peeling would make of the best configurations. */
struct spmmi_peel_choice {
    const struct spmmi_peel *peel; /* NULL: no row is long enough, or blocks are sparse without them too */
    struct spmmi_fragment_option option; /* with the granule, blocks and seconds of the two parts together */
    double blocks;                       /* of that configuration with all rows */
    bool pays;                           /* against the best without, if that may be taken */
};

/* choice: as spmmi_choose_fragment made it, with a model. Errors: MEMORY. */
spmm_status_t spmmi_peel_consider(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                  const struct spmmi_model_matrix *model, uint32_t layout, int64_t n,
                                  const struct spmmi_fragment_choice *choice, struct spmmi_peels *peels,
                                  struct spmmi_peel_choice *result, spmm_diag_t *diag);

/* Records of that; is_taken: it is what runs. Returns how many. */
#define SPMMI_PEEL_TRACE_MAX 2
int spmmi_peel_trace(const struct spmmi_request *r, const struct spmmi_peel_choice *c, bool is_taken,
                     struct spmmi_trace list[SPMMI_PEEL_TRACE_MAX]);

/* The rows leave a part that has all of them, and become a part of their own. Errors: MEMORY. */
spmm_status_t spmmi_peel_part(const struct spmmi_peel *peel, struct spmmi_part *part,
                              struct spmmi_part *peeled, spmm_diag_t *diag);

#endif
