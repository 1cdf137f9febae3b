/* SPDX-License-Identifier: Apache-2.0 */
/* Brick meshes: all unknowns of a node are coupled with all unknowns of the node and its 26 neighbours. */
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "generate.h"
#include "format/matrix/sorted_columns.h"

#define SHUFFLE_SEED UINT64_C(11)
#define STENCIL 27 /* a node of a brick mesh and its neighbours */

struct mesh {
    int64_t nx, ny, nz;
    int64_t unknowns;       /* per node */
    const int32_t *number;  /* new index of each node; NULL: the natural order */
    const int32_t *natural; /* the inverse permutation */
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

/* Returns the nonzeros of a line of n nodes, each coupled with itself and its neighbours. */
static int64_t line_nnz(int64_t n)
{
    return 3 * n - 2;
}

static spmm_status_t build_mesh(struct mesh mesh, spmm_matrix_t *matrix, spmm_diag_t *diag)
{
    /* Sides are at most 2^16, so the products fit into 64 bits. */
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
