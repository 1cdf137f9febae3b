/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the public save functions and the encoder. */
#ifndef SPMMI_PLAN_WRITE_H
#define SPMMI_PLAN_WRITE_H

#include "format/plan.h"

/* Encodes a plan to the bytes of a file, which the caller frees with spmmi_free. options may be NULL. */
spmm_status_t spmmi_plan_encode(const spmm_plan_t *plan, const spmm_save_options_t *options, uint8_t **bytes,
                                uint64_t *size, spmm_diag_t *diag);

/* Returns the incompat features that the content of a plan needs. Frames and their order may need others. */
uint64_t spmmi_plan_features(const spmm_plan_t *plan);

#endif
