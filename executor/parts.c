/* SPDX-License-Identifier: Apache-2.0 */
/* See parts.h. */
#include "parts.h"

#include <spmm/executor.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/digest.h"
#include "format/base/team.h"
#include "format/family.h"
#include "pack/op_pattern.h"
#include "pack/pack_threads.h"

/* Upper bound of what rounding up to cache lines adds to the arrays of a part on the CPU, and of the host
 * memory of the state of a part on a GPU. The same bound is used for a shared object. */
#define PART_BYTES 4096u

#define HASH_PIECES 64

uint64_t spmmi_parts_bytes(const spmm_plan_t *plan)
{
    return sizeof(struct spmmi_parts) + plan->variant_count * sizeof(struct spmmi_loaded);
}

struct spmmi_parts *spmmi_parts_new(const spmm_plan_t *plan)
{
    return spmmi_alloc_zero(1, (size_t)spmmi_parts_bytes(plan));
}

void spmmi_parts_destroy(struct spmmi_parts *parts)
{
    if (parts == NULL)
        return;
    for (uint32_t i = 0; i < parts->count; i++)
        if (parts->list[i].state != NULL)
            parts->list[i].backend->destroy(parts->list[i].state);
    for (uint32_t i = 0; i < parts->shared_count; i++)
        if (parts->shared[i].object != NULL)
            parts->shared[i].kind->destroy(parts->shared[i].object);
    spmmi_free(parts);
}

void spmmi_parts_add(struct spmmi_parts *parts, uint32_t variant, const struct spmmi_part *part,
                     uint32_t index, const struct spmmi_backend *backend)
{
    uint32_t i = 0;
    while (i < parts->count &&
           !(parts->list[i].index == index && parts->list[i].part.op == part->op &&
             parts->list[i].backend == backend && parts->list[i].part.schedule == part->schedule))
        i++;
    if (i == parts->count)
        parts->list[parts->count++] =
            (struct spmmi_loaded){.part = *part, .index = index, .backend = backend};
    parts->of_variant[variant] = i;
}

static spmm_status_t load_one(const struct spmmi_part_source *source, struct spmmi_loaded *loaded,
                              uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_backend *backend = loaded->backend;
    if (backend->supports != NULL)
        SPMM_TRY(backend->supports(source, diag));
    SPMM_TRY(backend->create(source, &loaded->state, bytes, diag));
cleanup:
    return status;
}

static struct spmmi_part_source source_of(struct spmmi_parts *parts, uint32_t index, const spmm_plan_t *plan,
                                          const struct spmmi_device *device, const char *suffix)
{
    const struct spmmi_loaded *loaded = &parts->list[index];
    const int is_made = loaded->index == SPMMI_PART_MADE;
    return (struct spmmi_part_source){
        .plan = plan,
        .part = &loaded->part,
        .long_rows = is_made ? NULL : spmmi_long_rows_of(plan, loaded->index),
        .is_made = is_made,
        .suffix = suffix,
        .device = device,
        .backend = loaded->backend,
        .parts = parts,
        .reads_values = &parts->reads_values,
        .n_max = parts->n_max,
    };
}

/* Drops the pointers to items: the plan may be destroyed after create. */
static void items_forget(struct spmmi_parts *parts)
{
    for (uint32_t i = 0; i < parts->count; i++)
        parts->list[i].part.items = NULL;
}

spmm_status_t spmmi_parts_load(struct spmmi_parts *parts, const spmm_plan_t *plan,
                               const struct spmmi_device *device, const char *suffix,
                               struct spmmi_uploads *waiting, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t scratch = 0;
    struct spmmi_value_bytes for_values = {0, 0};
    for (uint32_t i = 0; i < parts->count && status == SPMM_OK; i++) {
        struct spmmi_part_source source = source_of(parts, i, plan, device, suffix);
        source.waiting = waiting;
        source.scratch = &scratch;
        source.for_values = &for_values;
        status = load_one(&source, &parts->list[i], bytes, diag);
    }
    items_forget(parts);
    return status;
}

/* Counts one part. If its transposition alone exceeds a budget, the part is not counted, since counting would
 * take that memory too. *scratch is the maximum temporary host memory of a part so far. */
