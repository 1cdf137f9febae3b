/* SPDX-License-Identifier: Apache-2.0 */
/* Help text about the families, see families.h. */
#include "families.h"

#include <stdio.h>
#include <string.h>

#define LIST_BYTES 600

/* A list of names that grows one by one. The separator in front of the last name differs, so the newest name
 * stays in pending until it is known whether another one follows. */
struct list {
    char text[LIST_BYTES], pending[120];
    const char *between, *last; /* separators: between names, and in front of the last one */
};

static void list_flush(struct list *list, const char *between)
{
    const size_t used = strlen(list->text);
    snprintf(list->text + used, sizeof list->text - used, "%s%s", used > 0 ? between : "", list->pending);
}

static void list_add(struct list *list, const char *name)
{
    if (list->pending[0] != '\0')
        list_flush(list, list->between);
    snprintf(list->pending, sizeof list->pending, "%s", name);
}

/* Writes the heights of a family, such as "panel: 64, 128 or 256". */
static void unit_text(const spmm_family_info_t *family, char *text, size_t size)
{
    struct list heights = {.between = ", ", .last = " or "};
    for (uint32_t rows = family->block_rows_min; rows <= family->block_rows_max; rows *= 2) {
        char number[16];
        snprintf(number, sizeof number, "%u", rows);
        list_add(&heights, number);
    }
    list_flush(&heights, heights.last);
    snprintf(text, size, "%s: %.90s", family->name, heights.text);
}

static int is_any(const spmm_family_info_t *family)
{
    return family->name != NULL;
}

static int is_tensor(const spmm_family_info_t *family)
{
    return family->uses_tensor_cores;
}

static int is_staged(const spmm_family_info_t *family)
{
    return family->stage_slots_max > 0;
}

static int is_long_rows(const spmm_family_info_t *family)
{
    return family->takes_long_rows;
}

static int has_units(const spmm_family_info_t *family)
{
    return family->block_rows_max > family->block_rows_min;
}

static void list_kernels(struct list *list)
{
    struct families_kernel kernel;
    for (int i = 0; families_kernel_at(i, &kernel); i++)
        list_add(list, kernel.name);
}

static void list_schedules(struct list *list)
{
    struct cli_choice choices[FAMILIES_CHOICES];
    families_schedules(choices);
    for (int i = 1; choices[i].word != NULL; i++) /* skips "auto" */
        list_add(list, choices[i].word);
}

static const struct word {
    const char *name;
    int (*takes)(const spmm_family_info_t *family); /* selects families; else NULL */
    const char *between, *last;
    int tells_units;                 /* whether the heights are listed with each family */
    void (*list)(struct list *list); /* lists the names if the word does not stand for families */
} words[] = {
    {"{families}", is_any, ", ", " or ", 0, NULL},         {"{tensor}", is_tensor, ", ", " and ", 0, NULL},
    {"{staged}", is_staged, ", ", ", ", 0, NULL},          {"{long-rows}", is_long_rows, ", ", ", ", 0, NULL},
    {"{units}", has_units, "; ", "; ", 1, NULL},           {"{kernels}", NULL, ", ", " or ", 0, list_kernels},
    {"{schedules}", NULL, ", ", " or ", 0, list_schedules}};

static void list_families(struct list *list, const struct word *word)
{
    spmm_family_info_t family;
    for (int i = 0; families_at(i, &family); i++) {
        char text[120];
        if (!word->takes(&family))
            continue;
        if (word->tells_units)
            unit_text(&family, text, sizeof text);
        list_add(list, word->tells_units ? text : family.name);
    }
}

/* Expands the word at this place of a pattern into list. Returns NULL if there is no such word. */
static const struct word *expand(const char *at, struct list *list)
{
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        if (strncmp(at, words[w].name, strlen(words[w].name)) != 0)
            continue;
        *list = (struct list){.between = words[w].between, .last = words[w].last};
        if (words[w].list != NULL)
            words[w].list(list);
        else
            list_families(list, &words[w]);
        list_flush(list, list->last);
        return &words[w];
    }
    return NULL;
}

/* Breaks lines so that they have at most width characters, if their words allow it. */
static void wrap(char *text, size_t width)
{
    char *line = text, *space = NULL;
    for (char *at = text;; at++) {
        if (*at != ' ' && *at != '\0')
            continue;
        if ((size_t)(at - line) > width && space != NULL) {
            *space = '\n';
            line = space + 1;
        }
        if (*at == '\0')
            return;
        space = at;
    }
}

void families_help(char *text, size_t size, size_t width, const char *pattern)
{
    size_t used = 0;
    text[0] = '\0';
    while (*pattern != '\0' && used + 1 < size) {
        struct list list;
        const struct word *const word = *pattern == '{' ? expand(pattern, &list) : NULL;
        if (word != NULL)
            snprintf(text + used, size - used, "%s", list.text);
        else
            snprintf(text + used, size - used, "%c", *pattern);
        pattern += word != NULL ? strlen(word->name) : 1;
        used += strlen(text + used);
    }
    wrap(text, width);
}
