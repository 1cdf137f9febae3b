/* SPDX-License-Identifier: Apache-2.0 */
/* Steps 1 and 2 of a load: check the kind of the file, the hash of its header and the ranges of the header
 * fields. docs/plan-format.md section 3 has the table of fields with the status of each violation. */
#include "plan_header.h"

#include <stdio.h>

#include "format/base/diag.h"
#include "format/base/digest.h"
#include "format/family.h"

#define AT(name) SPMMI_AT_##name
#define BIT_LIST_BYTES 256 /* enough for 64 numbers */

/* Writes the numbers of the bits that are set, such as "6, 7". */
static void bit_list(uint64_t bits, char text[BIT_LIST_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (int bit = 0; bit < 64; bit++)
        if ((bits >> bit & 1) != 0)
            used += (size_t)snprintf(text + used, BIT_LIST_BYTES - used, "%s%d", used > 0 ? ", " : "", bit);
}

/* Step 1 of a load: the checks that distinguish a foreign or newer file from a damaged one. They run before
 * any hash is compared. */
static spmm_status_t check_kind(const uint8_t *bytes, const struct spmmi_header *h, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_RULE(h->endian_tag == SPMMI_ENDIAN_TAG, HEADER, AT(endian_tag),
              "the byte order tag is 0x%08x, expected 0x%08x", h->endian_tag, SPMMI_ENDIAN_TAG);
    SPMM_RULE(h->format_major == SPMMI_FORMAT_MAJOR, VERSION, AT(format_major),
              "the plan has format %u.%u, this library reads %u.x", h->format_major, h->format_minor,
              SPMMI_FORMAT_MAJOR);
    SPMM_RULE(h->header_bytes == SPMMI_HEADER_BYTES, HEADER, AT(header_bytes),
              "the header size is %u, expected %u", h->header_bytes, SPMMI_HEADER_BYTES);
    SPMM_RULE(h->entry_bytes == SPMMI_ENTRY_BYTES, HEADER, AT(entry_bytes),
              "the size of a table entry is %u, expected %u", h->entry_bytes, SPMMI_ENTRY_BYTES);
    const uint32_t reserved = spmmi_record_reserved(&spmmi_header_record, bytes);
    SPMM_RULE(reserved == SPMMI_HEADER_BYTES, HEADER, reserved, "reserved byte %u of the header is not zero",
              reserved);
    const uint64_t unknown = h->features_incompat & ~(uint64_t)SPMMI_FEATURES_KNOWN;
    char bits[BIT_LIST_BYTES];
    bit_list(unknown, bits);
    SPMM_RULE(unknown == 0, FEATURE, AT(features_incompat),
              "the plan is of format %u.%u and needs features that this library does not have: bits %.100s",
              h->format_major, h->format_minor, bits);
cleanup:
    return status;
}

/* Returns true if the flags are consistent: skew needs mirrored values, mirrored needs values and a triangle,
 * and a triangle needs a square matrix. */
static int are_flags(const struct spmmi_header *h)
{
    const int is_triangle = (h->flags & SPMMI_FLAG_TRIANGLE) != 0,
              is_skew = (h->flags & SPMMI_FLAG_SKEW) != 0;
    const int is_mirrored = (h->flags & SPMMI_FLAG_MIRRORED) != 0;
    return (!is_skew || is_mirrored) && (!is_triangle || h->rows == h->cols) &&
           (!is_mirrored || (is_triangle && (h->flags & SPMMI_FLAG_VALUES) != 0));
}

static spmm_status_t check_fields(const struct spmmi_header *h, uint64_t file_bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_RULE(file_bytes >= h->file_bytes, TRUNCATED, file_bytes,
              "the header says %llu bytes, the file has %llu", (unsigned long long)h->file_bytes,
              (unsigned long long)file_bytes);
    SPMM_RULE(file_bytes == h->file_bytes, HEADER, AT(file_bytes),
              "the header says %llu bytes, the file has %llu", (unsigned long long)h->file_bytes,
              (unsigned long long)file_bytes);
    SPMM_RULE(h->rows <= (uint64_t)SPMMI_DIM_MAX, DIMS, AT(rows), "%llu rows, at most %lld allowed",
              (unsigned long long)h->rows, (long long)SPMMI_DIM_MAX);
    SPMM_RULE(h->cols <= (uint64_t)SPMMI_DIM_MAX, DIMS, AT(cols), "%llu columns, at most %lld allowed",
              (unsigned long long)h->cols, (long long)SPMMI_DIM_MAX);
    SPMM_RULE(h->nnz <= (uint64_t)SPMMI_NNZ_MAX && h->nnz <= h->rows * h->cols, DIMS, AT(nnz),
              "%llu nonzeros do not fit into %llu x %llu", (unsigned long long)h->nnz,
              (unsigned long long)h->rows, (unsigned long long)h->cols);
    const spmm_dtype_t dtype = (spmm_dtype_t)h->dtype;
    SPMM_RULE(spmm_dtype_size(dtype) != 0, HEADER, AT(dtype), "value type %u is not known", h->dtype);
    SPMM_RULE((spmmi_dtype_features(dtype) & ~h->features_incompat) == 0, HEADER, AT(dtype),
              "value type %u needs a feature that the header does not name", h->dtype);
    SPMM_RULE((h->flags & ~SPMMI_FLAGS_KNOWN) == 0, HEADER, AT(flags), "flags 0x%x have reserved bits set",
              h->flags);
    SPMM_RULE(h->flags <= SPMMI_FLAG_VALUES || (h->features_incompat & SPMMI_FEATURE_TRIANGLE) != 0, HEADER,
              AT(flags), "flags 0x%x need a feature that the header does not name", h->flags);
    SPMM_RULE(are_flags(h), HEADER, AT(flags),
              "flags 0x%x contradict each other or a matrix that is not square", h->flags);
    SPMM_RULE(h->section_count >= 1 && h->section_count <= SPMMI_SECTION_LIMIT, HEADER, AT(section_count),
              "%u sections, expected 1 to %u", h->section_count, SPMMI_SECTION_LIMIT);
cleanup:
    return status;
}

static int hash_fits(const uint8_t *bytes, const struct spmmi_header *h)
{
    return spmmi_hash64(bytes, AT(header_hash)) == h->header_hash;
}

spmm_status_t spmmi_header_read(const uint8_t *bytes, uint64_t file_bytes, struct spmmi_header *header,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t have = file_bytes < SPMMI_MAGIC_BYTES ? file_bytes : SPMMI_MAGIC_BYTES;
    /* If there are no bytes, the pointer may be NULL, which memcmp does not allow. */
    SPMM_RULE(have == 0 || memcmp(bytes, SPMMI_MAGIC, (size_t)have) == 0, MAGIC, 0,
              "the first bytes are not those of a plan");
    SPMM_RULE(file_bytes >= SPMMI_HEADER_BYTES, TRUNCATED, file_bytes,
              "the header needs %u bytes, the file has %llu", SPMMI_HEADER_BYTES,
              (unsigned long long)file_bytes);
    spmmi_record_load(&spmmi_header_record, bytes, header);
    SPMM_TRY(check_kind(bytes, header, diag));
    SPMM_RULE(hash_fits(bytes, header), CHECKSUM, AT(header_hash),
              "the hash of the header does not match: the file is damaged");
    SPMM_TRY(check_fields(header, file_bytes, diag));
cleanup:
    return status;
}

spmm_status_t spmm_plan_length(const void *bytes, size_t size, uint64_t *file_bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_header header = {.file_bytes = 0};
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(file_bytes != NULL, SPMM_ERR_ARGUMENT, diag, "file_bytes is NULL");
    *file_bytes = 0;
    SPMM_REQUIRE(bytes != NULL || size == 0, SPMM_ERR_ARGUMENT, diag, "bytes is NULL");
    if (size >= SPMMI_HEADER_BYTES)
        spmmi_record_load(&spmmi_header_record, bytes, &header);
    const uint64_t told = header.file_bytes > SPMMI_HEADER_BYTES ? header.file_bytes : SPMMI_HEADER_BYTES;
    status = spmmi_header_read(bytes, size < SPMMI_HEADER_BYTES ? size : told, &header, diag);
    /* FEATURE is returned before the hash and the length are checked. */
    const int is_newer = status == SPMM_ERR_PLAN_FEATURE && hash_fits(bytes, &header) &&
                         header.file_bytes >= SPMMI_HEADER_BYTES;
    if (status == SPMM_OK || is_newer)
        *file_bytes = header.file_bytes;
cleanup:
    return status;
}
