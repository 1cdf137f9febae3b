/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the public load functions and the decoder. */
#ifndef SPMMI_PLAN_READ_H
#define SPMMI_PLAN_READ_H

#include "format/plan.h"
#include "plan_header.h"

struct spmmi_load {
    const char *name;      /* of the file, for the log */
    uint64_t budget_bytes; /* 0: the default */
    uint64_t held_bytes;   /* memory that the caller holds for this load: the bytes of the file */
    int threads;
    const struct spmmi_left
        *left; /* NULL: all bytes are in memory. Else, on failure, load again without it for the message */
};

/* Checks the caller's options, which may be NULL, and copies them to load. */
spmm_status_t spmmi_load_check(const spmm_load_options_t *options, struct spmmi_load *load,
                               spmm_diag_t *diag);

/* Decodes a plan from the bytes of a file. Writes *plan on success only. */
spmm_status_t spmmi_plan_decode(const uint8_t *bytes, uint64_t size, const struct spmmi_load *load,
                                spmm_plan_t **plan, spmm_diag_t *diag);

#ifdef SPMM_TEST_HOOKS
extern uint64_t spmmi_left_min_hook;   /* minimum stored bytes of a section that is left in the file */
extern uint64_t spmmi_left_loads_hook; /* number of loads that left sections in the file */
#endif

#endif
