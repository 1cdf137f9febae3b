/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of format/permutation_list.def as a table: what plan files, options and messages know of each kind of
 * permutation. The inspector makes them (inspector/reorder/permutation_units.h). */
#ifndef SPMMI_PERMUTATION_H
#define SPMMI_PERMUTATION_H

#include <spmm/plan.h>

/* Kinds without a public enumerator: callers find them with spmm_reorder_at. */
#define SPMMI_REORDER_COMMUNITIES ((spmm_reorder_t)6)
#define SPMMI_REORDER_GROWING ((spmm_reorder_t)7)

/* Rows of the list; all of them but auto are permutations that a matrix may have. */
enum {
    SPMMI_PERMUTATION_ROWS = 0
#define WORD(...) +1
#define PERMUTATION(...) +1
#include "permutation_list.def"
#undef WORD
#undef PERMUTATION
};
#define SPMMI_PERMUTATION_KINDS (SPMMI_PERMUTATION_ROWS - 1)

/* Incompat bits of plan files that permutations have. */
enum {
    SPMMI_PERMUTATION_FEATURES = 0
#define WORD(...)
#define PERMUTATION(name, id, number, feature, ...) | (feature)
#include "permutation_list.def"
#undef WORD
#undef PERMUTATION
};

/* For which matrices a permutation exists. */
enum { SPMMI_MATRICES_ANY, SPMMI_MATRICES_SQUARE };

struct spmmi_permutation {
    spmm_reorder_t id;
    const char *name, *text;
    uint64_t feature;          /* of plan files that name it; 0: none */
    int is_made, needs_square; /* is_made: neither auto nor none */
    int64_t units_max;         /* 0: any */
};

/* NULL past the last row, and where there is no such kind. */
const struct spmmi_permutation *spmmi_permutation_at(int index);
const struct spmmi_permutation *spmmi_permutation_of(spmm_reorder_t kind);

/* Is it a kind that rows may have: any but auto? */
int spmmi_permutation_is_kind(spmm_reorder_t kind);

#endif
