/* SPDX-License-Identifier: Apache-2.0 */
/* Checks paths through the readers that few files take: long names, many threads, no bytes, large and small
 * packed members, arrays in segments, and errors of the operating system while a file is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zstd.h>

#include "format/base/alloc.h"
#include "inspector/read/decimal.h"
#include "read_check.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SYNTAX SPMM_ERR_MATRIX_SYNTAX
#define CONTAINER SPMM_ERR_MATRIX_CONTAINER
#define BANNER "%%MatrixMarket matrix coordinate real general\n"
#define SMALL BANNER "2 2 1\n1 1 1\n"

/* ---- the operating system: this program's pread, read and fstat fail on demand ---- */

static struct {
    int error;   /* errno; 0: no call fails; -1: the file ends early */
    int at;      /* number of the first call that fails, from 0 */
    int repeats; /* number of calls in a row that fail */
} fault;

/* Returns the result of a call that must fail, or 1 if the call must be made. */
static ssize_t answer(void)
{
    if (fault.error == 0 || fault.at-- > 0 || fault.repeats-- <= 0)
        return 1;
    fault.at = 0;
    errno = fault.error;
    return fault.error < 0 ? 0 : -1;
}

ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
    const ssize_t first = answer();
    return first == 1 ? (ssize_t)syscall(SYS_pread64, fd, buffer, size, offset) : first;
}

ssize_t read(int fd, void *buffer, size_t size)
{
    const ssize_t first = answer();
    return first == 1 ? (ssize_t)syscall(SYS_read, fd, buffer, size) : first;
}

/* Writes a file with comments and one entry that is longer than two blocks of 4 MiB, and returns its path. */
static void write_long_file(char path[64])
{
    const size_t size = 9u << 20;
    char *text = malloc(size);
    (void)snprintf(path, 64, "/tmp/spmm-edges-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    memset(text, '%', size);
    memcpy(text, BANNER, strlen(BANNER));
    memcpy(text + size - 16, "\n2 2 1\n1 1 0001\n", 16);
    assert_int_equal(write(fd, text, size), (ssize_t)size);
    assert_int_equal(close(fd), 0);
    free(text);
}

static spmm_status_t load(const char *path, uint64_t budget, int threads, spmm_diag_t *diag)
{
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_matrix_t *matrix = NULL;
    options.budget_bytes = budget;
    options.threads = threads;
    const spmm_status_t status = spmm_matrix_load(path, &options, &matrix, diag);
    assert_int_equal(status == SPMM_OK, matrix != NULL);
    spmm_matrix_destroy(matrix);
    assert_int_equal(spmmi_alloc_live(), 0);
    return status;
}

static void errors_of_the_file_system_are_told(void **state)
{
    static const struct {
        int error, at, repeats;
        spmm_status_t status;
        const char *excerpt;
    } cases[] = {
        {EIO, 0, 1, SPMM_ERR_IO, "cannot read the file: Input/output error"},
        {EIO, 2, 9, SPMM_ERR_IO, "cannot read the file: Input/output error"},
        {-1, 0, 9, SPMM_ERR_IO, "the file became shorter while it was read"},
        {-1, 1, 9, SPMM_ERR_IO, "the file became shorter while it was read"},
        {EINTR, 0, 1, SPMM_OK, ""},
        {EINTR, 1, 1, SPMM_OK, ""},
    };
    char path[64];
    spmm_diag_t diag;
    (void)state;
    write_long_file(path);
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int threads = 1; threads <= 2; threads++) {
            fault.error = cases[i].error, fault.at = cases[i].at, fault.repeats = cases[i].repeats;
            const spmm_status_t status = load(path, 0, threads, &diag);
            fault.error = 0;
            assert_int_equal(status, cases[i].status);
            assert_non_null(strstr(diag.text, cases[i].excerpt));
        }
    (void)unlink(path);
}

