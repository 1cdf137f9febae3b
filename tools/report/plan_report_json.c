/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_report.h: the JSON output. The names of members are part of the interface. */
#include "plan_report.h"

void plan_json_identity(struct json *j, const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    double value = 0;
    json_text(j, "source", info->source);
    json_text(j, "writer", info->writer);
    json_int(j, "rows", info->rows);
    json_int(j, "cols", info->cols);
    json_int(j, "nnz", info->nnz);
    json_text(j, "dtype", spmm_dtype_name(info->a_type));
    json_bool(j, "has_values", info->has_values);
    json_hex(j, "pattern_digest", info->pattern_digest, sizeof info->pattern_digest);
    if (info->has_values)
        json_hex(j, "values_digest", info->values_digest, sizeof info->values_digest);
    else
        json_null(j, "values_digest");
    if (plan_has_equal_values(plan, &value))
        json_double(j, "equal_value", value);
    else
        json_null(j, "equal_value");
    json_uint(j, "csr_bytes", info->csr_bytes);
}

void plan_json_metadata(struct json *j, const spmm_plan_t *plan)
{
    spmm_metadata_t pair;
    json_object(j, "metadata");
    for (int i = 0; spmm_plan_metadata(plan, i, &pair) == SPMM_OK; i++)
        json_text(j, pair.key, pair.value);
    json_end(j);
}

void plan_json_symmetry(struct json *j, const spmm_plan_t *plan)
{
    spmm_symmetry_t symmetry = SPMM_SYMMETRY_GENERAL;
    if (spmm_plan_symmetry(plan, &symmetry, NULL) == SPMM_OK)
        json_text(j, "symmetry", spmm_symmetry_name(symmetry));
}

void plan_json_symmetric(struct json *j, const spmm_plan_t *plan, bool all)
{
    const uint32_t *permutation = NULL;
    int64_t count = 0;
    if (spmm_plan_symmetric_permutation(plan, &permutation, &count) != SPMM_OK)
        return;
    json_bool(j, "symmetric_permutation", permutation != NULL);
    if (!all || permutation == NULL)
        return;
    json_array(j, "symmetric_order");
    for (int64_t i = 0; i < count; i++)
        json_int(j, NULL, permutation[i]);
    json_end(j);
}

void plan_json_statistics(struct json *j, const spmm_plan_info_t *info, const spmm_matrix_stats_t *stats)
{
    json_object(j, "statistics");
    plan_json_matrix_metrics(j, info, stats);
    json_array(j, "row_histogram");
    for (int bin = 0; bin < SPMM_HISTOGRAM_BINS; bin++)
        json_int(j, NULL, stats->row_histogram[bin]);
    json_end(j);
    json_end(j);
}

static void write_part(struct json *j, const spmm_plan_t *plan, int index)
{
    spmm_part_info_t part = {.struct_size = sizeof part};
    if (spmm_plan_part(plan, index, &part) != SPMM_OK)
        return;
    json_object(j, NULL);
    json_int(j, "part", index);
    json_text(j, "family", spmm_family_name(part.family));
    json_text(j, "schedule", spmm_schedule_name(part.schedule));
    json_int(j, "granule", part.item_size);
    json_int(j, "items", part.items);
    if (part.is_long_rows)
        json_bool(j, "is_peeled", true);
    if (part.block_rows > 0) {
        json_int(j, "panel_rows", part.block_rows);
        if (part.stage_slots > 0)
            json_int(j, "stage_slots", part.stage_slots);
        json_bool(j, "is_reordered", part.is_reordered != 0);
        json_bool(j, "permutes_output", part.permutes_output != 0);
    }
    json_end(j);
}

static void write_stream(struct json *j, const spmm_plan_t *plan, int variant, uint64_t budget)
{
    spmm_stream_info_t s = {.struct_size = sizeof s};
    if (spmm_plan_stream(plan, variant, budget, &s, NULL) != SPMM_OK || s.column_bits == 0) {
        json_null(j, "stream");
        return;
    }
    json_object(j, "stream");
    json_int(j, "column_bits", s.column_bits);
    json_bool(j, "has_uniform_values", s.has_uniform_values);
    json_int(j, "slice_bits", s.slice_bits);
    json_int(j, "slice_run", s.slice_run);
    json_end(j);
}

void plan_json_variants(struct json *j, const spmm_plan_t *plan, const spmm_plan_info_t *info,
                        uint64_t budget)
{
    json_array(j, "variants");
    for (int i = 0; i < info->variant_count; i++) {
        spmm_variant_info_t v = {.struct_size = sizeof v};
        if (spmm_plan_variant(plan, i, &v) != SPMM_OK)
            continue;
        json_object(j, NULL);
        json_text(j, "op", spmm_op_name(v.op));
        json_text(j, "dtype", spmm_dtype_name(v.a_type));
        json_text(j, "compute", spmm_compute_name(v.compute));
        json_array(j, "layouts");
        if ((v.layouts & SPMM_LAYOUTS_ROW_MAJOR) != 0)
            json_text(j, NULL, spmm_layout_name(SPMM_ROW_MAJOR));
        if ((v.layouts & SPMM_LAYOUTS_COL_MAJOR) != 0)
            json_text(j, NULL, spmm_layout_name(SPMM_COL_MAJOR));
        json_end(j);
        json_int(j, "n_min", v.n_min);
        json_int(j, "n_max", v.n_max);
        json_int(j, "target", v.target);
        json_array(j, "parts");
        for (int p = v.part_first; p < v.part_first + v.part_count; p++)
            write_part(j, plan, p);
        json_end(j);
        write_stream(j, plan, i, budget);
        json_end(j);
    }
    json_end(j);
}

void plan_json_trace(struct json *j, const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    json_array(j, "trace");
    for (int i = 0; i < info->trace_count; i++) {
        spmm_trace_info_t t = {.struct_size = sizeof t};
        if (spmm_plan_trace(plan, i, &t) != SPMM_OK)
            continue;
        json_object(j, NULL);
        json_int(j, "variant", t.variant);
        json_text(j, "family", spmm_family_name(t.family));
        json_text(j, "schedule", spmm_schedule_name(t.schedule));
        json_text(j, "compute", spmm_compute_name(t.compute));
        if (t.reorder != SPMM_REORDER_AUTO)
            json_text(j, "order", spmm_reorder_name(t.reorder));
        else
            json_null(j, "order");
        json_bool(j, "chosen", t.chosen);
        json_double(j, "predicted_us", t.predicted_us);
        json_double(j, "measured_us", t.measured_us);
        json_double(j, "figure", t.value);
        json_double(j, "threshold", t.threshold);
        json_text(j, "reason", t.reason);
        json_end(j);
    }
    json_end(j);
}

void plan_json_sections(struct json *j, const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    json_array(j, "sections");
    for (int i = 0; i < info->section_count; i++) {
        spmm_section_info_t s = {.struct_size = sizeof s};
        if (spmm_plan_section(plan, i, &s) != SPMM_OK)
            continue;
        json_object(j, NULL);
        json_int(j, "type", s.type);
        json_text(j, "name", s.name);
        json_uint(j, "offset", s.offset);
        json_uint(j, "stored_bytes", s.stored_bytes);
        json_uint(j, "raw_bytes", s.raw_bytes);
        if (s.part >= 0)
            json_int(j, "part", s.part);
        else
            json_null(j, "part");
        json_end(j);
    }
    json_end(j);
}
