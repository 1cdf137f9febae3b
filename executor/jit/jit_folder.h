/* SPDX-License-Identifier: Apache-2.0 */
/* The folders of the cache of compiled kernels: where they are, and whether they may be trusted.
 *
 * Where: $SPMM_CACHE_DIR, else $XDG_CACHE_HOME/spmm, else $HOME/.cache/spmm; in it FOLDER jit/<2 digits>/<30
 * digits>.spk, one file a kernel (jit_entry.h). The variables are not looked at in programs that run with the rights of
 * another user. SPMM_CACHE_DIR="" means no disk cache.
 *
 * Trust: whoever can write there runs code on the GPU. A folder is made for the user alone (0700) and used only if
 * it belongs to the user, nobody else may write in it, and it is no symbolic link; so is each file. */
#ifndef SPMMI_JIT_FOLDER_H
#define SPMMI_JIT_FOLDER_H

#include <stdint.h>
#include <sys/stat.h>

#define SPMMI_JIT_CACHE_MAX (UINT64_C(64) << 20) /* bytes of all files; the oldest go first */
#define SPMMI_JIT_NOTE 160u
#define SPMMI_JIT_PATH 1024u /* longer paths are refused */

struct spmmi_jit_cache {
    int folder;                /* descriptor of folder jit; -1: there is no disk cache */
    uint64_t most_bytes;       /* of all files */
    char path[SPMMI_JIT_PATH]; /* of folder jit, for people; "" where none is named */
    char note[SPMMI_JIT_NOTE]; /* why there is no disk cache, or what was wrong last; "" */
};

/* makes: folders that are missing are made. Never fails: see folder and note. */
void spmmi_jit_cache_open(struct spmmi_jit_cache *cache, int makes);
void spmmi_jit_cache_close(struct spmmi_jit_cache *cache);

/* Does it belong to the user, and may nobody else write it? Else a reason, in static memory. */
const char *spmmi_jit_distrust(const struct stat *about);
/* Folder `name` in that of a descriptor, made if need be. -1 and *why: there is none, or it cannot be trusted. */
int spmmi_jit_folder_open(int parent, const char *name, int makes, const char **why);

#endif
