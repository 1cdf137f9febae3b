/* SPDX-License-Identifier: Apache-2.0 */
/* Writes golden files into a folder: make_golden FOLDER. Used by tools/dev/golden. */
#include <stdio.h>
#include <stdlib.h>

#include "golden_cases.h"
#include "tests/support/plan_dump.h"

static FILE *create(const char *folder, const char *kind, const char *name, const char *suffix)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s/%s.%s", folder, kind, name, suffix);
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

static void write_plan(const char *folder, const char *kind, const char *name, const uint8_t *bytes,
                       size_t size)
{
    FILE *file = create(folder, kind, name, "plan");
    if (fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(name);
        exit(1);
    }
}

static void write_good(const char *folder, const struct golden_good *good)
{
    size_t size = 0;
    spmm_diag_t diag;
    spmm_plan_t *plan = NULL;
    uint8_t *bytes = good->make(&size);
    if (spmm_plan_read(bytes, size, NULL, &plan, &diag) != SPMM_OK) {
        fprintf(stderr, "make_golden: %s: %s\n", good->name, diag.text);
        exit(1);
    }
    write_plan(folder, "good", good->name, bytes, size);
    FILE *text = create(folder, "good", good->name, "txt");
    test_plan_dump(plan, text);
    (void)fclose(text);
    spmm_plan_destroy(plan);
    free(bytes);
}

static void write_bad(const char *folder, const struct golden_bad *bad, FILE *expect)
{
    size_t size = 0;
    spmm_diag_t diag;
    spmm_plan_t *plan = NULL;
    uint8_t *bytes = golden_bad_make(bad, &size);
    const spmm_status_t status = spmm_plan_read(bytes, size, NULL, &plan, &diag);
    if (status != bad->status) {
        fprintf(stderr, "make_golden: %s: %s, expected %s\n", bad->name, spmm_status_name(status),
                spmm_status_name(bad->status));
        exit(1);
    }
    write_plan(folder, "bad", bad->name, bytes, size);
    fprintf(expect, "%s %s %llu\n", bad->name, spmm_status_name(status), (unsigned long long)diag.offset);
    free(bytes);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_golden FOLDER   (with the folders good and bad in it)\n");
        return 2;
    }
    for (size_t i = 0; i < golden_good_count; i++)
        write_good(argv[1], &golden_good_cases[i]);
    FILE *expect = create(argv[1], "bad", "expect", "txt");
    for (size_t i = 0; i < golden_bad_count; i++)
        write_bad(argv[1], &golden_bad_cases[i], expect);
    return fclose(expect) == 0 ? 0 : 1;
}
