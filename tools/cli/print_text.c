/* SPDX-License-Identifier: Apache-2.0 */
/* See print_text.h. */
#include "print_text.h"

#include <string.h>

int print_character(const char *text, int *printable)
{
    static const struct {
        unsigned mask, lead;
        uint32_t minimum;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    const unsigned char *p = (const unsigned char *)text;
    for (int more = 0; more < 4; more++) {
        if ((p[0] & forms[more].mask) != forms[more].lead)
            continue;
        uint32_t code = p[0] & ~forms[more].mask;
        for (int i = 1; i <= more; i++) {
            if ((p[i] & 0xc0u) != 0x80u)
                return 0;
            code = (code << 6) | (p[i] & 0x3fu);
        }
        if (code < forms[more].minimum || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            return 0;
        /* Not printable: ASCII and Latin-1 control characters, line separators, and marks that change the
         * text direction. */
        *printable = !(code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
                       (code >= 0x2066 && code <= 0x2069));
        return more + 1;
    }
    return 0;
}

void print_escaped(FILE *out, const char *text)
{
    while (*text != '\0') {
        int printable = 0;
        const int valid = print_character(text, &printable);
        const int bytes = valid > 0 ? valid : 1;
        for (int i = 0; i < bytes; i++) {
            if (valid > 0 && printable)
                fputc(text[i], out);
            else
                fprintf(out, "\\x%02x", (unsigned)(unsigned char)text[i]);
        }
        text += bytes;
    }
}

const char *print_bytes(char text[PRINT_UNITS_BYTES], uint64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1000) {
        snprintf(text, PRINT_UNITS_BYTES, "%u byte%s", (unsigned)bytes, bytes == 1 ? "" : "s");
        return text;
    }
    double scaled = (double)bytes / 1000;
    size_t unit = 0;
    for (; scaled >= 999.5 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        scaled /= 1000;
    snprintf(text, PRINT_UNITS_BYTES, "%.3g %s", scaled, units[unit]);
    return text;
}

const char *print_seconds(char text[PRINT_UNITS_BYTES], double seconds)
{
    static const struct {
        double factor;
        const char *unit;
    } units[] = {{1e6, "us"}, {1e3, "ms"}, {1, "s"}};
    size_t unit = 0;
    while (unit < 2 && seconds * units[unit].factor >= 999.5)
        unit++;
    snprintf(text, PRINT_UNITS_BYTES, seconds >= 999.5 ? "%.0f %s" : "%.3g %s", seconds * units[unit].factor,
             units[unit].unit);
    return text;
}

const char *print_count(char text[PRINT_UNITS_BYTES], int64_t count)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%lld", (long long)count);
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

const char *print_plural(char text[PRINT_UNITS_BYTES], int64_t count, const char *noun)
{
    print_count(text, count);
    const size_t used = strlen(text);
    snprintf(text + used, PRINT_UNITS_BYTES - used, " %s%s", noun, count == 1 ? "" : "s");
    return text;
}
