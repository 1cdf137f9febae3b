/* SPDX-License-Identifier: Apache-2.0 */
/* PNG pictures with 16 colours, written into a page as data: addresses. */
#ifndef SPMM_TOOLS_PNG_H
#define SPMM_TOOLS_PNG_H

#include <stdint.h>
#include <stdio.h>

#include <spmm/common.h>

#define PNG_COLOURS 16

struct png_picture {
    uint32_t width, height;          /* 1 to 4096 each */
    const uint8_t *pixels;           /* width * height indices into palette, row by row */
    uint8_t palette[PNG_COLOURS][3]; /* red, green, blue */
};

/* Prints "data:image/png;base64,..". Errors: MEMORY. */
spmm_status_t png_print_address(FILE *out, const struct png_picture *picture, spmm_diag_t *diag);

#endif
