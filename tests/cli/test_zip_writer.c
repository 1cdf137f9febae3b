/* SPDX-License-Identifier: Apache-2.0 */
/* The local header of a zip archive, and the directory of an archive whose sizes need 8 bytes, which a
 * quick test cannot write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/export/zip_writer.h"

#define ENTRY_BYTES 46 /* bytes of a directory entry in front of the name */
#define LOCAL_BYTES 30 /* bytes of the local header in front of the name */

static uint64_t number_at(const unsigned char *bytes, int size)
{
    uint64_t number = 0;
    for (int i = size; i-- > 0;)
        number = number << 8 | bytes[i];
    return number;
}

/* Makes a member of one byte. */
static size_t make_byte(const void *context, uint64_t chunk, char *bytes)
{
    (void)context;
    (void)chunk;
    bytes[0] = 'x';
    return 1;
}

/* Copies the bytes that zip_finish writes for these members into `bytes` and returns their number. Without
 * members, the bytes are an archive with one member of one byte. */
static size_t archive_of(const struct zip_member *members, int count, unsigned char *bytes, size_t room)
{
    const struct chunks byte = {.count = 1, .bytes_max = 1, .make = make_byte};
    char path[] = "test_zip_writer.XXXXXX";
    struct output_file file;
    spmm_diag_t diag = {0};
    struct packed_stream stream = {.file = &file, .packing = PACKING_DEFLATE, .diag = &diag};
    struct zip_writer zip = zip_start(&stream);
    const int temporary = mkstemp(path);
    assert_true(temporary >= 0);
    assert_int_equal(close(temporary), 0);
    assert_int_equal(output_file_open(&file, path, &diag), SPMM_OK);
    if (count == 0)
        assert_int_equal(zip_add(&zip, "a", &byte), SPMM_OK);
    else
        memcpy(zip.members, members, (size_t)count * sizeof *members);
    zip.count = count > 0 ? count : 1;
    assert_int_equal(output_file_close(&file, zip_finish(&zip)), SPMM_OK);
    FILE *back = fopen(path, "rb");
    assert_non_null(back);
    const size_t size = fread(bytes, 1, room, back);
    assert_int_equal(fclose(back), 0);
    assert_int_equal(remove(path), 0);
    return size;
}

static void sizes_that_fit_stand_in_the_entry(void **state)
{
    unsigned char bytes[512];
    const struct zip_member member = {.name = "a", .offset = 7, .raw = UINT32_MAX - 1, .packed = 9, .crc = 5};
    (void)state;
    const size_t size = archive_of(&member, 1, bytes, sizeof bytes);
    assert_int_equal(size, ENTRY_BYTES + 1 + 56 + 20 + 22);
    assert_int_equal(number_at(bytes + 16, 4), 5);
    assert_int_equal(number_at(bytes + 20, 4), 9);
    assert_int_equal(number_at(bytes + 24, 4), UINT32_MAX - 1);
    assert_int_equal(number_at(bytes + 30, 2), 0); /* no field of 8 bytes */
    assert_int_equal(number_at(bytes + 42, 4), 7);
}

static void large_ones_stand_behind_it_in_order(void **state)
{
    unsigned char bytes[512];
    const struct zip_member member = {
        .name = "a", .offset = UINT64_C(1) << 40, .raw = UINT32_MAX, .packed = 9, .crc = 5};
    (void)state;
    (void)archive_of(&member, 1, bytes, sizeof bytes);
    assert_int_equal(number_at(bytes + 20, 4), 9);
    assert_int_equal(number_at(bytes + 24, 4), UINT32_MAX);
    assert_int_equal(number_at(bytes + 30, 2), 4 + 16);
    assert_int_equal(number_at(bytes + 42, 4), UINT32_MAX);
    const unsigned char *field = bytes + ENTRY_BYTES + 1;
    assert_int_equal(number_at(field, 2), 1);
    assert_int_equal(number_at(field + 2, 2), 16);
    assert_true(number_at(field + 4, 8) == UINT32_MAX);
    assert_true(number_at(field + 12, 8) == UINT64_C(1) << 40);
}

/* libarchive, which reads this field of the local header, refuses sizes above INT64_MAX. */
static void sizes_that_follow_are_zero_in_the_local_head(void **state)
{
    unsigned char bytes[512];
    (void)state;
    (void)archive_of(NULL, 0, bytes, sizeof bytes);
    assert_int_equal(number_at(bytes + 18, 4), UINT32_MAX);
    assert_int_equal(number_at(bytes + 22, 4), UINT32_MAX);
    assert_int_equal(number_at(bytes + 28, 2), 4 + 16);
    const unsigned char *field = bytes + LOCAL_BYTES + 1;
    assert_int_equal(number_at(field, 2), 1);
    assert_int_equal(number_at(field + 2, 2), 16);
    assert_int_equal(number_at(field + 4, 8), 0);
    assert_int_equal(number_at(field + 12, 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_fit_stand_in_the_entry),
        cmocka_unit_test(large_ones_stand_behind_it_in_order),
        cmocka_unit_test(sizes_that_follow_are_zero_in_the_local_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
