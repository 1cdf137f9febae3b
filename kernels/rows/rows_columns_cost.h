/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions of rows: how column-major C is stored. */
#ifndef SPMMI_ROWS_COLUMNS_COST_H
#define SPMMI_ROWS_COLUMNS_COST_H

#include "inspector/cost/cost_model.h"

/* Returns true if blocks keep the sums of column-major C. A row split must have no empty rows. If the
 * executor finds the blocks too uneven, it converts C instead; this is not known here. */
int spmmi_rows_cost_keeps_columns(const struct spmmi_model_query *q);
/* Returns true if teams of `team` lanes store column-major C directly. Only for several columns. */
int spmmi_rows_cost_teams_store(const struct spmmi_model_query *q, double team);
/* Returns true if other kernels store column-major C value by value. */
int spmmi_rows_cost_stores_directly(const struct spmmi_model_query *q);
/* Returns the seconds of these stores. team: lanes per team, 0 without teams; stream: bytes/s of the L2
 * cache. */
double spmmi_rows_cost_stores(const struct spmmi_model_query *q, double team, double stream);

#endif
