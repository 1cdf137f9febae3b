/* SPDX-License-Identifier: Apache-2.0 */
/* See run_sparse.h. */
#include "run_sparse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_sparse.h"
#include "product_files.h"
#include "sparse_device.h"
#include "sparse_report.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/fail.h"
#include "tools/cli/machine_memory.h"
#include "tools/cli/number.h"
#include "tools/cli/output_file.h"
#include "tools/cli/plan_input.h"
#include "tools/cli/progress.h"
#include "tools/compute/npy.h"
#include "tools/export/export_matrix.h"

#define WORKSPACE_ALIGN 256u
#define SECONDS_MAX 0.5 /* limit if --repeat is not given */
#define REPEATS_MAX 1000

struct sparse_run {
    const struct run_sparse_request *request;
    spmm_plan_t *plan;
    spmm_product_plan_info_t form;
    spmm_product_t *product;
    struct product_files files;
    spmm_dtype_t dtype;
    void *values[SPMM_PRODUCT_FACTORS]; /* of the operands, as dtype */
    spmm_dense_t diagonal;
    void *workspace;
    uint64_t workspace_bytes;
    struct sparse_device on_gpu; /* values, C and workspace of a planned product on a GPU */
    spmm_csr_t c;                /* arrays owned; after one shot on the CPU, by the library */
    struct sparse_outcome outcome;
    const char *culprit; /* the input in use, which a failure message names */
};

/* Copies the values of a matrix, rounded to dtype. The values of a pattern are 1. */
static spmm_status_t typed_values(const spmm_csr_t *a, spmm_dtype_t dtype, void **values, spmm_diag_t *diag)
{
    const size_t bytes = (size_t)a->nnz * spmm_dtype_size(dtype);
    *values = malloc(bytes + 1);
    if (*values == NULL)
        return fail_memory(diag, bytes, "the values of an operand");
    for (int64_t p = 0; p < a->nnz; p++)
        value_set(dtype, *values, p, a->values != NULL ? ((const double *)a->values)[p] : 1.0);
    return SPMM_OK;
}

static spmm_status_t open_plan(struct sparse_run *run, spmm_diag_t *diag)
{
    const struct run_sparse_request *r = run->request;
    spmm_load_options_t load = SPMM_LOAD_OPTIONS_INIT;
    spmm_plan_info_t info = {.struct_size = sizeof info};
    spmm_status_t status = SPMM_OK;
    run->culprit = r->plan;
    load.threads = r->threads;
    load.budget_bytes = r->read.budget_bytes;
    TRY(plan_input_open(r->plan, &load, &run->plan, diag));
    run->form.struct_size = sizeof run->form;
    TRY(spmm_plan_product(run->plan, &run->form));
    TRY(spmm_plan_info(run->plan, &info));
    run->dtype = info.a_type;
    if (run->form.factor_count == 0)
        status =
            fail(diag, SPMM_ERR_ARGUMENT,
                 "the plan is of a matrix: no other files belong to it; --check MATRIX compares with one");
    else if (r->files.count != run->form.operand_count)
        status = fail(diag, SPMM_ERR_ARGUMENT, "the plan is of a product of %d %s, found %d %s",
                      run->form.operand_count, run->form.operand_count == 1 ? "matrix" : "matrices",
                      r->files.count, r->files.count == 1 ? "file" : "files");
cleanup:
    return status;
}

/* Reads the operand files, whose patterns must equal those of the plan. */
static spmm_status_t open_operands(struct sparse_run *run, spmm_diag_t *diag)
{
    const struct run_sparse_request *r = run->request;
    spmm_status_t status = SPMM_OK;
    TRY(product_files_open(r->files.list, r->files.count, &r->read, &run->files, &run->culprit, diag));
    for (int i = 0; i < r->files.count; i++) {
        spmm_csr_t view;
        run->culprit = r->files.list[i];
        TRY(spmm_matrix_csr(run->files.matrix[run->files.operand[i]], &view));
        if (run->plan != NULL)
            TRY(spmm_plan_operand_matches(run->plan, i, &view, diag));
        TRY(typed_values(&view, run->dtype, &run->values[i], diag));
    }
cleanup:
    return status;
}

