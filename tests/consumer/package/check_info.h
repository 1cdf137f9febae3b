/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the library fills an info struct only up to the size with which this program was compiled, and
 * writes no byte after it. */
#ifndef CONSUMER_CHECK_INFO_H
#define CONSUMER_CHECK_INFO_H

#include <stdlib.h>
#include <string.h>

#define CHECK_INFO_GUARD 64

/* Returns a block of size bytes whose first member holds size, with guard bytes after the block. The caller
 * frees it. */
static unsigned char *guarded_new(size_t size)
{
    unsigned char *block = (unsigned char *)malloc(size + CHECK_INFO_GUARD);
    if (block == NULL)
        abort();
    memset(block, 0x5a, size + CHECK_INFO_GUARD);
    memcpy(block, &size, sizeof size);
    return block;
}

static int guard_is_whole(const unsigned char *block, size_t size)
{
    size_t kept, i;
    memcpy(&kept, block, sizeof kept);
    for (i = 0; i < CHECK_INFO_GUARD; i++)
        if (block[size + i] != 0x5a)
            return 0;
    return kept == size;
}

#endif
