/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_tasks.h. */
#include "spgemm_tasks.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/matrix/sorted_columns.h"

/* Replaces the columns of result c by their numbers in the right factor; -1 marks a column that the right
 * factor lacks. */
static spmm_status_t number_columns(const struct spmmi_csr_pattern *c,
                                    const struct spmmi_numbered_columns *numbers, int32_t **out,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t nnz = c->row_ptr[c->rows];
    SPMM_TRY_ALLOC(*out = spmmi_alloc((uint64_t)nnz, sizeof **out), diag);
    for (int64_t q = 0; q < nnz; q++) {
        const int32_t at =
            numbers->cols > 0 ? spmmi_sorted_position(numbers->group, numbers->cols, c->col_ind[q]) : -1;
        (*out)[q] = at >= 0 && numbers->group[at] == c->col_ind[q] ? at : -1;
    }
cleanup:
    return status;
}

static spmm_status_t add_task(struct spmmi_spgemm_tasks *tasks, const struct spmmi_spgemm_factor *left,
                              const struct spmmi_spgemm_factor *right, struct spmmi_csr_pattern result,
                              int is_lower, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int at = tasks->count++;
    if (right->numbers.group != NULL) {
        SPMM_TRY(number_columns(&result, &right->numbers, &tasks->numbered[at], diag));
        result.col_ind = tasks->numbered[at];
        result.cols = right->pattern.cols;
    }
    tasks->task[at] = (struct spmmi_spgemm_task){left->pattern, right->pattern, is_lower};
    tasks->result[at] = result;
cleanup:
    return status;
}

spmm_status_t spmmi_spgemm_tasks_make(const struct spmmi_spgemm *g, const struct spmmi_csr_pattern *c,
                                      int threads, struct spmmi_spgemm_tasks *tasks, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int is_lower = (g->flags & SPMMI_SPGEMM_LOWER) != 0;
    const struct spmmi_csr_pattern t = spmmi_spgemm_pattern_of(&g->matrices[g->operand_count]);
    struct spmmi_spgemm_factor *f = tasks->factors;
    *tasks = (struct spmmi_spgemm_tasks){.count = 0};
    for (uint32_t i = 0; i < g->factor_count; i++) {
        const struct spmmi_csr_pattern operand = spmmi_spgemm_pattern_of(&g->matrices[g->factor_operand[i]]);
        SPMM_TRY(spmmi_spgemm_factor_make(&operand, (spmm_op_t)g->factor_op[i], i + 1 == g->factor_count,
                                          is_lower, threads, &f[i], diag));
    }
    if (g->factor_count == 2) {
        SPMM_TRY(add_task(tasks, &f[0], &f[1], *c, is_lower, diag));
    } else {
        SPMM_TRY(spmmi_spgemm_factor_make(&t, SPMM_OP_N, 1, is_lower, threads, &tasks->inner, diag));
        SPMM_TRY(add_task(tasks, &f[1], &f[2], t, 0, diag));
        SPMM_TRY(add_task(tasks, &f[0], &tasks->inner, *c, is_lower, diag));
    }
cleanup:
    return status;
}

void spmmi_spgemm_tasks_free(struct spmmi_spgemm_tasks *tasks)
{
    for (int i = 0; i < SPMMI_SPGEMM_TASKS; i++)
        spmmi_free(tasks->numbered[i]);
    spmmi_spgemm_factor_free(&tasks->inner);
    for (uint32_t f = 0; f < SPMMI_SPGEMM_FACTORS; f++)
        spmmi_spgemm_factor_free(&tasks->factors[f]);
    *tasks = (struct spmmi_spgemm_tasks){.count = 0};
}

uint64_t spmmi_spgemm_tasks_bytes(const struct spmmi_spgemm *g, int64_t nnz)
{
    const int is_lower = (g->flags & SPMMI_SPGEMM_LOWER) != 0;
    const struct spmmi_spgemm_matrix *t = &g->matrices[g->operand_count];
    /* Result columns that are numbered anew. */
    uint64_t bytes = ((uint64_t)nnz + (uint64_t)t->nnz) * sizeof(int32_t);
    for (uint32_t i = 0; i < g->factor_count; i++) {
        const struct spmmi_csr_pattern operand = spmmi_spgemm_pattern_of(&g->matrices[g->factor_operand[i]]);
        bytes += spmmi_spgemm_factor_bytes(&operand, (spmm_op_t)g->factor_op[i], i + 1 == g->factor_count,
                                           is_lower);
    }
    return bytes + 2 * (uint64_t)t->nnz * sizeof(int32_t);
}

uint64_t spmmi_spgemm_proof_bytes(const struct spmmi_spgemm_tasks *tasks, int threads)
{
    uint64_t most = 0;
    for (int i = 0; i < tasks->count; i++) {
        const uint64_t bytes = spmmi_spgemm_scratch_bytes(tasks->task[i].right.cols, threads, SPMMI_NO_LISTS);
        most = bytes > most ? bytes : most;
    }
    return most;
}

spmm_status_t spmmi_spgemm_require_work(const struct spmmi_spgemm *g, uint64_t most, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t *products = g->products;
    SPMM_REQUIRE(
        most == 0 || (products[0] <= most && products[1] <= most - products[0]), SPMM_ERR_PLAN_BUDGET, diag,
        "the product has %llu multiplications, its intermediate product %llu: at most %llu are allowed",
        (unsigned long long)products[0], (unsigned long long)products[1], (unsigned long long)most);
cleanup:
    return status;
}

spmm_status_t spmmi_spgemm_require_bytes(uint64_t held, uint64_t more, uint64_t budget, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(budget == 0 || (held <= budget && more <= budget - held), SPMM_ERR_PLAN_BUDGET, diag,
                 "the product holds %llu bytes and needs %llu more: at most %llu are allowed",
                 (unsigned long long)held, (unsigned long long)more, (unsigned long long)budget);
cleanup:
    return status;
}

spmm_status_t spmmi_spgemm_prove(const struct spmmi_spgemm_tasks *tasks, int threads, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int i = 0; i < tasks->count; i++) {
        int64_t wrong = -1;
        SPMM_TRY(spmmi_spgemm_verify(&tasks->task[i], &tasks->result[i], threads, &wrong, diag));
        SPMM_REQUIRE_AT(wrong < 0, SPMM_ERR_PLAN_PRODUCT, diag, (uint64_t)wrong,
                        "row %lld of %s does not have the columns that the product of its factors has",
                        (long long)wrong, i + 1 == tasks->count ? "C" : "the intermediate product");
    }
cleanup:
    return status;
}
