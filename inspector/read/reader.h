/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that the readers of matrix files share: the interface of a format, the state of a reader, its
 * memory budget and messages, and the steps of a read.
 *
 *   read_file.c       path, standard input or memory -> bytes; calls the reader of their format
 *   container.h       compressed bytes -> bytes
 *   reader_list.def, reader_table.c   the formats, and detection of the format of a file
 *   unsupported_format.c   known formats that are not supported
 *   one reader per format: bytes -> CSR, not yet sorted
 *     read_matrix_market.c   with read_mtx.c (banner, size line), read_coordinate.c, read_array.c, read_explain.c
 *     read_smtx.c
 *     read_rutherford_boeing.c   with rb_header.c, fortran_format.c, fortran_number.c
 *     read_tar.c        finds the matrix in an archive and calls the reader of its format
 *     read_petsc.c
 *     read_mat.c        with mat_array.h, mat_variable.h, mat_matrix.h
 *     read_mat73.c      with these and hdf5_file.h
 *     read_metis.c      with check_symmetric.c
 *     read_edge_list.c
 *     read_npz.c        with npz_zip.c, npy_header.c, npy_values.c, npz_layouts.c
 *   read_triplets.c   rows, columns and values in any order -> CSR
 *   canonicalise.c    sorts rows, sums duplicates, drops zeros, counts
 *
 * Only a reader knows whether its bytes are text.
 *
 * Memory: the bytes of a file are in memory once (during unpacking also the compressed input). Readers of
 * Matrix Market and .smtx write entries directly into the CSR arrays of the result; other memory beside the
 * bytes and the result is less than half of the result. */
#ifndef SPMMI_READER_H
#define SPMMI_READER_H

#include <stdbool.h>
#include <string.h>

#include "inspector/matrix/matrix.h"

struct spmmi_reader {
    /* Name of the source in messages, escaped: its path, or the shortened base name if the path is long. */
    char label[88];
    char name[128]; /* base name of the source */
    char file[128]; /* the end of the base name without .gz, .zst or a similar ending */
    int threads;
    bool drop_zeros;
    spmm_complex_part_t complex_part;
    spmm_index_base_t index_base;
    int64_t vertices;      /* number of vertices; 0: as in the file */
    const char *variable;  /* name of the variable to read; NULL: the caller named none */
    uint64_t budget, used; /* in bytes; budget UINT64_MAX: no limit */
    spmm_progress_fn progress;
    void *progress_context;
    spmm_diag_t *diag;
};

/* The unpacked start of a file and the end of its name, from which the format is detected. */
struct spmmi_head {
    const char *bytes;
    uint64_t size; /* at least 1 */
    bool is_all;   /* the file has no more bytes than these */
    const char *file;
};

enum spmmi_probe {
    SPMMI_PROBE_NO,
    SPMMI_PROBE_NAME,   /* the name indicates this format, the bytes do not */
    SPMMI_PROBE_CONTENT /* the bytes indicate this format */
};

/* A format of matrix files: one row of reader_list.def. */
struct spmmi_reader_ops {
    const char *name;   /* name of the format in messages */
    const char *format; /* value of spmm_matrix_info_t.format */
    enum spmmi_probe (*probe)(const struct spmmi_head *head);
    /* Writes a sentence "expected ..., found ..." about bytes that are not in this format. */
    void (*refuse)(const struct spmmi_head *head, char *sentence, size_t capacity);
    /* Fills in rows, cols, nnz, the arrays, and in info entries_stored, field and symmetry. The entries of a
     * row may be in any order and may repeat. */
    spmm_status_t (*read)(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                          spmm_matrix_t *matrix);
};

/* Finds the reader for these bytes. A failure says what the bytes are instead. */
#define SPMMI_PREFIX_BYTES 65536u /* bytes that suffice to detect a format */
spmm_status_t spmmi_reader_find(struct spmmi_reader *reader, const char *bytes, uint64_t size, bool is_all,
                                const struct spmmi_reader_ops **ops);