static void errors_of_a_stream_are_told(void **state)
{
    static const char device[] = "/proc/self/status"; /* its size is reported as 0, as for a pipe */
    spmm_diag_t diag;
    (void)state;
    fault.error = EIO, fault.at = 0, fault.repeats = 1;
    assert_int_equal(load(device, 0, 1, &diag), SPMM_ERR_IO);
    assert_non_null(strstr(diag.text, "Input/output error"));
    fault.error = EINTR, fault.at = 0, fault.repeats = 1;
    assert_int_equal(load(device, 0, 1, &diag), SYNTAX);
    fault.error = 0;
}

static void what_the_budget_does_not_hold_is_not_read(void **state)
{
    static const uint64_t budgets[] = {1000, 100000};
    char path[64];
    char feed[96];
    spmm_diag_t diag;
    (void)state;
    write_long_file(path);
    for (size_t i = 0; i < COUNT(budgets); i++) {
        assert_int_equal(load(path, budgets[i], 1, &diag), SPMM_ERR_MEMORY);
        (void)snprintf(feed, sizeof feed, "cat %s", path);
        FILE *pipe = popen(feed, "r");
        assert_non_null(pipe);
        (void)snprintf(feed, sizeof feed, "/dev/fd/%d", fileno(pipe));
        assert_int_equal(load(feed, budgets[i], 1, &diag), SPMM_ERR_MEMORY);
        (void)pclose(pipe);
    }
    (void)unlink(path);
}

/* ---- arguments ---- */

static void arguments_at_their_ends_are_taken(void **state)
{
    char name[300];
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_matrix_t *matrix = NULL;
    spmm_diag_t diag;
    (void)state;
    memset(name, 'a', sizeof name);
    memcpy(name + sizeof name - 5, ".mtx", 5);
    options.threads = 100000;
    assert_int_equal(spmm_matrix_read(SMALL, strlen(SMALL), name, &options, &matrix, &diag), SPMM_OK);
    spmm_matrix_destroy(matrix);
    assert_int_equal(spmm_matrix_read(NULL, 0, name, NULL, &matrix, &diag), SYNTAX);
    assert_non_null(strstr(diag.text, "an empty file"));
    options.struct_size = 1;
    assert_int_equal(spmm_matrix_load("any.mtx", &options, &matrix, &diag), SPMM_ERR_ARGUMENT);
}

static void a_first_line_without_end_is_no_smtx(void **state)
{
    static char text[200000];
    char path[] = "/tmp/spmm-edges-XXXXXX.smtx";
    const int fd = mkstemps(path, 5);
    spmm_diag_t diag;
    (void)state;
    memset(text, '1', sizeof text);
    assert_int_equal(write(fd, text, sizeof text), sizeof text);
    assert_int_equal(close(fd), 0);
    assert_int_equal(load(path, 0, 1, &diag), SYNTAX);
    assert_non_null(strstr(diag.text, "\"rows, columns, nonzeros\""));
    (void)unlink(path);
}

/* ---- packed files ---- */

struct packed {
    char *bytes;
    size_t size;
};

static void add_gzip(struct packed *p, const char *text, size_t size)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
    const size_t bound = libdeflate_gzip_compress_bound(c, size);
    p->bytes = realloc(p->bytes, p->size + bound);
    p->size += libdeflate_gzip_compress(c, text, size, p->bytes + p->size, bound);
    libdeflate_free_compressor(c);
}

static spmm_status_t read_packed(const struct packed *p, uint64_t budget, spmm_diag_t *diag)
{
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_matrix_t *matrix = NULL;
    options.budget_bytes = budget;
    const spmm_status_t status = spmm_matrix_read(p->bytes, p->size, "a.mtx", &options, &matrix, diag);
    spmm_matrix_destroy(matrix);
    assert_int_equal(spmmi_alloc_live(), 0);
    return status;
}