static spmm_status_t open_diagonal(struct sparse_run *run, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_csr_t first;
    run->culprit = run->request->diagonal;
    if ((run->request->diagonal != NULL) != (run->form.diagonal != 0))
        return fail(diag, SPMM_ERR_ARGUMENT,
                    run->form.diagonal
                        ? "the plan has a diagonal between its factors: --diagonal D.npy gives it"
                        : "the plan has no diagonal between its factors");
    if (run->request->diagonal == NULL)
        return SPMM_OK;
    TRY(npy_load(run->request->diagonal, &run->diagonal, diag));
    TRY(spmm_plan_operand(run->plan, run->form.factor_operand[0], &first, NULL));
    const int64_t length = run->form.factor_op[0] == SPMM_OP_T ? first.rows : first.cols;
    if (run->diagonal.cols != 1 || run->diagonal.rows != length || run->diagonal.type != run->dtype)
        status =
            fail(diag, SPMM_ERR_SHAPE, "expected %lld values of %s in one dimension, found %lld x %lld of %s",
                 (long long)length, spmm_dtype_name(run->dtype), (long long)run->diagonal.rows,
                 (long long)run->diagonal.cols, spmm_dtype_name(run->diagonal.type));
cleanup:
    return status;
}

/* Allocates the arrays of C and computes its pattern. */
static spmm_status_t make_c(struct sparse_run *run, spmm_diag_t *diag)
{
    spmm_csr_t *c = &run->c;
    const spmm_product_info_t *info = &run->outcome.info;
    const size_t bytes = (size_t)info->nnz * spmm_dtype_size(run->dtype);
    void *row_ptr = malloc(((size_t)info->rows + 1) * sizeof(int64_t));
    void *col_ind = malloc((size_t)info->nnz * sizeof(int32_t) + 1);
    void *values = malloc(bytes + 1);
    *c = (spmm_csr_t){info->rows, info->cols, info->nnz,  SPMM_I64, SPMM_I32,
                      row_ptr,    col_ind,    run->dtype, values};
    if (row_ptr == NULL || col_ind == NULL || values == NULL)
        return fail_memory(diag, bytes, "C");
    return spmm_product_pattern(run->product, SPMM_I64, row_ptr, SPMM_I32, col_ind, NULL, diag);
}

static spmm_csr_t operand_view(const struct sparse_run *run, int operand)
{
    spmm_csr_t view = {.rows = 0};
    (void)spmm_matrix_csr(run->files.matrix[run->files.operand[operand]], &view);
    view.value_type = run->dtype;
    view.values = run->values[operand];
    return view;
}

static spmm_status_t to_gpu(struct sparse_run *run, spmm_diag_t *diag)
{
    spmm_csr_t operands[SPMM_PRODUCT_FACTORS];
    for (int i = 0; i < run->outcome.info.operand_count; i++)
        operands[i] = operand_view(run, i);
    return sparse_device_open(&run->on_gpu, &run->outcome.info, operands, &run->diagonal,
                              run->workspace_bytes, diag);
}

static spmm_status_t make_product(struct sparse_run *run, spmm_diag_t *diag)
{
    const struct run_sparse_request *r = run->request;
    spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    spmm_status_t status = SPMM_OK;
    const double start = progress_seconds();
    run->culprit = r->plan;
    options.threads = r->threads;
    options.force_kernel = r->kernel;
    options.host_budget_bytes = machine_memory_budget(r->read.budget_bytes);
    options.device_budget_bytes = r->read.budget_bytes;
    TRY(spmm_product_create(run->plan, r->device, &options, &run->product, diag));
    run->outcome.create_seconds = progress_seconds() - start;
    run->outcome.info.struct_size = sizeof run->outcome.info;
    TRY(spmm_product_info(run->product, &run->outcome.info));
    TRY(spmm_product_workspace_bytes(run->product, &run->workspace_bytes));
    run->outcome.workspace_bytes = run->workspace_bytes;
    if (run->workspace_bytes > options.host_budget_bytes)
        TRY(fail(diag, SPMM_ERR_MEMORY, "the workspace needs %llu bytes, the budget is %llu",
                 (unsigned long long)run->workspace_bytes, (unsigned long long)options.host_budget_bytes));
    if (run->outcome.info.device >= 0)
        TRY(to_gpu(run, diag));
    else
        run->workspace =
            aligned_alloc(WORKSPACE_ALIGN, (run->workspace_bytes / WORKSPACE_ALIGN + 1) * WORKSPACE_ALIGN);
    if (run->outcome.info.device < 0 && run->workspace == NULL)
        TRY(fail_memory(diag, run->workspace_bytes, "the workspace"));
    TRY(make_c(run, diag));
cleanup:
    return status;
}

