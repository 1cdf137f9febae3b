/* SPDX-License-Identifier: Apache-2.0 */
/* Writes numbers as decimals that read back exactly. It uses the fewest digits for which the rounded
 * decimal gives the same number when it is read as a double and then rounded to the type, as the inspector
 * reads it. */
#ifndef SPMM_TOOLS_SHORTEST_H
#define SPMM_TOOLS_SHORTEST_H

#include <stddef.h>

#include "tools/cli/number.h"

#define SHORTEST_BYTES 32 /* enough for any number */

struct shortest {
    const struct value_type *type;
    int digits_first; /* decimals of this length survive rounding to a normal number */
    int digits_last;  /* this many digits are always enough */
    double least_normal;
};

struct shortest shortest_of(spmm_dtype_t type);

/* Writes value, which is a number of the type, an infinity or a NaN ("inf", "-inf", "nan", "-nan"). Returns
 * the length. The text does not end with a zero byte. */
size_t shortest_write(const struct shortest *s, double value, char text[SHORTEST_BYTES]);

#endif
