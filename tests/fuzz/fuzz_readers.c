/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz targets of all readers of text or files. A table lists names and functions; each program runs the row
 * of its name (fuzz_target_name). tests/fuzz/CMakeLists.txt has a line for each row. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bzlib.h>
#include <libdeflate.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "executor/cpu/cpu_backend.h"
#include "executor/forced_kernel.h"
#include "executor/jit/jit_entry.h"
#include "format/base/alloc.h"
#include "format/family.h"
#include "fuzz_check.h"
#include "inspector/cost/device_profile.h"
#include "inspector/read/decimal.h"
#include "tests/inspector/npz_make.h"
#include "tools/compute/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const char fuzz_target_name[];

/* ---- files of matrices ---- */

static void mtx(const uint8_t *data, size_t size)
{
    (void)fuzz_matrix_file(data, size, "a.mtx");
}

static void smtx(const uint8_t *data, size_t size)
{
    (void)fuzz_matrix_file(data, size, "a.smtx");
}

static void rb(const uint8_t *data, size_t size)
{
    (void)fuzz_matrix_file(data, size, "a.rb");
}

static void npz(const uint8_t *data, size_t size)
{
    (void)fuzz_matrix_file(data, size, "a.npz");
}

static void petsc(const uint8_t *data, size_t size)
{
    fuzz_read_options.complex_part = (spmm_complex_part_t)(size % 3);
    (void)fuzz_matrix_file(data, size, "a.petsc");
}

static void metis(const uint8_t *data, size_t size)
{
    (void)fuzz_matrix_file(data, size, "a.graph");
}

static void edges(const uint8_t *data, size_t size)
{
    fuzz_read_options.index_base = (spmm_index_base_t)(size % 3);
    fuzz_read_options.vertices = size % 5 == 0 ? (int64_t)size : 0;
    (void)fuzz_matrix_file(data, size, "a.edges");
}

/* Reads a MATLAB file twice: as it is, and with the bytes after the header as one compressed variable. */
static void mat(const uint8_t *data, size_t size)
{
    enum { HEADER = 128, TAG = 8 };
    uLongf packed = compressBound((uLong)size);
    fuzz_read_options.complex_part = (spmm_complex_part_t)(size % 3);
    fuzz_read_options.variable = size % 4 == 3 ? "S" : NULL;
    (void)fuzz_matrix_file(data, size, "a.mat");
    if (size <= HEADER || size > 65536)
        return;
    uint8_t *bytes = malloc(HEADER + TAG + packed);
    must(bytes != NULL &&
         compress2(bytes + HEADER + TAG, &packed, data + HEADER, (uLong)size - HEADER, 1) == Z_OK);
    const uint32_t tag[2] = {15, (uint32_t)packed};
    memcpy(bytes, data, HEADER);
    memcpy(bytes + HEADER, tag, TAG);
    (void)fuzz_matrix_file(bytes, HEADER + TAG + packed, "a.mat");
    free(bytes);
}

/* Reads text files of complex numbers. */
static void complex(const uint8_t *data, size_t size)
{
    fuzz_read_options.complex_part = size % 2 == 0 ? SPMM_COMPLEX_REAL_PART : SPMM_COMPLEX_ABS;
    (void)fuzz_matrix_file(data, size, "a.mtx");
}

#define MEMBER_BYTES 4096

/* Builds an archive with correct checksums, which a mutated archive rarely has. The input is a byte of flags,
 * and then for each member one byte for its name, two bytes for its length and its bytes. */
static void npz_members(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"format.npy", "shape.npy", "indptr.npy", "indices.npy",
                                        "data.npy",   "row.npy",   "col.npy",    "offsets.npy"};
    struct npz archive;
    npz_start(&archive);
    archive.deflated = size > 0 && (data[0] & 1) != 0;
    for (size_t at = 1; at + 3 <= size && archive.members < NPZ_MEMBERS;) {
        const size_t length = (size_t)data[at + 1] | (size_t)data[at + 2] << 8;
        const size_t rest = size - at - 3;
        const size_t taken = length < rest ? length : rest;
        if (taken > MEMBER_BYTES)
            break;
        npz_add(&archive, names[data[at] % 8], data + at + 3, taken);
        at += 3 + taken;
    }
    npz_end(&archive);
    (void)fuzz_matrix_file(archive.bytes, archive.size, "a.npz");
}

