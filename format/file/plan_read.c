/* SPDX-License-Identifier: Apache-2.0 */
/* Steps 6 to 8 of a load: decode every section into its own memory, validate the plan, and return it. */
#include "plan_read.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/log.h"
#include "frames.h"
#include "plan_newer.h"
#include "format/check/plan_check.h"
#include "plan_budget.h"
#include "row_lengths.h"
#include "triangle.h"

struct reader {
    struct spmmi_container container;
    struct spmmi_decoder *decoder;
    int threads;
    uint32_t left; /* number of sections that were left in the file and are not decoded yet */
    spmm_plan_t *plan;
    struct spmmi_triangle triangle; /* the triangle of the file, if any, until it is expanded */
    int waiting_count;
    struct spmmi_span waiting[SPMMI_SECTION_LIMIT]; /* sections to decode together */
    spmm_diag_t *diag;
};

static spmm_status_t decode_waiting(struct reader *r)
{
    const int count = r->waiting_count;
    r->waiting_count = 0;
    return spmmi_frames_decode(r->decoder, &r->container, r->waiting, count, r->diag);
}

/* Queues a section, if it exists, for decoding into elements. Returns MEMORY if elements is NULL. row_ptr and
 * rows are for columns only. */
static spmm_status_t decode_later(struct reader *r, uint32_t type, uint32_t part, uint32_t element_bytes,
                                  void *elements, const int64_t *row_ptr, int64_t rows)
{
    spmm_status_t status = SPMM_OK;
    const int entry = spmmi_container_find(&r->container, type, part);
    SPMM_TRY_ALLOC(elements, r->diag);
    if (entry >= 0 && r->container.left != NULL)
        r->left -= r->container.left->entries[entry];
    if (entry >= 0)
        r->waiting[r->waiting_count++] = (struct spmmi_span){
            type, entry, element_bytes, r->container.entries[entry].raw_bytes, elements, row_ptr, rows};
cleanup:
    return status;
}

static spmm_status_t decode_rows(struct reader *r, uint32_t type, uint32_t part, uint32_t element_bytes,
                                 void *elements, const int64_t *row_ptr, int64_t rows)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(decode_later(r, type, part, element_bytes, elements, row_ptr, rows));
    SPMM_TRY(decode_waiting(r));
cleanup:
    return status;
}

static spmm_status_t decode(struct reader *r, uint32_t type, uint32_t part, uint32_t element_bytes,
                            void *elements)
{
    return decode_rows(r, type, part, element_bytes, elements, NULL, 0);
}

static uint64_t raw_bytes(const struct reader *r, uint32_t type, uint32_t part)
{
    return spmmi_container_raw(&r->container, type, part);
}

/* Decodes a section of records and copies them to structs of stride bytes each. */
static spmm_status_t read_records(struct reader *r, uint32_t type, const struct spmmi_record_type *layout,
                                  void *records, size_t stride)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t bytes = raw_bytes(r, type, SPMMI_NO_PART);
    const int entry = spmmi_container_find(&r->container, type, SPMMI_NO_PART);
    uint8_t *raw = spmmi_alloc(bytes, 1);
    SPMM_TRY(decode(r, type, SPMMI_NO_PART, 1, raw));
    for (uint64_t i = 0; i < bytes / layout->bytes; i++) {
        const uint32_t reserved = spmmi_record_reserved(layout, raw + i * layout->bytes);
        SPMM_REQUIRE_AT(reserved == layout->bytes, spmmi_section_find(type)->violation, r->diag,
                        r->container.entries[entry].offset, "reserved byte %u of record %llu is not zero",
                        reserved, (unsigned long long)i);
        spmmi_record_load(layout, raw + i * layout->bytes, (char *)records + i * stride);
    }
cleanup:
    spmmi_free(raw);
    return status;
}

/* Decodes a text. The maximum of its raw range leaves one byte for the terminating zero. A zero inside the
 * text is refused: it would shorten the text, so that writing the plan again would give a different file. */
static spmm_status_t read_text(struct reader *r, uint32_t type, char *text)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_section_row *row = spmmi_section_find(type);
    SPMM_TRY(decode(r, type, SPMMI_NO_PART, 1, text));
    SPMM_REQUIRE(strlen(text) == raw_bytes(r, type, SPMMI_NO_PART), row->violation, r->diag,
                 "the text of section %s holds a zero byte", row->text);
