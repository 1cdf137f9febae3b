/* SPDX-License-Identifier: Apache-2.0 */
/* See window_pack.h. */
#include "window_pack.h"

const struct spmmi_tcblock_kind spmmi_window_kind = {SPMMI_WINDOWS(1), .step_columns = SPMMI_TCBLOCK_BLOCK};