/* Compresses one piece of a packed file. kind is an index of packed_files, room the size of `to`. Returns the
 * compressed size in bytes. */
static size_t pack(int kind, const uint8_t *from, size_t count, uint8_t *to, size_t room)
{
    size_t used = 0;
    unsigned length = (unsigned)room;
    struct libdeflate_compressor *gzip = NULL;
    switch (kind) {
    case 0:
        gzip = libdeflate_alloc_compressor(1);
        must(gzip != NULL);
        used = libdeflate_gzip_compress(gzip, from, count, to, room);
        libdeflate_free_compressor(gzip);
        return used;
    case 1:
        return ZSTD_compress(to, room, from, count, 1);
    case 2:
        must(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, from, count, to, &used, room) == LZMA_OK);
        return used;
    default:
        must(BZ2_bzBuffToBuffCompress((char *)to, &length, (char *)(uintptr_t)from, (unsigned)count, 1, 0,
                                      0) == BZ_OK);
        return length;
    }
}

static const struct {
    const char *magic, *name;
} packed_files[] = {{"\x1f\x8b", "a.mtx.gz"},
                    {"\x28\xb5\x2f\xfd", "a.mtx.zst"},
                    {"\xfd"
                     "7zXZ",
                     "a.mtx.xz"},
                    {"BZh", "a.mtx.bz2"}};
#define PACKED_FILES (sizeof packed_files / sizeof *packed_files)

static void same_when_packed(const uint8_t *data, size_t size, int kind)
{
    const size_t cut = size / 2; /* a file may consist of two members, frames or streams */
    const size_t bound = 2 * size + 4096;
    uint8_t *bytes = malloc(bound);
    must(bytes != NULL);
    size_t used = pack(kind, data, cut, bytes, bound);
    used += pack(kind, data + cut, size - cut, bytes + used, bound - used);
    fuzz_same_matrix(data, size, "a.mtx", bytes, used, packed_files[kind].name);
    free(bytes);
}

/* Reads packed bytes as they are. Packs other bytes as two pieces, which must not change what is read. */
static void packed(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < PACKED_FILES; i++) {
        const size_t length = strlen(packed_files[i].magic);
        if (size >= length && memcmp(data, packed_files[i].magic, length) == 0) {
            (void)fuzz_matrix_file(data, size, packed_files[i].name);
            return;
        }
    }
    if (size > 0 && size <= 65536)
        same_when_packed(data, size, data[size - 1] % (int)PACKED_FILES);
}

#define TAR_BLOCK 512
#define TAR_BYTES 65536
#define TAR_SUM 148

/* Reads an archive as it is, and with the checksum of each header repaired, which a mutated archive rarely
 * has. A header is a block with the magic of one. */
static void tar(const uint8_t *data, size_t size)
{
    static uint8_t bytes[TAR_BYTES];
    if (size > sizeof bytes)
        return;
    (void)fuzz_matrix_file(data, size, "a.tar");
    memcpy(bytes, data, size);
    for (uint8_t *header = bytes; header + TAR_BLOCK <= bytes + size; header += TAR_BLOCK) {
        unsigned sum = 8 * ' ';
        if (memcmp(header + 257, "ustar", 5) != 0)
            continue;
        for (int i = 0; i < TAR_BLOCK; i++)
            sum += i < TAR_SUM || i >= TAR_SUM + 8 ? header[i] : 0;
        (void)snprintf((char *)header + TAR_SUM, 8, "%06o", sum);
    }
    (void)fuzz_matrix_file(bytes, size, "a.tar");
}

/* ---- text ---- */

/* Checks that a number is read as strtod reads the same characters, and that printing and reading it again
 * keeps it. */
