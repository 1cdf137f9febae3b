/* SPDX-License-Identifier: Apache-2.0 */
/* struct_size means the same for every public struct, whatever header the caller was compiled with. The
 * structs are in heap blocks of exactly struct_size bytes, so that the address sanitizer finds accesses
 * beyond them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "struct_table.h"

#define LONGER 64 /* bytes that a newer header may have added */
#define UNTOUCHED 0xa5

static struct objects objects;

/* Makes the objects: a small matrix with a tiled plan, so that all metrics exist. */
static int make_objects(void **state)
{
    spmm_inspect_options_t inspect = SPMM_INSPECT_OPTIONS_INIT;
    spmm_executor_options_t executor = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_plan_t *fresh = NULL;
    void *bytes = NULL;
    size_t size = 0;
    (void)state;
    inspect.force_kernel = "tiled";
    assert_int_equal(spmm_matrix_generate("gen:lap27:3", &objects.matrix, NULL), SPMM_OK);
    assert_int_equal(spmm_inspect(objects.matrix, &inspect, &fresh, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_write(fresh, NULL, &bytes, &size, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_read(bytes, size, NULL, &objects.plan, NULL), SPMM_OK);
    assert_int_equal(spmm_executor_create(objects.plan, SPMM_DEVICE_CPU, &executor, &objects.executor, NULL),
                     SPMM_OK);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(fresh);
    return 0;
}

static int destroy_objects(void **state)
{
    (void)state;
    spmm_executor_destroy(objects.executor);
    spmm_plan_destroy(objects.plan);
    spmm_matrix_destroy(objects.matrix);
    return 0;
}

static unsigned char *make_block(size_t struct_size, size_t room, int fill)
{
    unsigned char *block = malloc(room);
    assert_non_null(block);
    memset(block, fill, room);
    memcpy(block, &struct_size, sizeof struct_size);
    return block;
}

/* Returns the valid struct, cut to struct_size or extended by zeros. Sets byte `poke` to 1 if it is within
 * the struct. The caller frees it. */
static unsigned char *make_input(const struct input *in, size_t struct_size, size_t poke)
{
    const size_t room =
        struct_size < sizeof struct_size || struct_size > 4096 ? sizeof struct_size : struct_size;
    unsigned char *block = make_block(struct_size, room, 0);
    const size_t known = room < in->size ? room : in->size;
    memcpy(block + sizeof struct_size, (const char *)in->valid + sizeof struct_size,
           known - sizeof struct_size);
    if (poke < room)
        block[poke] = 1;
    return block;
}

static void expect_input(const struct input *in, unsigned char *block, spmm_status_t expected,
                         const char *excerpt)
{
    spmm_diag_t diag = {.status = SPMM_OK};
    size_t struct_size;
    memcpy(&struct_size, block, sizeof struct_size);
    const spmm_status_t status = in->use(&objects, block, &diag);
    if (status != expected || (expected != SPMM_OK && strstr(diag.text, excerpt) == NULL))
        fail_msg("%s, %zu bytes: %s: %s", in->name, struct_size, spmm_status_name(status), diag.text);
    free(block);
}

static void inputs_may_be_shorter_or_end_in_zeros(void **state)
{
    (void)state;
    for (size_t i = 0; i < input_count; i++)
        for (size_t size = inputs[i].minimum; size <= inputs[i].size + LONGER; size++)
            expect_input(&inputs[i], make_input(&inputs[i], size, SIZE_MAX), SPMM_OK, "");
}

static void inputs_that_ask_for_the_unknown_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < input_count; i++)
        for (size_t more = 1; more <= LONGER; more++) {
            const size_t size = inputs[i].size + more;
            expect_input(&inputs[i], make_input(&inputs[i], size, size - 1), SPMM_ERR_ARGUMENT, "is not 0");
            expect_input(&inputs[i], make_input(&inputs[i], size, inputs[i].size), SPMM_ERR_ARGUMENT,
                         "is not 0");
        }
}

