/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that read matrices share: the interface of a format, the reader's state, its memory budget, its
 * messages, and the steps of a read.
 *
 *   read_file.c       path, standard input or memory -> bytes; calls the reader that takes them
 *   container.h       compressed bytes -> bytes
 *   reader_list.def, reader_table.c   the formats, and which of them a file has
 *   unsupported_format.c   known formats that are not supported
 *   one reader a format: bytes -> CSR, not yet sorted
 *     read_matrix_market.c   with read_mtx.c (banner, size line), read_coordinate.c, read_array.c, read_explain.c
 *     read_smtx.c
 *     read_rutherford_boeing.c   with rb_header.c, fortran_format.c, fortran_number.c
 *     read_tar.c        the matrix in an archive, by its reader
 *     read_petsc.c
 *     read_mat.c        with mat_array.h, mat_variable.h, mat_matrix.h
 *     read_mat73.c      with those and hdf5_file.h
 *     read_metis.c      with check_symmetric.c
 *     read_edge_list.c
 *     read_npz.c        with npz_zip.c, npy_header.c, npy_values.c, npz_layouts.c
 *   read_triplets.c   rows, columns and values in any order -> CSR
 *   canonicalise.c     sort rows, sum duplicates, drop zeros, count
 *
 * Nothing but a reader knows whether bytes are text.
 *
 * Memory: the bytes are held once (compressed input beside them while it is unpacked). Matrix Market and .smtx: entries
 * go straight into the CSR arrays of the result, and what is needed beside bytes and result stays below half of
 * the result. */
#ifndef SPMMI_READER_H
#define SPMMI_READER_H

#include <stdbool.h>
#include <string.h>

#include "inspector/matrix/matrix.h"

struct spmmi_reader {
    char label[88]; /* the source in messages, escaped: its path, or of a long one the base name, shortened */
    char name[128]; /* base name of the source */
    char file[128]; /* the end of that name without .gz, .zst and their like */
    int threads;
    bool drop_zeros;
    spmm_complex_part_t complex_part;
    spmm_index_base_t index_base;
    int64_t vertices;      /* 0: as the file says */
    const char *variable;  /* NULL: none is named */
    uint64_t budget, used; /* bytes; budget UINT64_MAX = no limit */
    spmm_progress_fn progress;
    void *progress_context;
    spmm_diag_t *diag;
};

/* The start of a file, unpacked, and the end of its name: what tells its format. */
struct spmmi_head {
    const char *bytes;
    uint64_t size; /* at least 1 */
    bool is_all;   /* there are no more bytes than these */
    const char *file;
};

enum spmmi_probe {
    SPMMI_PROBE_NO,
    SPMMI_PROBE_NAME,   /* the name says this format, the bytes do not */
    SPMMI_PROBE_CONTENT /* the bytes say this format */
};

/* A format of matrix files. Rows of reader_list.def. */
struct spmmi_reader_ops {
    const char *name;   /* in messages */
    const char *format; /* of spmm_matrix_info_t */
    enum spmmi_probe (*probe)(const struct spmmi_head *head);
    /* "expected ..., found ..." for a start that is not this format. */
    void (*refuse)(const struct spmmi_head *head, char *sentence, size_t capacity);
    /* Fill rows, cols, nnz, the arrays, and of info entries_stored, field and symmetry. Entries of a row may stand in
     * any order and more than once. */
    spmm_status_t (*read)(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                          spmm_matrix_t *matrix);
};

/* The reader of these bytes; a failure says what they are instead. */
#define SPMMI_PREFIX_BYTES 65536u /* enough to tell */
spmm_status_t spmmi_reader_find(struct spmmi_reader *reader, const char *bytes, uint64_t size, bool is_all,
                                const struct spmmi_reader_ops **ops);
/* Exactly so. */
static inline bool spmmi_head_starts(const struct spmmi_head *head, const char *with, size_t size)
{
    return head->size >= size && memcmp(head->bytes, with, size) == 0;
}
bool spmmi_head_named(const struct spmmi_head *head, const char *ending); /* in any case */
/* What it is and what to do, for what no reader takes; NULL when unknown. */
const char *spmmi_unsupported_format(const struct spmmi_head *head);

/* The last two: one number of each complex one. */
enum spmmi_value_field {
    SPMMI_FIELD_REAL,
    SPMMI_FIELD_INTEGER,
    SPMMI_FIELD_PATTERN,
    SPMMI_FIELD_REAL_PART,
    SPMMI_FIELD_ABS
};
enum spmmi_symmetry { SPMMI_GENERAL, SPMMI_SYMMETRIC, SPMMI_SKEW, SPMMI_HERMITIAN };
/* What the options ask of complex numbers; a refusal that names them. */
spmm_status_t spmmi_complex_field(struct spmmi_reader *reader, uint64_t line, const char *what,
                                  enum spmmi_value_field *field);
