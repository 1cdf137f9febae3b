/* SPDX-License-Identifier: Apache-2.0 */
/* See struct_table.h. */
#include "struct_table.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define N_TYPICAL 8

static spmm_status_t load(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    void *bytes = NULL;
    size_t size = 0;
    spmm_plan_t *plan = NULL;
    spmm_status_t status = spmm_plan_write(o->plan, NULL, &bytes, &size, diag);
    if (status == SPMM_OK)
        status = spmm_plan_read(bytes, size, given, &plan, diag);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    return status;
}

static spmm_status_t save(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    void *bytes = NULL;
    size_t size = 0;
    const spmm_status_t status = spmm_plan_write(o->plan, given, &bytes, &size, diag);
    spmm_plan_bytes_free(bytes);
    return status;
}

static spmm_status_t inspect(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    spmm_plan_t *plan = NULL;
    const spmm_status_t status = spmm_inspect(o->matrix, given, &plan, diag);
    spmm_plan_destroy(plan);
    return status;
}

static spmm_status_t read_matrix(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    static const char text[] = "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n";
    spmm_matrix_t *matrix = NULL;
    (void)o;
    const spmm_status_t status = spmm_matrix_read(text, sizeof text - 1, NULL, given, &matrix, diag);
    spmm_matrix_destroy(matrix);
    return status;
}

static spmm_status_t run(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    uint64_t host_bytes, device_bytes;
    return spmm_executor_memory_bytes(o->plan, SPMM_DEVICE_CPU, given, &host_bytes, &device_bytes, diag);
}

static spmm_status_t make_certifier(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    spmm_certifier_t *certifier = NULL;
    const spmm_status_t status = spmm_certifier_create(o->plan, o->executor, given, &certifier, diag);
    spmm_certifier_destroy(certifier);
    return status;
}

static spmm_status_t tiled(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    options.tiled = given;
    return inspect(o, &options, diag);
}

static spmm_status_t tcblock(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    options.tcblock = given;
    return inspect(o, &options, diag);
}

static spmm_status_t tuning(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    options.tuning = given;
    return inspect(o, &options, diag);
}

/* Makes the plan of A A^T. */
static spmm_status_t square(const struct objects *o, const void *given, spmm_plan_t **plan, spmm_diag_t *diag)
{
    const spmm_product_factor_t factors[] = {{o->matrix, SPMM_OP_N}, {o->matrix, SPMM_OP_T}};
    return spmm_product_inspect(factors, 2, given, plan, diag);
}

static spmm_status_t inspect_product(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    spmm_plan_t *plan = NULL;
    const spmm_status_t status = square(o, given, &plan, diag);
    spmm_plan_destroy(plan);
    return status;
}

static spmm_status_t product(const struct objects *o, const void *given, spmm_product_t **made,
                             spmm_diag_t *diag)
{
    spmm_plan_t *plan = NULL;
    spmm_status_t status = square(o, NULL, &plan, diag);
    if (status == SPMM_OK)
        status = spmm_product_create(plan, SPMM_DEVICE_CPU, given, made, diag);
    spmm_plan_destroy(plan);
    return status;
}

static spmm_status_t verify_product(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    spmm_plan_t *plan = NULL;
    spmm_status_t status = square(o, NULL, &plan, diag);
    if (status == SPMM_OK)
        status = spmm_plan_product_verify(plan, given, diag);
    spmm_plan_destroy(plan);
    return status;
}

static spmm_status_t make_product(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    spmm_product_t *made = NULL;
    const spmm_status_t status = product(o, given, &made, diag);
    spmm_product_destroy(made);
    return status;
}

static spmm_status_t product_once(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    static const int64_t row_ptr[] = {0, 1};
    static const int32_t col_ind[] = {0};
    static const double values[] = {2};
    const spmm_csr_t a = {1, 1, 1, SPMM_I64, SPMM_I32, row_ptr, col_ind, SPMM_F64, values};
    spmm_csr_t c;
    (void)o;
    const spmm_status_t status = spmm_product_once(&a, &a, SPMM_DEVICE_CPU, given, &c, diag);
    spmm_product_once_free(&c);
    return status;
}

