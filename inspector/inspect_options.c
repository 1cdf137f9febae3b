/* SPDX-License-Identifier: Apache-2.0 */
/* See inspect_options.h. */
#include "inspect_options.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/base/types.h"
#include "format/family.h"
#include "format/permutation.h"
#include "format/plan.h"
#include "thread_count.h"

#define BLOCKS_PER_SM 2.0

static bool is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

static spmm_status_t check_amounts(const spmm_tiled_options_t *t, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct {
        const char *name;
        double value;
    } amounts[] = {{"segment_scale", t->segment_scale},
                   {"u_min", t->u_min},
                   {"cv_max", t->cv_max},
                   {"blocks_per_sm", t->blocks_per_sm}};
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++)
        SPMM_REQUIRE(is_amount(amounts[i].value), SPMM_ERR_ARGUMENT, diag,
                     "tiled.%s must be finite and not negative, found %g", amounts[i].name, amounts[i].value);
cleanup:
    return status;
}

static spmm_status_t check_tiled(const spmm_tiled_options_t *t, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(t->balance >= 0 && t->balance <= SPMM_BALANCE_CHART, SPMM_ERR_ARGUMENT, diag,
                 "unknown tiled.balance %d", (int)t->balance);
    SPMM_REQUIRE(t->segment_length <= SPMMI_ROW_SEGMENT_MAX, SPMM_ERR_ARGUMENT, diag,
                 "tiled.segment_length must be at most %u, found %u", SPMMI_ROW_SEGMENT_MAX,
                 t->segment_length);
    SPMM_REQUIRE(t->segment_min <= SPMMI_ROW_SEGMENT_MAX, SPMM_ERR_ARGUMENT, diag,
                 "tiled.segment_min must be at most %u, found %u", SPMMI_ROW_SEGMENT_MAX, t->segment_min);
    SPMM_REQUIRE(t->block_rows == 0 ||
                     spmmi_is_power_within(t->block_rows, SPMMI_BLOCK_ROWS_MIN, SPMMI_BLOCK_ROWS_MAX),
                 SPMM_ERR_ARGUMENT, diag, "tiled.block_rows must be 32, 64, 128 or 256, found %u",
                 t->block_rows);
    SPMM_REQUIRE(t->stage_slots == 0 ||
                     (t->stage_slots >= SPMMI_STAGE_SLOTS_MIN && t->stage_slots <= SPMMI_STAGE_SLOTS_MAX),
                 SPMM_ERR_ARGUMENT, diag, "tiled.stage_slots must be in %u..%u, found %u",
                 SPMMI_STAGE_SLOTS_MIN, SPMMI_STAGE_SLOTS_MAX, t->stage_slots);
    SPMM_TRY(check_amounts(t, diag));
cleanup:
    return status;
}

static spmm_status_t check_modes(const struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_long_rows_t long_rows = r->tcblock.long_rows;
    const spmm_compute_t compute = r->options.compute;
    SPMM_REQUIRE(compute == 0 || spmm_compute_name(compute)[0] != '?', SPMM_ERR_ARGUMENT, diag,
                 "unknown compute %d", (int)compute);
    SPMM_REQUIRE(spmmi_permutation_of(r->options.reorder) != NULL, SPMM_ERR_ARGUMENT, diag,
                 "unknown reorder %d", (int)r->options.reorder);
    SPMM_REQUIRE(long_rows == SPMM_LONG_ROWS_AUTO || long_rows == SPMM_LONG_ROWS_KEEP, SPMM_ERR_ARGUMENT,
                 diag, "unknown long-row mode %d in tcblock.long_rows", (int)long_rows);
cleanup:
    return status;
}

static spmm_status_t check_tuning(const struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_tuning_options_t *t = &r->tuning;
    SPMM_REQUIRE(t->effort >= 0 && t->effort <= SPMM_EFFORT_EXHAUSTIVE, SPMM_ERR_ARGUMENT, diag,
                 "unknown tuning.effort %d", (int)t->effort);
    SPMM_REQUIRE(t->candidates >= 0, SPMM_ERR_ARGUMENT, diag,
                 "tuning.candidates must not be negative, found %d", t->candidates);
    SPMM_REQUIRE(t->measure != NULL || (t->candidates == 0 && t->effort <= SPMM_EFFORT_ESTIMATE),
                 SPMM_ERR_ARGUMENT, diag, "candidates cannot be measured without tuning.measure");
    SPMM_REQUIRE(is_amount(t->time_limit), SPMM_ERR_ARGUMENT, diag,
                 "tuning.time_limit must be finite and not negative, found %g", t->time_limit);
    SPMM_REQUIRE(is_amount(r->options.expected_calls), SPMM_ERR_ARGUMENT, diag,
                 "expected_calls must be finite and not negative, found %g", r->options.expected_calls);
cleanup:
    return status;
}

static void fill_tiled(spmm_tiled_options_t *t)
{
    t->segment_min = t->segment_min == 0 ? 1 : t->segment_min;
    t->segment_scale = t->segment_scale == 0 ? 1 : t->segment_scale;
    t->u_min = t->u_min == 0 ? SPMMI_BALANCE_U_MIN : t->u_min;
    t->cv_max = t->cv_max == 0 ? SPMMI_BALANCE_CV_MAX : t->cv_max;
    t->blocks_per_sm = t->blocks_per_sm == 0 ? BLOCKS_PER_SM : t->blocks_per_sm;
    t->stage_slots = t->stage_slots == 0 ? SPMMI_STAGE_SLOTS_DEFAULT : t->stage_slots;
}

