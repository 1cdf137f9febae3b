/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a sparse product on a GPU, and the tables in device memory that they read. Each function
 * enqueues on the stream and returns a cudaError_t.
 *
 * An item is a row of C, a range of the entries of a row, or either of these for one piece of a row that is
 * cut in k. A group of 4, 8, 16 or 32 lanes computes one item. An item has a list of rows of the right
 * factor, or of parts of them, each of which is multiplied by an entry of the left factor; and for each
 * product the position of its sum among the entries of the item. An item with few entries may instead have a
 * mask of one byte per list entry, which says for which entries of the item that list entry has products. */
#ifndef SPMMI_SPGEMM_LAUNCH_H
#define SPMMI_SPGEMM_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPMMI_SPGEMM_THREADS 128
/* Sums per lane in shared memory. Memory for 32 would let fewer warps run on a multiprocessor: up to 29 %
 * slower. */
#define SPMMI_SPGEMM_LANE_SUMS 16
#define SPMMI_SPGEMM_ITEM_ENTRIES (32 * SPMMI_SPGEMM_LANE_SUMS)
#define SPMMI_SPGEMM_FEW_ENTRIES 32 /* maximum entries of an item with one sum per lane */
#define SPMMI_SPGEMM_NARROW 256     /* maximum entries of an item with positions of 1 byte; else 2 */
/* A position of 2 bytes of a flat item consists of the place of its sum, and of its turn: the number of
 * products with the same place that the warp adds before it, among the 32 products side by side. */
#define SPMMI_SPGEMM_PLACE(position) ((position) % SPMMI_SPGEMM_ITEM_ENTRIES)
#define SPMMI_SPGEMM_TURN(position) ((position) / SPMMI_SPGEMM_ITEM_ENTRIES)
#define SPMMI_SPGEMM_POSITION_OF(place, turn) ((place) + (turn)*SPMMI_SPGEMM_ITEM_ENTRIES)
/* Maximum entries of an item with masks instead of positions. With 16 lanes, rows of 13 entries of lattices
 * took 1.1 times as long as by pulls; with 32 lanes, rows of 25 entries took 1.7 times as long as by
 * positions (one H200). */
#define SPMMI_SPGEMM_MASKED 8
#define SPMMI_SPGEMM_COUNT_BITS 10
#define SPMMI_SPGEMM_LIST_MAX ((1u << (32 - SPMMI_SPGEMM_COUNT_BITS)) - 1)
/* Unpack the counts of an item. */
#define SPMMI_SPGEMM_ENTRIES(counts) ((counts) & ((1u << SPMMI_SPGEMM_COUNT_BITS) - 1))
#define SPMMI_SPGEMM_LIST_LENGTH(counts) ((counts) >> SPMMI_SPGEMM_COUNT_BITS)
#define SPMMI_SPGEMM_POSITION_UNIT 4u /* bytes; each stream of positions begins at a multiple of it */
/* A block of the join adds the pieces of this many entries, minimum and maximum; its shared memory holds
 * JOIN_ROOM partial sums. */
#define SPMMI_SPGEMM_JOIN_ENTRIES_MIN 4 /* 32 bytes of f64 */
#define SPMMI_SPGEMM_JOIN_ENTRIES 256
#define SPMMI_SPGEMM_JOIN_ROOM 4096
#define SPMMI_SPGEMM_BINS 44
#define SPMMI_SPGEMM_MASK_BINS 2 /* for 4 and 8 lanes */

/* Maximum number of rows of C with one pattern that an item of a group computes together, and of rows of the
 * right factor with one pattern that it multiplies at a time. Systems with several unknowns per node have
 * such rows. */
#define SPMMI_SPGEMM_GROUP 3
#define SPMMI_SPGEMM_GROUP_BINS 4 /* two or three rows, each with positions of 1 or 2 bytes */

struct spmmi_spgemm_item {
    uint32_t list;     /* index of the first row of its list */
    uint32_t out;      /* its first entry of C, or of the partial sums */
    uint32_t position; /* where its positions begin, in units of SPMMI_SPGEMM_POSITION_UNIT */
    uint32_t counts;   /* entries; above SPMMI_SPGEMM_COUNT_BITS bits, the length of the list */
};

/* A row of the right factor, or a part of one: SPMMI_SPGEMM_ENTRIES(counts) entries from `start` on. In a list
 * of an item's own, SPMMI_SPGEMM_LEFT(counts) says which entry of the left factor multiplies it: see lefts of
 * spmmi_spgemm_tables. Items have at most SPMMI_SPGEMM_ITEM_ENTRIES entries, so their rows fit. */
