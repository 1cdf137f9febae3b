/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_input.h. */
#include "plan_input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "fail.h"
#include "input_file.h"
#include "machine_memory.h"
#include "format/base/file_ending.h"

#define HEADER_BYTES 256u /* size that spmm_plan_length accepts */
#define FIRST_BYTES ((size_t)1 << 20)

/* Reads wanted bytes of standard input, or all that is left. */
static spmm_status_t read_some(char *bytes, size_t wanted, size_t *got, spmm_diag_t *diag)
{
    *got = input_file_read(bytes, wanted, stdin);
    return ferror(stdin) ? fail(diag, SPMM_ERR_IO, "standard input: %s", strerror(errno)) : SPMM_OK;
}

/* Returns the matrix format that a file name's ending suggests, compressed or not, or NULL. */
static const char *kind_of_name(const char *name)
{
    static const char *const packed[] = {".gz", ".zst", ".xz", ".bz2"};
    static const struct {
        const char *ending, *kind;
    } kinds[] = {
        {".mtx", "Matrix Market"},     {".smtx", ".smtx"},
        {".npz", "SciPy .npz"},        {".rb", "Rutherford-Boeing"},
        {".rua", "Rutherford-Boeing"}, {".rsa", "Rutherford-Boeing"},
        {".pua", "Rutherford-Boeing"}, {".psa", "Rutherford-Boeing"},
        {".cua", "Rutherford-Boeing"}, {".csa", "Rutherford-Boeing"},
        {".petsc", "PETSc"},           {".mat", "MATLAB"},
        {".graph", "METIS"},           {".metis", "METIS"},
        {".edges", "list of edges"},   {".edgelist", "list of edges"},
        {".tar", "archive"},           {".tgz", "archive"},
    };
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (spmmi_has_ending(name, length, packed[i])) {
            length -= strlen(packed[i]);
            break;
        }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (spmmi_has_ending(name, length, kinds[i].ending))
            return kinds[i].kind;
    return strncmp(name, "gen:", 4) == 0 ? "synthetic" : NULL;
}

