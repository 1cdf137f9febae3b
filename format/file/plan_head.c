/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the header of a plan file, its section table, the two names and the
 * metadata through a function of the caller: for files that are incomplete
 * or large. Each text is decoded as a container with one section. */
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/digest.h"
#include "format/base/dtype.h"
#include "format/base/options.h"
#include "format/base/text.h"
#include "format/check/plan_check.h"
#include "format/metadata.h"
#include "frames.h"
#include "plan_header.h"

#define NAME_STORED_MAX 1024      /* maximum bytes of a frame and its entry: names have at most 127 bytes */
#define METADATA_STORED_MAX 70000 /* likewise: above what 65,536 incompressible bytes take */

struct head {
    spmm_read_at_fn read;
    void *context;
    struct spmmi_header header;
    struct spmmi_entry entries[SPMMI_SECTION_LIMIT];
    spmm_diag_t *diag;
};

static spmm_status_t read_header(struct head *h)
{
    spmm_status_t status = SPMM_OK;
    uint8_t bytes[SPMMI_HEADER_BYTES] = {0};
    const uint64_t got = h->read(h->context, 0, bytes, sizeof bytes);
    SPMM_REQUIRE(got <= sizeof bytes, SPMM_ERR_ARGUMENT, h->diag, "the function gave %llu bytes of %u",
                 (unsigned long long)got, SPMMI_HEADER_BYTES);
    spmmi_record_load(&spmmi_header_record, bytes, &h->header);
    const uint64_t told = h->header.file_bytes;
    /* The true length of the file is unknown.
     * Passing the length in the header lets the comparison succeed. */
    const uint64_t length = got < sizeof bytes || told < sizeof bytes ? got : told;
    SPMM_TRY(spmmi_header_read(bytes, length, &h->header, h->diag));
cleanup:
    return status;
}

static spmm_status_t read_table(struct head *h)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t bytes = (uint64_t)h->header.section_count * SPMMI_ENTRY_BYTES;
    uint8_t *table = spmmi_alloc(bytes, 1);
    SPMM_TRY_ALLOC(table, h->diag);
    SPMM_REQUIRE_AT(h->read(h->context, SPMMI_HEADER_BYTES, table, bytes) == bytes, SPMM_ERR_PLAN_TRUNCATED,
                    h->diag, SPMMI_HEADER_BYTES, "the table of %u sections is not all there",
                    h->header.section_count);
    SPMM_REQUIRE_AT(spmmi_hash64(table, bytes) == h->header.table_hash, SPMM_ERR_PLAN_CHECKSUM, h->diag,
                    SPMMI_HEADER_BYTES, "the hash of the section table does not match: the file is damaged");
    for (uint32_t i = 0; i < h->header.section_count; i++)
        spmmi_record_load(&spmmi_entry_record, table + (uint64_t)i * SPMMI_ENTRY_BYTES, &h->entries[i]);
cleanup:
    spmmi_free(table);
    return status;
}

static spmm_status_t open_head(struct head *h, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    h->diag = diag;
    SPMM_REQUIRE(h->read != NULL, SPMM_ERR_ARGUMENT, diag, "the function that reads is NULL");
    SPMM_TRY(read_header(h));
    SPMM_TRY(read_table(h));
cleanup:
    return status;
}

static const struct spmmi_entry *find(const struct head *h, uint32_t type)
{
    for (uint32_t i = 0; i < h->header.section_count; i++)
        if (h->entries[i].type == type)
            return &h->entries[i];
    return NULL;
}

/* Decodes the stored bytes of a section to raw, which holds e->raw_bytes bytes. */
static spmm_status_t decode(struct head *h, const struct spmmi_entry *e, const uint8_t *bytes, char *raw)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_container c = {.bytes = bytes, .header = {.section_count = 1}, .frame_first = {0, 1}};
    const struct spmmi_span span = {e->type, 0, 1, e->raw_bytes, raw, NULL, 0};
    struct spmmi_decoder *decoder = spmmi_decoder_new(1);
    SPMM_TRY_ALLOC(decoder, h->diag);
    c.entries[0] = *e;
    c.entries[0].offset = 0;
    SPMM_TRY(spmmi_container_frames(&c, 1, h->diag));
    SPMM_TRY(spmmi_frames_decode(decoder, &c, &span, 1, h->diag));
cleanup:
    spmmi_free(c.frames);
    spmmi_decoder_free(decoder);
    return status;
}

static spmm_status_t decode_name(struct head *h, const struct spmmi_entry *e, const uint8_t *bytes,
                                 char *name)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(decode(h, e, bytes, name));
    SPMM_REQUIRE(spmmi_text_wrong(name, e->raw_bytes) == e->raw_bytes, SPMM_ERR_PLAN_META, h->diag,
                 "the text of section %s is not printable UTF-8", spmmi_section_find(e->type)->text);
cleanup:
    return status;
}

static spmm_status_t decode_metadata(struct head *h, const struct spmmi_entry *e, const uint8_t *bytes,
                                     char *metadata)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(decode(h, e, bytes, metadata));
    SPMM_TRY(spmmi_check_metadata(metadata, e->raw_bytes, h->diag));
cleanup:
    return status;
}

/* Reads a section of at most stored_max stored bytes and calls decoded to decode
 * it to text, which can hold its raw bytes. Sets *bytes to its raw bytes, or to
 * 0 if the plan has no such section or its bytes cannot be read. */
