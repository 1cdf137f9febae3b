/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of one file of the cache of compiled kernels. A file holds one kernel:
 *
 *     offset  bytes
 *     0       8      "SPMMJIT1": the format
 *     8       4      bytes of the key, little-endian as all numbers
 *     12      4      bytes of the source
 *     16      4      bytes of the code
 *     20      4      0
 *     24      16     XXH3-128 of what follows
 *     40             the key: one line of printable ASCII, which says what the code is
 *                    the source that was compiled: the key has only its hash, and others with this hash can be made
 *                    the code: machine code for one kind of GPU, as its driver takes it
 *
 * Whoever can write the file could write the hash too: it finds damage, not malice. Who else may write the
 * folder is no one (jit_folder.h). */
#ifndef SPMMI_JIT_ENTRY_H
#define SPMMI_JIT_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#define SPMMI_JIT_ENTRY_HEAD 40u
#define SPMMI_JIT_KEY_MAX 384u                 /* bytes, without a zero behind them */
#define SPMMI_JIT_FILE_MAX (UINT64_C(4) << 20) /* bytes of a file */

/* What a file holds. Read from one, it points into the file's bytes; no zeros are behind key and source. */
struct spmmi_jit_entry {
    const char *key, *source;
    const uint8_t *code;
    uint32_t key_bytes, source_bytes, code_bytes;
};

/* Any bytes. NULL: they are a whole file, and *entry is filled; else what is wrong with them. */
const char *spmmi_jit_entry_read(const uint8_t *bytes, uint64_t size, struct spmmi_jit_entry *entry);

/* Bytes of the file of this entry; 0: it cannot be one. */
uint64_t spmmi_jit_entry_bytes(const struct spmmi_jit_entry *entry);
/* The file, into so many bytes. */
void spmmi_jit_entry_write(const struct spmmi_jit_entry *entry, uint8_t *bytes);
/* Are they of the same key and source? */
int spmmi_jit_entry_is_of(const struct spmmi_jit_entry *entry, const struct spmmi_jit_entry *wanted);

#define SPMMI_JIT_FOLDER_CHARS 2u
#define SPMMI_JIT_NAME_CHARS 34u /* of a file: 30 digits and ".spk" */
/* The file of a key: its folder and its name, of the digits of the key's hash. */
struct spmmi_jit_name {
    char folder[SPMMI_JIT_FOLDER_CHARS + 1], file[SPMMI_JIT_NAME_CHARS + 1];
};
struct spmmi_jit_name spmmi_jit_name_of(const struct spmmi_jit_entry *entry);
/* Does a file or a folder of the cache have such a name? */
int spmmi_jit_is_folder(const char *name);
int spmmi_jit_is_file(const char *name);

#endif
