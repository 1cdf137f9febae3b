/* SPDX-License-Identifier: Apache-2.0 */
/* A CUDA runtime that counts calls and does nothing. A program that links it runs the host side of the GPU
 * code on a machine without a GPU. It has one device of compute capability 9.0. Device memory is host memory,
 * which is neither written nor read. Kernels do not run, but a launch with more dynamic shared memory than
 * the kernel may use fails. */
#ifndef FAKE_RUNTIME_H
#define FAKE_RUNTIME_H

#include <stdatomic.h>

struct fake_runtime {
    atomic_int launches;       /* kernel launches */
    atomic_int device_asks;    /* calls of cudaGetDevice */
    atomic_int attributes;     /* calls of cudaFuncSetAttribute */
    atomic_int cluster_asks;   /* calls of cudaOccupancyMaxActiveClusters */
    atomic_int maps;           /* calls of cuTensorMapEncodeTiled */
    atomic_int others;         /* calls of all other functions */
    const char *_Atomic other; /* name of the function that was last counted in others */
    atomic_int refusals;       /* number of allocations from now on that fail */
    atomic_int trims;          /* calls that trim a memory pool */
    void *_Atomic waited;      /* the last stream that was synchronized */
};
extern struct fake_runtime fake_runtime;

/* Sets all counts to 0. The shared memory that kernels may use does not change. */
void fake_runtime_count(void);
/* Resets the shared memory that kernels may use to the default, like a reset of the device. */
void fake_runtime_forget(void);

#endif
