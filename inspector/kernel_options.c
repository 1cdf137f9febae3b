/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the kernel that a caller of spmm_inspect named against the other options. */
#include <string.h>

#include "format/base/diag.h"
#include "format/family.h"
#include "inspect_options.h"
#include "inspector/search/planner.h"

/* Returns true if several devices were named. At most one of them is a CPU, so if r is for the CPU, the
 * others are not. */
static bool has_other_devices(const struct spmmi_request *r)
{
    return r->options.target_count > 1;
}

static spmm_status_t check_target(struct spmmi_request *r, enum spmmi_kernel_target target, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const bool is_for_cpu = r->device.target == SPMMI_TARGET_CPU;
    r->gpu_is_named = target == SPMMI_KERNEL_CUDA;
    r->cpu_is_named = target == SPMMI_KERNEL_CPU && !is_for_cpu;
    SPMM_REQUIRE(!r->gpu_is_named || !is_for_cpu || has_other_devices(r), SPMM_ERR_ARGUMENT, diag,
                 "force_kernel is \"%.60s\", a kernel of GPUs, and the plan is for the device cpu",
                 r->options.force_kernel);
    SPMM_REQUIRE(!r->cpu_is_named || !r->options.permute_output, SPMM_ERR_ARGUMENT, diag,
                 "permute_output makes one variant for all devices: leave the target out of force_kernel "
                 "\"%.60s\"",
                 r->options.force_kernel);
cleanup:
    return status;
}

static spmm_status_t check_kernel(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const char *const name = r->options.force_kernel;
    char names[SPMMI_KERNEL_NAMES_BYTES];
    struct spmmi_kernel_ref ref;
    if (name == NULL)
        return SPMM_OK;
    const bool is_known = spmmi_kernel_parse(name, &ref);
    spmmi_kernel_names(name, names);
    SPMM_REQUIRE(is_known, SPMM_ERR_ARGUMENT, diag, "force_kernel is \"%.60s\", expected %s", name, names);
    SPMM_REQUIRE(ref.instance[0] == '\0', SPMM_ERR_ARGUMENT, diag,
                 "force_kernel of an inspection ends with its schedule, found \"%.60s\": the executor takes "
                 "instances",
                 name);
    r->family = ref.family->id;
    r->schedule = ref.schedule != NULL ? ref.schedule->id : (spmm_schedule_t)0;
    SPMM_TRY(check_target(r, ref.target, diag));
cleanup:
    return status;
}

/* Checks the compute type, which is the least accurate one that the caller allows, and derives from it the
 * compute type of tensor cores. */
static spmm_status_t check_compute(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *o = &r->options;
    const bool is_tf32 = spmmi_is_tf32(o->compute);
    SPMM_REQUIRE(o->compute == 0 || (int)o->compute == (int)o->a_type || (is_tf32 && o->a_type == SPMM_F32),
                 SPMM_ERR_ARGUMENT, diag,
                 "values of type %s are not multiplied as %s, which compute asks for",
                 spmm_dtype_name(o->a_type), spmm_compute_name(o->compute));
    if (o->a_type != SPMM_F32)
        r->tensor = (spmm_compute_t)o->a_type;
    else
        r->tensor = o->compute == SPMM_COMPUTE_F32 ? (spmm_compute_t)0
                    : is_tf32                      ? o->compute
                                                   : SPMM_COMPUTE_3XTF32;
    const struct spmmi_family *const row = spmmi_family_of(r->family);
    SPMM_REQUIRE(r->tensor != 0 || row == NULL || row->compute != SPMMI_COMPUTE_TENSOR, SPMM_ERR_ARGUMENT,
                 diag, "%s runs on tensor cores, and they do not compute f32: compute must be 3xtf32 or tf32",
                 spmm_family_name(r->family));
cleanup:
    return status;
}

/* Checks that the named family has kernels for the requested types. */
static spmm_status_t check_type(const struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_family *const row = spmmi_family_of(r->family);
    char types[SPMMI_TYPE_NAMES_BYTES] = "";
    if (row != NULL)
        spmmi_type_names(row->types, types);
    const spmm_inspect_options_t *const o = &r->options;
    SPMM_REQUIRE(row == NULL || (row->types & SPMMI_TYPE_BIT(o->a_type)) != 0, SPMM_ERR_UNSUPPORTED, diag,
                 "the %s kernels multiply %s only, not %s: choose another family", row->name, types,
                 spmm_dtype_name(o->a_type));
    SPMM_REQUIRE(row == NULL || spmmi_family_takes(row, o->a_type, o->b_type, o->c_type),
                 SPMM_ERR_UNSUPPORTED, diag,
                 "the %s kernels take B and C of the type of A only, %s: choose another family", row->name,
                 spmm_dtype_name(o->a_type));
cleanup:
    return status;
}

/* Returns the schedule of the family whose items are whole rows; 0 if it has none. */
static spmm_schedule_t whole_rows(spmm_family_t family)
{
    for (int i = 0; spmmi_schedule_at(i) != NULL; i++)
        if (spmmi_schedule_at(i)->family == family && spmmi_schedule_at(i)->items == SPMMI_ITEMS_ROWS)
            return spmmi_schedule_at(i)->id;
    return (spmm_schedule_t)0;
}

/* Sets the family for permuted output. A named family that permutes C only by name is kept with its schedule.
 * Otherwise the first family that permutes C by default is used, with whole rows. Fails if the named family
 * cannot permute C. */
