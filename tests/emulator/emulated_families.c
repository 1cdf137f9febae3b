/* SPDX-License-Identifier: Apache-2.0 */
/* Families that are not emulated. Every family has a weak definition here, which a linked definition
 * replaces. Parts of the other families can be made, so that the rest of an executor can be tested, but they
 * cannot run. */
#include <stddef.h>
#include <stdio.h>

#include "executor/backend.h"

static spmm_status_t create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                            spmm_diag_t *diag)
{
    (void)source;
    (void)state;
    (void)bytes;
    (void)diag;
    return SPMM_OK;
}

static void destroy(void *state)
{
    (void)state;
}

static uint64_t workspace(const void *state, const struct spmmi_product *product)
{
    (void)state;
    (void)product;
    return 0;
}

static spmm_status_t run(const void *state, const struct spmmi_product *product, void *memory, void *stream)
{
    (void)state;
    (void)product;
    (void)memory;
    (void)stream;
    return SPMM_ERR_UNSUPPORTED;
}

static void describe(const void *state, const struct spmmi_product *product, char *text, size_t size)
{
    (void)state;
    (void)product;
    (void)snprintf(text, size, "not emulated");
}

#define FAMILY(name, ...)                                                    \
    extern const struct spmmi_backend spmmi_##name##_cuda;                   \
    __attribute__((weak)) const struct spmmi_backend spmmi_##name##_cuda = { \
        .create = create, .destroy = destroy, .workspace = workspace, .run = run, .describe = describe};
#define SCHEDULE(...)
#include "format/family_list.def"
