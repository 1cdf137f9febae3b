/* SPDX-License-Identifier: Apache-2.0 */
/* See overwrite.h. */
#include "overwrite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "input_file.h"

#define BEGIN_MAX 16u

bool overwrite_loses(const char *path, const char *begin, size_t size)
{
    char head[BEGIN_MAX];
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
        return false;
    FILE *file = size > 0 && size <= sizeof head ? input_file_open(path) : NULL;
    if (file == NULL)
        return true;
    const size_t got = input_file_read(head, size, file);
    (void)fclose(file);
    return got != size || memcmp(head, begin, size) != 0;
}
