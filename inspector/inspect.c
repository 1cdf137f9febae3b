/* SPDX-License-Identifier: Apache-2.0 */
/* From a matrix to a plan: copy, figures, choice, partition. Each reads the matrix once. */
#include <assert.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "choose.h"
#include "device_profile.h"
#include "format/alloc.h"
#include "format/diag.h"
#include "format/options.h"
#include "format/plan.h"
#include "inspect_values.h"
#include "matrix.h"
#include "partition.h"
#include "source_name.h"

#define NONZEROS_PARALLEL 100000 /* below this many nonzeros one thread is faster */
#define THREADS_MAX 1024 /* OpenMP ends the process when it cannot start the threads that it is asked for */

/* The caller's options, checked and with defaults filled in. */
struct request {
    spmm_inspect_options_t options;
    struct spmmi_device_profile device;
    spmm_schedule_t schedule; /* 0: choose */
    int threads;
};

static void report(const struct request *r, const char *stage, uint64_t done, uint64_t total)
{
    if (r->options.progress != NULL)
        r->options.progress(r->options.progress_context, stage, done, total);
}

/* ---- Options ---- */

/* "rows/row-split" -> its schedule, 0 for an unknown name. */
static spmm_schedule_t schedule_of_kernel(const char *kernel)
{
    const char *family = spmm_family_name(SPMM_FAMILY_ROWS);
    const size_t length = strlen(family);
    if (strncmp(kernel, family, length) != 0 || kernel[length] != '/')
        return (spmm_schedule_t)0;
    for (int s = SPMM_SCHEDULE_ROW_SPLIT; s <= SPMM_SCHEDULE_NONZERO_SPLIT; s++) {
        if (strcmp(kernel + length + 1, spmm_schedule_name((spmm_schedule_t)s)) == 0)
            return (spmm_schedule_t)s;
    }
    return (spmm_schedule_t)0;
}

static spmm_status_t check_schedule(struct request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *o = &r->options;
    SPMM_REQUIRE(o->schedule == 0 || o->schedule == SPMM_SCHEDULE_ROW_SPLIT ||
                     o->schedule == SPMM_SCHEDULE_NONZERO_SPLIT,
                 SPMM_ERR_ARGUMENT, diag, "schedule %d is none that spmm knows", (int)o->schedule);
    r->schedule = o->schedule;
    if (o->force_kernel != NULL) {
        const spmm_schedule_t forced = schedule_of_kernel(o->force_kernel);
        SPMM_REQUIRE(forced != 0, SPMM_ERR_ARGUMENT, diag,
                     "expected the kernel rows/row-split or rows/nonzero-split, found \"%.60s\"",
                     o->force_kernel);
        SPMM_REQUIRE(o->schedule == 0 || o->schedule == forced, SPMM_ERR_ARGUMENT, diag,
                     "kernel \"%.60s\" and schedule %s contradict each other", o->force_kernel,
                     spmm_schedule_name(o->schedule));
        r->schedule = forced;
    }
cleanup:
    return status;
}

static spmm_status_t check_options(const spmm_inspect_options_t *options, struct request *r,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t both = SPMM_LAYOUT_ROW_MAJOR | SPMM_LAYOUT_COL_MAJOR;
    *r = (struct request){.options = SPMM_INSPECT_OPTIONS_INIT};
    SPMM_TRY(spmmi_options_read(&r->options, sizeof r->options, options, diag));
    spmm_inspect_options_t *o = &r->options;
    o->dtype = o->dtype == 0 ? SPMM_F32 : o->dtype;
    o->layouts = o->layouts == 0 ? both : o->layouts;
    o->ops = o->ops == 0 ? 1u << SPMM_OP_N : o->ops;
    r->threads = o->threads > 0 ? o->threads : omp_get_max_threads();
    r->threads = r->threads < THREADS_MAX ? r->threads : THREADS_MAX;

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
    SPMM_TRY(spmmi_device_profile_open(o->device, &r->device, diag));
    SPMM_TRY(check_schedule(r, diag));
cleanup:
    return status;
}

/* ---- The matrix, copied into the plan ---- */

