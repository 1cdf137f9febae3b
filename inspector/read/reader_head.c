/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a file and what its ending says of the format; see reader.h. */
#include "format/base/file_ending.h"
#include "reader.h"

bool spmmi_head_named(const struct spmmi_head *head, const char *ending)
{
    return spmmi_has_ending(head->file, strlen(head->file), ending);
}
