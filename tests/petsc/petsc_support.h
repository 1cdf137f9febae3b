/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of MATSPMM share: matrices, comparison with MATSEQAIJ, sentences of errors, inspections. */
#ifndef SPMM_TESTS_PETSC_SUPPORT_H
#define SPMM_TESTS_PETSC_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <spmm/inspector.h>
#include <spmm/petsc.h>

/* In a test: PETSc says OK. */
#define OK(call) assert_int_equal((call), 0)
/* In a test: it fails, and the sentence holds this text. */
#define REFUSED(call, text)              \
    do {                                 \
        refusal_expect();                \
        assert_int_not_equal((call), 0); \
        refusal_check(text, #call);      \
    } while (0)

void refusal_expect(void);
void refusal_check(const char *text, const char *call);

/* PETSc, MATSPMM, and a count of inspections. */
int petsc_setup(void **state);
/* After the caller's SlepcFinalize or PetscFinalize. */
int inspections(void);

/* A MATSEQAIJ from a generator string or a file; spd 1: values of an SPD matrix where the pattern is symmetric. */
Mat aij_load(const char *source);
/* The same as a MATSPMM. */
Mat spmm_of(Mat aij);
Vec vector_random(Mat a, int is_left, double seed);
Mat block_random(Mat a, int is_left, PetscInt n, double seed);

/* got and expected are products op(A) x + y, computed in different orders of the sums. */
void assert_product(Mat aij, int is_transposed, Vec x, Vec y, Vec got, Vec expected);
void assert_products_equal(Mat aij, Mat spmm);

#endif
