/* SPDX-License-Identifier: Apache-2.0 */
/* See cache_folder.h. */
#include "cache_folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cache_folder_make(char *folder)
{
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
    return mkdtemp(folder) == NULL || setenv("SPMM_CACHE_DIR", folder, 1) != 0;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

int cache_folder_remove(const char *folder)
{
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
