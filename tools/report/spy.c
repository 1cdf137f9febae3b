/* SPDX-License-Identifier: Apache-2.0 */
/* See spy.h. */
#include "spy.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "png.h"
#include "tools/cli/fail.h"
#include "tools/cli/print_text.h"

#define COARSE_PIXELS 256 /* smaller pictures are enlarged without smoothing */
#define ASPECT_MAX 3.0    /* maximum aspect ratio of the picture; longer matrices are compressed */

/* Number of nonzeros of each pixel. */
struct grid {
    uint32_t width, height;
    uint64_t *count;
    uint64_t most;
};

static uint32_t pixels_of(int64_t length)
{
    return length < SPY_PIXELS ? (uint32_t)length : SPY_PIXELS;
}

/* Returns the pixel of row or column i of `length`. Both are below 2^31. */
static uint32_t pixel_of(uint64_t i, int64_t length, uint32_t pixels)
{
    return (uint32_t)(i * pixels / (uint64_t)length);
}

static void count_entries(const struct spy *spy, struct grid *grid)
{
    const spmm_csr_t *a = spy->a;
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *col_ind = a->col_ind;
    for (int64_t i = 0; i < a->rows; i++) {
        if (row_ptr[i] == row_ptr[i + 1])
            continue;
        const uint64_t row = spy->row_at != NULL ? spy->row_at[i] : (uint64_t)i;
        uint64_t *line = grid->count + (size_t)pixel_of(row, a->rows, grid->height) * grid->width;
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++) {
            const uint64_t j = (uint64_t)col_ind[p];
            line[pixel_of(spy->col_at != NULL ? spy->col_at[j] : j, a->cols, grid->width)]++;
        }
    }
    for (size_t i = 0; i < (size_t)grid->width * grid->height; i++)
        grid->most = grid->count[i] > grid->most ? grid->count[i] : grid->most;
}

/* Assigns colour 0 to empty pixels and colours 1 to 15 to 1 to `most` nonzeros, on a logarithmic scale. The
 * fullest pixels are the darkest. */
static void shade(const struct grid *grid, uint8_t *pixels)
{
    const double scale = grid->most > 1 ? (PNG_COLOURS - 2) / log((double)grid->most) : 0;
    for (size_t i = 0; i < (size_t)grid->width * grid->height; i++) {
        const uint64_t count = grid->count[i];
        const int level = grid->most > 1 ? 1 + (int)(scale * log((double)count)) : PNG_COLOURS - 1;
        pixels[i] = (uint8_t)(count == 0 ? 0 : level < PNG_COLOURS ? level : PNG_COLOURS - 1);
    }
}

/* White, then from a blue in which a single pixel is visible to almost black. */
static void set_palette(struct png_picture *picture)
{
    static const int lightest[3] = {0x86, 0xb6, 0xe8}, darkest[3] = {0x05, 0x14, 0x30};
    for (int c = 0; c < 3; c++) {
        picture->palette[0][c] = 0xff;
        for (int i = 1; i < PNG_COLOURS; i++)
            picture->palette[i][c] =
                (uint8_t)(lightest[c] + (darkest[c] - lightest[c]) * (i - 1) / (PNG_COLOURS - 2));
    }
}

static void print_caption(struct html *h, const struct spy *spy, const struct grid *grid, const char *caption)
{
    char rows[PRINT_UNITS_BYTES], cols[PRINT_UNITS_BYTES], most[PRINT_UNITS_BYTES];
    html_markup(h, "<figcaption><b>");
    html_text(h, "%s", caption);
    html_markup(h, "</b><br/>");
    html_text(h, "%s x %s; ", print_plural(rows, spy->a->rows, "row"),
              print_plural(cols, spy->a->cols, "column"));
    if (grid->most == 1)
        html_text(h, "a pixel is at most 1 nonzero.");
    else
        html_text(h, "a pixel is up to %s nonzeros, on a logarithmic scale.",
                  print_count(most, (int64_t)grid->most));
    html_markup(h, "</figcaption></figure>\n");
}

static spmm_status_t draw(struct html *h, const struct spy *spy, const struct grid *grid, const char *caption,
                          uint8_t *pixels, spmm_diag_t *diag)
{
    struct png_picture picture = {.width = grid->width, .height = grid->height, .pixels = pixels};
    const double aspect = (double)spy->a->cols / (double)spy->a->rows;
    const bool is_coarse = grid->width < COARSE_PIXELS || grid->height < COARSE_PIXELS;
    set_palette(&picture);
    shade(grid, pixels);
    html_markup(h, is_coarse ? "<figure><img class=\"spy coarse\"" : "<figure><img class=\"spy\"");
    fprintf(h->out, " style=\"aspect-ratio:%.4f\" width=\"%u\" height=\"%u\" alt=\"",
            fmin(fmax(aspect, 1 / ASPECT_MAX), ASPECT_MAX), grid->width, grid->height);
    html_text(h, "Spy plot, density of the nonzeros: %s", caption);
    html_markup(h, "\" src=\"");
    const spmm_status_t status = png_print_address(h->out, &picture, diag);
    html_markup(h, "\"/>\n");
    print_caption(h, spy, grid, caption);
    return status;
}

spmm_status_t spy_picture(struct html *h, const struct spy *spy, const char *caption, spmm_diag_t *diag)
{
    struct grid grid = {.width = pixels_of(spy->a->cols), .height = pixels_of(spy->a->rows)};
    const size_t size = (size_t)grid.width * grid.height;
    if (spy->a->nnz == 0) {
        html_markup(h, "<p>");
        html_text(h, "The matrix has no nonzeros: there is nothing to draw.");
        html_markup(h, "</p>\n");
        return SPMM_OK;
    }
    grid.count = calloc(size, sizeof *grid.count);
    uint8_t *pixels = malloc(size);
    spmm_status_t status = SPMM_OK;
    if (grid.count == NULL || pixels == NULL)
        status = fail_memory(diag, size * (sizeof *grid.count + 1), "a spy plot");
    if (status == SPMM_OK) {
        count_entries(spy, &grid);
        status = draw(h, spy, &grid, caption, pixels, diag);
    }
    free(pixels);
    free(grid.count);
    return status;
}