static spmm_status_t read_section(struct head *h, uint32_t type, uint64_t stored_max,
                                  spmm_status_t (*decoded)(struct head *h, const struct spmmi_entry *e,
                                                           const uint8_t *bytes, char *text),
                                  char *text, uint64_t *bytes)
{
    spmm_status_t status = SPMM_OK;
    uint8_t *stored = NULL;
    const struct spmmi_entry *e = find(h, type);
    *bytes = 0;
    if (e == NULL)
        return SPMM_OK;
    const struct spmmi_raw_range range = spmmi_section_raw_range(type, &h->header);
    SPMM_REQUIRE_AT(e->raw_bytes >= 1 && e->raw_bytes <= range.max &&
                        e->stored_bytes >= SPMMI_FRAME_ENTRY_BYTES && e->stored_bytes <= stored_max,
                    SPMM_ERR_PLAN_SECTION, h->diag, e->offset,
                    "section %s has %llu raw and %llu stored bytes", spmmi_section_find(type)->text,
                    (unsigned long long)e->raw_bytes, (unsigned long long)e->stored_bytes);
    stored = spmmi_alloc(e->stored_bytes, 1);
    SPMM_TRY_ALLOC(stored, h->diag);
    if (h->read(h->context, e->offset, stored, e->stored_bytes) != e->stored_bytes)
        goto cleanup;
    status = decoded(h, e, stored, text);
    if (status != SPMM_OK && h->diag != NULL)
        h->diag->offset = e->offset;
    *bytes = status == SPMM_OK ? e->raw_bytes : 0;
cleanup:
    spmmi_free(stored);
    return status;
}

static spmm_status_t read_name(struct head *h, uint32_t type, char *name)
{
    uint64_t bytes = 0;
    return read_section(h, type, NAME_STORED_MAX, decode_name, name, &bytes);
}

static int count(const struct head *h, uint32_t type, uint32_t record_bytes)
{
    const struct spmmi_entry *e = find(h, type);
    const uint64_t records = e == NULL ? 0 : e->raw_bytes / record_bytes;
    return records < INT32_MAX ? (int)records : INT32_MAX;
}

static void fill(const struct head *h, spmm_plan_info_t *info)
{
    const struct spmmi_header *from = &h->header;
    info->rows = (int64_t)from->rows;
    info->cols = (int64_t)from->cols;
    info->nnz = (int64_t)from->nnz;
    info->a_type = info->b_type = info->c_type = (spmm_dtype_t)from->dtype;
    info->sum_type = spmmi_dtype_of(info->a_type)->sums;
    info->has_values = (from->flags & SPMMI_FLAG_VALUES) != 0;
    info->csr_bytes =
        spmmi_csr_bytes(info->rows, info->nnz, info->has_values ? info->a_type : (spmm_dtype_t)0);
    memcpy(info->pattern_digest, from->pattern_digest, sizeof info->pattern_digest);
    memcpy(info->values_digest, from->values_digest, sizeof info->values_digest);
    info->variant_count = count(h, SPMMI_SECTION_VARIANTS, spmmi_variant_record.bytes);
    info->part_count = count(h, SPMMI_SECTION_PARTS, spmmi_part_record.bytes);
    info->trace_count = count(h, SPMMI_SECTION_TRACE, spmmi_trace_record.bytes);
    info->section_count = (int)from->section_count;
    info->file_bytes = from->file_bytes;
    info->format_major = from->format_major;
    info->format_minor = from->format_minor;
}

spmm_status_t spmm_plan_head(spmm_read_at_fn read, void *context, spmm_plan_info_t *info, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct head h = {.read = read, .context = context};
    spmm_plan_info_t full;
    memset(&full, 0, sizeof full);
    spmmi_diag_clear(diag);
    SPMM_TRY(open_head(&h, diag));
    fill(&h, &full);
    SPMM_TRY(read_name(&h, SPMMI_SECTION_META, full.source));
    SPMM_TRY(read_name(&h, SPMMI_SECTION_WRITER, full.writer));
    status = spmmi_info_write(info, &full, sizeof full);
    SPMM_REQUIRE(status == SPMM_OK, SPMM_ERR_ARGUMENT, diag, "info is NULL or its struct_size is not set");
cleanup:
    return status;
}

spmm_status_t spmm_plan_head_metadata(spmm_read_at_fn read, void *context, spmm_metadata_fn found,
                                      void *found_context, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct head h = {.read = read, .context = context};
    uint64_t bytes = 0, at = 0;
    char *text = NULL;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(found != NULL, SPMM_ERR_ARGUMENT, diag, "the function that takes the pairs is NULL");
    SPMM_TRY(open_head(&h, diag));
    text = spmmi_alloc(SPMMI_METADATA_BYTES, 1);
    SPMM_TRY_ALLOC(text, diag);
    SPMM_TRY(read_section(&h, SPMMI_SECTION_METADATA, METADATA_STORED_MAX, decode_metadata, text, &bytes));
    while (at < bytes) {
        const spmm_metadata_t pair = spmmi_metadata_next(text, &at);
        found(found_context, pair.key, pair.value);
    }
cleanup:
    spmmi_free(text);
    return status;
}

spmm_status_t spmm_plan_head_section(spmm_read_at_fn read, void *context, int index,
                                     spmm_section_info_t *info, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct head h = {.read = read, .context = context};
    spmm_section_info_t full;
    spmmi_diag_clear(diag);
    SPMM_TRY(open_head(&h, diag));
    SPMM_REQUIRE((uint32_t)index < h.header.section_count, SPMM_ERR_ARGUMENT, diag, "section %d of %u", index,
                 h.header.section_count);
    spmmi_section_info(&h.entries[index], &full);
    status = spmmi_info_write(info, &full, sizeof full);
    SPMM_REQUIRE(status == SPMM_OK, SPMM_ERR_ARGUMENT, diag, "info is NULL or its struct_size is not set");
cleanup:
    return status;
}
