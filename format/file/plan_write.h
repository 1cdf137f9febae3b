/* SPDX-License-Identifier: Apache-2.0 */
/* Writing, between the public functions and the encoder. */
#ifndef SPMMI_PLAN_WRITE_H
#define SPMMI_PLAN_WRITE_H

#include "format/plan.h"

/* The bytes of a plan file, to be freed with spmmi_free. options may be NULL. */
spmm_status_t spmmi_plan_encode(const spmm_plan_t *plan, const spmm_save_options_t *options, uint8_t **bytes,
                                uint64_t *size, spmm_diag_t *diag);

/* The incompat features that a plan needs. */
uint64_t spmmi_plan_features(const spmm_plan_t *plan);

#endif
