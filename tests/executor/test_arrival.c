/* SPDX-License-Identifier: Apache-2.0 */
/* Arrival counters. Blocks arrive at one word in every order of their atomic steps, whatever the word held
 * before. Each block is replayed: its function starts again, gets the recorded results of its earlier steps,
 * does one more step, and is left with longjmp at the next one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t step_add(uint64_t *word, uint64_t step);
static uint64_t step_swap(uint64_t *word, uint64_t from, uint64_t to);
#define SPMMI_ARRIVAL_FUNCTION static
#define SPMMI_ARRIVAL_ADD step_add
#define SPMMI_ARRIVAL_SWAP step_swap
#include "kernels/shared/arrival.h"

#define BLOCKS_MAX 4
#define STEPS_MAX 16
#define TAG UINT64_C(0x8f3a55c1d7260e94)
#define COUNT(v) (TAG + (uint64_t)(v)*SPMMI_ARRIVAL_STRIDE) /* the word after v arrivals */

struct block {
    uint64_t answers[STEPS_MAX];
    int steps;
    int is_done;
    uint32_t before; /* number of arrivals counted before this block's */
};

struct moment {
    uint64_t word;
    struct block blocks[BLOCKS_MAX];
};

static struct {
    struct block *block;
    int at, done; /* number of the next step; number of steps done in earlier replays */
    jmp_buf left;
} replay;

/* Returns 1 if the replay performs this step and 0 if its result is already recorded. Leaves the replay after
 * the new step. */
static int is_new_step(void)
{
    if (replay.at > replay.done)
        longjmp(replay.left, 1);
    assert_true(replay.at < STEPS_MAX);
    return replay.at == replay.done;
}

static uint64_t step_add(uint64_t *word, uint64_t step)
{
    if (is_new_step()) {
        replay.block->answers[replay.block->steps++] = *word;
        *word += step;
    }
    return replay.block->answers[replay.at++];
}

static uint64_t step_swap(uint64_t *word, uint64_t from, uint64_t to)
{
    if (is_new_step()) {
        replay.block->answers[replay.block->steps++] = *word;
        *word = *word == from ? to : *word;
    }
    return replay.block->answers[replay.at++];
}

static void step(struct moment *moment, int block)
{
    replay.block = &moment->blocks[block];
    replay.at = 0;
    replay.done = replay.block->steps;
    if (setjmp(replay.left) != 0)
        return;
    replay.block->before = spmmi_arrive(&moment->word, TAG);
    replay.block->is_done = 1;
}

/* Checks that each block got a different number. The last block resets the word, after which the blocks of
 * the next product must need additions only. */
static void check_end(const struct moment *moment, int blocks)
{
    struct moment next = {.word = moment->word};
    uint32_t told = 0;
    for (int b = 0; b < blocks; b++)
        told |= 1u << moment->blocks[b].before;
    assert_int_equal(told, (1u << blocks) - 1);
    assert_true(moment->word == COUNT(blocks));
    spmmi_arrivals_end(&next.word, TAG);
    for (int b = 0; b < blocks; b++) {
        step(&next, b);
        assert_true(next.blocks[b].is_done && next.blocks[b].before == (uint32_t)b);
    }
}

/* Tries every order of the remaining steps. Returns the number of orders. */
static int64_t explore(const struct moment *moment, int blocks)
{
    int64_t permutations = 0;
    for (int b = 0; b < blocks; b++) {
        struct moment next = *moment;
        if (moment->blocks[b].is_done)
            continue;
        step(&next, b);
        permutations += explore(&next, blocks);
    }
    if (permutations == 0) {
        check_end(moment, blocks);
        return 1;
    }
    return permutations;
}

/* Contents of the word before the first arrival. The first two are tried with BLOCKS_MAX blocks. */
static const uint64_t contents[] = {
    UINT64_MAX,
    COUNT(-2), /* two additions give a word of this executor */
    COUNT(-1),
    COUNT(-3),
    0,
    TAG, /* a counter of this executor */
    COUNT(SPMMI_ARRIVALS_MAX + 1),
    TAG ^ UINT64_C(1) << 63,
    UINT64_C(0x3ff8000000000000), /* values of slots */
    UINT64_C(0x3fc000003fc00000),
};

