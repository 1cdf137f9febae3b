/* SPDX-License-Identifier: Apache-2.0 */
/* Arrival counters: blocks that arrive at one word, in every order of their atomic steps and whatever the word held
 * before. A block runs as a replay: its function starts again with the answers of the steps it has done, does one more,
 * and is left at the step after that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t step_add(uint64_t *word);
static uint64_t step_swap(uint64_t *word, uint64_t from, uint64_t to);
#define SPMMI_ARRIVAL_FUNCTION static
#define SPMMI_ARRIVAL_ADD step_add
#define SPMMI_ARRIVAL_SWAP step_swap
#include "kernels/shared/arrival.h"

#define BLOCKS_MAX 4
#define STEPS_MAX 16
#define TAG SPMMI_ARRIVAL_TAG(UINT64_C(0x8f3a55c1d7))

struct block {
    uint64_t answers[STEPS_MAX];
    int steps;
    int is_done;
    uint32_t before; /* arrivals that were counted before it */
};

struct moment {
    uint64_t word;
    struct block blocks[BLOCKS_MAX];
};

static struct {
    struct block *block;
    int at, done; /* the step that comes next; steps that were done before */
    jmp_buf left;
} replay;

/* Does the replay do this step? Else the answer is known; past the step there is none. */
static int is_new_step(void)
{
    if (replay.at > replay.done)
        longjmp(replay.left, 1);
    assert_true(replay.at < STEPS_MAX);
    return replay.at == replay.done;
}

static uint64_t step_add(uint64_t *word)
{
    if (is_new_step())
        replay.block->answers[replay.block->steps++] = (*word)++;
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

/* Each block got another number, and the last one leaves the word so that additions are enough. */
static void check_end(const struct moment *moment, int blocks)
{
    struct moment next = {.word = moment->word};
    uint32_t told = 0;
    for (int b = 0; b < blocks; b++)
        told |= 1u << moment->blocks[b].before;
    assert_int_equal(told, (1u << blocks) - 1);
    assert_true(moment->word == TAG + (uint64_t)blocks);
    spmmi_arrivals_end(&next.word, TAG);
    for (int b = 0; b < blocks; b++) {
        step(&next, b);
        assert_true(next.blocks[b].is_done && next.blocks[b].before == (uint32_t)b);
    }
}

/* Every order of the steps that are left; returns how many there are. */
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

/* The first two are tried with most blocks. */
static const uint64_t contents[] = {
    UINT64_MAX,
    TAG - 2, /* additions carry into the tag */
    TAG - 1,
    TAG - 3,
    0,
    TAG,                          /* a counter of this executor */
    TAG + SPMMI_ARRIVALS_MAX + 1, /* the tag after it */
    TAG ^ UINT64_C(1) << 63,
    UINT64_C(0x3ff8000000000000), /* numbers of slots */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_permutation_of_steps_counts_right)};
    return cmocka_run_group_tests_name("arrival", tests, NULL, NULL);
}
