/* SPDX-License-Identifier: Apache-2.0 */
/* See source_name.h. */
#include "source_name.h"

#include <stdint.h>
#include <string.h>

/* Returns the number of bytes of the printable UTF-8 character at p; 0 if there is none. Does not read past
 * the terminating zero. */
static size_t character_bytes(const unsigned char *p)
{
    static const struct {
        unsigned char mask, lead;
        size_t bytes;
        uint32_t least;
    } forms[] = {
        {0x80, 0x00, 1, 0x20}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        if ((p[0] & forms[f].mask) != forms[f].lead)
            continue;
        uint32_t code = p[0] & (unsigned char)~forms[f].mask;
        for (size_t i = 1; i < forms[f].bytes; i++) {
            if ((p[i] & 0xc0) != 0x80)
                return 0;
            code = (code << 6) | (p[i] & 0x3fu);
        }
        const int surrogate = code >= 0xd800 && code <= 0xdfff;
        const int control = code == 0x7f || (code >= 0x80 && code < 0xa0);
        return code >= forms[f].least && code <= 0x10ffff && !surrogate && !control ? forms[f].bytes : 0;
    }
    return 0;
}

void spmmi_source_name(const char *name, char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)name;
    size_t used = 0;
    while (*p != '\0') {
        const size_t valid = character_bytes(p);
        const size_t bytes = valid > 0 ? valid : 1;
        if (used + bytes >= size)
            break;
        if (valid > 0)
            memcpy(text + used, p, bytes);
        else
            text[used] = '?';
        used += bytes;
        p += bytes;
    }
    memset(text + used, 0, size - used);
}