struct spmmi_spgemm_row {
    uint32_t start, counts;
};
#define SPMMI_SPGEMM_LEFT(counts) ((counts) >> SPMMI_SPGEMM_COUNT_BITS)
#define SPMMI_SPGEMM_LEFT_RANGE (1u << (32 - SPMMI_SPGEMM_COUNT_BITS))

/* A pull: at most SPMMI_SPGEMM_PULL products, which are all products of some neighbouring entries of C. A
 * warp brings them to shared memory, where each entry takes its own. Or a pull is a single entry with up to
 * 2^18 products. Its stream consists of words of 4 bytes:
 *   several entries: for each 32 products a word whose bits mark where a run begins, that is the products of
 *   one entry of the left factor; as many words whose bits mark where each entry begins, with the products in
 *   the order of entries
 *   unless `bits` is 0: a word for each run; with one entry, each product is a run
 *   a row that the plan cuts: the number of pieces of the row; a bit for each run, set if the run belongs to
 *   another piece than the run before it
 *   several entries: a byte for each product, in the order of entries, and of k within an entry: its number in
 *   the order of runs
 * The word of a run has in its low `bits` bits the offset of the run in its row of the right factor, and above
 * them the number of the entry of the left factor, counted from `first`. If `bits` is 0, run r belongs to entry
 * first + r and begins with its row. */
#define SPMMI_SPGEMM_PULL 256
#define SPMMI_SPGEMM_PULL_RUNS 96
#define SPMMI_SPGEMM_PULL_LONGEST (1u << 18) /* maximum products of a pull of one entry */

struct spmmi_spgemm_pull {
    uint32_t first;  /* first entry of the left factor */
    uint32_t out;    /* first entry of C */
    uint32_t stream; /* where the stream begins, in units of SPMMI_SPGEMM_POSITION_UNIT */
    uint32_t counts; /* see spmmi_spgemm_pull_pack */
};

struct spmmi_spgemm_pull_counts {
    uint32_t entries, bits, products, runs; /* of a pull of one entry, runs = products */
    uint32_t is_cut;                        /* the row is cut: sums of pieces are added in order */
};

#ifdef __CUDACC__
#define SPMMI_SPGEMM_BOTH __host__ __device__
#else
#define SPMMI_SPGEMM_BOTH
#endif

SPMMI_SPGEMM_BOTH static inline uint32_t spmmi_spgemm_pull_pack(struct spmmi_spgemm_pull_counts c)
{
    const uint32_t head = (c.entries - 1) | c.bits << 8 | c.is_cut << 31;
    return c.entries == 1 ? head | (c.products - 1) << 13
                          : head | (c.products - 1) << 13 | (c.runs - 1) << 21;
}

SPMMI_SPGEMM_BOTH static inline struct spmmi_spgemm_pull_counts spmmi_spgemm_pull_unpack(uint32_t counts)
{
    const uint32_t entries = (counts & 255) + 1, products = counts >> 13 & (SPMMI_SPGEMM_PULL_LONGEST - 1);
    const struct spmmi_spgemm_pull_counts c = {entries, counts >> 8 & 31,
                                               (entries == 1 ? products : products & 255) + 1,
                                               (entries == 1 ? products : products >> 8) + 1, counts >> 31};
    return c;
}

/* Returns the number of words of a stream in front of those for pieces. */
SPMMI_SPGEMM_BOTH static inline uint32_t spmmi_spgemm_pull_pieces_at(struct spmmi_spgemm_pull_counts c)
{
    return (c.entries == 1 ? 0 : (c.products + 31) / 32 * 2) + (c.bits > 0 ? c.runs : 0);
}

/* Returns the number of words of a stream in front of the bytes of products. */
SPMMI_SPGEMM_BOTH static inline uint32_t spmmi_spgemm_pull_words(struct spmmi_spgemm_pull_counts c)
{
    return spmmi_spgemm_pull_pieces_at(c) + (c.is_cut != 0 ? 1 + (c.runs + 31) / 32 : 0);
}

/* Returns the number of units of a stream. */
SPMMI_SPGEMM_BOTH static inline uint32_t spmmi_spgemm_pull_units(struct spmmi_spgemm_pull_counts c)
{
    return spmmi_spgemm_pull_words(c) + (c.entries == 1 ? 0 : (c.products + 3) / 4);
}

