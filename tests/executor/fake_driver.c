/* SPDX-License-Identifier: Apache-2.0 */
/* See fake_driver.h. */
#include "fake_driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executor/jit/jit_ptx.h"
#include "ptx_machine.h"

#define CODE "code of sm_90\n" /* prefix of compiled code; the text follows */
#define FAILURE SPMMI_JIT_INVALID_IMAGE

struct fake_driver fake_driver;

struct link {
    char *source, *code;
};

/* Counts the call. Returns 0, or FAILURE if the test makes this call fail. */
static int call(enum fake_driver_call which)
{
    fake_driver.calls[which]++;
    return fake_driver.fails == which ? FAILURE : 0;
}

static int device_get(int *device, int number)
{
    *device = number + 7; /* the handle differs from the device number */
    return call(FAKE_device_get);
}

static int context_retain(void **context, int device)
{
    assert_int_equal(device, 7);
    *context = &fake_driver;
    const int error = call(FAKE_context_retain);
    fake_driver.contexts += error == 0;
    return error;
}

static int context_release(int device)
{
    assert_int_equal(device, 7);
    fake_driver.contexts--;
    return call(FAKE_context_release);
}

static int context_push(void *context)
{
    assert_ptr_equal(context, &fake_driver);
    const int error = call(FAKE_context_push);
    fake_driver.depth += error == 0;
    return error;
}

static int context_pop(void **context)
{
    *context = &fake_driver;
    fake_driver.depth--;
    return call(FAKE_context_pop);
}

static int link_create(unsigned count, int *options, void **values, void **link)
{
    assert_true(count == 0 && options == NULL && values == NULL && fake_driver.depth == 1);
    const int error = call(FAKE_link_create);
    *link = error == 0 ? calloc(1, sizeof(struct link)) : NULL;
    fake_driver.links += error == 0;
    return error;
}

static int link_add(void *link, int kind, void *data, size_t size, const char *name, unsigned count,
                    int *options, void **values)
{
    (void)name, (void)count, (void)options, (void)values;
    assert_int_equal(kind, SPMMI_JIT_LINK_PTX);
    assert_int_equal(strlen(data) + 1, size); /* the size includes the terminating zero */
    ((struct link *)link)->source = strdup(data);
    return call(FAKE_link_add);
}

static int link_complete(void *link, void **code, size_t *size)
{
    struct link *const l = link;
    const size_t bytes = sizeof CODE + strlen(l->source);
    l->code = malloc(bytes);
    assert_non_null(l->code);
    memcpy(l->code, CODE, sizeof CODE);
    strcat(l->code, l->source);
    *code = l->code;
    *size = fake_driver.code_is_empty ? 0 : fake_driver.code_bytes != 0 ? fake_driver.code_bytes : bytes;
    if (fake_driver.at_compile != NULL)
        fake_driver.at_compile();
    return call(FAKE_link_complete);
}

static int link_destroy(void *link)
{
    struct link *const l = link;
    free(l->source);
    free(l->code);
    free(l);
    fake_driver.links--;
    return call(FAKE_link_destroy);
}

static int module_load(void **module, const void *code)
{
    char why[160];
    const int error = call(FAKE_module_load);
    if (error != 0 || strncmp(code, CODE, strlen(CODE)) != 0)
        return FAILURE;
    *module = ptx_program_make((const char *)code + strlen(CODE), why);
    fake_driver.modules += *module != NULL;
    return *module != NULL ? 0 : FAILURE;
}

static int module_unload(void *module)
{
    assert_int_equal(fake_driver.depth, 1);
    ptx_program_free(module);
    fake_driver.modules--;
    return call(FAKE_module_unload);
}

static int module_function(void **function, void *module, const char *name)
{
    assert_string_equal(name, SPMMI_JIT_ENTRY_POINT);
    *function = module;
    return call(FAKE_module_function);
}

static int function_attribute(int *value, int attribute, void *function)
{
    (void)function;
    assert_int_equal(attribute, SPMMI_JIT_FUNCTION_THREADS_MAX);
    *value = fake_driver.threads_max != 0 ? fake_driver.threads_max : 1024;
    return call(FAKE_function_attribute);
}

/* Runs the program. Copies its parameters one by one as the driver does. All of memory is allowed for B and
 * C, because the operands of the tests have guards. */
static int launch(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments,
                  void **extra)
{
    char why[160];
    (void)stream;
    assert_true(grid_y == 1 && grid_z == 1 && block_y == 1 && block_z == 1 && shared_bytes == 0 &&
                extra == NULL);
    if (call(FAKE_launch) != 0)
        return FAILURE;
    struct ptx_launch l = {
        .blocks = grid_x, .threads = block_x, .b_end = (char *)UINTPTR_MAX, .c_end = (char *)UINTPTR_MAX};
    memcpy(&l.b, arguments[0], sizeof l.b);
    memcpy(&l.c, arguments[1], sizeof l.c);
    memcpy(&l.b_column, arguments[2], sizeof l.b_column);
    memcpy(&l.c_column, arguments[3], sizeof l.c_column);
    memcpy(&l.b_row, arguments[4], sizeof l.b_row);
    memcpy(&l.c_row, arguments[5], sizeof l.c_row);
    memcpy(&l.n, arguments[6], sizeof l.n);
    if (ptx_program_is_double(function)) {
        memcpy(&l.alpha, arguments[7], sizeof l.alpha);
        memcpy(&l.beta, arguments[8], sizeof l.beta);
    } else {
        float factors[2];
        memcpy(&factors[0], arguments[7], sizeof factors[0]);
        memcpy(&factors[1], arguments[8], sizeof factors[1]);
        l.alpha = (double)factors[0];
        l.beta = (double)factors[1];
    }
    return ptx_program_run(function, &l, why) ? 0 : FAILURE;
}

static const struct spmmi_jit_driver table = {.library = &fake_driver,
#define X(name, symbol, parameters) .name = name,
                                              SPMMI_JIT_DRIVER_FUNCTIONS(X)
#undef X
};

void fake_driver_works(void)
{
    const struct fake_driver old = fake_driver;
    fake_driver = (struct fake_driver){.fails = FAKE_NONE,
                                       .contexts = old.contexts,
                                       .depth = old.depth,
                                       .links = old.links,
                                       .modules = old.modules};
    spmmi_jit_driver_hook = &table;
}

void fake_driver_gone(void)
{
    spmmi_jit_driver_hook = NULL;
}
