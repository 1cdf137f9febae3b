/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of lists of edges, as in the SNAP collection. Each line has two vertices, from and to, and
 * optionally a weight, separated by blanks, tabs or commas; comments start with # or %. Edge (i, j) is the
 * entry in row i and column j.
 *
 * Vertices count from 0 or from 1, but the file does not say which. It is known if the options say so or if
 * there is a vertex 0; otherwise the file is refused. A file whose first line could be a line of sizes is
 * also refused, unless the options make clear that this line is an edge: --base 0, or --vertices if vertices
 * count from 1. The options can give the number of vertices. Otherwise it is the larger of the number that
 * the edges need and the number in the comment "Nodes: N" of SNAP. */
#include "read_edge_list.h"

#include <stdio.h>

#include "format/base/diag.h"
#include "format/plan.h"
#include "read_line.h"

#define COLUMNS_MAX 3
#define NODES "Nodes:"

struct list {
    struct spmmi_reader *reader;
    const char *p, *end;
    uint64_t line;
    int columns;         /* columns of every line, as in the first line */
    int64_t first, last; /* limits of the number of a vertex */
    int64_t low, high;   /* smallest and largest vertex that occur */
    int64_t nodes;       /* number of vertices in a comment; 0: none */
};

static const char *skip_separator(const char *p, const char *end)
{
    p = spmmi_skip_blanks(p, end);
    if (p < end && *p == ',')
        p = spmmi_skip_blanks(p + 1, end);
    return p;
}

static bool is_number_end(const char *p, const char *end)
{
    return spmmi_is_word_end(p, end) || *p == ',';
}

static bool is_comment(char c)
{
    return c == '#' || c == '%';
}

/* Returns the number of numbers in a line; 0 if it has anything else. */
static int numbers_of_line(const char *p, const char *end)
{
    int count = 0;
    p = spmmi_skip_blanks(p, end);
    while (p < end && *p != '\n' && *p != '\r') {
        double value = 0;
        uint64_t vertex = 0;
        p = count < 2 ? spmmi_count_read(p, end, &vertex) : spmmi_decimal_read(p, end, &value);
        if (p == NULL || !is_number_end(p, end))
            return 0;
        p = skip_separator(p, end);
        count++;
    }
    return spmmi_line_end(p, end) != NULL ? count : 0;
}

/* Returns the next line that is neither a comment nor blank. */
static const char *next_data(const char *p, const char *end)
{
    for (;;) {
        const char *q = spmmi_skip_blanks(p, end);
        if (q == end)
            return end;
        const char *after = is_comment(*q) ? spmmi_skip_line(q, end) : spmmi_line_end(q, end);
        if (after == NULL)
            return q;
        p = after;
    }
}

