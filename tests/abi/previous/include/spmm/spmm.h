/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * All of spmm in one include. Programs that only run plans need executor.h alone.
 */
#ifndef SPMM_SPMM_H
#define SPMM_SPMM_H

#include "executor.h"
#include "inspector.h"
#include "jit.h"
#include "product.h"

#endif
