/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a product and reports its properties. Nothing here changes the product, and only the upload of a
 * pattern to a GPU allocates (temporary host arrays). */
#include <stdio.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/options.h"
#include "product_state.h"

#define WORKSPACE_ALIGN 256u

/* Offsets of the arrays in the workspace, in bytes. */
struct layout {
    uint64_t transposed[SPMMI_SPGEMM_FACTORS]; /* values of transposed factors */
    uint64_t inner;                            /* values of T */
    uint64_t partials, sums;                   /* partial sums, and sums per thread, of the stage that runs */
    uint64_t bytes;
};

/* Adds an array to the layout, aligned to WORKSPACE_ALIGN, and returns its offset. */
static uint64_t add_array(struct layout *l, uint64_t elements, size_t size)
{
    const uint64_t at = l->bytes;
    l->bytes += (elements * size + WORKSPACE_ALIGN - 1) / WORKSPACE_ALIGN * WORKSPACE_ALIGN;
    return at;
}

static struct layout layout_of(const spmm_product_t *x)
{
    struct layout l = {.bytes = 0};
    const size_t size = spmm_dtype_size(x->dtype);
    uint64_t partials = 0, sums = 0;
    for (uint32_t f = 0; f < x->plan->factor_count; f++)
        if (x->tasks.factors[f].map != NULL)
            l.transposed[f] =
                add_array(&l, (uint64_t)x->plan->matrices[x->plan->factor_operand[f]].nnz, size);
    if (x->tasks.count == 2)
        l.inner = add_array(&l, (uint64_t)x->plan->matrices[x->plan->operand_count].nnz, size);
    const uint64_t threads = x->gpu == NULL ? (uint64_t)x->threads : 0; /* a GPU keeps its sums on chip */
    for (int s = 0; s < x->tasks.count; s++) {
        const uint64_t own = x->gpu == NULL ? (uint64_t)x->stages[s].partials
                                            : spmmi_spgemm_gpu_partials(x->gpu, s),
                       rows = (uint64_t)spmmi_spgemm_sums(&x->stages[s]);
        partials = own > partials ? own : partials;
        sums = rows > sums ? rows : sums;
    }
    l.partials = add_array(&l, partials, size);
    l.sums = add_array(&l, sums * threads, size);
    return l;
}

spmm_status_t spmm_product_workspace_bytes(const spmm_product_t *product, uint64_t *bytes)
{
    if (product == NULL || bytes == NULL)
        return SPMM_ERR_ARGUMENT;
    *bytes = layout_of(product).bytes;
    return SPMM_OK;
}

spmm_status_t spmm_product_info(const spmm_product_t *x, spmm_product_info_t *info)
{
    if (x == NULL)
        return SPMM_ERR_ARGUMENT;
    spmm_product_info_t full;
    memset(&full, 0, sizeof full);
    full.device = x->device;
    full.rows = x->rows;
    full.cols = x->cols;
    full.nnz = x->nnz;
    full.dtype = x->dtype;
    full.operand_count = (int)x->plan->operand_count;
    full.host_bytes = x->bytes;
    const struct spmmi_spgemm_stage *last = &x->stages[x->tasks.count - 1]; /* the stage of C */
    for (int s = 0; s < x->tasks.count; s++) {
        full.products += x->stages[s].products;
        full.cut_rows += x->stages[s].cut_count + x->stages[s].whole_count;
    }
    if (x->gpu != NULL)
        full.device_bytes = spmmi_spgemm_gpu_bytes(x->gpu);
    (void)snprintf(full.kernel, sizeof full.kernel, "%s/product/%s", x->gpu != NULL ? "cuda" : "cpu",
                   x->gpu != NULL            ? spmmi_spgemm_gpu_kernel(x->gpu)
                   : last->forms != NULL     ? "masks"
                   : last->alike != NULL     ? "groups"
                   : last->positions != NULL ? "positions"
                                             : "columns");
    return spmmi_info_write(info, &full, sizeof full);
}

static void put_index(void *array, spmm_itype_t type, int64_t i, int64_t value)
{
    if (type == SPMM_I32)
        ((int32_t *)array)[i] = (int32_t)value;
    else
        ((int64_t *)array)[i] = value;
}

/* Writes the pattern of C to arrays on the host. */
static void write_pattern(const spmm_product_t *x, spmm_itype_t row_ptr_type, void *row_ptr,
                          spmm_itype_t col_ind_type, void *col_ind)
{
    for (int64_t i = 0; i <= x->rows; i++)
        put_index(row_ptr, row_ptr_type, i, x->row_ptr[i]);
    for (int64_t q = 0; q < x->nnz; q++)
        put_index(col_ind, col_ind_type, q, x->col_ind[q]);
}

