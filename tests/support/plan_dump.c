/* SPDX-License-Identifier: Apache-2.0 */
/* See plan_dump.h. tools/dev/plan_reader.py prints the same text, but is based only on
 * docs/plan-format.md. */
#include "plan_dump.h"

#include <inttypes.h>
#include <spmm/product.h>
#include <string.h>

#include "format/file/plan_records.h"

#define RECORD_BYTES_MAX 1024

static uint64_t bits(double number)
{
    uint64_t value = 0;
    memcpy(&value, &number, sizeof value);
    return value;
}

static void dump_digest(const char *name, const uint8_t digest[16], FILE *out)
{
    fprintf(out, "%s ", name);
    for (int i = 0; i < 16; i++)
        fprintf(out, "%02x", digest[i]);
    fprintf(out, "\n");
}

static void dump_stats(const spmm_matrix_stats_t *s, FILE *out)
{
    const int64_t counts[] = {s->row_max,    s->row_min,    s->rows_empty, s->cols_empty, s->col_max,
                              s->band_lower, s->band_upper, s->diagonal,   s->zeros};
    fprintf(out, "stats %016" PRIx64 " %016" PRIx64, bits(s->row_mean), bits(s->row_stddev));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        fprintf(out, " %" PRId64, counts[i]);
    fprintf(out, "\nhistogram");
    for (int i = 0; i < SPMM_HISTOGRAM_BINS; i++)
        fprintf(out, " %" PRId64, s->row_histogram[i]);
    fprintf(out, "\n");
}

/* Prints a record as it is in the file, in words of 8 bytes. */
static void dump_words(const struct spmmi_record_type *type, const void *record, uint32_t first, FILE *out)
{
    uint8_t bytes[RECORD_BYTES_MAX];
    spmmi_record_store(type, record, bytes);
    for (uint32_t at = first; at < type->bytes; at += (uint32_t)sizeof(uint64_t))
        fprintf(out, " %" PRIx64, spmmi_get_u64(bytes + at));
    fprintf(out, "\n");
}

static void dump_row_block_metrics(const spmm_row_block_metrics_t *s, FILE *out)
{
    fprintf(out, "panels");
    dump_words(&spmmi_row_block_metrics_record, s, 0, out);
}

static void dump_permutation_metrics(const spmm_permutation_metrics_t *s, FILE *out)
{
    fprintf(out, "order-stats op %d order %d", (int)s->op, (int)s->kind);
    dump_words(&spmmi_permutation_metrics_record, s, 8, out);
}

static void dump_choices(const spmm_plan_t *p, FILE *out)
{
    for (uint32_t i = 0; i < p->variant_count; i++) {
        const struct spmmi_variant *v = &p->variants[i];
        fprintf(out, "variant op %d compute %d layouts %u target %u n %" PRId64 " %" PRId64 " parts %u %u\n",
                (int)v->op, (int)v->compute, v->layouts, v->target, v->n_min, v->n_max, v->part_first,
                v->part_count);
    }
    for (uint32_t i = 0; i < p->part_count; i++) {
        const struct spmmi_part *part = &p->parts[i];
        fprintf(out, "part op %d family %d schedule %d item_size %u", (int)part->op, (int)part->family,
                (int)part->schedule, part->item_size);
        if (part->stage_slots > 0)
            fprintf(out, " panel %u slots %u flags %u", part->block_rows, part->stage_slots, part->flags);
        else if (part->block_rows > 0)
            fprintf(out, " unit %u flags %u", part->block_rows, part->flags);
        if ((part->flags & SPMMI_PART_LONG_ROWS) != 0)
            fprintf(out, " long_rows");
        fprintf(out, " items");
        for (uint64_t k = 0; k < part->item_count; k++)
            fprintf(out, " %u", part->items[k]);
        fprintf(out, "\n");
    }
    for (uint32_t i = 0; i < p->trace_count; i++) {
        const struct spmmi_trace *t = &p->trace[i];
        fprintf(out, "trace variant %u family %d schedule %d chosen %u reason %u", t->variant, (int)t->family,
                (int)t->schedule, t->chosen, t->reason);
        if (t->compute != 0)
            fprintf(out, " compute %d", (int)t->compute);
        if (t->permutation != 0)
            fprintf(out, " order %d", (int)t->permutation);
        fprintf(out, " values %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n",
                bits(t->predicted_us), bits(t->measured_us), bits(t->value), bits(t->threshold));
    }
}

