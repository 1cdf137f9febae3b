/* SPDX-License-Identifier: Apache-2.0 */
/* What one method of one case takes: time of its product, of the host and of getting ready, memory, calls of CUDA. */
#ifndef SPMM_TESTS_SPECIALISED_MEASURE_H
#define SPMM_TESTS_SPECIALISED_MEASURE_H

#include "api_calls.h"
#include "method.h"
#include "tools/bench/bench_site.h"

struct measured {
    struct method_facts facts;
    struct bench_result result; /* cold time and judgement of the product */
    double first_ms;      /* to make it ready in this process for the first time: with the compiler, if any */
    double setup_ms;      /* the same again, median; what was compiled comes from the cache */
    double host_us;       /* that a call takes until it returns, median */
    uint64_t taken_bytes; /* of the GPU, by what CUDA says is free; it gives out whole pages of 2 MiB */
};

/* Errors: UNSUPPORTED where the method does not take the case, and what its functions answer. */
spmm_status_t measure_method(const struct method *method, const struct method_case *of,
                             struct bench_site *site, struct measured *measured, spmm_diag_t *diag);

/* Calls to make it ready, for one product, and to end it: of a process that has done all that before. */
struct counted {
    struct api_calls setup, product, end;
};
spmm_status_t count_method(const struct method *method, const struct method_case *of, struct counted *counted,
                           spmm_diag_t *diag);

#endif