static spmm_status_t copy_pattern(const spmm_matrix_t *a, const struct request *r, spmm_plan_t *plan,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int threads = r->threads;
    plan->rows = a->rows;
    plan->cols = a->cols;
    plan->nnz = a->nnz;
    plan->dtype = r->options.dtype;
    plan->row_ptr = spmmi_alloc((uint64_t)a->rows + 1, sizeof *plan->row_ptr);
    SPMM_TRY_ALLOC(plan->row_ptr, diag);
    plan->col_ind = spmmi_alloc((uint64_t)a->nnz, sizeof *plan->col_ind);
    SPMM_TRY_ALLOC(plan->col_ind, diag);
    memcpy(plan->row_ptr, a->row_ptr, ((size_t)a->rows + 1) * sizeof *plan->row_ptr);
#pragma omp parallel for schedule(static) num_threads(threads) if (a->nnz > NONZEROS_PARALLEL)
    for (int64_t p = 0; p < a->nnz; p++)
        plan->col_ind[p] = a->col_ind[p];
cleanup:
    return status;
}

/* ---- Figures and digests ---- */

/* Statistics and digests read the matrix side by side: neither is parallel in itself. */
static spmm_status_t study(spmm_plan_t *plan, int threads, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
#pragma omp parallel sections num_threads(threads) if (plan->nnz > NONZEROS_PARALLEL)
    {
#pragma omp section
        status = spmmi_stats_compute(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, plan->values,
                                     plan->dtype, &plan->stats);
#pragma omp section
        {
            spmmi_digest_pattern(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, plan->pattern_digest);
            if (plan->values != NULL)
                spmmi_digest_values(plan->nnz, plan->dtype, plan->values, plan->values_digest);
        }
    }
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the statistics of %lld columns",
                 (long long)plan->cols);
cleanup:
    return status;
}

/* ---- Variants and parts ---- */

/* The part of this op and schedule, made if there is none yet. */
static spmm_status_t find_or_make_part(spmm_plan_t *plan, const struct request *r, spmm_op_t op,
                                       spmm_schedule_t schedule, const int64_t *row_ptr, uint32_t *index,
                                       spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (*index = 0; *index < plan->part_count; ++*index) {
        if (plan->parts[*index].op == op && plan->parts[*index].schedule == schedule)
            goto cleanup;
    }
    assert(plan->part_count < SPMMI_PART_MAX);
    /* Products in the rows family are stored as they were summed, which types of 16 bits are not. */
    SPMM_REQUIRE(plan->dtype == SPMM_F32 || plan->dtype == SPMM_F64, SPMM_ERR_ARGUMENT, diag,
                 "the rows kernels multiply f32 and f64 only, not %s: choose a tiled one",
                 spmm_dtype_name(plan->dtype));
    const int64_t rows = op == SPMM_OP_N ? plan->rows : plan->cols;
    struct spmmi_part *part = &plan->parts[plan->part_count];
    status = spmmi_partition(op, schedule, spmmi_choose_granule(schedule), rows, row_ptr, r->threads, part);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the work items");
    plan->part_count++;
cleanup:
    return status;
}

static spmm_status_t plan_op(spmm_plan_t *plan, const struct request *r, spmm_op_t op, const int64_t *row_ptr,
                             spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_choice_input input = {
        .nnz = plan->nnz,
        .longest = op == SPMM_OP_N ? plan->stats.row_max : plan->stats.col_max,
        .n = r->options.n,
        .n_count = r->options.n_count,
        .forced = r->schedule,
    };
    struct spmmi_decision decisions[SPMMI_DECISION_MAX];
    const int count = spmmi_choose(&input, decisions);
    for (int i = 0; i < count; i++) {
        const struct spmmi_decision *d = &decisions[i];
        uint32_t part = 0;
        SPMM_TRY(find_or_make_part(plan, r, op, d->schedule, row_ptr, &part, diag));
        for (int c = 0; c < SPMMI_CANDIDATE_COUNT; c++) {
            plan->trace[plan->trace_count] = d->candidates[c];
            plan->trace[plan->trace_count++].variant = plan->variant_count;
        }
        plan->variants[plan->variant_count++] = (struct spmmi_variant){
            .op = op,
            .compute = plan->dtype,
            .layouts = r->options.layouts,
            .target = r->device.target,
            .n_min = d->n_min,
            .n_max = d->n_max,
            .part_first = part,
            .part_count = 1,
        };
    }
cleanup:
    return status;
}