double spmmi_complex_take(enum spmmi_value_field field, double real, double imaginary);
static inline bool spmmi_is_complex(enum spmmi_value_field field)
{
    return field == SPMMI_FIELD_REAL_PART || field == SPMMI_FIELD_ABS;
}
/* Does an entry have the other sign where it is mirrored? Conjugates have the same real part and absolute value. */
static inline bool spmmi_is_negated(enum spmmi_value_field field, enum spmmi_symmetry symmetry)
{
    return symmetry == SPMMI_SKEW && field != SPMMI_FIELD_ABS;
}

/* A growing block of bytes that counts against the budget. */
struct spmmi_bytes {
    char *data;
    uint64_t size, capacity;
};

/* Write both and the number of entries in the file into matrix->info. */
void spmmi_matrix_describe(spmm_matrix_t *matrix, enum spmmi_value_field field, enum spmmi_symmetry symmetry,
                           int64_t entries);

/* Content of banner and size line, and where the entries are. */
struct spmmi_mtx {
    bool is_array;
    enum spmmi_value_field field;
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

/* The same at a byte of a binary file. */
__attribute__((format(printf, 4, 5))) spmm_status_t spmmi_reader_fail_at(struct spmmi_reader *reader,
                                                                         spmm_status_t status,
                                                                         uint64_t offset, const char *format,
                                                                         ...);

/* Behind the sentence of a failure: what the file was read as. */
void spmmi_reader_add_format(const struct spmmi_reader *reader, spmm_status_t status, const char *format);

/* The token at p, up to the next blank or line end, for a message: in quotes, shortened, control and non-ASCII
 * characters as \xNN; "the end of the line" or "the end of the file" where there is none. */
#define SPMMI_TOKEN_BYTES 72
const char *spmmi_token(const char *p, const char *end, char text[SPMMI_TOKEN_BYTES]);
/* No control characters but blanks and ends of lines: not the start of a binary file. */
bool spmmi_is_text(const char *p, const char *end);
/* As much of p as fits, escaped in the same way, without quotes. */
void spmmi_escape(const char *p, uint64_t size, char *text, uint64_t capacity);
/* The same behind a comma in a list of names; nothing once the list is full. */
void spmmi_list_add(char *list, uint64_t capacity, const char *name, uint64_t length);

spmm_status_t spmmi_read_mtx_header(struct spmmi_reader *reader, const char *text, const char *end,
                                    struct spmmi_mtx *mtx);
spmm_status_t spmmi_read_coordinate(struct spmmi_reader *reader, const struct spmmi_mtx *mtx,
                                    spmm_matrix_t *matrix);
spmm_status_t spmmi_read_array(struct spmmi_reader *reader, const struct spmmi_mtx *mtx,
                               spmm_matrix_t *matrix);

/* Find the first malformed entry, in file order, and record its sentence. Returns the failure; INTERNAL when
 * there is none. */
spmm_status_t spmmi_explain_coordinate(struct spmmi_reader *reader, const struct spmmi_mtx *mtx);
spmm_status_t spmmi_explain_array(struct spmmi_reader *reader, const struct spmmi_mtx *mtx);

/* Row pointers and room for nnz entries; values unless it is a pattern. */
spmm_status_t spmmi_matrix_alloc_row_ptr(struct spmmi_reader *reader, spmm_matrix_t *matrix);
spmm_status_t spmmi_matrix_alloc_entries(struct spmmi_reader *reader, spmm_matrix_t *matrix, bool has_values);

/* Entries in any order, and their number: rows and columns from 0, checked. */
struct spmmi_triplets {
    int64_t count, capacity;
    int32_t *rows, *cols;
    double *values; /* NULL: every value counts as 1 */
};
spmm_status_t spmmi_triplets_alloc(struct spmmi_reader *reader, struct spmmi_triplets *triplets,
                                   int64_t capacity, bool has_values);
void spmmi_triplets_free(struct spmmi_reader *reader, struct spmmi_triplets *triplets);
/* Into the rows of the matrix, each in the order of the triplets, mirrored unless symmetry is general; negated where
 * it is skew. */
spmm_status_t spmmi_triplets_to_rows(struct spmmi_reader *reader, const struct spmmi_triplets *triplets,
                                     enum spmmi_symmetry symmetry, spmm_matrix_t *matrix);

/* A square matrix whose entries stand in any order: each is there once, and once with the same value on the other side
 * of the diagonal. */
spmm_status_t spmmi_check_symmetric(struct spmmi_reader *reader, const spmm_matrix_t *matrix);

/* Rows in any order, duplicates next to their file order -> a valid matrix with its metrics. */
spmm_status_t spmmi_canonicalise(struct spmmi_reader *reader, spmm_matrix_t *matrix);

/* Most pieces that a file is read in, and most threads. */
#define SPMMI_SEGMENT_MAX 256

#endif
