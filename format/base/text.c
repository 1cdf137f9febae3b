/* SPDX-License-Identifier: Apache-2.0 */
/* See text.h. Overlong forms, surrogates and values above U+10FFFF are refused, as RFC 3629 requires. */
#include "text.h"

#include <stdint.h>

size_t spmmi_text_character(const char *text, size_t size)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t *b = (const uint8_t *)text;
    if (size == 0)
        return 0;
    const size_t bytes = b[0] < 0x80 ? 1 : b[0] >> 5 == 6 ? 2 : b[0] >> 4 == 14 ? 3 : b[0] >> 3 == 30 ? 4 : 0;
    if (bytes > size)
        return 0;
    uint32_t point = bytes == 1 ? b[0] : b[0] & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((b[i] & 0xc0) != 0x80)
            return 0;
        point = point << 6 | (b[i] & 0x3fu);
    }
    const int is_control = point < 0x20 || (point >= 0x7f && point < 0xa0);
    const int is_surrogate = point >= 0xd800 && point < 0xe000;
    return is_control || is_surrogate || point < least[bytes] || point > 0x10ffff ? 0 : bytes;
}

size_t spmmi_text_wrong(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size) {
        const size_t bytes = spmmi_text_character(text + at, size - at);
        if (bytes == 0)
            return at;
        at += bytes;
    }
    return size;
}
