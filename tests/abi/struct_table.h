/* SPDX-License-Identifier: Apache-2.0 */
/* All public structs that begin with struct_size, each with a call that takes it. */
#ifndef STRUCT_TABLE_H
#define STRUCT_TABLE_H

#include <spmm/spmm.h>

/* The objects that the calls work on. */
struct objects {
    spmm_matrix_t *matrix;
    spmm_plan_t *plan; /* written and read, so it has sections */
    spmm_executor_t *executor;
};

/* A struct that the library reads. */
struct input {
    const char *name;
    size_t size;
    const void *valid; /* a complete valid struct; members that are 0 have their defaults */
    size_t minimum;    /* smallest valid struct_size */
    size_t bad_at;     /* offset of a 4-byte member that must not be -1; size: none */
    spmm_status_t (*use)(const struct objects *objects, const void *given, spmm_diag_t *diag);
};
extern const struct input inputs[];
extern const size_t input_count;

/* A struct that the library fills. */
struct output {
    const char *name;
    size_t size;
    size_t varies_at; /* offset of an 8-byte member that differs in each call; size: none */
    spmm_status_t (*fill)(const struct objects *objects, void *info);
};
extern const struct output outputs[];
extern const size_t output_count;

#endif