/* gzip stores a size with each member. The size of the last member is not the size of the file. */
static void gzip_of_unlike_members_is_unpacked(void **state)
{
    const size_t size = 1 << 20;
    char *text = malloc(size);
    struct packed p = {NULL, 0};
    spmm_diag_t diag;
    (void)state;
    memset(text, '%', size);
    memcpy(text, BANNER, strlen(BANNER));
    text[size - 1] = '\n';
    add_gzip(&p, text, size);
    add_gzip(&p, "2 2 1\n", 6);
    add_gzip(&p, "1 1 1\n", 6);
    assert_int_equal(read_packed(&p, 0, &diag), SPMM_OK);
    assert_int_equal(read_packed(&p, 600000, &diag), SPMM_ERR_MEMORY);
    memset(p.bytes + p.size - 4, 0xff, 4); /* larger than a file of this length can unpack to */
    assert_int_equal(read_packed(&p, 0, &diag), CONTAINER);
    free(p.bytes);
    p = (struct packed){NULL, 0};
    memset(text, 'x', size);
    add_gzip(&p, text, size);
    assert_int_equal(read_packed(&p, 0, &diag), SYNTAX);
    free(p.bytes);
    free(text);
}

/* A frame with 8 MiB of text is read whether it states its size or not. If it claims 65 MiB or 1 GiB, it is
 * refused as damaged, as with any other wrong size. */
static void zstd_frames_may_claim_any_size(void **state)
{
    static const uint64_t claims[] = {UINT64_C(65) << 20, UINT64_C(1) << 30};
    const size_t size = 8u << 20;
    char *text = malloc(size);
    struct packed p = {malloc(ZSTD_compressBound(size)), 0};
    spmm_diag_t diag;
    uint64_t random = 88172645463325252u;
    ZSTD_CCtx *context = ZSTD_createCCtx();
    (void)state;
    memcpy(text, BANNER "%", strlen(BANNER) + 1);
    for (size_t i = strlen(BANNER) + 1; i < size; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        text[i] = (char)('0' + (random >> 60) % 10);
    }
    memcpy(text + size - 16, "\n2 2 1\n1 1 0001\n", 16);
    for (int known = 0; known < 2; known++) { /* whether the frame states its size */
        assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, known)));
        p.size = ZSTD_compress2(context, p.bytes, ZSTD_compressBound(size), text, size);
        assert_int_equal(read_packed(&p, 0, &diag), SPMM_OK);
    }
    for (size_t i = 0; i < COUNT(claims); i++) {
        /* The descriptor says that the size has 4 bytes. The size follows the descriptor and, if there is
         * one, the window byte. */
        const unsigned descriptor = (unsigned char)p.bytes[4];
        assert_int_equal(descriptor >> 6, 2);
        const size_t at = (descriptor & 32) != 0 ? 5 : 6;
        const uint32_t claim = (uint32_t)claims[i];
        memcpy(p.bytes + at, &claim, sizeof claim);
        assert_int_equal(read_packed(&p, 0, &diag), CONTAINER);
    }
    p.size = ZSTD_compress(p.bytes, ZSTD_compressBound(size), text + size - 100000, 100000, 1);
    assert_int_equal(read_packed(&p, 0, &diag), SYNTAX); /* no banner; longer than the first buffer */
    ZSTD_freeCCtx(context);
    free(p.bytes);
    free(text);
}

/* ---- arrays and rows ---- */

/* The text is long enough for several segments. A segment of a triangle may start in the middle of a
 * column. */
static void arrays_in_segments_are_one_matrix(void **state)
{
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};
    const int n = 500;
    char *text = malloc((size_t)n * (size_t)n * 8 + 100);
    (void)state;
    for (size_t s = 0; s < COUNT(symmetries); s++) {
        const int count = s == 0 ? n * n : s == 1 ? n * (n + 1) / 2 : n * (n - 1) / 2;
        spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
        spmm_matrix_t *matrices[2] = {NULL, NULL};
        char *p = text + sprintf(text, "%%%%MatrixMarket matrix array real %s\n%d %d\n", symmetries[s], n, n);
        for (int i = 0; i < count; i++)
            p += sprintf(p, "%d\n", i + 1);
        for (int t = 0; t < 2; t++) {
            options.threads = t == 0 ? 1 : 7;
            assert_int_equal(spmm_matrix_read(text, (size_t)(p - text), NULL, &options, &matrices[t], NULL),
                             SPMM_OK);
        }
        assert_same_matrix(symmetries[s], matrices[0], matrices[1]);
        spmm_matrix_destroy(matrices[0]);
        spmm_matrix_destroy(matrices[1]);
    }
    free(text);
}

