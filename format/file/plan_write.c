/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes a plan to the bytes of a file. Every byte is written: gaps and reserved fields are zero. */
#include "plan_write.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/digest.h"
#include "file_order.h"
#include "frames.h"
#include "plan_budget.h"
#include "triangle.h"
#include "format/base/options.h"

#define LEVEL_DEFAULT 3
#define LEVEL_MAX 19
#define TEXTS_FIRST_BYTES \
    (UINT64_C(64) << 10) /* minimum raw bytes: old libraries refuse such plans, small files are read whole */

struct writer {
    const spmm_plan_t *plan;
    struct spmmi_header header;
    struct spmmi_entry entries[SPMMI_SECTION_LIMIT];
    struct spmmi_span spans[SPMMI_SECTION_LIMIT];
    struct spmmi_encoder *encoder;
    struct spmmi_triangle triangle; /* if its rows > 0, it is written instead of the pattern */
    void *row_lengths, *stats, *variants, *parts, *trace, *row_block_metrics, *permutation_metrics,
        *product; /* sections in their file form, which differs from the form in memory; owned */
    void *operand_rows[SPMMI_SPGEMM_MATRICES];
    uint8_t *bytes; /* memory for the worst case; owned */
    spmm_diag_t *diag;
};

/* Returns the row pointers of the columns that are written. */
static const int64_t *row_ptr_of(const struct writer *w)
{
    return w->triangle.rows > 0 ? w->triangle.row_ptr : w->plan->row_ptr;
}

/* Adds a section, unless it has no raw bytes. Must be called in ascending order of type and part. */
static void add_section(struct writer *w, uint32_t type, uint32_t part, uint32_t element_bytes,
                        uint64_t raw_bytes, const void *elements)
{
    if (raw_bytes == 0)
        return;
    const uint32_t i = w->header.section_count++;
    const uint32_t flags = spmmi_section_find(type)->is_required ? SPMMI_FLAG_REQUIRED : 0;
    w->spans[i] = (struct spmmi_span){
        type, (int)i, element_bytes, raw_bytes, (void *)(uintptr_t)elements, row_ptr_of(w), w->plan->rows};
    if (type == SPMMI_SECTION_OPERAND_COLS) {
        w->spans[i].row_ptr = w->plan->product->matrices[part].row_ptr;
        w->spans[i].rows = w->plan->product->matrices[part].rows;
    }
    w->entries[i] =
        (struct spmmi_entry){type, flags, part, SPMMI_CODEC_ZSTD, SPMMI_ALIGN_LOG2, 0, 0, raw_bytes, 0};
}

/* Converts count records to their file form in *buffer and adds them as a section. */
static spmm_status_t add_records(struct writer *w, uint32_t type, const struct spmmi_record_type *layout,
                                 const void *records, size_t stride, uint32_t count, void **buffer)
{
    spmm_status_t status = SPMM_OK;
    uint8_t *raw = spmmi_alloc(count, layout->bytes);
    SPMM_TRY_ALLOC(raw, w->diag);
    for (uint32_t i = 0; i < count; i++)
        spmmi_record_store(layout, (const char *)records + i * stride, raw + (uint64_t)i * layout->bytes);
    *buffer = raw;
    add_section(w, type, SPMMI_NO_PART, 1, (uint64_t)count * layout->bytes, raw);
cleanup:
    return status;
}

static spmm_status_t add_row_lengths(struct writer *w, uint32_t type, uint32_t part, int64_t rows,
                                     const int64_t *row_ptr, void **buffer)
{
    spmm_status_t status = SPMM_OK;
    uint32_t *lengths = spmmi_alloc((uint64_t)rows, sizeof *lengths);
    SPMM_TRY_ALLOC(lengths, w->diag);
    for (int64_t i = 0; i < rows; i++)
        lengths[i] = (uint32_t)(row_ptr[i + 1] - row_ptr[i]);
    *buffer = lengths;
    add_section(w, type, part, sizeof *lengths, (uint64_t)rows * sizeof *lengths, lengths);
cleanup:
    return status;
}

