/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the same matrix in different forms: numbers of threads, containers whole and damaged, files, pipes
 * and devices, memory budgets, failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <bzlib.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <lzma.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <spmm/inspector.h>

#include "format/base/alloc.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define BANNER(kind) "%%MatrixMarket matrix " kind "\n"
#define REAL BANNER("coordinate real general")

/* Returns the text of a matrix with `count` entries. kind: 0 real general, 1 real symmetric, 2 pattern, 3
 * rows of very different lengths. The caller frees it. */
static char *make_text(int kind, int rows, int count, size_t *size)
{
    static const char *const banners[] = {REAL, BANNER("coordinate real symmetric"),
                                          BANNER("coordinate pattern general"), REAL};
    char *text = malloc((size_t)count * 48 + 200);
    uint64_t random = 88172645463325252u + (uint64_t)kind;
    char *p = text + sprintf(text, "%s%d %d %d\n", banners[kind], rows, rows, count);
    for (int i = 0; i < count; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        int row = (int)(random >> 33) % rows + 1;
        int col = (int)(random & 0x7fffffff) % rows + 1;
        if (kind == 1 && col > row) {
            const int swap = row;
            row = col;
            col = swap;
        }
        if (kind == 3 && i % 3 != 0)
            row = 5;
        p += kind == 2 ? sprintf(p, "%d %d\n", row, col)
                       : sprintf(p, "%d %d %.17g\n", row, col, (double)(int64_t)random * 1e-19);
    }
    *size = (size_t)(p - text);
    return text;
}

static void assert_same_matrix(const spmm_matrix_t *a, const spmm_matrix_t *b)
{
    spmm_csr_t x, y;
    assert_int_equal(spmm_matrix_csr(a, &x), SPMM_OK);
    assert_int_equal(spmm_matrix_csr(b, &y), SPMM_OK);
    assert_int_equal(x.rows, y.rows);
    assert_int_equal(x.cols, y.cols);
    assert_int_equal(x.nnz, y.nnz);
    assert_memory_equal(x.row_ptr, y.row_ptr, ((size_t)x.rows + 1) * sizeof(int64_t));
    assert_memory_equal(x.col_ind, y.col_ind, (size_t)x.nnz * sizeof(int32_t));
    assert_int_equal(x.values == NULL, y.values == NULL);
    if (x.values != NULL)
        assert_memory_equal(x.values, y.values, (size_t)x.nnz * sizeof(double));
}

/* Checks the matrix with a simple and slow second reader: it looks up each triplet of the text, in file
 * order. */
static void check_by_triplets(const char *text, int kind, const spmm_matrix_t *matrix)
{
    spmm_csr_t a;
    assert_int_equal(spmm_matrix_csr(matrix, &a), SPMM_OK);
    const int64_t *row_ptr = a.row_ptr;
    const int32_t *col_ind = a.col_ind;
    const double *values = a.values;
    double *sum = calloc((size_t)a.nnz, sizeof *sum);
    int *hits = calloc((size_t)a.nnz, sizeof *hits);
    const char *p = strchr(strchr(text, '\n') + 1, '\n') + 1;
    while (*p != '\0') {
        char *next = NULL;
        const long row = strtol(p, &next, 10);
        const long col = strtol(next, &next, 10);
        const double value = kind == 2 ? 1 : strtod(next, &next);
        for (int mirrored = 0; mirrored <= (kind == 1 && row != col); mirrored++) {
            const int64_t i = (mirrored ? col : row) - 1;
            int64_t low = row_ptr[i];
            int64_t high = row_ptr[i + 1];
            while (high - low > 1) {
                const int64_t middle = (low + high) / 2;
                if (col_ind[middle] <= (mirrored ? row : col) - 1)
                    low = middle;
                else
                    high = middle;
            }
            assert_true(low < row_ptr[i + 1] && col_ind[low] == (mirrored ? row : col) - 1);
            sum[low] += value;
            hits[low]++;
        }
        p = next + strspn(next, "\n");
    }
    for (int64_t q = 0; q < a.nnz; q++) {
        assert_true(hits[q] > 0);
        if (values != NULL)
            assert_true(values[q] == sum[q]);
    }
    free(hits);
    free(sum);
}