static spmm_status_t check_symmetric(const spmm_inspect_options_t *o, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(o->symmetric_permutation == 0 || o->symmetric_permutation == 1, SPMM_ERR_ARGUMENT, diag,
                 "symmetric_permutation must be 0 or 1, found %d", o->symmetric_permutation);
    SPMM_REQUIRE(
        !o->symmetric_permutation || !o->permute_output, SPMM_ERR_ARGUMENT, diag,
        "permute_output and symmetric_permutation contradict each other: B and C take one permutation");
    SPMM_REQUIRE(!o->symmetric_permutation || o->reorder != SPMM_REORDER_NONE, SPMM_ERR_ARGUMENT, diag,
                 "symmetric_permutation and reorder none contradict each other");
cleanup:
    return status;
}

static spmm_status_t check_products(spmm_inspect_options_t *o, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t both = SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR;
    SPMM_REQUIRE((o->layouts & ~both) == 0, SPMM_ERR_ARGUMENT, diag, "layouts %#x has unknown bits",
                 o->layouts);
    SPMM_REQUIRE((o->ops & ~(SPMM_OPS_N | SPMM_OPS_T)) == 0, SPMM_ERR_ARGUMENT, diag,
                 "ops %#x has unknown bits", o->ops);
    SPMM_REQUIRE(o->threads >= 0, SPMM_ERR_ARGUMENT, diag, "threads must not be negative, found %d",
                 o->threads);
    SPMM_REQUIRE(o->n_count >= 0, SPMM_ERR_ARGUMENT, diag, "n_count must not be negative, found %d",
                 o->n_count);
    SPMM_REQUIRE(o->n != NULL || o->n_count == 0, SPMM_ERR_ARGUMENT, diag, "n is NULL, but n_count is %d",
                 o->n_count);
    SPMM_REQUIRE(o->pattern_only == 0 || o->pattern_only == 1, SPMM_ERR_ARGUMENT, diag,
                 "pattern_only must be 0 or 1, found %d", o->pattern_only);
    for (int i = 0; i < o->n_count; i++)
        SPMM_REQUIRE(o->n[i] >= 1 && o->n[i] <= SPMMI_N_MAX, SPMM_ERR_ARGUMENT, diag,
                     "n must be in 1..%lld, found %lld", (long long)SPMMI_N_MAX, (long long)o->n[i]);
cleanup:
    return status;
}

/* Fills in the types that the caller left open, and checks that kernels exist for the combination of
 * types. */
static spmm_status_t settle_types(spmm_inspect_options_t *o, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    o->a_type = o->a_type == 0 ? SPMM_F32 : o->a_type;
    o->b_type = o->b_type == 0 ? o->a_type : o->b_type;
    o->c_type = o->c_type == 0 ? o->a_type : o->c_type;
    const struct spmmi_types types = {o->a_type, o->b_type, o->c_type, o->sum_type};
    const struct {
        const char *name;
        spmm_dtype_t type;
    } members[] = {{"a_type", types.a}, {"b_type", types.b}, {"c_type", types.c}, {"sum_type", types.sum}};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        SPMM_REQUIRE(members[i].type == 0 || spmm_dtype_size(members[i].type) != 0, SPMM_ERR_ARGUMENT, diag,
                     "unknown %s %d", members[i].name, (int)members[i].type);
    SPMM_TRY(spmmi_types_require(types, diag));
    o->sum_type = spmmi_types_find(types)->sum;
cleanup:
    return status;
}

/* Copies the fields that the caller's version of the structs has; all others keep their defaults. */
static spmm_status_t read_structs(const spmm_inspect_options_t *given, struct spmmi_request *r,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_inspect_options_t *o = &r->options;
    *o = (spmm_inspect_options_t)SPMM_INSPECT_OPTIONS_INIT;
    r->tiled = (spmm_tiled_options_t)SPMM_TILED_OPTIONS_INIT;
    r->tcblock = (spmm_tcblock_options_t)SPMM_TCBLOCK_OPTIONS_INIT;
    r->tuning = (spmm_tuning_options_t)SPMM_TUNING_OPTIONS_INIT;
    SPMM_TRY(spmmi_options_read(o, sizeof *o, given, "inspect options", diag));
    SPMM_TRY(spmmi_options_read(&r->tiled, sizeof r->tiled, o->tiled, "tiled options", diag));
    SPMM_TRY(spmmi_options_read(&r->tcblock, sizeof r->tcblock, o->tcblock, "tcblock options", diag));
    SPMM_TRY(spmmi_options_read(&r->tuning, sizeof r->tuning, o->tuning, "tuning options", diag));
    o->tiled = NULL;
    o->tcblock = NULL;
    o->tuning = NULL;
cleanup:
    return status;
}

spmm_status_t spmmi_inspect_options(const spmm_inspect_options_t *options, struct spmmi_request *request,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_inspect_options_t *o = &request->options;
    memset(request, 0, sizeof *request);
    SPMM_TRY(read_structs(options, request, diag));
    SPMM_TRY(settle_types(o, diag));
    o->layouts = o->layouts == 0 ? SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR : o->layouts;
    o->ops = o->ops == 0 ? SPMM_OPS_N : o->ops;
    request->threads = spmmi_thread_count(o->threads);
    SPMM_TRY(check_products(o, diag));
    SPMM_TRY(spmmi_device_profile_open(o->device, &request->device, diag));
    SPMM_TRY(check_modes(request, diag));
    SPMM_TRY(check_tiled(&request->tiled, diag));
    SPMM_TRY(check_symmetric(o, diag));
    SPMM_TRY(spmmi_kernel_options(request, diag));
    SPMM_TRY(check_tuning(request, diag));
    fill_tiled(&request->tiled);
cleanup:
    return status;
}
