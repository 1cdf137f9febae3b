/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of HTML: one file without network or scripts, readable on a phone and in dark mode. Markup is constant text of
 * the program and goes to out; whatever comes from a file or a command line goes to text, which escapes all that means
 * something in HTML. The pages are well-formed XML too, so that any XML tool can check them. */
#ifndef SPMM_TOOLS_HTML_H
#define SPMM_TOOLS_HTML_H

#include <stddef.h>
#include <stdio.h>

#include <spmm/common.h>

struct html {
    FILE *out;  /* markup */
    FILE *text; /* the same stream for text; whatever prints for people may print here */
};

/* out stays the caller's, who looks after its errors. Errors: MEMORY. */
spmm_status_t html_open(struct html *h, FILE *out, spmm_diag_t *diag);
void html_close(struct html *h);

void html_markup(struct html *h, const char *markup);
__attribute__((format(printf, 2, 3))) void html_text(struct html *h, const char *format, ...);
/* A name from a file: also what is no printable UTF-8 is escaped. */
void html_name(struct html *h, const char *name);

extern const char html_style[]; /* the style sheet, CSS */

/* Everything up to the first section: the style, a title, a line of text under it. */
void html_page_begin(struct html *h, const char *title, const char *about);
void html_page_end(struct html *h);
void html_section_begin(struct html *h, const char *heading);
void html_section_end(struct html *h);

/* Numbers with a label each, in a row that wraps: html_tiles_begin, html_tile .., html_tiles_end. */
void html_tiles_begin(struct html *h);
__attribute__((format(printf, 3, 4))) void html_tile(struct html *h, const char *label, const char *format,
                                                     ...);
void html_tiles_end(struct html *h);

/* Tables: the first column is text, the others are numbers. In a FLAT one a row is one line: a name and a bar
 * (html_flat_row), then the cells and the "</tr>" of the caller. */
enum html_table { HTML_TABLE_TALL, HTML_TABLE_FLAT };
void html_table_begin(struct html *h, enum html_table kind, const char *caption, const char *const *headers,
                      size_t count);
void html_table_end(struct html *h);
/* Four digits, or all before the decimal point: "0.1234", "62,451". */
void html_number(struct html *h, double number);
/* The number of a cell, or a dash where it is not above 0 (a time that is not known). */
void html_number_cell(struct html *h, double number);

enum html_bar { HTML_BAR_PLAIN, HTML_BAR_CHOSEN, HTML_BAR_OTHER };
/* A bar of the share of the column's width (at most 1), with a mark at another share; mark 0: none. The number itself
 * stands beside it as text. */
void html_bar(struct html *h, enum html_bar kind, double share, double mark);

void html_flat_row(struct html *h, const char *name, double share, enum html_bar kind);

#endif
