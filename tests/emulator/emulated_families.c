/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel families are not emulated: their parts are made, for what else belongs to an executor, and cannot run. */
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

#define TARGET "cuda"
#define KERNELS spmmi_cuda_kernels
#define BACKEND(family) spmmi_not_emulated
#include "executor/kernel_table.h"

const struct spmmi_backend spmmi_not_emulated = {
    .create = create, .destroy = destroy, .workspace = workspace, .run = run, .describe = describe};
