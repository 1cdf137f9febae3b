/* SPDX-License-Identifier: Apache-2.0 */
/* See html.h. */
#include "html.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

#include "tools/cli/fail.h"
#include "tools/cli/print_text.h"

#define COUNTED_FROM 1000 /* larger numbers have no decimals */
#define COUNTED_TO 1e15   /* still larger numbers have an exponent */

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static ssize_t write_escaped(void *out, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char *escaped = entity(bytes[i]);
        if (escaped != NULL)
            fputs(escaped, out);
        else
            fputc(bytes[i], out);
    }
    return (ssize_t)size; /* the caller checks the errors of out */
}

spmm_status_t html_open(struct html *h, FILE *out, spmm_diag_t *diag)
{
    *h = (struct html){.out = out,
                       .text = fopencookie(out, "w", (cookie_io_functions_t){.write = write_escaped})};
    if (h->text == NULL)
        return fail_memory(diag, BUFSIZ, "the page");
    (void)setvbuf(h->text, NULL, _IONBF, 0); /* without a buffer, so that markup and text keep their order */
    return SPMM_OK;
}

void html_close(struct html *h)
{
    if (h->text != NULL)
        (void)fclose(h->text);
    *h = (struct html){0};
}

void html_markup(struct html *h, const char *markup)
{
    fputs(markup, h->out);
}

void html_text(struct html *h, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(h->text, format, arguments);
    va_end(arguments);
}

void html_name(struct html *h, const char *name)
{
    print_escaped(h->text, name);
}

/* Allows no source except the file itself: text that was not escaped could not load or run anything. */
#define POLICY "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

void html_page_begin(struct html *h, const char *title, const char *about)
{
    html_markup(h, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\"/>\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                   "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
                   "<link rel=\"icon\" href=\"data:,\"/>\n<title>");
    html_name(h, title);
    html_markup(h, "</title>\n<style>\n");
    html_markup(h, html_style);
    html_markup(h, "</style>\n</head>\n<body>\n<header>\n<h1>");
    html_name(h, title);
    html_markup(h, "</h1>\n<p>");
    html_name(h, about);
    html_markup(h, "</p>\n</header>\n<main>\n");
}

void html_page_end(struct html *h)
{
    html_markup(h, "</main>\n<footer><p>");
    html_text(h, "spmm %s. Times are in microseconds (us); 1 kB is 1000 bytes.", spmm_version_string());
    html_markup(h, "</p></footer>\n</body>\n</html>\n");
}

void html_section_begin(struct html *h, const char *heading)
{
    html_markup(h, "<section>\n<h2>");
    html_text(h, "%s", heading);
    html_markup(h, "</h2>\n");
}

void html_section_end(struct html *h)
{
    html_markup(h, "</section>\n");
}

void html_tiles_begin(struct html *h)
{
    html_markup(h, "<dl class=\"tiles\">\n");
}

void html_tile(struct html *h, const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    html_markup(h, "<div><dt>");
    html_text(h, "%s", label);
    html_markup(h, "</dt><dd>");
    vfprintf(h->text, format, arguments);
    html_markup(h, "</dd></div>\n");
    va_end(arguments);
}

void html_tiles_end(struct html *h)
{
    html_markup(h, "</dl>\n");
}

void html_table_begin(struct html *h, enum html_table kind, const char *caption, const char *const *headers,
                      size_t count)
{
    html_markup(h, kind == HTML_TABLE_FLAT ? "<table class=\"flat\">\n<caption>" : "<table>\n<caption>");
    html_text(h, "%s", caption);
    html_markup(h, "</caption>\n<thead><tr>");
    for (size_t i = 0; i < count; i++) {
        html_markup(h, "<th scope=\"col\">");
        html_text(h, "%s", headers[i]);
        html_markup(h, "</th>");
    }
    html_markup(h, "</tr></thead>\n<tbody>\n");
}

void html_flat_row(struct html *h, const char *name, double share, enum html_bar kind)
{
    html_markup(h, "<tr><th scope=\"row\">");
    html_name(h, name);
    html_markup(h, "</th><td>");
    html_bar(h, kind, share, 0);
    html_markup(h, "</td>");
}

void html_table_end(struct html *h)
{
    html_markup(h, "</tbody>\n</table>\n");
}

void html_number(struct html *h, double number)
{
    char text[PRINT_UNITS_BYTES];
    if (number < COUNTED_FROM || number >= COUNTED_TO)
        html_text(h, "%.4g", number);
    else
        html_text(h, "%s", print_count(text, llround(number)));
}

void html_number_cell(struct html *h, double number)
{
    html_markup(h, "<td>");
    if (number > 0)
        html_number(h, number);
    else
        html_markup(h, "&#8211;");
    html_markup(h, "</td>");
}

void html_bar(struct html *h, enum html_bar kind, double share, double mark)
{
    static const char *const classes[] = {"", " chosen", " other"};
    const double width = share < 1 ? share : 1; /* NaN gives 1 too */
    html_markup(h, "<span class=\"track\" aria-hidden=\"true\">");
    if (width > 0)
        fprintf(h->out, "<span class=\"bar%s\" style=\"width:%.2f%%\"></span>", classes[kind], 100 * width);
    if (mark > 0)
        fprintf(h->out, "<span class=\"mark\" style=\"left:%.2f%%\"></span>", 100 * mark);
    html_markup(h, "</span>");
}