/* Some lines are longer than a segment, so there are fewer segments than threads. */
static void lines_longer_than_a_segment_are_read(void **state)
{
    const size_t size = 3u << 20;
    char *text = malloc(size + 64);
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_matrix_t *matrix = NULL;
    (void)state;
    options.threads = 32;
    char *p = stpcpy(text, "%%MatrixMarket matrix array real general\n2 1\n1\n%");
    memset(p, '%', size);
    p = stpcpy(p + size, "\n2\n%");
    assert_int_equal(spmm_matrix_read(text, (size_t)(p - text), NULL, &options, &matrix, NULL), SPMM_OK);
    spmm_matrix_destroy(matrix);
    p = stpcpy(text, "%%MatrixMarket matrix array real general\n2 1\n1\n2\n%");
    memset(p, '%', size); /* now the long line is the last one */
    assert_int_equal(spmm_matrix_read(text, (size_t)(p - text) + size, NULL, &options, &matrix, NULL),
                     SPMM_OK);
    spmm_matrix_destroy(matrix);
    free(text);
}

/* Both halves of the row are unsorted, but all columns of the first half are smaller. So no merge is
 * needed. */
static void halves_in_order_are_not_merged(void **state)
{
    char text[4096];
    spmm_csr_t csr;
    char *p = text + sprintf(text, "%s1 60 60\n", BANNER);
    (void)state;
    for (int i = 0; i < 60; i++)
        p += sprintf(p, "1 %d %d\n", (i ^ 1) + 1, i ^ 1);
    spmm_matrix_t *matrix = must_read("a.mtx", text, (size_t)(p - text));
    assert_int_equal(spmm_matrix_csr(matrix, &csr), SPMM_OK);
    for (int i = 0; i < 60; i++)
        assert_true(((const double *)csr.values)[i] == i);
    spmm_matrix_destroy(matrix);
}

static void failing_allocations_are_survived(void **state)
{
    static const char *const files[][2] = {
        {"a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"},
        {"a.smtx", "2, 4, 3\n0 2 3\n3 1 0\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++)
        survive_failing_allocations(files[i][0], files[i][1], strlen(files[i][1]));
}

/* ---- the exact comparison behind decimals ---- */

static void decimals_are_compared_exactly(void **state)
{
    static char digits[1202];
    (void)state;
    memset(digits, '0', sizeof digits);
    digits[0] = '1';
    const struct spmmi_decimal one = {digits, digits + 1201, -1200};
    assert_int_equal(spmmi_decimal_compare(&one, 1, 0), 0);
    digits[1199] = digits[1200] = '1'; /* after all digits that are kept */
    assert_true(spmmi_decimal_compare(&one, 1, 0) > 0);
    const struct spmmi_decimal large = {digits, digits + 30, 0};
    assert_true(spmmi_decimal_compare(&large, 1, 0) > 0);
    assert_true(spmmi_decimal_compare(&large, 1, 300) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_the_file_system_are_told),
        cmocka_unit_test(errors_of_a_stream_are_told),
        cmocka_unit_test(what_the_budget_does_not_hold_is_not_read),
        cmocka_unit_test(arguments_at_their_ends_are_taken),
        cmocka_unit_test(a_first_line_without_end_is_no_smtx),
        cmocka_unit_test(gzip_of_unlike_members_is_unpacked),
        cmocka_unit_test(zstd_frames_may_claim_any_size),
        cmocka_unit_test(arrays_in_segments_are_one_matrix),
        cmocka_unit_test(lines_longer_than_a_segment_are_read),
        cmocka_unit_test(halves_in_order_are_not_merged),
        cmocka_unit_test(failing_allocations_are_survived),
        cmocka_unit_test(decimals_are_compared_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
