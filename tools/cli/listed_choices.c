/* SPDX-License-Identifier: Apache-2.0 */
/* See listed_choices.h. */
#include "listed_choices.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <spmm/inspector.h>

#define LINE_LENGTH 56

const struct cli_choice listed_devices[] = {{"any", 0},  {"cpu", 0},  {"a100", 0},
                                            {"h100", 0}, {"h200", 0}, {NULL, 0}};

__attribute__((format(printf, 2, 3))) static void append(char help[LISTED_HELP_BYTES], const char *format,
                                                         ...)
{
    const size_t used = strlen(help);
    va_list args;
    va_start(args, format);
    vsnprintf(help + used, LISTED_HELP_BYTES - used, format, args);
    va_end(args);
}

/* Appends ", f16", or " or bf16" if it is the last word of count, and the note in brackets. */
static void append_word(char help[LISTED_HELP_BYTES], int index, int count, const char *word,
                        const char *note)
{
    append(help, "%s%s", index == 0 ? "" : index + 1 == count ? " or " : ", ", word);
    if (note[0] != '\0')
        append(help, " (%s)", note);
}

/* Replaces blanks by newlines where a line would be too long. */
static void wrap(char *help)
{
    char *start = help, *blank = NULL;
    for (char *at = help; *at != '\0'; at++) {
        if (at - start >= LINE_LENGTH && blank != NULL) {
            *blank = '\n';
            start = blank + 1;
        }
        blank = *at == ' ' ? at : blank;
        blank = blank != NULL && blank < start ? NULL : blank;
    }
}

static int add_choice(struct cli_choice choices[LISTED_CHOICES_MAX], int count, const char *word, int value)
{
    if (count + 1 < LISTED_CHOICES_MAX)
        choices[count++] = (struct cli_choice){word, value};
    choices[count] = (struct cli_choice){NULL, 0};
    return count;
}

void listed_permutations(const char *head, struct cli_choice choices[LISTED_CHOICES_MAX],
                         char help[LISTED_HELP_BYTES])
{
    spmm_reorder_info_t info = {.struct_size = sizeof info};
    int count = 0;
    while (spmm_reorder_at(count, &info) == SPMM_OK && count + 1 < LISTED_CHOICES_MAX)
        count = add_choice(choices, count, info.name, (int)info.kind);
    snprintf(help, LISTED_HELP_BYTES, "%s", head);
    for (int i = 0; i < count && spmm_reorder_at(i, &info) == SPMM_OK; i++)
        append_word(help, i, count, info.name, info.text);
    wrap(help);
}

static int add_dtypes(struct cli_choice choices[LISTED_CHOICES_MAX])
{
    spmm_dtype_info_t info = {.struct_size = sizeof info};
    int count = 0;
    while (spmm_dtype_at(count, &info) == SPMM_OK && count + 1 < LISTED_CHOICES_MAX)
        count = add_choice(choices, count, info.name, (int)info.dtype);
    return count;
}

void listed_dtypes(const char *head, struct cli_choice choices[LISTED_CHOICES_MAX],
                   char help[LISTED_HELP_BYTES])
{
    const int count = add_dtypes(choices);
    spmm_dtype_info_t info = {.struct_size = sizeof info};
    int summed = 0;
    snprintf(help, LISTED_HELP_BYTES, "%s", head);
    for (int i = 0; i < count; i++)
        append_word(help, i, count, choices[i].word, choices[i].value == SPMM_F32 ? "default" : "");
    for (int i = 0; i < count && spmm_dtype_at(i, &info) == SPMM_OK; i++) {
        if (info.sum_type != info.dtype)
            append(help, summed++ == 0 ? "; %s is summed in %s" : ", %s in %s", info.name,
                   spmm_dtype_name(info.sum_type));
    }
    wrap(help);
}

void listed_dtype_masks(const char *head, struct cli_choice choices[LISTED_CHOICES_MAX],
                        char help[LISTED_HELP_BYTES])
{
    int count = add_dtypes(choices), all = 0;
    snprintf(help, LISTED_HELP_BYTES, "%s", head);
    for (int i = 0; i < count; i++) {
        append_word(help, i, count + 2, choices[i].word, choices[i].value == SPMM_F32 ? "default" : "");
        choices[i].value = 1 << choices[i].value;
        all |= choices[i].value;
    }
    append(help, ", both (f32 and f64) or all");
    count = add_choice(choices, count, "both", 1 << SPMM_F32 | 1 << SPMM_F64);
    (void)add_choice(choices, count, "all", all);
}

void listed_generators(char *text, size_t size)
{
    spmm_generator_info_t info = {.struct_size = sizeof info};
    char form[80];
    size_t used = (size_t)snprintf(text, size, "Synthetic matrices\n");
    for (int i = 0; spmm_generator_at(i, &info) == SPMM_OK && used < size; i++) {
        snprintf(form, sizeof form, "gen:%s:%s", info.name, info.parameters);
        used += (size_t)snprintf(text + used, size - used, "  %-26s  %s\n", form, info.text);
    }
}
