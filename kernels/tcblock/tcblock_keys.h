/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting the columns of a unit of the window, panel and bcsr families. */
#ifndef SPMMI_TCBLOCK_KEYS_H
#define SPMMI_TCBLOCK_KEYS_H

#include <stdint.h>

#define SPMMI_KEY_SHIFT 32u /* an entry: the sort key in the upper half, its item in the lower */

/* Stable, by the upper halves, which are at least low and at most high. *keys and *spare have room for count and are
 * exchanged; the result is in *keys. Time: count times the bytes of high - low. */
void spmmi_tcblock_keys_sort(uint64_t **keys, uint64_t **spare, uint32_t count, uint32_t low, uint32_t high);

#endif
