/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of METIS graphs (.graph): the adjacency matrix, which is symmetric.
 *
 *   vertices edges [format [weights]]
 *   one line per vertex: [size] [weights] neighbour [weight of the edge] ...
 *
 * Vertices count from 1. The format has up to three digits: whether vertices have sizes, vertices have
 * weights, and edges have weights. Only weights of edges are used; the others are skipped. A line that starts
 * with % is a comment, and a blank line is a vertex without neighbours. Each edge must be listed at both of
 * its vertices. */
#include <stdio.h>

#include "format/base/diag.h"
#include "format/plan.h"
#include "fortran_format.h"
#include "read_line.h"

struct metis {
    struct spmmi_reader *reader;
    struct spmmi_lines lines;
    int64_t vertices, entries;
    bool has_edge_weights;
    uint64_t skipped; /* numbers to skip at the start of a line */
    int64_t done;
};

static bool next_line(struct spmmi_lines *lines)
{
    bool found = false;
    do
        found = spmmi_lines_next(lines);
    while (found && lines->line < lines->line_end && *lines->line == '%');
    return found;
}

/* Reads up to four numbers of the first line. Returns their number; 0 if the line has anything else. */
static int header_numbers(struct spmmi_lines *lines, uint64_t numbers[4])
{
    int count = 0;
    (void)next_line(lines); /* at the end of the file, the line is empty */
    const char *p = spmmi_skip_blanks(lines->line, lines->line_end);
    while (p != NULL && p < lines->line_end && count < 4) {
        p = spmmi_count_read(p, lines->line_end, &numbers[count++]);
        p = p == NULL ? NULL : spmmi_skip_blanks(p, lines->line_end);
    }
    return p == lines->line_end ? count : 0;
}

static enum spmmi_probe probe(const struct spmmi_head *head)
{
    uint64_t numbers[4];
    struct spmmi_lines lines = spmmi_lines_of(head->bytes, head->bytes + head->size);
    if (!spmmi_head_named(head, ".graph") && !spmmi_head_named(head, ".metis"))
        return SPMMI_PROBE_NO;
    return header_numbers(&lines, numbers) >= 2 ? SPMMI_PROBE_CONTENT : SPMMI_PROBE_NAME;
}

static void refuse(const struct spmmi_head *head, char *sentence, size_t capacity)
{
    char token[SPMMI_TOKEN_BYTES];
    struct spmmi_lines lines = spmmi_lines_of(head->bytes, head->bytes + head->size);
    const char *found =
        next_line(&lines) ? spmmi_token(lines.line, lines.line_end, token) : "the end of the file";
    if (lines.line != NULL && !spmmi_is_text(lines.line, lines.line_end))
        found = "binary data; a graph of WebGraph has to be written as a list of edges first";
    (void)snprintf(
        sentence, capacity,
        "expected a METIS graph, whose first line is \"vertices edges [format [weights]]\", found %s", found);
}

static spmm_status_t fail_line(const struct metis *m, spmm_status_t status, const char *expected,
                               const char *p)
{
    char token[SPMMI_TOKEN_BYTES];
    return spmmi_reader_fail(m->reader, status, m->lines.number, "expected %s, found %s", expected,
                             spmmi_token(p, m->lines.end, token));
}

/* Checks the format, a number of three digits, and the number of weights per vertex. */
static spmm_status_t read_format(struct metis *m, uint64_t format, uint64_t weights)
{
    const uint64_t size = format / 100;
    const uint64_t has_weights = format / 10 % 10;
    if (size > 1 || has_weights > 1 || format % 10 > 1)
        return spmmi_reader_fail(m->reader, SPMM_ERR_MATRIX_SYNTAX, m->lines.number,
                                 "expected a METIS format of three digits 0 or 1, found %llu",
                                 (unsigned long long)format);
    if ((weights == 0) != (has_weights == 0))
        return spmmi_reader_fail(m->reader, SPMM_ERR_MATRIX_SYNTAX, m->lines.number,
                                 "expected a number of weights of a vertex %s, found %llu",
                                 has_weights != 0 ? "from 1 on" : "of 0 for this format",
                                 (unsigned long long)weights);
    m->has_edge_weights = format % 10 == 1;
    m->skipped = size + weights;
    return SPMM_OK;
}

static spmm_status_t read_header(struct metis *m)
{
    spmm_status_t status = SPMM_OK;
    uint64_t numbers[4] = {0, 0, 0, 0};
    const int count = header_numbers(&m->lines, numbers);
    const uint64_t format = count > 2 ? numbers[2] : 0;
    const uint64_t left = (uint64_t)(m->lines.end - m->lines.next);
    SPMM_TRY(read_format(m, format, count > 3 ? numbers[3] : format / 10 % 10));
    if (numbers[0] > (uint64_t)SPMMI_DIM_MAX)
        return spmmi_reader_fail(m->reader, SPMM_ERR_MATRIX_TOO_LARGE, m->lines.number,
                                 "expected at most %lld vertices, found %llu", (long long)SPMMI_DIM_MAX,
                                 (unsigned long long)numbers[0]);
    /* The line of a vertex has a line end, except for the last one; a neighbour needs a digit and a
     * separator. */
    if (numbers[0] > left + 1 || numbers[1] > left / 4 + 1)
        return spmmi_reader_fail(
            m->reader, SPMM_ERR_MATRIX_SYNTAX, m->lines.number,
            "expected lines of %llu vertices with %llu edges, but only %llu bytes follow; is "
            "the file cut off?",
            (unsigned long long)numbers[0], (unsigned long long)numbers[1], (unsigned long long)left);
    m->vertices = (int64_t)numbers[0];
    m->entries = 2 * (int64_t)numbers[1];
cleanup:
    return status;
}

