/* SPDX-License-Identifier: Apache-2.0 */
/* Every fixed-size record of a plan file: docs/plan-format.md sections 3, 4 and 6 as tables.
 *
 * A list expands to X(R, field, offset) for each field. R is the struct type that the user of the list
 * passes. The size of a field is the size of the struct member. Members that are not listed, such as
 * struct_size, are not in the file. Reading, writing, the check of reserved bytes and the tests that attack
 * each field are generated from these lists. */
#ifndef SPMMI_PLAN_RECORDS_H
#define SPMMI_PLAN_RECORDS_H

#include "format/base/bytes.h"
#include "format/base/dtype.h"
#include "format/metadata.h"
#include "format/permutation.h"
#include "format/row_block_metrics_fields.h"
#include "format/plan.h"

#define SPMMI_FORMAT_MAJOR 1u
#define SPMMI_FORMAT_MINOR 7u
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
    264000u /* above any real ratio: zstd reaches about 32,750 on a run, a dictionary 8 times as much */
#define SPMMI_BOMB_SLACK (UINT64_C(64) << 10)
#define SPMMI_NO_PART UINT32_MAX
#define SPMMI_CODEC_ZSTD 1u
/* Flags of the header. docs/plan-format.md section 6.16 defines the last three. */
#define SPMMI_FLAG_VALUES 1u
#define SPMMI_FLAG_TRIANGLE 2u
#define SPMMI_FLAG_MIRRORED 4u
#define SPMMI_FLAG_SKEW 8u
#define SPMMI_FLAGS_KNOWN (SPMMI_FLAG_VALUES | SPMMI_FLAG_TRIANGLE | SPMMI_FLAG_MIRRORED | SPMMI_FLAG_SKEW)
/* Incompat features. Families, permutations and value types have bits too, in their lists; families may share
 * a bit with the features below (format/family_list.def). */
#define SPMMI_FEATURE_UNITS \
    1u /* trace entries about units and their permutation, and families with this bit */
#define SPMMI_FEATURE_HALF 2u /* values of 16 bits */
#define SPMMI_FEATURE_TCBLOCKS \
    4u /* trace entries about blocks, compute types or permutations, and families with this bit */
#define SPMMI_FEATURE_LONG_ROWS 16u      /* parts of long rows, or trace entries about them */
#define SPMMI_FEATURE_SEARCH 32u         /* trace entries with the reasons of the search */
#define SPMMI_FEATURE_HALF_LONG_ROWS 64u /* parts of long rows whose values have 16 bits */
#define SPMMI_FEATURES_OF_6 64u          /* the first bit that format 1.6 introduced */
#define SPMMI_FEATURES_OF_7 512u         /* the first bit that format 1.7 introduced */
#define SPMMI_FEATURE_TRIANGLE 512u      /* header flags about triangles */
#define SPMMI_FEATURE_TYPES 1024u        /* variants of a narrower type than the values */
#define SPMMI_FEATURE_PRODUCT 4096u      /* a product of sparse matrices */
#define SPMMI_FEATURE_DECIMAL 8192u      /* frames of the transform decimal */
#define SPMMI_FEATURE_TEXTS_FIRST 16384u /* names and metadata are stored in front of other sections */
#define SPMMI_FEATURE_EITHER 32768u      /* tf32 or 3xtf32 in a family that can also multiply in f32 */
#define SPMMI_FEATURE_STRETCHES 131072u  /* a sparse product whose long entries are summed in stretches */
#define SPMMI_FEATURES_KNOWN                                                                               \
    (SPMMI_FAMILY_FEATURES | SPMMI_PERMUTATION_FEATURES | SPMMI_DTYPE_FEATURES | SPMMI_FEATURE_UNITS |     \
     SPMMI_FEATURE_HALF | SPMMI_FEATURE_TCBLOCKS | SPMMI_FEATURE_LONG_ROWS | SPMMI_FEATURE_SEARCH |        \
     SPMMI_FEATURE_HALF_LONG_ROWS | SPMMI_FEATURE_TRIANGLE | SPMMI_FEATURE_TYPES | SPMMI_FEATURE_PRODUCT | \
     SPMMI_FEATURE_DECIMAL | SPMMI_FEATURE_TEXTS_FIRST | SPMMI_FEATURE_EITHER | SPMMI_FEATURE_STRETCHES)