cleanup:
    return status;
}

static spmm_status_t read_metadata(struct reader *r)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *p = r->plan;
    p->metadata_bytes = raw_bytes(r, SPMMI_SECTION_METADATA, SPMMI_NO_PART);
    if (p->metadata_bytes == 0)
        return SPMM_OK;
    p->metadata = spmmi_alloc(p->metadata_bytes, 1);
    SPMM_TRY(decode(r, SPMMI_SECTION_METADATA, SPMMI_NO_PART, 1, p->metadata));
cleanup:
    return status;
}

static uint32_t record_count(const struct reader *r, uint32_t type, const struct spmmi_record_type *layout)
{
    return (uint32_t)(raw_bytes(r, type, SPMMI_NO_PART) / layout->bytes);
}

/* Reads everything except the large arrays. */
static spmm_status_t read_small(struct reader *r)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *p = r->plan;
    p->variant_count = record_count(r, SPMMI_SECTION_VARIANTS, &spmmi_variant_record);
    p->part_count = record_count(r, SPMMI_SECTION_PARTS, &spmmi_part_record);
    p->trace_count = record_count(r, SPMMI_SECTION_TRACE, &spmmi_trace_record);
    p->permutation_metrics_count =
        record_count(r, SPMMI_SECTION_PERMUTATION_METRICS, &spmmi_permutation_metrics_record);
    p->has_row_block_metrics =
        record_count(r, SPMMI_SECTION_ROW_BLOCK_METRICS, &spmmi_row_block_metrics_record) > 0;
    p->trace = spmmi_alloc_zero(p->trace_count, sizeof *p->trace);
    p->permutation_metrics = spmmi_alloc_zero(p->permutation_metrics_count, sizeof *p->permutation_metrics);
    SPMM_TRY_ALLOC(p->trace, r->diag);
    SPMM_TRY_ALLOC(p->permutation_metrics, r->diag);
    const struct {
        uint32_t type;
        const struct spmmi_record_type *layout;
        void *records;
        size_t stride;
    } lists[] = {
        {SPMMI_SECTION_STATS, &spmmi_stats_record, &p->stats, sizeof p->stats},
        {SPMMI_SECTION_VARIANTS, &spmmi_variant_record, p->variants, sizeof *p->variants},
        {SPMMI_SECTION_PARTS, &spmmi_part_record, p->parts, sizeof *p->parts},
        {SPMMI_SECTION_TRACE, &spmmi_trace_record, p->trace, sizeof *p->trace},
        {SPMMI_SECTION_ROW_BLOCK_METRICS, &spmmi_row_block_metrics_record, &p->row_block_metrics, 0},
        {SPMMI_SECTION_PERMUTATION_METRICS, &spmmi_permutation_metrics_record, p->permutation_metrics,
         sizeof *p->permutation_metrics},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        SPMM_TRY(read_records(r, lists[i].type, lists[i].layout, lists[i].records, lists[i].stride));
    if (raw_bytes(r, SPMMI_SECTION_PRODUCT, SPMMI_NO_PART) > 0) {
        SPMM_TRY_ALLOC(p->product = spmmi_alloc_zero(1, sizeof *p->product), r->diag);
        SPMM_TRY(read_records(r, SPMMI_SECTION_PRODUCT, &spmmi_spgemm_record, p->product, 0));
        SPMM_TRY(spmmi_check_spgemm_head(p, r->diag));
    }
    SPMM_TRY(read_text(r, SPMMI_SECTION_META, p->source));
    SPMM_TRY(read_text(r, SPMMI_SECTION_WRITER, p->writer));
    SPMM_TRY(read_metadata(r));
    SPMM_TRY(spmmi_check_features(p, r->container.header.features_incompat, r->diag));
cleanup:
    return status;
}

