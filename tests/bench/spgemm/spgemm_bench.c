/* SPDX-License-Identifier: Apache-2.0 */
/* Compares products of sparse matrices on a GPU with cuSPARSE: spgemm_bench [--dtype T] [--seconds S]
 * [--alone] [--kernel NAME] [--method NAME] FORM=MATRIX.. prints lines of CSV. --alone: without cuSPARSE.
 * --kernel: kernel of the product with a plan; --method: method of the product without a plan. MATRIX: a
 * file or gen:NAME:.. FORM: AA (A A), AAT (A A^T), or AP and RAP for the matrix of a cube of grid points:
 * A P, and R (A P) with R = P^T, where P = A P0 are smoothed aggregates of 3 x 3 x 3 points. Values are
 * random. Every result is compared with the result of the CPU. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spgemm_bench.h"

#define ONCE_TURNS 5
#define SIDE 3 /* points of an aggregate along each axis */

static spmm_dtype_t dtype = SPMM_F64;
static double seconds = 0.5;
static int is_alone;            /* without cuSPARSE */
static const char *forced;      /* kernel of the product with a plan; NULL: the default choice */
static const char *once_method; /* method of the product without a plan; NULL: the default choice */

static void need(spmm_status_t status, const char *what, const spmm_diag_t *diag)
{
    if (status == SPMM_OK)
        return;
    fprintf(stderr, "spgemm_bench: %s: %s\n", what, diag->text);
    exit(1);
}

static void *room(uint64_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    bench_require(block != NULL, "host memory");
    return block;
}

static double random_value(uint64_t i)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
    x ^= x >> 29;
    return (double)(x >> 11) * 0x1p-52 - 1;
}

/* Makes a matrix of the library from a pattern (a borrowed view). All values are 1. */
static spmm_matrix_t *matrix_of(spmm_csr_t view)
{
    spmm_matrix_t *matrix = NULL;
    spmm_diag_t diag = {.status = SPMM_OK};
    double *ones = room((uint64_t)view.nnz, sizeof *ones);
    for (int64_t q = 0; q < view.nnz; q++)
        ones[q] = 1;
    view.value_type = SPMM_F64;
    view.values = ones;
    need(spmm_matrix_from_csr(&view, &matrix, &diag), "a matrix", &diag);
    free(ones);
    return matrix;
}

static spmm_csr_t view_of(const spmm_matrix_t *matrix)
{
    spmm_csr_t view = {.rows = 0};
    bench_require(spmm_matrix_csr(matrix, &view) == SPMM_OK && view.row_ptr_type == SPMM_I64 &&
                      view.col_ind_type == SPMM_I32,
                  "a view");
    return view;
}

static spmm_matrix_t *load(const char *name)
{
    spmm_matrix_t *matrix = NULL;
    spmm_diag_t diag = {.status = SPMM_OK};
    need(strncmp(name, "gen:", 4) == 0 ? spmm_matrix_generate(name, &matrix, &diag)
                                       : spmm_matrix_load(name, NULL, &matrix, &diag),
         name, &diag);
    return matrix;
}

static spmm_matrix_t *transpose(const spmm_matrix_t *matrix)
{
    const spmm_csr_t a = view_of(matrix);
    const int64_t *from = a.row_ptr;
    const int32_t *columns = a.col_ind;
    int64_t *row_ptr = room((uint64_t)a.cols + 2, sizeof *row_ptr);
    int32_t *col_ind = room((uint64_t)a.nnz, sizeof *col_ind);
    for (int64_t q = 0; q < a.nnz; q++)
        row_ptr[columns[q] + 2]++;
    for (int64_t j = 2; j <= a.cols; j++)
        row_ptr[j] += row_ptr[j - 1];
    for (int64_t i = 0; i < a.rows; i++)
        for (int64_t q = from[i]; q < from[i + 1]; q++)
            col_ind[row_ptr[columns[q] + 1]++] = (int32_t)i;
    spmm_matrix_t *turned =
        matrix_of((spmm_csr_t){a.cols, a.rows, a.nnz, SPMM_I64, SPMM_I32, row_ptr, col_ind, SPMM_F64, NULL});
    free(row_ptr);
    free(col_ind);
    return turned;
}

