/* SPDX-License-Identifier: Apache-2.0 */
/* See matrix_input.h. */
#include "matrix_input.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fail.h"
#include "input_file.h"
#include "machine_memory.h"

struct matrix_input_options matrix_input_given;
const struct cli_choice matrix_input_bases[] = {
    {"0", SPMM_INDEX_BASE_0}, {"1", SPMM_INDEX_BASE_1}, {NULL, 0}};

spmm_status_t matrix_input_open(const char *argument, const spmm_read_options_t *options,
                                spmm_matrix_t **matrix, spmm_diag_t *diag)
{
    if (strncmp(argument, "gen:", 4) == 0)
        return spmm_matrix_generate(argument, matrix, diag);
    spmm_read_options_t limited = *options;
    limited.budget_bytes = machine_memory_budget(options->budget_bytes);
    if (matrix_input_given.real_part && matrix_input_given.abs)
        return fail(diag, SPMM_ERR_ARGUMENT, "--real-part and --abs contradict each other");
    limited.complex_part = matrix_input_given.abs         ? SPMM_COMPLEX_ABS
                           : matrix_input_given.real_part ? SPMM_COMPLEX_REAL_PART
                                                          : SPMM_COMPLEX_REFUSE;
    limited.index_base = (spmm_index_base_t)matrix_input_given.base;
    limited.vertices = matrix_input_given.vertices;
    limited.variable = matrix_input_given.variable;
    return spmm_matrix_load(argument, &limited, matrix, diag);
}

static bool is_compressed_file(const char *path)
{
    static const char *const starts[] = {"\x1f\x8b", "\x28\xb5\x2f\xfd", "\xfd\067zXZ", "BZh", "PK\x03\x04"};
    char head[6] = "";
    FILE *file = input_file_open(path);
    const size_t size = file != NULL ? input_file_read(head, sizeof head - 1, file) : 0;
    if (file != NULL)
        (void)fclose(file);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (size >= strlen(starts[i]) && memcmp(head, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

uint64_t matrix_input_bytes(const char *path, bool *is_compressed)
{
    struct stat st;
    const bool is_file = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    *is_compressed = is_file && is_compressed_file(path);
    return is_file ? (uint64_t)st.st_size : 0;
}

spmm_status_t matrix_input_permute(const spmm_plan_t *plan, int threads, spmm_matrix_t **matrix,
                                   spmm_diag_t *diag)
{
    const uint32_t *permutation = NULL;
    int64_t count = 0;
    spmm_csr_t a;
    spmm_matrix_t *permuted = NULL;
    spmm_status_t status = spmm_plan_symmetric_permutation(plan, &permutation, &count);
    if (status == SPMM_OK && permutation != NULL)
        status = spmm_matrix_csr(*matrix, &a);
    if (status != SPMM_OK || permutation == NULL || a.rows != count || a.cols != count)
        return status;
    status = spmm_matrix_permute(*matrix, permutation, permutation, threads, &permuted, diag);
    if (status != SPMM_OK)
        return status;
    spmm_matrix_destroy(*matrix);
    *matrix = permuted;
    return SPMM_OK;
}