/* Items that are run in the same way. */
struct spmmi_spgemm_bin {
    uint32_t first_block, first, count;
    uint8_t lanes;           /* lanes of a group: 4, 8, 16 or 32 */
    uint8_t is_narrow;       /* positions have 1 byte */
    uint8_t is_listed;       /* the item has a list of its own, not just the row of the left factor */
    uint8_t is_partial;      /* sums are stored to the partial sums */
    uint8_t is_flat;         /* lanes process products of any list entries side by side; 32 lanes */
    uint8_t has_few_entries; /* a flat item with at most SPMMI_SPGEMM_FEW_ENTRIES entries */
    uint8_t turns;           /* items with masks that each group processes one after the other; 0: no masks */
    uint8_t is_sole;         /* all products are in one piece of a cut row: sums go to C */
};

/* Returns the bytes of a position or mask of the bin. */
SPMMI_SPGEMM_BOTH static inline uint32_t spmmi_spgemm_stream_width(const struct spmmi_spgemm_bin *bin)
{
    return bin->turns > 0 || bin->is_narrow ? 1u : 2u;
}

/* Items of groups; each item computes `rows` rows of C. The first entry of their list has no products: its
 * start is the number of entries of a row of the left factor. Each other entry stands for `k_count`
 * consecutive rows of the right factor. */
struct spmmi_spgemm_groups {
    struct spmmi_spgemm_bin bin;
    uint32_t rows, entries; /* entries: maximum of an item */
};

struct spmmi_spgemm_bins {
    struct spmmi_spgemm_bin bin[SPMMI_SPGEMM_BINS];
    uint32_t count, blocks;
};

/* Entries of C whose partial sums are added in order by one block. */
struct spmmi_spgemm_join {
    uint32_t c, partial; /* first entry of C; partial sum of this entry in the first piece */
    uint32_t count;      /* number of entries, at most spmmi_spgemm_join_width */
    uint32_t stride, pieces;
};

/* Returns the number of entries whose pieces a block adds, a power of two. It is small if there are many
 * pieces, because these are added one after the other. */
SPMMI_SPGEMM_BOTH static inline uint32_t spmmi_spgemm_join_width(uint32_t pieces)
{
    uint32_t width = SPMMI_SPGEMM_JOIN_ENTRIES;
    while (width > SPMMI_SPGEMM_JOIN_ENTRIES_MIN && width > SPMMI_SPGEMM_JOIN_ROOM / pieces)
        width /= 2;
    return width;
}

/* An entry of C has a list of its products by ascending k, in stretches, if it has more than LONG_PRODUCTS
 * products in a row, or a piece of one, that has more than LONG_LENGTH entries of the left factor. No other
 * kernel computes it. In an item, also entries that are shorter than a stretch would delay the whole warp,
 * which processes its list step by step: with 512 instead of 128 products, the items of A A^T of
 * qp_BOYD1_Afull took 103 us on an H100 instead of 34. */
#define SPMMI_SPGEMM_LONG_PRODUCTS 128
#define SPMMI_SPGEMM_LONG_LENGTH 1024

struct spmmi_spgemm_long {
    uint32_t out;          /* entry of C */
    uint32_t first, count; /* its stretches */
    uint32_t has_gaps;     /* some pieces of the row have no product for this entry */
    uint32_t products;
    uint64_t word; /* index of its first word */
};

struct spmmi_spgemm_stretch {
    /* words; the flag SPMMI_SPGEMM_BEGINS in count marks the first stretch of a piece */
    uint32_t first, count;
};
#define SPMMI_SPGEMM_BEGINS 0x80000000u

/* A product, as the indices of its entries in the left and in the right factor. */
struct spmmi_spgemm_word {
    uint32_t left, right;
};

struct spmmi_spgemm_long_tables {
    const struct spmmi_spgemm_long *entries;
    const struct spmmi_spgemm_stretch *stretches;
    const uint32_t *order; /* of stretches, by descending length, so that those of a block end together */
    const struct spmmi_spgemm_word *words;
    const int32_t *k_of;           /* diagonal index of each word; NULL without a diagonal */
    uint32_t count, stretch_count; /* number of entries; number of stretches of all entries */
};

struct spmmi_spgemm_tables {
    const struct spmmi_spgemm_item *items;
    const struct spmmi_spgemm_row
        *rows; /* all lists; the first `direct` rows are of the entries of the left factor */
    /* For pulls and masks: row p of the first `direct` rows starts at starts[p >> start_shift], plus
     * near_starts[p] unless near_starts is NULL. */
    const uint32_t *starts;
    const uint16_t *near_starts;
    /* Entry t of the own lists belongs to entry lefts[t >> left_shift] + SPMMI_SPGEMM_LEFT(counts) of the left
     * factor. */
    const uint32_t *lefts;
    const uint8_t *k_count; /* for each entry of an own list: see spmmi_spgemm_groups; NULL without groups */
    const int32_t *k_of;    /* for each entry of the left factor: its column; NULL without a diagonal */
    const uint8_t *positions; /* positions or masks of items, and streams of pulls */
    const struct spmmi_spgemm_pull *pulls;
    const struct spmmi_spgemm_join *joins;
    uint32_t direct; /* number of entries of the left factor */
    uint32_t start_shift, left_shift;
    uint32_t pull_count, join_count;
    uint32_t item_count, row_count, right_count; /* number of items, rows, and entries of the right factor */
    uint64_t position_bytes;                     /* size of positions */
};

