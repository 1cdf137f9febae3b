/* SPDX-License-Identifier: Apache-2.0 */
/* Every fixed-size record of a plan file: docs/plan-format.md sections 3, 4 and 6 as tables.
 *
 * A list gives (field, offset); the size is that of the struct's member. Members that are not listed are not in
 * the file: struct_size of a public struct is 0 in a plan. The lists drive reading, writing,
 * the check of reserved bytes and the tests that attack each field.                              */
#ifndef SPMMI_PLAN_RECORDS_H
#define SPMMI_PLAN_RECORDS_H

#include "format/base/bytes.h"
#include "format/base/dtype.h"
#include "format/permutation.h"
#include "format/row_block_metrics_fields.h"
#include "format/plan.h"

#define SPMMI_FORMAT_MAJOR 1u
#define SPMMI_FORMAT_MINOR 5u
#define SPMMI_ENDIAN_TAG 0x01020304u
#define SPMMI_HEADER_BYTES 256u
#define SPMMI_ENTRY_BYTES 64u
#define SPMMI_SECTION_LIMIT 256u /* entries in a section table */
#define SPMMI_ALIGN_LOG2 6u
#define SPMMI_ALIGN 64u
#define SPMMI_FRAME_ENTRY_BYTES 16u
#define SPMMI_FRAME_RAW (UINT64_C(2) << 20) /* raw bytes of every frame but the last of a section */
#define SPMMI_WINDOW_MAX (UINT64_C(8) << 20)
#define SPMMI_BOMB_RATIO \
    264000u /* above every ratio: zstd reaches about 32,750 on a run, a dictionary 8 times that */
#define SPMMI_BOMB_SLACK (UINT64_C(64) << 10)
#define SPMMI_NO_PART UINT32_MAX
#define SPMMI_CODEC_ZSTD 1u
#define SPMMI_FLAG_VALUES 1u /* of the header */
/* incompat. Families have bits too (format/family_list.def); where they share one of these, it is said there. */
#define SPMMI_FEATURE_UNITS \
    1u /* trace entries about units and their permutation, and the families that have them */
#define SPMMI_FEATURE_HALF 2u /* values of 16 bits */
#define SPMMI_FEATURE_TCBLOCKS \
    4u /* trace entries about blocks, compute types or permutations, and families of both */
#define SPMMI_FEATURE_LONG_ROWS 16u /* parts of long rows, or trace entries about them */
#define SPMMI_FEATURE_SEARCH 32u    /* trace entries with the reasons of the search */
#define SPMMI_FEATURES_KNOWN                                                                           \
    (SPMMI_FAMILY_FEATURES | SPMMI_PERMUTATION_FEATURES | SPMMI_DTYPE_FEATURES | SPMMI_FEATURE_UNITS | \
     SPMMI_FEATURE_HALF | SPMMI_FEATURE_TCBLOCKS | SPMMI_FEATURE_LONG_ROWS | SPMMI_FEATURE_SEARCH)
#define SPMMI_FLAG_REQUIRED 1u /* of a table entry */
#define SPMMI_MAGIC "\xd3SPM\r\n\x1a\n"
#define SPMMI_MAGIC_BYTES 8u

struct spmmi_header {
    uint8_t magic[SPMMI_MAGIC_BYTES];
    uint32_t endian_tag;
    uint16_t format_major, format_minor;
    uint32_t header_bytes, entry_bytes;
    uint64_t file_bytes;
    uint64_t features_incompat, features_exec, features_compat;
    uint64_t rows, cols, nnz;
    uint32_t dtype, flags;
    uint8_t pattern_digest[16], values_digest[16];
    uint32_t section_count;
    uint64_t table_hash, header_hash;
};
#define SPMMI_HEADER_FIELDS(X) \
    X(magic, 0)                \
    X(endian_tag, 8)           \
    X(format_major, 12)        \
    X(format_minor, 14)        \
    X(header_bytes, 16)        \
    X(entry_bytes, 20)         \
    X(file_bytes, 24)          \
    X(features_incompat, 32)   \
    X(features_exec, 40)       \
    X(features_compat, 48)     \
    X(rows, 56)                \
    X(cols, 64)                \
    X(nnz, 72)                 \
    X(dtype, 80)               \
    X(flags, 84)               \
    X(pattern_digest, 88)      \
    X(values_digest, 104)      \
    X(section_count, 120)      \
    X(table_hash, 240)         \
    X(header_hash, 248)

