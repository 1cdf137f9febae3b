/* SPDX-License-Identifier: Apache-2.0 */
/* See cpu_name.h. */
#include "cpu_name.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* Reads the brand string: 48 bytes in three leaves, often padded with spaces. Returns 0 if there is none. */
static int brand_read(char brand[49])
{
    unsigned words[12];
    const unsigned leaf_max = (unsigned)__get_cpuid_max(0x80000000u, NULL);
    if (leaf_max < 0x80000004u)
        return 0;
    for (unsigned leaf = 0; leaf < 3; leaf++)
        __cpuid(0x80000002u + leaf, words[leaf * 4], words[leaf * 4 + 1], words[leaf * 4 + 2],
                words[leaf * 4 + 3]);
    memcpy(brand, words, sizeof words);
    brand[48] = '\0';
    return brand[0] != '\0';
}
#else
static int brand_read(char brand[49])
{
    brand[0] = '\0';
    return 0;
}
#endif

void spmmi_cpu_name(char *text, size_t size)
{
    char brand[49];
    if (!brand_read(brand)) {
        (void)snprintf(text, size, "CPU");
        return;
    }
    const char *begin = brand + strspn(brand, " ");
    size_t length = strlen(begin);
    while (length > 0 && begin[length - 1] == ' ')
        length--;
    (void)snprintf(text, size, "%.*s", (int)length, begin);
}
