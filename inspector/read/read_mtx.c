/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the banner and the size line of a Matrix Market file.
 *
 * The banner is %%MatrixMarket matrix FORMAT FIELD SYMMETRY: five words in any case, separated by blanks, at
 * the start of the file. Decisions where the specification is silent or files differ from it:
 *   field double is read as real and unsigned-integer as integer; hermitian without complex values as
 *   symmetric;
 *   complex is refused unless the options select one real number of each, and the object vector is refused;
 *   a pattern is neither skew-symmetric nor an array;
 *   a coordinate file may have more than rows * cols entries, as duplicates are summed. */
#include <string.h>
#include <strings.h>

#include "format/base/diag.h"
#include "format/plan.h"
#include "read_line.h"

#define WORDS 5
#define BANNER_MAX 1024 /* longest line that the specification allows */

struct word {
    const char *begin;
    size_t length;
};

static bool is_word(const struct word *word, const char *text)
{
    return word->length == strlen(text) && strncasecmp(word->begin, text, word->length) == 0;
}

/* Splits a line into at most max + 1 words. Returns their number, and sets *p after them and any blanks. */
static int split_words(const char **p, const char *end, struct word *words, int max)
{
    int count = 0;
    const char *q = spmmi_skip_blanks(*p, end);
    while (count <= max && q < end && *q != '\n' && *q != '\r') {
        const char *begin = q;
        while (!spmmi_is_word_end(q, end))
            q++;
        words[count++] = (struct word){begin, (size_t)(q - begin)};
        q = spmmi_skip_blanks(q, end);
    }
    *p = q;
    return count;
}

static spmm_status_t unexpected(struct spmmi_reader *reader, spmm_status_t status, uint64_t line,
                                const char *expected, const char *found, const char *end, const char *hint)
{
    char text[SPMMI_TOKEN_BYTES];
    return spmmi_reader_fail(reader, status, line, "expected %s, found %s%s", expected,
                             spmmi_token(found, end, text), hint);
}

static spmm_status_t read_format_and_field(struct spmmi_reader *reader, const struct word *words,
                                           const char *end, struct spmmi_mtx *mtx)
{
    static const struct {
        const char *text;
        enum spmmi_value_field field;
    } fields[] = {{"real", SPMMI_FIELD_REAL},
                  {"double", SPMMI_FIELD_REAL},
                  {"integer", SPMMI_FIELD_INTEGER},
                  {"unsigned-integer", SPMMI_FIELD_INTEGER},
                  {"pattern", SPMMI_FIELD_PATTERN}};
    mtx->is_array = is_word(&words[2], "array");
    if (!mtx->is_array && !is_word(&words[2], "coordinate"))
        return unexpected(reader, SPMM_ERR_MATRIX_SYNTAX, 1, "the format coordinate or array", words[2].begin,
                          end, "");
    if (is_word(&words[3], "complex"))
        return spmmi_complex_field(reader, 1, "the field is", &mtx->field);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (is_word(&words[3], fields[i].text)) {
            mtx->field = fields[i].field;
            return SPMM_OK;
        }
    }
    return unexpected(reader, SPMM_ERR_MATRIX_SYNTAX, 1, "the field real, integer or pattern", words[3].begin,
                      end, "");
}

static spmm_status_t read_symmetry(struct spmmi_reader *reader, const struct word *word, const char *end,
                                   struct spmmi_mtx *mtx)
{
    static const char *const names[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    int found = -1;
    for (int i = 0; i < 4; i++)
        if (is_word(word, names[i]))
            found = i;
    if (found < 0)
        return unexpected(reader, SPMM_ERR_MATRIX_SYNTAX, 1,
                          "the symmetry general, symmetric, skew-symmetric or hermitian", word->begin, end,
                          "");
    mtx->symmetry = (enum spmmi_symmetry)found;
    if (mtx->field == SPMMI_FIELD_PATTERN && (mtx->is_array || mtx->symmetry == SPMMI_SKEW))
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, 1,
                                 "expected real or integer values, found the field pattern for %s",
                                 mtx->is_array ? "an array" : "a skew-symmetric matrix");
    return SPMM_OK;
}

static spmm_status_t read_banner(struct spmmi_reader *reader, const char **p, const char *end,
                                 struct spmmi_mtx *mtx)
{
    spmm_status_t status = SPMM_OK;
    struct word words[WORDS + 1];
    const char *begin = *p;
    const int count = split_words(p, end, words, WORDS);
    /* Makes a missing word read as the end of the line. */
    for (int i = count; i < WORDS; i++)
        words[i] = (struct word){*p, 0};
    if (*p - begin > BANNER_MAX) {
        status =
            spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, 1,
                              "expected a banner of at most %d characters, found a longer line", BANNER_MAX);
        goto cleanup;
    }
    if (is_word(&words[1], "vector")) {
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_UNSUPPORTED, 1,
                                   "expected the object matrix, found \"vector\", which spmm does not read");
        goto cleanup;
    }
    if (!is_word(&words[1], "matrix")) {
        status = unexpected(reader, SPMM_ERR_MATRIX_SYNTAX, 1, "the object matrix", words[1].begin, end, "");
        goto cleanup;
    }
    SPMM_TRY(read_format_and_field(reader, words, end, mtx));
    SPMM_TRY(read_symmetry(reader, &words[4], end, mtx));
    if (count > WORDS) {
        status = unexpected(reader, SPMM_ERR_MATRIX_SYNTAX, 1, "the end of the banner", words[WORDS].begin,
                            end, "");
        goto cleanup;
    }
    const char *next = spmmi_line_end(*p, end);
    if (next == NULL) {
        status = unexpected(reader, SPMM_ERR_MATRIX_SYNTAX, 1, "the end of the banner", *p, end, "");
        goto cleanup;
    }
    *p = next;
