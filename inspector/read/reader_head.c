/* SPDX-License-Identifier: Apache-2.0 */
/* Detects formats by the ending of the file name; see reader.h. */
#include "format/base/file_ending.h"
#include "reader.h"

bool spmmi_head_named(const struct spmmi_head *head, const char *ending)
{
    return spmmi_has_ending(head->file, strlen(head->file), ending);
}
