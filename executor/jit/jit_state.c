/* SPDX-License-Identifier: Apache-2.0 */
/* See jit_state.h. */
#include "jit_state.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "executor/pack/op_pattern.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"

struct spmmi_jit {
    spmm_jit_level_t level;
    int device;
    uint32_t target;
    const char *why;          /* why no operator is made; NULL: one may be possible */
    struct spmm_plan pattern; /* dimensions and type of A; if why is NULL also copies of its arrays */
    pthread_mutex_t lock;     /* serializes prepares; protects the next three members */
    struct spmmi_jit_driver driver;
    int device_handle;
    void *context;                        /* NULL: not retained yet */
    struct spmmi_jit_operator *operators; /* published operators, the newest first */
    struct spmmi_jit_operator *unused;    /* operators with old values, whose modules must stay */
    uint64_t generation;                  /* incremented by each change of the values */
    uint64_t peak_bytes;                  /* maximum bytes of code on the device so far */
};

/* Returns why no operators are made of this plan, or NULL. The limits of a program are
 * checked when it is made. */
static const char *plan_refuse(const spmm_plan_t *plan, spmm_jit_level_t level, const char *kernel)
{
    if (level == SPMM_JIT_OFF)
        return "the executor was made with SPMM_JIT_OFF";
    if (kernel != NULL)
        return "a kernel is forced";
    for (uint32_t i = 0; i < plan->part_count; i++)
        if ((plan->parts[i].flags & SPMMI_PART_PERMUTES_OUTPUT) != 0)
            return "the plan permutes the rows of C";
    if (plan->nnz > SPMMI_JIT_NNZ_MAX)
        return "it has more than 4096 nonzeros";
    if (plan->rows > SPMMI_JIT_DIMENSION_MAX || plan->cols > SPMMI_JIT_DIMENSION_MAX)
        return "it has more than 8192 rows or columns";
    return NULL;
}

static uint64_t pattern_bytes(const spmm_plan_t *plan)
{
    return ((uint64_t)plan->rows + 1) * sizeof *plan->row_ptr + (uint64_t)plan->nnz * sizeof *plan->col_ind;
}

uint64_t spmmi_jit_bytes(const spmm_plan_t *plan, spmm_jit_level_t level)
{
    return sizeof(struct spmmi_jit) + (plan_refuse(plan, level, NULL) == NULL ? pattern_bytes(plan) : 0);
}

struct spmmi_jit *spmmi_jit_create(const spmm_plan_t *plan, int device, uint32_t target,
                                   spmm_jit_level_t level, const char *kernel)
{
    struct spmmi_jit *jit = spmmi_alloc_zero(1, sizeof *jit);
    if (jit == NULL)
        return NULL;
    *jit = (struct spmmi_jit){.level = level == SPMM_JIT_AUTO ? SPMM_JIT_LOAD : level,
                              .device = device,
                              .target = target,
                              .why = plan_refuse(plan, level, kernel)};
    jit->pattern.rows = plan->rows;
    jit->pattern.cols = plan->cols;
    jit->pattern.nnz = plan->nnz;
    jit->pattern.dtype = plan->dtype;
    (void)pthread_mutex_init(&jit->lock, NULL);
    if (jit->why != NULL)
        return jit;
    const uint64_t rows = (uint64_t)plan->rows + 1, nnz = (uint64_t)plan->nnz;
    jit->pattern.row_ptr = spmmi_alloc(rows, sizeof *plan->row_ptr);
    jit->pattern.col_ind = spmmi_alloc(nnz, sizeof *plan->col_ind);
    if (jit->pattern.row_ptr == NULL || jit->pattern.col_ind == NULL) {
        spmmi_jit_destroy(jit);
        return NULL;
    }
    memcpy(jit->pattern.row_ptr, plan->row_ptr, rows * sizeof *plan->row_ptr);
    if (nnz > 0)
        memcpy(jit->pattern.col_ind, plan->col_ind, nnz * sizeof *plan->col_ind);
    return jit;
}

static void operators_free(struct spmmi_jit *jit, struct spmmi_jit_operator *first)
{
    while (first != NULL) {
        struct spmmi_jit_operator *next = first->next;
        (void)jit->driver.module_unload(first->module);
        spmmi_free(first);
        first = next;
    }
}

static bool enter(const struct spmmi_jit *jit)
{
    return jit->driver.context_push(jit->context) == 0;
}