static spmm_status_t add_product(struct writer *w)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm *g = w->plan->product;
    if (g == NULL)
        return SPMM_OK;
    SPMM_TRY(add_records(w, SPMMI_SECTION_PRODUCT, &spmmi_spgemm_record, g, 0, 1, &w->product));
    for (uint32_t m = 0; m < spmmi_spgemm_matrices(g); m++)
        SPMM_TRY(add_row_lengths(w, SPMMI_SECTION_OPERAND_ROWS, m, g->matrices[m].rows,
                                 g->matrices[m].row_ptr, &w->operand_rows[m]));
    for (uint32_t m = 0; m < spmmi_spgemm_matrices(g); m++)
        add_section(w, SPMMI_SECTION_OPERAND_COLS, m, sizeof(int32_t),
                    (uint64_t)g->matrices[m].nnz * sizeof(int32_t), g->matrices[m].col_ind);
cleanup:
    return status;
}

/* Adds the sections of the matrix, or of a triangle if that determines the matrix. */
static spmm_status_t add_matrix(struct writer *w)
{
    spmm_status_t status = SPMM_OK;
    const spmm_plan_t *p = w->plan;
    const struct spmmi_triangle *t = &w->triangle;
    const uint32_t value_bytes = (uint32_t)spmm_dtype_size(p->dtype);
    uint32_t *const flags = &w->header.flags;
    SPMM_TRY(spmmi_triangle_of(p, *flags != 0, &w->triangle, w->diag));
    const int is_triangle = t->rows > 0, is_mirrored = t->values != NULL;
    const uint64_t columns = (uint64_t)(is_triangle ? t->nnz : p->nnz);
    const uint64_t values = (*flags & SPMMI_FLAG_VALUES) == 0 ? 0 : (uint64_t)(is_mirrored ? t->nnz : p->nnz);
    *flags |= (is_triangle ? SPMMI_FLAG_TRIANGLE : 0) | (is_mirrored ? SPMMI_FLAG_MIRRORED : 0) |
              (t->is_skew ? SPMMI_FLAG_SKEW : 0);
    SPMM_TRY(add_row_lengths(w, SPMMI_SECTION_ROW_LENGTHS, SPMMI_NO_PART, p->rows, row_ptr_of(w),
                             &w->row_lengths));
    add_section(w, SPMMI_SECTION_COL_IND, SPMMI_NO_PART, sizeof *p->col_ind, columns * sizeof *p->col_ind,
                is_triangle ? t->col_ind : p->col_ind);
    add_section(w, SPMMI_SECTION_VALUES, SPMMI_NO_PART, value_bytes, values * value_bytes,
                is_mirrored ? t->values : p->values);
cleanup:
    return status;
}

static spmm_status_t collect(struct writer *w)
{
    spmm_status_t status = SPMM_OK;
    const spmm_plan_t *p = w->plan;
    SPMM_TRY(add_matrix(w));
    SPMM_TRY(
        add_records(w, SPMMI_SECTION_STATS, &spmmi_stats_record, &p->stats, sizeof p->stats, 1, &w->stats));
    SPMM_TRY(add_records(w, SPMMI_SECTION_VARIANTS, &spmmi_variant_record, p->variants, sizeof p->variants[0],
                         p->variant_count, &w->variants));
    SPMM_TRY(add_records(w, SPMMI_SECTION_PARTS, &spmmi_part_record, p->parts, sizeof p->parts[0],
                         p->part_count, &w->parts));
    SPMM_TRY(add_records(w, SPMMI_SECTION_TRACE, &spmmi_trace_record, p->trace, sizeof p->trace[0],
                         p->trace_count, &w->trace));
    for (uint32_t i = 0; i < p->part_count; i++)
        add_section(w, SPMMI_SECTION_ITEMS, i, sizeof *p->parts[i].items,
                    p->parts[i].item_count * sizeof *p->parts[i].items, p->parts[i].items);
    add_section(w, SPMMI_SECTION_META, SPMMI_NO_PART, 1, strnlen(p->source, sizeof p->source - 1), p->source);
    SPMM_TRY(add_records(w, SPMMI_SECTION_ROW_BLOCK_METRICS, &spmmi_row_block_metrics_record,
                         &p->row_block_metrics, sizeof p->row_block_metrics, p->has_row_block_metrics != 0,
                         &w->row_block_metrics));
    add_section(w, SPMMI_SECTION_SYMMETRIC_PERMUTATION, SPMMI_NO_PART, sizeof *p->symmetric_permutation,
                p->symmetric_permutation == NULL ? 0 : (uint64_t)p->rows * sizeof *p->symmetric_permutation,
                p->symmetric_permutation);
    SPMM_TRY(add_records(w, SPMMI_SECTION_PERMUTATION_METRICS, &spmmi_permutation_metrics_record,
                         p->permutation_metrics, sizeof *p->permutation_metrics, p->permutation_metrics_count,
                         &w->permutation_metrics));
    add_section(w, SPMMI_SECTION_WRITER, SPMMI_NO_PART, 1, strnlen(p->writer, sizeof p->writer - 1),
                p->writer);
    add_section(w, SPMMI_SECTION_METADATA, SPMMI_NO_PART, 1, p->metadata_bytes, p->metadata);
    SPMM_TRY(add_product(w));
cleanup:
    return status;
}

