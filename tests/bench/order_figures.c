/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what orders of the rows do to matrices, a line of CSV for each matrix and order that fits it: seconds, blocks,
 * their spread over strips, and the reuse of panels. tools/dev/reordering_table reads it.
 *
 * usage: order_figures THREADS REPEATS < JOBS
 *   REPEATS  how often each order is made; the median of the seconds is printed
 *   JOBS     a matrix a line: NAME, FILE or generator string, with a tab between them */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspector/matrix.h"
#include "inspector/order_units.h"
#include "inspector/row_order.h"

#define REPEATS_MAX 99
#define LINE_MAX_BYTES 4096

static const struct {
    spmm_reorder_t kind;
    const char *name;
} kinds[] = {{SPMM_REORDER_NONE, "none"},
             {SPMM_REORDER_RADIX, "radix"},
             {SPMM_REORDER_JACCARD, "jaccard"},
             {SPMM_REORDER_MINHASH, "minhash"},
             {SPMM_REORDER_RCM, "rcm"}};
#define KINDS (int)(sizeof kinds / sizeof kinds[0])

static int threads, repeats;

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, ascending);
    return list[count / 2];
}

static void print_head(void)
{
    printf("matrix,rows,cols,nnz,order,seconds,count_seconds");
    for (int shape = 0; shape < SPMMI_BLOCK_SHAPES; shape++) {
        static const char *const shapes[SPMMI_BLOCK_SHAPES] = {"8x8", "16x8", "16x16"};
        printf(",blocks_%s,mean_%s,stddev_%s,most_%s", shapes[shape], shapes[shape], shapes[shape],
               shapes[shape]);
    }
    for (int height = 8; height <= 256; height *= 2)
        printf(",rho_%d", height);
    printf("\n");
}

static void print_line(const char *name, const spmm_matrix_t *m, const char *kind,
                       const struct spmmi_row_order *o, double seconds, double count_seconds)
{
    printf("%s,%lld,%lld,%lld,%s,%.6g,%.6g", name, (long long)m->rows, (long long)m->cols, (long long)m->nnz,
           kind, seconds, count_seconds);
    for (int shape = 0; shape < SPMMI_BLOCK_SHAPES; shape++) {
        const struct spmmi_block_count *b = &o->figures.blocks[shape];
        printf(",%lld,%.6g,%.6g,%lld", (long long)b->blocks, b->mean, b->stddev, (long long)b->most);
    }
    for (int h = 0; h < SPMM_PANEL_HEIGHTS; h++)
        printf(",%.6g", o->figures.reuse[h]);
    printf("\n");
    fflush(stdout);
}

static spmm_status_t measure(const char *name, const spmm_matrix_t *m, int kind, spmm_diag_t *diag)
{
    double seconds[REPEATS_MAX], count_seconds[REPEATS_MAX];
    const struct spmmi_row_order *o = NULL;
    struct spmmi_row_orders orders = {
        .rows = m->rows, .cols = m->cols, .row_ptr = m->row_ptr, .col_ind = m->col_ind, .threads = threads};
    spmm_status_t status = SPMM_OK;
    for (int i = 0; i < repeats && status == SPMM_OK; i++) {
        spmmi_row_orders_free(&orders);
        status = spmmi_row_order_of(&orders, kinds[kind].kind, &o, diag);
        if (status != SPMM_OK)
            break;
        seconds[i] = o->seconds;
        count_seconds[i] = o->count_seconds;
    }
    if (status == SPMM_OK)
        print_line(name, m, kinds[kind].name, o, median(seconds, repeats), median(count_seconds, repeats));
    spmmi_row_orders_free(&orders);
    return status;
}

static spmm_status_t measure_all(const char *name, const char *source, spmm_diag_t *diag)
{
    spmm_matrix_t *m = NULL;
    spmm_status_t status = strncmp(source, "gen:", 4) == 0 ? spmm_matrix_generate(source, &m, diag)
                                                           : spmm_matrix_load(source, NULL, &m, diag);
    for (int k = 0; k < KINDS && status == SPMM_OK; k++) {
        if (spmmi_order_check(kinds[k].kind, m->rows, m->cols, (uint64_t)m->rows, NULL) == SPMM_OK)
            status = measure(name, m, k, diag);
    }
    spmm_matrix_destroy(m);
    return status;
}

int main(int argc, char **argv)
{
    char line[LINE_MAX_BYTES];
    bool is_wrong = argc != 3;
    threads = is_wrong ? 0 : atoi(argv[1]);
    repeats = is_wrong ? 0 : atoi(argv[2]);
    if (threads < 1 || repeats < 1 || repeats > REPEATS_MAX) {
        fprintf(stderr, "usage: order_figures THREADS REPEATS < JOBS\n");
        return 2;
    }
    print_head();
    while (!is_wrong && fgets(line, sizeof line, stdin) != NULL) {
        spmm_diag_t diag = {0};
        line[strcspn(line, "\n")] = '\0';
        char *const source = strchr(line, '\t');
        if (source == NULL) {
            fprintf(stderr, "order_figures: expected NAME, a tab and a matrix, found \"%s\"\n", line);
            return 2;
        }
        *source = '\0';
        is_wrong = measure_all(line, source + 1, &diag) != SPMM_OK;
        if (is_wrong)
            fprintf(stderr, "order_figures: %s: %s\n", line, diag.text);
    }
    return is_wrong;
}
