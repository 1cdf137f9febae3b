/* SPDX-License-Identifier: Apache-2.0 */
/* Measures one method on one case: times of the product, of the host and of the preparation, memory, calls
 * of the CUDA driver. */
#ifndef SPMM_TESTS_SPECIALISED_MEASURE_H
#define SPMM_TESTS_SPECIALISED_MEASURE_H

#include "api_calls.h"
#include "method.h"
#include "tools/bench/bench_site.h"

struct measured {
    struct method_facts facts;
    struct bench_result result; /* cold time and correctness of the product */
    double first_ms;      /* time of the first preparation in this process, including compilation, if any */
    double setup_ms;      /* median time of later preparations; compiled code is cached */
    double host_us;       /* median time until a call returns */
    uint64_t taken_bytes; /* device memory by the difference of free memory; CUDA allocates pages of 2 MiB */
};

/* Returns UNSUPPORTED if the method cannot run the case, else the status of its functions. */
spmm_status_t measure_method(const struct method *method, const struct method_case *of,
                             struct bench_site *site, struct measured *measured, spmm_diag_t *diag);

/* Calls for the preparation, for one product and for the end, in a process that has done all of this
 * before. */
struct counted {
    struct api_calls setup, product, end;
};
spmm_status_t count_method(const struct method *method, const struct method_case *of, struct counted *counted,
                           spmm_diag_t *diag);

#endif