#define SPMMI_FLAG_REQUIRED 1u /* flag of a table entry */
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
#define SPMMI_HEADER_FIELDS(X, R) \
    X(R, magic, 0)                \
    X(R, endian_tag, 8)           \
    X(R, format_major, 12)        \
    X(R, format_minor, 14)        \
    X(R, header_bytes, 16)        \
    X(R, entry_bytes, 20)         \
    X(R, file_bytes, 24)          \
    X(R, features_incompat, 32)   \
    X(R, features_exec, 40)       \
    X(R, features_compat, 48)     \
    X(R, rows, 56)                \
    X(R, cols, 64)                \
    X(R, nnz, 72)                 \
    X(R, dtype, 80)               \
    X(R, flags, 84)               \
    X(R, pattern_digest, 88)      \
    X(R, values_digest, 104)      \
    X(R, section_count, 120)      \
    X(R, table_hash, 240)         \
    X(R, header_hash, 248)

enum spmmi_header_offset {
#define SPMMI_OFFSET(record, name, at) SPMMI_AT_##name = at,
    SPMMI_HEADER_FIELDS(SPMMI_OFFSET, )
#undef SPMMI_OFFSET
};

struct spmmi_entry {
    uint32_t type, flags, part;
    uint8_t codec, align_log2;
    uint64_t offset, stored_bytes, raw_bytes, frames_hash;
};
#define SPMMI_ENTRY_FIELDS(X, R) \
    X(R, type, 0)                \
    X(R, flags, 4)               \
    X(R, part, 8)                \
    X(R, codec, 12)              \
    X(R, align_log2, 13)         \
    X(R, offset, 16)             \
    X(R, stored_bytes, 24)       \
    X(R, raw_bytes, 32)          \
    X(R, frames_hash, 40)

#define SPMMI_STATS_FIELDS(X, R) \
    X(R, row_mean, 0)            \
    X(R, row_stddev, 8)          \
    X(R, row_max, 16)            \
    X(R, row_min, 24)            \
    X(R, rows_empty, 32)         \
    X(R, cols_empty, 40)         \
    X(R, col_max, 48)            \
    X(R, band_lower, 56)         \
    X(R, band_upper, 64)         \
    X(R, diagonal, 72)           \
    X(R, zeros, 80)              \
    X(R, row_histogram, 88)

#define SPMMI_PERMUTATION_METRICS_FIELDS(X, R) \
    X(R, op, 0)                                \
    X(R, kind, 4)                              \
    X(R, units, 8)                             \
    X(R, block_count[0], 16)                   \
    X(R, block_max[0], 24)                     \
    X(R, block_mean[0], 32)                    \
    X(R, block_stddev[0], 40)                  \
    X(R, block_count[1], 48)                   \
    X(R, block_max[1], 56)                     \
    X(R, block_mean[1], 64)                    \
    X(R, block_stddev[1], 72)                  \
    X(R, block_count[2], 80)                   \
    X(R, block_max[2], 88)                     \
    X(R, block_mean[2], 96)                    \
    X(R, block_stddev[2], 104)                 \
    X(R, working_set, 112)                     \
    X(R, reuse, 160)

#define SPMMI_VARIANT_FIELDS(X, R) \
    X(R, op, 0)                    \
    X(R, compute, 4)               \
    X(R, layouts, 8)               \
    X(R, target, 12)               \
    X(R, n_min, 16)                \
    X(R, n_max, 24)                \
    X(R, part_first, 32)           \
    X(R, part_count, 36)

#define SPMMI_PART_FIELDS(X, R) \
    X(R, op, 0)                 \
    X(R, family, 4)             \
    X(R, schedule, 8)           \
    X(R, item_size, 12)         \
    X(R, block_rows, 16)        \
    X(R, stage_slots, 20)       \
    X(R, flags, 24)