static spmm_status_t read_rows(struct reader *r, uint32_t type, uint32_t part, int64_t rows,
                               int64_t **row_ptr_out)
{
    spmm_status_t status = SPMM_OK;
    int64_t *const row_ptr = *row_ptr_out = spmmi_alloc((uint64_t)rows + 1, sizeof *row_ptr);
    SPMM_TRY_ALLOC(row_ptr, r->diag);
    SPMM_TRY(decode(r, type, part, sizeof(uint32_t), spmmi_row_lengths(row_ptr, rows)));
    spmmi_row_lengths_add(r->threads, row_ptr, rows);
cleanup:
    return status;
}

/* Checks that the sections of the operands have the sizes in the section product. */
static spmm_status_t check_operand_sizes(const struct reader *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm *g = r->plan->product;
    const uint32_t count = g != NULL ? spmmi_spgemm_matrices(g) : 0;
    for (uint32_t m = 0; m < SPMMI_SPGEMM_MATRICES; m++) {
        const uint64_t rows = m < count ? (uint64_t)g->matrices[m].rows : 0,
                       nnz = m < count ? (uint64_t)g->matrices[m].nnz : 0;
        SPMM_RULE(raw_bytes(r, SPMMI_SECTION_OPERAND_ROWS, m) == rows * sizeof(uint32_t) &&
                      raw_bytes(r, SPMMI_SECTION_OPERAND_COLS, m) == nnz * sizeof(int32_t),
                  PRODUCT, 0, "sections of matrix %u do not fit its %llu rows and %llu entries", m,
                  (unsigned long long)rows, (unsigned long long)nnz);
    }
cleanup:
    return status;
}

static spmm_status_t read_operands(struct reader *r)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm *g = r->plan->product;
    for (uint32_t m = 0; g != NULL && m < spmmi_spgemm_matrices(g); m++) {
        struct spmmi_spgemm_matrix *a = &g->matrices[m];
        SPMM_TRY(read_rows(r, SPMMI_SECTION_OPERAND_ROWS, m, a->rows, &a->row_ptr));
        SPMM_TRY(spmmi_check_spgemm_rows(a, m, r->diag));
        a->col_ind = spmmi_alloc((uint64_t)a->nnz, sizeof *a->col_ind);
        SPMM_TRY(decode_rows(r, SPMMI_SECTION_OPERAND_COLS, m, sizeof *a->col_ind, a->col_ind, a->row_ptr,
                             a->rows));
    }
cleanup:
    return status;
}

static spmm_status_t read_pattern(struct reader *r)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *p = r->plan;
    SPMM_TRY(read_rows(r, SPMMI_SECTION_ROW_LENGTHS, SPMMI_NO_PART, p->rows, &p->row_ptr));
    SPMM_TRY(spmmi_check_row_ptr(r->threads, p, r->diag));
    p->col_ind = spmmi_alloc((uint64_t)p->nnz, sizeof *p->col_ind);
    SPMM_TRY(decode_rows(r, SPMMI_SECTION_COL_IND, SPMMI_NO_PART, sizeof *p->col_ind, p->col_ind, p->row_ptr,
                         p->rows));
cleanup:
    return status;
}

/* Reads a triangle and expands it to the pattern and, if they are mirrored, the values. */
static spmm_status_t read_triangle(struct reader *r)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_triangle *t = &r->triangle;
    const uint32_t flags = r->container.header.flags;
    t->rows = r->plan->rows;
    t->nnz = (int64_t)(raw_bytes(r, SPMMI_SECTION_COL_IND, SPMMI_NO_PART) / sizeof *t->col_ind);
    t->value_bytes = (uint32_t)spmm_dtype_size(r->plan->dtype);
    t->is_skew = (flags & SPMMI_FLAG_SKEW) != 0;
    SPMM_TRY(read_rows(r, SPMMI_SECTION_ROW_LENGTHS, SPMMI_NO_PART, t->rows, &t->row_ptr));
    SPMM_TRY(spmmi_triangle_check_rows(t, r->diag));
    t->col_ind = spmmi_alloc((uint64_t)t->nnz, sizeof *t->col_ind);
    SPMM_TRY(decode_rows(r, SPMMI_SECTION_COL_IND, SPMMI_NO_PART, sizeof *t->col_ind, t->col_ind, t->row_ptr,
                         t->rows));
    SPMM_TRY(spmmi_triangle_check(r->threads, t, r->plan->nnz, r->diag));
    if ((flags & SPMMI_FLAG_MIRRORED) != 0) {
        t->values = spmmi_alloc((uint64_t)t->nnz, t->value_bytes);
        SPMM_TRY(decode(r, SPMMI_SECTION_VALUES, SPMMI_NO_PART, t->value_bytes, t->values));
    }
    SPMM_TRY(spmmi_triangle_expand(r->threads, t, r->plan, r->diag));
