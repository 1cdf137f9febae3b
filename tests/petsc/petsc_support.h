/* SPDX-License-Identifier: Apache-2.0 */
/* Support for the tests of MATSPMM: matrices, comparison with MATSEQAIJ, error messages, a count of
 * inspections. */
#ifndef SPMM_TESTS_PETSC_SUPPORT_H
#define SPMM_TESTS_PETSC_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <spmm/inspector.h>
#include <spmm/petsc.h>

/* Checks that a PETSc call succeeds. */
#define OK(call) assert_int_equal((call), 0)
/* Checks that a call fails and that its error message contains the text. */
#define REFUSED(call, text)              \
    do {                                 \
        refusal_expect();                \
        assert_int_not_equal((call), 0); \
        refusal_check(text, #call);      \
    } while (0)

void refusal_expect(void);
void refusal_check(const char *text, const char *call);

/* Registers MATSPMM and starts the count of inspections. PETSc must be initialized. */
int petsc_setup(void **state);
/* Returns the number of inspections since the last call and sets it to 0. */
int inspections(void);

/* Returns a MATSEQAIJ from a generator string or a file. The caller destroys it. */
Mat aij_load(const char *source);
/* Returns a copy of the matrix as a MATSPMM. The caller destroys it. */
Mat spmm_of(Mat aij);
/* Return a vector, or a dense matrix of n columns, of reproducible values. Its length is the number of rows
 * of a if is_left, otherwise the number of columns. The caller destroys it. */
Vec vector_random(Mat a, int is_left, double seed);
Mat block_random(Mat a, int is_left, PetscInt n, double seed);

/* Checks that got equals expected within rounding. Both are op(A) x + y, but may add in different orders. y
 * may be NULL. */
void assert_product(Mat aij, int is_transposed, Vec x, Vec y, Vec got, Vec expected);
/* Checks that A x is the same for both matrices within rounding. */
void assert_products_equal(Mat aij, Mat spmm);

#endif
