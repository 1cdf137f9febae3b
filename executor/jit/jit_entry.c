/* SPDX-License-Identifier: Apache-2.0 */
/* See jit_entry.h. */
#include "jit_entry.h"

#include <stdio.h>
#include <string.h>

#include "format/base/digest.h"

#define MAGIC "SPMMJIT1"
#define MAGIC_BYTES 8u
#define SUFFIX ".spk"

/* The head as it is on disk: the library supports little-endian machines only. */
struct head {
    char magic[MAGIC_BYTES];
    uint32_t key_bytes, source_bytes, code_bytes, zero;
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
    if (head.key_bytes == 0 || head.key_bytes > SPMMI_JIT_KEY_MAX || head.code_bytes == 0 || head.zero != 0)
        return "the size of key or code is out of range";
    if (size - sizeof head != (uint64_t)head.key_bytes + head.source_bytes + head.code_bytes)
        return "the size of the file differs from the one in its head";
    const uint8_t *const body = bytes + sizeof head;
    *entry = (struct spmmi_jit_entry){.key = (const char *)body,
                                      .source = (const char *)body + head.key_bytes,
                                      .code = body + head.key_bytes + head.source_bytes,
                                      .key_bytes = head.key_bytes,
                                      .source_bytes = head.source_bytes,
                                      .code_bytes = head.code_bytes};
    if (!is_printable(entry->key, entry->key_bytes))
        return "the key is not printable";
    spmmi_hash128(body, size - sizeof head, hash);
    return memcmp(hash, head.hash, sizeof hash) == 0 ? NULL : "the bytes are not those that were written";
}

uint64_t spmmi_jit_entry_bytes(const struct spmmi_jit_entry *entry)
{
    const uint64_t bytes =
        sizeof(struct head) + (uint64_t)entry->key_bytes + entry->source_bytes + entry->code_bytes;
    const int fits = entry->key_bytes > 0 && entry->key_bytes <= SPMMI_JIT_KEY_MAX &&
                     is_printable(entry->key, entry->key_bytes) && entry->code_bytes > 0 &&
                     bytes <= SPMMI_JIT_FILE_MAX;
    return fits ? bytes : 0;
}

void spmmi_jit_entry_write(const struct spmmi_jit_entry *entry, uint8_t *bytes)
{
    struct head head = {
        .key_bytes = entry->key_bytes, .source_bytes = entry->source_bytes, .code_bytes = entry->code_bytes};
    uint8_t *const body = bytes + sizeof head;
    memcpy(body, entry->key, entry->key_bytes);
    if (entry->source_bytes > 0)
        memcpy(body + entry->key_bytes, entry->source, entry->source_bytes);
    memcpy(body + entry->key_bytes + entry->source_bytes, entry->code, entry->code_bytes);
    memcpy(head.magic, MAGIC, MAGIC_BYTES);
    spmmi_hash128(body, (uint64_t)entry->key_bytes + entry->source_bytes + entry->code_bytes, head.hash);
    memcpy(bytes, &head, sizeof head);
}

static int is_same(const char *a, uint32_t a_bytes, const char *b, uint32_t b_bytes)
{
    return a_bytes == b_bytes && (a_bytes == 0 || memcmp(a, b, a_bytes) == 0);
}

int spmmi_jit_entry_is_of(const struct spmmi_jit_entry *entry, const struct spmmi_jit_entry *wanted)
{
    return is_same(entry->key, entry->key_bytes, wanted->key, wanted->key_bytes) &&
           is_same(entry->source, entry->source_bytes, wanted->source, wanted->source_bytes);
}

struct spmmi_jit_name spmmi_jit_name_of(const struct spmmi_jit_entry *entry)
{
    struct spmmi_jit_name name;
    uint8_t hash[16];
    char digits[2 * sizeof hash + 1];
    spmmi_hash128(entry->key, entry->key_bytes, hash);
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