cleanup:
    spmmi_triangle_free(t);
    return status;
}

/* Queues the arrays that can be decoded without the pattern. */
static spmm_status_t read_others_later(struct reader *r)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *p = r->plan;
    const uint32_t value_bytes = (uint32_t)spmm_dtype_size(p->dtype), flags = r->container.header.flags;
    if ((flags & SPMMI_FLAG_VALUES) != 0 && (flags & SPMMI_FLAG_MIRRORED) == 0) {
        p->values = spmmi_alloc((uint64_t)p->nnz, value_bytes);
        SPMM_TRY(decode_later(r, SPMMI_SECTION_VALUES, SPMMI_NO_PART, value_bytes, p->values, NULL, 0));
    }
    for (uint32_t i = 0; i < p->part_count; i++) {
        struct spmmi_part *part = &p->parts[i];
        part->item_count = raw_bytes(r, SPMMI_SECTION_ITEMS, i) / sizeof *part->items;
        part->items = spmmi_alloc(part->item_count, sizeof *part->items);
        SPMM_TRY(decode_later(r, SPMMI_SECTION_ITEMS, i, sizeof *part->items, part->items, NULL, 0));
    }
    if (raw_bytes(r, SPMMI_SECTION_SYMMETRIC_PERMUTATION, SPMMI_NO_PART) > 0) {
        p->symmetric_permutation = spmmi_alloc((uint64_t)p->rows, sizeof *p->symmetric_permutation);
        SPMM_TRY(decode_later(r, SPMMI_SECTION_SYMMETRIC_PERMUTATION, SPMMI_NO_PART,
                              sizeof *p->symmetric_permutation, p->symmetric_permutation, NULL, 0));
    }
cleanup:
    return status;
}

/* If sections are left in the file, other arrays are decoded together with the few frames of the row lengths.
 * The order of failures does not matter then: a failed load is repeated, and the second load reports them. */
static spmm_status_t read_matrix(struct reader *r)
{
    spmm_status_t status = SPMM_OK;
    const int are_first = r->container.left != NULL;
    if (are_first)
        SPMM_TRY(read_others_later(r));
    SPMM_TRY((r->container.header.flags & SPMMI_FLAG_TRIANGLE) != 0 ? read_triangle(r) : read_pattern(r));
    if (!are_first)
        SPMM_TRY(read_others_later(r));
    SPMM_TRY(decode_waiting(r));
    SPMM_TRY(read_operands(r));
cleanup:
    return status;
}

static spmm_status_t read_header(struct reader *r)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_header *h = &r->container.header;
    r->plan = spmmi_plan_new();
    SPMM_TRY_ALLOC(r->plan, r->diag);
    spmm_plan_t *p = r->plan;
    p->rows = (int64_t)h->rows;
    p->cols = (int64_t)h->cols;
    p->nnz = (int64_t)h->nnz;
    p->dtype = (spmm_dtype_t)h->dtype;
    p->file_bytes = h->file_bytes;
    p->format_major = h->format_major;
    p->format_minor = h->format_minor;
    p->features_exec = h->features_exec;
    memcpy(p->pattern_digest, h->pattern_digest, sizeof p->pattern_digest);
    memcpy(p->values_digest, h->values_digest, sizeof p->values_digest);
    p->sections = spmmi_alloc_zero(h->section_count, sizeof *p->sections);
    SPMM_TRY_ALLOC(p->sections, r->diag);
    p->section_count = h->section_count;
    for (uint32_t i = 0; i < h->section_count; i++)
        spmmi_section_info(&r->container.entries[i], &p->sections[i]);
cleanup:
    return status;
}

/* Returns the raw bytes of all sections, also of unknown ones, which SPMMI_BOMB_RATIO limits. */
static uint64_t raw_total(const struct spmmi_container *c)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < c->header.section_count; i++)
        bytes += c->entries[i].raw_bytes;
    return bytes;
}