/* Writes the pattern of C to arrays on the GPU, by way of a copy on the host. */
static spmm_status_t upload_pattern(const spmm_product_t *x, spmm_itype_t row_ptr_type, void *row_ptr,
                                    spmm_itype_t col_ind_type, void *col_ind, void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const size_t row_size = row_ptr_type == SPMM_I32 ? sizeof(int32_t) : sizeof(int64_t),
                 col_size = col_ind_type == SPMM_I32 ? sizeof(int32_t) : sizeof(int64_t);
    const uint64_t rows = (uint64_t)x->rows + 1, nnz = (uint64_t)x->nnz;
    void *host_rows = spmmi_alloc(rows, row_size), *host_cols = spmmi_alloc(nnz, col_size);
    SPMM_TRY_ALLOC(host_rows, diag);
    SPMM_TRY_ALLOC(host_cols, diag);
    write_pattern(x, row_ptr_type, host_rows, col_ind_type, host_cols);
    SPMM_TRY(spmmi_spgemm_gpu_copy(x->gpu, host_rows, row_ptr, rows * row_size, stream, diag));
    SPMM_TRY(spmmi_spgemm_gpu_copy(x->gpu, host_cols, col_ind, nnz * col_size, stream, diag));
cleanup:
    spmmi_free(host_cols);
    spmmi_free(host_rows);
    return status;
}

spmm_status_t spmm_product_pattern(const spmm_product_t *x, spmm_itype_t row_ptr_type, void *row_ptr,
                                   spmm_itype_t col_ind_type, void *col_ind, void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(x != NULL && row_ptr != NULL && (col_ind != NULL || x->nnz == 0), SPMM_ERR_ARGUMENT, diag,
                 "product, row_ptr or col_ind is NULL");
    SPMM_REQUIRE((row_ptr_type == SPMM_I32 || row_ptr_type == SPMM_I64) &&
                     (col_ind_type == SPMM_I32 || col_ind_type == SPMM_I64),
                 SPMM_ERR_ARGUMENT, diag, "expected index types SPMM_I32 or SPMM_I64, found %d and %d",
                 (int)row_ptr_type, (int)col_ind_type);
    SPMM_REQUIRE(row_ptr_type == SPMM_I64 || x->nnz <= INT32_MAX, SPMM_ERR_TOO_LARGE, diag,
                 "C has %lld entries, more than row pointers of 32 bits count", (long long)x->nnz);
    if (x->gpu != NULL)
        SPMM_TRY(upload_pattern(x, row_ptr_type, row_ptr, col_ind_type, col_ind, stream, diag));
    else
        write_pattern(x, row_ptr_type, row_ptr, col_ind_type, col_ind);
cleanup:
    return status;
}

/* Rounds a scalar to the value type of the product. */
static spmm_status_t scalar_read(const spmm_product_t *x, const char *name, spmm_scalar_t scalar,
                                 double *value, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(scalar.im == 0, SPMM_ERR_ARGUMENT, diag, "the imaginary part of %s is %g, expected 0", name,
                 scalar.im);
    *value = x->dtype == SPMM_F32 ? (double)(float)scalar.re : scalar.re;
cleanup:
    return status;
}

static int overlaps(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes)
{
    const uintptr_t from = (uintptr_t)a, other = (uintptr_t)b;
    return a != NULL && from < other + b_bytes && other < from + a_bytes;
}

static spmm_status_t check_operands(const spmm_product_t *x, const void *const *values, const void *diagonal,
                                    const void *c_values, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm *g = x->plan;
    const size_t size = spmm_dtype_size(x->dtype);
    const int takes_diagonal = (g->flags & SPMMI_SPGEMM_DIAGONAL) != 0;
    const uint64_t inner = (uint64_t)spmmi_spgemm_cols(g, 0);
    SPMM_REQUIRE(values != NULL, SPMM_ERR_ARGUMENT, diag, "the values of the operands are NULL");
    for (uint32_t m = 0; m < g->operand_count; m++) {
        const uint64_t nnz = (uint64_t)g->matrices[m].nnz;
        SPMM_REQUIRE(values[m] != NULL || nnz == 0, SPMM_ERR_ARGUMENT, diag,
                     "the values of operand %u are NULL", m);
        SPMM_REQUIRE(!overlaps(values[m], nnz * size, c_values, (uint64_t)x->nnz * size), SPMM_ERR_OVERLAP,
                     diag, "the values of operand %u and of C overlap", m);
    }
    SPMM_REQUIRE(takes_diagonal == (diagonal != NULL) || inner == 0, SPMM_ERR_ARGUMENT, diag,
                 takes_diagonal ? "the plan has a diagonal between its factors, but that is NULL"
                                : "a diagonal was given, but the plan has none");
    SPMM_REQUIRE(!overlaps(diagonal, inner * size, c_values, (uint64_t)x->nnz * size), SPMM_ERR_OVERLAP, diag,
                 "the diagonal and the values of C overlap");
cleanup:
    return status;
}

