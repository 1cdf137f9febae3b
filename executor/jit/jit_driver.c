/* SPDX-License-Identifier: Apache-2.0 */
/* See jit_driver.h. */
#include "jit_driver.h"

#include <dlfcn.h>
#include <string.h>

#ifdef SPMM_TEST_HOOKS
const char *spmmi_jit_driver_file_hook;
const struct spmmi_jit_driver *spmmi_jit_driver_hook;
#endif

static const char *file(void)
{
#ifdef SPMM_TEST_HOOKS
    if (spmmi_jit_driver_file_hook != NULL)
        return spmmi_jit_driver_file_hook;
#endif
    return SPMMI_JIT_DRIVER_FILE;
}

static int has_all(void *library, struct spmmi_jit_driver *driver)
{
    void *symbol = NULL;
#define X(name, cu_name, parameters)                 \
    if ((symbol = dlsym(library, #cu_name)) == NULL) \
        return 0;                                    \
    memcpy(&driver->name, &symbol, sizeof symbol);
    SPMMI_JIT_DRIVER_FUNCTIONS(X)
#undef X
    return 1;
}

const char *spmmi_jit_driver_open(struct spmmi_jit_driver *driver)
{
    if (driver->library != NULL)
        return NULL;
#ifdef SPMM_TEST_HOOKS
    if (spmmi_jit_driver_hook != NULL) {
        *driver = *spmmi_jit_driver_hook;
        return NULL;
    }
#endif
    void *const library = dlopen(file(), RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return "CUDA's driver cannot be loaded";
    if (!has_all(library, driver)) {
        (void)dlclose(library);
        return "CUDA's driver lacks a function";
    }
    driver->library = library;
    return NULL;
}

void spmmi_jit_driver_close(struct spmmi_jit_driver *driver)
{
    int is_file = driver->library != NULL;
#ifdef SPMM_TEST_HOOKS
    is_file = is_file && spmmi_jit_driver_hook == NULL;
#endif
    if (is_file)
        (void)dlclose(driver->library);
    driver->library = NULL;
}