struct spmmi_spgemm_operands {
    const void *left, *right, *diagonal;
    void *c, *partials;
    void *stretches; /* sums of the stretches of long entries */
    double alpha, beta;
    int is_f64;
};

/* Runs the items of the bins. is_dependent: the kernel may start before its predecessors in the stream have
 * ended, and ends after them; the first of these must not be dependent itself. may_load_ahead: it prefetches tables
 * and values into the L2 cache if they are small (spgemm_ahead.cuh). */
int spmmi_spgemm_numeric_cuda(const struct spmmi_spgemm_tables *tables, const struct spmmi_spgemm_bins *bins,
                              const struct spmmi_spgemm_operands *operands, int is_dependent,
                              int may_load_ahead, void *stream);
/* Runs items of groups, which have no partial sums and no diagonal. */
int spmmi_spgemm_groups_cuda(const struct spmmi_spgemm_tables *tables,
                             const struct spmmi_spgemm_groups *groups,
                             const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream);
/* Run items with masks, and pulls. */
int spmmi_spgemm_masks_cuda(const struct spmmi_spgemm_tables *tables, const struct spmmi_spgemm_bin *bin,
                            const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream);
int spmmi_spgemm_pull_cuda(const struct spmmi_spgemm_tables *tables,
                           const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream);
/* Adds the stretches of long entries. It runs before all other kernels, none of which computes these
 * entries. */
int spmmi_spgemm_long_cuda(const struct spmmi_spgemm_long_tables *tables,
                           const struct spmmi_spgemm_operands *operands, void *stream);
/* Runs after these: adds pieces and stretches, and writes C. */
int spmmi_spgemm_join_cuda(const struct spmmi_spgemm_tables *tables,
                           const struct spmmi_spgemm_long_tables *longs,
                           const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream);
/* Computes to[q] = from[map[q]] for elements of `size` bytes, 4 or 8. */
int spmmi_spgemm_gather_cuda(uint32_t count, size_t size, const uint32_t *map, const void *from, void *to,
                             void *stream);
int spmmi_spgemm_scale_cuda(uint64_t count, int is_f64, double beta, void *c, void *stream);

/* Input and output of the derivation of positions, which looks up the columns of the right factor in the row
 * of C. */
struct spmmi_spgemm_derivation {
    struct spmmi_spgemm_tables tables;
    const struct spmmi_spgemm_row *rows; /* tables.rows, or a copy if the stage does not keep them */
    uint8_t *positions;                  /* tables.positions, to be written */
    const uint32_t *c_at;                /* first entry of C of each item */
    /* Whether the positions of each item are stored; else the item shares equal ones. */
    const uint8_t *writes;
    const int32_t *right_columns, *c_columns;
    unsigned long long *hashes; /* one per item, initially 0 */
    const uint32_t
        *words; /* for each pull, its stream in front of the bytes of products, without the bits of entries */
    const uint32_t *words_at; /* index of the first word of each pull */
    const uint32_t *row_of;   /* row of each entry of the left factor */
    const uint32_t *c_row_ptr;
    const uint8_t *pull_writes; /* as writes and hashes, for each pull */
    unsigned long long *pull_hashes;
    uint32_t *differs;       /* is set to 1 if an item or pull differs from the stream that it shares */
    unsigned long long mask; /* bits of hashes that are used; tests weaken them */
};

enum spmmi_spgemm_pass { SPMMI_SPGEMM_HASH, SPMMI_SPGEMM_WRITE, SPMMI_SPGEMM_COMPARE };

int spmmi_spgemm_derive_cuda(const struct spmmi_spgemm_derivation *derivation,
                             const struct spmmi_spgemm_bin *bin, enum spmmi_spgemm_pass pass, void *stream);
int spmmi_spgemm_derive_pulls_cuda(const struct spmmi_spgemm_derivation *derivation,
                                   enum spmmi_spgemm_pass pass, void *stream);

#ifdef __cplusplus
}
#endif
#endif
