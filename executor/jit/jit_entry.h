/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of one file of the cache of compiled kernels. A file holds one kernel:
 *
 *     offset  bytes
 *     0       8      "SPMMJIT1": the format
 *     8       4      bytes of the key, little-endian as all numbers
 *     12      4      bytes of the code
 *     16      16     XXH3-128 of key and code
 *     32             the key: one line of printable ASCII, all that the code depends on
 *                    the code: machine code for one kind of GPU, as its driver takes it
 *
 * Whoever can write the file could write the hash too: it finds damage, not malice. Who else may write the
 * folder is no one (jit_folder.h). */
#ifndef SPMMI_JIT_ENTRY_H
#define SPMMI_JIT_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#define SPMMI_JIT_ENTRY_HEAD 32u
#define SPMMI_JIT_KEY_MAX 384u                      /* bytes, without a zero behind them */
#define SPMMI_JIT_FILE_MAX (UINT64_C(4) << 20)      /* bytes of a file */

/* A file in memory; key and code point into its bytes. */
struct spmmi_jit_entry {
    const char *key; /* no zero behind it */
    uint32_t key_bytes, code_bytes;
    const uint8_t *code;
};

/* Any bytes. NULL: they are a whole file, and *entry is filled; else what is wrong with them. */
const char *spmmi_jit_entry_read(const uint8_t *bytes, uint64_t size, struct spmmi_jit_entry *entry);

/* May this key and so much code be a file? */
int spmmi_jit_entry_fits(const char *key, uint64_t code_bytes);
/* What stands before the code of a file: SPMMI_JIT_ENTRY_HEAD bytes and the key. */
void spmmi_jit_entry_head(const char *key, const uint8_t *code, uint32_t code_bytes,
                          uint8_t head[SPMMI_JIT_ENTRY_HEAD]);

#define SPMMI_JIT_FOLDER_CHARS 2u
#define SPMMI_JIT_NAME_CHARS 34u /* of a file: 30 digits and ".spk" */
/* The file of a key: its folder and its name, of the digits of the key's hash. */
struct spmmi_jit_name {
    char folder[SPMMI_JIT_FOLDER_CHARS + 1], file[SPMMI_JIT_NAME_CHARS + 1];
};
struct spmmi_jit_name spmmi_jit_name_of(const char *key, size_t key_bytes);
/* Does a file or a folder of the cache have such a name? */
int spmmi_jit_is_folder(const char *name);
int spmmi_jit_is_file(const char *name);

#endif
