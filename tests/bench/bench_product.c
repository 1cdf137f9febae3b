/* SPDX-License-Identifier: Apache-2.0 */
/* Times of sparse products on the CPU. Usage: bench_product [-j THREADS] [-t] MATRIX..
 * Prints a line of CSV for A A of each matrix, or for A A^T with -t. The kernels run in turns; products
 * without a plan run after them. The minimum time of each counts: CPU time of the process with one thread,
 * which other programs disturb little, or wall-clock time with several threads. */
#include <spmm/spmm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURNS 9
#define KERNELS 4
#define SECONDS_A_MATRIX 8.0

static int threads = 1;

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void need(spmm_status_t status, const char *what, const spmm_diag_t *diag)
{
    if (status == SPMM_OK)
        return;
    fprintf(stderr, "bench_product: %s: %s\n", what, diag->text);
    exit(1);
}

struct kernel {
    const char *name;
    spmm_product_t *product;
    spmm_product_info_t info;
    void *workspace;
    uint64_t bytes;
    double create_ms, ms;
};

static void make_kernel(const spmm_plan_t *plan, struct kernel *k)
{
    spmm_product_executor_options_t options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    spmm_diag_t diag = {.status = SPMM_OK};
    const double start = now_ms();
    options.threads = threads;
    options.force_kernel = k->name;
    need(spmm_product_create(plan, SPMM_DEVICE_CPU, &options, &k->product, &diag), k->name, &diag);
    k->create_ms = now_ms() - start;
    k->info.struct_size = sizeof k->info;
    (void)spmm_product_info(k->product, &k->info);
    (void)spmm_product_workspace_bytes(k->product, &k->bytes);
    k->workspace = aligned_alloc(256, (k->bytes / 256 + 1) * 256);
    k->ms = 1e300;
}

static void run_kernel(struct kernel *k, const void *values, void *c)
{
    spmm_diag_t diag = {.status = SPMM_OK};
    const void *const operands[] = {values};
    const double start = now_ms();
    need(spmm_product_execute(k->product, spmm_real(1), operands, NULL, spmm_real(0), c, k->workspace,
                              k->bytes, NULL, &diag),
         k->name, &diag);
    const double ms = now_ms() - start;
    k->ms = ms < k->ms ? ms : k->ms;
}

/* Returns A^T. Its arrays belong to the caller. */
static spmm_csr_t transpose(const spmm_csr_t *a)
{
    const int64_t *from = a->row_ptr;
    const int32_t *columns = a->col_ind;
    int64_t *row_ptr = calloc((size_t)a->cols + 2, sizeof *row_ptr);
    int32_t *col_ind = malloc((size_t)a->nnz * sizeof *col_ind + 1);
    double *values = malloc((size_t)a->nnz * sizeof *values + 1);
    if (row_ptr == NULL || col_ind == NULL || values == NULL)
        exit(1);
    for (int64_t q = 0; q < a->nnz; q++)
        row_ptr[columns[q] + 2]++;
    for (int64_t j = 0; j < a->cols; j++)
        row_ptr[j + 2] += row_ptr[j + 1];
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t q = from[i]; q < from[i + 1]; q++) {
            const int64_t to = row_ptr[columns[q] + 1]++;
            col_ind[to] = (int32_t)i;
            values[to] = ((const double *)a->values)[q];
        }
    return (spmm_csr_t){a->cols, a->rows, a->nnz, SPMM_I64, SPMM_I32, row_ptr, col_ind, SPMM_F64, values};
}

static double run_once(const spmm_csr_t *a, const spmm_csr_t *b)
{
    const spmm_product_once_options_t options = {.struct_size = sizeof options, .threads = threads};
    spmm_diag_t diag = {.status = SPMM_OK};
    spmm_csr_t c;
    const double start = now_ms();
    need(spmm_product_once(a, b, SPMM_DEVICE_CPU, &options, &c, &diag), "once", &diag);
    const double ms = now_ms() - start;
    spmm_product_once_free(&c);
    return ms;
}