/* Returns true if the file starts with exactly these bytes. */
static inline bool spmmi_head_starts(const struct spmmi_head *head, const char *with, size_t size)
{
    return head->size >= size && memcmp(head->bytes, with, size) == 0;
}
bool spmmi_head_named(const struct spmmi_head *head, const char *ending); /* ignores case */
/* Returns a description of a known but unsupported format with advice; NULL if it is unknown. */
const char *spmmi_unsupported_format(const struct spmmi_head *head);

/* The last two read one real number from each complex number. */
enum spmmi_value_field {
    SPMMI_FIELD_REAL,
    SPMMI_FIELD_INTEGER,
    SPMMI_FIELD_PATTERN,
    SPMMI_FIELD_REAL_PART,
    SPMMI_FIELD_ABS
};
enum spmmi_symmetry { SPMMI_GENERAL, SPMMI_SYMMETRIC, SPMMI_SKEW, SPMMI_HERMITIAN };
/* Sets *field to the part of complex numbers that the options request, or fails and names these options. */
spmm_status_t spmmi_complex_field(struct spmmi_reader *reader, uint64_t line, const char *what,
                                  enum spmmi_value_field *field);
double spmmi_complex_take(enum spmmi_value_field field, double real, double imaginary);
static inline bool spmmi_is_complex(enum spmmi_value_field field)
{
    return field == SPMMI_FIELD_REAL_PART || field == SPMMI_FIELD_ABS;
}
/* Returns true if a mirrored entry changes its sign. Complex conjugation does not change the real part or the
 * absolute value. */
static inline bool spmmi_is_negated(enum spmmi_value_field field, enum spmmi_symmetry symmetry)
{
    return symmetry == SPMMI_SKEW && field != SPMMI_FIELD_ABS;
}

/* A growable block of bytes that counts against the budget. */
struct spmmi_bytes {
    char *data;
    uint64_t size, capacity;
};

/* Stores the field, the symmetry and the number of entries of the file in matrix->info. */
void spmmi_matrix_describe(spmm_matrix_t *matrix, enum spmmi_value_field field, enum spmmi_symmetry symmetry,
                           int64_t entries);

/* Contents of the banner and the size line, and the location of the entries. */
struct spmmi_mtx {
    bool is_array;
    enum spmmi_value_field field;
    enum spmmi_symmetry symmetry;
    int64_t rows, cols;
    /* Lines with an entry. For arrays, computed from the size and the symmetry. */
    int64_t entries;
    const char *data;   /* start of the line after the size line */
    const char *end;    /* end of the text */
    uint64_t data_line; /* line number of data */
};

/* Allocates memory within the budget. The message of a MEMORY error names the purpose. Free it with the same
 * count and size. */
spmm_status_t spmmi_reader_alloc(struct spmmi_reader *reader, const char *purpose, uint64_t count,
                                 size_t size, void *pointer_to_pointer);
void spmmi_reader_free(struct spmmi_reader *reader, void *block, uint64_t count, size_t size);
spmm_status_t spmmi_bytes_reserve(struct spmmi_reader *reader, struct spmmi_bytes *bytes, uint64_t capacity);
void spmmi_bytes_free(struct spmmi_reader *reader, struct spmmi_bytes *bytes);

void spmmi_reader_progress(const struct spmmi_reader *reader, const char *stage, uint64_t done,
                           uint64_t total);

/* Reports a failure at a line as "LABEL, line N: " and the sentence. Line 0: no line. Returns status. */
__attribute__((format(printf, 4, 5))) spmm_status_t
spmmi_reader_fail(struct spmmi_reader *reader, spmm_status_t status, uint64_t line, const char *format, ...);

