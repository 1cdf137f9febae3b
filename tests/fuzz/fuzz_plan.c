/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target of the plan loader. Each input is loaded twice: as it is, and with all hashes repaired so that
 * the fuzzer gets past them. A plan that loads must pass the check. Writing the plan and loading it again
 * must give the same plan. */
#include <spmm/product.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/plan.h"
#include "tests/support/forge.h"
#include "tests/support/plan_seal.h"

#define BUDGET (UINT64_C(64) << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition)
        abort();
}

/* Runs a plan of a sparse product. The library may only refuse it because its pattern is not the pattern of
 * the product, or because it needs too much memory or work. */
static void multiply(const spmm_plan_t *plan)
{
    const spmm_product_executor_options_t options = {
        sizeof options, 1, plan->nnz % 2 ? "positions" : "columns", BUDGET, 1 << 22, 0, NULL};
    spmm_product_t *product = NULL;
    spmm_product_info_t info = {.struct_size = sizeof info};
    void *values[SPMM_PRODUCT_FACTORS] = {NULL};
    uint64_t bytes = 0;
    const spmm_status_t status = spmm_product_create(plan, SPMM_DEVICE_CPU, &options, &product, NULL);
    must(status == SPMM_OK || status == SPMM_ERR_PLAN_PRODUCT || status == SPMM_ERR_PLAN_BUDGET);
    if (status != SPMM_OK)
        return;
    must(spmm_product_info(product, &info) == SPMM_OK && info.nnz == plan->nnz);
    must(spmm_product_workspace_bytes(product, &bytes) == SPMM_OK && bytes <= BUDGET);
    for (int m = 0; m < info.operand_count; m++)
        must((values[m] = calloc((size_t)plan->product->matrices[m].nnz + 1, sizeof(double))) != NULL);
    void *c = calloc((size_t)info.nnz + 1, sizeof(double)), *workspace = aligned_alloc(256, bytes + 256);
    const int has_diagonal = (plan->product->flags & SPMMI_SPGEMM_DIAGONAL) != 0;
    void *diagonal = calloc((size_t)spmmi_spgemm_cols(plan->product, 0) + 1, sizeof(double));
    must(c != NULL && workspace != NULL && diagonal != NULL);
    must(spmm_product_execute(product, spmm_real(1), (const void *const *)values,
                              has_diagonal ? diagonal : NULL, spmm_real(0), c, workspace, bytes, NULL,
                              NULL) == SPMM_OK);
    for (int m = 0; m < info.operand_count; m++)
        free(values[m]);
    free(c);
    free(workspace);
    free(diagonal);
    spmm_product_destroy(product);
}

static void use(const spmm_plan_t *plan)
{
    const spmm_save_options_t save = {sizeof save, 1, 0, 1};
    const spmm_load_options_t load = {sizeof load, BUDGET, 1};
    spmm_plan_t *again = NULL;
    spmm_csr_t view;
    void *bytes = NULL;
    size_t size = 0;
    must(spmmi_plan_check(plan, NULL) == SPMM_OK);
    if (plan->product != NULL)
        multiply(plan);
    must(spmm_plan_csr(plan, &view) == SPMM_OK);
    must(spmm_plan_matches(plan, &view, plan->values != NULL, NULL) == SPMM_OK);
    for (int i = 0; i < (int)plan->trace_count; i++) {
        spmm_trace_info_t info = {.struct_size = sizeof info};
        must(spmm_plan_trace(plan, i, &info) == SPMM_OK);
    }
    spmm_metadata_t pair;
    for (int i = 0; spmm_plan_metadata(plan, i, &pair) == SPMM_OK; i++)
        must(pair.key[0] != '\0' && pair.value[0] != '\0');
    must(spmm_plan_write(plan, &save, &bytes, &size, NULL) == SPMM_OK);
    must(spmm_plan_read(bytes, size, &load, &again, NULL) == SPMM_OK);
    must(test_plans_equal(plan, again));
    spmm_plan_destroy(again);
    spmm_plan_bytes_free(bytes);
}

struct input {
    const uint8_t *data;
    size_t size;
};

static size_t read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    const struct input *input = context;
    const size_t left = offset < input->size ? input->size - (size_t)offset : 0;
    const size_t count = size < left ? size : left;
    memcpy(bytes, input->data + (count > 0 ? offset : 0), count);
    return count;
}

static void count_pair(void *context, const char *key, const char *value)
{
    must(key[0] != '\0' && value[0] != '\0');
    ++*(int *)context;
}

/* Reads the head of the file alone. If the plan can be loaded, its head must be readable and say the same. */
static void look(const uint8_t *data, size_t size, const spmm_plan_t *plan)
{
    struct input input = {data, size};
    spmm_plan_info_t head = {.struct_size = sizeof head}, info = {.struct_size = sizeof info};
    const spmm_status_t status = spmm_plan_head(read_at, &input, &head, NULL);
    for (int i = 0; status == SPMM_OK && i < head.section_count; i++) {
        spmm_section_info_t section = {.struct_size = sizeof section};
        must(spmm_plan_head_section(read_at, &input, i, &section, NULL) == SPMM_OK);
    }
    spmm_metadata_t pair;
    int pairs = 0;
    const spmm_status_t pairs_status = spmm_plan_head_metadata(read_at, &input, count_pair, &pairs, NULL);
    must(pairs_status == SPMM_OK || pairs == 0);
    if (plan == NULL)
        return;
    must(pairs_status == SPMM_OK && spmm_plan_metadata(plan, pairs, &pair) != SPMM_OK);
    must(pairs == 0 || spmm_plan_metadata(plan, pairs - 1, &pair) == SPMM_OK);
    must(status == SPMM_OK && spmm_plan_info(plan, &info) == SPMM_OK);
    must(memcmp(&head, &info, sizeof head) == 0);
}

static void load(const uint8_t *data, size_t size)
{
    const spmm_load_options_t options = {sizeof options, BUDGET / 2, 1};
    const int64_t live = spmmi_alloc_live();
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    spmmi_alloc_peak_reset();
    const spmm_status_t status = spmm_plan_read(data, size, &options, &plan, &diag);
    must((status == SPMM_OK) == (plan != NULL) && diag.status == status);
    must(spmmi_alloc_peak_bytes() <= BUDGET / 2);
    look(data, size, plan);
    if (plan != NULL)
        use(plan);
    spmm_plan_destroy(plan);
    must(spmmi_alloc_live() == live);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *repaired = malloc(size + 1);
    must(repaired != NULL);
    load(data, size);
    memcpy(repaired, data, size);
    forge_repair(repaired, size);
    load(repaired, size);
    free(repaired);
    return 0;
}