/* Returns the pattern of A B as a matrix. */
static spmm_matrix_t *multiply(const spmm_matrix_t *a, const spmm_matrix_t *b)
{
    spmm_plan_t *plan = NULL;
    spmm_csr_t c;
    spmm_diag_t diag = {.status = SPMM_OK};
    const spmm_product_factor_t factors[] = {{a, SPMM_OP_N}, {b, SPMM_OP_N}};
    need(spmm_product_inspect(factors, 2, NULL, &plan, &diag), "a product", &diag);
    bench_require(spmm_plan_csr(plan, &c) == SPMM_OK, "a view");
    spmm_matrix_t *product = matrix_of(c);
    spmm_plan_destroy(plan);
    return product;
}

/* Returns the matrix that assigns each point to its aggregate. */
static spmm_matrix_t *aggregates(int64_t points)
{
    const int64_t side = llround(cbrt((double)points)), coarse = (side + SIDE - 1) / SIDE;
    bench_require(side * side * side == points, "AP and RAP of what is no cube");
    int64_t *row_ptr = room((uint64_t)points + 1, sizeof *row_ptr);
    int32_t *col_ind = room((uint64_t)points, sizeof *col_ind);
    for (int64_t i = 0; i < points; i++) {
        const int64_t x = i % side / SIDE, y = i / side % side / SIDE, z = i / (side * side) / SIDE;
        row_ptr[i + 1] = i + 1;
        col_ind[i] = (int32_t)((z * coarse + y) * coarse + x);
    }
    spmm_matrix_t *p = matrix_of((spmm_csr_t){points, coarse * coarse * coarse, points, SPMM_I64, SPMM_I32,
                                              row_ptr, col_ind, SPMM_F64, NULL});
    free(row_ptr);
    free(col_ind);
    return p;
}

/* Makes the two factors of a form. */
static void make_factors(const char *form, const char *name, spmm_matrix_t *out[2])
{
    spmm_matrix_t *a = load(name);
    if (strcmp(form, "AA") == 0) {
        out[0] = out[1] = a;
    } else if (strcmp(form, "AAT") == 0) {
        out[0] = a;
        out[1] = transpose(a);
    } else {
        spmm_matrix_t *p0 = aggregates(view_of(a).rows), *p = multiply(a, p0);
        const int is_triple = strcmp(form, "RAP") == 0;
        bench_require(is_triple || strcmp(form, "AP") == 0, "the form, none of AA, AAT, AP, RAP,");
        out[0] = is_triple ? transpose(p) : a;
        out[1] = is_triple ? multiply(a, p) : p;
        spmm_matrix_destroy(p0);
        if (is_triple) {
            spmm_matrix_destroy(p);
            spmm_matrix_destroy(a);
        }
    }
}

static void *upload(const void *host, size_t bytes)
{
    void *data = NULL;
    bench_require(cudaMalloc(&data, bytes + 1) == cudaSuccess &&
                      cudaMemcpy(data, host, bytes, cudaMemcpyHostToDevice) == cudaSuccess,
                  "an upload");
    return data;
}

static int *narrow(const int64_t *from, int64_t count)
{
    int *to = room((uint64_t)count, sizeof *to);
    for (int64_t i = 0; i < count; i++)
        to[i] = (int)from[i];
    return to;
}

static void *random_values(int64_t count, uint64_t seed)
{
    void *values = room((uint64_t)count, sizeof(double));
    for (int64_t q = 0; q < count; q++)
        if (dtype == SPMM_F32)
            ((float *)values)[q] = (float)random_value((uint64_t)q ^ seed << 40);
        else
            ((double *)values)[q] = random_value((uint64_t)q ^ seed << 40);
    return values;
}

static struct bench_matrix upload_matrix(const spmm_matrix_t *matrix, uint64_t seed)
{
    const spmm_csr_t a = view_of(matrix);
    int *row_ptr = narrow(a.row_ptr, a.rows + 1);
    struct bench_matrix m = {.rows = a.rows, .cols = a.cols, .nnz = a.nnz};
    m.row_ptr = upload(row_ptr, ((size_t)a.rows + 1) * sizeof *row_ptr);
    m.col_ind = upload(a.col_ind, (size_t)a.nnz * sizeof *m.col_ind);
    m.host_values = random_values(a.nnz, seed);
    m.values = upload(m.host_values, (size_t)a.nnz * spmm_dtype_size(dtype));
    free(row_ptr);
    return m;
}

/* A product of the library that is ready to run. */
struct ours {
    spmm_product_t *product;
    spmm_product_info_t info;
    const void *operands[2];
    void *c, *workspace;
    uint64_t bytes;
};

static void run_ours(void *context)
{
    struct ours *o = context;
    spmm_diag_t diag = {.status = SPMM_OK};
    need(spmm_product_execute(o->product, spmm_real(1), o->operands, NULL, spmm_real(0), o->c, o->workspace,
                              o->bytes, NULL, &diag),
         "an execution", &diag);
}