static spmm_status_t count_one(struct spmmi_part_source *source, struct spmmi_loaded *loaded,
                               struct spmmi_needs *needs, uint64_t *scratch, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t own = spmmi_transposition_bytes(source->plan, source->part->op), held = 0;
    spmmi_needs_part(needs, source->part, own);
    SPMM_TRY(spmmi_needs_check(needs, own, diag));
    own = 0;
    source->scratch = &own;
    source->for_values = &needs->for_values;
    SPMM_TRY(load_one(source, loaded, &held, diag));
    *(source->device->number == SPMM_DEVICE_CPU ? &needs->host : &needs->device) += held;
    *scratch = own > *scratch ? own : *scratch;
    spmmi_needs_part(needs, source->part, held + own);
    SPMM_TRY(spmmi_needs_check(needs, *scratch, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_parts_count(struct spmmi_parts *parts, const spmm_plan_t *plan,
                                const struct spmmi_device *device, const char *suffix,
                                struct spmmi_needs *needs, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t scratch = 0;
    for (uint32_t i = 0; i < parts->count && status == SPMM_OK; i++) {
        struct spmmi_part_source source = source_of(parts, i, plan, device, suffix);
        source.only_counts = 1;
        status = count_one(&source, &parts->list[i], needs, &scratch, diag);
    }
    needs->host += scratch + PART_BYTES * (1 + (uint64_t)parts->count + parts->shared_count);
    items_forget(parts);
    return status;
}

const struct spmmi_part *spmmi_parts_next(const struct spmmi_part_source *source,
                                          const struct spmmi_part *part)
{
    const struct spmmi_parts *parts = source->parts;
    int is_past = part == NULL;
    for (uint32_t i = 0; i < parts->count; i++) {
        if (is_past && parts->list[i].backend == source->backend)
            return &parts->list[i].part;
        is_past |= &parts->list[i].part == part;
    }
    return NULL;
}

spmm_status_t spmmi_shared_use(const struct spmmi_part_source *source, const struct spmmi_shared_kind *kind,
                               spmm_op_t op, void **object, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_parts *parts = source->parts;
    uint32_t i = 0;
    *object = NULL;
    while (i < parts->shared_count && !(parts->shared[i].kind == kind && parts->shared[i].op == op))
        i++;
    if (i == parts->shared_count) {
        SPMM_REQUIRE(i < SPMMI_SHARED_MAX, SPMM_ERR_INTERNAL, diag, "parts share more than %d objects",
                     SPMMI_SHARED_MAX);
        parts->shared[parts->shared_count++] = (struct spmmi_shared){kind, op, NULL};
        SPMM_TRY(kind->create(source, &parts->shared[i].object, bytes, diag));
    }
    *object = parts->shared[i].object;
cleanup:
    return status;
}

spmm_status_t spmmi_parts_set_values(struct spmmi_parts *parts, const void *values, void *stream)
{
    spmm_status_t status = SPMM_OK;
    for (uint32_t i = 0; i < parts->shared_count && status == SPMM_OK; i++)
        if (parts->shared[i].kind->set_values != NULL)
            status = parts->shared[i].kind->set_values(parts->shared[i].object, values, stream);
    for (uint32_t i = 0; i < parts->count && status == SPMM_OK; i++)
        if (parts->list[i].backend->set_values != NULL)
            status = parts->list[i].backend->set_values(parts->list[i].state, values, stream);
    return status;
}

static int takes(const struct spmmi_loaded *loaded, const struct spmmi_product *product)
{
    return spmmi_family_takes(spmmi_family_of(loaded->part.family), product->a_type, product->b.type,
                              product->c.type);
}

const struct spmmi_loaded *spmmi_parts_for(const struct spmmi_parts *parts, int variant,
                                           const struct spmmi_product *product)
{
    const struct spmmi_loaded *own = spmmi_parts_of(parts, variant);
    if (product->b.type == product->a_type && product->c.type == product->a_type)
        return own;
    if (takes(own, product))
        return own;
    for (uint32_t i = 0; i < parts->count; i++) {
        const struct spmmi_part *part = &parts->list[i].part;
        if (part->op == own->part.op && takes(&parts->list[i], product) &&
            ((part->flags | own->part.flags) & SPMMI_PART_PERMUTES_OUTPUT) == 0)
            return &parts->list[i];
    }
    return NULL;
}

static uint64_t chain(uint64_t hash, const void *bytes, uint64_t size)
{
    const uint64_t pair[] = {hash, spmmi_hash64(bytes, size)};
    return spmmi_hash64(pair, sizeof pair);
}

/* Hashes the items of a part in pieces, so that several threads can share the work. */
static uint64_t items_hash(const struct spmmi_part *part)
{
    const uint64_t bytes = part->item_count * sizeof *part->items;
    uint64_t of_piece[HASH_PIECES];
    if (bytes == 0)
        return 0;
#pragma omp parallel for schedule(static) num_threads(spmmi_team(spmmi_pack_threads(bytes)))
    for (uint64_t k = 0; k < HASH_PIECES; k++) {
        const uint64_t begin = part->item_count * k / HASH_PIECES;
        const uint64_t end = part->item_count * (k + 1) / HASH_PIECES;
        of_piece[k] = spmmi_hash64(part->items + begin, (end - begin) * sizeof *part->items);
    }
    return spmmi_hash64(of_piece, sizeof of_piece);
}

uint64_t spmmi_parts_hash(const spmm_plan_t *plan)
{
    uint64_t hash = chain(plan->part_count, plan->variants, plan->variant_count * sizeof *plan->variants);
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const struct spmmi_part *const p = &plan->parts[i];
        const uint64_t head[] = {p->op,         p->family,     p->schedule,    p->item_size,
                                 p->item_count, p->block_rows, p->stage_slots, p->flags};
        hash = chain(hash, head, sizeof head);
        const uint64_t items = items_hash(p);
        hash = chain(hash, &items, sizeof items);
    }
    return hash;
}
