/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_backend.h. */
#include "cpu_backend.h"

#include <spmm/executor.h>

#include "cpu_parts.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"

struct spmmi_cpu {
    struct spmmi_device device;
    uint64_t host_bytes;
    struct spmmi_parts *parts;
};

static struct spmmi_device device_of(int threads)
{
    return (struct spmmi_device){.number = SPMM_DEVICE_CPU, .target = SPMMI_CPU_TARGET, .threads = threads};
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
    SPMM_TRY(spmmi_parts_load(cpu->parts, plan, &cpu->device, suffix, &cpu->host_bytes, diag));
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

uint64_t spmmi_cpu_workspace_bytes(const struct spmmi_cpu *cpu, int variant,
                                   const struct spmmi_product *product)
{
    const struct spmmi_loaded *part = spmmi_parts_of(cpu->parts, variant);
    return part->backend->workspace(part->state, product);
}

spmm_status_t spmmi_cpu_execute(const struct spmmi_cpu *cpu, int variant, const struct spmmi_product *product,
                                void *workspace, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_loaded *part = spmmi_parts_of(cpu->parts, variant);
    status = part->backend->run(part->state, product, workspace, NULL);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "%s", spmm_status_text(status));
cleanup:
    return status;
}

void spmmi_cpu_kernel(const struct spmmi_cpu *cpu, int variant, const struct spmmi_product *product,
                      char *text, size_t size)
{
    const struct spmmi_loaded *part = spmmi_parts_of(cpu->parts, variant);
    part->backend->describe(part->state, product, text, size);
}