/* Replaces the offset of a violation by the file offset of its section. The checks, which also serve plans
 * without a file, report rows and entries there; their messages keep them. A missing section is reported at
 * the section table. */
static void report_in_file(const struct reader *r, spmm_status_t status)
{
    if (r->diag == NULL || status == SPMM_OK)
        return;
    for (int i = 0; i < SPMMI_SECTION_ROWS; i++) {
        const struct spmmi_section_row *row = &spmmi_section_rows[i];
        const uint32_t part = row->is_per_part ? (uint32_t)r->diag->offset : SPMMI_NO_PART;
        if (row->violation != status)
            continue;
        const int entry = spmmi_container_find(&r->container, row->type, part);
        r->diag->offset = entry >= 0 ? r->container.entries[entry].offset : SPMMI_HEADER_BYTES;
    }
    if (status == SPMM_ERR_PLAN_DIGEST)
        r->diag->offset = SPMMI_AT_pattern_digest;
}

/* Logs the load, and unknown sections. They are optional, because unknown required ones have been refused. */
static void log_load(const struct spmmi_load *load, const spmm_plan_t *plan)
{
    for (uint32_t i = 0; i < plan->section_count; i++)
        if (spmmi_section_find(plan->sections[i].type) == NULL)
            spmmi_log(SPMM_LOG_WARNING,
                      "%s: section type %u of %llu bytes is unknown to this library and not used", load->name,
                      plan->sections[i].type, (unsigned long long)plan->sections[i].stored_bytes);
    spmmi_log(SPMM_LOG_INFO, "%s: loaded, format %u.%u, %llu bytes, %lld x %lld, %lld nonzeros, %s",
              load->name, plan->format_major, plan->format_minor, (unsigned long long)plan->file_bytes,
              (long long)plan->rows, (long long)plan->cols, (long long)plan->nnz,
              spmm_dtype_name(plan->dtype));
}

spmm_status_t spmmi_plan_decode(const uint8_t *bytes, uint64_t size, const struct spmmi_load *load,
                                spmm_plan_t **plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct reader r = {.plan = NULL, .decoder = NULL, .diag = diag};
    SPMM_TRY(spmmi_container_open(bytes, size, &r.container, diag));
    r.container.left = load->left;
    for (uint32_t i = 0; load->left != NULL && i < r.container.header.section_count; i++)
        r.left += load->left->entries[i];
    const uint64_t budget = load->budget_bytes != 0 ? load->budget_bytes : spmmi_budget_default(size);
    int threads = spmmi_threads(load->threads, raw_total(&r.container));
    SPMM_TRY(spmmi_budget_check(&r.container, NULL, load->held_bytes, budget, &threads, diag));
    SPMM_TRY(spmmi_container_frames(&r.container, threads, diag));
    SPMM_TRY(read_header(&r));
    SPMM_TRY_ALLOC(r.decoder = spmmi_decoder_new(1), diag);
    SPMM_TRY(read_small(&r));
    SPMM_TRY(check_operand_sizes(&r, diag));
    SPMM_TRY(spmmi_budget_check(&r.container, r.plan, load->held_bytes, budget, &threads, diag));
    spmmi_decoder_free(r.decoder);
    SPMM_TRY_ALLOC(r.decoder = spmmi_decoder_new(threads), diag);
    r.threads = threads;
    SPMM_TRY(read_matrix(&r));
    SPMM_REQUIRE(r.left == 0, SPMM_ERR_INTERNAL, diag, "%u sections were left in the file", r.left);
    SPMM_TRY(spmmi_plan_check_on(threads, r.plan, diag));
    if (spmmi_log_on(SPMM_LOG_WARNING))
        log_load(load, r.plan);
    *plan = r.plan;
    r.plan = NULL;
cleanup:
    if (load->left == NULL && (status == SPMM_ERR_PLAN_FEATURE || status == SPMM_ERR_PLAN_VERSION))
        spmmi_newer_explain(bytes, size, diag);
    report_in_file(&r, status);
    spmm_plan_destroy(r.plan);
    spmmi_decoder_free(r.decoder);
    spmmi_free(r.container.frames);
    return status;
}
