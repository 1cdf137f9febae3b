/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that read matrices share: the reader's state, its memory budget, its messages, and the steps
 * of a read.
 *
 *   read_file.c       path, standard input or memory -> text; tells the format
 *   read_gzip.c, read_zstd.c   compressed bytes -> text
 *   read_mtx.c        banner and size line of Matrix Market
 *   read_coordinate.c, read_array.c, read_smtx.c   text -> CSR, not yet sorted
 *   read_start.c      what the first bytes are
 *   read_finish.c     sort rows, sum duplicates, drop zeros, count
 *   read_explain.c    the sentence for a malformed entry
 *
 * Memory: the text is held once (compressed input beside it while it is unpacked), entries go straight into the
 * CSR arrays of the result, and what is needed beside text and result stays below half of the result. */
#ifndef SPMMI_READER_H
#define SPMMI_READER_H

#include <stdbool.h>

#include "inspector/matrix/matrix.h"

struct spmmi_reader {
    char label[48]; /* base name of the source for messages: escaped, shortened */
    char name[128]; /* base name of the source */
    bool is_smtx_name;
    int threads;
    bool drop_zeros;
    uint64_t budget, used; /* bytes; budget UINT64_MAX = no limit */
    spmm_progress_fn progress;
    void *progress_context;
    spmm_diag_t *diag;
};

/* A growing block of bytes that counts against the budget. */
struct spmmi_bytes {
    char *data;
    uint64_t size, capacity;
};

enum spmmi_field { SPMMI_FIELD_REAL, SPMMI_FIELD_INTEGER, SPMMI_FIELD_PATTERN };
enum spmmi_symmetry { SPMMI_GENERAL, SPMMI_SYMMETRIC, SPMMI_SKEW, SPMMI_HERMITIAN };

/* What banner and size line say, and where the entries are. */
struct spmmi_mtx {
    bool is_array;
    enum spmmi_field field;
    enum spmmi_symmetry symmetry;
    int64_t rows, cols;
    int64_t entries;    /* lines with an entry; for arrays derived from the size and the symmetry */
    const char *data;   /* behind the size line */
    const char *end;    /* of the text */
    uint64_t data_line; /* line number of data */
};

/* Memory within the budget. MEMORY names what it is for. Freed with the same count and size. */
spmm_status_t spmmi_reader_alloc(struct spmmi_reader *reader, const char *purpose, uint64_t count,
                                 size_t size, void *pointer_to_pointer);
void spmmi_reader_free(struct spmmi_reader *reader, void *block, uint64_t count, size_t size);
spmm_status_t spmmi_bytes_reserve(struct spmmi_reader *reader, struct spmmi_bytes *bytes, uint64_t capacity);
void spmmi_bytes_free(struct spmmi_reader *reader, struct spmmi_bytes *bytes);

void spmmi_reader_progress(const struct spmmi_reader *reader, const char *stage, uint64_t done,
                           uint64_t total);

/* Record a failure at a line: "LABEL, line N: " and the sentence. Returns status. */
__attribute__((format(printf, 4, 5))) spmm_status_t
spmmi_reader_fail(struct spmmi_reader *reader, spmm_status_t status, uint64_t line, const char *format, ...);

/* The token at p, up to the next blank or line end, for a message: in quotes, shortened, control and non-ASCII
 * characters as \xNN; "the end of the line" or "the end of the file" where there is none. */
#define SPMMI_TOKEN_BYTES 72
const char *spmmi_token(const char *p, const char *end, char text[SPMMI_TOKEN_BYTES]);
/* As much of p as fits, escaped in the same way, without quotes. */
void spmmi_escape(const char *p, uint64_t size, char *text, uint64_t capacity);

/* Refuse early what no reader takes: looks at the first bytes of the text only. prefix_is_all says that there
 * are no more bytes than these. */
#define SPMMI_PREFIX_BYTES 65536u
spmm_status_t spmmi_check_start(struct spmmi_reader *reader, const char *text, uint64_t size,
                                bool prefix_is_all);
/* The first line looks like "rows, cols, nnz". */
bool spmmi_looks_like_smtx(const char *text, const char *end);

spmm_status_t spmmi_gunzip(struct spmmi_reader *reader, const char *packed, uint64_t size,
                           struct spmmi_bytes *text);
spmm_status_t spmmi_unzstd(struct spmmi_reader *reader, const char *packed, uint64_t size,
                           struct spmmi_bytes *text);

spmm_status_t spmmi_read_mtx_header(struct spmmi_reader *reader, const char *text, const char *end,
                                    struct spmmi_mtx *mtx);
spmm_status_t spmmi_read_coordinate(struct spmmi_reader *reader, const struct spmmi_mtx *mtx,
                                    spmm_matrix_t *matrix);
spmm_status_t spmmi_read_array(struct spmmi_reader *reader, const struct spmmi_mtx *mtx,
                               spmm_matrix_t *matrix);
spmm_status_t spmmi_read_smtx(struct spmmi_reader *reader, const char *text, const char *end,
                              spmm_matrix_t *matrix);

/* Find the first malformed entry, in file order, and record its sentence. Returns the failure; INTERNAL when
 * there is none. */
spmm_status_t spmmi_explain_coordinate(struct spmmi_reader *reader, const struct spmmi_mtx *mtx);
spmm_status_t spmmi_explain_array(struct spmmi_reader *reader, const struct spmmi_mtx *mtx);

/* Row pointers and room for nnz entries; values unless it is a pattern. */
spmm_status_t spmmi_matrix_alloc_row_ptr(struct spmmi_reader *reader, spmm_matrix_t *matrix);
spmm_status_t spmmi_matrix_alloc_entries(struct spmmi_reader *reader, spmm_matrix_t *matrix, bool has_values);

/* Rows in any order, duplicates next to their file order -> a valid matrix with its figures. */
spmm_status_t spmmi_read_finish(struct spmmi_reader *reader, spmm_matrix_t *matrix);

/* Split [begin, end) at line ends into at most count pieces of similar size; bound has count + 1 entries.
 * Returns the number of pieces, at least 1. */
int spmmi_split_lines(const char *begin, const char *end, int count, const char **bound);
#define SPMMI_SEGMENT_MAX 256

#endif
