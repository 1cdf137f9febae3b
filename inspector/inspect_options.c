/* SPDX-License-Identifier: Apache-2.0 */
/* See inspect_options.h. */
#include "inspect_options.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "format/base/diag.h"
#include "format/base/dtype.h"
#include "format/base/options.h"
#include "format/family.h"
#include "format/permutation.h"
#include "format/plan.h"
#include "inspector/search/planner.h"
#include "thread_count.h"

#define BLOCKS_PER_SM 2.0
#define TYPES_BYTES 64

static spmm_status_t check_kernel(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *o = &r->options;
    const struct spmmi_schedule *const alone = spmmi_schedule_alone(o->schedule);
    SPMM_REQUIRE(o->schedule == 0 || alone != NULL, SPMM_ERR_ARGUMENT, diag,
                 "schedule %d is none that can be asked for without a kernel", (int)o->schedule);
    r->schedule = o->schedule;
    if (alone != NULL)
        r->family = alone->family;
    if (o->force_kernel != NULL) {
        char names[SPMMI_KERNEL_NAMES_BYTES];
        const struct spmmi_family *family;
        const struct spmmi_schedule *schedule;
        spmmi_kernel_names(names);
        SPMM_REQUIRE(spmmi_kernel_parse(o->force_kernel, strlen(o->force_kernel), &family, &schedule),
                     SPMM_ERR_ARGUMENT, diag, "expected the kernel %s, found \"%.60s\"", names,
                     o->force_kernel);
        SPMM_REQUIRE(alone == NULL || (family->id == r->family && (schedule == NULL || schedule == alone)),
                     SPMM_ERR_ARGUMENT, diag, "kernel \"%.60s\" and schedule %s contradict each other",
                     o->force_kernel, spmm_schedule_name(o->schedule));
        r->family = family->id;
        r->schedule = schedule != NULL ? schedule->id : o->schedule;
    }
cleanup:
    return status;
}

/* The least accurate way that the caller allows, and what it leaves of the tensor cores. */
static spmm_status_t check_compute(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *o = &r->options;
    const bool is_tf32 = o->compute == SPMM_COMPUTE_TF32 || o->compute == SPMM_COMPUTE_3XTF32;
    SPMM_REQUIRE(o->compute == 0 || (int)o->compute == (int)o->dtype || (is_tf32 && o->dtype == SPMM_F32),
                 SPMM_ERR_ARGUMENT, diag, "numbers of type %s are not multiplied as %s",
                 spmm_dtype_name(o->dtype), spmm_compute_name(o->compute));
    if (o->dtype != SPMM_F32)
        r->tensor = (spmm_compute_t)o->dtype;
    else
        r->tensor = o->compute == SPMM_COMPUTE_F32 ? (spmm_compute_t)0
                    : is_tf32                      ? o->compute
                                                   : SPMM_COMPUTE_3XTF32;
    const struct spmmi_family *const row = spmmi_family_of(r->family);
    SPMM_REQUIRE(r->tensor != 0 || row == NULL || row->compute != SPMMI_COMPUTE_TENSOR, SPMM_ERR_ARGUMENT,
                 diag, "%s runs on tensor cores, and they do not compute f32: choose 3xtf32 or tf32",
                 spmm_family_name(r->family));
cleanup:
    return status;
}

static bool is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

static spmm_status_t check_ranges(const spmm_inspect_options_t *o, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct {
        const char *name;
        double value;
    } amounts[] = {{"segment_scale", o->segment_scale},
                   {"u_min", o->u_min},
                   {"cv_max", o->cv_max},
                   {"blocks_per_sm", o->blocks_per_sm}};
    const uint32_t panel = o->block_rows, slots = o->stage_slots;
    SPMM_REQUIRE(o->balance >= 0 && o->balance <= SPMM_BALANCE_CHART, SPMM_ERR_ARGUMENT, diag,
                 "balance %d is none that spmm knows", (int)o->balance);
    SPMM_REQUIRE(spmmi_permutation_of(o->reorder) != NULL, SPMM_ERR_ARGUMENT, diag,
                 "reorder %d is none that spmm knows", (int)o->reorder);
    SPMM_REQUIRE(o->long_rows == SPMM_LONG_ROWS_AUTO || o->long_rows == SPMM_LONG_ROWS_KEEP,
                 SPMM_ERR_ARGUMENT, diag, "unknown long-row mode %d", (int)o->long_rows);
    SPMM_REQUIRE(o->segment_length <= SPMMI_ROW_SEGMENT_MAX && o->segment_min <= SPMMI_ROW_SEGMENT_MAX,
                 SPMM_ERR_ARGUMENT, diag, "segments hold at most %u nonzeros, found %u",
                 SPMMI_ROW_SEGMENT_MAX,
                 o->segment_length > o->segment_min ? o->segment_length : o->segment_min);
    SPMM_REQUIRE(panel == 0 || (panel >= SPMMI_BLOCK_ROWS_MIN && panel <= SPMMI_BLOCK_ROWS_MAX &&
                                (panel & (panel - 1)) == 0),
                 SPMM_ERR_ARGUMENT, diag, "panel_rows must be 32, 64, 128 or 256, found %u", panel);
    SPMM_REQUIRE(slots == 0 || (slots >= SPMMI_STAGE_SLOTS_MIN && slots <= SPMMI_STAGE_SLOTS_MAX),
                 SPMM_ERR_ARGUMENT, diag, "stage_slots must be in %u..%u, found %u", SPMMI_STAGE_SLOTS_MIN,
                 SPMMI_STAGE_SLOTS_MAX, slots);
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++)
        SPMM_REQUIRE(is_amount(amounts[i].value), SPMM_ERR_ARGUMENT, diag,
                     "%s must be finite and not negative, found %g", amounts[i].name, amounts[i].value);
