/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, the catalogue of kernels, and making and destroying executors. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "executor/cpu/cpu_name.h"
#include "executor_state.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/base/stored_value.h"
#include "format/base/team.h"
#include "format/family.h"
#include "settle.h"

int spmm_device_count(void)
{
    return spmmi_cuda_device_count();
}

spmm_status_t spmm_device_name(int device, char *text, size_t size)
{
    if (text == NULL || size == 0)
        return SPMM_ERR_ARGUMENT;
    text[0] = '\0';
    if (device == SPMM_DEVICE_CPU) {
        spmmi_cpu_name(text, size);
        return SPMM_OK;
    }
    if (device < 0)
        return SPMM_ERR_ARGUMENT;
    return device < spmmi_cuda_device_count() ? spmmi_cuda_device_name(device, text, size)
                                              : SPMM_ERR_NO_DEVICE;
}

spmm_status_t spmm_kernel_at(int index, spmm_kernel_info_t *info)
{
    const int first_cuda = spmmi_kernels_count(spmmi_cpu_kernels);
    const bool is_cpu = index < first_cuda;
    if (index < 0 || index >= first_cuda + spmmi_kernels_count(spmmi_cuda_kernels))
        return SPMM_ERR_ARGUMENT;
    const struct spmmi_kernel *k =
        is_cpu ? &spmmi_cpu_kernels[index] : &spmmi_cuda_kernels[index - first_cuda];
    spmm_kernel_info_t full;
    memset(&full, 0, sizeof full);
    full.name = k->name;
    full.target = is_cpu ? "cpu" : "cuda";
    full.family = k->family;
    full.schedule = k->schedule;
    return spmmi_info_write(info, &full, sizeof full);
}

/* Reads the options that the caller knows and sets defaults for the rest. */
static spmm_status_t options_read(const spmm_executor_options_t *from, spmm_executor_options_t *to,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_device_memory memory;
    *to = (spmm_executor_options_t)SPMM_EXECUTOR_OPTIONS_INIT;
    SPMM_TRY(spmmi_options_read(to, sizeof *to, from, "executor options", diag));
    if (from != NULL &&
        from->struct_size < offsetof(spmm_executor_options_t, new_values) + sizeof to->new_values)
        to->new_values = 1; /* older callers expect memory for new values from the start */
    SPMM_REQUIRE(to->threads >= 0, SPMM_ERR_ARGUMENT, diag, "threads is %d, expected 0 or more", to->threads);
    SPMM_REQUIRE(to->unit_values == 0 || to->unit_values == 1, SPMM_ERR_ARGUMENT, diag,
                 "unit_values is %d, expected 0 or 1", to->unit_values);
    SPMM_REQUIRE(to->new_values == 0 || to->new_values == 1, SPMM_ERR_ARGUMENT, diag,
                 "new_values is %d, expected 0 or 1", to->new_values);
    SPMM_REQUIRE(to->jit >= SPMM_JIT_AUTO && to->jit <= SPMM_JIT_ON, SPMM_ERR_ARGUMENT, diag,
                 "jit is %d, expected a level of spmm_jit_level_t", (int)to->jit);
    SPMM_REQUIRE(to->n_min >= 0 && to->n_max >= 0 && (to->n_max == 0 || to->n_min <= to->n_max),
                 SPMM_ERR_ARGUMENT, diag,
                 "n_min is %lld and n_max %lld, expected 0 <= n_min <= n_max, or n_max 0 for no limit",
                 (long long)to->n_min, (long long)to->n_max);
    SPMM_REQUIRE((to->ops & ~(SPMM_OPS_N | SPMM_OPS_T)) == 0 &&
                     (to->layouts & ~(SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR)) == 0,
                 SPMM_ERR_ARGUMENT, diag,
                 "ops is 0x%x and layouts 0x%x, expected masks of SPMM_OPS_* and SPMM_LAYOUTS_*, or 0",
                 to->ops, to->layouts);
    SPMM_TRY(spmmi_device_memory_open(to->allocator, SPMM_DEVICE_CPU, &memory, diag));
    to->threads = spmmi_team_clamp(to->threads, "an executor");
cleanup:
    return status;
}

static bool is_kernel(const struct spmmi_kernel *kernels, const char *name)
{
    return name != NULL && spmmi_kernel_find(kernels, name) != NULL;
}

/* Returns true if only the CPU has a kernel of this name. A name without a target
 * may match kernels of both. */
static bool is_of_cpu_alone(const char *kernel)
{
    return is_kernel(spmmi_cpu_kernels, kernel) && !is_kernel(spmmi_cuda_kernels, kernel);
}

/* Returns true if AUTO means GPU 0 for this plan. If making the executor there would fail for
 * any other reason than the three statuses below, budgets included, AUTO still means the GPU,
 * and the caller gets the error. */