static void every_number_of_threads_gives_the_same_matrix(void **state)
{
    static const struct {
        int kind, rows, count;
    } cases[] = {{0, 700, 60000},    {0, 100000, 60000}, {1, 3000, 60000},  {2, 500, 90000},
                 {2, 200000, 90000}, {3, 4000, 60000},   {3, 70000, 40000}, {0, 1, 30000}};
    static const int threads[] = {1, 2, 3, 8};
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        size_t size = 0;
        char *text = make_text(cases[c].kind, cases[c].rows, cases[c].count, &size);
        spmm_matrix_t *first = NULL;
        for (size_t t = 0; t < COUNT(threads); t++) {
            spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
            spmm_matrix_t *matrix = NULL;
            options.threads = threads[t];
            assert_int_equal(spmm_matrix_read(text, size, NULL, &options, &matrix, NULL), SPMM_OK);
            if (first == NULL) {
                first = matrix;
                text[size] = '\0';
                check_by_triplets(text, cases[c].kind, first);
                continue;
            }
            assert_same_matrix(first, matrix);
            spmm_matrix_destroy(matrix);
        }
        spmm_matrix_destroy(first);
        free(text);
    }
}

/* reader.h promises that reading takes at most 1.5 times the memory of the result, besides the text and small
 * buffers. */
static void memory_stays_within_one_and_a_half_times_the_result(void **state)
{
    static const struct {
        int kind, rows, count;
    } cases[] = {{0, 20000, 300000}, {2, 20000, 300000}, {1, 20000, 300000}, {3, 20000, 300000}};
    (void)state;
    for (size_t c = 0; c < COUNT(cases); c++) {
        size_t size = 0;
        char *text = make_text(cases[c].kind, cases[c].rows, cases[c].count, &size);
        const uint64_t entries = (uint64_t)cases[c].count * (cases[c].kind == 1 ? 2 : 1);
        const uint64_t result = entries * (cases[c].kind == 2 ? 4 : 12) + 8 * ((uint64_t)cases[c].rows + 1);
        spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
        spmm_matrix_t *matrix = NULL;
        spmm_diag_t diag;
        options.threads = 2;
        options.budget_bytes = result * 3 / 2 + (1 << 20);
        if (spmm_matrix_read(text, size, NULL, &options, &matrix, &diag) != SPMM_OK)
            fail_msg("case %zu: %s", c, diag.text);
        spmm_matrix_destroy(matrix);
        options.budget_bytes = result - 1;
        assert_int_equal(spmm_matrix_read(text, size, NULL, &options, &matrix, &diag), SPMM_ERR_MEMORY);
        assert_non_null(strstr(diag.text, "budget"));
        assert_null(matrix);
        free(text);
    }
}

static void *gzip(const char *text, size_t size, size_t *packed_size)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
    const size_t bound = libdeflate_gzip_compress_bound(compressor, size);
    void *packed = malloc(bound);
    *packed_size = libdeflate_gzip_compress(compressor, text, size, packed, bound);
    libdeflate_free_compressor(compressor);
    return packed;
}

static void *zstd(const char *text, size_t size, size_t *packed_size)
{
    const size_t bound = ZSTD_compressBound(size);
    void *packed = malloc(bound);
    *packed_size = ZSTD_compress(packed, bound, text, size, 3);
    return packed;
}

static void *xz(const char *text, size_t size, size_t *packed_size)
{
    const size_t bound = lzma_stream_buffer_bound(size);
    uint8_t *packed = malloc(bound);
    *packed_size = 0;
    assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, size, packed,
                                             packed_size, bound),
                     LZMA_OK);
    return packed;
}

static void *bzip2(const char *text, size_t size, size_t *packed_size)
{
    unsigned length = (unsigned)(size + size / 100 + 600);
    char *packed = malloc(length);
    char *source = malloc(size + 1); /* libbz2 takes no pointer to const */
    memcpy(source, text, size);
    assert_int_equal(BZ2_bzBuffToBuffCompress(packed, &length, source, (unsigned)size, 1, 0, 0), BZ_OK);
    free(source);
    *packed_size = length;
    return packed;
}

