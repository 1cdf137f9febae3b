/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which a panel of the tensor cores walks its columns. The inspector counts the blocks that this order
 * makes, the executor stores them. */
#ifndef SPMMI_GRAY_H
#define SPMMI_GRAY_H

#include <stdint.h>

/* Place of a set of windows in the reflected Gray code, where neighbours differ in one window: columns sorted by the
 * place of the windows that hold them (bit w: window w of the panel) make few blocks, as those that follow each other
 * lie in much the same windows. A panel takes its columns by this place, columns of one place ascending. */
static inline uint32_t spmmi_gray_place(uint32_t windows)
{
    for (int shift = 1; shift < 32; shift *= 2)
        windows ^= windows >> shift;
    return windows;
}

#endif
