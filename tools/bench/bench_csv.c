/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_csv.h. */
#include "bench_csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/cli/fail.h"
#include "tools/cli/input_file.h"

#define CSV_HEADER                                                                                           \
    "date,commit,device,matrix,rows,cols,nnz,n,layout,dtype,op,family,kernel,chosen,ms_cold,ms_warm,gflops," \
    "error_ratio,peer,peer_ms_cold,peer_ms_warm,ratio_cold,inspect_s,plan_bytes,compute,ms_set_values,"      \
    "peer_least_ms_warm,bound_us,bound_share,b_type,c_type,unit_values,"                                     \
    "device_bytes,workspace_bytes,peer_device_bytes,peer_workspace_bytes\n"

/* Returns true if the file begins with our columns. Rows with other columns would be read wrongly. */
static int has_our_header(const char *path)
{
    char line[sizeof CSV_HEADER] = "";
    FILE *file = input_file_open(path);
    const int is_read = file != NULL && fgets(line, sizeof line, file) != NULL;
    if (file != NULL)
        (void)fclose(file);
    return is_read && strcmp(line, CSV_HEADER) == 0;
}

static int has_bytes(int file)
{
    struct stat about;
    return fstat(file, &about) == 0 && about.st_size > 0;
}

spmm_status_t bench_csv_open(struct append_file *csv, const char *path, spmm_diag_t *diag)
{
    if (path == NULL)
        return SPMM_OK;
    const spmm_status_t status = append_file_open(csv, path, diag);
    if (status != SPMM_OK)
        return status;
    if (!has_bytes(csv->file))
        fputs(CSV_HEADER, csv->stream);
    else if (!has_our_header(path))
        return fail(diag, SPMM_ERR_IO, "%.150s has other columns: its rows are of another version", path);
    return SPMM_OK;
}

/* Writes a field, in quotes if it contains a character that would end it. */
static void csv_text(FILE *csv, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, csv);
        return;
    }
    fputc('"', csv);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', csv);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, csv);
    }
    fputc('"', csv);
}

/* Writes the fields that describe the case and our kernel. */
static void csv_case(FILE *csv, const struct csv_origin *origin, const struct bench_case *done,
                     const struct ours_result *ours)
{
    const char *const texts[] = {origin->date, origin->commit, done->info->device_name, done->matrix};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        csv_text(csv, texts[i]);
        fputc(',', csv);
    }
    fprintf(csv, "%lld,%lld,%lld,%lld,%s,%s,%s,", (long long)done->rows, (long long)done->cols,
            (long long)done->nnz, (long long)done->n, spmm_layout_name(done->layout),
            spmm_dtype_name(done->dtype), spmm_op_name(done->op));
    csv_text(csv, ours->family);
    fputc(',', csv);
    csv_text(csv, ours->result.name);
    fprintf(csv, ",%d,%.6g,%.6g,%.5g,%.4g,", ours->is_chosen, ours->result.ms_cold, ours->result.ms_warm,
            bench_gflops(done, ours->result.ms_cold), ours->result.error_ratio);
}

/* Writes a number and a comma; only the comma if the number is unknown. */
static void csv_number(FILE *csv, double number)
{
    if (number > 0.0 && isfinite(number))
        fprintf(csv, "%.6g", number);
    fputc(',', csv);
}

/* Writes two fields with leading commas; empty fields if the memory is unknown. */
static void csv_memory(FILE *csv, const struct bench_memory *memory)
{
    if (memory != NULL && memory->a > 0)
        fprintf(csv, ",%llu,%llu", (unsigned long long)memory->a, (unsigned long long)memory->workspace);
    else
        fputs(",,", csv);
}

/* Writes one row. first is the first peer of the library of peer. */
static void csv_row(FILE *csv, const struct csv_origin *origin, const struct bench_case *done,
                    const struct ours_result *ours, int first, const struct bench_result *peer)
{
    csv_case(csv, origin, done, ours);
    if (peer != NULL)
        fprintf(csv, "%s,%.6g,%.6g,%.4g,", peer->name, peer->ms_cold, peer->ms_warm,
                peer->ms_cold / ours->result.ms_cold);
    else
        fputs(",,,,", csv);
    fprintf(csv, "%.6g,%llu,%s,", done->info->inspect_s, (unsigned long long)done->info->plan_bytes,
            spmm_compute_name(ours->result.arithmetic.compute));
    csv_number(csv, ours->ms_set_values);
    csv_number(csv, peer != NULL ? bench_least_warm(done, &ours->result, first) : 0.0);
    csv_number(csv, done->bound_us);
    csv_number(csv, bench_bound_share(done, &ours->result));
    fprintf(csv, "%s,%s,%d", spmm_dtype_name(done->b_type), spmm_dtype_name(done->c_type),
            done->has_unit_values);
    csv_memory(csv, &ours->result.memory);
    csv_memory(csv, peer != NULL ? &peer->memory : NULL);
    fputc('\n', csv);
}

void bench_csv_rows(FILE *csv, const struct csv_origin *origin, const struct bench_case *done,
                    const struct ours_result *ours)
{
    int count = 0;
    for (int i = done->peers_count - 1; i >= 0; i--) {
        const struct bench_result *peer =
            bench_is_first_of_library(done, i) ? bench_best_of_library(done, &ours->result, i) : NULL;
        if (peer != NULL)
            csv_row(csv, origin, done, ours, i, peer);
        count += peer != NULL;
    }
    if (count == 0)
        csv_row(csv, origin, done, ours, 0, NULL);
}