typedef void *(*pack_fn)(const char *text, size_t size, size_t *packed_size);
static const struct {
    pack_fn pack;
    size_t magic_bytes;
    const char *inside; /* part of the message for data of this kind inside other packed data */
} packers[] = {{gzip, 2, "gzip data inside compressed data"},
               {zstd, 4, "zstd data inside compressed data"},
               {xz, 5, "xz data inside compressed data"},
               {bzip2, 3, "bzip2 data inside compressed data"}};

/* Checks that a file packed as a whole and in two pieces gives the same matrix. */
static void check_packed(pack_fn pack)
{
    size_t size = 0;
    char *text = make_text(0, 3000, 20000, &size);
    const size_t half = size / 2;
    spmm_matrix_t *plain = NULL;
    spmm_matrix_t *matrix = NULL;
    size_t whole_size = 0, first_size = 0, second_size = 0;
    char *whole = pack(text, size, &whole_size);
    char *first = pack(text, half, &first_size);
    char *second = pack(text + half, size - half, &second_size);
    first = realloc(first, first_size + second_size);
    memcpy(first + first_size, second, second_size);
    assert_int_equal(spmm_matrix_read(text, size, NULL, NULL, &plain, NULL), SPMM_OK);
    assert_int_equal(spmm_matrix_read(whole, whole_size, NULL, NULL, &matrix, NULL), SPMM_OK);
    assert_same_matrix(plain, matrix);
    spmm_matrix_destroy(matrix);
    assert_int_equal(spmm_matrix_read(first, first_size + second_size, NULL, NULL, &matrix, NULL), SPMM_OK);
    assert_same_matrix(plain, matrix);
    spmm_matrix_destroy(matrix);
    spmm_matrix_destroy(plain);
    free(second);
    free(first);
    free(whole);
    free(text);
}

static void packed_files_are_unpacked(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(packers); i++)
        check_packed(packers[i].pack);
    assert_int_equal(spmmi_alloc_live(), 0);
}

static void check_every_truncation(pack_fn pack, size_t magic_bytes)
{
    size_t size = 0, packed_size = 0;
    char *text = make_text(0, 30, 60, &size);
    char *packed = pack(text, size, &packed_size);
    for (size_t length = 0; length < packed_size; length++) {
        spmm_matrix_t *matrix = NULL;
        char *copy = malloc(length + 1);
        memcpy(copy, packed, length);
        const spmm_status_t status = spmm_matrix_read(copy, length, NULL, NULL, &matrix, NULL);
        assert_null(matrix);
        assert_int_equal(status, length < magic_bytes ? SPMM_ERR_MATRIX_SYNTAX : SPMM_ERR_MATRIX_CONTAINER);
        free(copy);
    }
    free(packed);
    free(text);
}

static void every_truncation_of_a_packed_file_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(packers); i++)
        check_every_truncation(packers[i].pack, packers[i].magic_bytes);
    assert_int_equal(spmmi_alloc_live(), 0);
}

static void check_container(pack_fn pack, const char *text, size_t size, size_t extra, spmm_status_t expected,
                            const char *excerpt)
{
    size_t packed_size = 0;
    spmm_matrix_t *matrix = NULL;
    spmm_diag_t diag;
    char *packed = pack(text, size, &packed_size);
    packed = realloc(packed, packed_size + extra + 1);
    memset(packed + packed_size, 'x', extra);
    assert_int_equal(spmm_matrix_read(packed, packed_size + extra, NULL, NULL, &matrix, &diag), expected);
    if (strstr(diag.text, excerpt) == NULL)
        fail_msg("expected \"%s\", found: %s", excerpt, diag.text);
    assert_null(matrix);
    free(packed);
}

static void strange_packed_files_are_refused(void **state)
{
    const size_t size = 8 << 20;
    char *zeros = calloc(1, size);
    const char *text = REAL "1 1 1\n1 1 1\n";
    (void)state;
    for (size_t i = 0; i < COUNT(packers); i++) {
        size_t inner_size = 0;
        const pack_fn pack = packers[i].pack;
        char *inner = pack(text, strlen(text), &inner_size);
        check_container(pack, text, strlen(text), 5, SPMM_ERR_MATRIX_CONTAINER, "data is damaged");
        check_container(pack, inner, inner_size, 0, SPMM_ERR_MATRIX_SYNTAX, packers[i].inside);
        free(inner);
        check_container(pack, zeros, size, 0, SPMM_ERR_MATRIX_SYNTAX, "expected %%MatrixMarket");
        check_container(pack, "", 0, 0, SPMM_ERR_MATRIX_SYNTAX, "an empty file");
    }
    free(zeros);
    assert_int_equal(spmmi_alloc_live(), 0);
}

