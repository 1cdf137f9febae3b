/* SPDX-License-Identifier: Apache-2.0 */
/* The version of the library, and names and texts of public enums. */
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

const char *spmm_layout_name(spmm_layout_t layout)
{
    switch (layout) {
    case SPMM_ROW_MAJOR:
        return "row";
    case SPMM_COL_MAJOR:
        return "col";
    }
    return "?";
}