cleanup:
    return status;
}

/* Reads one number of the size line, at most `limit`. */
static spmm_status_t read_size(struct spmmi_reader *reader, const char **p, const char *end, uint64_t line,
                               const char *what, int64_t limit, int64_t *count)
{
    uint64_t value = 0;
    const char *token = *p;
    const char *q = token;
    while (q < end && spmmi_is_digit(*q))
        q++;
    if (q == token || !spmmi_is_word_end(q, end))
        return unexpected(reader, SPMM_ERR_MATRIX_SYNTAX, line, what, token, end,
                          token < end && *token == '+' ? "; write it without a sign" : "");
    if (spmmi_count_read(token, end, &value) == NULL || value > (uint64_t)limit) {
        char text[SPMMI_TOKEN_BYTES];
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_TOO_LARGE, line,
                                 "expected %s of at most %lld, found %s", what, (long long)limit,
                                 spmmi_token(token, end, text));
    }
    *count = (int64_t)value;
    *p = spmmi_skip_blanks(q, end);
    return SPMM_OK;
}

/* Returns the number of values of an array: all, or one triangle by columns. */
static int64_t array_entries(const struct spmmi_mtx *mtx)
{
    const int64_t n = mtx->rows;
    switch (mtx->symmetry) {
    case SPMMI_SYMMETRIC:
    case SPMMI_HERMITIAN:
        return n * (n + 1) / 2;
    case SPMMI_SKEW:
        return n * (n - 1) / 2;
    default:
        return n * mtx->cols;
    }
}

/* Checks that the sizes are consistent. */
static spmm_status_t check_sizes(struct spmmi_reader *reader, const struct spmmi_mtx *mtx, uint64_t line)
{
    if (mtx->symmetry != SPMMI_GENERAL && mtx->rows != mtx->cols)
        return spmmi_reader_fail(
            reader, SPMM_ERR_MATRIX_SYNTAX, line,
            "expected as many rows as columns in a symmetric matrix, found %lld and %lld",
            (long long)mtx->rows, (long long)mtx->cols);
    if (mtx->is_array && mtx->cols != 0 && mtx->rows > SPMMI_NNZ_MAX / mtx->cols)
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_TOO_LARGE, line,
                                 "expected at most %lld values, found an array of %lld x %lld",
                                 (long long)SPMMI_NNZ_MAX, (long long)mtx->rows, (long long)mtx->cols);
    if (mtx->entries > 0 && (mtx->rows == 0 || mtx->cols == 0))
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, line,
                                 "expected no entries in a matrix of %lld x %lld, found a count of %lld",
                                 (long long)mtx->rows, (long long)mtx->cols, (long long)mtx->entries);
    return SPMM_OK;
}

/* Returns an upper bound of the number of entries in the rest of the file, so that a truncated file is
 * refused before anything is allocated. The shortest entries are "1", "1 1" and "1 1 1", with one more number
 * if complex, and the last one may lack its line end. */
static int64_t entries_that_fit(const struct spmmi_mtx *mtx)
{
    const int64_t shortest = (mtx->is_array                       ? 2
                              : mtx->field == SPMMI_FIELD_PATTERN ? 4
                                                                  : 6) +
                             (spmmi_is_complex(mtx->field) ? 2 : 0);
    return (mtx->end - mtx->data + 1) / shortest;
}

spmm_status_t spmmi_read_mtx_header(struct spmmi_reader *reader, const char *text, const char *end,
                                    struct spmmi_mtx *mtx)
{
    spmm_status_t status = SPMM_OK;
    uint64_t line = 2;
    const char *p = text;
    mtx->end = end;
    SPMM_TRY(read_banner(reader, &p, end, mtx));
    p = spmmi_next_entry(p, end, &line);
    SPMM_TRY(read_size(reader, &p, end, line, "the number of rows", SPMMI_DIM_MAX, &mtx->rows));
    SPMM_TRY(read_size(reader, &p, end, line, "the number of columns", SPMMI_DIM_MAX, &mtx->cols));
    if (!mtx->is_array)
        SPMM_TRY(read_size(reader, &p, end, line, "the number of entries", SPMMI_NNZ_MAX, &mtx->entries));
    mtx->data = spmmi_line_end(p, end);
    if (mtx->data == NULL) {
        status = unexpected(reader, SPMM_ERR_MATRIX_SYNTAX, line, "the end of the size line", p, end, "");
        goto cleanup;
    }
    mtx->data_line = line + 1;
    SPMM_TRY(check_sizes(reader, mtx, line));
    if (mtx->is_array)
        mtx->entries = array_entries(mtx);
    if (mtx->entries > entries_that_fit(mtx))
        status = mtx->is_array ? spmmi_explain_array(reader, mtx) : spmmi_explain_coordinate(reader, mtx);
cleanup:
    return status;
}