static void dump_matrix(const spmm_plan_t *p, FILE *out)
{
    const size_t value_bytes = spmm_dtype_size(p->dtype);
    for (int64_t i = 0; i < p->rows; i++) {
        fprintf(out, "row %" PRId64, i);
        for (int64_t q = p->row_ptr[i]; q < p->row_ptr[i + 1]; q++) {
            uint64_t value = 0;
            fprintf(out, " %d", p->col_ind[q]);
            if (p->values == NULL)
                continue;
            memcpy(&value, (const char *)p->values + (size_t)q * value_bytes, value_bytes);
            fprintf(out, ":%0*" PRIx64, (int)(2 * value_bytes), value);
        }
        fprintf(out, "\n");
    }
}

static void dump_product(const spmm_plan_t *p, FILE *out)
{
    const struct spmmi_spgemm *g = p->product;
    fprintf(out, "product factors");
    for (uint32_t f = 0; f < g->factor_count; f++)
        fprintf(out, " %u%c", g->factor_operand[f], g->factor_op[f] == SPMM_OP_T ? 'T' : 'N');
    fprintf(out, " flags %u piece %" PRIu64 " products %" PRIu64 " %" PRIu64 " proved %d\n", g->flags,
            g->piece_products, g->products[0], g->products[1],
            spmm_plan_product_verify(p, NULL, NULL) == SPMM_OK);
    for (uint32_t m = 0; m < spmmi_spgemm_matrices(g); m++) {
        const struct spmmi_spgemm_matrix *a = &g->matrices[m];
        fprintf(out, "matrix %u rows %" PRId64 " cols %" PRId64 " nnz %" PRId64 " ", m, a->rows, a->cols,
                a->nnz);
        dump_digest("pattern", a->digest, out);
        for (int64_t i = 0; i < a->rows; i++) {
            fprintf(out, "matrix-row");
            for (int64_t q = a->row_ptr[i]; q < a->row_ptr[i + 1]; q++)
                fprintf(out, " %d", a->col_ind[q]);
            fprintf(out, "\n");
        }
    }
}

void test_plan_dump(const spmm_plan_t *p, FILE *out)
{
    fprintf(out, "format %u.%u bytes %" PRIu64 " exec %016" PRIx64 "\n", p->format_major, p->format_minor,
            p->file_bytes, p->features_exec);
    fprintf(out, "rows %" PRId64 " cols %" PRId64 " nnz %" PRId64 " dtype %d values %d\n", p->rows, p->cols,
            p->nnz, (int)p->dtype, p->values != NULL);
    dump_digest("pattern", p->pattern_digest, out);
    dump_digest("values", p->values_digest, out);
    fprintf(out, "source \"%s\"\n", p->source);
    if (p->writer[0] != '\0')
        fprintf(out, "writer \"%s\"\n", p->writer);
    spmm_metadata_t pair;
    for (int i = 0; spmm_plan_metadata(p, i, &pair) == SPMM_OK; i++)
        fprintf(out, "metadata %s \"%s\"\n", pair.key, pair.value);
    for (uint32_t i = 0; i < p->section_count; i++) {
        const spmm_section_info_t *s = &p->sections[i];
        fprintf(out, "section %u \"%s\" part %d at %" PRIu64 " stored %" PRIu64 " raw %" PRIu64 "\n", s->type,
                s->name, s->part, s->offset, s->stored_bytes, s->raw_bytes);
    }
    dump_stats(&p->stats, out);
    if (p->has_row_block_metrics)
        dump_row_block_metrics(&p->row_block_metrics, out);
    for (uint32_t i = 0; i < p->permutation_metrics_count; i++)
        dump_permutation_metrics(&p->permutation_metrics[i], out);
    if (p->symmetric_permutation != NULL) {
        fprintf(out, "symmetric-order");
        for (int64_t i = 0; i < p->rows; i++)
            fprintf(out, " %u", p->symmetric_permutation[i]);
        fprintf(out, "\n");
    }
    if (p->product != NULL)
        dump_product(p, out);
    dump_choices(p, out);
    dump_matrix(p, out);
}
