/* SPDX-License-Identifier: Apache-2.0 */
/* See hdf5_file.h: reads data types, data spaces and attributes. */
#include "hdf5_file.h"

enum class { FIXED = 0, FLOAT = 1, STRING = 3, COMPOUND = 6 };

bool spmmi_hdf5_space(struct spmmi_hdf5_cursor c, struct spmmi_hdf5_object *object)
{
    const uint64_t version = spmmi_hdf5_take(&c, 1), rank = spmmi_hdf5_take(&c, 1);
    (void)spmmi_hdf5_skip(&c, version == 1 ? 6 : 2);
    if ((version != 1 && version != 2) || rank > SPMMI_HDF5_RANK_MAX) {
        object->unsupported = "data of more than 4 dimensions";
        return !c.is_cut;
    }
    object->rank = (int)rank;
    for (uint64_t i = 0; i < rank; i++)
        object->dims[i] = spmmi_hdf5_take(&c, 8);
    return !c.is_cut;
}

/* The class, the class bits and the size of a type. take_head leaves the cursor at the properties of the
 * type. */
struct type_head {
    unsigned class, version, bits;
    uint64_t bytes;
};

static struct type_head take_head(struct spmmi_hdf5_cursor *c)
{
    const unsigned first = (unsigned)spmmi_hdf5_take(c, 1);
    struct type_head head = {.class = first & 15, .version = first >> 4};
    head.bits = (unsigned)spmmi_hdf5_take(c, 3);
    head.bytes = spmmi_hdf5_take(c, 4);
    return head;
}

/* Returns the type of a MATLAB element for an integer; 0 if there is none. */
static unsigned integer_type(uint64_t bytes, bool is_signed)
{
    switch (bytes) {
    case 1:
        return is_signed ? 1 : 2;
    case 2:
        return is_signed ? 3 : 4;
    case 4:
        return is_signed ? 5 : 6;
    case 8:
        return is_signed ? 12 : 13;
    default:
        return 0;
    }
}

/* Reads the properties of a float. Returns the type of a MATLAB element for IEEE 754 with 4 or 8 bytes; 0 for
 * others. */
static unsigned float_type(struct spmmi_hdf5_cursor *c, uint64_t bytes)
{
    const uint64_t place = spmmi_hdf5_take(c, 1), size = spmmi_hdf5_take(c, 1);
    const uint64_t mantissa_place = spmmi_hdf5_take(c, 1), mantissa = spmmi_hdf5_take(c, 1);
    const uint64_t bias = spmmi_hdf5_take(c, 4);
    if (bytes == 4 && place == 23 && size == 8 && mantissa_place == 0 && mantissa == 23 && bias == 127)
        return 7;
    if (bytes == 8 && place == 52 && size == 11 && mantissa_place == 0 && mantissa == 52 && bias == 1023)
        return 9;
    return 0;
}

/* Reads the type of a number. Its type is 0 if it is not supported. */
static struct spmmi_hdf5_type number_type(struct spmmi_hdf5_cursor *c)
{
    const struct type_head head = take_head(c);
    struct spmmi_hdf5_type type = {.bytes = (unsigned)head.bytes, .big_endian = (head.bits & 1) != 0};
    const bool is_float = head.class == FLOAT;
    if (head.class != FIXED && !is_float)
        return type;
    const uint64_t first_bit = spmmi_hdf5_take(c, 2), precision = spmmi_hdf5_take(c, 2);
    type.type = is_float ? float_type(c, head.bytes) : integer_type(head.bytes, (head.bits & 8) != 0);
    if (first_bit != 0 || precision != 8 * head.bytes ||
        (is_float && (head.bits & 64) != 0)) /* VAX byte order */
        type.type = 0;
    return type;
}

/* Reads the type of complex numbers, a compound of two members. Their names end with a zero byte; in versions
 * 1 and 2 they are padded to 8 bytes. */