/* Reads the struct, then refuses it, because objects exist. That refusal counts as success. */
static spmm_status_t allocate(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    (void)o;
    const spmm_status_t status = spmm_allocator_set(given, diag);
    return status == SPMM_ERR_ARGUMENT && strstr(diag->text, "are held") != NULL ? SPMM_OK : status;
}

static void *take(void *context, size_t bytes, size_t alignment)
{
    (void)context;
    return aligned_alloc(alignment, bytes);
}

static void give(void *context, void *memory)
{
    (void)context;
    free(memory);
}

static spmm_status_t run_with_allocator(const struct objects *o, const void *given, spmm_diag_t *diag)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    options.allocator = given;
    return run(o, &options, diag);
}

static void *take_of_gpu(void *context, size_t bytes, int device, void *stream)
{
    (void)context, (void)bytes, (void)device, (void)stream;
    return NULL;
}

static void give_to_gpu(void *context, void *block, size_t bytes, int device, void *stream)
{
    (void)context, (void)block, (void)bytes, (void)device, (void)stream;
}

static const spmm_load_options_t load_options = SPMM_LOAD_OPTIONS_INIT;
static const spmm_save_options_t save_options = SPMM_SAVE_OPTIONS_INIT;
static const spmm_read_options_t read_options = SPMM_READ_OPTIONS_INIT;
static const spmm_inspect_options_t inspect_options = SPMM_INSPECT_OPTIONS_INIT;
static const spmm_tiled_options_t tiled_options = SPMM_TILED_OPTIONS_INIT;
static const spmm_tcblock_options_t tcblock_options = SPMM_TCBLOCK_OPTIONS_INIT;
static const spmm_tuning_options_t tuning_options = SPMM_TUNING_OPTIONS_INIT;
static const spmm_executor_options_t executor_options = SPMM_EXECUTOR_OPTIONS_INIT;
static const spmm_certifier_options_t certifier_options = SPMM_CERTIFIER_OPTIONS_INIT;
static const spmm_product_options_t product_options = SPMM_PRODUCT_OPTIONS_INIT;
static const spmm_product_executor_options_t product_executor_options = SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
static const spmm_product_verify_options_t product_verify_options = SPMM_PRODUCT_VERIFY_OPTIONS_INIT;
static const spmm_product_once_options_t product_once_options = SPMM_PRODUCT_ONCE_OPTIONS_INIT;
static const spmm_allocator_t allocator = {.allocate = take, .release = give};
static const spmm_device_allocator_t device_allocator = {.allocate = take_of_gpu, .release = give_to_gpu};

#define INPUT(type, valid, minimum, bad_at, use)            \
    {                                                       \
#type, sizeof(type), &(valid), minimum, bad_at, use \
    }
#define THREADS(type) offsetof(type, threads)