static void make_ours(const spmm_plan_t *plan, int device, const char *kernel, struct ours *o)
{
    spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    spmm_diag_t diag = {.status = SPMM_OK};
    options.force_kernel = kernel;
    need(spmm_product_create(plan, device, &options, &o->product, &diag), "a product", &diag);
    o->info.struct_size = sizeof o->info;
    (void)spmm_product_info(o->product, &o->info);
    (void)spmm_product_workspace_bytes(o->product, &o->bytes);
}

/* Computes C and its error bounds on the CPU. */
static void find_right(const spmm_plan_t *plan, struct bench_case *c)
{
    struct ours o = {.operands = {c->a.host_values, c->b.host_values}};
    const size_t size = spmm_dtype_size(dtype);
    make_ours(plan, SPMM_DEVICE_CPU, "columns", &o);
    c->products = o.info.products;
    c->nnz = o.info.nnz;
    c->row_ptr = room((uint64_t)c->a.rows + 1, sizeof *c->row_ptr);
    c->col_ind = room((uint64_t)c->nnz, sizeof *c->col_ind);
    need(spmm_product_pattern(o.product, SPMM_I32, c->row_ptr, SPMM_I32, c->col_ind, NULL, NULL), "a pattern",
         &(spmm_diag_t){.status = SPMM_OK});
    o.workspace = aligned_alloc(256, (o.bytes / 256 + 1) * 256);
    c->right = o.c = room((uint64_t)c->nnz, size);
    run_ours(&o);
    void *sizes[2] = {room((uint64_t)c->a.nnz, size), room((uint64_t)c->b.nnz, size)};
    for (int m = 0; m < 2; m++)
        for (int64_t q = 0; q < (m == 0 ? c->a.nnz : c->b.nnz); q++)
            if (dtype == SPMM_F32)
                ((float *)sizes[m])[q] = fabsf(((const float *)o.operands[m])[q]);
            else
                ((double *)sizes[m])[q] = fabs(((const double *)o.operands[m])[q]);
    void *bound = room((uint64_t)c->nnz, size);
    o.operands[0] = sizes[0];
    o.operands[1] = sizes[1];
    o.c = bound;
    run_ours(&o);
    c->bound = room((uint64_t)c->nnz, sizeof *c->bound);
    for (int64_t q = 0; q < c->nnz; q++)
        c->bound[q] =
            (dtype == SPMM_F32 ? (double)((float *)bound)[q] * 0x1p-22 : ((double *)bound)[q] * 0x1p-51) *
            sqrt((double)c->a.cols + 64); /* a practical bound; the proven one grows with a.cols */
    free(bound);
    free(sizes[0]);
    free(sizes[1]);
    free(o.workspace);
    spmm_product_destroy(o.product);
}

static void forget_right(struct bench_case *c)
{
    free((void *)(uintptr_t)c->right);
    free(c->bound);
    free(c->row_ptr);
    free(c->col_ind);
}

static void bench_ours(const struct bench_case *c, const spmm_plan_t *plan, const char *method)
{
    struct bench_row row = {method, -1, -1, 0, 0, 0, "FAILED", -1};
    struct ours o = {.operands = {c->a.values, c->b.values}};
    const uint64_t before = bench_memory_now();
    const double start = bench_now();
    bench_memory_reset();
    make_ours(plan, 0, forced, &o);
    row.setup = bench_now() - start;
    bench_require(cudaMalloc(&o.c, (size_t)c->nnz * spmm_dtype_size(dtype) + 1) == cudaSuccess &&
                      cudaMalloc(&o.workspace, o.bytes + 1) == cudaSuccess,
                  "memory of the GPU");
    row.peak = bench_memory_peak() - before;
    row.kept = bench_memory_now() - before;
    bench_time(run_ours, &o, seconds, &row);
    row.repeats = bench_repeats(c, run_ours, &o, o.c);
    bench_judge(c, NULL, NULL, o.c, &row);
    bench_print(c, &row);
    (void)cudaFree(o.c);
    (void)cudaFree(o.workspace);
    spmm_product_destroy(o.product);
}

static spmm_csr_t device_view(const struct bench_matrix *m)
{
    return (spmm_csr_t){m->rows,    m->cols,    m->nnz, SPMM_I32, SPMM_I32,
                        m->row_ptr, m->col_ind, dtype,  m->values};
}