/* Reports a failure at a byte of a binary file. */
__attribute__((format(printf, 4, 5))) spmm_status_t spmmi_reader_fail_at(struct spmmi_reader *reader,
                                                                         spmm_status_t status,
                                                                         uint64_t offset, const char *format,
                                                                         ...);

/* Appends to the message of a failure the format as which the file was read. */
void spmmi_reader_add_format(const struct spmmi_reader *reader, spmm_status_t status, const char *format);

/* Returns the token at p, up to the next blank or line end, in a form for messages: quoted, shortened, with
 * control and non-ASCII characters as \xNN. Returns "the end of the line" or "the end of the file" if there
 * is no token. */
#define SPMMI_TOKEN_BYTES 72
const char *spmmi_token(const char *p, const char *end, char text[SPMMI_TOKEN_BYTES]);
/* Returns true if the bytes contain no control characters except whitespace. Binary files usually contain
 * some at their start. */
bool spmmi_is_text(const char *p, const char *end);
/* Writes as much of p as fits into text, escaped as in spmmi_token, without quotes. */
void spmmi_escape(const char *p, uint64_t size, char *text, uint64_t capacity);
/* Appends an escaped name to a comma-separated list. Does nothing once the list is full. */
void spmmi_list_add(char *list, uint64_t capacity, const char *name, uint64_t length);

spmm_status_t spmmi_read_mtx_header(struct spmmi_reader *reader, const char *text, const char *end,
                                    struct spmmi_mtx *mtx);
spmm_status_t spmmi_read_coordinate(struct spmmi_reader *reader, const struct spmmi_mtx *mtx,
                                    spmm_matrix_t *matrix);
spmm_status_t spmmi_read_array(struct spmmi_reader *reader, const struct spmmi_mtx *mtx,
                               spmm_matrix_t *matrix);

/* Finds the first malformed entry in file order and reports it. Returns the failure; INTERNAL if there is no
 * malformed entry. */
spmm_status_t spmmi_explain_coordinate(struct spmmi_reader *reader, const struct spmmi_mtx *mtx);
spmm_status_t spmmi_explain_array(struct spmmi_reader *reader, const struct spmmi_mtx *mtx);

/* Allocate row_ptr, and arrays for nnz entries; values only if has_values. */
spmm_status_t spmmi_matrix_alloc_row_ptr(struct spmmi_reader *reader, spmm_matrix_t *matrix);
spmm_status_t spmmi_matrix_alloc_entries(struct spmmi_reader *reader, spmm_matrix_t *matrix, bool has_values);

/* Entries in any order. Rows and columns count from 0 and have been checked. */
struct spmmi_triplets {
    int64_t count, capacity;
    int32_t *rows, *cols;
    double *values; /* NULL: every value counts as 1 */
};
spmm_status_t spmmi_triplets_alloc(struct spmmi_reader *reader, struct spmmi_triplets *triplets,
                                   int64_t capacity, bool has_values);
void spmmi_triplets_free(struct spmmi_reader *reader, struct spmmi_triplets *triplets);
/* Moves the entries into the rows of the matrix; within a row they keep their order. Entries are mirrored
 * unless symmetry is general; mirrored entries are negated if it is skew. */
spmm_status_t spmmi_triplets_to_rows(struct spmmi_reader *reader, const struct spmmi_triplets *triplets,
                                     enum spmmi_symmetry symmetry, spmm_matrix_t *matrix);

/* Checks that a square matrix, whose entries may be in any order, has no duplicates and is equal to its
 * transpose. */
spmm_status_t spmmi_check_symmetric(struct spmmi_reader *reader, const spmm_matrix_t *matrix);

/* Makes a valid matrix with its metrics from rows whose entries are in any order; duplicates are summed in
 * file order. */
spmm_status_t spmmi_canonicalise(struct spmmi_reader *reader, spmm_matrix_t *matrix);

/* The maximum number of segments of a file, and of threads. */
#define SPMMI_SEGMENT_MAX 256

#endif
