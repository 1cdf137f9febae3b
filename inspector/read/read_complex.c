/* SPDX-License-Identifier: Apache-2.0 */
/* Complex values: only one real number of each is read until plans support complex values. See reader.h. */
#include <math.h>

#include "reader.h"

spmm_status_t spmmi_complex_field(struct spmmi_reader *reader, uint64_t line, const char *what,
                                  enum spmmi_value_field *field)
{
    if (reader->complex_part == SPMM_COMPLEX_REFUSE)
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_UNSUPPORTED, line,
                                 "%s complex; --real-part or --abs of spmm-inspect reads one number of each",
                                 what);
    *field = reader->complex_part == SPMM_COMPLEX_ABS ? SPMMI_FIELD_ABS : SPMMI_FIELD_REAL_PART;
    return SPMM_OK;
}

double spmmi_complex_take(enum spmmi_value_field field, double real, double imaginary)
{
    return field == SPMMI_FIELD_ABS ? hypot(real, imaginary) : real;
}
