/* SPDX-License-Identifier: Apache-2.0 */
/* Detection of lists of edges, independent of the name of the file. */
#ifndef SPMMI_READ_EDGE_LIST_H
#define SPMMI_READ_EDGE_LIST_H

#include "reader.h"

bool spmmi_is_edge_list(const struct spmmi_head *head);

#endif
