/* SPDX-License-Identifier: Apache-2.0 */
/* See fake_cublaslt.h. */
#include "fake_cublaslt.h"

#include <cublasLt.h>
#include <stdlib.h>
#include <string.h>

struct fake_cublaslt fake_cublaslt;

/* Makes an object without content, which is only counted. Returns NULL if `error` is not 0. */
static void *object_make(int error)
{
    void *const object = error == 0 ? malloc(1) : NULL;
    fake_cublaslt.objects += object != NULL;
    return object;
}

static cublasStatus_t object_free(const void *object)
{
    fake_cublaslt.objects -= object != NULL;
    free((void *)(uintptr_t)object);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    *handle = object_make(fake_cublaslt.create_error);
    return (cublasStatus_t)fake_cublaslt.create_error;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    return object_free(handle);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *descriptor, cublasComputeType_t compute,
                                        cudaDataType_t scale)
{
    (void)scale;
    fake_cublaslt.compute = (int)compute;
    *descriptor = object_make(fake_cublaslt.descriptor_error);
    return (cublasStatus_t)fake_cublaslt.descriptor_error;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t descriptor)
{
    return object_free(descriptor);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t descriptor,
                                              cublasLtMatmulDescAttributes_t name, const void *value,
                                              size_t size)
{
    (void)name, (void)value, (void)size;
    return descriptor != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows,
                                          uint64_t cols, int64_t ld)
{
    (void)rows, (void)cols, (void)ld;
    fake_cublaslt.c_type = (int)type;
    *layout = object_make(0);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    return object_free(layout);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
    *preference = object_make(0);
    fake_cublaslt.numbers = UINT64_MAX;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    return object_free(preference);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t name,
                                                    const void *value, size_t size)
{
    (void)preference;
    if (name == CUBLASLT_MATMUL_PREF_IMPL_MASK && size == sizeof fake_cublaslt.numbers)
        fake_cublaslt.numbers = *(const uint64_t *)value;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t found[], int *count)
{
    (void)handle, (void)descriptor, (void)a, (void)b, (void)c, (void)d, (void)preference;
    fake_cublaslt.heuristics++;
    fake_cublaslt.wanted = wanted;
    if (fake_cublaslt.heuristic_error != 0)
        return (cublasStatus_t)fake_cublaslt.heuristic_error;
    *count = fake_cublaslt.has_no_algorithm ? 0 : wanted;
    memset(found, 0, (size_t)wanted * sizeof *found);
    for (int i = 0; i < wanted; i++) {
        found[i].algo.data[0] = (uint64_t)i;
        if (i >= FAKE_CHOICES)
            continue;
        found[i].wavesCount = fake_cublaslt.waves[i];
        found[i].state = (cublasStatus_t)fake_cublaslt.state[i];
        found[i].workspaceSize = fake_cublaslt.workspace[i];
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor, const void *alpha,
                              const void *a, cublasLtMatrixLayout_t a_layout, const void *b,
                              cublasLtMatrixLayout_t b_layout, const void *beta, const void *c,
                              cublasLtMatrixLayout_t c_layout, void *d, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t *algorithm, void *workspace, size_t bytes,
                              cudaStream_t stream)
{
    (void)handle, (void)descriptor, (void)alpha, (void)a, (void)a_layout, (void)b, (void)b_layout, (void)beta;
    (void)c, (void)c_layout, (void)d, (void)d_layout, (void)workspace, (void)bytes, (void)stream;
    fake_cublaslt.products++;
    fake_cublaslt.choice = (int)algorithm->data[0];
    return (cublasStatus_t)fake_cublaslt.matmul_error;
}
