/* SPDX-License-Identifier: Apache-2.0 */
/* Charts with two logarithmic axes, as SVG in a page. Call log_chart_init, log_chart_include for all points
 * that must be visible, log_chart_begin, lines and marks, log_chart_end. Coordinates must be above 0. */
#ifndef SPMM_TOOLS_LOG_CHART_H
#define SPMM_TOOLS_LOG_CHART_H

#include <stdbool.h>

#include "html.h"

struct log_axis {
    double least, most; /* range of the values; log_chart_begin adds a margin */
    bool has_values;
};

#define LOG_CHART_GUIDES 16
struct log_chart {
    struct html *h;
    struct log_axis x, y;
    struct {
        double at;              /* x coordinate in the picture */
        int line;               /* number of the label's line, counted from the bottom */
    } guides[LOG_CHART_GUIDES]; /* the guides that are already drawn */
    int guide_count;
};

void log_chart_init(struct log_chart *chart, struct html *h);
void log_chart_include(struct log_chart *chart, double x, double y);
void log_chart_begin(struct log_chart *chart, const char *title, const char *x_label, const char *y_label);
void log_chart_end(struct log_chart *chart);

/* Draws straight lines from point to point. */
void log_chart_line(const struct log_chart *chart, const double *x, const double *y, int count);
/* Draws a vertical line with a label at its top. Does nothing if there is already a line at x. */
void log_chart_guide(struct log_chart *chart, double x, const char *label);

enum log_chart_mark { LOG_CHART_RING, LOG_CHART_DISC, LOG_CHART_DIAMOND };
/* Draw a mark. Text printed between begin and end is shown when the pointer is over the mark. */
void log_chart_mark_begin(const struct log_chart *chart, enum log_chart_mark mark, double x, double y);
void log_chart_mark_end(const struct log_chart *chart);
/* Draws the mark alone, for use in a line of text. */
void log_chart_key(struct html *h, enum log_chart_mark mark);

#endif