static uint64_t aligned(uint64_t at)
{
    return (at + SPMMI_ALIGN - 1) / SPMMI_ALIGN * SPMMI_ALIGN;
}

static uint64_t raw_total(const struct writer *w)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < w->header.section_count; i++)
        bytes += w->spans[i].raw_bytes;
    return bytes;
}

/* Compresses all sections and writes them after the section table. Adds the features that the frames and the
 * order of sections need to the header. */
static spmm_status_t encode_sections(struct writer *w)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t table_end = SPMMI_HEADER_BYTES + (uint64_t)w->header.section_count * SPMMI_ENTRY_BYTES;
    const bool texts_first = raw_total(w) >= TEXTS_FIRST_BYTES;
    uint64_t end = table_end, room = table_end;
    uint32_t order[SPMMI_SECTION_LIMIT];
    spmmi_file_order(w->entries, w->header.section_count, texts_first, order);
    for (uint32_t n = 0; n < w->header.section_count; n++)
        room = aligned(room) + spmmi_stored_bound(w->spans[order[n]].raw_bytes);
    w->bytes = spmmi_alloc(room, 1);
    SPMM_TRY_ALLOC(w->bytes, w->diag);
    for (uint32_t n = 0; n < w->header.section_count; n++) {
        struct spmmi_entry *e = &w->entries[order[n]];
        e->offset = aligned(end);
        memset(w->bytes + end, 0, e->offset - end);
        SPMM_TRY(spmmi_frames_encode(w->encoder, &w->spans[order[n]], w->bytes + e->offset, &e->stored_bytes,
                                     &e->frames_hash, w->diag));
        w->header.features_incompat |= spmmi_frames_features(w->bytes + e->offset, e->raw_bytes);
        end = e->offset + e->stored_bytes;
    }
    if (order[0] != 0) /* a text is first */
        w->header.features_incompat |= SPMMI_FEATURE_TEXTS_FIRST;
    w->header.file_bytes = end;
cleanup:
    return status;
}

uint64_t spmmi_plan_features(const spmm_plan_t *plan)
{
    uint64_t features = spmmi_dtype_features(plan->dtype);
    for (uint32_t i = 0; i < plan->variant_count; i++)
        features |= spmmi_variant_features(plan, &plan->variants[i]);
    for (uint32_t i = 0; i < plan->part_count; i++)
        features |= spmmi_part_features(&plan->parts[i], plan->dtype);
    for (uint32_t i = 0; i < plan->trace_count; i++)
        features |= spmmi_trace_features(&plan->trace[i]);
    for (uint32_t i = 0; i < plan->permutation_metrics_count; i++)
        features |= spmmi_permutation_features(plan->permutation_metrics[i].kind);
    return features | spmmi_product_features(plan->product);
}

static void write_table_and_header(struct writer *w)
{
    const spmm_plan_t *p = w->plan;
    struct spmmi_header *h = &w->header;
    uint8_t *table = w->bytes + SPMMI_HEADER_BYTES;
    for (uint32_t i = 0; i < h->section_count; i++)
        spmmi_record_store(&spmmi_entry_record, &w->entries[i], table + (uint64_t)i * SPMMI_ENTRY_BYTES);
    memcpy(h->magic, SPMMI_MAGIC, sizeof h->magic);
    h->endian_tag = SPMMI_ENDIAN_TAG;
    h->format_major = SPMMI_FORMAT_MAJOR;
    h->header_bytes = SPMMI_HEADER_BYTES;
    h->entry_bytes = SPMMI_ENTRY_BYTES;
    h->features_incompat |=
        spmmi_plan_features(p) | (h->flags > SPMMI_FLAG_VALUES ? SPMMI_FEATURE_TRIANGLE : 0);
    h->format_minor = spmmi_plan_minor(h->features_incompat, p->metadata != NULL);
    h->features_exec = p->features_exec;
    h->rows = (uint64_t)p->rows;
    h->cols = (uint64_t)p->cols;
    h->nnz = (uint64_t)p->nnz;
    h->dtype = p->dtype;
    memcpy(h->pattern_digest, p->pattern_digest, sizeof h->pattern_digest);
    if ((h->flags & SPMMI_FLAG_VALUES) != 0)
        memcpy(h->values_digest, p->values_digest, sizeof h->values_digest);
    h->table_hash = spmmi_hash64(table, (uint64_t)h->section_count * SPMMI_ENTRY_BYTES);
    spmmi_record_store(&spmmi_header_record, h, w->bytes);
    h->header_hash = spmmi_hash64(w->bytes, SPMMI_HEADER_BYTES - sizeof h->header_hash);
    spmmi_put_u64(w->bytes + SPMMI_HEADER_BYTES - sizeof h->header_hash, h->header_hash);
}