static bool is_named(const struct spmmi_head *head)
{
    static const char *const endings[] = {".edges", ".edgelist", ".el", ".tsv", ".csv"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (spmmi_head_named(head, endings[i]))
            return true;
    return false;
}

/* Returns true if the file looks like a list of edges. Three numbers per line could also be a Matrix Market
 * file that lost its banner, so they need a first line with # or a name of a list of edges. Without such a
 * name, the first two lines must have equally many numbers. */
bool spmmi_is_edge_list(const struct spmmi_head *head)
{
    const char *end = head->bytes + head->size;
    const char *first = next_data(head->bytes, end);
    const int numbers = numbers_of_line(first, end);
    const bool named = is_named(head);
    const char *second = next_data(spmmi_skip_line(first, end), end);
    const int numbers_max = named || *head->bytes == '#' ? COLUMNS_MAX + 1 : 2;
    return numbers >= 2 && numbers <= numbers_max && (named || numbers_of_line(second, end) == numbers);
}

static enum spmmi_probe probe(const struct spmmi_head *head)
{
    if (!spmmi_head_named(head, ".mtx") && spmmi_is_edge_list(head))
        return SPMMI_PROBE_CONTENT;
    return is_named(head) ? SPMMI_PROBE_NAME : SPMMI_PROBE_NO;
}

static void refuse(const struct spmmi_head *head, char *sentence, size_t capacity)
{
    char token[SPMMI_TOKEN_BYTES];
    const char *end = head->bytes + head->size;
    (void)snprintf(sentence, capacity, "expected a list of edges, two or three numbers a line, found %s",
                   spmmi_token(next_data(head->bytes, end), end, token));
}

static spmm_status_t unexpected(const struct list *l, const char *expected, const char *p, const char *hint)
{
    char token[SPMMI_TOKEN_BYTES];
    return spmmi_reader_fail(l->reader, SPMM_ERR_MATRIX_SYNTAX, l->line, "expected %s, found %s%s", expected,
                             spmmi_token(p, l->end, token), hint);
}

/* Reads the number of vertices from a comment such as "# Nodes: 4 Edges: 3". */
static void read_comment(struct list *l, const char *p, const char *end)
{
    const size_t length = strlen(NODES);
    for (; (size_t)(end - p) > length; p++) {
        uint64_t nodes = 0;
        if (memcmp(p, NODES, length) != 0)
            continue;
        const char *number = spmmi_skip_blanks(p + length, end);
        if (spmmi_count_read(number, end, &nodes) != NULL && nodes <= (uint64_t)SPMMI_DIM_MAX)
            l->nodes = (int64_t)nodes;
        return;
    }
}

/* Advances to the next line with an edge. Returns false at the end. */
static bool next_edge(struct list *l)
{
    for (;;) {
        const char *q = spmmi_skip_blanks(l->p, l->end);
        l->p = q;
        if (q == l->end)
            return false;
        const bool is_skipped = is_comment(*q);
        const char *after = is_skipped ? spmmi_skip_line(q, l->end) : spmmi_line_end(q, l->end);
        if (is_skipped && *q == '#')
            read_comment(l, q, after);
        if (after == NULL)
            return true;
        l->p = after;
        l->line++;
    }
}

static spmm_status_t read_vertex(struct list *l, int32_t *vertex)
{
    uint64_t value = 0;
    const char *q = spmmi_count_read(l->p, l->end, &value);
    if (q == NULL || !is_number_end(q, l->end) || value < (uint64_t)l->first || value > (uint64_t)l->last) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "a vertex from %lld to %lld", (long long)l->first,
                       (long long)l->last);
        return unexpected(l, expected, l->p, "");
    }
    l->low = (int64_t)value < l->low ? (int64_t)value : l->low;
    l->high = (int64_t)value > l->high ? (int64_t)value : l->high;
    *vertex = (int32_t)((int64_t)value - l->first);
    l->p = skip_separator(q, l->end);
    return SPMM_OK;
}

static spmm_status_t read_weight(struct list *l, double *weight)
{
    const char *q = spmmi_decimal_read(l->p, l->end, weight);
    if (q == NULL || !is_number_end(q, l->end))
        return unexpected(l, "a number, the weight of the edge", l->p, "");
    l->p = skip_separator(q, l->end);
    return SPMM_OK;
}

static spmm_status_t read_edges(struct list *l, struct spmmi_triplets *triplets)
{
    spmm_status_t status = SPMM_OK;
    while (next_edge(l)) {
        const int64_t q = triplets->count;
        if (l->columns > COLUMNS_MAX)
            return unexpected(l, "two or three columns, the third a weight", l->p, ", the first of four");
        SPMM_TRY(read_vertex(l, &triplets->rows[q]));
        SPMM_TRY(read_vertex(l, &triplets->cols[q]));
        if (l->columns == COLUMNS_MAX)
            SPMM_TRY(read_weight(l, &triplets->values[q]));
        const char *next = spmmi_line_end(l->p, l->end);
        if (next == NULL)
            return unexpected(l, l->columns == COLUMNS_MAX ? "three columns a line" : "two columns a line",
                              l->p, "");
        l->line++;
        l->p = next;
        triplets->count++;
    }
cleanup:
    return status;
}

