/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the requirement on any bytes that are given as a plan: they are refused with a sentence, or the plan
 * runs. If the requirement is violated, the program aborts with a sentence, in fuzzers and tests alike. */
#ifndef TEST_CONTENT_CHECK_H
#define TEST_CONTENT_CHECK_H

#include <spmm/executor.h>

#include "format/plan.h"
#include "stream.h"

/* A product is not computed if its B and C together exceed this size. An executor is made for every plan. */
#define TEST_CONTENT_DENSE_MAX (UINT64_C(8) << 20)
#define TEST_CONTENT_EXECUTOR_BUDGET (UINT64_C(64) << 20)

struct test_content_tally {
    uint64_t files, refused, executors, products;
    uint64_t over_budget; /* executors that were refused because of their budget */
    uint64_t too_large;   /* products that were not computed */
    uint64_t host_max;    /* largest host memory of an executor, in bytes */
    double seconds_max;   /* largest CPU time for one file */
};

/* Loads the file with the default budget or a small one. If it loads, makes an executor with the plan's own
 * choice and one for each kernel of a part. Each must stay within the predicted memory or be refused because
 * of its budget. Runs products of both ops and checks their elements against the matrix of the plan. *diag
 * holds the status and sentence of a refusal. */
spmm_status_t test_content_check(struct test_stream *stream, const uint8_t *bytes, size_t size,
                                 struct test_content_tally *tally, spmm_diag_t *diag);

/* Returns 1 if a valid plan may have this status: it must load, but a small budget may refuse it. */
int test_content_may_be(spmm_status_t status, const uint8_t *bytes, size_t size);

/* Runs products of both ops with one executor of the plan. values: the values that were set in the executor,
 * or NULL. */
void test_content_products(struct test_stream *stream, const spmm_plan_t *plan, const void *values,
                           spmm_executor_t *executor, struct test_content_tally *tally);

/* Aborts the program with a sentence if the condition is false. */
#define TEST_CONTENT_MUST(condition, ...)               \
    do {                                                \
        if (!(condition))                               \
            test_content_fail(#condition, __VA_ARGS__); \
    } while (0)
void test_content_fail(const char *condition, const char *format, ...);

#endif
