/* SPDX-License-Identifier: Apache-2.0 */
/* HTML pages: one file without network access or scripts, readable on a phone and in dark mode. Markup is
 * constant text of the program and is written to out. Text from a file or a command line is written to the
 * stream text, which escapes all special characters of HTML. The pages are also well-formed XML, so that any
 * XML tool can check them. */
#ifndef SPMM_TOOLS_HTML_H
#define SPMM_TOOLS_HTML_H

#include <stddef.h>
#include <stdio.h>

#include <spmm/common.h>

struct html {
    FILE *out;  /* stream for markup */
    FILE *text; /* the same stream with escapes; print functions for people may use it */
};

/* Starts writing to out, which the caller owns and whose errors the caller checks. Errors: MEMORY. */
spmm_status_t html_open(struct html *h, FILE *out, spmm_diag_t *diag);
void html_close(struct html *h);

void html_markup(struct html *h, const char *markup);
__attribute__((format(printf, 2, 3))) void html_text(struct html *h, const char *format, ...);
/* Prints a name from a file. Control characters and invalid UTF-8 are escaped too. */
void html_name(struct html *h, const char *name);

extern const char html_style[]; /* the style sheet, CSS */

/* Writes everything in front of the first section: the style, the title, and one line of text below it. */
void html_page_begin(struct html *h, const char *title, const char *about);
void html_page_end(struct html *h);
void html_section_begin(struct html *h, const char *heading);
void html_section_end(struct html *h);

/* Labelled numbers in a row that wraps: html_tiles_begin, html_tile .., html_tiles_end. */
void html_tiles_begin(struct html *h);
__attribute__((format(printf, 3, 4))) void html_tile(struct html *h, const char *label, const char *format,
                                                     ...);
void html_tiles_end(struct html *h);

/* Tables. The first column is text, the others are numbers. In a FLAT table each row is one line: a name and
 * a bar (html_flat_row), then the cells and the "</tr>", which the caller writes. */
enum html_table { HTML_TABLE_TALL, HTML_TABLE_FLAT };
void html_table_begin(struct html *h, enum html_table kind, const char *caption, const char *const *headers,
                      size_t count);
void html_table_end(struct html *h);
/* Prints a number with four digits, or with all digits in front of the decimal point: "0.1234", "62,451". */
void html_number(struct html *h, double number);
/* Prints the number in a table cell, or a dash if it is not above 0, as for an unknown time. */
void html_number_cell(struct html *h, double number);

enum html_bar { HTML_BAR_PLAIN, HTML_BAR_CHOSEN, HTML_BAR_OTHER };
/* Prints a bar whose length is a share (at most 1) of the column's width, with a mark at another share (0: no
 * mark). The caller prints the number itself as text beside the bar. */
void html_bar(struct html *h, enum html_bar kind, double share, double mark);

void html_flat_row(struct html *h, const char *name, double share, enum html_bar kind);

#endif
