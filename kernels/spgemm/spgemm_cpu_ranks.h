/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that are indexed by a mask of 8 bits. */
#ifndef SPMMI_SPGEMM_CPU_RANKS_H
#define SPMMI_SPGEMM_CPU_RANKS_H

#include <stdint.h>

/* clang-format off */
#define BITS(m) (((m) & 1) + ((m) >> 1 & 1) + ((m) >> 2 & 1) + ((m) >> 3 & 1) \
                 + ((m) >> 4 & 1) + ((m) >> 5 & 1) + ((m) >> 6 & 1) + ((m) >> 7 & 1))
#define RANK(m, l) ((uint64_t)BITS((m) & ((1 << (l)) - 1)) << 8 * (l))
#define RANKS(m) (RANK(m, 1) | RANK(m, 2) | RANK(m, 3) | RANK(m, 4) | RANK(m, 5) | RANK(m, 6) | RANK(m, 7))
#define FOUR(of, m) of(m), of((m) + 1), of((m) + 2), of((m) + 3)
#define SIXTEEN(of, m) FOUR(of, m), FOUR(of, (m) + 4), FOUR(of, (m) + 8), FOUR(of, (m) + 12)
#define SIXTYFOUR(of, m) SIXTEEN(of, m), SIXTEEN(of, (m) + 16), SIXTEEN(of, (m) + 32), SIXTEEN(of, (m) + 48)
#define ALL(of) SIXTYFOUR(of, 0), SIXTYFOUR(of, 64), SIXTYFOUR(of, 128), SIXTYFOUR(of, 192)
/* clang-format on */

/* Number of bits that are set in the mask. */
static const uint8_t spgemm_bits[256] = {ALL(BITS)};

/* Byte l is the number of set bits below bit l. */
static const uint64_t spgemm_ranks[256] = {ALL(RANKS)};

#undef ALL
#undef SIXTYFOUR
#undef SIXTEEN
#undef FOUR
#undef RANKS
#undef RANK
#undef BITS
#endif
