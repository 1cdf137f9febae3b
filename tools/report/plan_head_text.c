/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_head_text.h. */
#include "plan_head_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "plan_report.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/fail.h"
#include "tools/cli/input_file.h"
#include "tools/cli/print_text.h"

#define PIPE_BYTES 1000000

struct source {
    FILE *file;
    char *bytes;   /* the beginning of a pipe, else NULL; owned */
    uint64_t size; /* size of the file, or of bytes */
};

static size_t read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    const struct source *s = context;
    const uint64_t left = offset < s->size ? s->size - offset : 0;
    const size_t count = size < left ? size : (size_t)left;
    if (s->bytes == NULL)
        return count > 0 && fseeko(s->file, (off_t)offset, SEEK_SET) == 0
                   ? input_file_read(bytes, count, s->file)
                   : 0;
    memcpy(bytes, s->bytes + (count > 0 ? offset : 0), count);
    return count;
}

static spmm_status_t open_pipe(struct source *s, spmm_diag_t *diag)
{
    s->bytes = malloc(PIPE_BYTES);
    if (s->bytes == NULL)
        return fail_memory(diag, PIPE_BYTES, "the beginning of the plan");
    s->size = input_file_read(s->bytes, PIPE_BYTES, s->file);
    return ferror(s->file) ? fail(diag, SPMM_ERR_IO, "it cannot be read: %s", strerror(errno)) : SPMM_OK;
}

/* Opens a file for random access. If the file cannot seek, its beginning is read into memory. */
static spmm_status_t open_source(struct source *s, const char *path, spmm_diag_t *diag)
{
    s->file = strcmp(path, "-") == 0 ? stdin : input_file_open(path);
    if (s->file == NULL)
        return fail(diag, SPMM_ERR_IO, "the file cannot be opened: %s", strerror(errno));
    if (s->file == stdin || fseeko(s->file, 0, SEEK_END) != 0)
        return open_pipe(s, diag);
    s->size = (uint64_t)ftello(s->file);
    return SPMM_OK;
}

static void close_source(struct source *s)
{
    if (s->file != NULL && s->file != stdin)
        (void)fclose(s->file);
    free(s->bytes);
}

static void print_digest(const char *name, const uint8_t digest[16])
{
    printf("%-*s", PLAN_REPORT_LABEL, name);
    for (int i = 0; i < 16; i++)
        printf("%02x", digest[i]);
    putchar('\n');
}

/* Prints which part of the file is present. A pipe may contain more than what was read. */
static void print_state(const struct source *s, const spmm_plan_info_t *info)
{
    char here[PRINT_UNITS_BYTES], all[PRINT_UNITS_BYTES];
    const int is_begin = s->bytes != NULL && s->size == PIPE_BYTES;
    printf("%-*s", PLAN_REPORT_LABEL, "file");
    if (s->size < info->file_bytes)
        printf("%s: %s of %s\n", is_begin ? "the beginning" : "truncated", print_bytes(here, s->size),
               print_bytes(all, info->file_bytes));
    else
        printf("%s, of which only this was read: nothing else is checked\n",
               print_bytes(all, info->file_bytes));
}

static void print_head(const struct source *s, const spmm_plan_info_t *info)
{
    char rows[PRINT_UNITS_BYTES], cols[PRINT_UNITS_BYTES], nnz[PRINT_UNITS_BYTES];
    char variants[PRINT_UNITS_BYTES], candidates[PRINT_UNITS_BYTES];
    printf("%-*sformat %u.%u, %s, %s", PLAN_REPORT_LABEL, "plan", info->format_major, info->format_minor,
           spmm_dtype_name(info->a_type), info->has_values ? "with values" : "pattern only");
    fputs(info->writer[0] != '\0' ? ", made by " : "", stdout);
    print_escaped(stdout, info->writer);
    printf("\n%-*s", PLAN_REPORT_LABEL, "matrix");
    print_escaped(stdout, info->source[0] != '\0' ? info->source : "(no name)");
    printf(": %s x %s, %s\n", print_count(rows, info->rows), print_count(cols, info->cols),
           print_plural(nnz, info->nnz, "nonzero"));
    print_digest("pattern", info->pattern_digest);
    if (info->has_values)
        print_digest("values", info->values_digest);
    printf("%-*s%s, %s\n", PLAN_REPORT_LABEL, "choice",
           print_plural(variants, info->variant_count, "variant"),
           print_plural(candidates, info->trace_count, "candidate"));
    print_state(s, info);
}

static void print_pair(void *context, const char *key, const char *value)
{
    int *const index = context;
    plan_text_metadata_pair(stdout, (*index)++, key, value, SIZE_MAX);
}

static void ignore_pair(void *context, const char *key, const char *value)
{
    (void)context;
    (void)key;
    (void)value;
}

static void print_sections(struct source *s, const spmm_plan_info_t *info)
{
    plan_text_section_head(stdout);
    for (int i = 0; i < info->section_count; i++) {
        spmm_section_info_t section = {.struct_size = sizeof section};
        if (spmm_plan_head_section(read_at, s, i, &section, NULL) == SPMM_OK)
            plan_text_section(stdout, &section);
    }
}

int plan_head_text(const char *program, const char *path, int is_quiet)
{
    spmm_diag_t diag = {0};
    struct source source = {.file = NULL};
    spmm_plan_info_t info = {.struct_size = sizeof info};
    int index = 0;
    spmm_status_t status = open_source(&source, path, &diag);
    if (status == SPMM_OK)
        status = spmm_plan_head(read_at, &source, &info, &diag);
    if (status == SPMM_OK && !is_quiet)
        print_head(&source, &info);
    if (status == SPMM_OK)
        status =
            spmm_plan_head_metadata(read_at, &source, is_quiet ? ignore_pair : print_pair, &index, &diag);
    if (status == SPMM_OK && !is_quiet)
        print_sections(&source, &info);
    close_source(&source);
    return status == SPMM_OK ? exit_flush(program) : exit_failure(program, path, status, &diag);
}
