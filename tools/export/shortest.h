/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as decimals that read back exactly: with the fewest digits at which the value, rounded to them, gives the
 * same number again when it is read as a double and rounded to its type, as the inspector does. */
#ifndef SPMM_TOOLS_SHORTEST_H
#define SPMM_TOOLS_SHORTEST_H

#include <stddef.h>

#include "tools/cli/number.h"

#define SHORTEST_BYTES 32 /* of any number */

struct shortest {
    const struct value_type *type;
    int digits_first; /* so many digits survive a normal number of the type: what needs fewer ends in zeros */
    int digits_last;  /* so many always suffice */
    double least_normal;
};

struct shortest shortest_of(spmm_dtype_t type);

/* value is a number of the type, an infinity or a NaN: "inf", "-inf", "nan", "-nan". Returns the length; there is no
 * zero at the end. */
size_t shortest_write(const struct shortest *s, double value, char text[SHORTEST_BYTES]);

#endif
