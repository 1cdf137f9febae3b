/* SPDX-License-Identifier: Apache-2.0 */
/* Random dot products: how many come out as a model says, and how far they are from exact. */
#ifndef TEST_TENSOR_RANDOM_H
#define TEST_TENSOR_RANDOM_H

#include "tensor_measure.h"

/* Fills in the order of f64, model_matches, model_tried, bound_share and roundings. */
void tensor_random_check(enum tensor_mma mma, tensor_run run, void *context, struct tensor_findings *found);

#endif
