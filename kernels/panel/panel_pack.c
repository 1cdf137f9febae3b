/* SPDX-License-Identifier: Apache-2.0 */
/* See panel_pack.h. */
#include "panel_pack.h"

#define WORD_BYTES 16u /* bytes that a thread copies at once */

const struct spmmi_tcblock_kind spmmi_panel_kind = {SPMMI_WINDOWS(SPMMI_TCBLOCK_WINDOWS_MAX),
                                                    .step_columns = SPMMI_TCBLOCK_PANEL_STEP, .has_locals = 1,
                                                    .step_bytes = WORD_BYTES};
