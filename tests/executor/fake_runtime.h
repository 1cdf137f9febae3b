/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA runtime that counts what it is asked and does nothing: a program that links it runs the host side of GPUs on a
 * machine without one. It has one device of capability 9.0, whose memory is the host's and is neither filled nor read.
 * No kernel runs, but one that takes more dynamic shared memory than it may have is refused. */
#ifndef FAKE_RUNTIME_H
#define FAKE_RUNTIME_H

#include <stdatomic.h>

struct fake_runtime {
    atomic_int launches;       /* of kernels */
    atomic_int device_asks;    /* cudaGetDevice */
    atomic_int attributes;     /* of kernels that were set */
    atomic_int cluster_asks;   /* cudaOccupancyMaxActiveClusters */
    atomic_int maps;           /* cuTensorMapEncodeTiled */
    atomic_int others;         /* calls of all other functions */
    const char *_Atomic other; /* the last of them */
    atomic_int refusals;       /* of the next calls that take memory */
    atomic_int trims;          /* of a pool */
    void *_Atomic waited;      /* the stream that was waited for last */
};
extern struct fake_runtime fake_runtime;

/* All counts are 0. What kernels may have stays. */
void fake_runtime_count(void);
/* Kernels may have what all may, as after a reset of the device. */
void fake_runtime_forget(void);

#endif
