/* SPDX-License-Identifier: Apache-2.0 */
/* Partition of the rows into the items of a part, as format/plan.h defines items. */
#ifndef SPMMI_PARTITION_H
#define SPMMI_PARTITION_H

#include "format/plan.h"

/* Fills op, family, schedule, item size and items of a part. rows and row_ptr belong to op(A). Returns
 * SPMM_ERR_MEMORY if the items cannot be allocated. */
spmm_status_t spmmi_partition(spmm_op_t op, spmm_schedule_t schedule, uint32_t item_size, int64_t rows,
                              const int64_t *row_ptr, int threads, struct spmmi_part *part);

#endif