/* Reads the next number at *p as an integer with any sign. */
static spmm_status_t read_integer(struct metis *m, const char **p, const char *expected, double *value,
                                  bool *inexact)
{
    const char *begin = spmmi_skip_blanks(*p, m->lines.line_end);
    const char *end = spmmi_integer_read(begin, m->lines.line_end, value, inexact);
    if (end == NULL || !spmmi_is_word_end(end, m->lines.line_end))
        return fail_line(m, SPMM_ERR_MATRIX_SYNTAX, expected, begin);
    *p = spmmi_skip_blanks(end, m->lines.line_end);
    return SPMM_OK;
}

static spmm_status_t read_neighbour(struct metis *m, int64_t vertex, const char **p, int64_t *neighbour)
{
    const char *end = spmmi_read_index(*p, m->lines.line_end, m->vertices, neighbour);
    if (end == NULL) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "a neighbour from 1 to %lld", (long long)m->vertices);
        return fail_line(m, SPMM_ERR_MATRIX_SYNTAX, expected, *p);
    }
    if (*neighbour == vertex)
        return fail_line(m, SPMM_ERR_MATRIX_SYNTAX, "no edge of a vertex with itself", *p);
    *p = spmmi_skip_blanks(end, m->lines.line_end);
    return SPMM_OK;
}

static spmm_status_t read_vertex(struct metis *m, int64_t vertex, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    double value = 0;
    bool inexact = false;
    const char *p = spmmi_skip_blanks(m->lines.line, m->lines.line_end);
    for (uint64_t i = 0; i < m->skipped; i++)
        SPMM_TRY(read_integer(m, &p, "a size or weight of the vertex", &value, &inexact));
    while (p < m->lines.line_end) {
        int64_t neighbour = 0;
        if (m->done == m->entries)
            return spmmi_reader_fail(m->reader, SPMM_ERR_MATRIX_SYNTAX, m->lines.number,
                                     "expected %lld neighbours in all, two for each edge, found more",
                                     (long long)m->entries);
        SPMM_TRY(read_neighbour(m, vertex, &p, &neighbour));
        matrix->col_ind[m->done] = (int32_t)neighbour;
        if (m->has_edge_weights) {
            SPMM_TRY(read_integer(m, &p, "an integer, the weight of the edge", &value, &inexact));
            matrix->values[m->done] = value;
            matrix->info.integers_inexact += inexact;
        }
        m->done++;
    }
    matrix->row_ptr[vertex + 1] = m->done;
cleanup:
    return status;
}

static spmm_status_t read_vertices(struct metis *m, spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    for (int64_t vertex = 0; vertex < m->vertices; vertex++) {
        /* The last vertex may have no line if it has no neighbours. */
        if (!next_line(&m->lines) && (m->done < m->entries || vertex + 1 < m->vertices))
            return spmmi_reader_fail(m->reader, SPMM_ERR_MATRIX_SYNTAX, m->lines.number,
                                     "expected lines of %lld vertices, found the end of the file after %lld",
                                     (long long)m->vertices, (long long)vertex);
        if (m->lines.line == NULL)
            matrix->row_ptr[vertex + 1] = m->done;
        else
            SPMM_TRY(read_vertex(m, vertex, matrix));
    }
    if (m->done != m->entries)
        return spmmi_reader_fail(m->reader, SPMM_ERR_MATRIX_SYNTAX, m->lines.number,
                                 "expected %lld neighbours in all, two for each edge, found %lld",
                                 (long long)m->entries, (long long)m->done);
    while (next_line(&m->lines)) {
        const char *p = spmmi_skip_blanks(m->lines.line, m->lines.line_end);
        if (p < m->lines.line_end)
            return fail_line(m, SPMM_ERR_MATRIX_SYNTAX, "the end of the file behind the last vertex", p);
    }
cleanup:
    return status;
}

static spmm_status_t read_metis(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                                spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct metis m = {.reader = reader, .lines = spmmi_lines_of(bytes, bytes + size)};
    SPMM_TRY(read_header(&m));
    matrix->rows = matrix->cols = m.vertices;
    matrix->nnz = m.entries;
    SPMM_TRY(spmmi_matrix_alloc_row_ptr(reader, matrix));
    SPMM_TRY(spmmi_matrix_alloc_entries(reader, matrix, m.has_edge_weights));
    SPMM_TRY(read_vertices(&m, matrix));
    SPMM_TRY(spmmi_check_symmetric(reader, matrix));
    spmmi_matrix_describe(matrix, m.has_edge_weights ? SPMMI_FIELD_INTEGER : SPMMI_FIELD_PATTERN,
                          SPMMI_SYMMETRIC, m.entries);
    spmmi_reader_progress(reader, "fill", size, size);
cleanup:
    return status;
}

extern const struct spmmi_reader_ops spmmi_reader_metis;
const struct spmmi_reader_ops spmmi_reader_metis = {"METIS", "metis", probe, refuse, read_metis};
