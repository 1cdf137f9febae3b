/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that tests of readers share. */
#ifndef READ_CHECK_H
#define READ_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include <spmm/inspector.h>

/* Reads a matrix from bytes and fails the test if the reader refuses them. The caller destroys the matrix. */
spmm_matrix_t *must_read(const char *file, const void *bytes, size_t size);
/* Loads a file of tests/data/formats. */
spmm_matrix_t *must_load(const char *file);

/* Reads bytes of any format with these options. */
spmm_matrix_t *must_read_by(const char *file, const void *bytes, size_t size,
                            const spmm_read_options_t *options);

/* Checks that both matrices have the same CSR, bit by bit, and that their plans have the same digests. */
void assert_same_matrix(const char *what, const spmm_matrix_t *a, const spmm_matrix_t *b);

/* Expected refusal: the status, the line and an excerpt of the error message. check_refusal also checks that
 * nothing stays allocated. */
struct refusal {
    const char *name;
    spmm_status_t status;
    uint64_t line;
    const char *excerpt;
};
void check_refusal(const struct refusal *refusal, const char *file, const void *bytes, size_t size);
void check_refusal_by(const struct refusal *refusal, const char *file, const void *bytes, size_t size,
                      const spmm_read_options_t *options);

/* Check that reading succeeds or fails properly for damaged bytes: with a message if it fails, and without
 * leaks. survive_truncations reads every prefix; a prefix shorter than must_fail must be refused.
 * survive_changes replaces each byte by every other value (step 1), or by every step-th one. */
void survive_truncations(const char *file, const void *bytes, size_t size, size_t must_fail);
void survive_changes(const char *file, const void *bytes, size_t size, unsigned step);
/* Reads once for each allocation, lets that allocation fail, and checks that the read reports it. */
void survive_failing_allocations(const char *file, const void *bytes, size_t size);

/* Returns all bytes of a file of tests/data/formats. The caller frees them. */
unsigned char *bytes_of(const char *file, size_t *size);

#endif
