/* SPDX-License-Identifier: Apache-2.0 */
/* What a file is named; see reader.h. */
#include <string.h>
#include <strings.h>

#include "reader.h"

bool spmmi_head_named(const struct spmmi_head *head, const char *ending)
{
    const size_t length = strlen(head->file);
    const size_t tail = strlen(ending);
    return length >= tail && strcasecmp(head->file + length - tail, ending) == 0;
}
