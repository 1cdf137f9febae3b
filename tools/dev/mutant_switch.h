/* SPDX-License-Identifier: Apache-2.0 */
/* tools/dev/mutate copies this beside the sources it rewrites: the switch behind each mutant. SPMM_MUTANT=NUMBER puts
 * one mutant on; SPMM_MUTANTS_SEEN=FILE has a byte for each, set to 1 where the mutant would have changed something. */
#ifndef SPMM_MUTANT_SWITCH_H
#define SPMM_MUTANT_SWITCH_H

#ifdef __cplusplus /* where the emulator includes a header: as it is */
#define SPMM_MUTANT_TRUE(number, ...) (__VA_ARGS__)
#define SPMM_MUTANT_FALSE(number, ...) (__VA_ARGS__)
#define SPMM_MUTANT_BOUND(number, left, sign, mutated, right) ((left)sign(right))
#else

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Weak: one of each in a program, or in a library of its own. */
__attribute__((weak)) int spmm_mutant_on = -1;
__attribute__((weak)) unsigned char *spmm_mutants_seen;

__attribute__((weak, constructor)) void spmm_mutants_start(void)
{
    const char *on = getenv("SPMM_MUTANT"), *seen = getenv("SPMM_MUTANTS_SEEN");
    if (on != NULL)
        spmm_mutant_on = atoi(on);
    if (seen == NULL || spmm_mutants_seen != NULL)
        return;
    const int file = open(seen, O_RDWR | O_CLOEXEC);
    void *bytes = mmap(NULL, SPMM_MUTANTS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED)
        abort();
    spmm_mutants_seen = bytes;
}

static inline int spmm_mutant(int number, int value, int mutated)
{
    if (value == mutated)
        return value;
    if (spmm_mutants_seen != NULL)
        spmm_mutants_seen[number] = 1;
    return number == spmm_mutant_on ? mutated : value;
}

#define SPMM_MUTANT_TRUE(number, ...) spmm_mutant(number, !!(__VA_ARGS__), 1)
#define SPMM_MUTANT_FALSE(number, ...) spmm_mutant(number, !!(__VA_ARGS__), 0)
/* + 0: bit fields have no __auto_type. */
#define SPMM_MUTANT_BOUND(number, left, sign, mutated, right)                         \
    ({                                                                                \
        __auto_type spmm_left = (left) + 0;                                           \
        __auto_type spmm_right = (right) + 0;                                         \
        spmm_mutant(number, spmm_left sign spmm_right, spmm_left mutated spmm_right); \
    })

#endif
#endif