/* Runs the numeric phase once and waits for it. */
static spmm_status_t execute(struct sparse_run *run, spmm_diag_t *diag)
{
    const int device = run->outcome.info.device;
    const struct sparse_device *d = &run->on_gpu;
    if (device < 0)
        return spmm_product_execute(run->product, spmm_real(run->request->alpha),
                                    (const void *const *)run->values, run->diagonal.data, spmm_real(0),
                                    (void *)(uintptr_t)run->c.values, run->workspace, run->workspace_bytes,
                                    NULL, diag);
    const spmm_status_t status =
        spmm_product_execute(run->product, spmm_real(run->request->alpha), d->operands, d->diagonal.data,
                             spmm_real(0), d->c.data, d->workspace.data, run->workspace_bytes, NULL, diag);
    return status == SPMM_OK ? device_synchronize(device, diag) : status;
}

/* Copies the values of C from the GPU to the host. */
static spmm_status_t fetch_c(struct sparse_run *run, spmm_diag_t *diag)
{
    return device_download((void *)(uintptr_t)run->c.values, &run->on_gpu.c,
                           (uint64_t)run->c.nnz * spmm_dtype_size(run->dtype), diag);
}

static void free_c(struct sparse_run *run)
{
    if (run->plan == NULL && run->request->device < 0) {
        spmm_product_once_free(&run->c);
    } else {
        free((void *)(uintptr_t)run->c.row_ptr);
        free((void *)(uintptr_t)run->c.col_ind);
        free((void *)(uintptr_t)run->c.values);
        run->c = (spmm_csr_t){.rows = 0};
    }
}

static spmm_status_t one_shot(struct sparse_run *run, spmm_diag_t *diag)
{
    const struct run_sparse_request *r = run->request;
    const spmm_product_once_options_t options = {.struct_size = sizeof options,
                                                 .threads = r->threads,
                                                 .force_method = r->kernel,
                                                 .host_budget_bytes =
                                                     machine_memory_budget(r->read.budget_bytes),
                                                 .device_budget_bytes = r->read.budget_bytes};
    const spmm_csr_t a = operand_view(run, 0), b = operand_view(run, r->files.count - 1);
    free_c(run);
    return r->device >= 0 ? sparse_device_once(r->device, &a, &b, &options, &run->c, diag)
                          : spmm_product_once(&a, &b, r->device, &options, &run->c, diag);
}

/* Fills the info that a product with a plan reports about itself. */
static void name_one_shot(struct sparse_run *run)
{
    const struct run_sparse_request *r = run->request;
    run->outcome.info.device = r->device >= 0 ? r->device : SPMM_DEVICE_CPU;
    (void)snprintf(run->outcome.info.kernel, sizeof run->outcome.info.kernel, "%s/product/once%s%s",
                   r->device >= 0 ? "cuda" : "cpu", r->kernel != NULL ? "/" : "",
                   r->kernel != NULL ? r->kernel : "");
}

static spmm_status_t compute(struct sparse_run *run, spmm_diag_t *diag)
{
    const double start = progress_seconds();
    const spmm_status_t status = run->plan != NULL ? execute(run, diag) : one_shot(run, diag);
    const double seconds = progress_seconds() - start;
    struct sparse_outcome *o = &run->outcome;
    o->first_seconds = o->repeats == 0 ? seconds : o->first_seconds;
    o->best_seconds = o->repeats == 0 || seconds < o->best_seconds ? seconds : o->best_seconds;
    o->all_seconds += seconds;
    o->repeats++;
    return status;
}

static spmm_status_t repeat(struct sparse_run *run, spmm_diag_t *diag)
{
    const int wanted = run->request->repeat;
    const int most = wanted < 0 ? REPEATS_MAX : wanted;
    spmm_status_t status = SPMM_OK;
    for (int i = 0; i < most && status == SPMM_OK && (wanted >= 0 || run->outcome.all_seconds < SECONDS_MAX);
         i++)
        status = compute(run, diag);
    return status;
}