/* A frame of 11 bytes requests a window of 18 MiB. The memory of the zstd decoder must count towards the
 * budget. */
static void the_window_of_zstd_is_within_the_budget(void **state)
{
    static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0x71, 0, 0, 0, 0, 0};
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_matrix_t *matrix = NULL;
    spmm_diag_t diag;
    (void)state;
    options.budget_bytes = 16 << 20;
    spmmi_alloc_peak_reset();
    assert_int_equal(spmm_matrix_read(frame, sizeof frame, "a.mtx.zst", &options, &matrix, &diag),
                     SPMM_ERR_MEMORY);
    assert_non_null(strstr(diag.text, "the zstd decoder needs"));
    assert_true(spmmi_alloc_peak_bytes() <= options.budget_bytes);
    assert_int_equal(spmmi_alloc_live(), 0);
}

/* A valid start is followed by many empty lines: only the budget stops such a decompression bomb. */
static void decompression_stops_at_the_budget(void **state)
{
    const size_t size = 32 << 20;
    char *text = malloc(size);
    (void)state;
    memset(text, '\n', size);
    memcpy(text, REAL, strlen(REAL));
    for (size_t i = 0; i < COUNT(packers); i++) {
        size_t packed_size = 0;
        spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
        spmm_matrix_t *matrix = NULL;
        char *packed = packers[i].pack(text, size, &packed_size);
        options.budget_bytes = 4 << 20;
        assert_int_equal(spmm_matrix_read(packed, packed_size, NULL, &options, &matrix, NULL),
                         SPMM_ERR_MEMORY);
        assert_null(matrix);
        free(packed);
    }
    free(text);
}

/* Lets the k-th allocation fail, for each k until the read succeeds. */
static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (size_t variant = 0; variant <= COUNT(packers); variant++) {
        size_t size = 0, packed_size = 0;
        char *text = make_text((int)variant % 3 == 2 ? 3 : (int)variant % 3, 300, 9000, &size);
        char *packed = variant == 0 ? NULL : packers[variant - 1].pack(text, size, &packed_size);
        spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
        int64_t k = 0;
        options.threads = 2;
        for (;; k++) {
            spmm_diag_t diag;
            spmm_matrix_t *matrix = NULL;
            spmmi_alloc_fail_at(k, (int)(k % 2));
            const spmm_status_t status =
                spmm_matrix_read(packed != NULL ? packed : text, packed != NULL ? packed_size : size, NULL,
                                 &options, &matrix, &diag);
            spmmi_alloc_fail_at(-1, 0);
            spmm_matrix_destroy(matrix);
            assert_int_equal(spmmi_alloc_live(), 0);
            if (status == SPMM_OK)
                break;
            assert_int_equal(status, SPMM_ERR_MEMORY);
            assert_int_equal(diag.status, SPMM_ERR_MEMORY);
            assert_null(matrix);
            assert_true(k < 100);
        }
        assert_true(k > 5);
        free(packed);
        free(text);
    }
}

struct progress {
    pthread_t thread;
    int calls;
    int wrong;
};

static void note_progress(void *context, const char *stage, uint64_t done, uint64_t total)
{
    struct progress *progress = context;
    progress->calls++;
    progress->wrong +=
        !pthread_equal(progress->thread, pthread_self()) || stage == NULL || (total != 0 && done > total);
}

