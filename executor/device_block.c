/* SPDX-License-Identifier: Apache-2.0 */
/* See device_block.h. */
#include "device_block.h"

#include "format/base/diag.h"
#include "format/base/options.h"

spmm_status_t spmmi_device_memory_open(const spmm_device_allocator_t *given, int device,
                                       struct spmmi_device_memory *memory, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_device_allocator_t user = {.struct_size = sizeof user};
    *memory = (struct spmmi_device_memory){.device = device};
    if (given == NULL)
        return SPMM_OK;
    SPMM_TRY(spmmi_options_read(&user, sizeof user, given, "device allocator", diag));
    SPMM_REQUIRE(user.allocate != NULL && user.release != NULL, SPMM_ERR_ARGUMENT, diag,
                 "%s of the device allocator is NULL", user.allocate == NULL ? "allocate" : "release");
    memory->user = user;
cleanup:
    return status;
}
