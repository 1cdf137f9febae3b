/* SPDX-License-Identifier: Apache-2.0 */
/* See inspect_options.h. */
#include "inspect_options.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/tiled/tiled_chart_plan.h"
#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/order.h"
#include "format/plan.h"
#include "thread_count.h"

#define BLOCKS_PER_SM 2.0
#define TENSOR_PANEL_LEAST 64u

#define KERNEL_NAMES                                                                                    \
    "rows, tiled, window, panel or bcsr, alone or as rows/row-split, rows/nonzero-split, tiled/whole, " \
    "tiled/segmented, window/dense, window/packed, panel/dense, panel/packed or bcsr/dense"

static spmm_family_t family_of(spmm_schedule_t schedule)
{
    return schedule >= SPMM_SCHEDULE_WHOLE ? SPMM_FAMILY_TILED : SPMM_FAMILY_ROWS;
}

static bool has_schedule(spmm_family_t family, spmm_schedule_t schedule)
{
    if (family == SPMM_FAMILY_BCSR)
        return schedule == SPMM_SCHEDULE_DENSE;
    const bool is_stored = schedule == SPMM_SCHEDULE_DENSE || schedule == SPMM_SCHEDULE_PACKED;
    return spmmi_is_fragments(family) || is_stored ? spmmi_is_fragments(family) && is_stored
                                                   : family_of(schedule) == family;
}

/* "tiled" or "tiled/whole" -> family and, 0 without one, schedule; false for an unknown name. */
static bool read_kernel(const char *kernel, spmm_family_t *family, spmm_schedule_t *schedule)
{
    const char *const slash = strchr(kernel, '/');
    const size_t length = slash == NULL ? strlen(kernel) : (size_t)(slash - kernel);
    *family = (spmm_family_t)0;
    *schedule = (spmm_schedule_t)0;
    for (int f = SPMM_FAMILY_ROWS; f <= SPMM_FAMILY_BCSR; f++) {
        const char *const name = spmm_family_name((spmm_family_t)f);
        if (strlen(name) == length && strncmp(kernel, name, length) == 0)
            *family = (spmm_family_t)f;
    }
    if (slash == NULL)
        return *family != 0;
    for (int s = SPMM_SCHEDULE_ROW_SPLIT; s <= SPMM_SCHEDULE_PACKED; s++) {
        if (has_schedule(*family, (spmm_schedule_t)s) &&
            strcmp(slash + 1, spmm_schedule_name((spmm_schedule_t)s)) == 0)
            *schedule = (spmm_schedule_t)s;
    }
    return *schedule != 0;
}