static void decimal(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    double value = 0;
    double again = 0;
    bool inexact = false;
    const char *end = spmmi_decimal_read(text, text + size, &value);
    if (end != NULL) {
        char printed[40];
        char *stop = NULL;
        text[end - text] = '\0';
        const double expected = strtod(text, &stop);
        must(stop == end && (isnan(expected) ? isnan(value) : memcmp(&value, &expected, sizeof value) == 0));
        const int length = snprintf(printed, sizeof printed, "%.17g", value);
        must(spmmi_decimal_read(printed, printed + length, &again) == printed + length);
        must(isnan(value) ? isnan(again) : memcmp(&value, &again, sizeof value) == 0);
    }
    const char *const bytes = (const char *)data;
    const char *integer_end = spmmi_integer_read(bytes, bytes + size, &value, &inexact);
    if (integer_end != NULL) {
        must(spmmi_decimal_read(bytes, integer_end, &again) == integer_end);
        must(isnan(value) ? isnan(again) : value == again);
    }
    free(text);
}

static void profile(const uint8_t *data, size_t size)
{
    struct spmmi_device_profile p;
    spmm_diag_t diag = {.status = SPMM_OK};
    const int64_t live = spmmi_alloc_live();
    const spmm_status_t status = spmmi_device_profile_parse((const char *)data, size, "a.profile", &p, &diag);
    must(status == SPMM_OK || (status == SPMM_ERR_ARGUMENT && diag.text[0] != '\0'));
    must(spmmi_alloc_live() == live);
    if (status != SPMM_OK)
        return;
    must(p.name[0] != '\0' && p.multiprocessors > 0 && p.gather.row_count > 0 && p.gather.set_count > 0);
    must(isfinite(spmmi_profile_table_at(&p.gather, 100, 1e6)) &&
         isfinite(spmmi_profile_curve_at(&p.scatter, 100)));
}

/* Checks NumPy arrays of the tools: loading, saving and loading again must give the same array. */
static void npy(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/spmm-fuzz-npy-XXXXXX";
    spmm_dense_t one;
    spmm_dense_t again = {0};
    spmm_diag_t diag = {.status = SPMM_OK};
    const int file = mkstemp(path);
    must(file >= 0 && write(file, data, size) == (ssize_t)size && close(file) == 0);
    if (npy_load(path, &one, &diag) == SPMM_OK) {
        const size_t bytes = (size_t)(one.rows * one.cols) * spmm_dtype_size(one.type);
        must(npy_save(path, &one, &diag) == SPMM_OK && npy_load(path, &again, &diag) == SPMM_OK);
        must(one.rows == again.rows && one.cols == again.cols && one.type == again.type);
        must(one.layout == again.layout && memcmp(one.data, again.data, bytes) == 0);
    } else {
        must(diag.text[0] != '\0');
    }
    free(one.data);
    free(again.data);
    must(unlink(path) == 0);
}

#define SMALL_BYTES (1u << 20)

static void *small_allocate(void *context, size_t bytes, size_t alignment)
{
    void *memory = NULL;
    (void)context;
    return bytes <= SMALL_BYTES && posix_memalign(&memory, alignment, bytes) == 0 ? memory : NULL;
}

static void small_release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

/* Generates synthetic matrices by name, with an allocator that refuses blocks of more than 1 MiB. */
static void generator(const uint8_t *data, size_t size)
{
    static const spmm_allocator_t small = {sizeof small, small_allocate, small_release, NULL};
    char *text = fuzz_text(data, size);
    spmm_matrix_t *matrix = NULL;
    spmm_diag_t diag;
    must(spmm_allocator_set(&small, NULL) == SPMM_OK);
    const spmm_status_t status = spmm_matrix_generate(text, &matrix, &diag);
    must(status == SPMM_OK || status == SPMM_ERR_ARGUMENT || status == SPMM_ERR_MEMORY);
    must((status == SPMM_OK) == (matrix != NULL) && (status == SPMM_OK) == (diag.text[0] == '\0'));
    spmm_matrix_destroy(matrix);
    must(spmm_allocator_set(NULL, NULL) == SPMM_OK);
    free(text);
}

