/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing plans in files and in memory. A reader copies the bytes of a file to private memory
 * before it checks them; it copies long arrays frame by frame. A writer creates a complete new file that
 * replaces the old one (new_file.h). */
#include <fcntl.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/file_io.h"
#include "format/base/new_file.h"
#include "format/base/options.h"
#include "frames.h"
#include "plan_budget.h"
#include "plan_header.h"
#include "plan_newer.h"
#include "plan_read.h"
#include "plan_records.h"
#include "plan_write.h"

#define READERS_MAX 64 /* maximum threads that read a file */
#define NEWER_BYTES_MAX (UINT64_C(64) << 20)

/* Minimum stored bytes of a section whose frames are left in the file, and minimum size of such a file. It is
 * the size from which on memory has huge pages (alloc.c). */
#define LEFT_MIN_BYTES (UINT64_C(4) << 20)

#ifdef SPMM_TEST_HOOKS
uint64_t spmmi_left_min_hook = LEFT_MIN_BYTES, spmmi_left_loads_hook;
#define LEFT_MIN spmmi_left_min_hook
#else
#define LEFT_MIN LEFT_MIN_BYTES
#endif

/* Opens a regular file. Does not wait if path is a pipe or a device. */
static spmm_status_t open_plan(const char *path, int *file, uint64_t *size, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct stat about;
    *file = spmmi_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    SPMM_REQUIRE_IO(*file >= 0, diag, "open", path);
    SPMM_REQUIRE_IO(spmmi_io->fstat(*file, &about) == 0, diag, "ask the size of", path);
    SPMM_REQUIRE(S_ISREG(about.st_mode), SPMM_ERR_IO, diag, "%s: not a regular file", path);
    *size = (uint64_t)about.st_size;
cleanup:
    return status;
}

/* Adds the writer of a plan with unknown features to the message in diag. The writer is in the rest of the
 * file, which is read only if it is small. */
static void explain_newer(int file, const char *path, const uint8_t head[SPMMI_HEADER_BYTES], uint64_t size,
                          const struct spmmi_load *load, spmm_diag_t *diag)
{
    const uint64_t most = load->budget_bytes != 0 && load->budget_bytes < NEWER_BYTES_MAX ? load->budget_bytes
                                                                                          : NEWER_BYTES_MAX;
    uint8_t *bytes = size <= most ? spmmi_alloc(size, 1) : NULL;
    const uint64_t rest = size - SPMMI_HEADER_BYTES;
    if (bytes != NULL)
        memcpy(bytes, head, SPMMI_HEADER_BYTES);
    if (bytes != NULL &&
        spmmi_read_all(file, path, bytes + SPMMI_HEADER_BYTES, rest, &spmmi_diag_unheard) == SPMM_OK)
        spmmi_newer_explain(bytes, size, diag);
    else
        spmmi_newer_explain(head, SPMMI_HEADER_BYTES, diag);
    spmmi_free(bytes);
}

/* Returns the number of threads that read a file of size bytes. Limits the request first, so that
 * spmmi_threads logs no warning: decoding logs it. */
static int readers_of(const struct spmmi_load *load, uint64_t size)
{
    const int readers = spmmi_threads(load->threads < READERS_MAX ? load->threads : READERS_MAX, size);
    return readers < READERS_MAX ? readers : READERS_MAX; /* threads = 0 on a large machine gives more */
}

/* Returns true if the frames of a section are left in the file: the section is a large array that is decoded
 * into its own memory, and its frames are not larger than this memory. The entry has not been checked. */
static uint8_t is_left(const struct spmmi_entry *e)
{
    const int is_array = e->type == SPMMI_SECTION_ROW_LENGTHS || e->type == SPMMI_SECTION_COL_IND ||
                         e->type == SPMMI_SECTION_VALUES || e->type == SPMMI_SECTION_ITEMS ||
                         e->type == SPMMI_SECTION_OPERAND_ROWS || e->type == SPMMI_SECTION_OPERAND_COLS ||
                         e->type == SPMMI_SECTION_SYMMETRIC_PERMUTATION;
    return is_array && e->stored_bytes >= LEFT_MIN && e->stored_bytes <= e->raw_bytes;
}

/* Reads the section table and the sections with the padding in front of them. Of a section that is left in
 * the file, only the frame table is read. Returns true if any section is left, and false on any error. */
static int read_around(int threads, int file, uint8_t *bytes, uint64_t size, uint32_t section_count,
                       struct spmmi_left *left)
{
    const uint64_t table_end = SPMMI_HEADER_BYTES + (uint64_t)section_count * SPMMI_ENTRY_BYTES;
    uint64_t claimed = 0;
    int is_some = 0;
    *left = (struct spmmi_left){.file = file};
    if (table_end > size ||
        !spmmi_read_at(file, bytes + SPMMI_HEADER_BYTES, table_end - SPMMI_HEADER_BYTES, SPMMI_HEADER_BYTES))
        return 0;
    for (uint32_t i = 0; i < section_count; i++) {
        struct spmmi_entry e;
        spmmi_record_load(&spmmi_entry_record, bytes + SPMMI_HEADER_BYTES + (uint64_t)i * SPMMI_ENTRY_BYTES,
                          &e);
        const uint64_t begin = e.offset - (SPMMI_ALIGN - 1), frames = spmmi_frame_count(e.raw_bytes);
        if (e.offset < table_end || e.offset > size || e.stored_bytes > size - e.offset ||
            frames > e.stored_bytes / SPMMI_FRAME_ENTRY_BYTES || e.stored_bytes > size - claimed)
            return 0; /* a hostile file could have many sections that overlap, and all would be read */
        claimed += e.stored_bytes;
        is_some |= left->entries[i] = is_left(&e);
        const uint64_t taken = left->entries[i] ? frames * SPMMI_FRAME_ENTRY_BYTES : e.stored_bytes;
        if (!spmmi_read_at_on(threads, file, bytes + begin, e.offset + taken - begin, begin))
            return 0;
    }
    return is_some;
}