static void progress_comes_from_the_calling_thread(void **state)
{
    size_t size = 0;
    char *text = make_text(0, 1000, 150000, &size);
    struct progress progress = {pthread_self(), 0, 0};
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_matrix_t *matrix = NULL;
    (void)state;
    options.threads = 2;
    options.progress = note_progress;
    options.progress_context = &progress;
    assert_int_equal(spmm_matrix_read(text, size, NULL, &options, &matrix, NULL), SPMM_OK);
    assert_true(progress.calls > 0);
    assert_int_equal(progress.wrong, 0);
    spmm_matrix_destroy(matrix);
    free(text);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

struct writer {
    const char *path, *text;
    size_t size;
};

static void *write_fifo(void *context)
{
    const struct writer *writer = context;
    FILE *file = fopen(writer->path, "wb");
    if (file != NULL) {
        (void)fwrite(writer->text, 1, writer->size, file);
        (void)fclose(file);
    }
    return NULL;
}

static void check_io(const char *path, spmm_status_t expected, const char *excerpt)
{
    spmm_matrix_t *matrix = NULL;
    spmm_diag_t diag;
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    options.budget_bytes = 8 << 20;
    assert_int_equal(spmm_matrix_load(path, &options, &matrix, &diag), expected);
    if (strstr(diag.text, excerpt) == NULL)
        fail_msg("%s: %s", path, diag.text);
    assert_null(matrix);
}

static void files_pipes_and_devices_are_read_or_refused(void **state)
{
    char folder[] = "/tmp/spmm-read-XXXXXX";
    char file[64], fifo[64];
    size_t size = 0, packed_size = 0;
    char *text = make_text(0, 3000, 20000, &size);
    char *packed = gzip(text, size, &packed_size);
    spmm_matrix_t *plain = NULL;
    spmm_matrix_t *matrix = NULL;
    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(file, sizeof file, "%s/a.mtx", folder);
    (void)snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    assert_int_equal(spmm_matrix_read(text, size, NULL, NULL, &plain, NULL), SPMM_OK);

    write_file(file, text, size);
    assert_int_equal(spmm_matrix_load(file, NULL, &matrix, NULL), SPMM_OK);
    assert_same_matrix(plain, matrix);
    spmm_matrix_destroy(matrix);
    write_file(file, packed, packed_size);
    assert_int_equal(spmm_matrix_load(file, NULL, &matrix, NULL), SPMM_OK);
    assert_same_matrix(plain, matrix);
    spmm_matrix_destroy(matrix);

    /* Reads the file as standard input. */
    const int saved = dup(STDIN_FILENO);
    const int input = open(file, O_RDONLY);
    assert_true(dup2(input, STDIN_FILENO) == STDIN_FILENO);
    assert_int_equal(spmm_matrix_load("-", NULL, &matrix, NULL), SPMM_OK);
    (void)close(STDIN_FILENO);
    check_io("-", SPMM_ERR_IO, "standard input: cannot look at the file");
    (void)dup2(saved, STDIN_FILENO);
    (void)close(saved);
    (void)close(input);
    assert_same_matrix(plain, matrix);
    spmm_matrix_destroy(matrix);

    /* Reads a pipe, and then devices that hold something else or never end. */
    pthread_t thread;
    struct writer writer = {fifo, text, size};
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(pthread_create(&thread, NULL, write_fifo, &writer), 0);
    assert_int_equal(spmm_matrix_load(fifo, NULL, &matrix, NULL), SPMM_OK);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_same_matrix(plain, matrix);
    spmm_matrix_destroy(matrix);
    check_io("/dev/zero", SPMM_ERR_MATRIX_SYNTAX, "expected %%MatrixMarket");
    check_io("/dev/null", SPMM_ERR_MATRIX_SYNTAX, "an empty file");
    check_io(folder, SPMM_ERR_IO, "directory");
    (void)strcat(file, ".missing");
    check_io(file, SPMM_ERR_IO, "cannot open the file");
    file[strlen(file) - strlen(".missing")] = '\0';
    if (geteuid() != 0) {
        assert_int_equal(chmod(file, 0), 0);
        check_io(file, SPMM_ERR_IO, "cannot open the file");
    }

    assert_int_equal(unlink(file), 0);
    assert_int_equal(unlink(fifo), 0);
    assert_int_equal(rmdir(folder), 0);
    spmm_matrix_destroy(plain);
    free(packed);
    free(text);
    assert_int_equal(spmmi_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_threads_gives_the_same_matrix),
        cmocka_unit_test(memory_stays_within_one_and_a_half_times_the_result),
        cmocka_unit_test(packed_files_are_unpacked),
        cmocka_unit_test(every_truncation_of_a_packed_file_is_refused),
        cmocka_unit_test(strange_packed_files_are_refused),
        cmocka_unit_test(decompression_stops_at_the_budget),
        cmocka_unit_test(the_window_of_zstd_is_within_the_budget),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(progress_comes_from_the_calling_thread),
        cmocka_unit_test(files_pipes_and_devices_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