const struct input inputs[] = {
    INPUT(spmm_load_options_t, load_options, sizeof(size_t), THREADS(spmm_load_options_t), load),
    INPUT(spmm_save_options_t, save_options, sizeof(size_t), THREADS(spmm_save_options_t), save),
    INPUT(spmm_read_options_t, read_options, sizeof(size_t), THREADS(spmm_read_options_t), read_matrix),
    INPUT(spmm_inspect_options_t, inspect_options, sizeof(size_t), THREADS(spmm_inspect_options_t), inspect),
    INPUT(spmm_tiled_options_t, tiled_options, sizeof(size_t), offsetof(spmm_tiled_options_t, block_rows),
          tiled),
    INPUT(spmm_tcblock_options_t, tcblock_options, sizeof(size_t),
          offsetof(spmm_tcblock_options_t, block_rows), tcblock),
    INPUT(spmm_tuning_options_t, tuning_options, sizeof(size_t), offsetof(spmm_tuning_options_t, candidates),
          tuning),
    INPUT(spmm_executor_options_t, executor_options, sizeof(size_t), THREADS(spmm_executor_options_t), run),
    INPUT(spmm_certifier_options_t, certifier_options, sizeof(size_t),
          offsetof(spmm_certifier_options_t, vectors), make_certifier),
    INPUT(spmm_product_options_t, product_options, sizeof(size_t), THREADS(spmm_product_options_t),
          inspect_product),
    INPUT(spmm_product_verify_options_t, product_verify_options, sizeof(size_t),
          THREADS(spmm_product_verify_options_t), verify_product),
    INPUT(spmm_product_executor_options_t, product_executor_options, sizeof(size_t),
          THREADS(spmm_product_executor_options_t), make_product),
    INPUT(spmm_product_once_options_t, product_once_options, sizeof(size_t),
          THREADS(spmm_product_once_options_t), product_once),
    INPUT(spmm_allocator_t, allocator, offsetof(spmm_allocator_t, context), sizeof(spmm_allocator_t),
          allocate),
    INPUT(spmm_device_allocator_t, device_allocator, offsetof(spmm_device_allocator_t, context),
          sizeof(spmm_device_allocator_t), run_with_allocator),
};
const size_t input_count = sizeof inputs / sizeof inputs[0];

static spmm_status_t dtype_info(const struct objects *o, void *info)
{
    (void)o;
    return spmm_dtype_at(1, info);
}

static spmm_status_t family_info(const struct objects *o, void *info)
{
    (void)o;
    return spmm_family_at(1, info);
}

static spmm_status_t schedule_info(const struct objects *o, void *info)
{
    (void)o;
    return spmm_schedule_at(1, info);
}

static spmm_status_t reorder_info(const struct objects *o, void *info)
{
    (void)o;
    return spmm_reorder_at(2, info);
}

static spmm_status_t generator_info(const struct objects *o, void *info)
{
    (void)o;
    return spmm_generator_at(1, info);
}

static spmm_status_t plan_info(const struct objects *o, void *info)
{
    return spmm_plan_info(o->plan, info);
}

static spmm_status_t matrix_info(const struct objects *o, void *info)
{
    return spmm_matrix_info(o->matrix, info);
}

static spmm_status_t types_info(const struct objects *o, void *info)
{
    (void)o;
    return spmm_types_at(1, info);
}

static spmm_status_t kernel_info(const struct objects *o, void *info)
{
    (void)o;
    return spmm_kernel_at(1, info);
}

static spmm_status_t matrix_stats(const struct objects *o, void *info)
{
    return spmm_plan_matrix_stats(o->plan, info);
}

static spmm_status_t row_block_metrics(const struct objects *o, void *info)
{
    return spmm_plan_row_block_metrics(o->plan, info);
}

static spmm_status_t permutation_metrics(const struct objects *o, void *info)
{
    return spmm_matrix_permutation_metrics(o->matrix, SPMM_REORDER_RCM, 1, info, NULL);
}

static spmm_status_t variant_info(const struct objects *o, void *info)
{
    return spmm_plan_variant(o->plan, 0, info);
}

static spmm_status_t part_info(const struct objects *o, void *info)
{
    return spmm_plan_part(o->plan, 0, info);
}

static spmm_status_t trace_info(const struct objects *o, void *info)
{
    return spmm_plan_trace(o->plan, 0, info);
}

static spmm_status_t section_info(const struct objects *o, void *info)
{
    return spmm_plan_section(o->plan, 0, info);
}

static spmm_status_t roofline(const struct objects *o, void *info)
{
    return spmm_plan_roofline(o->plan, "h100", info, NULL);
}

static spmm_status_t stream_info(const struct objects *o, void *info)
{
    return spmm_plan_stream(o->plan, 0, 0, info, NULL);
}

static spmm_status_t executor_info(const struct objects *o, void *info)
{
    const spmm_dense_t operand = {.rows = 27, .cols = N_TYPICAL, .ld = N_TYPICAL, .type = SPMM_F32};
    return spmm_executor_info(o->executor, SPMM_OP_N, &operand, &operand, info, NULL);
}

