/* SPDX-License-Identifier: Apache-2.0 */
/* A second copy of op(A) on a GPU, in addition to the stream of the rows: pieces of rows, slices of rows, or
 * blocks with lists of columns. */
#ifndef SPMMI_ROWS_COPY_CUDA_H
#define SPMMI_ROWS_COPY_CUDA_H

#include "executor/cuda/cuda_value_memory.h"

/* The first member of every such object, so that a pointer to the object is a pointer to it. */
struct spmmi_rows_copy {
    struct spmmi_value_memory new_values; /* the values; in pieces also a map */
    struct spmmi_device_block memory;     /* the arrays of the object, and its values if they are held */
};

/* Functions of struct spmmi_shared_kind. object: begins with a struct spmmi_rows_copy, from spmmi_alloc; may
 * be NULL in spmmi_rows_copy_destroy. */
void spmmi_rows_copy_destroy(void *object);
struct spmmi_value_memory *spmmi_rows_copy_value_memory(void *object, int index);

/* Returns true if the caller names a kernel of this way, such as "sliced" in v1l4sliced (shape_name of
 * rows_cuda.c). The copy is then made whether it pays or not. */
int spmmi_rows_copy_is_named(const struct spmmi_part_source *source, const char *way);

#endif