cleanup:
    return status;
}

static void append(char text[TYPES_BYTES], const char *between, const char *name)
{
    const size_t used = strlen(text);
    (void)snprintf(text + used, TYPES_BYTES - used, "%s%s", used > 0 ? between : "", name);
}

/* "f32 and f64" */
static void list_types(uint32_t types, char text[TYPES_BYTES])
{
    text[0] = '\0';
    const struct spmmi_dtype *row;
    for (int i = 0; (row = spmmi_dtype_at(i)) != NULL; i++)
        if ((types & SPMMI_TYPE_BIT(row->id)) != 0)
            append(text, types >> (row->id + 1) != 0 ? ", " : " and ", row->name);
}

/* Not all families have code for all types. */
static spmm_status_t check_type(const struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_family *const row = spmmi_family_of(r->family);
    char types[TYPES_BYTES] = "";
    if (row != NULL)
        list_types(row->types, types);
    SPMM_REQUIRE(row == NULL || (row->types & SPMMI_TYPE_BIT(r->options.dtype)) != 0, SPMM_ERR_ARGUMENT, diag,
                 "the %s kernels multiply %s only, not %s: choose another family", row->name, types,
                 spmm_dtype_name(r->options.dtype));
cleanup:
    return status;
}

/* The schedule of a family whose items are whole rows. */
static spmm_schedule_t whole_rows(spmm_family_t family)
{
    for (int i = 0; spmmi_schedule_at(i) != NULL; i++)
        if (spmmi_schedule_at(i)->family == family && spmmi_schedule_at(i)->items == SPMMI_ITEMS_ROWS)
            return spmmi_schedule_at(i)->id;
    return (spmm_schedule_t)0;
}

/* Where no family is named that can write C in another order, the first that does so unasked. */
static spmm_status_t take_permuting(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_planner *const named = spmmi_planner_of(r->family);
    SPMM_REQUIRE(named == NULL || named->permutes_output != 0, SPMM_ERR_ARGUMENT, diag,
                 "the kernel is to be %s, which leaves C in the order of A", spmm_family_name(r->family));
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
    SPMM_REQUIRE(o->ops == 1u << SPMM_OP_N, SPMM_ERR_ARGUMENT, diag,
                 "permuted output is for op N only: every product of a plan writes C in one order");
    SPMM_REQUIRE((named == NULL || named->items != SPMMI_ITEMS_SEGMENTS) &&
                     o->balance != SPMM_BALANCE_SEGMENTS && o->segment_length == 0,
                 SPMM_ERR_ARGUMENT, diag, "permuted output needs whole rows: segments have no place in C");
    SPMM_REQUIRE(o->reorder != SPMM_REORDER_NONE, SPMM_ERR_ARGUMENT, diag,
                 "permuted output and reorder none contradict each other");
    SPMM_TRY(take_permuting(r, diag));
cleanup:
    return status;
}

/* What the named family says of the options. */
static spmm_status_t check_own(const struct spmmi_request *r, spmm_diag_t *diag)
{
    const struct spmmi_planner *const planner = spmmi_planner_of(r->family);
    return planner != NULL && planner->check_options != NULL ? planner->check_options(r, diag) : SPMM_OK;
}

/* Options of families against the kernel and against each other. */
static spmm_status_t check_families(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *o = &r->options;
    const struct spmmi_schedule *const named = spmmi_schedule_of(r->family, r->schedule);
    const bool must_be_whole =
        o->balance == SPMM_BALANCE_NONE ||
        (named != NULL && r->schedule == whole_rows(r->family) && o->segment_length != 0);
    SPMM_TRY(check_type(r, diag));
    SPMM_TRY(check_own(r, diag));
    SPMM_REQUIRE(o->segment_length == 0 || !must_be_whole, SPMM_ERR_ARGUMENT, diag,
                 "a segment length of %u needs rows that may be cut", o->segment_length);
    if (o->permute_output) {
        SPMM_TRY(check_permuted(r, diag));
        SPMM_TRY(check_own(r, diag));
    }
cleanup:
    return status;
}

