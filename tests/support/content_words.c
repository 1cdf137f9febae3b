/* SPDX-License-Identifier: Apache-2.0 */
/* See content_words.h. */
#include "content_words.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static uint64_t limit_draw(struct test_stream *stream)
{
    static const uint64_t limits[] = {0,
                                      1,
                                      2,
                                      3,
                                      4,
                                      8,
                                      16,
                                      32,
                                      64,
                                      128,
                                      256,
                                      447,
                                      999,
                                      1024,
                                      4095,
                                      4096,
                                      1u << 16,
                                      1u << 24,
                                      1u << 30,
                                      1u << 31,
                                      UINT32_MAX,
                                      UINT64_C(1) << 32,
                                      UINT64_C(1) << 40,
                                      UINT64_C(1) << 62,
                                      UINT64_C(1) << 63};
    return limits[test_stream_below(stream, COUNT(limits))];
}

static uint64_t real_draw(struct test_stream *stream)
{
    static const double reals[] = {
        -0.0, 1, -1, 0.5, 3, (double)NAN, (double)INFINITY, -(double)INFINITY, 1e308, -1e308, 5e-324};
    uint64_t bits = 0;
    memcpy(&bits, &reals[test_stream_below(stream, COUNT(reals))], sizeof bits);
    return bits;
}

static uint64_t size_draw(struct test_stream *stream, const spmm_plan_t *plan)
{
    const int64_t sizes[] = {plan->rows,
                             plan->cols,
                             plan->nnz,
                             plan->part_count,
                             plan->trace_count,
                             plan->variant_count,
                             plan->rows - plan->cols};
    return (uint64_t)sizes[test_stream_below(stream, COUNT(sizes))];
}

void test_word_change(struct test_stream *stream, const spmm_plan_t *plan, void *word, size_t bytes)
{
    /* One statement per draw, because the order of evaluation within an expression depends on the
     * compiler. */
    const uint64_t shift = test_stream_below(stream, 64), beside = shift % 3;
    uint64_t number = 0;
    memcpy(&number, word, bytes);
    switch (test_stream_below(stream, 8)) {
    case 0:
        number++;
        break;
    case 1:
        number--;
        break;
    case 2:
        number = limit_draw(stream) + beside - 1;
        break;
    case 3:
        number = limit_draw(stream);
        break;
    case 4:
        number = size_draw(stream, plan) + beside - 1;
        break;
    case 5:
        number = bytes == sizeof number ? real_draw(stream) : test_stream_below(stream, 12);
        break;
    case 6:
        number ^= UINT64_C(1) << test_stream_below(stream, 8 * bytes);
        break;
    default:
        number = test_stream_bits(stream) >> shift;
        break;
    }
    memcpy(word, &number, bytes);
}

void test_record_change(struct test_stream *stream, const spmm_plan_t *plan,
                        const struct spmmi_record_type *type, void *record)
{
    const struct spmmi_field *field = &type->fields[test_stream_below(stream, type->field_count)];
    const size_t bytes = field->bytes < sizeof(uint64_t) ? field->bytes : sizeof(uint64_t);
    const uint64_t word = test_stream_below(stream, field->bytes / bytes);
    test_word_change(stream, plan, (char *)record + field->member + word * bytes, bytes);
}

static void exchange(uint32_t *a, uint32_t *b)
{
    const uint32_t before = *a;
    *a = *b;
    *b = before;
}

void test_list_change(struct test_stream *stream, const spmm_plan_t *plan, uint32_t *list, uint64_t count)
{
    if (count == 0)
        return;
    for (uint64_t times = test_stream_below(stream, 3) + 1; times > 0; times--) {
        const uint64_t i = test_stream_below(stream, count), j = test_stream_below(stream, count);
        switch (test_stream_below(stream, 6)) {
        case 0:
            exchange(&list[i], &list[j]);
            break;
        case 1:
            list[i] = list[j];
            break;
        case 2: /* keeps the sum */
            list[i]--;
            list[(i + 1) % count]++;
            break;
        case 3:
            for (uint64_t k = 0; k < count / 2; k++)
                exchange(&list[k], &list[count - 1 - k]);
            break;
        default:
            test_word_change(stream, plan, &list[i], sizeof list[i]);
            break;
        }
    }
}