/* Loads a plan whose large sections are decoded directly from the file,
 * without a copy of their stored bytes in memory. On any failure *plan stays
 * NULL, and the caller loads the complete file, which gives the message. */
static void read_large(int file, uint8_t *bytes, uint64_t size, const struct spmmi_header *header,
                       const struct spmmi_load *load, spmm_plan_t **plan)
{
    struct spmmi_left left;
    struct spmmi_load large = *load;
    if (size < LEFT_MIN ||
        !read_around(readers_of(load, size), file, bytes, size, header->section_count, &left))
        return;
    large.left = &left;
    (void)spmmi_plan_decode(bytes, size, &large, plan, &spmmi_diag_unheard);
#ifdef SPMM_TEST_HOOKS
    spmmi_left_loads_hook += *plan != NULL;
#endif
}

/* Reads the header first. It decides whether the rest of the file is read into memory. */
static spmm_status_t read_plan(int file, const char *path, uint64_t size, struct spmmi_load *load,
                               spmm_plan_t **plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint8_t *bytes = NULL;
    uint8_t head[SPMMI_HEADER_BYTES] = {0};
    const uint64_t head_bytes = size < sizeof head ? size : sizeof head;
    struct spmmi_header header;
    SPMM_TRY(spmmi_read_all(file, path, head, head_bytes, diag));
    status = spmmi_header_read(head, size, &header, diag);
    if (status == SPMM_ERR_PLAN_FEATURE)
        explain_newer(file, path, head, size, load, diag);
    if (status == SPMM_ERR_PLAN_VERSION) /* another format, whose layout after the header is unknown */
        spmmi_newer_explain(head, sizeof head, diag);
    if (status != SPMM_OK)
        goto cleanup;
    const uint64_t budget = load->budget_bytes != 0 ? load->budget_bytes : spmmi_budget_default(size);
    SPMM_REQUIRE(size <= budget, SPMM_ERR_PLAN_BUDGET, diag, "the file takes %llu bytes, %llu are allowed",
                 (unsigned long long)size, (unsigned long long)budget);
    bytes = spmmi_alloc(size, 1);
    SPMM_TRY_ALLOC(bytes, diag);
    memcpy(bytes, head, head_bytes);
    load->held_bytes = size;
    read_large(file, bytes, size, &header, load, plan);
    if (*plan != NULL)
        goto cleanup;
    SPMM_TRY(spmmi_read_all_on(readers_of(load, size), file, path, bytes + head_bytes, size - head_bytes,
                               head_bytes, diag));
    SPMM_TRY(spmmi_plan_decode(bytes, size, load, plan, diag));
cleanup:
    spmmi_free(bytes);
    return status;
}

spmm_status_t spmmi_load_check(const spmm_load_options_t *options, struct spmmi_load *load, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_load_options_t known = SPMM_LOAD_OPTIONS_INIT;
    *load = (struct spmmi_load){.name = "a plan in memory"};
    SPMM_TRY(spmmi_options_read(&known, sizeof known, options, "load options", diag));
    SPMM_REQUIRE(known.threads >= 0, SPMM_ERR_ARGUMENT, diag, "%d threads", known.threads);
    load->budget_bytes = known.budget_bytes;
    load->threads = known.threads;
cleanup:
    return status;
}

spmm_status_t spmm_plan_read(const void *bytes, size_t size, const spmm_load_options_t *options,
                             spmm_plan_t **plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_load load;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(plan != NULL, SPMM_ERR_ARGUMENT, diag, "plan is NULL");
    *plan = NULL;
    SPMM_REQUIRE(bytes != NULL || size == 0, SPMM_ERR_ARGUMENT, diag, "bytes is NULL");
    SPMM_TRY(spmmi_load_check(options, &load, diag));
    SPMM_TRY(spmmi_plan_decode(bytes, size, &load, plan, diag));
cleanup:
    return status;
}

spmm_status_t spmm_plan_load(const char *path, const spmm_load_options_t *options, spmm_plan_t **plan,
                             spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_load load;
    uint64_t size = 0;
    int file = -1;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(plan != NULL, SPMM_ERR_ARGUMENT, diag, "plan is NULL");
    *plan = NULL;
    SPMM_REQUIRE(path != NULL, SPMM_ERR_ARGUMENT, diag, "path is NULL");
    SPMM_TRY(spmmi_load_check(options, &load, diag));
    load.name = path;
    SPMM_TRY(open_plan(path, &file, &size, diag));
    SPMM_TRY(read_plan(file, path, size, &load, plan, diag));
cleanup:
    if (file >= 0)
        (void)spmmi_close(file);
    return status;
}

spmm_status_t spmm_plan_save(const spmm_plan_t *plan, const char *path, const spmm_save_options_t *options,
                             spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_new_file file = SPMMI_NEW_FILE_INIT;
    uint8_t *bytes = NULL;
    uint64_t size = 0;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(plan != NULL && path != NULL, SPMM_ERR_ARGUMENT, diag, "plan or path is NULL");
    SPMM_TRY(spmmi_plan_encode(plan, options, &bytes, &size, diag));
    SPMM_TRY(spmmi_new_file_open(&file, path, diag));
    SPMM_TRY(spmmi_new_file_write(&file, bytes, size, diag));
    SPMM_TRY(spmmi_new_file_commit(&file, diag));
cleanup:
    spmmi_new_file_close(&file);
    spmmi_free(bytes);
    return status;
}
