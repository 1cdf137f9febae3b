/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of Matrix Market files, whose text starts with a banner. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "format/base/diag.h"
#include "read_line.h"

#define BANNER "%%MatrixMarket"
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static bool starts(const char *text, const char *end, const char *with)
{
    const size_t length = strlen(with);
    return (size_t)(end - text) >= length && strncasecmp(text, with, length) == 0;
}

static enum spmmi_probe probe(const struct spmmi_head *head)
{
    const char *end = head->bytes + head->size;
    if (starts(head->bytes, end, BANNER) && spmmi_is_word_end(head->bytes + strlen(BANNER), end))
        return SPMMI_PROBE_CONTENT;
    return spmmi_head_named(head, ".mtx") ? SPMMI_PROBE_NAME : SPMMI_PROBE_NO;
}

static void refuse(const struct spmmi_head *head, char *sentence, size_t capacity)
{
    char token[SPMMI_TOKEN_BYTES];
    const char *end = head->bytes + head->size;
    const char *first = spmmi_skip_blanks(head->bytes, end);
    const char *hint = "";
    if (spmmi_head_starts(head, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK))) {
        (void)snprintf(sentence, capacity,
                       "expected a matrix file, found a UTF-8 byte order mark; save the file without it");
        return;
    }
    if (first > head->bytes && starts(first, end, BANNER))
        hint = " behind blanks; the banner starts the file";
    else if (starts(head->bytes, end, &BANNER[1]))
        hint = "; the banner starts with two percent signs";
    else if (first == end || *first == '\n' || *first == '\r' || *first == '%')
        hint = "; the banner is the first line";
    else if (spmmi_is_digit(*first))
        hint = "; the file has no banner";
    (void)snprintf(sentence, capacity, "expected %s at the start of the file, found %s%s", BANNER,
                   spmmi_token(first, end, token), hint);
}

static spmm_status_t read_matrix_market(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                                        spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_mtx mtx;
    memset(&mtx, 0, sizeof mtx);
    SPMM_TRY(spmmi_read_mtx_header(reader, bytes, bytes + size, &mtx));
    matrix->rows = mtx.rows;
    matrix->cols = mtx.cols;
    spmmi_matrix_describe(matrix, mtx.field, mtx.symmetry, mtx.entries);
    SPMM_TRY(mtx.is_array ? spmmi_read_array(reader, &mtx, matrix)
                          : spmmi_read_coordinate(reader, &mtx, matrix));
cleanup:
    return status;
}

extern const struct spmmi_reader_ops spmmi_reader_matrix_market;
const struct spmmi_reader_ops spmmi_reader_matrix_market = {"Matrix Market", "matrix-market", probe, refuse,
                                                            read_matrix_market};