static void leave(const struct spmmi_jit *jit)
{
    void *context;
    (void)jit->driver.context_pop(&context);
}

void spmmi_jit_destroy(struct spmmi_jit *jit)
{
    if (jit == NULL)
        return;
    const bool is_inside = jit->context != NULL && enter(jit);
    operators_free(jit, jit->operators);
    operators_free(jit, jit->unused);
    if (is_inside)
        leave(jit);
    if (jit->context != NULL)
        (void)jit->driver.context_release(jit->device_handle);
    spmmi_jit_driver_close(&jit->driver);
    (void)pthread_mutex_destroy(&jit->lock);
    spmmi_free(jit->pattern.row_ptr);
    spmmi_free(jit->pattern.col_ind);
    spmmi_free(jit);
}

uint64_t spmmi_jit_host_bytes(const struct spmmi_jit *jit)
{
    return sizeof *jit + (jit->why == NULL ? pattern_bytes(&jit->pattern) : 0);
}

uint64_t spmmi_jit_device_bytes(const struct spmmi_jit *jit)
{
    uint64_t bytes = 0;
    for (const struct spmmi_jit_operator *o = jit->operators; o != NULL; o = o->next)
        bytes += o->code_bytes;
    for (const struct spmmi_jit_operator *o = jit->unused; o != NULL; o = o->next)
        bytes += o->code_bytes;
    return bytes;
}

uint64_t spmmi_jit_peak_bytes(const struct spmmi_jit *jit)
{
    return jit->peak_bytes;
}

const char *spmmi_jit_refuse(const struct spmmi_jit *jit)
{
    return jit->why;
}

/* Loads the driver and retains the device's context. Returns NULL, or why that failed. */
static const char *driver_ready(struct spmmi_jit *jit)
{
    const char *why = spmmi_jit_driver_open(&jit->driver);
    if (why != NULL || jit->context != NULL)
        return why;
    if (jit->driver.device_get(&jit->device_handle, jit->device) != 0 ||
        jit->driver.context_retain(&jit->context, jit->device_handle) != 0) {
        jit->context = NULL;
        return "CUDA's driver does not know the GPU";
    }
    return NULL;
}

/* Copies the values to the order of op(A). Returns NULL if memory is short. */
static void *values_of(const struct spmmi_op_pattern *pattern, const void *values, int64_t nnz, size_t size)
{
    char *to = spmmi_alloc((uint64_t)nnz, size);
    for (int64_t q = 0; to != NULL && q < nnz; q++)
        memcpy(to + (size_t)q * size,
               (const char *)values + (size_t)(pattern->map != NULL ? pattern->map[q] : q) * size, size);
    return to;
}

/* Makes the program of op(A) and gets its code, in the device's context. Returns
 * NULL, or why there is none. */
static const char *make(struct spmmi_jit *jit, const struct spmmi_jit_matrix *matrix,
                        struct spmmi_jit_operator *made, enum spmmi_jit_origin *origin,
                        char note[SPMMI_JIT_NOTE])
{
    struct spmmi_jit_cache cache;
    const bool compiles = jit->level == SPMM_JIT_ON;
    const char *why = driver_ready(jit);
    if (why == NULL && !enter(jit))
        why = "CUDA's driver does not enter the GPU's context";
    if (why != NULL)
        return why;
    spmmi_jit_cache_open(&cache, compiles);
    *origin = spmmi_jit_operator_make(&jit->driver, &cache, matrix, jit->target, compiles, made, &why);
    (void)snprintf(note, SPMMI_JIT_NOTE, "%s", cache.note);
    spmmi_jit_cache_close(&cache);
    leave(jit);
    return why;
}

/* Returns the product's types with the type of sums. If no kernel has such types the latter is 0,
 * and there is no operator. */
static struct spmmi_types types_of(const struct spmmi_product *product)
{
    const struct spmmi_types asked = {product->a_type, product->b.type, product->c.type, 0};
    const struct spmmi_types *const found = spmmi_types_find(asked);
    return found != NULL ? *found : asked;
}