#define SPMMI_TRACE_FIELDS(X, R) \
    X(R, variant, 0)             \
    X(R, family, 4)              \
    X(R, schedule, 8)            \
    X(R, chosen, 12)             \
    X(R, reason, 16)             \
    X(R, compute, 20)            \
    X(R, predicted_us, 24)       \
    X(R, measured_us, 32)        \
    X(R, value, 40)              \
    X(R, threshold, 48)          \
    X(R, permutation, 56)

#define SPMMI_SPGEMM_MATRIX_FIELDS(X, R, m) \
    X(R, matrices[m].rows, 64 + (m)*40)     \
    X(R, matrices[m].cols, 72 + (m)*40)     \
    X(R, matrices[m].nnz, 80 + (m)*40)      \
    X(R, matrices[m].digest, 88 + (m)*40)
#define SPMMI_SPGEMM_FIELDS(X, R)       \
    X(R, factor_count, 0)               \
    X(R, operand_count, 4)              \
    X(R, flags, 8)                      \
    X(R, factor_operand, 12)            \
    X(R, factor_op, 24)                 \
    X(R, piece_products, 40)            \
    X(R, products, 48)                  \
    SPMMI_SPGEMM_MATRIX_FIELDS(X, R, 0) \
    SPMMI_SPGEMM_MATRIX_FIELDS(X, R, 1) \
    SPMMI_SPGEMM_MATRIX_FIELDS(X, R, 2) \
    SPMMI_SPGEMM_MATRIX_FIELDS(X, R, 3)

extern const struct spmmi_record_type spmmi_header_record, spmmi_entry_record, spmmi_stats_record,
    spmmi_row_block_metrics_record, spmmi_permutation_metrics_record, spmmi_variant_record, spmmi_part_record,
    spmmi_trace_record, spmmi_spgemm_record;

/* section_list.def explains its columns. */
enum spmmi_section_type {
#define SPMM_SECTION(name, number, ...) SPMMI_SECTION_##name = number,
#include "section_list.def"
#undef SPMM_SECTION
};

struct spmmi_section_row {
    uint32_t type;
    const char *text;
    int is_required, is_per_part; /* is_per_part: 0, 1, or 2: one section per matrix of a sparse product */
    spmm_status_t violation;      /* status of invalid content; OK: no content is invalid */
    uint32_t transforms;          /* one bit per enum spmmi_transform that its frames may have */
};
enum {
    SPMMI_SECTION_ROWS = 0
#define SPMM_SECTION(...) +1
#include "section_list.def"
#undef SPMM_SECTION
};
extern const struct spmmi_section_row spmmi_section_rows[SPMMI_SECTION_ROWS];

/* Returns the row of a section type, or NULL if this version does not know the type. */
const struct spmmi_section_row *spmmi_section_find(uint32_t type);

/* Fills the public description of a section, with struct_size and padding 0. */
void spmmi_section_info(const struct spmmi_entry *entry, spmm_section_info_t *info);

/* The valid raw bytes of a section: a multiple of unit from min to max. min > 0: the section is mandatory.
 * max = 0: it is forbidden; unit may then be 0 too. */
struct spmmi_raw_range {
    uint64_t unit, min, max;
};
struct spmmi_raw_range spmmi_section_raw_range(uint32_t type, const struct spmmi_header *header);

/* Checks that variants, parts, trace, permutation metrics and product need no feature that is missing in
 * `features`. Older readers rely on these bits alone to refuse a file. */
spmm_status_t spmmi_check_features(const spmm_plan_t *plan, uint64_t features, spmm_diag_t *diag);
/* Return the incompat features that a value type, variant,
 * part, trace entry, permutation and sparse product need. */
uint64_t spmmi_dtype_features(spmm_dtype_t dtype);
uint64_t spmmi_variant_features(const spmm_plan_t *plan, const struct spmmi_variant *variant);
uint64_t spmmi_part_features(const struct spmmi_part *part, spmm_dtype_t dtype);
uint64_t spmmi_trace_features(const struct spmmi_trace *trace);
uint64_t spmmi_permutation_features(spmm_reorder_t permutation);
uint64_t spmmi_product_features(const struct spmmi_spgemm *product); /* NULL: no product, 0 */
/* Returns the format_minor to write:
 * the oldest version, from 1.5 on, that has these features and metadata. */
uint16_t spmmi_plan_minor(uint64_t features, bool has_metadata);

#endif
