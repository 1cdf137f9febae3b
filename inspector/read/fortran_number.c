/* SPDX-License-Identifier: Apache-2.0 */
/* Values of Fortran fields. See fortran_format.h. */
#include <stdio.h>
#include <string.h>

#include "decimal.h"
#include "digits.h"
#include "fortran_format.h"

static void trim(const char **p, const char **end)
{
    while (*p < *end && **p == ' ')
        ++*p;
    while (*p < *end && (*end)[-1] == ' ')
        --*end;
}

bool spmmi_fortran_count(const char *p, const char *end, uint64_t *value)
{
    trim(&p, &end);
    return spmmi_count_read(p, end, value) == end; /* NULL if there is no digit */
}

static bool is_exponent_letter(char c)
{
    return c != '\0' && strchr("EeDdQq", c) != NULL;
}

/* Reads the exponent at p: a letter with or without a sign, or only a sign. *exponent is limited to
 * +-100,000. Returns false if it is malformed. */
static bool read_exponent(const char *p, const char *end, int64_t *exponent)
{
    uint64_t value = 0;
    p += is_exponent_letter(*p);
    while (p < end && *p == ' ')
        p++;
    const bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end || spmmi_count_read(p, end, &value) != end)
        return false;
    value = value < 100000 ? value : 100000;
    *exponent = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

/* Skips digits with at most one point. Returns their end. */
static const char *skip_mantissa(const char *p, const char *end, bool *has_point, bool *is_zero)
{
    *is_zero = true;
    *has_point = false;
    p += p < end && (*p == '-' || *p == '+');
    for (; p < end && (spmmi_is_digit(*p) || (*p == '.' && !*has_point)); p++) {
        *has_point = *has_point || *p == '.';
        *is_zero = *is_zero && (*p == '.' || *p == '0');
    }
    return p;
}

bool spmmi_fortran_real(const struct spmmi_fortran_format *format, const char *p, const char *end,
                        double *value)
{
    char text[SPMMI_FORTRAN_WIDTH_MAX + 32];
    bool has_point = false;
    bool is_zero = false;
    int64_t exponent = 0;
    trim(&p, &end);
    const char *mantissa_end = skip_mantissa(p, end, &has_point, &is_zero);
    if (!has_point && format->digits > 0 && !is_zero)
        return false;
    /* Fast path for the common forms. */
    if ((format->scale == 0 || mantissa_end < end) && spmmi_decimal_read(p, end, value) == end)
        return true;
    if (mantissa_end < end && !read_exponent(mantissa_end, end, &exponent))
        return false;
    if (mantissa_end == end)
        exponent = -format->scale;
    const int length =
        snprintf(text, sizeof text, "%.*se%lld", (int)(mantissa_end - p), p, (long long)exponent);
    return spmmi_decimal_read(text, text + length, value) == text + length;
}