static spmm_status_t options_read(const spmm_save_options_t *given, spmm_save_options_t *options,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *options = (spmm_save_options_t)SPMM_SAVE_OPTIONS_INIT;
    SPMM_TRY(spmmi_options_read(options, sizeof *options, given, "save options", diag));
    SPMM_REQUIRE(options->level >= 0 && options->level <= LEVEL_MAX, SPMM_ERR_ARGUMENT, diag,
                 "level %d, expected 1 to %d", options->level, LEVEL_MAX);
    SPMM_REQUIRE(options->threads >= 0, SPMM_ERR_ARGUMENT, diag, "%d threads", options->threads);
cleanup:
    return status;
}

spmm_status_t spmmi_plan_encode(const spmm_plan_t *plan, const spmm_save_options_t *options, uint8_t **bytes,
                                uint64_t *size, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_save_options_t known;
    struct writer *w = NULL;
    SPMM_TRY(options_read(options, &known, diag));
    w = spmmi_alloc_zero(1, sizeof *w);
    SPMM_TRY_ALLOC(w, diag);
    w->plan = plan;
    w->diag = diag;
    w->header.flags = plan->values != NULL && !known.pattern_only ? SPMMI_FLAG_VALUES : 0;
    SPMM_TRY(collect(w));
    w->encoder = spmmi_encoder_new(spmmi_threads(known.threads, raw_total(w)),
                                   known.level != 0 ? known.level : LEVEL_DEFAULT);
    SPMM_TRY_ALLOC(w->encoder, diag);
    SPMM_TRY(encode_sections(w));
    write_table_and_header(w);
    /* The memory for the worst case is far larger than the
     * file, so the caller gets a copy of the exact size. */
    *bytes = spmmi_alloc(w->header.file_bytes, 1);
    SPMM_TRY_ALLOC(*bytes, diag);
    memcpy(*bytes, w->bytes, w->header.file_bytes);
    *size = w->header.file_bytes;
    spmmi_budget_warn(*bytes, *size, plan);
cleanup:
    if (w != NULL) {
        spmmi_encoder_free(w->encoder);
        spmmi_triangle_free(&w->triangle);
        spmmi_free(w->row_lengths);
        spmmi_free(w->stats);
        spmmi_free(w->variants);
        spmmi_free(w->parts);
        spmmi_free(w->trace);
        spmmi_free(w->row_block_metrics);
        spmmi_free(w->permutation_metrics);
        spmmi_free(w->product);
        for (uint32_t m = 0; m < SPMMI_SPGEMM_MATRICES; m++)
            spmmi_free(w->operand_rows[m]);
        spmmi_free(w->bytes);
        spmmi_free(w);
    }
    return status;
}

spmm_status_t spmm_plan_write(const spmm_plan_t *plan, const spmm_save_options_t *options, void **bytes,
                              size_t *size, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint8_t *file = NULL;
    uint64_t file_bytes = 0;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(bytes != NULL && size != NULL, SPMM_ERR_ARGUMENT, diag, "bytes or size is NULL");
    *bytes = NULL;
    *size = 0;
    SPMM_REQUIRE(plan != NULL, SPMM_ERR_ARGUMENT, diag, "plan is NULL");
    SPMM_TRY(spmmi_plan_encode(plan, options, &file, &file_bytes, diag));
    *bytes = file;
    *size = (size_t)file_bytes;
cleanup:
    return status;
}

void spmm_plan_bytes_free(void *bytes)
{
    spmmi_free(bytes);
}
