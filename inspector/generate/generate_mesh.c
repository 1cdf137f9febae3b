/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up matrices with structure: meshes, lattices, bands, arrows, dense ones. */
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "generate.h"

#define SHUFFLE_SEED UINT64_C(11)
#define STENCIL 27 /* neighbours of a node of a brick mesh, itself included */

/* ---- Brick meshes: every node sees the 26 around it, with all unknowns of both. ---- */

struct mesh {
    int64_t nx, ny, nz;
    int64_t unknowns;       /* of one node */
    const int32_t *number;  /* new number of a node; NULL keeps the natural order */
    const int32_t *natural; /* the inverse */
};

static int64_t mesh_row(const void *context, int64_t row, int32_t *out)
{
    const struct mesh *m = context;
    const int64_t node = m->natural != NULL ? m->natural[row / m->unknowns] : row / m->unknowns;
    const int64_t x = node % m->nx;
    const int64_t y = node / m->nx % m->ny;
    const int64_t z = node / m->nx / m->ny;
    int32_t nodes[STENCIL];
    int64_t count = 0;
    for (int64_t zz = z > 0 ? z - 1 : 0; zz <= z + 1 && zz < m->nz; zz++) {
        for (int64_t yy = y > 0 ? y - 1 : 0; yy <= y + 1 && yy < m->ny; yy++) {
            for (int64_t xx = x > 0 ? x - 1 : 0; xx <= x + 1 && xx < m->nx; xx++) {
                const int64_t other = (zz * m->ny + yy) * m->nx + xx;
                nodes[count++] = m->number != NULL ? m->number[other] : (int32_t)other;
            }
        }
    }
    count = spmmi_sort_unique(nodes, count);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t u = 0; u < m->unknowns; u++)
            *out++ = (int32_t)(nodes[i] * m->unknowns + u);
    }
    return count * m->unknowns;
}

/* Nonzeros of a line of n nodes, each seeing itself and its neighbours. */
static int64_t line_nnz(int64_t n)
{
    return 3 * n - 2;
}

static spmm_status_t build_mesh(struct mesh mesh, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    /* Sides are at most 2^16, so all of this stays below 2^58. */
    const int64_t rows = mesh.nx * mesh.ny * mesh.nz * mesh.unknowns;
    const int64_t nnz =
        line_nnz(mesh.nx) * line_nnz(mesh.ny) * line_nnz(mesh.nz) * mesh.unknowns * mesh.unknowns;
    const struct spmmi_row_source source = {
        .rows = rows,
        .cols = rows,
        .nnz_bound = nnz,
        .row_bound = STENCIL * mesh.unknowns,
        .fill = mesh_row,
        .context = &mesh,
    };
    return spmmi_generate_rows(&source, matrix, diag);
}

spmm_status_t spmmi_generate_fem3(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    return build_mesh((struct mesh){args[0], args[1], args[2], 3, NULL, NULL}, matrix, diag);
}

spmm_status_t spmmi_generate_lap27(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    return build_mesh((struct mesh){args[0], args[0], args[0], 1, NULL, NULL}, matrix, diag);
}

spmm_status_t spmmi_generate_femshuf(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int32_t *number = NULL;
    int32_t *natural = NULL;
    const int64_t nodes = args[0] * args[1] * args[2];
    SPMM_TRY(spmmi_generate_check_size(3 * nodes, 3 * nodes, 0, diag));
    number = spmmi_random_permutation(nodes, SHUFFLE_SEED);
    SPMM_TRY_ALLOC(number, diag);
    natural = spmmi_alloc((uint64_t)nodes, sizeof *natural);
    SPMM_TRY_ALLOC(natural, diag);
    for (int64_t i = 0; i < nodes; i++)
        natural[number[i]] = (int32_t)i;
    SPMM_TRY(build_mesh((struct mesh){args[0], args[1], args[2], 3, number, natural}, matrix, diag));
cleanup:
    spmmi_free(natural);
    spmmi_free(number);
    return status;
}

/* ---- Lattice quantum chromodynamics: periodic 4-D lattice, 4 spins times 3 colours at a site. ---- */

#define QCD_COLOURS 3
#define QCD_SPINS 4
#define QCD_UNKNOWNS (QCD_COLOURS * QCD_SPINS)
#define QCD_ROW (QCD_COLOURS * 13) /* itself; 8 neighbours; another spin of the 4 forward ones */

static int32_t *add_colours(int32_t *out, int64_t site, int64_t spin)
{
    for (int64_t c = 0; c < QCD_COLOURS; c++)
        *out++ = (int32_t)(site * QCD_UNKNOWNS + spin * QCD_COLOURS + c);
    return out;
}

