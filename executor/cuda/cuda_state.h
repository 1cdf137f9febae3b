/* SPDX-License-Identifier: Apache-2.0 */
/* An executor on a GPU, for the files that make it and give it values. */
#ifndef SPMMI_CUDA_STATE_H
#define SPMMI_CUDA_STATE_H

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>

#include "cuda_value_memory.h"
#include "executor/parts.h"

struct spmmi_cuda {
    struct spmmi_device
        device; /* its values are those of block, if that is held, and products may read them */
    struct spmmi_parts *parts;
    spmm_dtype_t dtype;
    uint32_t nnz;
    struct spmmi_device_block block; /* the values of A in its order, and zeros */
    struct spmmi_device_count count; /* of all blocks */
    struct spmmi_first_values first;
    int takes_values;            /* on the device while it is made */
    enum spmmi_value_maps maps;  /* behind that */
    int is_uniform;              /* the first values are all the same, and no others were set */
    double value;                /* it */
    pthread_mutex_t opening;     /* of memory for new values */
    int is_open;                 /* it is there, or there are no new values; under that lock */
    _Atomic uint64_t host_bytes; /* of maps */
    atomic_int was_captured;     /* a product of a part that holds no values */
};

/* What is known of values before memory is taken; the parts are chosen. */
void spmmi_cuda_values_plan(struct spmmi_cuda *cuda, const spmm_executor_options_t *options);
/* Do the values of A stay on the device? Known when parts are made or counted. */
int spmmi_cuda_keeps_values(const struct spmmi_cuda *cuda);
/* Bytes of the values of A with what follows them. */
uint64_t spmmi_cuda_values_bytes(const struct spmmi_cuda *cuda);
/* Memory of the values, if they need any; what is in the list goes with the tables of a part, if one sends some. */
spmm_status_t spmmi_cuda_values_take(struct spmmi_cuda *cuda, const spmm_plan_t *plan, int are_ones,
                                     struct spmmi_uploads *waiting, spmm_diag_t *diag);
/* All parts are there, and so is what was in the list if one of them sent it. Waits for the device. */
spmm_status_t spmmi_cuda_values_finish(struct spmmi_cuda *cuda, struct spmmi_uploads *waiting,
                                       spmm_diag_t *diag);
void spmmi_cuda_values_destroy(struct spmmi_cuda *cuda);

/* Unless it is None, a product may be replayed after it returned. An error, as of the legacy stream while another one
 * is captured, counts as a capture that was invalidated: nothing can be enqueued. */
enum cudaStreamCaptureStatus spmmi_cuda_capture(void *stream);

#endif