/* Measures products without a plan: the minimum time of several complete calls, including allocations. */
static void bench_once(const struct bench_case *c)
{
    struct bench_row row = {"once", -1, -1, 0, 0, 0, "FAILED", -1};
    const spmm_csr_t a = device_view(&c->a), b = device_view(&c->b);
    const double begin = bench_now();
    for (int turn = 0; turn < ONCE_TURNS && (turn < 2 || bench_now() - begin < 1e3 * seconds); turn++) {
        spmm_csr_t found;
        spmm_product_once_options_t options = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
        spmm_diag_t diag = {.status = SPMM_OK};
        const uint64_t before = bench_memory_now();
        options.force_method = once_method;
        bench_memory_reset();
        bench_require(cudaDeviceSynchronize() == cudaSuccess, "what was before");
        const double start = bench_now();
        need(spmm_product_once(&a, &b, 0, &options, &found, &diag), "a product without a plan", &diag);
        const double ms = bench_now() - start;
        row.cold = row.cold < 0 || ms < row.cold ? ms : row.cold;
        row.peak = bench_memory_peak() - before;
        row.kept = bench_memory_now() - before;
        if (turn == 0 && found.nnz == c->nnz)
            bench_judge(c, NULL, found.col_ind, found.values, &row);
        spmm_product_once_free(&found);
    }
    row.setup = row.cold;
    bench_print(c, &row);
}

static void bench_forms(struct bench_case *c, spmm_matrix_t *const factors[2])
{
    spmm_diag_t diag = {.status = SPMM_OK};
    spmm_product_options_t options = SPMM_PRODUCT_OPTIONS_INIT;
    spmm_plan_t *plan = NULL;
    const spmm_product_factor_t stored[] = {{factors[0], SPMM_OP_N}, {factors[1], SPMM_OP_N}},
                                turned[] = {{factors[0], SPMM_OP_N}, {factors[0], SPMM_OP_T}};
    options.dtype = dtype;
    need(spmm_product_inspect(stored, 2, &options, &plan, &diag), c->name, &diag);
    find_right(plan, c);
    bench_ours(c, plan, "plan");
    bench_once(c);
    if (strcmp(c->form, "AAT") ==
        0) { /* values of A alone; the reference C differs, because the values of B are random */
        spmm_plan_destroy(plan);
        plan = NULL;
        need(spmm_product_inspect(turned, 2, &options, &plan, &diag), c->name, &diag);
        struct bench_case of_a = *c;
        of_a.form = "AAT of A";
        find_right(plan, &of_a);
        bench_ours(&of_a, plan, "plan");
        forget_right(&of_a);
    }
    spmm_plan_destroy(plan);
    if (!is_alone)
        bench_cusparse(c);
}

static void free_matrix(struct bench_matrix *m)
{
    (void)cudaFree(m->row_ptr);
    (void)cudaFree(m->col_ind);
    (void)cudaFree(m->values);
    free(m->host_values);
}

static void bench(char *argument)
{
    char *const name = strchr(argument, '=');
    spmm_matrix_t *factors[2];
    bench_require(name != NULL, "an argument that is not FORM=MATRIX");
    *name = '\0';
    make_factors(argument, name + 1, factors);
    struct bench_case c = {.name = name + 1, .form = argument, .dtype = dtype, .seconds = seconds};
    c.a = upload_matrix(factors[0], 1);
    c.b = factors[1] == factors[0] ? c.a : upload_matrix(factors[1], 2);
    bench_forms(&c, factors);
    free_matrix(&c.a);
    if (factors[1] != factors[0]) {
        free_matrix(&c.b);
        spmm_matrix_destroy(factors[1]);
    }
    spmm_matrix_destroy(factors[0]);
    forget_right(&c);
}

int main(int argc, char **argv)
{
    puts("matrix,form,dtype,rows,products,nnz,ratio,method,cold_ms,warm_ms,setup_ms,peak_mb,kept_mb,verdict,"
         "repeats");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--dtype") == 0 && i + 1 < argc)
            dtype = strcmp(argv[++i], "f32") == 0 ? SPMM_F32 : SPMM_F64;
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            seconds = atof(argv[++i]);
        else if (strcmp(argv[i], "--kernel") == 0 && i + 1 < argc)
            forced = argv[++i];
        else if (strcmp(argv[i], "--method") == 0 && i + 1 < argc)
            once_method = argv[++i];
        else if (strcmp(argv[i], "--alone") == 0)
            is_alone = 1;
        else
            bench(argv[i]);
    }
    return 0;
}
