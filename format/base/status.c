/* SPDX-License-Identifier: Apache-2.0 */
/* Names and texts of the public enums, each from its one list. */
#include <spmm/plan.h>

#define QUOTE(x) #x
#define STRINGIFY(x) QUOTE(x)

int spmm_version(void)
{
    return SPMM_VERSION_NUMBER;
}

const char *spmm_version_string(void)
{
    return STRINGIFY(SPMM_VERSION_MAJOR) "." STRINGIFY(SPMM_VERSION_MINOR) "." STRINGIFY(SPMM_VERSION_PATCH);
}

const char *spmm_status_name(spmm_status_t status)
{
    switch (status) {
#define STATUS_NAME(name, number, text) \
    case name:                          \
        return #name;
        SPMM_STATUS_LIST(STATUS_NAME)
    }
    return "SPMM_ERR_?";
}

const char *spmm_status_text(spmm_status_t status)
{
    switch (status) {
#define STATUS_TEXT(name, number, text) \
    case name:                          \
        return text;
        SPMM_STATUS_LIST(STATUS_TEXT)
    }
    return "unknown status";
}

const char *spmm_dtype_name(spmm_dtype_t dtype)
{
    switch (dtype) {
    case SPMM_F32:
        return "f32";
    case SPMM_F64:
        return "f64";
    case SPMM_F16:
        return "f16";
    case SPMM_BF16:
        return "bf16";
    }
    return "?";
}

const char *spmm_compute_name(spmm_compute_t compute)
{
    switch (compute) {
    case SPMM_COMPUTE_F32:
        return "f32";
    case SPMM_COMPUTE_F64:
        return "f64";
    case SPMM_COMPUTE_F16:
        return "f16";
    case SPMM_COMPUTE_BF16:
        return "bf16";
    case SPMM_COMPUTE_TF32:
        return "tf32";
    case SPMM_COMPUTE_3XTF32:
        return "3xtf32";
    }
    return "?";
}

size_t spmm_dtype_size(spmm_dtype_t dtype)
{
    switch (dtype) {
    case SPMM_F32:
        return 4;
    case SPMM_F64:
        return 8;
    case SPMM_F16:
    case SPMM_BF16:
        return 2;
    }
    return 0;
}

const char *spmm_op_name(spmm_op_t op)
{
    switch (op) {
    case SPMM_OP_N:
        return "N";
    case SPMM_OP_T:
        return "T";
    }
    return "?";
}

const char *spmm_order_name(spmm_order_t order)
{
    switch (order) {
    case SPMM_ROW_MAJOR:
        return "row";
    case SPMM_COL_MAJOR:
        return "col";
    }
    return "?";
}

const char *spmm_reorder_name(spmm_reorder_t kind)
{
    switch (kind) {
    case SPMM_REORDER_AUTO:
        return "auto";
    case SPMM_REORDER_NONE:
        return "none";
    case SPMM_REORDER_RADIX:
        return "radix";
    case SPMM_REORDER_JACCARD:
        return "jaccard";
    case SPMM_REORDER_MINHASH:
        return "minhash";
    case SPMM_REORDER_RCM:
        return "rcm";
    }
    return "?";
}
