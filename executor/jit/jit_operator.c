/* SPDX-License-Identifier: Apache-2.0 */
/* See jit_operator.h. */
#include "jit_operator.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/digest.h"

#define PROGRAM_VERSION 1 /* version of the programs of jit_ptx.c and of their launch; part of the key */

/* Writes the key: everything that the code depends on, in a form that people can read. */
static void key_write(const struct spmmi_jit_matrix *a, uint32_t target, const char *source, uint32_t bytes,
                      char key[SPMMI_JIT_KEY_MAX + 1])
{
    uint8_t hash[16];
    char digits[2 * sizeof hash + 1];
    spmmi_hash128(source, bytes, hash);
    for (size_t i = 0; i < sizeof hash; i++)
        (void)snprintf(digits + 2 * i, 3, "%02x", hash[i]);
    (void)snprintf(key, SPMMI_JIT_KEY_MAX + 1,
                   "operator %d; spmm %s; sm_%u; %s %s %s; %lld x %lld, %lld nonzeros; ptx %s",
                   PROGRAM_VERSION, spmm_version_string(), target, spmm_dtype_name(a->types.a),
                   spmm_dtype_name(a->types.b), spmm_dtype_name(a->types.c), (long long)a->rows,
                   (long long)a->cols, (long long)a->row_ptr[a->rows], digits);
}

static void module_drop(const struct spmmi_jit_driver *driver, struct spmmi_jit_operator *made)
{
    (void)driver->module_unload(made->module);
    made->module = made->function = NULL;
}

/* Returns true for errors of the driver that are about the code, not about the
 * current state of the machine. */
static bool is_refusal(int error)
{
    static const int refusals[] = {SPMMI_JIT_INVALID_IMAGE, SPMMI_JIT_NO_BINARY, SPMMI_JIT_INVALID_PTX,
                                   SPMMI_JIT_UNSUPPORTED_PTX, SPMMI_JIT_NOT_FOUND};
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        if (error == refusals[i])
            return true;
    return false;
}

/* Loads code as a kernel that can be launched. Returns 0, or the driver's error;
 * the code is then not kept. */
static int module_load(const struct spmmi_jit_driver *driver, const struct spmmi_jit_entry *entry,
                       struct spmmi_jit_operator *made)
{
    int threads = 0, error = driver->module_load(&made->module, entry->code);
    if (error != 0) {
        made->module = NULL;
        return error;
    }
    error = driver->module_function(&made->function, made->module, SPMMI_JIT_ENTRY_POINT);
    if (error == 0)
        error = driver->function_attribute(&threads, SPMMI_JIT_FUNCTION_THREADS_MAX, made->function);
    if (error == 0 && threads < (int)SPMMI_JIT_THREADS)
        error = SPMMI_JIT_INVALID_IMAGE;
    if (error != 0)
        module_drop(driver, made);
    made->code_bytes = error == 0 ? entry->code_bytes : 0;
    return error;
}

/* Compiles the entry's source. Its code lives as long as *link. Returns NULL, or why that failed. */
static const char *compile(const struct spmmi_jit_driver *driver, struct spmmi_jit_entry *entry, void **link)
{
    void *code = NULL, *source = (void *)(uintptr_t)entry->source;
    size_t bytes = 0;
    if (driver->link_create(0, NULL, NULL, link) != 0) {
        *link = NULL;
        return "the driver has no compiler";
    }
    if (driver->link_add(*link, SPMMI_JIT_LINK_PTX, source, (size_t)entry->source_bytes + 1,
                         SPMMI_JIT_ENTRY_POINT, 0, NULL, NULL) != 0 ||
        driver->link_complete(*link, &code, &bytes) != 0)
        return "the driver does not compile the program";
    if (bytes == 0 || bytes > SPMMI_JIT_FILE_MAX)
        return "the driver's code has an impossible size";
    entry->code = code;
    entry->code_bytes = (uint32_t)bytes;
    return NULL;
}

static const char *compile_and_load(const struct spmmi_jit_driver *driver, struct spmmi_jit_cache *cache,
                                    struct spmmi_jit_entry *entry, struct spmmi_jit_operator *made)
{
    void *link = NULL;
    const char *why = compile(driver, entry, &link);
    if (why == NULL && module_load(driver, entry, made) != 0)
        why = "the driver does not load what it compiled";
    if (why == NULL)
        spmmi_jit_cache_store(cache, entry);
    if (link != NULL)
        (void)driver->link_destroy(link);
    return why;
}

