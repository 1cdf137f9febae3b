/* SPDX-License-Identifier: Apache-2.0 */
/* See costs_report.h. */
#include "costs_report.h"

#include "product_bins.h"
#include "tools/cli/print_text.h"

static int count(const spmm_plan_t *plan, uint64_t budget, spmm_product_costs_t *costs)
{
    *costs = (spmm_product_costs_t){.struct_size = sizeof *costs};
    return spmm_plan_product_costs(plan, budget, costs, NULL) == SPMM_OK;
}

void product_costs_text(FILE *out, const spmm_plan_t *plan, uint64_t budget, int label)
{
    spmm_product_costs_t c;
    char text[4][PRINT_UNITS_BYTES];
    if (!count(plan, budget, &c))
        return;
    fprintf(out, "%-*svalues %s; an executor on a CPU takes %s to %s more,\n", label, "memory",
            print_bytes(text[0], c.value_bytes), print_bytes(text[1], c.host_bytes),
            print_bytes(text[2], c.host_bytes_max));
    fprintf(out,
            "%-*son a GPU at most %s by kernel columns; other kernels are known once the product is made\n",
            label, "", print_bytes(text[3], c.device_columns_bytes));
    fprintf(out, "%-*sof f64, predicted: %s on an H100, %s on one thread with AVX-512;\n", label, "time",
            print_seconds(text[0], 1e-3 * c.gpu_ms), print_seconds(text[1], 1e-3 * c.cpu_thread_ms));
    fprintf(out,
            "%-*sfor measured products of two factors, half are within a factor of 1.3, all within 2.5\n",
            label, "");
}

static void write_costs(struct json *j, const spmm_plan_t *plan, uint64_t budget)
{
    spmm_product_costs_t c;
    if (!count(plan, budget, &c)) {
        json_null(j, "product_costs");
        return;
    }
    json_object(j, "product_costs");
    json_uint(j, "multiplications", c.products);
    json_uint(j, "value_bytes", c.value_bytes);
    json_uint(j, "host_bytes", c.host_bytes);
    json_uint(j, "host_bytes_max", c.host_bytes_max);
    json_uint(j, "device_columns_bytes_max", c.device_columns_bytes);
    json_double(j, "predicted_f64_gpu_ms", c.gpu_ms);
    json_double(j, "predicted_f64_cpu_thread_ms", c.cpu_thread_ms);
    json_end(j);
}

void product_details_text(FILE *out, const spmm_plan_t *plan, uint64_t budget, int label)
{
    product_costs_text(out, plan, budget, label);
    product_bins_text(out, plan, label);
}

void product_details_json(struct json *j, const spmm_plan_t *plan, uint64_t budget)
{
    write_costs(j, plan, budget);
    product_bins_json(j, plan);
}
