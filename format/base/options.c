/* SPDX-License-Identifier: Apache-2.0 */
/* See options.h. */
#include "options.h"

#include <string.h>

#include "diag.h"

spmm_status_t spmmi_options_read(void *options, size_t size, const void *given, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    size_t known = 0;
    if (given == NULL)
        return SPMM_OK;
    memcpy(&known, given, sizeof known);
    SPMM_REQUIRE(known >= sizeof known, SPMM_ERR_ARGUMENT, diag,
                 "struct_size of the options is %zu: they were not initialised", known);
    known = known < size ? known : size;
    memcpy((char *)options + sizeof known, (const char *)given + sizeof known, known - sizeof known);
cleanup:
    return status;
}