static bool is_for_gpu(const spmm_plan_t *plan, const spmm_executor_options_t *options,
                       struct spmmi_first_values first)
{
    struct spmmi_settled_plan settled;
    if (spmmi_cuda_device_count() == 0 || is_of_cpu_alone(options->force_kernel) ||
        !spmmi_cuda_device_runs(0))
        return false;
    const spmm_status_t status =
        spmmi_plan_settle_counted(plan, 0, options, first, &settled, NULL, &spmmi_diag_unheard);
    return status != SPMM_ERR_UNSUPPORTED && status != SPMM_ERR_TOO_LARGE && status != SPMM_ERR_PLAN_FEATURE;
}

static spmm_status_t check_kernel_name(const struct spmmi_kernel *kernels, const char *device,
                                       const char *kernel, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_kernel_ref ref;
    char names[SPMMI_KERNEL_NAMES_BYTES];
    if (kernel == NULL || is_kernel(kernels, kernel))
        return SPMM_OK;
    if (spmmi_kernel_parse(kernel, &ref))
        SPMM_FAIL(SPMM_ERR_ARGUMENT, diag, "\"%.60s\" is no kernel of %s", kernel, device);
    spmmi_kernel_names(kernel, names);
    SPMM_FAIL(SPMM_ERR_ARGUMENT, diag, "\"%.60s\" is no kernel of %s, expected %s", kernel, device, names);
cleanup:
    return status;
}

spmm_status_t spmmi_device_check(int device, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int count = spmmi_cuda_device_count();
    SPMM_REQUIRE(device >= SPMM_DEVICE_AUTO, SPMM_ERR_ARGUMENT, diag,
                 "device is %d, expected a GPU's number, SPMM_DEVICE_CPU or SPMM_DEVICE_AUTO", device);
    SPMM_REQUIRE(device < 0 || count > 0, SPMM_ERR_NO_DEVICE, diag,
                 "GPU %d was asked for, and there is no GPU: built without SPMM_CUDA, or no driver", device);
    SPMM_REQUIRE(device < count || device == SPMM_DEVICE_CPU, SPMM_ERR_NO_DEVICE, diag,
                 "GPU %d was asked for, and the machine has %d, counted from 0", device, count);
cleanup:
    return status;
}

/* Resolves AUTO and checks that the device exists and has the forced kernel. */
static spmm_status_t device_settle(int *device, const spmm_executor_options_t *options,
                                   const spmm_plan_t *plan, struct spmmi_first_values first,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const char *kernel = options->force_kernel;
    SPMM_TRY(spmmi_device_check(*device, diag));
    if (*device == SPMM_DEVICE_AUTO)
        *device = is_for_gpu(plan, options, first) ? 0 : SPMM_DEVICE_CPU;
    SPMM_TRY(check_kernel_name(*device == SPMM_DEVICE_CPU ? spmmi_cpu_kernels : spmmi_cuda_kernels,
                               *device == SPMM_DEVICE_CPU ? "the CPU" : "this GPU", kernel, diag));
cleanup:
    return status;
}

spmm_status_t spmm_executor_memory_bytes(const spmm_plan_t *plan, int device,
                                         const spmm_executor_options_t *options, uint64_t *host_bytes,
                                         uint64_t *device_bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_executor_options_t settled;
    struct spmmi_first_values first;
    struct spmmi_settled_plan counted;
    spmmi_diag_clear(diag);
    if (host_bytes != NULL)
        *host_bytes = 0;
    if (device_bytes != NULL)
        *device_bytes = 0;
    SPMM_REQUIRE(plan != NULL, SPMM_ERR_ARGUMENT, diag, "the plan is NULL");
    SPMM_TRY(options_read(options, &settled, diag));
    first = spmmi_values_look(plan, device, &settled);
    SPMM_TRY(device_settle(&device, &settled, plan, first, diag));
    SPMM_TRY(spmmi_plan_settle_counted(plan, device, &settled, first, &counted, NULL, diag));
    if (host_bytes != NULL)
        *host_bytes = counted.needs.host;
    if (device_bytes != NULL)
        *device_bytes = counted.needs.device;
cleanup:
    return status;
}

/* Makes the lock of the values. It prefers writers: back-to-back products then do not keep new values out.
 * Returns NULL if memory is short. */
static pthread_rwlock_t *values_lock_make(void)
{
    pthread_rwlockattr_t attributes;
    pthread_rwlock_t *lock = spmmi_alloc(1, sizeof *lock);
    (void)pthread_rwlockattr_init(&attributes);
    (void)pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    if (lock != NULL)
        (void)pthread_rwlock_init(lock, &attributes);
    (void)pthread_rwlockattr_destroy(&attributes);
    return lock;
}

static void values_lock_free(pthread_rwlock_t *lock)
{
    if (lock != NULL)
        (void)pthread_rwlock_destroy(lock);
    spmmi_free(lock);
}

