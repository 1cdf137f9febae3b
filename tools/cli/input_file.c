/* SPDX-License-Identifier: Apache-2.0 */
/* See input_file.h. */
#include "input_file.h"

#include <errno.h>

FILE *input_file_open(const char *path)
{
    FILE *file = NULL;
    do
        file = fopen(path, "rb");
    while (file == NULL && errno == EINTR);
    return file;
}

size_t input_file_read(void *bytes, size_t wanted, FILE *file)
{
    size_t got = 0;
    for (;;) {
        got += fread((char *)bytes + got, 1, wanted - got, file);
        if (got == wanted || !ferror(file) || errno != EINTR)
            return got;
        clearerr(file);
    }
}
