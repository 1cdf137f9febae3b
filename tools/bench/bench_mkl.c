/* SPDX-License-Identifier: Apache-2.0 */
/* oneMKL's inspector-executor SpMM (32-bit indices). It is loaded at run time and not needed for the
 * build. */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_peers.h"
#include "tools/cli/fail.h"

/* Values from mkl_spblas.h and mkl_service.h. */
enum { MKL_STATUS_SUCCESS = 0, MKL_INDEX_BASE_ZERO = 0, MKL_OP_N = 10, MKL_OP_T = 11, MKL_TYPE_GENERAL = 20 };
enum { MKL_FILL_LOWER = 40, MKL_DIAG_NON_UNIT = 50, MKL_ROW_MAJOR = 101, MKL_COL_MAJOR = 102 };
enum { MKL_LP64 = 0, MKL_THREADING_INTEL = 0, MKL_THREADING_GNU = 3, MKL_EXPECTED_CALLS = 1000 };

typedef void *mkl_matrix;
struct mkl_descr {
    int type, mode, diag;
};

struct mkl_api {
    int (*set_interface)(int code);
    int (*set_threading)(int code);
    void (*set_threads)(int threads);
    void (*set_dynamic)(int is_dynamic);
    int (*create_f32)(mkl_matrix *a, int base, int rows, int cols, int *starts, int *ends, int *columns,
                      float *values);
    int (*create_f64)(mkl_matrix *a, int base, int rows, int cols, int *starts, int *ends, int *columns,
                      double *values);
    int (*set_mm_hint)(mkl_matrix a, int op, struct mkl_descr descr, int layout, int columns, int calls);
    int (*optimize)(mkl_matrix a);
    int (*mm_f32)(int op, float alpha, mkl_matrix a, struct mkl_descr descr, int layout, const float *b,
                  int columns, int ldb, float beta, float *c, int ldc);
    int (*mm_f64)(int op, double alpha, mkl_matrix a, struct mkl_descr descr, int layout, const double *b,
                  int columns, int ldb, double beta, double *c, int ldc);
    int (*destroy)(mkl_matrix a);
};

struct mkl_csr {
    int is_there;
    int rows, cols;
    int *row_ptr, *col_ind;
    void *values;
};

struct mkl_peers {
    struct bench_peers base;
    struct mkl_api api;
    spmm_dtype_t dtype;
    struct mkl_csr op_a, a; /* a is used only for op T */
};

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
    {"MKL_Set_Interface_Layer", offsetof(struct mkl_api, set_interface)},
    {"MKL_Set_Threading_Layer", offsetof(struct mkl_api, set_threading)},
    {"MKL_Set_Num_Threads", offsetof(struct mkl_api, set_threads)},
    {"MKL_Set_Dynamic", offsetof(struct mkl_api, set_dynamic)},
    {"mkl_sparse_s_create_csr", offsetof(struct mkl_api, create_f32)},
    {"mkl_sparse_d_create_csr", offsetof(struct mkl_api, create_f64)},
    {"mkl_sparse_set_mm_hint", offsetof(struct mkl_api, set_mm_hint)},
    {"mkl_sparse_optimize", offsetof(struct mkl_api, optimize)},
    {"mkl_sparse_s_mm", offsetof(struct mkl_api, mm_f32)},
    {"mkl_sparse_d_mm", offsetof(struct mkl_api, mm_f64)},
    {"mkl_sparse_destroy", offsetof(struct mkl_api, destroy)},
};

static void mkl_csr_free(struct mkl_csr *csr)
{
    free(csr->row_ptr);
    free(csr->col_ind);
    free(csr->values);
    *csr = (struct mkl_csr){0};
}

static void close_peers(struct bench_peers *base)
{
    struct mkl_peers *peers = (struct mkl_peers *)base;
    mkl_csr_free(&peers->op_a);
    mkl_csr_free(&peers->a);
    /* The library stays loaded, because its threads may still run. */
    free(peers);
}

