/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the columns of a unit of the window, panel and bcsr families. */
#ifndef SPMMI_TCBLOCK_KEYS_H
#define SPMMI_TCBLOCK_KEYS_H

#include <stdint.h>

#define SPMMI_KEY_SHIFT 32u /* an entry has the sort key in its upper half, its item in the lower half */

/* Sorts entries stably by their upper halves, which must be in low .. high. *keys and *spare
 * hold count entries each and are exchanged; the result is in *keys. Time: count times the
 * number of bytes in high - low. */
void spmmi_tcblock_keys_sort(uint64_t **keys, uint64_t **spare, uint32_t count, uint32_t low, uint32_t high);

#endif
