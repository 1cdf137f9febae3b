/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzz targets of readers share. */
#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <spmm/inspector.h>

static inline void must(int condition)
{
    if (!condition)
        abort();
}

/* A target: one input, which nobody has looked at. */
typedef void fuzz_target_fn(const uint8_t *data, size_t size);

/* How the next files are read; threads and budget are those of each check. */
extern spmm_read_options_t fuzz_read_options;

/* Read a matrix from bytes of a file of this name, at one thread and at three. What is refused says why; what is read
 * is a canonical CSR, the same for both, and the same again when it is printed as Matrix Market and read. Memory stays
 * within 4 times the file and 16 MiB, unless the file's own sizes ask for more. Returns the status. */
spmm_status_t fuzz_matrix_file(const uint8_t *data, size_t size, const char *name);

/* Two readings of one matrix: the same status and the same CSR. */
void fuzz_same_matrix(const uint8_t *a, size_t a_size, const char *a_name, const uint8_t *b, size_t b_size,
                      const char *b_name);

/* The input as a string; freed by the caller. */
char *fuzz_text(const uint8_t *data, size_t size);

#endif
