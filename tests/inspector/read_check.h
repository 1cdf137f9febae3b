/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of readers ask of them. */
#ifndef READ_CHECK_H
#define READ_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include <spmm/inspector.h>

/* Read bytes that are a matrix; the test fails when they are not. */
spmm_matrix_t *must_read(const char *file, const void *bytes, size_t size);
/* A file of tests/data/formats. */
spmm_matrix_t *must_load(const char *file);

/* The same by these options, whatever format they are of. */
spmm_matrix_t *must_read_by(const char *file, const void *bytes, size_t size,
                            const spmm_read_options_t *options);

/* The same CSR, bit by bit, and plans with the same digests. */
void assert_same_matrix(const char *what, const spmm_matrix_t *a, const spmm_matrix_t *b);

/* Refused with this status, at this line, with a sentence that holds the excerpt; nothing stays allocated. */
struct refusal {
    const char *name;
    spmm_status_t status;
    uint64_t line;
    const char *excerpt;
};
void check_refusal(const struct refusal *refusal, const char *file, const void *bytes, size_t size);
void check_refusal_by(const struct refusal *refusal, const char *file, const void *bytes, size_t size,
                      const spmm_read_options_t *options);

/* Whatever is read or refused, it is so in good order: every beginning of the bytes, and the bytes with any one of them
 * changed to every other value (of step 1; to every step-th). A beginning shorter than must_fail is refused. */
void survive_truncations(const char *file, const void *bytes, size_t size, size_t must_fail);
void survive_changes(const char *file, const void *bytes, size_t size, unsigned step);
/* Every allocation fails once. */
void survive_failing_allocations(const char *file, const void *bytes, size_t size);

/* All bytes of a file of tests/data/formats; freed by the caller. */
unsigned char *bytes_of(const char *file, size_t *size);

#endif
