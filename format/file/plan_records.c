/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of plan_records.h as data, the sizes that follow
 * from a header, and the features that content needs. */
#include "plan_records.h"

#include "format/base/dtype.h"
#include "format/family.h"
#include "transform.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define FIELD(record, name, at) {at, sizeof((record *)0)->name, offsetof(record, name)},
#define RECORD(name, FIELDS, record, bytes)                                    \
    static const struct spmmi_field name##_fields[] = {FIELDS(FIELD, record)}; \
    const struct spmmi_record_type spmmi_##name##_record = {name##_fields, COUNT(name##_fields), bytes};

RECORD(header, SPMMI_HEADER_FIELDS, struct spmmi_header, SPMMI_HEADER_BYTES)
RECORD(entry, SPMMI_ENTRY_FIELDS, struct spmmi_entry, SPMMI_ENTRY_BYTES)
RECORD(stats, SPMMI_STATS_FIELDS, spmm_matrix_stats_t, 360)
RECORD(row_block_metrics, SPMMI_ROW_BLOCK_METRICS_FIELDS, spmm_row_block_metrics_t, 872)
RECORD(permutation_metrics, SPMMI_PERMUTATION_METRICS_FIELDS, spmm_permutation_metrics_t, 208)
RECORD(variant, SPMMI_VARIANT_FIELDS, struct spmmi_variant, 48)
RECORD(part, SPMMI_PART_FIELDS, struct spmmi_part, 32)
RECORD(trace, SPMMI_TRACE_FIELDS, struct spmmi_trace, 64)
RECORD(spgemm, SPMMI_SPGEMM_FIELDS, struct spmmi_spgemm, 256)

#define T(name) (1u << SPMMI_TRANSFORM_##name)
const struct spmmi_section_row spmmi_section_rows[SPMMI_SECTION_ROWS] = {
#define SPMM_SECTION(name, number, text, required, per_part, violation, transforms, ...) \
    {number, text, required, per_part, violation, transforms},
#include "section_list.def"
#undef SPMM_SECTION
};

const struct spmmi_section_row *spmmi_section_find(uint32_t type)
{
    for (int i = 0; i < SPMMI_SECTION_ROWS; i++)
        if (spmmi_section_rows[i].type == type)
            return &spmmi_section_rows[i];
    return NULL;
}

/* Returns the feature of a family. An unknown family gives 0; a later check refuses it. */
static uint64_t family_features(spmm_family_t family)
{
    const struct spmmi_family *const row = spmmi_family_of(family);
    return row != NULL ? row->feature : 0;
}

/* Returns the maximum number of items of a part with this schedule.
 * `longest` is the maximum number of rows of op(A). */
static uint64_t items_of(const struct spmmi_schedule *row, uint64_t longest, uint64_t nnz)
{
    if (row->items == SPMMI_ITEMS_NONZERO_SPLIT)
        return nnz / row->item_size_min + 1;
    if (row->items == SPMMI_ITEMS_SEGMENTS)
        return longest + nnz < SPMMI_UNIT_MAX ? longest + nnz : SPMMI_UNIT_MAX;
    return longest;
}

/* Returns the maximum number of items of a part over all families that the features in the header allow. */
static uint64_t items_limit(const struct spmmi_header *header)
{
    const uint64_t longest = header->rows > header->cols ? header->rows : header->cols;
    const struct spmmi_schedule *row;
    uint64_t most = longest;
    for (int i = 0; (row = spmmi_schedule_at(i)) != NULL; i++) {
        const uint64_t items = items_of(row, longest, header->nnz);
        if ((family_features(row->family) & ~header->features_incompat) == 0 && items > most)
            most = items;
    }
    return most;
}

void spmmi_section_info(const struct spmmi_entry *entry, spmm_section_info_t *info)
{
    const struct spmmi_section_row *row = spmmi_section_find(entry->type);
    memset(info, 0, sizeof *info);
    info->type = entry->type;
    info->offset = entry->offset;
    info->stored_bytes = entry->stored_bytes;
    info->raw_bytes = entry->raw_bytes;
    info->part = entry->part == SPMMI_NO_PART ? -1 : (int)entry->part;
    if (row != NULL)
        memcpy(info->name, row->text, strlen(row->text));
}

static uint64_t value_bytes(const struct spmmi_header *h)
{
    return (h->flags & SPMMI_FLAG_VALUES) != 0 ? spmm_dtype_size((spmm_dtype_t)h->dtype) : 0;
}

static uint64_t has_product(const struct spmmi_header *h)
{
    return (h->features_incompat & SPMMI_FEATURE_PRODUCT) != 0;
}

