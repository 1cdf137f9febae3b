/* SPDX-License-Identifier: Apache-2.0 */
/* Loads cuBLASLt at run time and looks up its functions. */
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

/* The functions that are used; they are looked up, never linked. */
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

/* Loads the library and fills *call. The caller closes *library with dlclose. Errors: UNSUPPORTED, with the
 * loader's message for each file, or the name of a missing function. */
spmm_status_t spmmi_dense_library_load(void **library, struct spmmi_dense_functions *call, spmm_diag_t *diag);

#endif

#ifdef SPMM_TEST_HOOKS
/* Files to load instead of the usual ones; ends with NULL. NULL: the usual files. */
extern const char *const *spmmi_dense_library_files_hook;
#endif

#endif