/* Certifies C = 0 A B. */
static spmm_status_t certificate(const struct objects *o, void *info)
{
    static float zeros[27 * N_TYPICAL];
    const spmm_dense_t operand = {zeros, 27, N_TYPICAL, N_TYPICAL, SPMM_ROW_MAJOR, SPMM_F32};
    spmm_certifier_t *certifier = NULL;
    spmm_status_t status = spmm_certifier_create(o->plan, o->executor, NULL, &certifier, NULL);
    if (status == SPMM_OK)
        status = spmm_certify(certifier, SPMM_OP_N, spmm_real(0), &operand, spmm_real(0), NULL, &operand,
                              NULL, info, NULL);
    spmm_certifier_destroy(certifier);
    return status;
}

static spmm_status_t preparation(const struct objects *o, void *info)
{
    const spmm_dense_t operand = {NULL, 27, N_TYPICAL, N_TYPICAL, SPMM_ROW_MAJOR, SPMM_F32};
    return spmm_executor_prepare(o->executor, SPMM_OP_N, &operand, &operand, 0, info, NULL);
}

static spmm_status_t product_plan_info(const struct objects *o, void *info)
{
    spmm_plan_t *plan = NULL;
    spmm_status_t status = square(o, NULL, &plan, NULL);
    if (status == SPMM_OK)
        status = spmm_plan_product(plan, info);
    spmm_plan_destroy(plan);
    return status;
}

static spmm_status_t product_costs(const struct objects *o, void *info)
{
    spmm_plan_t *plan = NULL;
    spmm_status_t status = square(o, NULL, &plan, NULL);
    if (status == SPMM_OK)
        status = spmm_plan_product_costs(plan, 0, info, NULL);
    spmm_plan_destroy(plan);
    return status;
}

static spmm_status_t product_info(const struct objects *o, void *info)
{
    spmm_product_t *made = NULL;
    spmm_status_t status = product(o, NULL, &made, NULL);
    if (status == SPMM_OK)
        status = spmm_product_info(made, info);
    spmm_product_destroy(made);
    return status;
}

#define OUTPUT(type, fill)                      \
    {                                           \
#type, sizeof(type), sizeof(type), fill \
    }
#define OUTPUT_BUT(type, member, fill)                    \
    {                                                     \
#type, sizeof(type), offsetof(type, member), fill \
    }

/* clang-format off */
const struct output outputs[] = {
    OUTPUT(spmm_dtype_info_t, dtype_info),
    OUTPUT(spmm_family_info_t, family_info),
    OUTPUT(spmm_schedule_info_t, schedule_info),
    OUTPUT(spmm_reorder_info_t, reorder_info),
    OUTPUT(spmm_generator_info_t, generator_info),
    OUTPUT(spmm_plan_info_t, plan_info),
    OUTPUT(spmm_matrix_info_t, matrix_info),
    OUTPUT(spmm_types_info_t, types_info),
    OUTPUT(spmm_matrix_stats_t, matrix_stats),
    OUTPUT(spmm_row_block_metrics_t, row_block_metrics),
    OUTPUT_BUT(spmm_permutation_metrics_t, seconds, permutation_metrics),
    OUTPUT(spmm_variant_info_t, variant_info),
    OUTPUT(spmm_part_info_t, part_info),
    OUTPUT(spmm_trace_info_t, trace_info),
    OUTPUT(spmm_section_info_t, section_info),
    OUTPUT(spmm_roofline_t, roofline),
    OUTPUT(spmm_stream_info_t, stream_info),
    OUTPUT(spmm_kernel_info_t, kernel_info),
    OUTPUT(spmm_executor_info_t, executor_info),
    OUTPUT_BUT(spmm_preparation_t, seconds, preparation),
    OUTPUT(spmm_certificate_t, certificate),
    OUTPUT(spmm_product_plan_info_t, product_plan_info),
    OUTPUT(spmm_product_costs_t, product_costs),
    OUTPUT(spmm_product_info_t, product_info),
};
/* clang-format on */
const size_t output_count = sizeof outputs / sizeof outputs[0];
