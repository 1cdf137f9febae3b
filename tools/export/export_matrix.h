/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a sparse matrix as a file of another program: the formats of spmm-export. */
#ifndef SPMM_TOOLS_EXPORT_MATRIX_H
#define SPMM_TOOLS_EXPORT_MATRIX_H

#include <spmm/metadata.h>
#include <spmm/symmetry.h>

#include "packed_stream.h"

struct export_source {
    const spmm_csr_t *a;      /* values NULL: a pattern; row pointers are int64_t, columns int32_t */
    const char *comments;     /* whole lines for formats that have comments, or "" */
    spmm_symmetry_t symmetry; /* SYMMETRIC or SKEW: formats that can do so write one triangle */
};

spmm_status_t export_mtx(struct packed_stream *stream, const struct export_source *from);
spmm_status_t export_smtx(struct packed_stream *stream, const struct export_source *from);
spmm_status_t export_npz(struct packed_stream *stream, const struct export_source *from);

struct export_form {
    const char *name; /* "mtx.gz": with a dot in front, the ending of a file name */
    const char *text; /* a few words for the help */
    enum packing packing;
    int is_pattern_only; /* 1: the format cannot store values */
    spmm_status_t (*write)(struct packed_stream *stream, const struct export_source *from);
};

/* Returns the forms by index 0, 1, ..; NULL past the last one. */
const struct export_form *export_form_at(int index);
/* Returns the form whose name is the ending of the path, or NULL. */
const struct export_form *export_form_of_file(const char *path);

/* Returns the metadata of a plan as comments of Matrix Market, one "% key=value" per line, which the caller
 * frees with free; NULL if memory is short. Lines longer than the 1,024 bytes that the format allows are
 * omitted. */
char *export_comments(const spmm_plan_t *plan);

/* Returns the index of the first value that text cannot store bit for bit: a NaN whose bits differ from those
 * that "nan" or "-nan" read back as. Returns nnz if there is none. */
int64_t export_value_lost(const spmm_csr_t *a);

#endif
