/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_output.h. */
#include "plan_output.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exit_code.h"
#include "input_file.h"
#include "output_file.h"

bool plan_output_is_stdout(const char *path)
{
    return path != NULL && strcmp(path, PLAN_OUTPUT_STDOUT) == 0;
}

static bool may_replace(const char *path)
{
    char head[512];
    FILE *file = input_file_open(path);
    if (file == NULL)
        return false;
    const size_t size = input_file_read(head, sizeof head, file);
    fclose(file);
    if (size == 0)
        return true;
    spmm_plan_t *plan = NULL;
    const spmm_status_t status = spmm_plan_read(head, size, NULL, &plan, NULL);
    spmm_plan_destroy(plan);
    return size >= 8 && status != SPMM_ERR_PLAN_MAGIC && status != SPMM_ERR_MEMORY;
}

enum cli_result plan_output_check(const struct cli_program *program, const char *path, int json, int force)
{
    struct stat st;
    if (path == NULL)
        return CLI_RUN;
    if (plan_output_is_stdout(path)) {
        if (json)
            return cli_complain(program, "--json and -o - both write to standard output");
        if (isatty(STDOUT_FILENO))
            return cli_complain(program, "a plan is binary: send standard output to a file or a pipe");
        return CLI_RUN;
    }
    if (stat(path, &st) != 0)
        return CLI_RUN; /* a new file; other problems are reported when it is written */
    if (!S_ISREG(st.st_mode))
        return cli_complain(program, "%s is no regular file; -o - writes to standard output", path);
    if (!force && !may_replace(path))
        return cli_complain(program, "%s exists and is not a plan; use -f to overwrite it", path);
    return CLI_RUN;
}

static int write_to_stdout(const char *program, const void *bytes, size_t size)
{
    (void)fwrite(bytes, 1, size, stdout);
    return exit_flush(program);
}

static int write_to_file(const char *program, const char *path, const void *bytes, size_t size)
{
    spmm_diag_t diag = {0};
    struct output_file out;
    spmm_status_t status = output_file_open(&out, path, &diag);
    if (status == SPMM_OK)
        status = output_file_write(&out, bytes, size);
    status = output_file_close(&out, status);
    return status == SPMM_OK ? EXIT_DONE : exit_failure(program, path, status, &diag);
}

static void warn(void *program, spmm_log_level_t level, const char *text)
{
    (void)level;
    (void)fprintf(stderr, "%s: warning: %s\n", (const char *)program, text);
}

int plan_output_write(const char *program, const char *path, const spmm_plan_t *plan,
                      const spmm_save_options_t *save, uint64_t *bytes)
{
    spmm_diag_t diag = {0};
    void *data = NULL;
    size_t size = 0;
    spmm_log_set(warn, (void *)(uintptr_t)program, SPMM_LOG_WARNING);
    const spmm_status_t status = spmm_plan_write(plan, save, &data, &size, &diag);
    spmm_log_set(NULL, NULL, SPMM_LOG_INFO);
    if (status != SPMM_OK)
        return exit_failure(program, NULL, status, &diag);
    const int result = plan_output_is_stdout(path) ? write_to_stdout(program, data, size)
                                                   : write_to_file(program, path, data, size);
    spmm_plan_bytes_free(data);
    *bytes = result == EXIT_DONE ? size : 0;
    return result;
}
