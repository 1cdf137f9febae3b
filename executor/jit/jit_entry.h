/* SPDX-License-Identifier: Apache-2.0 */
/* The format of a file of the cache of compiled kernels. A file holds one kernel:
 *
 *     offset  bytes
 *     0       8      "SPMMJIT1": the format
 *     8       4      size of the key in bytes; all numbers are little-endian
 *     12      4      size of the source in bytes
 *     16      4      size of the code in bytes
 *     20      4      0
 *     24      16     XXH3-128 of all bytes that follow
 *     40             the key: one line of printable ASCII that describes the code
 *                    the source that was compiled: the key has only its hash, for which others can be forged
 *                    the code: machine code for one kind of GPU, in the form that its driver accepts
 *
 * The hash finds damage, not malice: whoever can write the file can also write the hash. Only the user can
 * write to the folder (jit_folder.h). */
#ifndef SPMMI_JIT_ENTRY_H
#define SPMMI_JIT_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#define SPMMI_JIT_ENTRY_HEAD 40u
#define SPMMI_JIT_KEY_MAX 384u                 /* bytes, without a terminating zero */
#define SPMMI_JIT_FILE_MAX (UINT64_C(4) << 20) /* maximum size of a file in bytes */

/* The content of a file. After reading, the pointers refer to the file's bytes; key and
 * source are not terminated. */
struct spmmi_jit_entry {
    const char *key, *source;
    const uint8_t *code;
    uint32_t key_bytes, source_bytes, code_bytes;
};

/* Parses any bytes as a file. Returns NULL and fills *entry if they are a complete file;
 * else returns what is wrong. */
const char *spmmi_jit_entry_read(const uint8_t *bytes, uint64_t size, struct spmmi_jit_entry *entry);

/* Returns the size of the file of this entry in bytes; 0: the entry cannot be a file. */
uint64_t spmmi_jit_entry_bytes(const struct spmmi_jit_entry *entry);
/* Writes the file to bytes, which can hold spmmi_jit_entry_bytes. */
void spmmi_jit_entry_write(const struct spmmi_jit_entry *entry, uint8_t *bytes);
/* Returns true if both have the same key and source. */
int spmmi_jit_entry_is_of(const struct spmmi_jit_entry *entry, const struct spmmi_jit_entry *wanted);

#define SPMMI_JIT_FOLDER_CHARS 2u
#define SPMMI_JIT_NAME_CHARS 34u /* length of a file name: 30 digits and ".spk" */
/* The folder and name of the file of a key, made from the hex digits of the key's hash. */
struct spmmi_jit_name {
    char folder[SPMMI_JIT_FOLDER_CHARS + 1], file[SPMMI_JIT_NAME_CHARS + 1];
};
struct spmmi_jit_name spmmi_jit_name_of(const struct spmmi_jit_entry *entry);
/* Return true if this can be the name of a folder or a file of the cache. */
int spmmi_jit_is_folder(const char *name);
int spmmi_jit_is_file(const char *name);

#endif
