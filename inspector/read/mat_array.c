/* SPDX-License-Identifier: Apache-2.0 */
/* See mat_array.h. */
#include "mat_array.h"

#include "format/base/checked.h"

#define TAG 8u
#define SMALL_MAX 4u /* bytes of data in a small element, whose type and size have 16 bits each */

static uint64_t bits_of(const char *p, unsigned count, bool big_endian)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < count; i++)
        bits = bits << 8 | (unsigned char)p[big_endian ? i : count - 1 - i];
    return bits;
}

uint32_t spmmi_mat_word(const char *p, bool big_endian)
{
    return (uint32_t)bits_of(p, 4, big_endian);
}

struct spmmi_mat_element spmmi_mat_next(struct spmmi_mat_cursor *c)
{
    const struct spmmi_mat_element none = {0, c->p, 0};
    const uint64_t left = (uint64_t)(c->end - c->p);
    uint64_t padded = 0;
    if (left < TAG)
        return none;
    const char *tag = c->p;
    const uint32_t first = spmmi_mat_word(tag, c->big_endian);
    const bool is_small = first >> 16 != 0;
    const uint64_t size = is_small ? first >> 16 : spmmi_mat_word(tag + 4, c->big_endian);
    if (size > (is_small ? SMALL_MAX : left - TAG))
        return none;
    (void)spmmi_align_u64(is_small ? 0 : size, 8, &padded);
    c->p += TAG + (padded < left - TAG ? padded : left - TAG);
    return (struct spmmi_mat_element){first & 0xffff, tag + (is_small ? 4 : TAG), size};
}

enum number_kind { SIGNED, UNSIGNED, FLOAT };

/* Returns the bytes per number of a type; 0 for types that are not numeric. */
static unsigned number_bytes(unsigned type, enum number_kind *kind)
{
    static const struct {
        unsigned type, bytes;
        enum number_kind kind;
    } types[] = {{1, 1, SIGNED},   {2, 1, UNSIGNED}, {3, 2, SIGNED}, {4, 2, UNSIGNED}, {5, 4, SIGNED},
                 {6, 4, UNSIGNED}, {7, 4, FLOAT},    {9, 8, FLOAT},  {12, 8, SIGNED},  {13, 8, UNSIGNED}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type == type) {
            *kind = types[i].kind;
            return types[i].bytes;
        }
    }
    return 0;
}

struct spmmi_mat_numbers spmmi_mat_numbers_of(const struct spmmi_mat_element *element, bool big_endian)
{
    enum number_kind kind = FLOAT;
    const unsigned bytes = number_bytes(element->type, &kind);
    return (struct spmmi_mat_numbers){*element, big_endian, bytes != 0 ? element->size / bytes : 0, bytes};
}

static double float_of(uint64_t bits, unsigned bytes)
{
    const uint32_t half = (uint32_t)bits;
    float single = 0;
    double value = 0;
    memcpy(&single, &half, sizeof single);
    memcpy(&value, &bits, sizeof value);
    return bytes == 4 ? (double)single : value;
}

double spmmi_mat_number(const struct spmmi_mat_numbers *numbers, uint64_t k, bool *inexact)
{
    enum number_kind kind = FLOAT;
    const unsigned bytes = number_bytes(numbers->element.type, &kind);
    const uint64_t bits = bits_of(numbers->element.data + k * numbers->stride, bytes, numbers->big_endian);
    const unsigned shift = 64 - 8 * bytes;
    *inexact = false;
    if (kind == FLOAT)
        return float_of(bits, bytes);
    const bool negative = kind == SIGNED && (int64_t)(bits << shift) < 0;
    const uint64_t size = negative ? -(uint64_t)((int64_t)(bits << shift) >> shift) : bits;
    const double value = (double)size;
    *inexact = size > UINT64_C(1) << 53 && (value >= 0x1p64 || (uint64_t)value != size);
    return negative ? -value : value;
}

static void read_name(const struct spmmi_mat_element *element, char name[SPMMI_MAT_NAME_BYTES])
{
    const uint64_t most = SPMMI_MAT_NAME_BYTES - 1;
    const uint64_t length = element->size < most ? element->size : most;
    memcpy(name, element->data, length);
    name[length] = '\0';
}

static bool read_dims(const struct spmmi_mat_element *element, struct spmmi_mat_array *array)
{
    const struct spmmi_mat_numbers dims = spmmi_mat_numbers_of(element, array->rest.big_endian);
    if (element->type != 5 || dims.count < 2)
        return false;
    bool inexact = false;
    array->dims = (int)dims.count;
    array->rows = (int64_t)spmmi_mat_number(&dims, 0, &inexact);
    array->cols = (int64_t)spmmi_mat_number(&dims, 1, &inexact);
    return array->rows >= 0 && array->cols >= 0;
}

bool spmmi_mat_array_read(const char *data, uint64_t size, bool big_endian, struct spmmi_mat_array *array)
{
    *array = (struct spmmi_mat_array){.rest = {data, data + size, big_endian}};
    struct spmmi_mat_element element = spmmi_mat_next(&array->rest);
    if (element.size != 8)
        return false;
    const uint32_t flags = spmmi_mat_word(element.data, big_endian);
    array->kind = flags & 0xff;
    array->flags = flags >> 8 & 0xff;
    if (array->kind == 0 || array->kind > SPMMI_MAT_LAST_NUMBER)
        return true;
    element = spmmi_mat_next(&array->rest);
    if (!read_dims(&element, array))
        return false;
    element = spmmi_mat_next(&array->rest);
    read_name(&element, array->name);
    return element.type != 0;
}
