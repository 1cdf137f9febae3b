/* SPDX-License-Identifier: Apache-2.0 */
/* The folders of the cache of compiled kernels: where they are, and whether they may be trusted.
 *
 * Place: $SPMM_CACHE_DIR, else $XDG_CACHE_HOME/spmm, else $HOME/.cache/spmm; in it jit/<2 digits>/<30
 * digits>.spk, one file per kernel (jit_entry.h). Programs that run with the rights of another user ignore
 * these variables. SPMM_CACHE_DIR="" means no disk cache.
 *
 * Trust: whoever can write there can run code on the GPU. Folders are made for the user alone (0700). A
 * folder or file is used only if it belongs to the user, nobody else may write to it, and it is not a
 * symbolic link. */
#ifndef SPMMI_JIT_FOLDER_H
#define SPMMI_JIT_FOLDER_H

#include <stdint.h>
#include <sys/stat.h>

#define SPMMI_JIT_CACHE_MAX (UINT64_C(64) << 20) /* bytes of all files; the oldest are removed first */
#define SPMMI_JIT_NOTE 160u
#define SPMMI_JIT_PATH 1024u /* longer paths are refused */

struct spmmi_jit_cache {
    int folder;                /* descriptor of the folder jit; -1: there is no disk cache */
    uint64_t most_bytes;       /* maximum bytes of all files */
    char path[SPMMI_JIT_PATH]; /* path of the folder jit, for people; "" if no folder is named */
    char note[SPMMI_JIT_NOTE]; /* why there is no disk cache, or the last problem; "" if none */
};

/* Opens the cache; with `makes` creates missing folders. Never fails: sets folder to -1 and note instead. */
void spmmi_jit_cache_open(struct spmmi_jit_cache *cache, int makes);
void spmmi_jit_cache_close(struct spmmi_jit_cache *cache);

/* Checks that the file or folder belongs to the user and nobody else may write to it. Returns NULL, or the
 * reason for distrust, in static memory. */
const char *spmmi_jit_distrust(const struct stat *about);
/* Opens folder `name` inside the folder `parent`; with `makes` creates it if needed. Returns a descriptor, or
 * -1 and *why: there is none, or it cannot be trusted. */
int spmmi_jit_folder_open(int parent, const char *name, int makes, const char **why);

#endif
