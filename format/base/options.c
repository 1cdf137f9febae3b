/* SPDX-License-Identifier: Apache-2.0 */
/* See options.h. */
#include "options.h"

#include <string.h>

#include "diag.h"

/* Larger than any struct in any header. A larger struct_size was never initialised, and reading that many
 * bytes would leave the struct. */
#define STRUCT_BYTES_MAX ((size_t)1 << 16)

static int is_size(size_t size)
{
    return size >= sizeof size && size <= STRUCT_BYTES_MAX;
}

spmm_status_t spmmi_options_read(void *options, size_t size, const void *given, const char *name,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const unsigned char *const bytes = given;
    size_t known = 0;
    if (given == NULL)
        return SPMM_OK;
    memcpy(&known, given, sizeof known);
    SPMM_REQUIRE(is_size(known), SPMM_ERR_ARGUMENT, diag, "struct_size of the %s is %zu: it was not set",
                 name, known);
    for (size_t i = size; i < known; i++)
        SPMM_REQUIRE(bytes[i] == 0, SPMM_ERR_ARGUMENT, diag,
                     "byte %zu of the %s is not 0: it is of a newer header, this library knows %zu bytes", i,
                     name, size);
    known = known < size ? known : size;
    memcpy((char *)options + sizeof known, bytes + sizeof known, known - sizeof known);
cleanup:
    return status;
}

spmm_status_t spmmi_info_write(void *info, const void *full, size_t size)
{
    size_t known = 0;
    if (info == NULL)
        return SPMM_ERR_ARGUMENT;
    memcpy(&known, info, sizeof known);
    if (!is_size(known))
        return SPMM_ERR_ARGUMENT;
    const size_t both = known < size ? known : size;
    memcpy((char *)info + sizeof known, (const char *)full + sizeof known, both - sizeof known);
    memset((char *)info + both, 0, known - both);
    return SPMM_OK;
}
