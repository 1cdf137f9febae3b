/* SPDX-License-Identifier: Apache-2.0 */
/* The golden files: good plans of every kind, and one bad plan for each rule of docs/plan-format.md. */
#ifndef TEST_GOLDEN_CASES_H
#define TEST_GOLDEN_CASES_H

#include <stddef.h>

#include "format/plan.h"

struct golden_good {
    const char *name;
    uint8_t *(*make)(size_t *size); /* free with free() */
    int is_canonical;               /* writing the loaded plan gives the same bytes */
};
extern const struct golden_good golden_good_cases[];
extern const size_t golden_good_count;
uint8_t *golden_good_make(const char *name, size_t *size);
/* Returns the file of the plan and destroys the plan. Free it with free(). */
uint8_t *golden_written(spmm_plan_t *plan, size_t *size);

struct golden_bad {
    const char *name;
    spmm_status_t status;
    uint32_t kind; /* see golden_bad.c */
    const char *base;
    uint32_t type, part, offset, width;
    uint64_t value;
    const char *text;
    void (*plan)(spmm_plan_t *plan);
    uint8_t *(*make)(size_t *size);
};
extern const struct golden_bad golden_bad_cases[];
extern const size_t golden_bad_count;
uint8_t *golden_bad_make(const struct golden_bad *bad, size_t *size);

/* Returns the committed file tests/golden/FOLDER/NAME.SUFFIX, NULL if there is none. Free it with free(). */
uint8_t *golden_read(const char *folder, const char *name, const char *suffix, size_t *size);

#endif