/* Checks names of kernels: the parts of an accepted name, put together, must give the name again. */
static void kernel(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct spmmi_kernel_ref ref;
    const int is_name = spmmi_kernel_parse(text, &ref);
    if (is_name) {
        char front[128];
        const char *target = spmmi_kernel_target_name(ref.target);
        const int length =
            snprintf(front, sizeof front, "%s%s%s%s%s", target != NULL ? target : "",
                     target != NULL ? "/" : "", ref.family->name, ref.schedule != NULL ? "/" : "",
                     ref.schedule != NULL ? ref.schedule->name : "");
        must(strncmp(text, front, (size_t)length) == 0);
        if (ref.instance[0] == '\0') /* an empty literal, or the end of text */
            must(text[length] == '\0');
        else
            must(ref.instance - text == length + (text[length] == '/'));
    }
    struct spmmi_forced forced;
    spmmi_forced_read(spmmi_cpu_kernels, text, &forced);
    must(is_name || forced.kernel == NULL);
    must(forced.length <= strlen(text) && strlen(forced.suffix) <= strlen(text));
    free(text);
}

/* Checks an entry in a file of the cache of compiled kernels: all its parts must be located in the file, and
 * writing it must give the same bytes. */
static void jit_entry_check(const uint8_t *bytes, size_t size)
{
    struct spmmi_jit_entry entry;
    const char *why = spmmi_jit_entry_read(bytes, size, &entry);
    if (why != NULL) {
        must(why[0] != '\0');
        return;
    }
    must((const uint8_t *)entry.key == bytes + SPMMI_JIT_ENTRY_HEAD && entry.key_bytes <= SPMMI_JIT_KEY_MAX);
    must(entry.source == entry.key + entry.key_bytes);
    must(entry.code == (const uint8_t *)entry.source + entry.source_bytes);
    must(entry.code + entry.code_bytes == bytes + size && spmmi_jit_entry_bytes(&entry) == size);
    uint8_t *again = malloc(size);
    must(again != NULL);
    spmmi_jit_entry_write(&entry, again);
    must(memcmp(again, bytes, size) == 0);
    free(again);
    const struct spmmi_jit_name name = spmmi_jit_name_of(&entry);
    must(spmmi_jit_is_folder(name.folder) && spmmi_jit_is_file(name.file));
}

/* Checks the input as it is, and as the key, source and code of a file with a correct hash. */
static void jit_entry(const uint8_t *data, size_t size)
{
    jit_entry_check(data, size);
    if (size < 3)
        return;
    const uint32_t key_bytes = data[0], left = (uint32_t)size - 1;
    const uint32_t source_bytes = key_bytes < left ? (left - key_bytes) / 2 : 0;
    if (key_bytes + source_bytes >= left)
        return;
    const struct spmmi_jit_entry entry = {.key = (const char *)data + 1,
                                          .source = (const char *)data + 1 + key_bytes,
                                          .code = data + 1 + key_bytes + source_bytes,
                                          .key_bytes = key_bytes,
                                          .source_bytes = source_bytes,
                                          .code_bytes = left - key_bytes - source_bytes};
    const uint64_t bytes = spmmi_jit_entry_bytes(&entry);
    uint8_t *file = malloc((size_t)bytes + 1);
    must(file != NULL);
    if (bytes > 0) {
        spmmi_jit_entry_write(&entry, file);
        jit_entry_check(file, bytes);
    }
    free(file);
}

static const struct {
    const char *name;
    fuzz_target_fn *run;
} targets[] = {
    {"mtx", mtx},         {"smtx", smtx},           {"rb", rb},
    {"npz", npz},         {"packed", packed},       {"npz_members", npz_members},
    {"decimal", decimal}, {"profile", profile},     {"npy", npy},
    {"kernel", kernel},   {"generator", generator}, {"jit_entry", jit_entry},
    {"tar", tar},         {"petsc", petsc},         {"complex", complex},
    {"metis", metis},     {"edges", edges},         {"mat", mat},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_target_fn *run;
    for (size_t i = 0; run == NULL && i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, fuzz_target_name) == 0)
            run = targets[i].run;
    must(run != NULL);
    run(data, size);
    return 0;
}