/* Return the minimum and maximum number of entries of a section in the file. Without the flag, it has all nnz
 * entries. With the flag, it has those of a triangle, whose diagonal may be empty or full. */
static uint64_t entries_min(const struct spmmi_header *h, uint32_t flag)
{
    return (h->flags & flag) != 0 ? h->nnz / 2 + h->nnz % 2 : h->nnz;
}

static uint64_t entries_max(const struct spmmi_header *h, uint32_t flag)
{
    const uint64_t half = (h->nnz + h->rows) / 2;
    return (h->flags & flag) != 0 && half < h->nnz ? half : h->nnz;
}

/* No product overflows, because the dimensions have been checked against the limits V1 before. */
struct spmmi_raw_range spmmi_section_raw_range(uint32_t type, const struct spmmi_header *h)
{
    switch (type) {
#define SPMM_SECTION(name, number, text, required, per_part, violation, transforms, unit, least, most) \
    case number:                                                                                       \
        return (struct spmmi_raw_range){unit, (unit) * (uint64_t)(least), (unit) * (uint64_t)(most)};
#include "section_list.def"
#undef SPMM_SECTION
    }
    return (struct spmmi_raw_range){0, 0, 0};
}

uint64_t spmmi_dtype_features(spmm_dtype_t dtype)
{
    const struct spmmi_dtype *row = spmmi_dtype_of(dtype);
    return row != NULL ? row->feature : 0;
}

static uint64_t compute_features(spmm_family_t family, spmm_compute_t compute)
{
    const struct spmmi_family *const row = spmmi_family_of(family);
    const int is_either = row != NULL && row->compute == SPMMI_COMPUTE_EITHER && spmmi_is_tf32(compute);
    return is_either ? SPMMI_FEATURE_EITHER : 0;
}

/* A part_first out of range is ignored here; a later check refuses it. */
uint64_t spmmi_variant_features(const spmm_plan_t *plan, const struct spmmi_variant *variant)
{
    uint64_t features =
        spmmi_dtype_is_narrower(spmmi_variant_type(variant), plan->dtype) ? SPMMI_FEATURE_TYPES : 0;
    if (variant->part_first < plan->part_count)
        features |= compute_features(plan->parts[variant->part_first].family, variant->compute);
    return features;
}

uint64_t spmmi_part_features(const struct spmmi_part *part, spmm_dtype_t dtype)
{
    uint64_t features = family_features(part->family);
    if ((part->flags & SPMMI_PART_LONG_ROWS) != 0)
        features |=
            SPMMI_FEATURE_LONG_ROWS | (spmm_dtype_size(dtype) == 2 ? SPMMI_FEATURE_HALF_LONG_ROWS : 0);
    return features;
}

uint16_t spmmi_plan_minor(uint64_t features, bool has_metadata)
{
    return has_metadata || features >= SPMMI_FEATURES_OF_7 ? SPMMI_FORMAT_MINOR
           : features >= SPMMI_FEATURES_OF_6               ? SPMMI_FORMAT_MINOR - 1
                                                           : SPMMI_FORMAT_MINOR - 2;
}

/* Returns the feature of a permutation. An unknown permutation gives 0; a later check refuses it. */
uint64_t spmmi_permutation_features(spmm_reorder_t permutation)
{
    const struct spmmi_permutation *row = spmmi_permutation_of(permutation);
    return row != NULL ? row->feature : 0;
}

uint64_t spmmi_product_features(const struct spmmi_spgemm *product)
{
    if (product == NULL)
        return 0;
    return SPMMI_FEATURE_PRODUCT |
           ((product->flags & SPMMI_SPGEMM_STRETCHES) != 0 ? SPMMI_FEATURE_STRETCHES : 0);
}

static uint64_t reason_features(uint32_t reason)
{
    if (reason >= SPMMI_REASON_TYPE)
        return SPMMI_FEATURE_SEARCH;
    if (reason > SPMMI_REASON_MARGIN)
        return SPMMI_FEATURE_TCBLOCKS | SPMMI_FEATURE_LONG_ROWS;
    if (reason > SPMMI_REASON_REUSE)
        return SPMMI_FEATURE_TCBLOCKS;
    return reason > SPMMI_REASON_PREDICTED ? SPMMI_FEATURE_UNITS : 0;
}

uint64_t spmmi_trace_features(const struct spmmi_trace *trace)
{
    const int has_block_terms = trace->compute != 0 || trace->permutation != 0;
    return family_features(trace->family) | spmmi_permutation_features(trace->permutation) |
           compute_features(trace->family, trace->compute) | reason_features(trace->reason) |
           (has_block_terms ? SPMMI_FEATURE_TCBLOCKS : 0);
}
