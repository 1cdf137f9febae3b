/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of plan_records.h as data, and the sizes that follow from a header. */
#include "plan_records.h"

#include "format/base/dtype.h"
#include "format/family.h"

#define FIELD(name, at) {at, sizeof((RECORD *)0)->name, offsetof(RECORD, name)},
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define RECORD struct spmmi_header
static const struct spmmi_field header_fields[] = {SPMMI_HEADER_FIELDS(FIELD)};
#undef RECORD
#define RECORD struct spmmi_entry
static const struct spmmi_field entry_fields[] = {SPMMI_ENTRY_FIELDS(FIELD)};
#undef RECORD
#define RECORD spmm_matrix_stats_t
static const struct spmmi_field stats_fields[] = {SPMMI_STATS_FIELDS(FIELD)};
#undef RECORD
#define RECORD spmm_row_block_metrics_t
static const struct spmmi_field row_block_metrics_fields[] = {SPMMI_ROW_BLOCK_METRICS_FIELDS(FIELD)};
#undef RECORD
#define RECORD spmm_permutation_metrics_t
static const struct spmmi_field permutation_metrics_fields[] = {SPMMI_PERMUTATION_METRICS_FIELDS(FIELD)};
#undef RECORD
#define RECORD struct spmmi_variant
static const struct spmmi_field variant_fields[] = {SPMMI_VARIANT_FIELDS(FIELD)};
#undef RECORD
#define RECORD struct spmmi_part
static const struct spmmi_field part_fields[] = {SPMMI_PART_FIELDS(FIELD)};
#undef RECORD
#define RECORD struct spmmi_trace
static const struct spmmi_field trace_fields[] = {SPMMI_TRACE_FIELDS(FIELD)};
#undef RECORD

const struct spmmi_record_type spmmi_header_record = {header_fields, COUNT(header_fields),
                                                      SPMMI_HEADER_BYTES};
const struct spmmi_record_type spmmi_entry_record = {entry_fields, COUNT(entry_fields), SPMMI_ENTRY_BYTES};
const struct spmmi_record_type spmmi_stats_record = {stats_fields, COUNT(stats_fields), 360};
const struct spmmi_record_type spmmi_row_block_metrics_record = {row_block_metrics_fields,
                                                                 COUNT(row_block_metrics_fields), 872};
const struct spmmi_record_type spmmi_permutation_metrics_record = {permutation_metrics_fields,
                                                                   COUNT(permutation_metrics_fields), 208};
const struct spmmi_record_type spmmi_variant_record = {variant_fields, COUNT(variant_fields), 48};
const struct spmmi_record_type spmmi_part_record = {part_fields, COUNT(part_fields), 32};
const struct spmmi_record_type spmmi_trace_record = {trace_fields, COUNT(trace_fields), 64};

static const struct spmmi_section_row section_rows[] = {
#define SPMM_SECTION(name, number, text, required, per_part) {number, text, required, per_part},
#include "section_list.def"
#undef SPMM_SECTION
};

const struct spmmi_section_row *spmmi_section_find(uint32_t type)
{
    for (size_t i = 0; i < COUNT(section_rows); i++) {
        if (section_rows[i].type == type)
            return &section_rows[i];
    }
    return NULL;
}

static struct spmmi_raw_range exactly(uint64_t bytes)
{
    return (struct spmmi_raw_range){1, bytes, bytes};
}

static struct spmmi_raw_range up_to(uint64_t unit, uint64_t count)
{
    return (struct spmmi_raw_range){unit, 0, unit * count};
}

/* A family that no version knows is refused later, whatever the header names. */
static uint64_t family_features(spmm_family_t family)
{
    const struct spmmi_family *const row = spmmi_family_of(family);
    return row != NULL ? row->feature : 0;
}

/* Most items of a part of this schedule: P has `longest` rows at most. */
static uint64_t items_of(const struct spmmi_schedule *row, uint64_t longest, uint64_t nnz)
{
    if (row->items == SPMMI_ITEMS_NONZERO_SPLIT)
        return nnz / row->item_size_min + 1;
    if (row->items == SPMMI_ITEMS_SEGMENTS)
        return longest + nnz < SPMMI_UNIT_MAX ? longest + nnz : SPMMI_UNIT_MAX;
    return longest;
}

/* Of the families whose feature, if they have one, the header names. */
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

