/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of cuBLASLt, from its library, which is loaded at run time. */
#ifndef SPMMI_DENSE_LIBRARY_CUDA_H
#define SPMMI_DENSE_LIBRARY_CUDA_H

#include <spmm/common.h>

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#define SPMMI_HAVE_CUBLASLT 1
#else
#define SPMMI_HAVE_CUBLASLT 0
#endif

#if SPMMI_HAVE_CUBLASLT

/* The functions that are used, from the library or nowhere. */
#define SPMMI_DENSE_FUNCTIONS(X)            \
    X(cublasLtCreate)                       \
    X(cublasLtDestroy)                      \
    X(cublasLtMatmul)                       \
    X(cublasLtMatmulAlgoGetHeuristic)       \
    X(cublasLtMatmulDescCreate)             \
    X(cublasLtMatmulDescDestroy)            \
    X(cublasLtMatmulDescSetAttribute)       \
    X(cublasLtMatmulPreferenceCreate)       \
    X(cublasLtMatmulPreferenceDestroy)      \
    X(cublasLtMatmulPreferenceSetAttribute) \
    X(cublasLtMatrixLayoutCreate)           \
    X(cublasLtMatrixLayoutDestroy)

struct spmmi_dense_functions {
#define X(name) __typeof__(&(name)) name;
    SPMMI_DENSE_FUNCTIONS(X)
#undef X
};

/* The library is the caller's to close with dlclose. Errors: UNSUPPORTED, and why no file of it can be loaded or which
 * function it lacks. */
spmm_status_t spmmi_dense_library_load(void **library, struct spmmi_dense_functions *call, spmm_diag_t *diag);

#endif

#ifdef SPMM_TEST_HOOKS
/* Files to load instead; ended by NULL. NULL: the usual ones. */
extern const char *const *spmmi_dense_library_files_hook;
#endif

#endif
