/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a product. Each element is judged by an error bound that holds for any summation order:
 *
 *     |C_ij - expected| <= gamma(L + x(alpha) + 1) |alpha| (|A||B|)_ij + gamma(x(beta) + 2) |beta C0_ij|
 *                          + (L max(1, |alpha|) + x(alpha) + x(beta)) eta,
 *     gamma(k) = k u / (1 - k u), at most 1
 *
 * L is the number of entries of the row, u the unit roundoff of f32 or f64, and eta the smallest positive
 * number of that type. x(f) is the number of roundings of a factor f: 0 for 1, else 1, plus 1 if the type
 * cannot represent f. The terms 1 and 2 stand for additions of beta C0; they count only if beta is not 0,
 * and are at most L.
 *
 * Products of f16 and bf16 are summed in f32, whatever the types of B and C are. So u, eta and x of this
 * bound E are those of f32. If C is stored as f16 or bf16, the sum is rounded once more. With v the unit
 * roundoff (2^-11, 2^-8) and h the smallest positive number (2^-24, 2^-133) of the stored type:
 *
 *     |C_ij - expected| <= E + v (|expected| + E) + h / 2
 *
 * because the sum s has |s - expected| <= E, and storing s has an error of at most v |s| or h / 2. If the
 * bound allows a sum so large that the type rounds it to infinity, the infinity of that sign is also right.
 * The second term contains |expected| and not the sum of magnitudes, so sums kept in the narrow type do not
 * pass.
 *
 * Products whose factors are rounded or split, or that are summed on tensor cores, have the wider bound of
 * docs/accuracy.md.
 *
 * The error ratio is the maximum of error / bound; a product is right if it is at most 1. NaN must match
 * NaN, and infinity the same infinity. An infinity or NaN may replace a finite number only if the sum of
 * magnitudes exceeds the range of the type, because some summation orders then overflow; a finite result
 * must still satisfy the bound. The reference is computed in a wider type than the product. */
#ifndef SPMM_TOOLS_CHECK_H
#define SPMM_TOOLS_CHECK_H

#include "check_input.h"

struct check_result {
    double ratio;     /* the error ratio; infinite if no error was allowed or a NaN is in a wrong place */
    int64_t row, col; /* the element with this ratio; -1 for an empty product */
    double found, expected;
};

/* Returns the bytes that check_product needs, including B of its input as doubles (b_rows rows) but not A.
 * Returns UINT64_MAX on overflow. */
uint64_t check_product_bytes(int64_t b_rows, int64_t n);

/* Checks every row of c, which is in host memory. */
spmm_status_t check_product(const struct check_input *input, const spmm_dense_t *c,
                            struct check_result *result, spmm_diag_t *diag);

/* Expected values and bounds of some rows, kept for many products of the same matrix. */
struct check_reference;

/* Returns the bytes that a reference holds, plus the bytes needed to compute it. */
uint64_t check_reference_bytes(int64_t row_count, int64_t n);
/* Computes the reference. rows are ascending row numbers and are copied. */
spmm_status_t check_reference_make(const struct check_input *input, const int64_t *rows, int64_t row_count,
                                   struct check_reference **reference, spmm_diag_t *diag);
/* Checks the rows of the reference in c. c may have only the first columns of the reference. In the other
 * rows only NaNs are searched for, because memory that no kernel wrote is filled with NaN. This search is
 * skipped if the product itself may contain NaN. */
struct check_result check_against(const struct check_reference *reference, const spmm_dense_t *c,
                                  struct arithmetic arithmetic);
void check_reference_free(struct check_reference *reference);

#endif
