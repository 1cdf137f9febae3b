/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the few oneMKL functions that spmm-bench calls, in the simplest implementation, so that
 * the tests have a peer on every machine. With NAIVE_MKL=wrong in the environment, its products are wrong;
 * with NAIVE_MKL=refuse, it refuses them. */
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct naive_csr {
    int rows, cols;
    const int *starts, *columns;
    const void *values;
};
struct naive_descr {
    int type, mode, diag;
};

static int is_mode(const char *mode)
{
    const char *set = getenv("NAIVE_MKL");
    return set != NULL && strcmp(set, mode) == 0;
}

static int make(struct naive_csr **made, int rows, int cols, const int *starts, const int *columns,
                const void *values)
{
    *made = malloc(sizeof **made);
    if (*made == NULL)
        return 2;
    **made = (struct naive_csr){rows, cols, starts, columns, values};
    return 0;
}

#define MULTIPLY(type)                                                                                 \
    const int rows = op == 10 ? a->rows : a->cols;                                                     \
    if (is_mode("refuse"))                                                                             \
        return 6;                                                                                      \
    for (int i = 0; i < rows; i++)                                                                     \
        for (int j = 0; j < n; j++)                                                                    \
            c[layout == 101 ? i * ldc + j : i + j * ldc] = is_mode("wrong") ? 1 : 0;                   \
    for (int i = 0; i < a->rows; i++)                                                                  \
        for (int p = a->starts[i]; p < a->starts[i + 1]; p++)                                          \
            for (int j = 0; j < n; j++) {                                                              \
                const int from = op == 10 ? a->columns[p] : i;                                         \
                const int to = op == 10 ? i : a->columns[p];                                           \
                c[layout == 101 ? to * ldc + j : to + j * ldc] +=                                      \
                    ((const type *)a->values)[p] * b[layout == 101 ? from * ldb + j : from + j * ldb]; \
            }                                                                                          \
    (void)alpha, (void)beta, (void)descr;                                                              \
    return 0

EXPORT int MKL_Set_Interface_Layer(int code);
EXPORT int MKL_Set_Threading_Layer(int code);
EXPORT void MKL_Set_Num_Threads(int threads);
EXPORT void MKL_Set_Dynamic(int is_dynamic);
EXPORT int mkl_sparse_s_create_csr(struct naive_csr **a, int base, int rows, int cols, int *starts, int *ends,
                                   int *columns, float *values);
EXPORT int mkl_sparse_d_create_csr(struct naive_csr **a, int base, int rows, int cols, int *starts, int *ends,
                                   int *columns, double *values);
EXPORT int mkl_sparse_set_mm_hint(struct naive_csr *a, int op, struct naive_descr descr, int layout, int n,
                                  int calls);
EXPORT int mkl_sparse_optimize(struct naive_csr *a);
EXPORT int mkl_sparse_s_mm(int op, float alpha, struct naive_csr *a, struct naive_descr descr, int layout,
                           const float *b, int n, int ldb, float beta, float *c, int ldc);
EXPORT int mkl_sparse_d_mm(int op, double alpha, struct naive_csr *a, struct naive_descr descr, int layout,
                           const double *b, int n, int ldb, double beta, double *c, int ldc);
EXPORT int mkl_sparse_destroy(struct naive_csr *a);

int MKL_Set_Interface_Layer(int code)
{
    return code;
}

int MKL_Set_Threading_Layer(int code)
{
    return code;
}

void MKL_Set_Num_Threads(int threads)
{
    (void)threads;
}

void MKL_Set_Dynamic(int is_dynamic)
{
    (void)is_dynamic;
}

int mkl_sparse_s_create_csr(struct naive_csr **a, int base, int rows, int cols, int *starts, int *ends,
                            int *columns, float *values)
{
    (void)ends;
    return base != 0 ? 3 : make(a, rows, cols, starts, columns, values);
}

int mkl_sparse_d_create_csr(struct naive_csr **a, int base, int rows, int cols, int *starts, int *ends,
                            int *columns, double *values)
{
    (void)ends;
    return base != 0 ? 3 : make(a, rows, cols, starts, columns, values);
}

int mkl_sparse_set_mm_hint(struct naive_csr *a, int op, struct naive_descr descr, int layout, int n,
                           int calls)
{
    (void)descr;
    return a == NULL || (op != 10 && op != 11) || (layout != 101 && layout != 102) || n < 1 || calls < 1 ? 3
                                                                                                         : 0;
}

int mkl_sparse_optimize(struct naive_csr *a)
{
    return a == NULL ? 1 : 0;
}

int mkl_sparse_s_mm(int op, float alpha, struct naive_csr *a, struct naive_descr descr, int layout,
                    const float *b, int n, int ldb, float beta, float *c, int ldc)
{
    MULTIPLY(float);
}

int mkl_sparse_d_mm(int op, double alpha, struct naive_csr *a, struct naive_descr descr, int layout,
                    const double *b, int n, int ldb, double beta, double *c, int ldc)
{
    MULTIPLY(double);
}

int mkl_sparse_destroy(struct naive_csr *a)
{
    free(a);
    return 0;
}