static spmm_status_t check_kernel(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *o = &r->options;
    SPMM_REQUIRE(o->schedule >= 0 && o->schedule <= SPMM_SCHEDULE_SEGMENTED, SPMM_ERR_ARGUMENT, diag,
                 "schedule %d is none that can be asked for without a kernel", (int)o->schedule);
    r->schedule = o->schedule;
    if (o->schedule != 0)
        r->family = family_of(o->schedule);
    if (o->force_kernel != NULL) {
        spmm_family_t family;
        spmm_schedule_t schedule;
        SPMM_REQUIRE(read_kernel(o->force_kernel, &family, &schedule), SPMM_ERR_ARGUMENT, diag,
                     "expected the kernel " KERNEL_NAMES ", found \"%.60s\"", o->force_kernel);
        SPMM_REQUIRE(o->schedule == 0 || (family == r->family && (schedule == 0 || schedule == o->schedule)),
                     SPMM_ERR_ARGUMENT, diag, "kernel \"%.60s\" and schedule %s contradict each other",
                     o->force_kernel, spmm_schedule_name(o->schedule));
        r->family = family;
        r->schedule = schedule != 0 ? schedule : o->schedule;
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
    SPMM_REQUIRE(r->tensor != 0 || !spmmi_is_fragments(r->family), SPMM_ERR_ARGUMENT, diag,
                 "%s runs on tensor cores, and they do not compute f32: choose 3xtf32 or tf32",
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
    const uint32_t panel = o->panel_rows, slots = o->stage_slots;
    SPMM_REQUIRE(o->balance >= 0 && o->balance <= SPMM_BALANCE_CHART, SPMM_ERR_ARGUMENT, diag,
                 "balance %d is none that spmm knows", (int)o->balance);
    SPMM_REQUIRE(spmmi_order_of(o->reorder) != NULL, SPMM_ERR_ARGUMENT, diag,
                 "reorder %d is none that spmm knows", (int)o->reorder);
    SPMM_REQUIRE(o->peel == SPMM_PEEL_AUTO || o->peel == SPMM_PEEL_NONE, SPMM_ERR_ARGUMENT, diag,
                 "peel %d is none that spmm knows", (int)o->peel);
    SPMM_REQUIRE(o->segment_length <= SPMMI_ROW_SEGMENT_MAX && o->segment_least <= SPMMI_ROW_SEGMENT_MAX,
                 SPMM_ERR_ARGUMENT, diag, "segments hold at most %u nonzeros, found %u",
                 SPMMI_ROW_SEGMENT_MAX,
                 o->segment_length > o->segment_least ? o->segment_length : o->segment_least);
    SPMM_REQUIRE(panel == 0 || (panel >= SPMMI_PANEL_ROWS_MIN && panel <= SPMMI_PANEL_ROWS_MAX &&
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

/* The rows kernels have no code for the types of 16 bits. */
static spmm_status_t check_narrow(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_dtype_t dtype = r->options.dtype;
    if (dtype == SPMM_F32 || dtype == SPMM_F64)
        goto cleanup;
    SPMM_REQUIRE(r->family != SPMM_FAMILY_ROWS, SPMM_ERR_ARGUMENT, diag,
                 "the rows kernels multiply f32 and f64 only, not %s: choose another family",
                 spmm_dtype_name(dtype));
    r->may_be_tensor = r->family == 0;
    r->family = r->family == 0 ? SPMM_FAMILY_TILED : r->family;
cleanup:
    return status;
}

static spmm_status_t check_permuted(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *o = &r->options;
    SPMM_REQUIRE(o->permute_output == 1, SPMM_ERR_ARGUMENT, diag, "permute_output must be 0 or 1, found %d",
                 o->permute_output);
    SPMM_REQUIRE(o->ops == 1u << SPMM_OP_N, SPMM_ERR_ARGUMENT, diag,
                 "permuted output is for op N only: every product of a plan writes C in one order");
    SPMM_REQUIRE(r->schedule != SPMM_SCHEDULE_SEGMENTED && o->balance != SPMM_BALANCE_SEGMENTS &&
                     o->segment_length == 0,
                 SPMM_ERR_ARGUMENT, diag, "permuted output needs whole rows: segments have no place in C");
    SPMM_REQUIRE(o->reorder != SPMM_REORDER_NONE, SPMM_ERR_ARGUMENT, diag,
                 "permuted output and reorder none contradict each other");
    if (spmmi_is_fragments(r->family))
        goto cleanup;
    r->family = SPMM_FAMILY_TILED;
    r->schedule = SPMM_SCHEDULE_WHOLE;
    r->may_be_tensor = 0;
cleanup:
    return status;
}

/* Options of tensor cores: what they share with the tiled family is the order, and panels of their own heights. */
static spmm_status_t check_tensor(const struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *o = &r->options;
    const char *const name = spmm_family_name(r->family);
    SPMM_REQUIRE(o->balance == 0 && o->segment_length == 0 && o->stage_slots == 0, SPMM_ERR_ARGUMENT, diag,
                 "balance, segments and stages are of the tiled family, but the kernel is to be %s", name);
    SPMM_REQUIRE(r->family != SPMM_FAMILY_WINDOW || o->panel_rows == 0, SPMM_ERR_ARGUMENT, diag,
                 "windows have %u rows: panel_rows is not for them", SPMMI_WINDOW_ROWS);
    const uint32_t most = r->family == SPMM_FAMILY_BCSR ? SPMMI_BCSR_UNIT_ROWS_MAX : SPMMI_PANEL_ROWS_MAX;
    SPMM_REQUIRE(o->panel_rows == 0 || (o->panel_rows >= TENSOR_PANEL_LEAST && o->panel_rows <= most),
                 SPMM_ERR_ARGUMENT, diag, "panel_rows of the kernel %s must be %s, found %u", name,
                 r->family == SPMM_FAMILY_BCSR ? "64 or 128" : "64, 128 or 256", o->panel_rows);
cleanup:
    return status;
}

/* Options of the tiled family against the kernel and against each other. */
static spmm_status_t check_tiled(struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *o = &r->options;
    const bool asks_tiled = o->balance != 0 || (o->reorder != 0 && !o->symmetric_permutation) ||
                            o->permute_output || o->segment_length != 0 || o->panel_rows != 0 ||
                            o->stage_slots != 0;
    SPMM_TRY(check_narrow(r, diag));
    SPMM_REQUIRE(
        r->family != SPMM_FAMILY_ROWS || !asks_tiled, SPMM_ERR_ARGUMENT, diag,
        "balance, reorder, permuted output, segments, panels and stages are of the tiled family, but "
        "the kernel is to be rows");
    SPMM_REQUIRE(r->schedule != SPMM_SCHEDULE_WHOLE || o->balance != SPMM_BALANCE_SEGMENTS, SPMM_ERR_ARGUMENT,
                 diag, "tiled/whole and balance by segments contradict each other");
    SPMM_REQUIRE(r->schedule != SPMM_SCHEDULE_SEGMENTED || o->balance != SPMM_BALANCE_NONE, SPMM_ERR_ARGUMENT,
                 diag, "tiled/segmented and balance none contradict each other");
    SPMM_REQUIRE(
        o->segment_length == 0 || (r->schedule != SPMM_SCHEDULE_WHOLE && o->balance != SPMM_BALANCE_NONE),
        SPMM_ERR_ARGUMENT, diag, "a segment length of %u needs rows that may be cut", o->segment_length);
    if (o->permute_output)
        SPMM_TRY(check_permuted(r, diag));
    if (spmmi_is_fragments(r->family))
        SPMM_TRY(check_tensor(r, diag));
cleanup:
    return status;
}

static void fill_tiled(spmm_inspect_options_t *o)
{
    o->segment_least = o->segment_least == 0 ? 1 : o->segment_least;
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
    const uint32_t both = SPMM_LAYOUT_ROW_MAJOR | SPMM_LAYOUT_COL_MAJOR;
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
    o->layouts = o->layouts == 0 ? SPMM_LAYOUT_ROW_MAJOR | SPMM_LAYOUT_COL_MAJOR : o->layouts;
    o->ops = o->ops == 0 ? 1u << SPMM_OP_N : o->ops;
    request->threads = spmmi_thread_count(o->threads);
    SPMM_TRY(check_products(o, diag));
    SPMM_TRY(spmmi_device_profile_open(o->device, &request->device, diag));
    SPMM_TRY(check_kernel(request, diag));
    SPMM_TRY(check_compute(request, diag));
    SPMM_TRY(check_ranges(o, diag));
    SPMM_TRY(check_tiled(request, diag));
    SPMM_TRY(check_symmetric(o, diag));
    fill_tiled(o);
cleanup:
    return status;
}