enum spmmi_header_offset {
#define SPMMI_OFFSET(name, at) SPMMI_AT_##name = at,
    SPMMI_HEADER_FIELDS(SPMMI_OFFSET)
#undef SPMMI_OFFSET
};

struct spmmi_entry {
    uint32_t type, flags, part;
    uint8_t codec, align_log2;
    uint64_t offset, stored_bytes, raw_bytes, frames_hash;
};
#define SPMMI_ENTRY_FIELDS(X) \
    X(type, 0)                \
    X(flags, 4)               \
    X(part, 8)                \
    X(codec, 12)              \
    X(align_log2, 13)         \
    X(offset, 16)             \
    X(stored_bytes, 24)       \
    X(raw_bytes, 32)          \
    X(frames_hash, 40)

#define SPMMI_STATS_FIELDS(X) \
    X(row_mean, 0)            \
    X(row_stddev, 8)          \
    X(row_max, 16)            \
    X(row_min, 24)            \
    X(rows_empty, 32)         \
    X(cols_empty, 40)         \
    X(col_max, 48)            \
    X(band_lower, 56)         \
    X(band_upper, 64)         \
    X(diagonal, 72)           \
    X(zeros, 80)              \
    X(row_histogram, 88)

#define SPMMI_PERMUTATION_METRICS_FIELDS(X) \
    X(op, 0)                                \
    X(kind, 4)                              \
    X(units, 8)                             \
    X(block_count[0], 16)                   \
    X(block_max[0], 24)                     \
    X(block_mean[0], 32)                    \
    X(block_stddev[0], 40)                  \
    X(block_count[1], 48)                   \
    X(block_max[1], 56)                     \
    X(block_mean[1], 64)                    \
    X(block_stddev[1], 72)                  \
    X(block_count[2], 80)                   \
    X(block_max[2], 88)                     \
    X(block_mean[2], 96)                    \
    X(block_stddev[2], 104)                 \
    X(working_set, 112)                     \
    X(reuse, 160)

#define SPMMI_VARIANT_FIELDS(X) \
    X(op, 0)                    \
    X(compute, 4)               \
    X(layouts, 8)               \
    X(target, 12)               \
    X(n_min, 16)                \
    X(n_max, 24)                \
    X(part_first, 32)           \
    X(part_count, 36)

#define SPMMI_PART_FIELDS(X) \
    X(op, 0)                 \
    X(family, 4)             \
    X(schedule, 8)           \
    X(item_size, 12)         \
    X(block_rows, 16)        \
    X(stage_slots, 20)       \
    X(flags, 24)

#define SPMMI_TRACE_FIELDS(X) \
    X(variant, 0)             \
    X(family, 4)              \
    X(schedule, 8)            \
    X(chosen, 12)             \
    X(reason, 16)             \
    X(compute, 20)            \
    X(predicted_us, 24)       \
    X(measured_us, 32)        \
    X(value, 40)              \
    X(threshold, 48)          \
    X(permutation, 56)

extern const struct spmmi_record_type spmmi_header_record, spmmi_entry_record, spmmi_stats_record,
    spmmi_row_block_metrics_record, spmmi_permutation_metrics_record, spmmi_variant_record, spmmi_part_record,
    spmmi_trace_record;

/* name, number, text, required: readers that do not know the type refuse the file, per_part: one for each part */
enum spmmi_section_type {
#define SPMM_SECTION(name, number, text, required, per_part) SPMMI_SECTION_##name = number,
#include "section_list.def"
#undef SPMM_SECTION
};

struct spmmi_section_row {
    uint32_t type;
    const char *text;
    int is_required, is_per_part;
};
/* The row of a type, or NULL if this version does not know it. */
const struct spmmi_section_row *spmmi_section_find(uint32_t type);

/* Raw bytes that a section may have: a multiple of unit from min to max. min > 0: it must be there.
 * max = 0: it must not. part_count is needed for items only. */
struct spmmi_raw_range {
    uint64_t unit, min, max;
};
struct spmmi_raw_range spmmi_section_raw_range(uint32_t type, const struct spmmi_header *header);

/* Which incompat features the dtype, a part, a trace entry, a permutation, and a whole plan need. */
uint64_t spmmi_dtype_features(spmm_dtype_t dtype);
uint64_t spmmi_part_features(const struct spmmi_part *part);
uint64_t spmmi_trace_features(const struct spmmi_trace *trace);
uint64_t spmmi_permutation_features(spmm_reorder_t permutation);
uint64_t spmmi_plan_features(const spmm_plan_t *plan);

#endif
