/* SPDX-License-Identifier: Apache-2.0 */
/* Charts with two logarithmic axes, as SVG inside a page: log_chart_init, log_chart_include for all that is to be seen,
 * log_chart_begin, marks and lines, log_chart_end. Numbers must be above 0. */
#ifndef SPMM_TOOLS_LOG_CHART_H
#define SPMM_TOOLS_LOG_CHART_H

#include <stdbool.h>

#include "html.h"

struct log_axis {
    double least, most; /* of the values; from log_chart_begin on with some room around them */
    bool has_values;
};

#define LOG_CHART_GUIDES 16
struct log_chart {
    struct html *h;
    struct log_axis x, y;
    struct {
        double at;              /* of the picture's width */
        int line;               /* of the label, from the bottom */
    } guides[LOG_CHART_GUIDES]; /* that are drawn already */
    int guide_count;
};

void log_chart_init(struct log_chart *chart, struct html *h);
void log_chart_include(struct log_chart *chart, double x, double y);
void log_chart_begin(struct log_chart *chart, const char *title, const char *x_label, const char *y_label);
void log_chart_end(struct log_chart *chart);

/* Straight lines from point to point. */
void log_chart_line(const struct log_chart *chart, const double *x, const double *y, int count);
/* An upright line with a label at its top; nothing where there is one already. */
void log_chart_guide(struct log_chart *chart, double x, const char *label);

enum log_chart_mark { LOG_CHART_RING, LOG_CHART_DISC, LOG_CHART_DIAMOND };
/* What is printed between the two is what a pointer over the mark is told. */
void log_chart_mark_begin(const struct log_chart *chart, enum log_chart_mark mark, double x, double y);
void log_chart_mark_end(const struct log_chart *chart);
/* The mark alone, for a line of text. */
void log_chart_key(struct html *h, enum log_chart_mark mark);

#endif