static spmm_status_t take_csr(const struct host_csr *from, struct mkl_csr *to, spmm_diag_t *diag)
{
    mkl_csr_free(to);
    to->rows = (int)from->rows;
    to->cols = (int)from->cols;
    to->row_ptr = malloc(((size_t)from->rows + 1) * sizeof *to->row_ptr);
    to->col_ind = malloc(((size_t)from->nnz + 1) * sizeof *to->col_ind);
    to->values = host_csr_typed_values(from);
    if (to->row_ptr == NULL || to->col_ind == NULL || to->values == NULL)
        return fail_memory(diag, (uint64_t)from->nnz * 12, "the matrix for oneMKL");
    for (int64_t i = 0; i <= from->rows; i++)
        to->row_ptr[i] = (int)from->row_ptr[i];
    for (int64_t p = 0; p < from->nnz; p++)
        to->col_ind[p] = from->col_ind[p];
    to->is_there = 1;
    return SPMM_OK;
}

static spmm_status_t take_problem(struct bench_peers *base, spmm_op_t op, const struct host_csr *a,
                                  const struct host_csr *op_a, spmm_diag_t *diag)
{
    struct mkl_peers *peers = (struct mkl_peers *)base;
    spmm_status_t status = SPMM_OK;
    mkl_csr_free(&peers->a);
    mkl_csr_free(&peers->op_a);
    peers->dtype = a->dtype;
    if (a->nnz >= INT32_MAX || a->rows >= INT32_MAX || a->cols >= INT32_MAX || a->nnz == 0)
        return SPMM_OK; /* too large for 32-bit indices, or nothing to compare */
    TRY(take_csr(op_a, &peers->op_a, diag));
    if (op == SPMM_OP_T)
        TRY(take_csr(a, &peers->a, diag));
cleanup:
    return status;
}

struct call {
    const struct mkl_api *api;
    spmm_dtype_t dtype;
    mkl_matrix a;
    struct mkl_descr descr;
    int op, layout;
    const spmm_dense_t *b, *c;
};

static spmm_status_t check(int code, const char *what, spmm_diag_t *diag)
{
    if (code == MKL_STATUS_SUCCESS)
        return SPMM_OK;
    return fail(diag, SPMM_ERR_UNSUPPORTED, "%s failed with status %d", what, code);
}

static spmm_status_t multiply(void *context, spmm_diag_t *diag)
{
    const struct call *call = context;
    const int n = (int)call->b->cols;
    const int ldb = (int)call->b->ld;
    const int ldc = (int)call->c->ld;
    const int code = call->dtype == SPMM_F32
                         ? call->api->mm_f32(call->op, 1.0f, call->a, call->descr, call->layout,
                                             call->b->data, n, ldb, 0.0f, call->c->data, ldc)
                         : call->api->mm_f64(call->op, 1.0, call->a, call->descr, call->layout, call->b->data,
                                             n, ldb, 0.0, call->c->data, ldc);
    return check(code, "mkl_sparse_mm", diag);
}

