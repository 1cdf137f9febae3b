/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_backend.h. */
#include "cpu_backend.h"

#include <spmm/executor.h>

#include "cpu_parts.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"

/* Families keep the sums of cut units for every column; for a wide B these sums could exceed C
 * itself. A product whose workspace would exceed this limit runs in passes of columns, of at least
 * this many columns each. */
#define PASS_BYTES_MAX (UINT64_C(64) << 20)
#define PASS_COLUMNS_MIN 512

struct spmmi_cpu {
    struct spmmi_device device;
    uint64_t host_bytes;
    struct spmmi_parts *parts;
};

static struct spmmi_device device_of(int threads)
{
    return (struct spmmi_device){.number = SPMM_DEVICE_CPU, .target = SPMMI_TARGET_CPU, .threads = threads};
}

spmm_status_t spmmi_cpu_needs(const spmm_plan_t *plan, const char *force_kernel, struct spmmi_needs *needs,
                              spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_device device = device_of(0);
    struct spmmi_parts *parts = NULL;
    const char *suffix;
    needs->host += sizeof(struct spmmi_cpu) + spmmi_parts_bytes(plan);
    SPMM_TRY(spmmi_cpu_parts_choose(plan, force_kernel, &parts, &suffix, diag));
    SPMM_TRY(spmmi_parts_count(parts, plan, &device, suffix, needs, diag));
cleanup:
    spmmi_parts_destroy(parts);
    return status;
}

spmm_status_t spmmi_cpu_create(const spmm_plan_t *plan, int threads, const char *force_kernel,
                               struct spmmi_cpu **cpu_out, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const char *suffix;
    struct spmmi_cpu *cpu = spmmi_alloc_zero(1, sizeof *cpu);
    *cpu_out = NULL;
    SPMM_TRY_ALLOC(cpu, diag);
    cpu->device = device_of(threads);
    cpu->host_bytes = sizeof *cpu + spmmi_parts_bytes(plan);
    SPMM_TRY(spmmi_cpu_parts_choose(plan, force_kernel, &cpu->parts, &suffix, diag));
    SPMM_TRY(spmmi_parts_load(cpu->parts, plan, &cpu->device, suffix, NULL, &cpu->host_bytes, diag));
    if (plan->values != NULL)
        SPMM_TRY(spmmi_cpu_set_values(cpu, plan->values));
    *cpu_out = cpu;
    cpu = NULL;
cleanup:
    spmmi_cpu_destroy(cpu);
    return status;
}

void spmmi_cpu_destroy(struct spmmi_cpu *cpu)
{
    if (cpu == NULL)
        return;
    spmmi_parts_destroy(cpu->parts);
    spmmi_free(cpu);
}

uint64_t spmmi_cpu_host_bytes(const struct spmmi_cpu *cpu)
{
    return cpu->host_bytes;
}

const struct spmmi_parts *spmmi_cpu_parts(const struct spmmi_cpu *cpu)
{
    return cpu->parts;
}

spmm_status_t spmmi_cpu_set_values(struct spmmi_cpu *cpu, const void *values)
{
    return spmmi_parts_set_values(cpu->parts, values, NULL);
}

static uint64_t pass_bytes(const struct spmmi_loaded *part, const struct spmmi_product *product,
                           int64_t columns)
{
    const struct spmmi_product pass = spmmi_product_columns(product, 0, columns);
    return part->backend->workspace(part->state, &pass);
}

static int64_t pass_columns(const struct spmmi_loaded *part, const struct spmmi_product *product)
{
    int64_t columns = product->b.cols;
    while (columns > PASS_COLUMNS_MIN && pass_bytes(part, product, columns) > PASS_BYTES_MAX)
        columns = (columns / 2 + PASS_COLUMNS_MIN - 1) / PASS_COLUMNS_MIN * PASS_COLUMNS_MIN;
    return columns;
}

uint64_t spmmi_cpu_workspace_bytes(const struct spmmi_cpu *cpu, int variant,
                                   const struct spmmi_product *product)
{
    const struct spmmi_loaded *part = spmmi_parts_for(cpu->parts, variant, product);
    return pass_bytes(part, product, pass_columns(part, product));
}

spmm_status_t spmmi_cpu_execute(const struct spmmi_cpu *cpu, int variant, const struct spmmi_product *product,
                                void *workspace, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_loaded *part = spmmi_parts_for(cpu->parts, variant, product);
    const int64_t columns = pass_columns(part, product);
    for (int64_t first = 0; first < product->b.cols && status == SPMM_OK; first += columns) {
        const struct spmmi_product pass = spmmi_product_columns(product, first, columns);
        status = part->backend->run(part->state, &pass, workspace, NULL);
    }
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "%s", spmm_status_text(status));
cleanup:
    return status;
}

void spmmi_cpu_kernel(const struct spmmi_cpu *cpu, int variant, const struct spmmi_product *product,
                      char *text, size_t size)
{
    const struct spmmi_loaded *part = spmmi_parts_for(cpu->parts, variant, product);
    part->backend->describe(part->state, product, text, size);
}
