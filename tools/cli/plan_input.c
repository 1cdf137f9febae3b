/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_input.h. */
#include "plan_input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* All of standard input, in a block that doubles as it fills. */
static spmm_status_t read_all(FILE *in, char **bytes, size_t *size, spmm_diag_t *diag)
{
    size_t room = (size_t)1 << 20;
    *bytes = malloc(room);
    *size = 0;
    while (*bytes != NULL) {
        const size_t got = fread(*bytes + *size, 1, room - *size, in);
        *size += got;
        if (ferror(in))
            return fail(diag, SPMM_ERR_IO, "standard input: %s", strerror(errno));
        if (*size < room)
            return SPMM_OK;
        char *larger = room <= SIZE_MAX / 2 ? realloc(*bytes, room * 2) : NULL;
        if (larger == NULL)
            break;
        *bytes = larger;
        room *= 2;
    }
    return fail_memory(diag, room, "standard input");
}

static bool ends_with(const char *text, size_t length, const char *ending)
{
    const size_t tail = strlen(ending);
    return length > tail && strncmp(text + length - tail, ending, tail) == 0;
}

/* Does the name say that it is one of a matrix, compressed or not? */
static bool is_named_as_matrix(const char *name)
{
    static const char *const endings[] = {".mtx", ".smtx", ".npz", ".rb", ".rua", ".rsa", ".pua", ".psa"};
    size_t length = strlen(name);
    if (ends_with(name, length, ".zst"))
        length -= 4;
    else if (ends_with(name, length, ".gz"))
        length -= 3;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(name, length, endings[i]))
            return true;
    return strncmp(name, "gen:", 4) == 0;
}

static bool begins_as_matrix(const char *bytes, size_t size)
{
    static const char banner[] = "%%MatrixMarket";
    return size >= sizeof banner - 1 && memcmp(bytes, banner, sizeof banner - 1) == 0;
}

/* Is what cannot be loaded as a plan a matrix? bytes is NULL for a file. */
static bool is_matrix(const char *name, const char *bytes, size_t size)
{
    char head[32];
    FILE *file = NULL;
    if (is_named_as_matrix(name))
        return true;
    if (bytes != NULL)
        return begins_as_matrix(bytes, size);
    file = fopen(name, "rb");
    if (file == NULL)
        return false;
    const size_t got = fread(head, 1, sizeof head, file);
    (void)fclose(file);
    return begins_as_matrix(head, got);
}

/* Files that were swapped are called by name, with the program that takes them. */
static spmm_status_t explain(spmm_status_t status, const char *name, const char *bytes, size_t size,
                             spmm_diag_t *diag)
{
    const bool is_generated = status == SPMM_ERR_IO && strncmp(name, "gen:", 4) == 0;
    if (status != SPMM_ERR_PLAN_MAGIC && !is_generated)
        return status;
    return fail(diag, status, "expected a plan, found %s; spmm-inspect MATRIX -o PLAN makes plans",
                is_matrix(name, bytes, size) ? "a matrix" : "a file of another kind");
}

spmm_status_t plan_input_open(const char *argument, const spmm_load_options_t *options, spmm_plan_t **plan,
                              spmm_diag_t *diag)
{
    if (strcmp(argument, "-") != 0)
        return explain(spmm_plan_load(argument, options, plan, diag), argument, NULL, 0, diag);
    char *bytes = NULL;
    size_t size = 0;
    spmm_status_t status = read_all(stdin, &bytes, &size, diag);
    *plan = NULL;
    if (status == SPMM_OK)
        status = explain(spmm_plan_read(bytes, size, options, plan, diag), argument, bytes, size, diag);
    free(bytes);
    return status;
}