static void run_one(struct mkl_peers *peers, const struct mkl_csr *csr, int op, struct bench_site *site,
                    struct bench_result *result)
{
    const struct mkl_api *api = &peers->api;
    spmm_status_t status = SPMM_OK;
    spmm_diag_t diag = {.status = SPMM_OK};
    struct call call = {
        api, peers->dtype,  NULL,         {MKL_TYPE_GENERAL, MKL_FILL_LOWER, MKL_DIAG_NON_UNIT}, op,
        0,   &site->b_view, &site->c_view};
    call.layout = site->b_view.layout == SPMM_ROW_MAJOR ? MKL_ROW_MAJOR : MKL_COL_MAJOR;
    if (peers->dtype == SPMM_F32)
        TRY(check(api->create_f32(&call.a, MKL_INDEX_BASE_ZERO, csr->rows, csr->cols, csr->row_ptr,
                                  csr->row_ptr + 1, csr->col_ind, csr->values),
                  "mkl_sparse_create_csr", &diag));
    else
        TRY(check(api->create_f64(&call.a, MKL_INDEX_BASE_ZERO, csr->rows, csr->cols, csr->row_ptr,
                                  csr->row_ptr + 1, csr->col_ind, csr->values),
                  "mkl_sparse_create_csr", &diag));
    TRY(check(
        api->set_mm_hint(call.a, op, call.descr, call.layout, (int)site->b_view.cols, MKL_EXPECTED_CALLS),
        "mkl_sparse_set_mm_hint", &diag));
    TRY(check(api->optimize(call.a), "mkl_sparse_optimize", &diag));
    bench_peers_measure(site, multiply, &call, result);
cleanup:
    if (status != SPMM_OK)
        bench_result_fail(result, status, &diag);
    if (call.a != NULL)
        (void)api->destroy(call.a);
}

static void run_all(struct bench_peers *base, struct bench_site *site, struct bench_result results[PEERS_MAX],
                    int *count)
{
    struct mkl_peers *peers = (struct mkl_peers *)base;
    const struct {
        const char *name;
        const struct mkl_csr *csr;
        int op;
    } rows[] = {{"mkl-csr", &peers->op_a, MKL_OP_N}, {"mkl-opT-csr", &peers->a, MKL_OP_T}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].csr->is_there || !bench_peers_wants(base, rows[i].name))
            continue;
        struct bench_result *result = bench_peers_result(results, count, rows[i].name, site->a->dtype, 0);
        run_one(peers, rows[i].csr, rows[i].op, site, result);
    }
}

static const struct bench_peers_backend backend = {close_peers, take_problem, run_all};

static void *open_library(const char *path)
{
    static const char *const names[] = {"libmkl_rt.so", "libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1"};
    void *library = NULL;
    if (path != NULL)
        return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    for (size_t i = 0; i < sizeof names / sizeof *names && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    return library;
}

/* Makes oneMKL use the OpenMP runtime of this program. With two thread pools, the idle one would spin on the
 * cores that the other one needs. Also fixes the number of threads, which oneMKL might lower otherwise. */
static void share_threads(const struct mkl_api *api, int threads)
{
#ifdef __clang__
    (void)api->set_threading(MKL_THREADING_INTEL);
#else
    (void)api->set_threading(MKL_THREADING_GNU);
#endif
    (void)api->set_interface(MKL_LP64);
    api->set_dynamic(0);
    api->set_threads(threads > 0 ? threads : omp_get_max_threads());
}

spmm_status_t bench_mkl_open(const struct bench_site *site, const char *path, struct bench_peers **peers,
                             char note[160], spmm_diag_t *diag)
{
    struct mkl_peers *made = NULL;
    void *library = open_library(path);
    *peers = NULL;
    if (library == NULL) {
        if (path != NULL)
            return fail(diag, SPMM_ERR_IO, "oneMKL could not be loaded: %.180s", dlerror());
        snprintf(note, 160,
                 "oneMKL was not found (libmkl_rt.so; give its path with --mkl): no peer on the CPU");
        return SPMM_OK;
    }
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return fail_memory(diag, sizeof *made, "the peers");
    made->base.backend = &backend;
    made->base.is_wide_only = 1;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        /* dlsym of POSIX returns function pointers as void *. */
        *(void **)((char *)&made->api + symbols[i].offset) = dlsym(library, symbols[i].name);
        if (*(void **)((char *)&made->api + symbols[i].offset) == NULL) {
            close_peers(&made->base);
            return fail(diag, SPMM_ERR_UNSUPPORTED, "this oneMKL has no %s", symbols[i].name);
        }
    }
    share_threads(&made->api, site->threads);
    *peers = &made->base;
    return SPMM_OK;
}
