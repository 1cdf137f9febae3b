/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of format/permutation_list.def as a table of the kinds of row permutations, for plan files,
 * options and messages. The inspector computes the permutations (inspector/reorder/permutation_units.h). */
#ifndef SPMMI_PERMUTATION_H
#define SPMMI_PERMUTATION_H

#include <spmm/plan.h>

/* Kinds without a public enumerator. Callers find them with spmm_reorder_at. */
#define SPMMI_REORDER_COMMUNITIES ((spmm_reorder_t)6)
#define SPMMI_REORDER_GROWING ((spmm_reorder_t)7)

/* The number of rows of the list. Every kind but auto can be the permutation of a matrix. */
enum {
    SPMMI_PERMUTATION_ROWS = 0
#define WORD(...) +1
#define PERMUTATION(...) +1
#include "permutation_list.def"
#undef WORD
#undef PERMUTATION
};
#define SPMMI_PERMUTATION_KINDS (SPMMI_PERMUTATION_ROWS - 1)

/* The incompat feature bits of all permutations together. */
enum {
    SPMMI_PERMUTATION_FEATURES = 0
#define WORD(...)
#define PERMUTATION(name, id, number, feature, ...) | (feature)
#include "permutation_list.def"
#undef WORD
#undef PERMUTATION
};

/* The matrices for which a permutation can be computed. */
enum { SPMMI_MATRICES_ANY, SPMMI_MATRICES_SQUARE };

struct spmmi_permutation {
    spmm_reorder_t id;
    const char *name, *text;
    uint64_t feature;          /* incompat bit of plan files that name it; 0: none */
    int is_made, needs_square; /* is_made: the inspector computes it (neither auto nor none) */
    int64_t units_max;         /* maximum number of units; 0: no limit */
};

/* Both return NULL if there is no such row: an index out of range, or an unknown kind. */
const struct spmmi_permutation *spmmi_permutation_at(int index);
const struct spmmi_permutation *spmmi_permutation_of(spmm_reorder_t kind);

/* Returns true if the rows of a matrix can have this kind: any known kind but auto. */
int spmmi_permutation_is_kind(spmm_reorder_t kind);

#endif
