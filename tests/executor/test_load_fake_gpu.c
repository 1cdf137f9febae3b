/* SPDX-License-Identifier: Apache-2.0 */
/* Executors on a GPU from plan files. A truncated or invalid file is refused before the GPU is used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <fcntl.h>

#include "fake_gpu.h"
#include "tests/support/forge.h"
#include "tests/support/plan_seal.h"

static char path[] = "/tmp/spmm_load_fake_gpu_XXXXXX";

/* Returns the bytes of a plan file. The caller frees them. */
static uint8_t *file_bytes(size_t *size)
{
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0}, "source");
    test_matrix_free(a);
    assert_int_equal(spmm_plan_save(plan, path, NULL, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    rewind(file);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    (void)fclose(file);
    return bytes;
}

/* Writes the file without O_TRUNC, because some file systems then wait for the disk. */
static void file_write(const uint8_t *bytes, size_t size)
{
    const int file = open(path, O_WRONLY);
    assert_int_equal(write(file, bytes, size), size);
    assert_int_equal(ftruncate(file, (off_t)size), 0);
    (void)close(file);
}

/* Returns the status of loading an executor from the file. *creates: number of executors requested from the
 * GPU. */
static spmm_status_t executor_load(int *creates)
{
    spmm_executor_t *executor = NULL;
    fake_gpu.creates = 0;
    const spmm_status_t status = spmm_executor_load(path, NULL, 0, NULL, &executor, NULL);
    assert_null(executor); /* the fake GPU makes none */
    *creates = fake_gpu.creates;
    return status;
}

static void expect_refusal(const char *what, size_t at)
{
    int creates = 0;
    const spmm_status_t status = executor_load(&creates);
    if (status == SPMM_OK || status == FAKE_GPU_CREATED || creates != 0)
        fail_msg("%s %zu: %s, %d creates", what, at, spmm_status_name(status), creates);
}

static void a_file_that_is_right_gets_to_the_gpu(void **state)
{
    int creates = 0;
    size_t size = 0;
    (void)state;
    free(file_bytes(&size));
    assert_int_equal(executor_load(&creates), FAKE_GPU_CREATED);
    assert_int_equal(creates, 1);
}

static void a_damaged_file_does_not(void **state)
{
    size_t size = 0;
    uint8_t *bytes = file_bytes(&size);
    (void)state;
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= (uint8_t)(1u << at % 8);
        file_write(bytes, size);
        expect_refusal("a bit of byte", at);
        bytes[at] ^= (uint8_t)(1u << at % 8);
        file_write(bytes, at);
        expect_refusal("cut before byte", at);
    }
    free(bytes);
}

/* Changes a byte of a section, with correct hashes, and checks that the executor is refused exactly if the
 * plan is. Returns 1 if it was refused. */
static int forged_is_refused(const uint8_t *good, size_t size, uint32_t section, size_t eighth)
{
    struct forge *forge = forge_open(good, size);
    size_t content_size = 0, forged_size = 0;
    uint8_t *content = forge_content(&forge->sections[section], &content_size);
    spmm_plan_t *plan = NULL;
    int creates = 0;
    if (content_size > 0)
        content[(content_size - 1) * eighth / 8] ^= 0x81;
    forge_set_content(&forge->sections[section], content, content_size, (struct forge_zstd){0, 0, 0});
    uint8_t *forged = forge_build(forge, &forged_size);
    file_write(forged, forged_size);
    const spmm_status_t expected = spmm_plan_load(path, NULL, &plan, NULL), status = executor_load(&creates);
    if (status != (expected == SPMM_OK ? FAKE_GPU_CREATED : expected) || creates != (expected == SPMM_OK))
        fail_msg("section %u, eighth %zu: %s, %d creates", section, eighth, spmm_status_name(status),
                 creates);
    spmm_plan_destroy(plan);
    free(forged);
    free(content);
    forge_free(forge);
    return expected != SPMM_OK;
}

static void a_forged_file_does_not_either(void **state)
{
    int refused = 0;
    size_t size = 0;
    uint8_t *bytes = file_bytes(&size);
    struct forge *forge = forge_open(bytes, size);
    const uint32_t sections = (uint32_t)forge->header.section_count;
    (void)state;
    forge_free(forge);
    for (uint32_t section = 0; section < sections; section++)
        for (size_t eighth = 0; eighth <= 8; eighth++)
            refused += forged_is_refused(bytes, size, section, eighth);
    assert_in_range(refused, sections, 9 * sections);
    free(bytes);
}

static int make_file(void **state)
{
    (void)state;
    fake_gpu_works();
    const int file = mkstemp(path);
    return file < 0 || close(file) != 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_right_gets_to_the_gpu),
        cmocka_unit_test(a_damaged_file_does_not),
        cmocka_unit_test(a_forged_file_does_not_either),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