static spmm_status_t check(struct sparse_run *run, spmm_diag_t *diag)
{
    struct product_claim claim = {.factor_count = 2,
                                  .diagonal = run->diagonal.data,
                                  .alpha =
                                      run->plan != NULL ? value_round(run->dtype, run->request->alpha) : 1.0,
                                  .is_lower = run->form.lower,
                                  .c = run->c};
    if (run->plan == NULL) {
        claim.factor[0] = operand_view(run, 0);
        claim.factor[1] = operand_view(run, run->request->files.count - 1);
        return check_sparse(&claim, &run->outcome.verdict, diag);
    }
    claim.factor_count = run->form.factor_count;
    for (int f = 0; f < claim.factor_count; f++) {
        claim.factor[f] = operand_view(run, run->form.factor_operand[f]);
        claim.op[f] = run->form.factor_op[f];
    }
    return check_sparse(&claim, &run->outcome.verdict, diag);
}

/* Writes C as Matrix Market or .npz. run_sparse_check has refused other file names. */
static spmm_status_t write_c(struct sparse_run *run, spmm_diag_t *diag)
{
    const struct run_sparse_request *r = run->request;
    const struct export_form *form = export_form_of_file(r->output);
    struct output_file file;
    struct packed_stream stream = {.file = &file, .threads = r->threads, .diag = diag};
    run->culprit = r->output;
    stream.packing = form->packing;
    spmm_status_t status = output_file_open(&file, r->output, diag);
    if (status == SPMM_OK)
        status = form->write(&stream, &(struct export_source){&run->c, "", SPMM_SYMMETRY_GENERAL});
    return output_file_close(&file, status);
}

static spmm_status_t work(struct sparse_run *run, int *code, spmm_diag_t *diag)
{
    const struct run_sparse_request *r = run->request;
    spmm_status_t status = SPMM_OK;
    if (r->plan != NULL)
        TRY(open_plan(run, diag));
    TRY(open_operands(run, diag));
    TRY(open_diagonal(run, diag));
    if (r->plan != NULL)
        TRY(make_product(run, diag));
    else
        name_one_shot(run);
    run->culprit = r->plan;
    TRY(compute(run, diag));
    if (r->plan != NULL && run->outcome.info.device >= 0)
        TRY(fetch_c(run, diag));
    if (r->check != NULL) {
        TRY(check(run, diag));
        run->outcome.is_checked = true;
        *code = run->outcome.verdict.ratio <= 1 ? EXIT_DONE : EXIT_CHECK;
    }
    if (r->output != NULL)
        TRY(write_c(run, diag));
    TRY(repeat(run, diag));
    run->outcome.c = run->c;
    run->outcome.plan = run->plan;
    run->outcome.output = r->output;
    if (r->json)
        sparse_report_json(&run->outcome, r->program);
    else if (!r->quiet)
        sparse_report_text(&run->outcome);
cleanup:
    return status;
}

static void close_run(struct sparse_run *run)
{
    free_c(run);
    sparse_device_close(&run->on_gpu);
    for (int i = 0; i < SPMM_PRODUCT_FACTORS; i++)
        free(run->values[i]);
    free(run->diagonal.data);
    free(run->workspace);
    product_files_close(&run->files);
    spmm_product_destroy(run->product);
    spmm_plan_destroy(run->plan);
}

spmm_status_t run_sparse_refuse(const spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_product_plan_info_t form = {.struct_size = sizeof form};
    (void)spmm_plan_product(plan, &form); /* fails only for NULL */
    if (form.factor_count == 0)
        return SPMM_OK;
    return fail(diag, SPMM_ERR_ARGUMENT, "the plan is of a sparse product: name %s after it",
                form.operand_count == 1 ? "the file of its operand" : "the files of its operands");
}

int run_sparse(const struct run_sparse_request *request)
{
    struct sparse_run run = {.request = request, .dtype = request->dtype != 0 ? request->dtype : SPMM_F32};
    spmm_diag_t diag = {.status = SPMM_OK};
    int code = EXIT_DONE;
    const spmm_status_t status = work(&run, &code, &diag);
    if (status != SPMM_OK)
        code = exit_failure(request->program, run.culprit, status, &diag);
    close_run(&run);
    return code != EXIT_DONE ? code : exit_flush(request->program);
}
