/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions of rows: how column-major C is stored. */
#ifndef SPMMI_ROWS_COLUMNS_COST_H
#define SPMMI_ROWS_COLUMNS_COST_H

#include "inspector/cost/cost_model.h"

/* Do blocks keep its sums? Uneven blocks, which convert it, are not known; those of a row split have no empty rows. */
int spmmi_rows_cost_keeps_columns(const struct spmmi_model_query *q);
/* Do teams of so many lanes store it? Of several columns. */
int spmmi_rows_cost_teams_store(const struct spmmi_model_query *q, double team);
/* Do others store it value by value? */
int spmmi_rows_cost_stores_columns(const struct spmmi_model_query *q);
/* Seconds of these stores. team: lanes of a team, 0 without teams; stream: bytes a second of the L2 cache. */
double spmmi_rows_cost_stores(const struct spmmi_model_query *q, double team, double stream);

#endif
