/* SPDX-License-Identifier: Apache-2.0 */
/* See log_chart.h. The picture is as wide as a phone, so that its text is legible there. */
#include "log_chart.h"

#include <math.h>

#define WIDTH 360.0
#define HEIGHT 270.0
#define LEFT 46.0
#define RIGHT 12.0
#define TOP 48.0
#define BOTTOM 40.0
#define LABEL_GAP 30.0 /* guides closer than this have their labels on different lines */
#define LABEL_LINE 12.0
#define ROOM 2.0           /* factor between the values and the ends of an axis */
#define DECADES_ONLY 300.0 /* axes with a larger ratio of the ends have no ticks at 2 and 5 */

void log_chart_init(struct log_chart *chart, struct html *h)
{
    *chart = (struct log_chart){.h = h};
}

static void include(struct log_axis *axis, double value)
{
    axis->least = !axis->has_values || value < axis->least ? value : axis->least;
    axis->most = !axis->has_values || value > axis->most ? value : axis->most;
    axis->has_values = true;
}

void log_chart_include(struct log_chart *chart, double x, double y)
{
    include(&chart->x, x);
    include(&chart->y, y);
}

static void make_room(struct log_axis *axis)
{
    axis->least /= ROOM;
    axis->most *= ROOM;
}

static double share(const struct log_axis *axis, double value)
{
    return log10(value / axis->least) / log10(axis->most / axis->least);
}

static double x_of(const struct log_chart *chart, double x)
{
    return LEFT + share(&chart->x, x) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct log_chart *chart, double y)
{
    return HEIGHT - BOTTOM - share(&chart->y, y) * (HEIGHT - TOP - BOTTOM);
}

static void line(const struct log_chart *chart, double x1, double y1, double x2, double y2)
{
    fprintf(chart->h->out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x1, y1,
            x2, y2);
}

/* Starts a text. anchor is "start", "middle" or "end". */
static void label_begin(const struct log_chart *chart, double x, double y, const char *anchor)
{
    fprintf(chart->h->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
}

static void label(const struct log_chart *chart, double x, double y, const char *anchor, const char *text)
{
    label_begin(chart, x, y, anchor);
    html_text(chart->h, "%s", text);
    html_markup(chart->h, "</text>\n");
}

/* Writes a number as "0.5", "20" or "10^5". */
static void tick_label(const struct log_chart *chart, double x, double y, const char *anchor, double value)
{
    label_begin(chart, x, y, anchor);
    if (value > 2e4 && fmod(log10(value), 1) == 0)
        html_text(chart->h, "10^%.0f", log10(value));
    else
        html_text(chart->h, "%g", value);
    html_markup(chart->h, "</text>\n");
}

static void tick(const struct log_chart *chart, const struct log_axis *axis, double value)
{
    if (value < axis->least || value > axis->most)
        return;
    if (axis == &chart->x) {
        line(chart, x_of(chart, value), TOP, x_of(chart, value), HEIGHT - BOTTOM);
        tick_label(chart, x_of(chart, value), HEIGHT - BOTTOM + 14, "middle", value);
    } else {
        line(chart, LEFT, y_of(chart, value), WIDTH - RIGHT, y_of(chart, value));
        tick_label(chart, LEFT - 5, y_of(chart, value) + 4, "end", value);
    }
}

static void ticks(const struct log_chart *chart, const struct log_axis *axis)
{
    const bool has_fine = axis->most / axis->least < DECADES_ONLY;
    const int first = (int)floor(log10(axis->least)), last = (int)ceil(log10(axis->most));
    for (int i = first; i <= last; i++) {
        tick(chart, axis, pow(10, i));
        if (has_fine) {
            tick(chart, axis, 2 * pow(10, i));
            tick(chart, axis, 5 * pow(10, i));
        }
    }
}

void log_chart_begin(struct log_chart *chart, const char *title, const char *x_label, const char *y_label)
{
    make_room(&chart->x);
    make_room(&chart->y);
    fprintf(chart->h->out,
            "<svg role=\"img\" viewBox=\"0 0 %.0f %.0f\" xmlns=\"http://www.w3.org/2000/svg\">\n<title>",
            WIDTH, HEIGHT);
    html_text(chart->h, "%s", title);
    html_markup(chart->h, "</title>\n");
    ticks(chart, &chart->x);
    ticks(chart, &chart->y);
    label(chart, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "middle", x_label);
    label(chart, 2, TOP - 4, "start", y_label);
}

void log_chart_end(struct log_chart *chart)
{
    html_markup(chart->h, "</svg>\n");
}

void log_chart_line(const struct log_chart *chart, const double *x, const double *y, int count)
{
    html_markup(chart->h, "<polyline class=\"roof\" points=\"");
    for (int i = 0; i < count; i++)
        fprintf(chart->h->out, "%s%.1f,%.1f", i > 0 ? " " : "", x_of(chart, x[i]), y_of(chart, y[i]));
    html_markup(chart->h, "\"/>\n");
}

/* Returns the lowest label line on which no other label is near. */
static int free_line(const struct log_chart *chart, double at)
{
    int free = 0;
    for (int i = 0; i < chart->guide_count; i++)
        if (fabs(chart->guides[i].at - at) < LABEL_GAP && chart->guides[i].line == free) {
            free++;
            i = -1; /* starts again with the first one */
        }
    return free;
}

void log_chart_guide(struct log_chart *chart, double x, const char *text)
{
    const double at = x_of(chart, x);
    for (int i = 0; i < chart->guide_count; i++)
        if (fabs(chart->guides[i].at - at) < 0.5)
            return;
    if (chart->guide_count == LOG_CHART_GUIDES)
        return;
    const int on = free_line(chart, at);
    chart->guides[chart->guide_count].at = at;
    chart->guides[chart->guide_count++].line = on;
    line(chart, at, TOP, at, HEIGHT - BOTTOM);
    label(chart, at, TOP - 4 - LABEL_LINE * on, "middle", text);
}

static void shape(struct html *h, enum log_chart_mark mark, double x, double y)
{
    switch (mark) {
    case LOG_CHART_DISC:
        fprintf(h->out, "<circle class=\"chosen-point\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\">", x, y);
        return;
    case LOG_CHART_RING:
        fprintf(h->out, "<circle class=\"other-point\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\">", x, y);
        return;
    case LOG_CHART_DIAMOND:
        fprintf(h->out, "<path class=\"measured-point\" d=\"M%.1f %.1fl5 5l-5 5l-5-5z\">", x, y - 5);
        return;
    }
}

static void shape_end(struct html *h, enum log_chart_mark mark)
{
    html_markup(h, mark == LOG_CHART_DIAMOND ? "</path>\n" : "</circle>\n");
}

void log_chart_mark_begin(const struct log_chart *chart, enum log_chart_mark mark, double x, double y)
{
    html_markup(chart->h, "<g>");
    shape(chart->h, mark, x_of(chart, x), y_of(chart, y));
    shape_end(chart->h, mark);
    html_markup(chart->h, "<title>");
}

void log_chart_mark_end(const struct log_chart *chart)
{
    html_markup(chart->h, "</title></g>\n");
}

void log_chart_key(struct html *h, enum log_chart_mark mark)
{
    html_markup(h, "<svg class=\"key\" aria-hidden=\"true\" viewBox=\"0 0 14 14\">");
    shape(h, mark, 7, 7);
    shape_end(h, mark);
    html_markup(h, "</svg>");
}
