/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that every other part relies on: text, checked sizes, struct sizes, lists of types, the sizes of
 * frames, and work in pieces. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/checked.h"
#include "format/base/dtype.h"
#include "format/base/each.h"
#include "format/base/options.h"
#include "format/base/stored_value.h"
#include "format/base/text.h"
#include "format/family.h"
#include "format/file/frames.h"
#include "format/file/transform.h"
#include "format/permutation.h"
#include "format/plan.h"

enum {
    DTYPES = 0
#define DTYPE(...) +1
#define COMPUTE(...)
#include "format/base/dtype_list.def"
#undef DTYPE
#undef COMPUTE
};

/* The first and the last character of each range, and their neighbours. bytes: length, 0 if the character is
 * refused. */
static void characters_of_utf_8(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t bytes;
    } cases[] = {{"\x01", 0},
                 {"\x1f", 0},
                 {" ", 1},
                 {"~", 1},
                 {"\x7f", 0},
                 {"\xc2\x80", 0},
                 {"\xc2\x9f", 0},
                 {"\xc2\xa0", 2},
                 {"\xdf\xbf", 2},
                 {"\xe0\xa0\x80", 3},
                 {"\xed\x9f\xbf", 3},
                 {"\xed\xa0\x80", 0},
                 {"\xed\xbf\xbf", 0},
                 {"\xee\x80\x80", 3},
                 {"\xef\xbf\xbf", 3},
                 {"\xf0\x90\x80\x80", 4},
                 {"\xf4\x8f\xbf\xbf", 4},
                 {"\xf4\x90\x80\x80", 0},
                 /* overlong, missing continuation byte, no lead byte, five bytes */
                 {"\xc1\xbf", 0},
                 {"\xe0\x9f\xbf", 0},
                 {"\xf0\x8f\xbf\xbf", 0},
                 {"\xc2 ", 0},
                 {"\xe1\x80 ", 0},
                 {"\x80", 0},
                 {"\xf8\x88\x80\x80\x80", 0}};
    assert_int_equal(spmmi_text_character((const char *)(uintptr_t)1, 0), 0); /* must not be read */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t size = strlen(cases[i].text);
        assert_int_equal(spmmi_text_character(cases[i].text, size), cases[i].bytes);
        assert_int_equal(spmmi_text_character(cases[i].text, size - 1), 0);
        assert_int_equal(spmmi_text_wrong(cases[i].text, size), cases[i].bytes == size ? size : 0);
    }
}

static void sizes_that_no_memory_has(void **state)
{
    (void)state;
    uint64_t result = 0;
    assert_true(spmmi_add_u64(UINT64_MAX - 1, 1, &result) && result == UINT64_MAX);
    assert_false(spmmi_add_u64(UINT64_MAX, 1, &result));
    assert_true(spmmi_mul_u64(UINT64_MAX, 1, &result) && result == UINT64_MAX);
    assert_false(spmmi_mul_u64(UINT64_C(1) << 63, 2, &result));
    assert_true(spmmi_align_u64(65, 64, &result) && result == 128);
    assert_false(spmmi_align_u64(UINT64_MAX, 64, &result));
    /* The product exceeds 64 bits, or rounding it up does, or it exceeds the range of pointer differences. */
    assert_null(spmmi_alloc(UINT64_C(1) << 62, 4));
    assert_null(spmmi_alloc(UINT64_MAX, 1));
    assert_null(spmmi_alloc((uint64_t)PTRDIFF_MAX + 1, 1));
}

static void struct_sizes(void **state)
{
    (void)state;
    static union {
        size_t struct_size;
        char bytes[(1 << 16) + 1];
    } given;
    struct {
        size_t struct_size;
        int32_t number[2];
    } known = {0, {1, 2}};
    const struct {
        size_t size;
        spmm_status_t expected;
    } cases[] = {{0, SPMM_ERR_ARGUMENT},
                 {sizeof(size_t) - 1, SPMM_ERR_ARGUMENT},
                 {sizeof(size_t), SPMM_OK},
                 {(size_t)1 << 16, SPMM_OK},
                 {((size_t)1 << 16) + 1, SPMM_ERR_ARGUMENT}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        given.struct_size = cases[i].size;
        assert_int_equal(spmmi_options_read(&known, sizeof known, &given, "options", NULL),
                         cases[i].expected);
        assert_int_equal(spmmi_info_write(&given, &known, sizeof known), cases[i].expected);
    }
    assert_int_equal(spmmi_info_write(NULL, &known, sizeof known), SPMM_ERR_ARGUMENT);
}

