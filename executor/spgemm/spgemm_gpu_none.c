/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products on a GPU in a build without CUDA: there is no device. */
#include "spgemm_gpu.h"

#include "format/base/diag.h"

spmm_status_t spmmi_spgemm_gpu_create(const struct spmmi_spgemm_gpu_source *source,
                                      struct spmmi_spgemm_gpu **gpu, spmm_diag_t *diag)
{
    *gpu = NULL;
    return spmmi_diag_set(diag, SPMM_ERR_NO_DEVICE, (struct spmmi_where){0, 0, 0},
                          "GPU %d was asked for, but this build has no GPU support", source->device);
}

void spmmi_spgemm_gpu_free(struct spmmi_spgemm_gpu *gpu)
{
    (void)gpu;
}

uint64_t spmmi_spgemm_gpu_bytes(const struct spmmi_spgemm_gpu *gpu)
{
    (void)gpu;
    return 0;
}

const char *spmmi_spgemm_gpu_kernel(const struct spmmi_spgemm_gpu *gpu)
{
    (void)gpu;
    return "";
}

uint64_t spmmi_spgemm_gpu_partials(const struct spmmi_spgemm_gpu *gpu, int stage)
{
    (void)gpu, (void)stage;
    return 0;
}

spmm_status_t spmmi_spgemm_gpu_run(const struct spmmi_spgemm_gpu *gpu, int stage,
                                   const struct spmmi_spgemm_values *values, void *stream, spmm_diag_t *diag)
{
    (void)gpu, (void)stage, (void)values, (void)stream, (void)diag;
    return SPMM_ERR_NO_DEVICE;
}

spmm_status_t spmmi_spgemm_gpu_gather(const struct spmmi_spgemm_gpu *gpu, uint32_t factor, const void *from,
                                      void *to, void *stream, spmm_diag_t *diag)
{
    (void)gpu, (void)factor, (void)from, (void)to, (void)stream, (void)diag;
    return SPMM_ERR_NO_DEVICE;
}

spmm_status_t spmmi_spgemm_gpu_scale(const struct spmmi_spgemm_gpu *gpu, int64_t count, double beta, void *c,
                                     void *stream, spmm_diag_t *diag)
{
    (void)gpu, (void)count, (void)beta, (void)c, (void)stream, (void)diag;
    return SPMM_ERR_NO_DEVICE;
}

spmm_status_t spmmi_spgemm_gpu_copy(const struct spmmi_spgemm_gpu *gpu, const void *from, void *to,
                                    uint64_t bytes, void *stream, spmm_diag_t *diag)
{
    (void)gpu, (void)from, (void)to, (void)bytes, (void)stream, (void)diag;
    return SPMM_ERR_NO_DEVICE;
}

spmm_status_t spmmi_spgemm_gpu_once(const struct spmmi_spgemm_gpu_once *in, spmm_csr_t *c, spmm_diag_t *diag)
{
    (void)c;
    return spmmi_diag_set(diag, SPMM_ERR_NO_DEVICE, (struct spmmi_where){0, 0, 0},
                          "GPU %d was asked for, but this build has no GPU support", in->device);
}

int spmmi_spgemm_gpu_owns(const void *block)
{
    (void)block;
    return 0;
}

void spmmi_spgemm_gpu_release(const void *block)
{
    (void)block;
}

spmm_status_t spmmi_spgemm_gpu_give_back(const spmm_csr_t *c, const spmm_device_allocator_t *allocator,
                                         int device, void *stream, spmm_diag_t *diag)
{
    (void)c, (void)allocator, (void)stream;
    return spmmi_diag_set(diag, SPMM_ERR_NO_DEVICE, (struct spmmi_where){0, 0, 0},
                          "GPU %d was asked for, but this build has no GPU support", device);
}