static spmm_status_t plan_ops(spmm_plan_t *plan, const struct request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int64_t *t_row_ptr = NULL;
    plan->trace = spmmi_alloc_zero(2 * SPMMI_DECISION_MAX * SPMMI_CANDIDATE_COUNT, sizeof *plan->trace);
    SPMM_TRY_ALLOC(plan->trace, diag);
    if ((r->options.ops & (1u << SPMM_OP_N)) != 0)
        SPMM_TRY(plan_op(plan, r, SPMM_OP_N, plan->row_ptr, diag));
    if ((r->options.ops & (1u << SPMM_OP_T)) != 0) {
        t_row_ptr = spmmi_alloc((uint64_t)plan->cols + 1, sizeof *t_row_ptr);
        SPMM_TRY_ALLOC(t_row_ptr, diag);
        spmmi_transpose_row_ptr(plan->cols, plan->nnz, plan->col_ind, t_row_ptr);
        SPMM_TRY(plan_op(plan, r, SPMM_OP_T, t_row_ptr, diag));
    }
cleanup:
    spmmi_free(t_row_ptr);
    return status;
}

/* In debug builds: a plan that loads would refuse must not leave the inspector. */
static spmm_status_t check_own_work(const spmm_plan_t *plan, spmm_diag_t *diag)
{
#ifdef NDEBUG
    (void)plan;
    (void)diag;
    return SPMM_OK;
#else
    const spmm_status_t status = spmmi_plan_check(plan, diag);
    assert(status == SPMM_OK || status == SPMM_ERR_MEMORY);
    return status;
#endif
}

spmm_status_t spmm_inspect(const spmm_matrix_t *matrix, const spmm_inspect_options_t *options,
                           spmm_plan_t **plan, spmm_diag_t *diag)
{
    enum { STAGES = 3 };
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *p = NULL;
    struct request request;

    spmmi_diag_clear(diag);
    SPMM_REQUIRE(plan != NULL, SPMM_ERR_ARGUMENT, diag, "plan is NULL");
    *plan = NULL;
    SPMM_REQUIRE(matrix != NULL, SPMM_ERR_ARGUMENT, diag, "matrix is NULL");
    SPMM_TRY(check_options(options, &request, diag));
    SPMM_REQUIRE(
        matrix->rows <= SPMMI_DIM_MAX && matrix->cols <= SPMMI_DIM_MAX && matrix->nnz <= SPMMI_NNZ_MAX,
        SPMM_ERR_MATRIX_TOO_LARGE, diag,
        "%lld x %lld with %lld nonzeros is more than the %lld rows and columns and %lld nonzeros of a plan",
        (long long)matrix->rows, (long long)matrix->cols, (long long)matrix->nnz, (long long)SPMMI_DIM_MAX,
        (long long)SPMMI_NNZ_MAX);

    p = spmmi_plan_new();
    SPMM_TRY_ALLOC(p, diag);
    spmmi_source_name(matrix->info.name, p->source, sizeof p->source);
    report(&request, "copy", 0, STAGES);
    SPMM_TRY(copy_pattern(matrix, &request, p, diag));
    if (!request.options.pattern_only)
        SPMM_TRY(spmmi_inspect_values(matrix, request.threads, p, diag));
    report(&request, "statistics", 1, STAGES);
    SPMM_TRY(study(p, request.threads, diag));
    report(&request, "partition", 2, STAGES);
    SPMM_TRY(plan_ops(p, &request, diag));
    SPMM_TRY(check_own_work(p, diag));
    report(&request, "partition", STAGES, STAGES);

    *plan = p;
    p = NULL;
cleanup:
    spmm_plan_destroy(p);
    return status;
}
