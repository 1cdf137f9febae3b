/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of large sections are decoded from the file without a copy in memory. Every error is reported as if
 * the whole file had been read. In this test all sections count as large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <spmm/spmm.h>

#include "format/base/alloc.h"
#include "format/base/file_io.h"
#include "format/file/plan_read.h"
#include "format/file/row_lengths.h"
#include "format/file/transform.h"
#include "tests/support/forge.h"

#define PATH_BYTES 64
#define FRAME_VALUES 524288 /* f32 values per frame */
#define CHANGED_EVERY 37    /* in bytes; a prime, so that all fields are hit */

static char folder[32], path[PATH_BYTES];

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/spmm-left-XXXXXX");
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/a.plan", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path) | rmdir(folder);
}

static int leave_nothing(void **state)
{
    (void)state;
    spmmi_left_min_hook = UINT64_MAX;
    spmmi_io_set(NULL);
    return 0;
}

/* Makes a plan of this matrix and saves it to the file. */
static spmm_plan_t *make_plan_with(const char *matrix, const spmm_inspect_options_t *options)
{
    spmm_matrix_t *a = NULL;
    spmm_plan_t *plan = NULL;
    assert_int_equal(spmm_matrix_generate(matrix, &a, NULL), SPMM_OK);
    assert_int_equal(spmm_inspect(a, options, &plan, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_save(plan, path, NULL, NULL), SPMM_OK);
    spmm_matrix_destroy(a);
    return plan;
}

static spmm_plan_t *make_plan(const char *matrix)
{
    return make_plan_with(matrix, NULL);
}

/* Does the same with permuted rows and columns. */
static spmm_plan_t *make_permuted(const char *matrix)
{
    const spmm_inspect_options_t options = {
        .struct_size = sizeof options, .symmetric_permutation = 1, .reorder = SPMM_REORDER_RCM};
    spmm_plan_t *plan = make_plan_with(matrix, &options);
    assert_non_null(plan->symmetric_permutation);
    return plan;
}

static void write_plan(const char *matrix)
{
    spmm_plan_destroy(make_plan(matrix));
}

/* Does the same for a triple product. */
static spmm_plan_t *make_product(const char *matrix)
{
    spmm_matrix_t *a = NULL;
    spmm_plan_t *plan = NULL;
    assert_int_equal(spmm_matrix_generate(matrix, &a, NULL), SPMM_OK);
    const spmm_product_factor_t factors[] = {{a, SPMM_OP_T}, {a, SPMM_OP_N}, {a, SPMM_OP_N}};
    assert_int_equal(spmm_product_inspect(factors, 3, NULL, &plan, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_save(plan, path, NULL, NULL), SPMM_OK);
    spmm_matrix_destroy(a);
    return plan;
}

static spmm_status_t load(uint64_t left_min, int threads, spmm_plan_t **plan, spmm_diag_t *diag)
{
    spmm_load_options_t options = SPMM_LOAD_OPTIONS_INIT;
    options.threads = threads;
    spmmi_left_min_hook = left_min;
    *plan = NULL;
    return spmm_plan_load(path, &options, plan, diag);
}

/* Checks that two plans have the same arrays. */
static void expect_equal(const spmm_plan_t *p, const spmm_plan_t *q)
{
    const size_t value_bytes = spmm_dtype_size(p->dtype);
    assert_int_equal(p->nnz, q->nnz);
    assert_memory_equal(p->row_ptr, q->row_ptr, ((size_t)p->rows + 1) * sizeof *p->row_ptr);
    assert_memory_equal(p->col_ind, q->col_ind, (size_t)p->nnz * sizeof *p->col_ind);
    assert_int_equal(p->values != NULL, q->values != NULL);
    if (p->values != NULL)
        assert_memory_equal(p->values, q->values, (size_t)p->nnz * value_bytes);
    assert_int_equal(p->symmetric_permutation != NULL, q->symmetric_permutation != NULL);
    if (p->symmetric_permutation != NULL)
        assert_memory_equal(p->symmetric_permutation, q->symmetric_permutation,
                            (size_t)p->rows * sizeof *p->symmetric_permutation);
    assert_int_equal(p->part_count, q->part_count);
    for (uint32_t i = 0; i < p->part_count; i++)
        assert_memory_equal(p->parts[i].items, q->parts[i].items,
                            p->parts[i].item_count * sizeof *p->parts[i].items);
    for (uint32_t m = 0; p->product != NULL && m < spmmi_spgemm_matrices(p->product); m++) {
        const struct spmmi_spgemm_matrix *const a = &p->product->matrices[m], *const b =
                                                                                  &q->product->matrices[m];
        assert_int_equal(a->nnz, b->nnz);
        assert_memory_equal(a->row_ptr, b->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
        assert_memory_equal(a->col_ind, b->col_ind, (size_t)a->nnz * sizeof *a->col_ind);
    }
}

static void plans_are_the_same(void **state)
{
    static const char *const matrices[] = {"gen:rand:3000:8", "gen:lap27:16", "gen:rmat:10:8"};
    (void)state;
    for (size_t m = 0; m < 2 * sizeof matrices / sizeof *matrices; m++)
        for (int threads = 1; threads <= 3; threads += 2) {
            spmm_plan_t *from_file;
            spmm_plan_t *plan = m % 2 == 0 ? make_plan(matrices[m / 2]) : make_permuted(matrices[m / 2]);
            const uint64_t before = spmmi_left_loads_hook;
            assert_int_equal(load(1, threads, &from_file, NULL), SPMM_OK);
            assert_int_equal(spmmi_left_loads_hook, before + 1);
            expect_equal(plan, from_file);
            spmm_plan_destroy(from_file);
            spmm_plan_destroy(plan);
        }
}

/* Returns values. Those of the first frame are noise, so that the stored frame is longer than its elements.
 * All others are 1. */
static uint32_t *make_noise(int64_t count)
{
    const float one = 1;
    uint32_t *noise = malloc((size_t)count * sizeof *noise), x = 1;
    assert_non_null(noise);
    for (int64_t q = 0; q < count; q++) {
        x = x * 1664525u + 1013904223u;
        noise[q] = x ^ x >> 13;
        if (q >= FRAME_VALUES)
            memcpy(&noise[q], &one, sizeof one);
    }
    return noise;
}

static void a_long_frame_takes_the_whole_file(void **state)
{
    spmm_plan_t *plan = make_plan("gen:rand:75000:8"), *noisy = NULL, *loaded;
    uint32_t *noise = make_noise(plan->nnz);
    (void)state;
    assert_true(plan->nnz > FRAME_VALUES + FRAME_VALUES / 8);
    assert_int_equal(spmm_plan_with_values(plan, noise, SPMM_F32, &noisy, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_save(noisy, path, NULL, NULL), SPMM_OK);
    const uint64_t before = spmmi_left_loads_hook;
    assert_int_equal(load(1 << 20, 1, &loaded, NULL), SPMM_OK);
    assert_int_equal(spmmi_left_loads_hook, before);
    expect_equal(loaded, noisy);
    spmm_plan_destroy(loaded);
    spmm_plan_destroy(noisy);
    spmm_plan_destroy(plan);
    free(noise);
}

static void change_byte(int file, off_t at, uint8_t bits)
{
    uint8_t byte;
    assert_int_equal(pread(file, &byte, 1, at), 1);
    byte ^= bits;
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
}

static void each_wrong_byte_is_told_alike(void)
{
    const int file = open(path, O_RDWR);
    const off_t size = lseek(file, 0, SEEK_END);
    for (off_t at = 0; at < size; at += CHANGED_EVERY) {
        spmm_diag_t whole, left;
        spmm_plan_t *plan;
        change_byte(file, at, (uint8_t)(1u << at % 8));
        const spmm_status_t expected = load(UINT64_MAX, 1, &plan, &whole);
        assert_int_not_equal(expected, SPMM_OK);
        assert_int_equal(load(1, 1 + (int)(at % 3), &plan, &left), expected);
        assert_null(plan);
        assert_int_equal(left.offset, whole.offset);
        assert_string_equal(left.text, whole.text);
        change_byte(file, at, (uint8_t)(1u << at % 8));
    }
    assert_int_equal(close(file), 0);
}

static void every_wrong_byte_is_told_alike(void **state)
{
    (void)state;
    write_plan("gen:rand:600:8");
    each_wrong_byte_is_told_alike();
    spmm_plan_destroy(make_permuted("gen:rand:300:4"));
    each_wrong_byte_is_told_alike();
    spmm_plan_destroy(make_product("gen:rand:200:3"));
    each_wrong_byte_is_told_alike();
}

static int wrong_read;  /* index of the call that fails */
static int read_length; /* its result: -1, 0, or 1 byte; 2: all bytes, the last one changed */

static ssize_t read_wrongly(int file, void *bytes, size_t size, off_t at)
{
    errno = EIO;
    if (wrong_read-- != 0)
        return spmmi_io_system.pread(file, bytes, size, at);
    if (read_length < 2)
        return read_length <= 0 ? read_length : spmmi_io_system.pread(file, bytes, 1, at);
    const ssize_t got = spmmi_io_system.pread(file, bytes, size, at);
    ((uint8_t *)bytes)[got - 1] ^= 1u;
    return got;
}

/* As if another process changed the file. A frame is decoded only if its hash fits, and the file is read once
 * more. */
static void reads_that_go_wrong_are_made_again(void **state)
{
    struct spmmi_io table = spmmi_io_system;
    spmm_plan_t *expected;
    (void)state;
    write_plan("gen:rand:600:8");
    assert_int_equal(load(UINT64_MAX, 1, &expected, NULL), SPMM_OK);
    table.pread = read_wrongly;
    spmmi_io_set(&table);
    for (read_length = -1; read_length <= 2; read_length++)
        for (int k = 0, is_past = 0; !is_past; k++) {
            spmm_plan_t *plan;
            const uint64_t before = spmmi_left_loads_hook;
            wrong_read = k;
            assert_int_equal(load(1, 1, &plan, NULL), SPMM_OK);
            is_past = wrong_read >= 0; /* there were fewer calls */
            assert_true(is_past || read_length > 0 || spmmi_left_loads_hook == before);
            expect_equal(plan, expected);
            spmm_plan_destroy(plan);
        }
    spmm_plan_destroy(expected);
}

static uint64_t bytes_read;

static ssize_t read_counted(int file, void *bytes, size_t size, off_t at)
{
    const ssize_t got = spmmi_io_system.pread(file, bytes, size, at);
    bytes_read += got > 0 ? (uint64_t)got : 0;
    return got;
}

/* All sections claim the whole file after the table. The file must not be read once per section. */
static void sections_that_overlap_are_not_read_twice(void **state)
{
    struct spmmi_io table = spmmi_io_system;
    uint8_t bytes[SPMMI_ENTRY_BYTES];
    spmm_plan_t *plan;
    (void)state;
    write_plan("gen:rand:600:8");
    const int file = open(path, O_RDWR);
    const uint64_t size = (uint64_t)lseek(file, 0, SEEK_END);
    assert_int_equal(pread(file, bytes, sizeof bytes, SPMMI_HEADER_BYTES), sizeof bytes);
    struct spmmi_entry first, e;
    spmmi_record_load(&spmmi_entry_record, bytes, &first);
    uint32_t count = 0;
    for (off_t at = SPMMI_HEADER_BYTES; (uint64_t)at + SPMMI_ENTRY_BYTES <= first.offset;
         at += SPMMI_ENTRY_BYTES, count++) {
        assert_int_equal(pread(file, bytes, sizeof bytes, at), sizeof bytes);
        spmmi_record_load(&spmmi_entry_record, bytes, &e);
        e.offset = first.offset;
        e.stored_bytes = size - first.offset;
        spmmi_record_store(&spmmi_entry_record, &e, bytes);
        assert_int_equal(pwrite(file, bytes, sizeof bytes, at), sizeof bytes);
    }
    assert_int_equal(close(file), 0);
    assert_true(count > 4);
    table.pread = read_counted;
    spmmi_io_set(&table);
    bytes_read = 0;
    assert_int_not_equal(load(1, 1, &plan, NULL), SPMM_OK);
    assert_true(bytes_read < 3 * size);
}

static uint64_t file_size;
static int is_inside; /* whether all reads were inside the file and after its header */

static ssize_t read_inside(int file, void *bytes, size_t size, off_t at)
{
    is_inside = is_inside && at >= SPMMI_HEADER_BYTES && (uint64_t)at + size <= file_size;
    return spmmi_io_system.pread(file, bytes, size, at);
}

/* Changes a plan file, repairs its hashes, and checks that a load refuses it, without a read outside the file:
 * such a read would write outside the memory for the file. */
static void expect_reads_inside(void (*change)(uint8_t *bytes), spmm_status_t expected, const char *text)
{
    struct spmmi_io table = spmmi_io_system;
    spmm_diag_t diag;
    spmm_plan_t *plan;
    write_plan("gen:rand:2:1");
    const int file = open(path, O_RDWR);
    file_size = (uint64_t)lseek(file, 0, SEEK_END);
    uint8_t *bytes = malloc(file_size);
    assert_non_null(bytes);
    assert_int_equal(pread(file, bytes, file_size, 0), file_size);
    change(bytes);
    forge_repair(bytes, file_size);
    assert_int_equal(pwrite(file, bytes, file_size, 0), file_size);
    assert_int_equal(close(file), 0);
    free(bytes);
    table.pread = read_inside;
    spmmi_io_set(&table);
    is_inside = 1;
    assert_int_equal(load(1, 1, &plan, &diag), expected);
    assert_true(is_inside);
    assert_non_null(strstr(diag.text, text));
    spmmi_io_set(NULL);
}

static void have_many_sections(uint8_t *bytes)
{
    const uint32_t count = SPMMI_SECTION_LIMIT;
    assert_true(SPMMI_HEADER_BYTES + (uint64_t)count * SPMMI_ENTRY_BYTES > file_size);
    spmmi_put_u32(bytes + SPMMI_AT_section_count, count);
}

static void begin_before_the_file(uint8_t *bytes)
{
    struct spmmi_entry e;
    spmmi_record_load(&spmmi_entry_record, bytes + SPMMI_HEADER_BYTES, &e);
    e.offset = 0;
    spmmi_record_store(&spmmi_entry_record, &e, bytes + SPMMI_HEADER_BYTES);
}

static void nothing_outside_the_file_is_read(void **state)
{
    (void)state;
    expect_reads_inside(have_many_sections, SPMM_ERR_PLAN_TABLE, "sections exceeds the file");
    expect_reads_inside(begin_before_the_file, SPMM_ERR_PLAN_TABLE, "a section starts at 0, expected ");
}

/* Values whose frame is not transformed: the writer of the library seldom makes such frames. */
static void plain_frames_are_decoded_in_place(void **state)
{
    spmm_plan_t *plan = make_plan("gen:rand:600:8"), *loaded;
    void *written = NULL;
    size_t size = 0;
    (void)state;
    float *const values = plan->values;
    for (int64_t q = 0; q < plan->nnz; q++)
        values[q] = (float)(q % 7);
    spmm_plan_t *updated = NULL;
    assert_int_equal(spmm_plan_with_values(plan, values, SPMM_F32, &updated, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_write(updated, NULL, &written, &size, NULL), SPMM_OK);
    struct forge *forge = forge_open(written, size);
    struct forge_section *const section = forge_find(forge, SPMMI_SECTION_VALUES, SPMMI_NO_PART);
    section->frames[0].transform = SPMMI_TRANSFORM_NONE;
    forge_set_content(section, values, (size_t)plan->nnz * sizeof *values, (struct forge_zstd){0, 0, 0});
    uint8_t *const bytes = forge_build(forge, &size);
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    const uint64_t before = spmmi_left_loads_hook;
    assert_int_equal(load(1, 1, &loaded, NULL), SPMM_OK);
    assert_int_equal(spmmi_left_loads_hook, before + 1);
    expect_equal(updated, loaded);
    spmm_plan_destroy(loaded);
    free(bytes);
    forge_free(forge);
    spmm_plan_bytes_free(written);
    spmm_plan_destroy(updated);
    spmm_plan_destroy(plan);
}

/* If only the first load runs out of memory, the load of the whole file succeeds. */
static void memory_may_run_out_at_any_time(void **state)
{
    spmm_plan_t *plan = make_permuted("gen:rand:300:4"), *loaded = NULL;
    spmm_status_t status = SPMM_ERR_MEMORY;
    const uint64_t before = spmmi_left_loads_hook;
    const int64_t live = spmmi_alloc_live();
    int64_t failed = 0;
    (void)state;
    for (; spmmi_left_loads_hook == before; failed++) {
        spmmi_alloc_fail_at(failed, 0);
        status = load(1, 1, &loaded, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(status == SPMM_OK || status == SPMM_ERR_MEMORY);
        if (status == SPMM_OK)
            expect_equal(plan, loaded);
        spmm_plan_destroy(loaded);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    assert_int_equal(status, SPMM_OK);
    assert_in_range(failed, 10, 100);
    spmm_plan_destroy(plan);
}

static uint64_t section_at, frames_at; /* start of a section; end of its frame table */
static int is_table_alone;

static ssize_t read_watched(int file, void *bytes, size_t size, off_t at)
{
    is_table_alone = is_table_alone && ((uint64_t)at > section_at || (uint64_t)at + size <= frames_at);
    return spmmi_io_system.pread(file, bytes, size, at);
}

/* Operands of a triple product may be longer than the pattern of C. The threads that decode their frames read
 * them. */
static void operands_are_left_in_the_file(void **state)
{
    struct spmmi_io table = spmmi_io_system;
    spmm_plan_t *plan = make_product("gen:rand:3000:3"), *loaded, *again;
    int operands = 0;
    spmm_section_info_t s = {.struct_size = sizeof s};
    (void)state;
    table.pread = read_watched;
    assert_int_equal(load(UINT64_MAX, 1, &loaded, NULL), SPMM_OK);
    for (int i = 0; spmm_plan_section(loaded, i, &s) == SPMM_OK; i++) {
        if (s.type != SPMMI_SECTION_OPERAND_ROWS && s.type != SPMMI_SECTION_OPERAND_COLS)
            continue;
        operands++;
        section_at = s.offset;
        frames_at = section_at + spmmi_frame_count(s.raw_bytes) * SPMMI_FRAME_ENTRY_BYTES;
        is_table_alone = 1;
        spmmi_io_set(&table);
        assert_int_equal(load(1, 1, &again, NULL), SPMM_OK);
        spmmi_io_set(NULL);
        assert_true(is_table_alone);
        expect_equal(again, plan);
        spmm_plan_destroy(again);
    }
    assert_int_equal(operands, 4);
    spmm_plan_destroy(loaded);
    spmm_plan_destroy(plan);
}

/* Adds row lengths in place, for more rows than one thread processes. */
static void lengths_are_added_on_any_threads(void **state)
{
    (void)state;
    for (int64_t rows = 0; rows <= 600000; rows = rows * 3 + 1)
        for (int threads = 1; threads <= 4; threads++) {
            int64_t sum = 0, *row_ptr = malloc(((size_t)rows + 1) * sizeof *row_ptr);
            assert_non_null(row_ptr);
            for (int64_t i = 0; i < rows; i++) {
                const uint32_t length = i % 1000 == 7 ? UINT32_MAX : (uint32_t)(i * 2654435761u) >> 28;
                memcpy(spmmi_row_lengths(row_ptr, rows) + 4 * i, &length, sizeof length);
            }
            spmmi_row_lengths_add(threads, row_ptr, rows);
            for (int64_t i = 0; i < rows; i++) {
                assert_int_equal(row_ptr[i], sum);
                sum += i % 1000 == 7 ? UINT32_MAX : (uint32_t)(i * 2654435761u) >> 28;
            }
            assert_int_equal(row_ptr[rows], sum);
            free(row_ptr);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(plans_are_the_same, leave_nothing),
        cmocka_unit_test_teardown(a_long_frame_takes_the_whole_file, leave_nothing),
        cmocka_unit_test_teardown(every_wrong_byte_is_told_alike, leave_nothing),
        cmocka_unit_test_teardown(reads_that_go_wrong_are_made_again, leave_nothing),
        cmocka_unit_test_teardown(sections_that_overlap_are_not_read_twice, leave_nothing),
        cmocka_unit_test_teardown(operands_are_left_in_the_file, leave_nothing),
        cmocka_unit_test_teardown(nothing_outside_the_file_is_read, leave_nothing),
        cmocka_unit_test_teardown(plain_frames_are_decoded_in_place, leave_nothing),
        cmocka_unit_test_teardown(memory_may_run_out_at_any_time, leave_nothing),
        cmocka_unit_test(lengths_are_added_on_any_threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
