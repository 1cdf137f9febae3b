/* SPDX-License-Identifier: Apache-2.0 */
/* See runtime_cases.h. */
#include "runtime_cases.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/dense/dense_library_cuda.h"

#define MESH "gen:fem3:9:9:40"
#define GRAPH "gen:rmat:12:8"
#define RANDOM "gen:rand:20000:12"

#define PLACE (UINT64_C(1) << 40) /* address of B; C is as far after B, and the workspace after C */

/* Column-major B is converted before the product and C after it: one launch each, and one more if beta needs
 * the old C. A single column needs no conversion. */
const struct runtime_case runtime_cases[] = {
    {RANDOM, "rows/row-split", SPMM_F32, SPMM_ROW_MAJOR, 1, 0, 1, 0, 0},
    {RANDOM, "rows/row-split", SPMM_F32, SPMM_ROW_MAJOR, 128, 1, 1, 0, 0},
    {RANDOM, "rows/row-split", SPMM_F16, SPMM_ROW_MAJOR, 32, 0, 1, 0, 0},
    {RANDOM, "rows/row-split", SPMM_F32, SPMM_COL_MAJOR, 1, 0, 1, 0, 0},
    {RANDOM, "rows/row-split", SPMM_F32, SPMM_COL_MAJOR, 8, 1, 2, 0, 0}, /* stores columns of C directly */
    {RANDOM, "rows/row-split", SPMM_F32, SPMM_COL_MAJOR, 128, 1, 3, 0, 0},
    {RANDOM, "rows/row-split", SPMM_F32, SPMM_COL_MAJOR, 512, 0, 6, 0, 0}, /* two passes of 256 columns */
    {GRAPH, "rows/nonzero-split", SPMM_F32, SPMM_ROW_MAJOR, 1, 0, 1, 0, 0},
    {GRAPH, "rows/nonzero-split", SPMM_F32, SPMM_ROW_MAJOR, 64, 1, 1, 0, 0},
    {GRAPH, "rows/nonzero-split", SPMM_F64, SPMM_COL_MAJOR, 64, 0, 2, 0, 0}, /* stores columns of C too */
    {GRAPH, "rows/nonzero-split", SPMM_F32, SPMM_COL_MAJOR, 64, 0, 3, 0, 0},
    {MESH, "tiled/whole", SPMM_F32, SPMM_ROW_MAJOR, 32, 0, 1, 0, 0},
    {MESH, "tiled/whole", SPMM_F32, SPMM_COL_MAJOR, 128, 1, 1, 0,
     0}, /* needs more shared memory than the default */
    {GRAPH, "tiled/segmented", SPMM_F32, SPMM_COL_MAJOR, 32, 1, 2, 0, 0},
    {MESH, "window/dense", SPMM_F32, SPMM_ROW_MAJOR, 32, 1, 1, 0, 0},
    {MESH, "window/dense", SPMM_F32, SPMM_COL_MAJOR, 32, 0, 3, 0, 0},
    {MESH, "window/dense", SPMM_F32, SPMM_COL_MAJOR, 32, 1, 4, 0, 0},
    {MESH, "panel/dense", SPMM_F32, SPMM_ROW_MAJOR, 128, 1, 1, 0, 0},
    {MESH, "panel/dense", SPMM_F64, SPMM_ROW_MAJOR, 32, 0, 1, 0, 0},
    {MESH, "panel/dense", SPMM_F32, SPMM_COL_MAJOR, 128, 1, 2, 0, 0}, /* stores columns of C directly */
    {GRAPH, "panel/packed", SPMM_F32, SPMM_ROW_MAJOR, 8, 0, 2, 0, 0}, /* and the part of the long rows */
    {MESH, "bcsr/dense", SPMM_F32, SPMM_ROW_MAJOR, 32, 0, 1, 0, 0},
    {MESH, "bcsr/dense", SPMM_F32, SPMM_ROW_MAJOR, 128, 1, 1, 0, 0},
    {MESH, "bcsr/dense", SPMM_F16, SPMM_ROW_MAJOR, 128, 1, 1, 0, 0},
    {MESH, "bcsr/dense", SPMM_F32, SPMM_COL_MAJOR, 128, 1, 1, 0, 0},
    {MESH, "bcsr/dense", SPMM_F64, SPMM_COL_MAJOR, 128, 1, 1, 0, 0},
    {GRAPH, "bcsr/dense", SPMM_F32, SPMM_ROW_MAJOR, 128, 1, 2, 0, 0}, /* and the sums of split groups */
    {"gen:rand:1000:100", "wide", SPMM_F32, SPMM_ROW_MAJOR, 128, 1, 1, 1, 0},
    {"gen:rand:1000:100", "wide", SPMM_F32, SPMM_COL_MAJOR, 128, 0, 3, 1, 0},
#ifdef FAKE_CUBLASLT /* whose product is no launch; the check of row 0 is one */
    {"gen:rand:1000:100", "dense", SPMM_F16, SPMM_ROW_MAJOR, 128, 0, 1, 2,
     0}, /* warpgroups: maps of A and B */
    {"gen:rand:1000:100", "dense", SPMM_F64, SPMM_ROW_MAJOR, 128, 1, 1, 0, 1}, /* keeps the old C */
#endif
};
const int runtime_case_count = sizeof runtime_cases / sizeof runtime_cases[0];