/* Copies the plan's dimensions and variants without its arrays: what choosing a variant needs. */
static void shape_copy(struct spmm_plan *shape, const spmm_plan_t *plan)
{
    *shape = *plan;
    shape->row_ptr = NULL;
    shape->col_ind = NULL;
    shape->values = NULL;
    shape->trace = NULL;
    shape->trace_count = 0;
    shape->sections = NULL;
    shape->section_count = 0;
    for (uint32_t i = 0; i < shape->part_count; i++)
        shape->parts[i].items = NULL;
}

/* Allocates as many ones as A has values, in the plan's type. Returns NULL if memory is short. */
static void *ones_make(const spmm_plan_t *plan)
{
    void *ones = spmmi_alloc((uint64_t)plan->nnz, spmm_dtype_size(plan->dtype));
    for (int64_t q = 0; ones != NULL && q < plan->nnz; q++)
        spmmi_value_store(ones, plan->dtype, q, 1);
    return ones;
}

/* Opens the device of the executor with the typed plan, and with rounded values or ones if the plan's own do
 * not fit. A GPU makes ones itself if it needs them. */
static spmm_status_t device_open(spmm_executor_t *executor, const spmm_plan_t *plan, struct spmm_plan *typed,
                                 const spmm_executor_options_t *options, struct spmmi_first_values first,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    void *made = NULL;
    executor->has_unit_values = options->unit_values != 0;
    if (!options->unit_values)
        SPMM_TRY(spmmi_typed_values(plan, typed->dtype, options->threads, &made, diag));
    else if (executor->device == SPMM_DEVICE_CPU)
        SPMM_TRY_ALLOC(made = ones_make(typed), diag);
    if (made != NULL)
        typed->values = made;
    executor->has_values = typed->values != NULL || options->unit_values;
    executor->target = spmmi_device_target(executor->device);
    if (executor->device == SPMM_DEVICE_CPU) {
        SPMM_TRY(spmmi_cpu_create(typed, options->threads, options->force_kernel, &executor->cpu, diag));
    } else {
        SPMM_TRY_ALLOC(executor->jit = spmmi_jit_create(typed, executor->device, executor->target,
                                                        options->jit, options->force_kernel),
                       diag);
        SPMM_TRY(spmmi_cuda_create(typed, executor->device, options, first, &executor->cuda, diag));
    }
cleanup:
    spmmi_free(made);
    return status;
}

spmm_status_t spmm_executor_create(const spmm_plan_t *plan, int device,
                                   const spmm_executor_options_t *options, spmm_executor_t **executor_out,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_executor_t *executor = NULL;
    spmm_executor_options_t settled;
    struct spmmi_first_values first;
    struct spmmi_settled_plan of;
    uint64_t hash;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(executor_out != NULL, SPMM_ERR_ARGUMENT, diag, "the pointer for the executor is NULL");
    *executor_out = NULL;
    SPMM_REQUIRE(plan != NULL, SPMM_ERR_ARGUMENT, diag, "the plan is NULL");
    SPMM_TRY(options_read(options, &settled, diag));
    first = spmmi_values_look(plan, device, &settled);
    SPMM_TRY(device_settle(&device, &settled, plan, first, diag));
    if (settled.host_budget_bytes != 0 || settled.device_budget_bytes != 0)
        SPMM_TRY(spmmi_plan_settle_counted(plan, device, &settled, first, &of, &hash, diag));
    else
        SPMM_TRY(spmmi_plan_settle(plan, device, &settled, &of, &hash, diag));
    executor = spmmi_alloc_zero(1, sizeof *executor);
    SPMM_TRY_ALLOC(executor, diag);
    SPMM_TRY_ALLOC(executor->values_lock = values_lock_make(), diag);
    shape_copy(&executor->shape, &of.typed.plan);
    memcpy(executor->variant_of, of.typed.variant_of, sizeof executor->variant_of);
    executor->parts_hash = hash;
    executor->given_up = of.given_up;
    executor->plan_type = plan->dtype;
    executor->device = device;
    status = spmm_device_name(device, executor->device_name, sizeof executor->device_name);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "device %d has no name: %s", device,
                 spmm_status_text(status));
    SPMM_TRY(device_open(executor, plan, &of.typed.plan, &settled, first, diag));
    spmmi_executor_log(executor);
    *executor_out = executor;
    executor = NULL;
cleanup:
    spmm_executor_destroy(executor);
    return status;
}

void spmm_executor_destroy(spmm_executor_t *executor)
{
    if (executor == NULL)
        return;
    spmmi_jit_destroy(executor->jit);
    spmmi_cuda_destroy(executor->cuda);
    spmmi_cpu_destroy(executor->cpu);
    values_lock_free(executor->values_lock);
    spmmi_free(executor);
}