static int64_t count_lines(const char *p, const char *end)
{
    int64_t count = 0;
    for (; p < end; p = spmmi_skip_line(p, end))
        count++;
    return count;
}

/* Returns true if the first line could be "vertices edges" for the edges after it. */
static bool begins_with_sizes(const struct list *l, const struct spmmi_triplets *t)
{
    int32_t high = -1;
    for (int64_t q = 1; q < t->count; q++) {
        const int32_t higher = t->rows[q] > t->cols[q] ? t->rows[q] : t->cols[q];
        high = higher > high ? higher : high;
    }
    return t->count > 1 && t->values == NULL && t->rows[0] + l->first > high &&
           t->cols[0] + l->first == t->count - 1;
}

/* Checks that nothing had to be guessed: the vertices count from 0 or as the options say, and the first line
 * is an edge. */
static spmm_status_t check_guess(const struct list *l, const struct spmmi_triplets *triplets)
{
    const struct spmmi_reader *reader = l->reader;
    const bool is_guessed = reader->index_base == SPMM_INDEX_BASE_AUTO;
    if (reader->index_base == SPMM_INDEX_BASE_0 || (!is_guessed && reader->vertices > 0))
        return SPMM_OK;
    if (is_guessed && l->low != 0)
        return spmmi_reader_fail(
            l->reader, SPMM_ERR_MATRIX_UNSUPPORTED, 0,
            "the list of edges has no vertex 0, so its numbers may count from 0 or from 1; --base 0 "
            "or --base 1 of spmm-inspect says which");
    if (begins_with_sizes(l, triplets))
        return spmmi_reader_fail(
            l->reader, SPMM_ERR_MATRIX_UNSUPPORTED, 0,
            "the list of edges begins with \"%lld %lld\", which may be the numbers of vertices "
            "and edges; delete that line, or %s of spmm-inspect reads it as an edge",
            (long long)(triplets->rows[0] + l->first), (long long)(triplets->cols[0] + l->first),
            is_guessed ? "--base 0" : "--vertices N");
    return SPMM_OK;
}

static spmm_status_t read_edge_list(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                                    spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_triplets triplets = {0, 0, NULL, NULL, NULL};
    struct list l = {
        .reader = reader, .p = bytes, .end = bytes + size, .line = 1, .low = INT64_MAX, .high = -1};
    l.columns = numbers_of_line(next_data(bytes, l.end), l.end);
    l.first = reader->index_base == SPMM_INDEX_BASE_1;
    l.last = (reader->vertices > 0 ? reader->vertices : SPMMI_DIM_MAX) - 1 + l.first;
    SPMM_TRY(spmmi_triplets_alloc(reader, &triplets, count_lines(bytes, l.end), l.columns == COLUMNS_MAX));
    SPMM_TRY(read_edges(&l, &triplets));
    SPMM_TRY(check_guess(&l, &triplets));
    const int64_t needed = l.high + 1 - l.first;
    matrix->rows = reader->vertices > 0 ? reader->vertices : needed > l.nodes ? needed : l.nodes;
    matrix->cols = matrix->rows;
    spmmi_matrix_describe(matrix, l.columns == COLUMNS_MAX ? SPMMI_FIELD_REAL : SPMMI_FIELD_PATTERN,
                          SPMMI_GENERAL, triplets.count);
    SPMM_TRY(spmmi_triplets_to_rows(reader, &triplets, SPMMI_GENERAL, matrix));
cleanup:
    spmmi_triplets_free(reader, &triplets);
    return status;
}

extern const struct spmmi_reader_ops spmmi_reader_edge_list;
const struct spmmi_reader_ops spmmi_reader_edge_list = {"list of edges", "edges", probe, refuse,
                                                        read_edge_list};