static void sizes_that_were_never_set_are_refused(void **state)
{
    const size_t sizes[] = {0, 1, sizeof(size_t) - 1, (size_t)1 << 20, SIZE_MAX};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        for (size_t i = 0; i < input_count; i++)
            expect_input(&inputs[i], make_input(&inputs[i], sizes[k], SIZE_MAX), SPMM_ERR_ARGUMENT,
                         "struct_size");
        for (size_t i = 0; i < output_count; i++) {
            unsigned char *block = make_block(sizes[k], sizeof(size_t), 0);
            assert_int_equal(outputs[i].fill(&objects, block), SPMM_ERR_ARGUMENT);
            assert_memory_equal(block, &sizes[k], sizeof(size_t));
            free(block);
        }
    }
    for (size_t i = 0; i < output_count; i++)
        assert_int_equal(outputs[i].fill(&objects, NULL), SPMM_ERR_ARGUMENT);
}

/* The message names the struct: "tiled options" for spmm_tiled_options_t. */
static void sentences_name_the_struct(void **state)
{
    (void)state;
    for (size_t i = 0; i < input_count; i++) {
        char expected[160], name[64];
        assert_true(snprintf(name, sizeof name, "%s", inputs[i].name + strlen("spmm_")) < (int)sizeof name);
        name[strlen(name) - strlen("_t")] = '\0';
        for (char *at = strchr(name, '_'); at != NULL; at = strchr(at, '_'))
            *at = ' ';
        (void)snprintf(expected, sizeof expected, "struct_size of the %s is 1:", name);
        expect_input(&inputs[i], make_input(&inputs[i], 1, SIZE_MAX), SPMM_ERR_ARGUMENT, expected);
        (void)snprintf(expected, sizeof expected, "byte %zu of the %s is not 0", inputs[i].size, name);
        expect_input(&inputs[i], make_input(&inputs[i], inputs[i].size + 8, inputs[i].size),
                     SPMM_ERR_ARGUMENT, expected);
    }
}

/* A member counts if it is completely within struct_size. */
static void members_are_read_where_the_caller_knows_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < input_count; i++) {
        const struct input *in = &inputs[i];
        for (size_t size = in->bad_at + sizeof(int32_t); size <= in->size + LONGER; size++) {
            unsigned char *block = make_input(in, size, SIZE_MAX);
            memset(block + in->bad_at, 0xff, sizeof(int32_t));
            expect_input(in, block, SPMM_ERR_ARGUMENT, "");
        }
    }
}

/* Checks that a caller with struct_size bytes gets the same bytes as a caller with the full struct, and that
 * the library writes no other bytes. */
static void check_output(const struct output *out, size_t struct_size, const unsigned char *full)
{
    unsigned char *block = make_block(struct_size, struct_size, UNTOUCHED);
    size_t kept;
    if (out->fill(&objects, block) != SPMM_OK)
        fail_msg("%s, %zu bytes: refused", out->name, struct_size);
    memcpy(&kept, block, sizeof kept);
    assert_int_equal(kept, struct_size);
    for (size_t at = sizeof kept; at < struct_size; at++) {
        const int varies = at >= out->varies_at && at < out->varies_at + sizeof(double);
        const unsigned char expected = at < out->size ? full[at] : 0;
        if (!varies && block[at] != expected)
            fail_msg("%s, %zu bytes: byte %zu is %d, expected %d", out->name, struct_size, at, block[at],
                     expected);
    }
    free(block);
}

static void outputs_are_filled_as_far_as_both_know_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < output_count; i++) {
        const struct output *out = &outputs[i];
        unsigned char *full = make_block(out->size, out->size, UNTOUCHED);
        assert_int_equal(out->fill(&objects, full), SPMM_OK);
        for (size_t size = sizeof(size_t); size <= out->size + LONGER; size++)
            check_output(out, size, full);
        free(full);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_may_be_shorter_or_end_in_zeros),
        cmocka_unit_test(inputs_that_ask_for_the_unknown_are_refused),
        cmocka_unit_test(sizes_that_were_never_set_are_refused),
        cmocka_unit_test(sentences_name_the_struct),
        cmocka_unit_test(members_are_read_where_the_caller_knows_them),
        cmocka_unit_test(outputs_are_filled_as_far_as_both_know_them),
    };
    return cmocka_run_group_tests(tests, make_objects, destroy_objects);
}