static spmm_status_t take_permuting(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_planner *const named = spmmi_planner_of(r->family);
    SPMM_REQUIRE(named == NULL || named->permutes_output != 0, SPMM_ERR_ARGUMENT, diag,
                 "permute_output needs a family that can permute the rows of C: the named kernel, %s, cannot",
                 spmm_family_name(r->family));
    if (named != NULL && named->permutes_output == 1)
        return SPMM_OK;
    for (int i = 0; spmmi_family_at(i) != NULL; i++) {
        r->family = spmmi_family_at(i)->id;
        r->schedule = whole_rows(r->family);
        if (spmmi_planner_of(r->family)->permutes_output == 2)
            break;
    }
cleanup:
    return status;
}

static spmm_status_t check_permuted(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *o = &r->options;
    const struct spmmi_schedule *const named = spmmi_schedule_of(r->family, r->schedule);
    SPMM_REQUIRE(o->permute_output == 1, SPMM_ERR_ARGUMENT, diag, "permute_output must be 0 or 1, found %d",
                 o->permute_output);
    SPMM_REQUIRE(o->target_count <= 1 && o->a_type_count <= 1, SPMM_ERR_ARGUMENT, diag,
                 "permute_output makes one variant for all devices: name one device and one a_type");
    SPMM_REQUIRE(o->ops == SPMM_OPS_N, SPMM_ERR_ARGUMENT, diag,
                 "permute_output is for op N only: every product of a plan writes C in one order");
    SPMM_REQUIRE((named == NULL || named->items != SPMMI_ITEMS_SEGMENTS) &&
                     r->tiled.balance != SPMM_BALANCE_SEGMENTS && r->tiled.segment_length == 0,
                 SPMM_ERR_ARGUMENT, diag, "permute_output needs whole rows: segments have no position in C");
    SPMM_REQUIRE(o->reorder != SPMM_REORDER_NONE, SPMM_ERR_ARGUMENT, diag,
                 "permute_output and reorder none contradict each other");
    SPMM_TRY(take_permuting(r, diag));
cleanup:
    return status;
}

/* Calls the named family's own check of the options. */
static spmm_status_t check_own(const struct spmmi_request *r, spmm_diag_t *diag)
{
    const struct spmmi_planner *const planner = spmmi_planner_of(r->family);
    return planner != NULL && planner->check_options != NULL ? planner->check_options(r, diag) : SPMM_OK;
}

/* Checks the height of tensor-core blocks. If a family is named, the family itself checks the value. */
static spmm_status_t check_block_rows(const struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_family *const named = spmmi_family_of(r->family);
    const uint32_t rows = r->tcblock.block_rows;
    bool is_height = rows == 0;
    SPMM_REQUIRE(rows == 0 || named == NULL || named->compute == SPMMI_COMPUTE_TENSOR, SPMM_ERR_ARGUMENT,
                 diag, "tcblock.block_rows applies to tensor-core families only, but the named kernel is %s",
                 named->name);
    for (int i = 0; spmmi_family_at(i) != NULL; i++) {
        const struct spmmi_family *const row = spmmi_family_at(i);
        is_height |= row->compute == SPMMI_COMPUTE_TENSOR && row->unit_min < row->unit_max &&
                     spmmi_is_power_within(rows, row->unit_min, row->unit_max);
    }
    SPMM_REQUIRE(is_height || named != NULL, SPMM_ERR_ARGUMENT, diag,
                 "no family supports tcblock.block_rows %u", rows);
cleanup:
    return status;
}

/* Checks that long_rows is not set for a family that was named for all targets and has no tensor-core
 * blocks. */
static spmm_status_t check_long_rows(const struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_family *const named = spmmi_family_of(r->family);
    SPMM_REQUIRE(r->tcblock.long_rows == SPMM_LONG_ROWS_AUTO || named == NULL || r->gpu_is_named ||
                     r->cpu_is_named || named->compute == SPMMI_COMPUTE_TENSOR,
                 SPMM_ERR_ARGUMENT, diag,
                 "tcblock.long_rows applies to tensor-core families only, but the named kernel is %s",
                 named->name);
cleanup:
    return status;
}

/* Checks the options of families against the named kernel and against each other. */
static spmm_status_t check_families(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_tiled_options_t *t = &r->tiled;
    const struct spmmi_schedule *const named = spmmi_schedule_of(r->family, r->schedule);
    const bool must_be_whole =
        t->balance == SPMM_BALANCE_NONE ||
        (named != NULL && r->schedule == whole_rows(r->family) && t->segment_length != 0);
    SPMM_TRY(check_type(r, diag));
    SPMM_TRY(check_block_rows(r, diag));
    SPMM_TRY(check_long_rows(r, diag));
    SPMM_TRY(check_own(r, diag));
    SPMM_REQUIRE(t->segment_length == 0 || !must_be_whole, SPMM_ERR_ARGUMENT, diag,
                 "tiled.segment_length %u needs rows that may be cut", t->segment_length);
    if (r->options.permute_output) {
        SPMM_TRY(check_permuted(r, diag));
        SPMM_TRY(check_own(r, diag));
    }
cleanup:
    return status;
}

/* Applies a kernel name with a target to that target only; for the other target, the inspector chooses. */
static void settle_targets(struct spmmi_request *r)
{
    const struct spmmi_forced_kernel named = {r->family, r->schedule}, chosen = {0};
    const bool is_for_cpu = r->device.target == SPMMI_TARGET_CPU;
    r->on_cpu = r->gpu_is_named ? chosen : named;
    if (!r->cpu_is_named && !(r->gpu_is_named && is_for_cpu))
        return;
    r->family = chosen.family;
    r->schedule = chosen.schedule;
}

spmm_status_t spmmi_kernel_options(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(check_kernel(r, diag));
    SPMM_TRY(check_compute(r, diag));
    SPMM_TRY(check_families(r, diag));
    settle_targets(r);
cleanup:
    return status;
}
