/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix as a file of another program: the forms that spmm-export writes. */
#ifndef SPMM_TOOLS_EXPORT_MATRIX_H
#define SPMM_TOOLS_EXPORT_MATRIX_H

#include <spmm/metadata.h>
#include <spmm/symmetry.h>

#include "packed_stream.h"

struct export_source {
    const spmm_csr_t *a;      /* values NULL: a pattern; row pointers are int64_t, columns int32_t */
    const char *comments;     /* whole lines, for forms that have room for them, or "" */
    spmm_symmetry_t symmetry; /* SYMMETRIC or SKEW: forms that can write one triangle */
};

spmm_status_t export_mtx(struct packed_stream *stream, const struct export_source *from);
spmm_status_t export_smtx(struct packed_stream *stream, const struct export_source *from);
spmm_status_t export_npz(struct packed_stream *stream, const struct export_source *from);

struct export_form {
    const char *name; /* "mtx.gz", with a point before it the ending of a file */
    const char *text; /* a few words for the help */
    enum packing packing;
    int is_pattern_only; /* 1: it has no room for values */
    spmm_status_t (*write)(struct packed_stream *stream, const struct export_source *from);
};

/* By index 0, 1, ..; NULL past the last one. */
const struct export_form *export_form_at(int index);
/* The form that the name of a file ends with; NULL if there is none. */
const struct export_form *export_form_of_file(const char *path);

/* The metadata of a plan as comments of Matrix Market, "% key=value" a line, to be freed with free; NULL: memory is
 * short. Lines of more than the 1,024 bytes that the format allows are left out. */
char *export_comments(const spmm_plan_t *plan);

/* The first value that text cannot hold bit by bit, a NaN of other bits than those that "nan" or "-nan" read back as;
 * nnz if there is none. */
int64_t export_value_lost(const spmm_csr_t *a);

#endif
