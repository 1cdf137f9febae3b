/* SPDX-License-Identifier: Apache-2.0 */
/* Random dot products: counts how many a model reproduces, and measures their distance from the exact
 * result. */
#ifndef TEST_TENSOR_RANDOM_H
#define TEST_TENSOR_RANDOM_H

#include "tensor_measure.h"

/* Sets the order of f64, model_matches, model_tried, bound_share and roundings in *found. */
void tensor_random_check(enum tensor_mma mma, tensor_run run, void *context, struct tensor_findings *found);

#endif
