/* SPDX-License-Identifier: Apache-2.0 */
/* See tuner.h. */
#include "tuner.h"

#include <stdio.h>

#include "tools/cli/fail.h"
#include "tools/compute/gpu.h"

#define TARGET_ANY 0u
#define TARGET_CPU 1u

/* Returns the device on which candidates for a target are timed. */
static int position_of(uint32_t target)
{
    return target == TARGET_CPU ? TUNER_CPU : TUNER_GPU;
}

static spmm_status_t open_device(struct tuner *tuner, int at, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int device = at == TUNER_CPU ? SPMM_DEVICE_CPU : 0;
    if (tuner->is_open[at])
        goto cleanup;
    if (at == TUNER_GPU)
        TRY(gpu_require(device, diag));
    TRY(tune_device_open(device, tuner->threads, &tuner->devices[at], diag));
    TRY(spmm_device_name(device, tuner->summary.devices[at], sizeof tuner->summary.devices[at]));
    tuner->is_open[at] = true;
cleanup:
    return status;
}

/* Shows progress, such as "tuning candidate 5: rows/row-split, n = 64". */
static void tell(struct tuner *tuner, const spmm_plan_t *plan, int64_t n)
{
    char stage[120];
    spmm_part_info_t part = {.struct_size = sizeof part};
    const int64_t number = tuner->summary.measured + tuner->summary.refused + 1;
    if (spmm_plan_part(plan, 0, &part) != SPMM_OK)
        return;
    snprintf(stage, sizeof stage, "tuning candidate %lld: %s/%s, n = %lld", (long long)number,
             spmm_family_name(part.family), spmm_schedule_name(part.schedule), (long long)n);
    progress_report(tuner->progress, stage, 0, 0);
}

static void note_refusal(struct tune_summary *summary, spmm_status_t status, const spmm_diag_t *diag)
{
    if (summary->refused++ > 0)
        return;
    snprintf(summary->refusal, sizeof summary->refusal, "%.*s", (int)sizeof summary->refusal - 1,
             diag->text[0] != '\0' ? diag->text : spmm_status_text(status));
}

spmm_status_t tuner_measure(void *context, const spmm_plan_t *plan, spmm_op_t op, int64_t n,
                            spmm_layout_t layout, double *us)
{
    struct tuner *const tuner = context;
    const struct tune_product product = {op, n, layout};
    const double start = progress_seconds();
    spmm_status_t status = SPMM_OK;
    spmm_diag_t diag = {.status = SPMM_OK};
    spmm_variant_info_t variant = {.struct_size = sizeof variant};
    TRY(spmm_plan_variant(plan, 0, &variant));
    const int at = position_of(variant.target);
    tell(tuner, plan, n);
    TRY(open_device(tuner, at, &diag));
    TRY(tune_device_time(&tuner->devices[at], plan, &product, us, &diag));
    tuner->summary.measured++;
cleanup:
    if (status != SPMM_OK)
        note_refusal(&tuner->summary, status, &diag);
    tuner->summary.seconds += progress_seconds() - start;
    return status;
}

void tuner_close(struct tuner *tuner)
{
    for (int at = 0; at < TUNER_DEVICES; at++)
        if (tuner->is_open[at])
            tune_device_close(&tuner->devices[at]);
}

/* Makes the plan of the smallest matrix for a device, to find its target. This also works for a profile
 * file. */
static spmm_status_t probe(const char *device, spmm_plan_t **plan, uint32_t *target, spmm_diag_t *diag)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_matrix_t *matrix = NULL;
    spmm_variant_info_t variant = {.struct_size = sizeof variant, .target = TARGET_ANY};
    spmm_status_t status = SPMM_OK;
    options.device = device;
    TRY(spmm_matrix_generate("gen:diag:1", &matrix, diag));
    TRY(spmm_inspect(matrix, &options, plan, diag));
    TRY(spmm_plan_variant(*plan, 0, &variant));
    *target = variant.target;
cleanup:
    spmm_matrix_destroy(matrix);
    return status;
}

/* Checks that GPU 0 runs this plan without a fallback. */
static spmm_status_t check_gpu(const spmm_plan_t *plan, const char *device, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_executor_t *executor = NULL;
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    const spmm_dense_t dense = {NULL, 1, 1, 1, SPMM_ROW_MAJOR, SPMM_F32};
    TRY(spmm_executor_create(plan, 0, &options, &executor, diag));
    TRY(spmm_executor_info(executor, SPMM_OP_N, &dense, &dense, &info, NULL));
    if (info.fallback)
        status = fail(diag, SPMM_ERR_NO_DEVICE, "candidates for %s cannot be timed here, on %s: %s", device,
                      info.device_name, info.note);
cleanup:
    spmm_executor_destroy(executor);
    return status;
}

static spmm_status_t check_device(const char *device, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *plan = NULL;
    uint32_t target = TARGET_ANY;
    TRY(probe(device, &plan, &target, diag));
    if (target == TARGET_ANY || target == TARGET_CPU)
        goto cleanup;
    if (spmm_device_count() == 0)
        status = fail(diag, SPMM_ERR_NO_DEVICE,
                      "candidates for %s are timed on a GPU of compute capability %u.%u, and %s", device,
                      target / 10, target % 10, gpu_absence());
    else
        status = check_gpu(plan, device, diag);
cleanup:
    spmm_plan_destroy(plan);
    return status;
}

spmm_status_t tuner_check_devices(const struct plan_device *devices, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (size_t i = 0; i < devices->count; i++)
        TRY(check_device(devices->names[i], diag));
cleanup:
    return status;
}
