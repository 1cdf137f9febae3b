/* SPDX-License-Identifier: Apache-2.0 */
/* Loading CUDA's driver, from a library with all its functions (fake_cuda.c) and by its usual name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "executor/jit/jit_driver.h"

static int is_loaded(const char *file)
{
    void *const library = dlopen(file, RTLD_NOW | RTLD_NOLOAD);
    if (library != NULL)
        (void)dlclose(library);
    return library != NULL;
}

/* Returns 1 if a library stays loaded after it was closed, as with musl. */
static int closed_libraries_stay(void)
{
    void *const library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    (void)dlclose(library);
    return is_loaded(FAKE_CUDA);
}

static void a_driver_is_loaded_once_and_closed(void **state)
{
    struct spmmi_jit_driver driver = {.library = NULL};
    const int stays = closed_libraries_stay();
    (void)state;
    spmmi_jit_driver_file_hook = FAKE_CUDA;
    assert_null(spmmi_jit_driver_open(&driver));
    void *const library = driver.library;
    assert_non_null(library);
#define X(name, symbol, parameters)                                    \
    {                                                                  \
        const void *const function = dlsym(library, #symbol);          \
        assert_memory_equal(&driver.name, &function, sizeof function); \
    }
    SPMMI_JIT_DRIVER_FUNCTIONS(X)
#undef X
    assert_null(spmmi_jit_driver_open(&driver)); /* it is loaded already */
    assert_ptr_equal(driver.library, library);
    spmmi_jit_driver_close(&driver);
    assert_null(driver.library);
    assert_int_equal(is_loaded(FAKE_CUDA), stays);
    spmmi_jit_driver_close(&driver); /* nothing is loaded */
}

/* The machine may have the driver or not. */
static void the_usual_file_is_that_of_the_driver(void **state)
{
    struct spmmi_jit_driver driver = {.library = NULL};
    void *const usual = dlopen(SPMMI_JIT_DRIVER_FILE, RTLD_NOW | RTLD_LOCAL);
    (void)state;
    spmmi_jit_driver_file_hook = NULL;
    const char *const why = spmmi_jit_driver_open(&driver);
    if (usual == NULL)
        assert_string_equal(why, "CUDA's driver cannot be loaded");
    else if (why != NULL)
        assert_string_equal(why, "CUDA's driver lacks a function");
    assert_ptr_equal(driver.library, why == NULL ? usual : NULL);
    spmmi_jit_driver_close(&driver);
    if (usual != NULL)
        (void)dlclose(usual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_is_loaded_once_and_closed),
        cmocka_unit_test(the_usual_file_is_that_of_the_driver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
