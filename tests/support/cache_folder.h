/* SPDX-License-Identifier: Apache-2.0 */
/* A folder for the cache of compiled kernels that exists during a test. */
#ifndef TEST_CACHE_FOLDER_H
#define TEST_CACHE_FOLDER_H

/* Makes a new folder and sets SPMM_CACHE_DIR to it. folder: its path, which ends with six characters that are
 * replaced, also those of an earlier call. Returns 0, or 1 if that failed. */
int cache_folder_make(char *folder);

/* Removes the folder with all that is in it. Returns 0, or another number if that failed. */
int cache_folder_remove(const char *folder);

#endif