struct spmmi_jit_operator *spmmi_jit_compile(struct spmmi_jit *jit, const struct spmmi_product *product,
                                             const void *values, enum spmmi_jit_origin *origin,
                                             char note[SPMMI_JIT_NOTE])
{
    struct spmmi_op_pattern pattern;
    void *ordered = NULL;
    const char *why = "out of memory";
    *origin = SPMMI_JIT_NOWHERE;
    note[0] = '\0';
    struct spmmi_jit_operator *made = spmmi_alloc_zero(1, sizeof *made);
    const spmm_status_t status =
        spmmi_op_pattern_open(&jit->pattern, product->op, &pattern, &spmmi_diag_unheard);
    if (made != NULL && status == SPMM_OK)
        ordered = values_of(&pattern, values, jit->pattern.nnz, spmm_dtype_size(jit->pattern.dtype));
    if (ordered != NULL) {
        const struct spmmi_jit_matrix matrix = {pattern.rows,    pattern.cols, pattern.row_ptr,
                                                pattern.col_ind, ordered,      types_of(product)};
        made->op = product->op;
        made->types = matrix.types;
        why = spmmi_jit_ptx_refuse(&matrix);
        if (why == NULL)
            why = make(jit, &matrix, made, origin, note);
    }
    spmmi_free(ordered);
    spmmi_op_pattern_close(&pattern);
    if (*origin == SPMMI_JIT_NOWHERE) {
        char of_cache[SPMMI_JIT_NOTE];
        (void)snprintf(of_cache, sizeof of_cache, "%s", note);
        (void)snprintf(note, SPMMI_JIT_NOTE, "%.70s%s%.80s", why, of_cache[0] != '\0' ? "; " : "", of_cache);
        spmmi_free(made);
        made = NULL;
    }
    return made;
}

uint64_t spmmi_jit_generation(const struct spmmi_jit *jit)
{
    return jit->generation;
}

/* Retires all operators. They stay in memory, since graphs that were captured with them may be replayed. */
void spmmi_jit_values_change(struct spmmi_jit *jit)
{
    jit->generation++;
    while (jit->operators != NULL) {
        struct spmmi_jit_operator *const old = jit->operators;
        jit->operators = old->next;
        old->next = jit->unused;
        jit->unused = old;
    }
}

int spmmi_jit_publish(struct spmmi_jit *jit, struct spmmi_jit_operator *made, uint64_t generation)
{
    const uint64_t bytes = spmmi_jit_device_bytes(jit) + made->code_bytes;
    if (bytes > jit->peak_bytes)
        jit->peak_bytes = bytes;
    if (generation != jit->generation)
        return false;
    made->n_min[0] = SPMMI_JIT_N_MIN;
    made->n_min[1] = INT64_MAX;
    made->next = jit->operators;
    jit->operators = made;
    return true;
}

void spmmi_jit_discard(struct spmmi_jit *jit, struct spmmi_jit_operator *made)
{
    const bool is_inside = enter(jit);
    operators_free(jit, made);
    if (is_inside)
        leave(jit);
}

int spmmi_jit_widen(struct spmmi_jit *jit, const struct spmmi_product *product)
{
    const int is_strided = spmmi_jit_is_strided(&product->b, &product->c);
    struct spmmi_jit_operator *found = jit->operators;
    while (found != NULL && !spmmi_jit_operator_is_of(found, product))
        found = found->next;
    if (found != NULL && product->b.cols < found->n_min[is_strided])
        found->n_min[is_strided] = product->b.cols;
    return found != NULL;
}

const struct spmmi_jit_operator *spmmi_jit_find(const struct spmmi_jit *jit,
                                                const struct spmmi_product *product)
{
    const struct spmmi_jit_operator *found = jit != NULL ? jit->operators : NULL;
    while (found != NULL && !spmmi_jit_operator_fits(found, product))
        found = found->next;
    return found;
}

spmm_status_t spmmi_jit_run(const struct spmmi_jit *jit, const struct spmmi_jit_operator *made,
                            const struct spmmi_product *product, void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(enter(jit), SPMM_ERR_DEVICE, diag, "CUDA's driver does not enter the GPU's context");
    const int is_enqueued = spmmi_jit_operator_launch(&jit->driver, made, product, stream);
    leave(jit);
    SPMM_REQUIRE(is_enqueued, SPMM_ERR_DEVICE, diag, "the launch of a prepared operator failed");
cleanup:
    return status;
}

void spmmi_jit_lock(struct spmmi_jit *jit)
{
    (void)pthread_mutex_lock(&jit->lock);
}

void spmmi_jit_unlock(struct spmmi_jit *jit)
{
    (void)pthread_mutex_unlock(&jit->lock);
}