/* Direction d turns the spin by d + 1; the fourth turn is a full one, so a row has 36 nonzeros. */
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

/* ---- Rows that are one run of columns: bands, the diagonal, dense and empty matrices. ---- */

struct band {
    int64_t rows, cols, lower, upper;
};

static int64_t band_first(const struct band *b, int64_t row)
{
    return row > b->lower ? row - b->lower : 0;
}

static int64_t band_length(const void *context, int64_t row)
{
    const struct band *b = context;
    const int64_t end = row + b->upper + 1 < b->cols ? row + b->upper + 1 : b->cols;
    const int64_t first = band_first(b, row);
    return end > first ? end - first : 0;
}

static int64_t band_row(const void *context, int64_t row, int32_t *out)
{
    const struct band *b = context;
    const int64_t first = band_first(b, row);
    const int64_t length = band_length(context, row);
    for (int64_t j = 0; j < length; j++)
        out[j] = (int32_t)(first + j);
    return length;
}

static spmm_status_t build_band(struct band b, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    const int64_t width = b.lower + b.upper + 1 < b.cols ? b.lower + b.upper + 1 : b.cols;
    const struct spmmi_row_source source = {
        .rows = b.rows,
        .cols = b.cols,
        .nnz_bound = width > 0 ? b.rows * width : 0, /* both below 2^31 */
        .row_bound = width > 0 ? width : 0,
        .fill = band_row,
        .length = band_length,
        .context = &b,
    };
    return spmmi_generate_rows(&source, matrix, diag);
}

spmm_status_t spmmi_generate_band(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    return build_band((struct band){args[0], args[0], args[1], args[1]}, matrix, diag);
}

spmm_status_t spmmi_generate_diag(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    return build_band((struct band){args[0], args[0], 0, 0}, matrix, diag);
}

spmm_status_t spmmi_generate_dense(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    return build_band((struct band){args[0], args[1], args[0], args[1]}, matrix, diag);
}

spmm_status_t spmmi_generate_empty(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    /* A band that ends before it begins. */
    return build_band((struct band){args[0], args[1], 0, -1}, matrix, diag);
}

/* ---- Hubs: a band of which some rows, far from each other, are full. ---- */

struct hubs {
    struct band band;
    int64_t count;
};

static int is_hub(const struct hubs *h, int64_t row)
{
    const int64_t k = row * h->count / h->band.rows;
    return row == (2 * k + 1) * h->band.rows / (2 * h->count);
}

static int64_t hubs_length(const void *context, int64_t row)
{
    const struct hubs *h = context;
    return is_hub(h, row) ? h->band.cols : band_length(&h->band, row);
}

static int64_t hubs_row(const void *context, int64_t row, int32_t *out)
{
    const struct hubs *h = context;
    if (!is_hub(h, row))
        return band_row(&h->band, row, out);
    for (int64_t j = 0; j < h->band.cols; j++)
        out[j] = (int32_t)j;
    return h->band.cols;
}

spmm_status_t spmmi_generate_hubs(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    const struct hubs h = {{args[0], args[0], args[1], args[1]}, args[2]};
    const int64_t width = 2 * args[1] + 1 < args[0] ? 2 * args[1] + 1 : args[0];
    const struct spmmi_row_source source = {
        .rows = args[0],
        .cols = args[0],
        .nnz_bound = args[0] * width + args[2] * args[0],
        .row_bound = args[0],
        .fill = hubs_row,
        .length = hubs_length,
        .context = &h,
    };
    return spmmi_generate_rows(&source, matrix, diag);
}

/* ---- Arrow: one full row, one full column, the diagonal. ---- */

static int64_t arrow_length(const void *context, int64_t row)
{
    const int64_t side = *(const int64_t *)context;
    return row == 0 ? side : 2;
}

static int64_t arrow_row(const void *context, int64_t row, int32_t *out)
{
    const int64_t length = arrow_length(context, row);
    for (int64_t j = 0; j < length; j++)
        out[j] = (int32_t)j;
    if (row > 0)
        out[1] = (int32_t)row;
    return length;
}

spmm_status_t spmmi_generate_arrow(const int64_t *args, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    const struct spmmi_row_source source = {
        .rows = args[0],
        .cols = args[0],
        .nnz_bound = 3 * args[0],
        .row_bound = args[0] > 2 ? args[0] : 2,
        .fill = arrow_row,
        .length = arrow_length,
        .context = args,
    };
    return spmmi_generate_rows(&source, matrix, diag);
}
