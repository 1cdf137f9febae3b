/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of CUDA's driver that compiled kernels need. The driver is loaded when the first such kernel
 * is wanted, and never linked; the CUDA runtime of the executor has loaded the same library before. Tests use
 * a driver of their own (tests/executor/fake_driver.c).
 */
#ifndef SPMMI_JIT_DRIVER_H
#define SPMMI_JIT_DRIVER_H

#include <stddef.h>

#define SPMMI_JIT_DRIVER_FILE "libcuda.so.1"

/* X(name, symbol, parameters): the function `symbol` of the driver, which returns 0 or an error. Handles are
 * pointers; devices and enumerators are int. */
#define SPMMI_JIT_DRIVER_FUNCTIONS(X)                                                                 \
    X(device_get, cuDeviceGet, (int *device, int number))                                             \
    X(context_retain, cuDevicePrimaryCtxRetain, (void **context, int device))                         \
    X(context_release, cuDevicePrimaryCtxRelease_v2, (int device))                                    \
    X(context_push, cuCtxPushCurrent_v2, (void *context))                                             \
    X(context_pop, cuCtxPopCurrent_v2, (void **context))                                              \
    X(link_create, cuLinkCreate_v2, (unsigned count, int *options, void **values, void **link))       \
    X(link_add, cuLinkAddData_v2,                                                                     \
      (void *link, int kind, void *data, size_t size, const char *name, unsigned count, int *options, \
       void **values))                                                                                \
    X(link_complete, cuLinkComplete, (void *link, void **code, size_t *size))                         \
    X(link_destroy, cuLinkDestroy, (void *link))                                                      \
    X(module_load, cuModuleLoadData, (void **module, const void *code))                               \
    X(module_unload, cuModuleUnload, (void *module))                                                  \
    X(module_function, cuModuleGetFunction, (void **function, void *module, const char *name))        \
    X(function_attribute, cuFuncGetAttribute, (int *value, int attribute, void *function))            \
    X(launch, cuLaunchKernel,                                                                         \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,           \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments,     \
       void **extra))

struct spmmi_jit_driver {
    void *library; /* NULL: the driver is not loaded */
#define X(name, symbol, parameters) int(*name) parameters;
    SPMMI_JIT_DRIVER_FUNCTIONS(X)
#undef X
};

#define SPMMI_JIT_LINK_PTX 1             /* CU_JIT_INPUT_PTX */
#define SPMMI_JIT_FUNCTION_THREADS_MAX 0 /* CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK */
/* Errors of the driver: CUDA_ERROR_INVALID_IMAGE and so on. */
#define SPMMI_JIT_INVALID_IMAGE 200
#define SPMMI_JIT_NO_BINARY 209
#define SPMMI_JIT_INVALID_PTX 218
#define SPMMI_JIT_UNSUPPORTED_PTX 222
#define SPMMI_JIT_NOT_FOUND 500

/* Loads the driver unless it is loaded. Returns NULL, or why it cannot be loaded, in static memory. */
const char *spmmi_jit_driver_open(struct spmmi_jit_driver *driver);
void spmmi_jit_driver_close(struct spmmi_jit_driver *driver);

#ifdef SPMM_TEST_HOOKS
extern const char *spmmi_jit_driver_file_hook;               /* another file to load; NULL: the usual one */
extern const struct spmmi_jit_driver *spmmi_jit_driver_hook; /* functions to use instead of a file */
#endif

#endif