static spmm_status_t check_workspace(uint64_t needed, const void *workspace, uint64_t bytes,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(needed == 0 || (workspace != NULL && bytes >= needed), SPMM_ERR_WORKSPACE, diag,
                 "the workspace needs %llu bytes, found %llu%s", (unsigned long long)needed,
                 (unsigned long long)bytes, workspace == NULL ? " at NULL" : "");
    SPMM_REQUIRE(needed == 0 || (uintptr_t)workspace % WORKSPACE_ALIGN == 0, SPMM_ERR_WORKSPACE, diag,
                 "the workspace must begin at a multiple of %u bytes", WORKSPACE_ALIGN);
cleanup:
    return status;
}

/* What the steps of an execution share. */
struct execution {
    const spmm_product_t *product;
    struct layout layout;
    char *workspace;
    void *stream;
    spmm_diag_t *diag;
};

/* Finds the values of factor f: the values of its operand, or a copy in the order of the transpose. */
static spmm_status_t factor_values(const struct execution *e, uint32_t f, const void *const *values,
                                   const void **out)
{
    const spmm_product_t *x = e->product;
    *out = values[x->plan->factor_operand[f]];
    if (x->tasks.factors[f].map == NULL)
        return SPMM_OK;
    void *const to = e->workspace + e->layout.transposed[f];
    const spmm_status_t status = spmmi_product_gather(x, f, *out, to, e->stream, e->diag);
    *out = to;
    return status;
}

static spmm_status_t run_stages(const struct execution *e, const void *const *values, const void *diagonal,
                                double alpha, double beta, void *c_values)
{
    spmm_status_t status = SPMM_OK;
    const spmm_product_t *x = e->product;
    const struct layout *l = &e->layout;
    char *const workspace = e->workspace;
    const void *factors[SPMMI_SPGEMM_FACTORS] = {NULL};
    for (uint32_t f = 0; f < x->plan->factor_count; f++)
        SPMM_TRY(factor_values(e, f, values, &factors[f]));
    struct spmmi_spgemm_values v = {
        .partials = workspace + l->partials, .sums = workspace + l->sums, .alpha = 1, .beta = 0};
    if (x->tasks.count == 2) {
        v.left = factors[1];
        v.right = factors[2];
        v.c = workspace + l->inner;
        SPMM_TRY(spmmi_product_run(x, 0, &v, e->stream, e->diag));
        factors[1] = v.c;
    }
    v.left = factors[0];
    v.right = factors[1];
    v.diagonal = diagonal;
    v.alpha = alpha;
    v.beta = beta;
    v.c = c_values;
    SPMM_TRY(spmmi_product_run(x, x->tasks.count - 1, &v, e->stream, e->diag));
cleanup:
    return status;
}

spmm_status_t spmm_product_execute(const spmm_product_t *x, spmm_scalar_t alpha, const void *const *values,
                                   const void *diagonal, spmm_scalar_t beta, void *c_values, void *workspace,
                                   uint64_t workspace_bytes, void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    double a = 0, b = 0;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(x != NULL && (c_values != NULL || x->nnz == 0), SPMM_ERR_ARGUMENT, diag,
                 "the product or the values of C are NULL");
    const struct layout l = layout_of(x);
    SPMM_TRY(scalar_read(x, "alpha", alpha, &a, diag));
    SPMM_TRY(scalar_read(x, "beta", beta, &b, diag));
    SPMM_TRY(check_workspace(l.bytes, workspace, workspace_bytes, diag));
    if (a != 0)
        SPMM_TRY(check_operands(x, values, diagonal, c_values, diag));
    char none = 0; /* an address for the empty arrays of a product that needs no workspace */
    const struct execution e = {x, l, workspace != NULL ? workspace : &none, stream, diag};
    if (x->nnz > 0 && a == 0)
        SPMM_TRY(spmmi_product_scale(x, b, c_values, stream, diag));
    else if (x->nnz > 0)
        SPMM_TRY(run_stages(&e, values, diagonal, a, b, c_values));
cleanup:
    return status;
}
