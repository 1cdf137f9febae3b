/* SPDX-License-Identifier: Apache-2.0 */
/* See metadata_input.h. This file only splits KEY=VALUE; the library checks keys and values. */
#include "metadata_input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "input_file.h"

#define FILE_BYTES_MAX (1u << 20) /* includes comments; the metadata of a plan has at most 64 KiB */
#define BLANKS " \t\r"

bool metadata_input_has(const struct metadata_input *in, int64_t count, const char *key)
{
    for (int64_t i = 0; i < count; i++)
        if (strcmp(in->pairs[i].key, key) == 0)
            return true;
    return false;
}

static char *without_blanks(char *text)
{
    text += strspn(text, BLANKS);
    size_t length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL)
        text[--length] = '\0';
    return text;
}

/* Splits "KEY=VALUE" in place. Returns false if there is no "=". */
static bool cut_pair(char *text, spmm_metadata_t *pair)
{
    char *const equals = strchr(text, '=');
    if (equals == NULL)
        return false;
    *equals = '\0';
    *pair = (spmm_metadata_t){without_blanks(text), without_blanks(equals + 1)};
    return true;
}

spmm_status_t metadata_input_add(struct metadata_input *in, spmm_metadata_t pair, spmm_diag_t *diag)
{
    if (in->count > METADATA_INPUT_PAIRS)
        return fail(diag, SPMM_ERR_ARGUMENT, "more than %d pairs of metadata", METADATA_INPUT_PAIRS);
    in->pairs[in->count++] = pair;
    return SPMM_OK;
}

static spmm_status_t take_options(struct metadata_input *in, spmm_diag_t *diag)
{
    size_t bytes = 1;
    for (size_t i = 0; i < in->given_count; i++)
        bytes += strlen(in->given[i]) + 1;
    char *text = in->texts[0] = malloc(bytes);
    if (text == NULL)
        return fail_memory(diag, bytes, "the metadata");
    for (size_t i = 0; i < in->given_count; i++) {
        spmm_metadata_t pair;
        char *const end = stpcpy(text, in->given[i]);
        if (!cut_pair(text, &pair))
            return fail(diag, SPMM_ERR_ARGUMENT, "--meta: expected KEY=VALUE, found '%s'", in->given[i]);
        const spmm_status_t status = metadata_input_add(in, pair, diag);
        if (status != SPMM_OK)
            return status;
        text = end + 1;
    }
    return SPMM_OK;
}

static spmm_status_t read_file(struct metadata_input *in, size_t *size, spmm_diag_t *diag)
{
    FILE *file = input_file_open(in->file);
    if (file == NULL)
        return fail(diag, SPMM_ERR_IO, "the file cannot be opened: %s", strerror(errno));
    char *text = in->texts[1] = malloc(FILE_BYTES_MAX + 2);
    *size = text != NULL ? input_file_read(text, FILE_BYTES_MAX + 1, file) : 0;
    const int error = ferror(file) ? errno : 0;
    (void)fclose(file);
    if (text == NULL)
        return fail_memory(diag, FILE_BYTES_MAX, "the metadata");
    text[*size] = '\0';
    if (error != 0)
        return fail(diag, SPMM_ERR_IO, "it cannot be read: %s", strerror(error));
    if (*size > FILE_BYTES_MAX)
        return fail(diag, SPMM_ERR_ARGUMENT, "it has more than %u bytes", FILE_BYTES_MAX);
    if (strlen(text) != *size)
        return fail(diag, SPMM_ERR_ARGUMENT, "it is no text: byte %zu is zero", strlen(text));
    return SPMM_OK;
}

/* Adds the pairs of the file, except for keys that the options give; the pairs of the options are already
 * there. */
static spmm_status_t take_file(struct metadata_input *in, spmm_diag_t *diag)
{
    const int64_t of_options = in->count;
    size_t size = 0, line = 0;
    spmm_status_t status = in->file != NULL ? read_file(in, &size, diag) : SPMM_OK;
    char *rest = in->texts[1];
    while (status == SPMM_OK && rest != NULL && *rest != '\0') {
        char *const text = rest, *const end = rest + strcspn(rest, "\n");
        rest = end + (*end != '\0');
        *end = '\0';
        line++;
        const char first = text[strspn(text, BLANKS)];
        spmm_metadata_t pair;
        if (first == '\0' || first == '#')
            continue;
        if (!cut_pair(text, &pair))
            status = fail(diag, SPMM_ERR_ARGUMENT, "line %zu: expected KEY=VALUE, found '%.80s'", line, text);
        else if (!metadata_input_has(in, of_options, pair.key))
            status = metadata_input_add(in, pair, diag);
    }
    return status;
}

spmm_status_t metadata_input_read(struct metadata_input *in, const char **what, spmm_diag_t *diag)
{
    *what = NULL;
    if (in->file != NULL && strcmp(in->file, "-") == 0)
        return fail(diag, SPMM_ERR_ARGUMENT, "--meta-file: expected a file, not standard input (-)");
    spmm_status_t status = take_options(in, diag);
    if (status == SPMM_OK) {
        *what = in->file;
        status = take_file(in, diag);
    }
    return status;
}

void metadata_input_free(struct metadata_input *in)
{
    free(in->texts[0]);
    free(in->texts[1]);
    in->texts[0] = in->texts[1] = NULL;
}
