/* SPDX-License-Identifier: Apache-2.0 */
/* Loading, between the public functions and the decoder. */
#ifndef SPMMI_PLAN_READ_H
#define SPMMI_PLAN_READ_H

#include "format/plan.h"
#include "plan_header.h"

struct spmmi_load {
    const char *name;      /* of the file, for the log */
    uint64_t budget_bytes; /* 0 = default */
    uint64_t held_bytes;   /* taken by the caller for this load: the file's bytes */
    int threads;
    const struct spmmi_left
        *left; /* NULL: all bytes are there. Else a failure says nothing: load again without */
};

/* Check and read the caller's options, which may be NULL. */
spmm_status_t spmmi_load_check(const spmm_load_options_t *options, struct spmmi_load *load,
                               spmm_diag_t *diag);

/* A plan from the bytes of a file; *plan is written on success only. */
spmm_status_t spmmi_plan_decode(const uint8_t *bytes, uint64_t size, const struct spmmi_load *load,
                                spmm_plan_t **plan, spmm_diag_t *diag);

#ifdef SPMM_TEST_HOOKS
extern uint64_t spmmi_left_min_hook;   /* stored bytes from which the frames of a section stay in the file */
extern uint64_t spmmi_left_loads_hook; /* loads that were done so */
#endif

#endif