static const char *kind_of_bytes(const char *bytes, size_t size)
{
    static const struct {
        const char *magic;
        size_t size;
        const char *kind;
    } kinds[] = {{"%%MatrixMarket", 14, "Matrix Market"},
                 {"MATLAB 5.0", 10, "MATLAB"},
                 {"MATLAB 7.3", 10, "MATLAB"},
                 {"\0\x12\x7b\x50", 4, "PETSc"},         /* 4-byte integers */
                 {"\0\0\0\0\0\x12\x7b\x50", 8, "PETSc"}, /* 8-byte integers */
                 {"PK\3\4", 4, "SciPy .npz"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (size >= kinds[i].size && memcmp(bytes, kinds[i].magic, kinds[i].size) == 0)
            return kinds[i].kind;
    return NULL;
}

/* Returns the format of a matrix that cannot be loaded as a plan, or NULL if it is not a matrix. bytes is
 * NULL for a file, which is then read by name. */
static const char *matrix_kind(const char *name, const char *bytes, size_t size)
{
    char head[32];
    FILE *file = NULL;
    const char *kind = bytes != NULL ? kind_of_bytes(bytes, size) : kind_of_name(name);
    if (kind != NULL || bytes != NULL)
        return kind;
    file = input_file_open(name);
    if (file == NULL)
        return NULL;
    const size_t got = input_file_read(head, sizeof head, file);
    (void)fclose(file);
    return kind_of_bytes(head, got);
}

/* Explains that a matrix or another file was given instead of a plan, and which program makes plans. */
static spmm_status_t explain(spmm_status_t status, const char *name, const char *bytes, size_t size,
                             spmm_diag_t *diag)
{
    const bool is_generated = status == SPMM_ERR_IO && strncmp(name, "gen:", 4) == 0;
    if (status != SPMM_ERR_PLAN_MAGIC && !is_generated)
        return status;
    const char *kind = matrix_kind(name, bytes, size);
    return fail(diag, status, "expected a plan, found a %s%s%s; spmm-inspect MATRIX -o PLAN makes plans",
                kind != NULL ? "matrix (" : "file of another kind", kind != NULL ? kind : "",
                kind != NULL ? ")" : "");
}

/* Reads the rest of a plan whose header has been read, into a block that doubles as it fills. Reads one byte
 * more than the plan has: if that byte exists, the plan is too long and spmm_plan_read refuses it. */
static spmm_status_t read_plan(const char *header, uint64_t file_bytes, uint64_t budget, char **bytes,
                               size_t *size, spmm_diag_t *diag)
{
    if (file_bytes < HEADER_BYTES)
        return fail(diag, SPMM_ERR_PLAN_HEADER, "the header says %llu bytes, its own are %u",
                    (unsigned long long)file_bytes, HEADER_BYTES);
    if (file_bytes > budget)
        return fail(diag, SPMM_ERR_PLAN_BUDGET, "the plan takes %llu bytes, %llu are allowed",
                    (unsigned long long)file_bytes, (unsigned long long)budget);
    for (size_t room = FIRST_BYTES;; room *= 2) {
        spmm_status_t status = SPMM_OK;
        size_t got = 0;
        const size_t end = file_bytes < room ? file_bytes + 1 : room;
        char *larger = realloc(*bytes, end);
        if (larger == NULL)
            return fail_memory(diag, end, "standard input");
        if (*bytes == NULL)
            memcpy(larger, header, HEADER_BYTES);
        *bytes = larger;
        status = read_some(larger + *size, end - *size, &got, diag);
        *size += got;
        if (status != SPMM_OK || *size < end || end > file_bytes)
            return status;
    }
}

/* Returns the budget minus size, but at least 1, because 0 would mean no limit. */
static uint64_t left_of(uint64_t budget, size_t size)
{
    return size < budget ? budget - size : 1;
}

/* Reads a plan from standard input. The header contains the length of the plan. This is true even of a plan
 * that is refused for its features, so all of it is read: the name of its writer follows the header. */
static spmm_status_t read_stdin(const spmm_load_options_t *options, spmm_plan_t **plan, spmm_diag_t *diag)
{
    spmm_load_options_t rest = *options;
    char header[HEADER_BYTES];
    char *bytes = NULL;
    size_t size = 0;
    uint64_t file_bytes = 0;
    spmm_status_t status = read_some(header, sizeof header, &size, diag);
    if (status != SPMM_OK)
        return status;
    status = spmm_plan_length(header, size, &file_bytes, diag);
    if (file_bytes == 0) /* spmm_plan_read explains a newer version better */
        return explain(spmm_plan_read(header, size, options, plan, diag), "-", header, size, diag);
    status = read_plan(header, file_bytes, options->budget_bytes, &bytes, &size, diag);
    rest.budget_bytes = left_of(options->budget_bytes, size);
    if (status == SPMM_OK)
        status = spmm_plan_read(bytes, size, &rest, plan, diag);
    free(bytes);
    return status;
}

spmm_status_t plan_input_open(const char *argument, const spmm_load_options_t *options, spmm_plan_t **plan,
                              spmm_diag_t *diag)
{
    spmm_load_options_t limited = *options;
    limited.budget_bytes = machine_memory_budget(options->budget_bytes);
    *plan = NULL;
    if (strcmp(argument, "-") == 0)
        return read_stdin(&limited, plan, diag);
    return explain(spmm_plan_load(argument, &limited, plan, diag), argument, NULL, 0, diag);
}

spmm_plan_t *plan_input_of(const char *program, const char *argument, const spmm_load_options_t *options,
                           int *result)
{
    spmm_diag_t diag = {0};
    spmm_plan_t *plan = NULL;
    const spmm_status_t status = plan_input_open(argument, options, &plan, &diag);
    if (status != SPMM_OK)
        *result = exit_failure(program, argument, status, &diag);
    return plan;
}