/* Loads the operator from disk. Removes a file that the driver refuses, as it may after an update. */
static bool find(const struct spmmi_jit_driver *driver, struct spmmi_jit_cache *cache,
                 const struct spmmi_jit_entry *wanted, struct spmmi_jit_operator *made)
{
    struct spmmi_jit_entry entry = *wanted;
    uint8_t *bytes = spmmi_jit_cache_load(cache, &entry);
    if (bytes == NULL)
        return false;
    /* The copy is aligned, as the driver requires; the zero at its end stops a driver
     * that takes it for text. */
    uint8_t *code = spmmi_alloc((uint64_t)entry.code_bytes + 1, 1);
    int error = 0;
    if (code != NULL) {
        memcpy(code, entry.code, entry.code_bytes);
        code[entry.code_bytes] = 0;
        entry.code = code;
        error = module_load(driver, &entry, made);
    }
    if (is_refusal(error))
        spmmi_jit_cache_drop(cache, wanted);
    const bool is_loaded = code != NULL && error == 0;
    spmmi_free(code);
    spmmi_free(bytes);
    return is_loaded;
}

enum spmmi_jit_origin spmmi_jit_operator_make(const struct spmmi_jit_driver *driver,
                                              struct spmmi_jit_cache *cache,
                                              const struct spmmi_jit_matrix *matrix, uint32_t target,
                                              int compiles, struct spmmi_jit_operator *made, const char **why)
{
    char key[SPMMI_JIT_KEY_MAX + 1];
    uint32_t bytes = 0;
    char *source = spmmi_jit_ptx_emit(matrix, &bytes, why);
    enum spmmi_jit_origin origin = SPMMI_JIT_NOWHERE;
    if (source == NULL)
        return origin;
    key_write(matrix, target, source, bytes, key);
    struct spmmi_jit_entry entry = {
        .key = key, .source = source, .key_bytes = (uint32_t)strlen(key), .source_bytes = bytes};
    if (find(driver, cache, &entry, made))
        origin = SPMMI_JIT_DISK;
    else if (!compiles)
        *why = "it is not in the cache, and nothing may be compiled";
    else if ((*why = compile_and_load(driver, cache, &entry, made)) == NULL)
        origin = SPMMI_JIT_COMPILER;
    spmmi_free(source);
    return origin;
}

/* Return the bytes from an element to the same element of the next row, or of the next column. */
static uint64_t row_bytes(const spmm_dense_t *d)
{
    return (uint64_t)spmmi_row_step(d) * spmm_dtype_size(d->type);
}

static uint64_t column_bytes(const spmm_dense_t *d)
{
    return (uint64_t)spmmi_column_step(d) * spmm_dtype_size(d->type);
}

int spmmi_jit_is_strided(const spmm_dense_t *b, const spmm_dense_t *c)
{
    return b->layout != SPMM_ROW_MAJOR || c->layout != SPMM_ROW_MAJOR;
}

int spmmi_jit_operator_is_of(const struct spmmi_jit_operator *made, const struct spmmi_product *product)
{
    return product->op == made->op && product->b.type == made->types.b && product->c.type == made->types.c;
}

int spmmi_jit_operator_fits(const struct spmmi_jit_operator *made, const struct spmmi_product *product)
{
    return spmmi_jit_operator_is_of(made, product) &&
           product->b.cols >= made->n_min[spmmi_jit_is_strided(&product->b, &product->c)] &&
           product->b.cols <= INT32_MAX && row_bytes(&product->b) <= UINT32_MAX &&
           row_bytes(&product->c) <= UINT32_MAX;
}

int spmmi_jit_operator_launch(const struct spmmi_jit_driver *driver, const struct spmmi_jit_operator *made,
                              const struct spmmi_product *product, void *stream)
{
    /* In the order of the program's parameters. alpha and beta are already rounded to
     * f32 unless sums are f64. */
    uint64_t b = (uintptr_t)product->b.data, c = (uintptr_t)product->c.data;
    uint64_t b_column = column_bytes(&product->b), c_column = column_bytes(&product->c);
    uint32_t b_row = (uint32_t)row_bytes(&product->b), c_row = (uint32_t)row_bytes(&product->c);
    uint32_t n = (uint32_t)product->b.cols;
    double alpha = product->alpha, beta = product->beta;
    float alpha_f32 = (float)alpha, beta_f32 = (float)beta;
    const bool is_double = made->types.sum == SPMM_F64;
    void *arguments[] = {&b,
                         &c,
                         &b_column,
                         &c_column,
                         &b_row,
                         &c_row,
                         &n,
                         is_double ? (void *)&alpha : &alpha_f32,
                         is_double ? (void *)&beta : &beta_f32};
    const unsigned blocks = n / SPMMI_JIT_THREADS + (n % SPMMI_JIT_THREADS != 0);
    return driver->launch(made->function, blocks, 1, 1, SPMMI_JIT_THREADS, 1, 1, 0, stream, arguments,
                          NULL) == 0;
}
