/* SPDX-License-Identifier: Apache-2.0 */
/* See hdf5_file.h: visits the members of a group. The B-tree of a group leads to symbol nodes, whose names
 * are in the local heap of the group. */
#include "format/base/diag.h"
#include "hdf5_file.h"

#define LEVEL_MAX 32
#define NAME_MAX_BYTES 1024u /* MATLAB names have at most 63 bytes */

/* The state of a walk through the tree of a group. */
struct walk {
    struct spmmi_hdf5 *file;
    struct spmmi_hdf5_cursor names;
    spmmi_hdf5_member_fn call;
    void *context;
};

static spmm_status_t read_heap(struct spmmi_hdf5 *file, uint64_t address, struct spmmi_hdf5_cursor *names)
{
    struct spmmi_hdf5_cursor c;
    if (!spmmi_hdf5_at(file, address, 32, &c) || memcmp(c.p, "HEAP", 4) != 0)
        return spmmi_hdf5_expected(file, address, "the names of a group");
    (void)spmmi_hdf5_skip(&c, 8);
    const uint64_t bytes = spmmi_hdf5_take(&c, 8);
    (void)spmmi_hdf5_skip(&c, 8);
    if (!spmmi_hdf5_at(file, spmmi_hdf5_take(&c, 8), bytes, names))
        return spmmi_hdf5_expected(file, address, "the names of a group within the file");
    return SPMM_OK;
}

static spmm_status_t visit_symbol(const struct walk *w, uint64_t node, struct spmmi_hdf5_cursor *c)
{
    enum { SOFT_LINK = 2 };
    const uint64_t offset = spmmi_hdf5_take(c, 8), address = spmmi_hdf5_take(c, 8);
    const uint64_t kind = spmmi_hdf5_take(c, 4);
    (void)spmmi_hdf5_skip(c, 4 + 16);
    const uint64_t room = (uint64_t)(w->names.end - w->names.p), left = offset < room ? room - offset : 0;
    const uint64_t most = left < NAME_MAX_BYTES ? left : NAME_MAX_BYTES;
    if (most == 0 || !spmmi_hdf5_step(w->file) || memchr(w->names.p + offset, '\0', most) == NULL)
        return spmmi_hdf5_expected(w->file, node, "a name within those of the group");
    return kind == SOFT_LINK ? SPMM_OK : w->call(w->file, w->names.p + offset, address, w->context);
}

static spmm_status_t visit_symbols(const struct walk *w, uint64_t address)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_hdf5_cursor c;
    (void)spmmi_hdf5_from(w->file, address, &c);
    const char *signature = spmmi_hdf5_skip(&c, 4);
    if (signature == NULL || memcmp(signature, "SNOD", 4) != 0 || !spmmi_hdf5_step(w->file))
        return spmmi_hdf5_expected(w->file, address, "symbols of a group");
    (void)spmmi_hdf5_skip(&c, 2);
    const uint64_t count = spmmi_hdf5_take(&c, 2);
    if (c.is_cut || (uint64_t)(c.end - c.p) / 40 < count)
        return spmmi_hdf5_expected(w->file, address, "symbols of a group within the file");
    for (uint64_t i = 0; i < count; i++)
        SPMM_TRY(visit_symbol(w, address, &c));
cleanup:
    return status;
}

/* Visits a node of the tree. `level` is an exclusive upper bound of its level. Levels decrease, so no node
 * can lead back to itself. */
static spmm_status_t visit_node(const struct walk *w, uint64_t address, unsigned level)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_hdf5_cursor c;
    (void)spmmi_hdf5_from(w->file, address, &c);
    const char *signature = spmmi_hdf5_skip(&c, 4);
    const uint64_t kind = spmmi_hdf5_take(&c, 1);
    const unsigned own = (unsigned)spmmi_hdf5_take(&c, 1);
    const uint64_t count = spmmi_hdf5_take(&c, 2);
    (void)spmmi_hdf5_skip(&c, 16 + 8); /* siblings and the first key */
    if (signature == NULL || c.is_cut || memcmp(signature, "TREE", 4) != 0 || kind != 0 || own >= level ||
        !spmmi_hdf5_step(w->file) || (uint64_t)(c.end - c.p) / 16 < count)
        return spmmi_hdf5_expected(w->file, address, "a tree of the members of a group");
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t child = spmmi_hdf5_take(&c, 8);
        (void)spmmi_hdf5_skip(&c, 8); /* the next key */
        SPMM_TRY(own > 0 ? visit_node(w, child, own) : visit_symbols(w, child));
    }
cleanup:
    return status;
}

spmm_status_t spmmi_hdf5_members(struct spmmi_hdf5 *file, const struct spmmi_hdf5_object *group,
                                 spmmi_hdf5_member_fn call, void *context)
{
    spmm_status_t status = SPMM_OK;
    struct walk w = {.file = file, .call = call, .context = context};
    if (group->unsupported != NULL || !group->is_group)
        return spmmi_hdf5_expected(
            file, group->address,
            "a group with a symbol table; programs other than MATLAB may write another kind");
    SPMM_TRY(read_heap(file, group->heap, &w.names));
    SPMM_TRY(visit_node(&w, group->tree, LEVEL_MAX));
cleanup:
    return status;
}