static void numbers_that_name_nothing(void **state)
{
    (void)state;
    assert_null(spmmi_dtype_at(-1));
    assert_non_null(spmmi_dtype_at(DTYPES - 1));
    assert_null(spmmi_dtype_at(DTYPES));
    assert_null(spmmi_family_at(-1));
    assert_null(spmmi_schedule_at(-1));
    assert_null(spmmi_permutation_at(-1));
    assert_null(spmmi_permutation_of((spmm_reorder_t)1000));
    assert_false(spmmi_permutation_is_kind(SPMM_REORDER_AUTO));
    assert_false(spmmi_permutation_is_kind((spmm_reorder_t)1000));
    assert_false(spmmi_family_computes((spmm_family_t)1000, SPMM_F32, SPMM_COMPUTE_TF32));
    assert_int_equal(spmm_dtype_size((spmm_dtype_t)1000), 0);
    assert_string_equal(spmm_status_name((spmm_status_t)1000), "SPMM_ERR_?");
    assert_string_equal(spmm_status_text((spmm_status_t)1000), "unknown status");
    assert_string_equal(spmm_op_name((spmm_op_t)1000), "?");
    assert_string_equal(spmm_layout_name((spmm_layout_t)1000), "?");
    assert_string_equal(spmm_family_name((spmm_family_t)1000), "?");
    assert_string_equal(spmm_schedule_name((spmm_schedule_t)1000), "?");
    assert_string_equal(spmm_compute_name((spmm_compute_t)1000), "?");
    assert_string_equal(spmm_reorder_name((spmm_reorder_t)1000), "?");
    double value = 1;
    assert_true(spmmi_value_load(&value, (spmm_dtype_t)1000, 0) == 0);
    spmmi_value_store(&value, (spmm_dtype_t)1000, 0, 2);
    assert_true(spmmi_value_round((spmm_dtype_t)1000, 2) == 0);
    assert_true(value == 1);
    static const struct {
        uint32_t value;
        int is_power;
    } cases[] = {{0, 0}, {16, 0}, {32, 1}, {33, 0}, {64, 1}, {96, 0}, {128, 1}, {256, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(spmmi_is_power_within(cases[i].value, 32, 128), cases[i].is_power);
}

/* The run has 300 elements of 8 bytes. */
static void content_of_a_frame(void **state)
{
    (void)state;
    const struct spmmi_run run = {8, 0, 300, NULL, 0};
    static const struct {
        enum spmmi_transform transform;
        uint64_t bytes;
        bool fits;
    } cases[] = {{SPMMI_TRANSFORM_NONE, 2400, true},
                 {SPMMI_TRANSFORM_NONE, 2399, false},
                 {SPMMI_TRANSFORM_PLANES, 2401, false},
                 {SPMMI_TRANSFORM_DECIMAL, 2400, true},
                 {SPMMI_TRANSFORM_DECIMAL, 2401, false},
                 {SPMMI_TRANSFORM_DICTIONARY, 299, false},
                 {SPMMI_TRANSFORM_DICTIONARY, 300, false}, /* codes without elements */
                 {SPMMI_TRANSFORM_DICTIONARY, 307, false},
                 {SPMMI_TRANSFORM_DICTIONARY, 308, true},
                 {SPMMI_TRANSFORM_DICTIONARY, 300 + 256 * 8, true},
                 {SPMMI_TRANSFORM_DICTIONARY, 300 + 257 * 8, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(spmmi_transform_fits(cases[i].transform, &run, cases[i].bytes), cases[i].fits);
}

/* Four elements of 2 bytes. A dictionary is refused if it is not smaller. */
static void a_dictionary_must_be_smaller(void **state)
{
    (void)state;
    const struct spmmi_run run = {2, 0, 4, NULL, 0};
    static uint8_t content[SPMMI_CONTENT_MAX];
    for (int distinct = 1; distinct < 4; distinct++) {
        uint16_t elements[4];
        for (int i = 0; i < 4; i++)
            elements[i] = (uint16_t)(i % distinct);
        assert_int_equal(spmmi_transform_pack(SPMMI_TRANSFORM_DICTIONARY, &run, elements, NULL, content),
                         distinct < 2 ? 2 + 4 : 0);
    }
}

/* docs/plan-format.md section 5.3: the mask has a bit for each transform that a section may have. */
static void transforms_of_sections(void **state)
{
    (void)state;
    static const uint32_t masks[] = {0,       1u << 1, 1u << 2, 1u << 0 | 1u << 1 | 1u << 4 | 1u << 5,
                                     1u << 0, 1u << 0, 1u << 0, 1u << 0,
                                     1u << 3, 1u << 0, 1u << 0, 1u << 3,
                                     1u << 0, 1u << 0, 1u << 0, 1u << 0,
                                     1u << 1, 1u << 2, 0};
    for (uint32_t type = 0; type < sizeof masks / sizeof masks[0]; type++)
        for (uint32_t transform = 0; transform < 8; transform++)
            assert_int_equal(spmmi_transform_allowed(type, transform), masks[type] >> transform & 1);
}

static int asked; /* number of calls of the allocator below */

static void *count_and_give_nothing(void *context, size_t bytes, size_t alignment)
{
    (void)context, (void)bytes, (void)alignment;
    asked++;
    return NULL;
}

static void take_nothing(void *context, void *memory)
{
    (void)context, (void)memory;
}

/* The caller's allocator gets no request above the range of pointer differences. */
static void an_allocator_is_not_asked_for_too_much(void **state)
{
    (void)state;
    const spmm_allocator_t given = {sizeof given, count_and_give_nothing, take_nothing, NULL};
    assert_int_equal(spmm_allocator_set(&given, NULL), SPMM_OK);
    assert_null(spmmi_alloc((uint64_t)PTRDIFF_MAX + 1, 1));
    assert_int_equal(asked, 0);
    assert_null(spmmi_alloc(1, 1));
    assert_int_equal(asked, 1);
    assert_int_equal(spmm_allocator_set(NULL, NULL), SPMM_OK);
}

/* A dictionary of two elements of 2 bytes, and codes for four; the last one is `code`. */
static void codes_of_a_dictionary(void **state)
{
    (void)state;
    const struct spmmi_run run = {2, 0, 4, NULL, 0};
    for (uint8_t code = 0; code < 4; code++) {
        const uint8_t content[] = {10, 0, 20, 0, 0, 1, 0, code};
        uint16_t elements[4];
        assert_int_equal(
            spmmi_transform_unpack(SPMMI_TRANSFORM_DICTIONARY, &run, content, sizeof content, elements),
            code < 2);
        assert_true(code >= 2 || elements[3] == 10 * (code + 1));
    }
}

/* Zeros of different sign differ, NaNs with equal bits do not: products must keep their bits. */
static void equal_values_have_equal_bits(void **state)
{
    (void)state;
    static const struct {
        double values[3];
        int64_t count;
        int is_equal;
    } cases[] = {{{1, 1, 1}, 3, 1},          {{0.1, 0.1, 0.1}, 3, 1}, {{0.1, 0.1, 0.2}, 3, 0},
                 {{0.1, 0.1, 0.2}, 2, 1},    {{0.2, 0.1, 0.1}, 3, 0}, {{0.0, -0.0, 0.0}, 3, 0},
                 {{-0.0, -0.0, -0.0}, 3, 1}, {{NAN, NAN, NAN}, 3, 1}, {{5, 6, 7}, 1, 1},
                 {{INFINITY, 1, 1}, 3, 0},   {{1, 1, 1}, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int type = SPMM_F32; type <= SPMM_BF16; type++) {
            double room[3] = {0};
            for (int q = 0; q < 3; q++)
                spmmi_value_store(room, (spmm_dtype_t)type, q, cases[i].values[q]);
            assert_int_equal(spmmi_values_are_equal(room, (spmm_dtype_t)type, cases[i].count),
                             cases[i].is_equal);
        }
}

/* The calls that a job recorded, and the first index that is wrong. */
struct job {
    int threads;
    uint8_t calls[200], threads_that_are_none;
    uint64_t wrong;
};

static void call(void *context, uint64_t index, int thread)
{
    struct job *const job = context;
    job->calls[index]++;
    if (thread < 0 || thread >= job->threads)
        job->threads_that_are_none = 1;
}

static int is_wrong(const void *context, uint64_t index, int thread)
{
    const struct job *const job = context;
    return index == job->wrong || index == job->wrong + 3 || thread < 0 || thread >= job->threads;
}

/* Each piece is processed once, by a valid thread. Of several wrong pieces the first is returned. */
static void pieces_are_taken_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++)
        for (uint64_t count = 0; count <= 200; count = 3 * count + 1) {
            struct job job = {.threads = threads};
            spmmi_each(count, threads, call, &job);
            assert_int_equal(job.threads_that_are_none, 0);
            for (uint64_t i = 0; i < 200; i++)
                assert_int_equal(job.calls[i], i < count);
            for (job.wrong = 0; job.wrong <= count + 1; job.wrong++)
                assert_int_equal(spmmi_first_wrong(count, threads, is_wrong, &job),
                                 job.wrong < count ? job.wrong : count);
        }
}

/* All of the memory is zeroed and nothing around it, also if it has several pieces of 2 MiB. */
static void memory_is_zeroed_to_its_ends(void **state)
{
    static const uint64_t sizes[] = {0, 1, 2 << 20, (2 << 20) + 1, (5 << 20) - 3};
    (void)state;
    for (int i = 0; i < 5 * 2; i++) {
        const uint64_t bytes = sizes[i / 2];
        unsigned char *const memory = malloc(bytes + 2);
        assert_non_null(memory);
        memset(memory, 0xaa, bytes + 2);
        spmmi_zero(1 + i % 2, memory + 1, bytes);
        uint64_t zeros = 0;
        while (memory[1 + zeros] == 0)
            zeros++;
        assert_int_equal(zeros, bytes);
        assert_int_equal(memory[0], 0xaa);
        assert_int_equal(memory[1 + bytes], 0xaa);
        free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_taken_once),
        cmocka_unit_test(memory_is_zeroed_to_its_ends),
        cmocka_unit_test(equal_values_have_equal_bits),
        cmocka_unit_test(characters_of_utf_8),
        cmocka_unit_test(sizes_that_no_memory_has),
        cmocka_unit_test(struct_sizes),
        cmocka_unit_test(numbers_that_name_nothing),
        cmocka_unit_test(content_of_a_frame),
        cmocka_unit_test(codes_of_a_dictionary),
        cmocka_unit_test(a_dictionary_must_be_smaller),
        cmocka_unit_test(transforms_of_sections),
        cmocka_unit_test(an_allocator_is_not_asked_for_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
