/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the fuzz targets of readers share. */
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

/* A target runs on one input of arbitrary bytes. */
typedef void fuzz_target_fn(const uint8_t *data, size_t size);

/* Options for the next files. Each check sets threads and budget itself. */
extern spmm_read_options_t fuzz_read_options;

/* Reads a matrix from the bytes of a file with this name, with one thread and with three. A refused file must
 * give a reason. An accepted file must give the same canonical CSR for both, and again after it is printed as
 * Matrix Market and read. Memory must stay within 4 times the file and 16 MiB, or within 32 MiB if sizes in
 * the file ask for more. Returns the status of the read with one thread. */
spmm_status_t fuzz_matrix_file(const uint8_t *data, size_t size, const char *name);

/* Checks that two files of one matrix give the same status and the same CSR. */
void fuzz_same_matrix(const uint8_t *a, size_t a_size, const char *a_name, const uint8_t *b, size_t b_size,
                      const char *b_name);

/* Returns the input as a string. The caller frees it. */
char *fuzz_text(const uint8_t *data, size_t size);

#endif