static void bench(const char *name, int is_turned)
{
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    spmm_csr_t a;
    spmm_diag_t diag = {.status = SPMM_OK};
    spmm_product_options_t options = SPMM_PRODUCT_OPTIONS_INIT;
    const int is_generated = strncmp(name, "gen:", 4) == 0;
    need(is_generated ? spmm_matrix_generate(name, &matrix, &diag)
                      : spmm_matrix_load(name, NULL, &matrix, &diag),
         name, &diag);
    (void)spmm_matrix_csr(matrix, &a);
    double *ones = malloc((size_t)a.nnz * sizeof *ones + 1); /* a matrix may be a pattern without values */
    for (int64_t q = 0; ones != NULL && q < a.nnz; q++)
        ones[q] = 1 + 1e-3 * (double)(q % 1000);
    a.values = a.values != NULL ? a.values : ones;
    const spmm_product_factor_t factors[] = {{matrix, SPMM_OP_N},
                                             {matrix, is_turned ? SPMM_OP_T : SPMM_OP_N}};
    options.dtype = SPMM_F64;
    options.threads = threads;
    const double start = now_ms();
    need(spmm_product_inspect(factors, 2, &options, &plan, &diag), name, &diag);
    const double inspect_ms = now_ms() - start;
    struct kernel kernels[KERNELS] = {
        {.name = "columns"}, {.name = "positions"}, {.name = "groups"}, {.name = "masks"}};
    for (int k = 0; k < KERNELS; k++)
        make_kernel(plan, &kernels[k]);
    void *c = malloc((size_t)kernels[0].info.nnz * sizeof(double) + 1);
    double once_ms = 1e300;
    const spmm_csr_t turned = transpose(&a);
    const double begin = now_ms();
    for (int turn = 0; turn < TURNS && (turn < 2 || now_ms() - begin < 1e3 * SECONDS_A_MATRIX); turn++) {
        for (int k = 0; k < KERNELS; k++)
            run_kernel(&kernels[k], a.values, c);
    }
    for (int turn = 0; turn < TURNS; turn++) { /* Runs alone, like the peers that it is compared with. */
        const double ms = run_once(&a, is_turned ? &turned : &a);
        once_ms = ms < once_ms ? ms : once_ms;
    }
    printf("%s,%s,%d,%llu,%lld,%.2f,%.2f,%.3f,%.3f,%.3f,%.3f,%.3f,%.1f,%.1f,%.1f,%llu,%llu,%llu\n", name,
           is_turned ? "A A^T" : "A A", threads, (unsigned long long)kernels[0].info.products,
           (long long)kernels[0].info.nnz, (double)kernels[0].info.products / (double)kernels[0].info.nnz,
           inspect_ms, kernels[0].ms, kernels[1].ms, kernels[2].ms, kernels[3].ms, once_ms,
           kernels[0].create_ms, kernels[1].create_ms, kernels[3].create_ms,
           (unsigned long long)kernels[0].info.host_bytes, (unsigned long long)kernels[1].info.host_bytes,
           (unsigned long long)kernels[3].info.host_bytes);
    (void)fflush(stdout);
    for (int k = 0; k < KERNELS; k++) {
        spmm_product_destroy(kernels[k].product);
        free(kernels[k].workspace);
    }
    free((void *)(uintptr_t)turned.row_ptr);
    free((void *)(uintptr_t)turned.col_ind);
    free((void *)(uintptr_t)turned.values);
    free(ones);
    free(c);
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(matrix);
}

int main(int argc, char **argv)
{
    int is_turned = 0;
    puts("matrix,form,threads,products,nnz,ratio,inspect_ms,columns_ms,positions_ms,groups_ms,masks_ms,once_"
         "ms,"
         "columns_create_ms,positions_create_ms,masks_create_ms,columns_bytes,positions_bytes,masks_bytes");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-t") == 0)
            is_turned = 1;
        else if (strcmp(argv[i], "-j") == 0 && i + 1 < argc)
            threads = atoi(argv[++i]);
        else
            bench(argv[i], is_turned);
    }
    return 0;
}
