/* SPDX-License-Identifier: Apache-2.0 */
/* The state of an executor on a GPU, for the files that make it and set its values. */
#ifndef SPMMI_CUDA_STATE_H
#define SPMMI_CUDA_STATE_H

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>

#include "cuda_value_memory.h"
#include "executor/parts.h"

struct spmmi_cuda {
    struct spmmi_device device; /* device.values is block.memory if products may read it, else NULL */
    struct spmmi_parts *parts;
    spmm_dtype_t dtype;
    uint32_t nnz;
    struct spmmi_device_block block; /* the values of A in its order, followed by zeros */
    struct spmmi_device_count count; /* bytes of all blocks */
    struct spmmi_first_values first;
    int takes_values;            /* the values are on the device while the executor is made */
    enum spmmi_value_maps maps;  /* where maps are kept after that */
    int is_uniform;              /* all first values are equal, and no others were set */
    double value;                /* the value, if is_uniform */
    pthread_mutex_t opening;     /* lock for allocating the memory of new values */
    int is_open;                 /* that memory exists or is not needed; protected by opening */
    _Atomic uint64_t host_bytes; /* host bytes of maps */
    atomic_int was_captured;     /* 1: a product of a part that holds no values was captured */
};

/* Decides, before memory is allocated, which values and maps will be held. The parts have been chosen. */
void spmmi_cuda_values_plan(struct spmmi_cuda *cuda, const spmm_executor_options_t *options);
/* Returns true if the values of A stay on the device. Known once parts are made or counted. */
int spmmi_cuda_keeps_values(const struct spmmi_cuda *cuda);
/* Returns the bytes of the values of A and of the zeros that follow them. */
uint64_t spmmi_cuda_values_bytes(const struct spmmi_cuda *cuda);
/* Allocates the memory of the values if they need any, and adds them to the list `waiting`; the tables of a
 * part take the list along if a part sends any. */
spmm_status_t spmmi_cuda_values_take(struct spmmi_cuda *cuda, const spmm_plan_t *plan, int are_ones,
                                     struct spmmi_uploads *waiting, spmm_diag_t *diag);
/* Sends the list if no part did and passes the values to all parts, which exist by
 * now. Waits for the device. */
spmm_status_t spmmi_cuda_values_finish(struct spmmi_cuda *cuda, struct spmmi_uploads *waiting,
                                       spmm_diag_t *diag);
void spmmi_cuda_values_destroy(struct spmmi_cuda *cuda);

/* Returns whether the stream is being captured. Unless the result is None, a product may be replayed after it
 * returned. An error, such as for the legacy stream while another stream is captured, counts as an
 * invalidated capture: nothing can be enqueued. */
enum cudaStreamCaptureStatus spmmi_cuda_capture(void *stream);

#endif