static struct spmmi_hdf5_type complex_type(struct spmmi_hdf5_cursor *c, const struct type_head *head)
{
    struct spmmi_hdf5_type type = {.bytes = (unsigned)head->bytes, .is_complex = true};
    const unsigned offset_bytes =
        head->version < 3 ? 4 : 1; /* more only in types that are refused: > 64 bytes */
    if ((head->bits & 0xffff) != 2)
        return type;
    unsigned of_part[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        const char *name = c->p, *end = memchr(c->p, '\0', (size_t)(c->end - c->p));
        if (end == NULL)
            return type;
        const uint64_t length = (uint64_t)(end - name) + 1;
        (void)spmmi_hdf5_skip(c, head->version < 3 ? (length + 7) / 8 * 8 : length);
        const bool is_real = strcmp(name, "real") == 0;
        *(is_real ? &type.real_at : &type.imaginary_at) = (unsigned)spmmi_hdf5_take(c, offset_bytes);
        /* Dimensions of a member; it is no array. */
        (void)spmmi_hdf5_skip(c, head->version == 1 ? 1 + 3 + 4 + 4 + 4 * 4 : 0);
        const struct spmmi_hdf5_type part = number_type(c);
        const unsigned at = is_real ? type.real_at : type.imaginary_at;
        if ((!is_real && strcmp(name, "imag") != 0) || (uint64_t)at + part.bytes > head->bytes)
            return type;
        of_part[is_real ? 0 : 1] = part.type;
        if (i == 1 && part.big_endian != type.big_endian)
            return type;
        type.big_endian = part.big_endian;
    }
    type.type = of_part[0] == of_part[1] ? of_part[0] : 0;
    return type;
}

bool spmmi_hdf5_type_of(struct spmmi_hdf5_cursor message, struct spmmi_hdf5_object *object)
{
    struct spmmi_hdf5_cursor c = message;
    const struct type_head head = take_head(&c);
    if (head.class == COMPOUND)
        object->type = complex_type(&c, &head);
    else
        object->type = number_type(&message);
    if (head.bytes == 0 || head.bytes > 64)
        object->type.type = 0;
    return true; /* a truncated type counts as not numeric */
}

/* The name of an attribute, and cursors for its type and its data. */
struct attribute {
    const char *name;
    uint64_t name_bytes;
    struct spmmi_hdf5_cursor type, data;
};

static bool take_attribute(struct spmmi_hdf5_cursor *c, struct attribute *a)
{
    const uint64_t version = spmmi_hdf5_take(c, 1), flags = spmmi_hdf5_take(c, 1);
    const uint64_t align = version == 1 ? 8 : 1;
    a->name_bytes = spmmi_hdf5_take(c, 2);
    const uint64_t type = spmmi_hdf5_take(c, 2), space = spmmi_hdf5_take(c, 2);
    (void)spmmi_hdf5_skip(c, version == 3 ? 1 : 0);
    a->name = spmmi_hdf5_skip(c, (a->name_bytes + align - 1) / align * align);
    a->type = (struct spmmi_hdf5_cursor){c->p, c->p, false};
    (void)spmmi_hdf5_skip(c, (type + align - 1) / align * align);
    a->type.end = c->p;
    (void)spmmi_hdf5_skip(c, (space + align - 1) / align * align);
    a->data = *c;
    return !c->is_cut && version >= 1 && version <= 3 && (version == 1 || (flags & 3) == 0);
}

static bool is_named(const struct attribute *a, const char *name)
{
    const size_t length = strlen(name);
    return a->name_bytes >= length && memcmp(a->name, name, length) == 0 &&
           (a->name_bytes == length || a->name[length] == '\0');
}

/* Returns the value of an integer attribute; 0 if it is not an integer. */
static uint64_t integer_of(struct attribute a)
{
    const struct spmmi_hdf5_type type = number_type(&a.type);
    if (type.type == 0 || type.type == 7 || type.type == 9 || type.big_endian)
        return 0;
    return spmmi_hdf5_take(&a.data, type.bytes);
}

bool spmmi_hdf5_attribute(struct spmmi_hdf5_cursor c, struct spmmi_hdf5_object *object)
{
    struct attribute a;
    if (!take_attribute(&c, &a))
        return !c.is_cut;
    if (is_named(&a, "MATLAB_class")) {
        const struct type_head head = take_head(&a.type);
        const uint64_t left = (uint64_t)(a.data.end - a.data.p), most = sizeof object->class - 1;
        uint64_t length = head.class == STRING ? head.bytes : 0;
        length = length < left ? length : left;
        length = length < most ? length : most;
        memcpy(object->class, a.data.p, length);
        object->class[length] = '\0';
    } else if (is_named(&a, "MATLAB_sparse")) {
        object->is_sparse = true;
        object->sparse_rows = integer_of(a);
    } else if (is_named(&a, "MATLAB_empty")) {
        object->is_empty = integer_of(a) != 0;
    }
    return true;
}
