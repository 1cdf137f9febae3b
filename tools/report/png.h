/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of 16 colours as PNG files, written into a page as data: address. */
#ifndef SPMM_TOOLS_PNG_H
#define SPMM_TOOLS_PNG_H

#include <stdint.h>
#include <stdio.h>

#include <spmm/common.h>

#define PNG_COLOURS 16

struct png_picture {
    uint32_t width, height;          /* at least 1 each, at most 4096 */
    const uint8_t *pixels;           /* width * height colours, row by row */
    uint8_t palette[PNG_COLOURS][3]; /* red, green, blue */
};

/* "data:image/png;base64,..". Errors: MEMORY. */
spmm_status_t png_print_address(FILE *out, const struct png_picture *picture, spmm_diag_t *diag);

#endif
