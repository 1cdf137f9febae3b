/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_output.h. */
#include "plan_output.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "exit_code.h"

bool plan_output_may_replace(const char *path)
{
    char head[512];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    const size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    if (size == 0)
        return true;
    spmm_plan_t *plan = NULL;
    const spmm_status_t status = spmm_plan_read(head, size, NULL, &plan, NULL);
    spmm_plan_destroy(plan);
    return size >= 8 && status != SPMM_ERR_PLAN_MAGIC && status != SPMM_ERR_MEMORY;
}

static int write_to_stdout(const char *program, const spmm_plan_t *plan, const spmm_save_options_t *save,
                           uint64_t *bytes)
{
    spmm_diag_t diag = {0};
    void *data = NULL;
    size_t size = 0;
    const spmm_status_t status = spmm_plan_write(plan, save, &data, &size, &diag);
    if (status != SPMM_OK)
        return exit_failure(program, NULL, status, &diag);
    (void)fwrite(data, 1, size, stdout);
    spmm_plan_bytes_free(data);
    *bytes = size;
    return exit_flush(program);
}

static int write_to_file(const char *program, const char *path, const spmm_plan_t *plan,
                         const spmm_save_options_t *save, uint64_t *bytes)
{
    spmm_diag_t diag = {0};
    struct stat st;
    const spmm_status_t status = spmm_plan_save(plan, path, save, &diag);
    if (status != SPMM_OK)
        return exit_failure(program, path, status, &diag);
    *bytes = stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
    return EXIT_DONE;
}

int plan_output_write(const char *program, const char *path, const spmm_plan_t *plan,
                      const spmm_save_options_t *save, uint64_t *bytes)
{
    return strcmp(path, PLAN_OUTPUT_STDOUT) == 0 ? write_to_stdout(program, plan, save, bytes)
                                                 : write_to_file(program, path, plan, save, bytes);
}