static spmm_status_t check_effort(const spmm_inspect_options_t *o, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(o->effort >= 0 && o->effort <= SPMM_EFFORT_EXHAUSTIVE, SPMM_ERR_ARGUMENT, diag,
                 "effort %d is none that spmm knows", (int)o->effort);
    SPMM_REQUIRE(o->tune >= 0, SPMM_ERR_ARGUMENT, diag, "tune must not be negative, found %d", o->tune);
    SPMM_REQUIRE(o->measure != NULL || (o->tune == 0 && o->effort <= SPMM_EFFORT_ESTIMATE), SPMM_ERR_ARGUMENT,
                 diag, "candidates cannot be measured without a measure function");
    SPMM_REQUIRE(is_amount(o->time_limit) && is_amount(o->expected_calls), SPMM_ERR_ARGUMENT, diag,
                 "time_limit and expected_calls must be finite and not negative, found %g and %g",
                 o->time_limit, o->expected_calls);
cleanup:
    return status;
}

static void fill_units(spmm_inspect_options_t *o)
{
    o->segment_min = o->segment_min == 0 ? 1 : o->segment_min;
    o->segment_scale = o->segment_scale == 0 ? 1 : o->segment_scale;
    o->u_min = o->u_min == 0 ? SPMMI_BALANCE_U_MIN : o->u_min;
    o->cv_max = o->cv_max == 0 ? SPMMI_BALANCE_CV_MAX : o->cv_max;
    o->blocks_per_sm = o->blocks_per_sm == 0 ? BLOCKS_PER_SM : o->blocks_per_sm;
    o->stage_slots = o->stage_slots == 0 ? SPMMI_STAGE_SLOTS_DEFAULT : o->stage_slots;
}

static spmm_status_t check_symmetric(const spmm_inspect_options_t *o, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(o->symmetric_permutation == 0 || o->symmetric_permutation == 1, SPMM_ERR_ARGUMENT, diag,
                 "symmetric_permutation must be 0 or 1, found %d", o->symmetric_permutation);
    SPMM_REQUIRE(!o->symmetric_permutation || !o->permute_output, SPMM_ERR_ARGUMENT, diag,
                 "permuted output and a symmetric permutation contradict each other: B and C have one order");
    SPMM_REQUIRE(!o->symmetric_permutation || o->reorder != SPMM_REORDER_NONE, SPMM_ERR_ARGUMENT, diag,
                 "a symmetric permutation and reorder none contradict each other");
cleanup:
    return status;
}

static spmm_status_t check_products(spmm_inspect_options_t *o, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t both = SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR;
    SPMM_REQUIRE(spmm_dtype_size(o->dtype) != 0, SPMM_ERR_ARGUMENT, diag, "dtype %d is none that spmm knows",
                 (int)o->dtype);
    SPMM_REQUIRE((o->layouts & ~both) == 0, SPMM_ERR_ARGUMENT, diag, "layouts %#x has unknown bits",
                 o->layouts);
    SPMM_REQUIRE((o->ops & ~3u) == 0, SPMM_ERR_ARGUMENT, diag, "ops %#x has unknown bits", o->ops);
    SPMM_REQUIRE(o->threads >= 0, SPMM_ERR_ARGUMENT, diag, "threads must not be negative, found %d",
                 o->threads);
    o->n_count = o->n == NULL ? 0 : o->n_count;
    SPMM_REQUIRE(o->n_count >= 0, SPMM_ERR_ARGUMENT, diag, "n_count must not be negative, found %d",
                 o->n_count);
    for (int i = 0; i < o->n_count; i++)
        SPMM_REQUIRE(o->n[i] >= 1 && o->n[i] <= SPMMI_N_MAX, SPMM_ERR_ARGUMENT, diag,
                     "n must be in 1..%lld, found %lld", (long long)SPMMI_N_MAX, (long long)o->n[i]);
cleanup:
    return status;
}

spmm_status_t spmmi_inspect_options(const spmm_inspect_options_t *options, struct spmmi_request *request,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    memset(request, 0, sizeof *request);
    request->options = (spmm_inspect_options_t)SPMM_INSPECT_OPTIONS_INIT;
    spmm_inspect_options_t *o = &request->options;
    SPMM_TRY(spmmi_options_read(o, sizeof *o, options, diag));
    o->dtype = o->dtype == 0 ? SPMM_F32 : o->dtype;
    o->layouts = o->layouts == 0 ? SPMM_LAYOUTS_ROW_MAJOR | SPMM_LAYOUTS_COL_MAJOR : o->layouts;
    o->ops = o->ops == 0 ? 1u << SPMM_OP_N : o->ops;
    request->threads = spmmi_thread_count(o->threads);
    SPMM_TRY(check_products(o, diag));
    SPMM_TRY(spmmi_device_profile_open(o->device, &request->device, diag));
    SPMM_TRY(check_kernel(request, diag));
    SPMM_TRY(check_compute(request, diag));
    SPMM_TRY(check_ranges(o, diag));
    SPMM_TRY(check_families(request, diag));
    SPMM_TRY(check_effort(o, diag));
    SPMM_TRY(check_symmetric(o, diag));
    fill_units(o);
cleanup:
    return status;
}
