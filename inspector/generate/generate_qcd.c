/* SPDX-License-Identifier: Apache-2.0 */
/* Lattice quantum chromodynamics: a periodic 4-D lattice with 4 spins x 3 colours per site. */
#include "generate.h"
#include "format/matrix/sorted_columns.h"

#define QCD_COLOURS 3
#define QCD_SPINS 4
#define QCD_UNKNOWNS (QCD_COLOURS * QCD_SPINS)
/* The site itself, 8 neighbours, and a second spin of the 4 forward neighbours. */
#define QCD_ROW (QCD_COLOURS * 13)

static int32_t *add_colours(int32_t *out, int64_t site, int64_t spin)
{
    for (int64_t c = 0; c < QCD_COLOURS; c++)
        *out++ = (int32_t)(site * QCD_UNKNOWNS + spin * QCD_COLOURS + c);
    return out;
}

/* Writes the columns of a row. Direction d rotates the spin by d + 1. The fourth rotation is the identity, so
 * a row has 36 nonzeros. */
static int64_t qcd_row(const void *context, int64_t row, int32_t *out)
{
    const int64_t side = *(const int64_t *)context;
    const int64_t site = row / QCD_UNKNOWNS;
    const int64_t spin = row % QCD_UNKNOWNS / QCD_COLOURS;
    int32_t *end = add_colours(out, site, spin);
    int64_t stride = 1;
    for (int64_t d = 0; d < 4; d++, stride *= side) {
        const int64_t x = site / stride % side;
        const int64_t forward = site + ((x + 1) % side - x) * stride;
        const int64_t backward = site + ((x + side - 1) % side - x) * stride;
        end = add_colours(end, backward, spin);
        end = add_colours(end, forward, spin);
        end = add_colours(end, forward, (spin + d + 1) % QCD_SPINS);
    }
    return spmmi_sort_unique(out, end - out);
}

spmm_status_t spmmi_generate_qcd(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    const int64_t rows = args[0] * args[0] * args[0] * args[0] * QCD_UNKNOWNS;
    const struct spmmi_row_source source = {
        .rows = rows,
        .cols = rows,
        .nnz_bound = rows * QCD_ROW,
        .row_bound = QCD_ROW,
        .fill = qcd_row,
        .context = args,
    };
    return spmmi_generate_rows(&source, matrix, diag);
}
