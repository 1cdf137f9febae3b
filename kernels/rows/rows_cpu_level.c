/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the SIMD level of this machine. */
#include <stdatomic.h>
#include <stddef.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "kernels/shared/level_cpu.h"
#include "rows_cpu.h"

#if defined(__x86_64__)
/* Returns true if the machine converts f16. __builtin_cpu_supports of clang 14 does not know the name
 * f16c. */
static int has_f16c(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

static const struct rows_cpu_level *level_find(void)
{
#if defined(__x86_64__)
    if (spmmi_cpu_has_avx2() && has_f16c()) {
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
            return &spmmi_rows_cpu_avx512;
        return &spmmi_rows_cpu_avx2;
    }
#endif
    return &spmmi_rows_cpu_portable;
}

/* Finds the level once: virtual machines trap on cpuid, which takes longer there than a product of few
 * nonzeros. */
const struct rows_cpu_level *rows_cpu_level_pick(void)
{
    static const struct rows_cpu_level *_Atomic picked;
    const struct rows_cpu_level *level = atomic_load_explicit(&picked, memory_order_relaxed);
    if (level == NULL) {
        level = level_find();
        atomic_store_explicit(&picked, level, memory_order_relaxed);
    }
    return level;
}