static void require(spmm_status_t status, const char *name, const spmm_diag_t *diag)
{
    if (status == SPMM_OK)
        return;
    fprintf(stderr, "%s: %s\n", name, diag->text);
    exit(1);
}

static spmm_dense_t operand(const struct runtime_case *of, int64_t rows, uint64_t address)
{
    const int64_t ld = of->layout == SPMM_ROW_MAJOR ? of->n : rows;
    return (spmm_dense_t){(void *)(uintptr_t)address, rows, of->n, ld, of->layout, of->dtype};
}

static void dense_library_take(void)
{
#ifdef FAKE_CUBLASLT
    static const char *const files[] = {FAKE_CUBLASLT, NULL};
    spmmi_dense_library_files_hook = files;
#endif
}

void runtime_product_make(const struct runtime_case *of, struct runtime_product *product)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_matrix_info_t info = {.struct_size = sizeof info};
    spmm_matrix_t *a = NULL;
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag = {.text = ""};
    (void)snprintf(product->name, sizeof product->name, "%s %s %s, %s-major, n = %lld, beta = %g", of->matrix,
                   of->kernel, spmm_dtype_name(of->dtype), spmm_layout_name(of->layout), (long long)of->n,
                   of->beta);
    dense_library_take();
    options.a_type = of->dtype;
    options.n = &of->n;
    options.n_count = 1;
    options.device = "h200";
    options.force_kernel = of->kernel;
    require(spmm_matrix_generate(of->matrix, &a, &diag), product->name, &diag);
    require(spmm_matrix_info(a, &info), product->name, &diag);
    require(spmm_inspect(a, &options, &plan, &diag), product->name, &diag);
    require(spmm_executor_create(plan, 0, NULL, &product->executor, &diag), product->name, &diag);
    product->b = operand(of, info.cols, PLACE);
    product->c = operand(of, info.rows, 2 * PLACE);
    product->workspace = (void *)(uintptr_t)(3 * PLACE);
    product->beta = (spmm_scalar_t){of->beta, 0};
    require(spmm_executor_workspace_bytes(product->executor, SPMM_OP_N, &product->b, &product->c,
                                          &product->workspace_bytes, &diag),
            product->name, &diag);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(a);
}

spmm_status_t runtime_product_run(const struct runtime_product *p)
{
    static const spmm_scalar_t one = {1, 0};
    return spmm_execute(p->executor, SPMM_OP_N, one, &p->b, p->beta, &p->c, p->workspace, p->workspace_bytes,
                        NULL, NULL);
}

void runtime_product_free(struct runtime_product *product)
{
    spmm_executor_destroy(product->executor);
}
