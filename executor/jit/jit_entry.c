/* SPDX-License-Identifier: Apache-2.0 */
/* See jit_entry.h. */
#include "jit_entry.h"

#include <stdio.h>
#include <string.h>

#include "format/base/digest.h"

#define MAGIC "SPMMJIT1"
#define MAGIC_BYTES 8u
#define SUFFIX ".spk"

/* As on disk: the library is for little-endian machines. */
struct head {
    char magic[MAGIC_BYTES];
    uint32_t key_bytes, code_bytes;
    uint8_t hash[16];
};
_Static_assert(sizeof(struct head) == SPMMI_JIT_ENTRY_HEAD, "the head has no gaps");

static int is_printable(const char *text, size_t count)
{
    size_t i = 0;
    while (i < count && text[i] >= ' ' && text[i] <= '~')
        i++;
    return i == count;
}

const char *spmmi_jit_entry_read(const uint8_t *bytes, uint64_t size, struct spmmi_jit_entry *entry)
{
    struct head head;
    uint8_t hash[sizeof head.hash];
    if (size > SPMMI_JIT_FILE_MAX)
        return "the file is too large";
    if (size < sizeof head)
        return "the file ends inside its head";
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, MAGIC, MAGIC_BYTES) != 0)
        return "the file is of another format";
    if (head.key_bytes == 0 || head.key_bytes > SPMMI_JIT_KEY_MAX || head.code_bytes == 0)
        return "key or code has no size that it can have";
    if (size - sizeof head != (uint64_t)head.key_bytes + head.code_bytes)
        return "the file has not as many bytes as its head says";
    *entry = (struct spmmi_jit_entry){.key = (const char *)bytes + sizeof head,
                                      .key_bytes = head.key_bytes,
                                      .code_bytes = head.code_bytes,
                                      .code = bytes + sizeof head + head.key_bytes};
    if (!is_printable(entry->key, entry->key_bytes))
        return "the key is not printable";
    spmmi_hash128(entry->key, entry->key_bytes, entry->code, entry->code_bytes, hash);
    return memcmp(hash, head.hash, sizeof hash) == 0 ? NULL : "the bytes are not those that were written";
}

int spmmi_jit_entry_fits(const char *key, uint64_t code_bytes)
{
    const size_t key_bytes = strlen(key);
    return key_bytes > 0 && key_bytes <= SPMMI_JIT_KEY_MAX && is_printable(key, key_bytes) &&
           code_bytes > 0 && code_bytes <= SPMMI_JIT_FILE_MAX - SPMMI_JIT_ENTRY_HEAD - key_bytes;
}

void spmmi_jit_entry_head(const char *key, const uint8_t *code, uint32_t code_bytes,
                          uint8_t head[SPMMI_JIT_ENTRY_HEAD])
{
    struct head made = {.key_bytes = (uint32_t)strlen(key), .code_bytes = code_bytes};
    memcpy(made.magic, MAGIC, MAGIC_BYTES);
    spmmi_hash128(key, made.key_bytes, code, code_bytes, made.hash);
    memcpy(head, &made, sizeof made);
}

struct spmmi_jit_name spmmi_jit_name_of(const char *key, size_t key_bytes)
{
    struct spmmi_jit_name name;
    uint8_t hash[16];
    char digits[2 * sizeof hash + 1];
    spmmi_hash128(key, key_bytes, NULL, 0, hash);
    for (size_t i = 0; i < sizeof hash; i++)
        (void)snprintf(digits + 2 * i, 3, "%02x", hash[i]);
    memcpy(name.folder, digits, SPMMI_JIT_FOLDER_CHARS);
    name.folder[SPMMI_JIT_FOLDER_CHARS] = '\0';
    (void)snprintf(name.file, sizeof name.file, "%s" SUFFIX, digits + SPMMI_JIT_FOLDER_CHARS);
    return name;
}

static size_t digits_of(const char *name)
{
    return strspn(name, "0123456789abcdef");
}

int spmmi_jit_is_folder(const char *name)
{
    return digits_of(name) == SPMMI_JIT_FOLDER_CHARS && name[SPMMI_JIT_FOLDER_CHARS] == '\0';
}

int spmmi_jit_is_file(const char *name)
{
    const size_t digits = digits_of(name);
    return digits == SPMMI_JIT_NAME_CHARS - strlen(SUFFIX) && strcmp(name + digits, SUFFIX) == 0;
}
