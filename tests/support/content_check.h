/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for any bytes that are given as a plan: they are refused with a sentence, or the plan runs. Aborts
 * with a sentence where it does not hold, so that fuzzers and tests see the same. */
#ifndef TEST_CONTENT_CHECK_H
#define TEST_CONTENT_CHECK_H

#include <spmm/executor.h>

#include "format/plan.h"
#include "stream.h"

/* Products whose B and C together are larger are not computed; an executor is made for every plan. */
#define TEST_CONTENT_DENSE_MAX (UINT64_C(8) << 20)
#define TEST_CONTENT_EXECUTOR_BUDGET (UINT64_C(64) << 20)

struct test_content_tally {
    uint64_t files, refused, executors, products;
    uint64_t over_budget; /* executors refused by their budget */
    uint64_t too_large;   /* products left out */
    uint64_t host_max;    /* bytes that an executor took */
    double seconds_max;   /* of the processor, for a file */
};

/* Loads the file with the default budget or a small one. If it loads: an executor with the plan's own choice and one
 * for each kernel that a part has, within the memory that is foretold or refused by its budget, and products of both
 * ops whose elements are judged against the matrix that the plan holds. Statuses and sentences of a refusal are left in
 * *diag. */
spmm_status_t test_content_check(struct test_stream *stream, const uint8_t *bytes, size_t size,
                                 struct test_content_tally *tally, spmm_diag_t *diag);

/* May a plan that nobody changed have this status? A small budget may refuse it; by default it must load. */
int test_content_may_be(spmm_status_t status, const uint8_t *bytes, size_t size);

/* Products of both ops by one executor of the plan. values: NULL, or those that the executor was given. */
void test_content_products(struct test_stream *stream, const spmm_plan_t *plan, const void *values,
                           spmm_executor_t *executor, struct test_content_tally *tally);

/* Stops the program with a sentence. */
#define TEST_CONTENT_MUST(condition, ...)               \
    do {                                                \
        if (!(condition))                               \
            test_content_fail(#condition, __VA_ARGS__); \
    } while (0)
void test_content_fail(const char *condition, const char *format, ...);

#endif
