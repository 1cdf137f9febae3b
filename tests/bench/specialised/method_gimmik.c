/* SPDX-License-Identifier: Apache-2.0 */
/* See method_gimmik.h. The CUDA driver, which loads machine code from files, is looked up at run time. */
#include "method_gimmik.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/fail.h"

#define ENTRY_POINT "gimmik_mm"
#define LINE_BYTES 512

/* A line of the list that gimmik_kernels.py wrote: one kernel. */
struct kernel {
    char of[64];   /* NAME:N */
    char name[64]; /* name of the platform, the template and its variant */
    char file[64];
    unsigned blocks, threads_x, threads_y;
    /* Whether n and the leading dimensions are arguments; else they are constants of the kernel. */
    int takes_sizes;
};

static struct {
    char folder[PATH_MAX];
    struct kernel *list;
    int count, is_open;
} all;

static struct {
    int (*module_load)(void **module, const char *path);
    int (*module_unload)(void *module);
    int (*module_function)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments,
                  void **extra);
} driver;

struct gimmik {
    void *module, *function;
    const struct kernel *kernel;
    uint64_t bytes; /* bytes of the machine code */
    const void *b;
    void *c;
    int n, ldb, ldc;
};

/* ---- the list ---- */

static int line_read(const char *line, struct kernel *kernel)
{
    char sizes[16];
    const int count = sscanf(line, "%63s %63s %63s %u %u %u %15s", kernel->of, kernel->name, kernel->file,
                             &kernel->blocks, &kernel->threads_x, &kernel->threads_y, sizes);
    kernel->takes_sizes = count == 7 && strcmp(sizes, "runtime") == 0;
    return count == 7 && (kernel->takes_sizes || strcmp(sizes, "baked") == 0);
}

static spmm_status_t list_read(FILE *file, const char *path, spmm_diag_t *diag)
{
    char line[LINE_BYTES];
    while (fgets(line, sizeof line, file) != NULL) {
        struct kernel *more = realloc(all.list, ((size_t)all.count + 1) * sizeof *more);
        if (more == NULL)
            return fail_memory(diag, sizeof *more, "a list of kernels");
        all.list = more;
        if (!line_read(line, &all.list[all.count]))
            return fail(diag, SPMM_ERR_IO, "line %d of %s is not understood", all.count + 1, path);
        all.count++;
    }
    return SPMM_OK;
}

spmm_status_t method_gimmik_open(const char *folder, spmm_dtype_t dtype, spmm_diag_t *diag)
{
    char path[PATH_MAX];
    (void)snprintf(all.folder, sizeof all.folder, "%s", folder);
    if (snprintf(path, sizeof path, "%s/kernels_%s.txt", folder, spmm_dtype_name(dtype)) >= (int)sizeof path)
        return fail(diag, SPMM_ERR_ARGUMENT, "the name of the folder is too long");
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return fail(diag, SPMM_ERR_IO, "%s is not there", path);
    const spmm_status_t status = list_read(file, path, diag);
    (void)fclose(file);
    all.is_open = status == SPMM_OK;
    return status;
}

void method_gimmik_close(void)
{
    free(all.list);
    all.list = NULL;
    all.count = all.is_open = 0;
}

int method_gimmik_is_open(void)
{
    return all.is_open;
}

/* Returns kernel `number` of the case, or NULL if there are fewer; *count is then the number of kernels. */
static const struct kernel *find(const struct method_case *of, int number, int *count)
{
    char name[96];
    (void)snprintf(name, sizeof name, "%s:%lld", of->name, (long long)of->b->cols);
    *count = 0;
    for (int i = 0; i < all.count; i++)
        if (strcmp(all.list[i].of, name) == 0 && (*count)++ == number)
            return &all.list[i];
    return NULL;
}

int method_gimmik_count(const struct method_case *of)
{
    int count = 0;
    (void)find(of, INT_MAX, &count);
    return count;
}

/* ---- one kernel ---- */

/* Finds a function. memcpy converts the data pointer of dlsym to a function pointer, as POSIX allows. */
static int symbol_find(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static spmm_status_t driver_open(spmm_diag_t *diag)
{
    if (driver.launch != NULL)
        return SPMM_OK;
    /* The runtime has already loaded it. */
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL || !symbol_find(library, "cuModuleLoad", &driver.module_load) ||
        !symbol_find(library, "cuModuleUnload", &driver.module_unload) ||
        !symbol_find(library, "cuModuleGetFunction", &driver.module_function) ||
        !symbol_find(library, "cuLaunchKernel", &driver.launch))
        return fail(diag, SPMM_ERR_DEVICE, "CUDA's driver cannot be loaded");
    return SPMM_OK;
}

static uint64_t file_bytes(const char *path)
{
    FILE *file = fopen(path, "rb");
    long bytes = 0;
    if (file != NULL) {
        if (fseek(file, 0, SEEK_END) == 0)
            bytes = ftell(file);
        (void)fclose(file);
    }
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static spmm_status_t make(int number, const struct method_case *of, void *state, spmm_diag_t *diag)
{
    struct gimmik *made = state;
    spmm_status_t status = SPMM_OK;
    char path[PATH_MAX + 64];
    int count = 0, error = 0;
    TRY(driver_open(diag));
    *made = (struct gimmik){.kernel = find(of, number, &count),
                            .b = of->b->data,
                            .c = of->c->data,
                            .n = (int)of->b->cols,
                            .ldb = (int)of->b->ld,
                            .ldc = (int)of->c->ld};
    if (made->kernel == NULL)
        return fail(diag, SPMM_ERR_UNSUPPORTED, "there are %d kernels", count);
    if (!made->kernel->takes_sizes && (made->ldb != made->n || made->ldc != made->n))
        return fail(diag, SPMM_ERR_UNSUPPORTED, "its leading dimensions are not n");
    (void)snprintf(path, sizeof path, "%s/%s", all.folder, made->kernel->file);
    if ((error = driver.module_load(&made->module, path)) != 0) {
        made->module = NULL;
        return fail(diag, SPMM_ERR_DEVICE, "%s: CUDA's driver does not load it (error %d)", path, error);
    }
    if ((error = driver.module_function(&made->function, made->module, ENTRY_POINT)) != 0)
        return fail(diag, SPMM_ERR_DEVICE, "%s has no kernel " ENTRY_POINT " (error %d)", path, error);
    made->bytes = file_bytes(path);
cleanup:
    return status;
}

static spmm_status_t run(void *context, spmm_diag_t *diag)
{
    struct gimmik *made = context;
    const struct kernel *const k = made->kernel;
    void *baked[] = {&made->b, &made->c}, *sizes[] = {&made->n, &made->b, &made->ldb, &made->c, &made->ldc};
    const int error = driver.launch(made->function, k->blocks, 1, 1, k->threads_x, k->threads_y, 1, 0, NULL,
                                    k->takes_sizes ? sizes : baked, NULL);
    return error == 0 ? SPMM_OK
                      : fail(diag, SPMM_ERR_DEVICE, "%s: the launch failed (error %d)", k->name, error);
}

static void describe(const void *state, struct method_facts *facts)
{
    const struct gimmik *made = state;
    (void)snprintf(facts->kernel, sizeof facts->kernel, "%s", made->kernel->name);
    facts->held_bytes = made->bytes;
}

static void drop(void *state)
{
    struct gimmik *made = state;
    if (made->module != NULL)
        (void)driver.module_unload(made->module);
    made->module = NULL;
}

struct method method_gimmik(int number)
{
    return (struct method){"gimmik", number, sizeof(struct gimmik), make, run, describe, drop};
}