/* No product overflows: dimensions are within V1 when this is called. */
struct spmmi_raw_range spmmi_section_raw_range(uint32_t type, const struct spmmi_header *header)
{
    const uint64_t rows = header->rows, cols = header->cols, nnz = header->nnz;
    const uint64_t value_bytes = spmm_dtype_size((spmm_dtype_t)header->dtype);
    switch ((enum spmmi_section_type)type) {
    case SPMMI_SECTION_ROW_LENGTHS:
        return exactly(rows * sizeof(uint32_t));
    case SPMMI_SECTION_COL_IND:
        return exactly(nnz * sizeof(int32_t));
    case SPMMI_SECTION_VALUES:
        return exactly((header->flags & SPMMI_FLAG_VALUES) != 0 ? nnz * value_bytes : 0);
    case SPMMI_SECTION_STATS:
        return exactly(spmmi_stats_record.bytes);
    case SPMMI_SECTION_VARIANTS:
        return up_to(spmmi_variant_record.bytes, SPMMI_VARIANT_MAX);
    case SPMMI_SECTION_PARTS:
        return up_to(spmmi_part_record.bytes, SPMMI_PART_MAX);
    case SPMMI_SECTION_TRACE:
        return up_to(spmmi_trace_record.bytes, SPMMI_TRACE_MAX);
    case SPMMI_SECTION_ITEMS:
        return up_to(sizeof(uint32_t), items_limit(header));
    case SPMMI_SECTION_META:
        return up_to(1, SPMMI_SOURCE_BYTES - 1);
    case SPMMI_SECTION_WRITER:
        return up_to(1, SPMMI_WRITER_BYTES - 1);
    case SPMMI_SECTION_ROW_BLOCK_METRICS:
        return up_to(spmmi_row_block_metrics_record.bytes, 1);
    case SPMMI_SECTION_PERMUTATION_METRICS:
        return up_to(spmmi_permutation_metrics_record.bytes, SPMMI_PERMUTATION_METRICS_MAX);
    case SPMMI_SECTION_SYMMETRIC_PERMUTATION:
        return rows == cols && rows > 0 ? up_to(rows * sizeof(uint32_t), 1) : up_to(1, 0);
    }
    return up_to(1, 0);
}

uint64_t spmmi_dtype_features(spmm_dtype_t dtype)
{
    const struct spmmi_dtype *row = spmmi_dtype_of(dtype);
    return row != NULL ? row->feature : 0;
}

uint64_t spmmi_part_features(const struct spmmi_part *part)
{
    return family_features(part->family) |
           ((part->flags & SPMMI_PART_LONG_ROWS) != 0 ? SPMMI_FEATURE_LONG_ROWS : 0);
}

/* A permutation that no version knows is refused later, as a family is. */
uint64_t spmmi_permutation_features(spmm_reorder_t permutation)
{
    const struct spmmi_permutation *row = spmmi_permutation_of(permutation);
    return row != NULL ? row->feature : 0;
}

uint64_t spmmi_trace_features(const struct spmmi_trace *trace)
{
    uint64_t features = family_features(trace->family) | spmmi_permutation_features(trace->permutation);
    if (trace->reason > SPMMI_REASON_PREDICTED && trace->reason <= SPMMI_REASON_REUSE)
        features |= SPMMI_FEATURE_UNITS;
    const int is_of_search = trace->reason >= SPMMI_REASON_TYPE;
    if ((trace->reason > SPMMI_REASON_REUSE && !is_of_search) || trace->compute != 0 ||
        trace->permutation != 0)
        features |= SPMMI_FEATURE_TCBLOCKS;
    if (trace->reason > SPMMI_REASON_MARGIN && !is_of_search)
        features |= SPMMI_FEATURE_LONG_ROWS;
    if (is_of_search)
        features |= SPMMI_FEATURE_SEARCH;
    return features;
}

uint64_t spmmi_plan_features(const spmm_plan_t *plan)
{
    uint64_t features = spmmi_dtype_features(plan->dtype);
    for (uint32_t i = 0; i < plan->part_count; i++)
        features |= spmmi_part_features(&plan->parts[i]);
    for (uint32_t i = 0; i < plan->trace_count; i++)
        features |= spmmi_trace_features(&plan->trace[i]);
    for (uint32_t i = 0; i < plan->permutation_metrics_count; i++)
        features |= spmmi_permutation_features(plan->permutation_metrics[i].kind);
    return features;
}