static void every_permutation_of_steps_counts_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++)
        for (int blocks = 1; blocks <= (i < 2 ? BLOCKS_MAX : 3); blocks++) {
            const struct moment begin = {.word = contents[i]};
            const int64_t permutations = explore(&begin, blocks);
            assert_true(blocks == 1 ? permutations == 1 : permutations > 1);
        }
}

/* Contents that another program's array leaves in part of a word. Elements have 8, 16, 32 or 64 bits. */
static const uint64_t foreign[] = {
    0,
    UINT64_MAX,
    1,
    UINT64_C(0x0001000100010001), /* integers */
    UINT64_C(0x0000000200000002),
    UINT64_C(0xfffefffefffefffe),
    UINT64_C(0x3c003c003c003c00), /* f16: 1 */
    UINT64_C(0xbc00b800bc00b800), /* f16: -1, -0.5 */
    UINT64_C(0x3f803f803f803f80), /* bf16: 1 */
    UINT64_C(0xfd00fd00fd00fd00), /* bf16: -1.06e37 */
    UINT64_C(0x3f8000003f800000), /* f32: 1 */
    UINT64_C(0xbf000000c2f6e979), /* f32: -0.5, -123.456 */
    UINT64_C(0x3ff0000000000000), /* f64: 1 */
    UINT64_C(0xbfd5555555555555), /* f64: -1 / 3 */
};
#define FOREIGN (sizeof foreign / sizeof foreign[0])

/* Lets four blocks arrive one after the other at the word of count v, after the bits of `mask` were
 * overwritten with those of `value`. */
static void check_overwritten(uint64_t v, uint64_t mask, uint64_t value)
{
    struct moment m = {.word = (COUNT(v) & ~mask) | (value & mask)};
    if (m.word == COUNT(v))
        return; /* nothing was overwritten, because the bits were equal */
    for (int b = 0; b < BLOCKS_MAX; b++) {
        while (!m.blocks[b].is_done)
            step(&m, b);
        if (m.blocks[b].before != (uint32_t)b)
            fail_msg("mask %016llx of count %llu by %016llx: block %d counts %u before it",
                     (unsigned long long)mask, (unsigned long long)v, (unsigned long long)value, b,
                     m.blocks[b].before);
    }
}

/* An array of another program ends in the word or begins in it, at any byte. */
static void words_that_were_overwritten_in_part_count_from_0(void **state)
{
    (void)state;
    for (size_t i = 0; i < FOREIGN; i++)
        for (unsigned bits = 8; bits < 64; bits += 8)
            for (uint64_t v = 0; v < 3; v++) {
                check_overwritten(v, UINT64_MAX >> bits, foreign[i]);
                check_overwritten(v, UINT64_MAX << bits, foreign[i]);
            }
}

/* Two counts of one executor differ above their lowest 39 bits and below their highest 40 bits. So
 * overwriting half of a word does not turn one count into another. */
static void counts_differ_in_the_whole_word(void **state)
{
    uint64_t difference = 0;
    (void)state;
    assert_true(SPMMI_ARRIVAL_STRIDE * SPMMI_ARRIVAL_INVERSE == 1);
    for (uint64_t v = 1; v <= SPMMI_ARRIVALS_MAX; v++) {
        difference += SPMMI_ARRIVAL_STRIDE;
        const uint64_t back = UINT64_C(0) - difference;
        if ((difference < back ? difference : back) >> 39 == 0 || difference << 40 == 0)
            fail_msg("counts that differ by %llu look alike", (unsigned long long)v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_permutation_of_steps_counts_right),
        cmocka_unit_test(words_that_were_overwritten_in_part_count_from_0),
        cmocka_unit_test(counts_differ_in_the_whole_word),
    };
    return cmocka_run_group_tests_name("arrival", tests, NULL, NULL);
}
