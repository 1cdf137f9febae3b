/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a sparse product on a GPU and the tables that they read, which lie on the device. Each function
 * returns a cudaError_t and enqueues.
 *
 * An item is a row of C, a range of its entries, or one of these of a piece of k: groups of 4, 8, 16 or 32 lanes take
 * one each. It has a list of rows of the right factor, or of parts of them, that are multiplied by entries of the left
 * one, and for each product the position of its sum among the entries of the item. An item of few entries may have a
 * mask for each list entry instead, a byte: which entries it has products for. */
#ifndef SPMMI_SPGEMM_LAUNCH_H
#define SPMMI_SPGEMM_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPMMI_SPGEMM_THREADS 128
/* Sums that a lane has room for in shared memory. Room for 32 costs multiprocessors warps: slower by up to 29 %. */
#define SPMMI_SPGEMM_LANE_SUMS 16
#define SPMMI_SPGEMM_ITEM_ENTRIES (32 * SPMMI_SPGEMM_LANE_SUMS)
#define SPMMI_SPGEMM_FEW_ENTRIES 32 /* of an item whose lanes have one sum each */
#define SPMMI_SPGEMM_NARROW 256     /* entries of an item whose positions have 1 byte; else 2 */
/* Of a position of 2 bytes of a flat item: the place of its sum, and how many products of the same place its warp adds
 * before it, of the 32 side by side. */
#define SPMMI_SPGEMM_PLACE(position) ((position) % SPMMI_SPGEMM_ITEM_ENTRIES)
#define SPMMI_SPGEMM_TURN(position) ((position) / SPMMI_SPGEMM_ITEM_ENTRIES)
#define SPMMI_SPGEMM_POSITION_OF(place, turn) ((place) + (turn)*SPMMI_SPGEMM_ITEM_ENTRIES)
/* Most entries of an item with masks in place of positions. One H200: with 16 lanes rows of 13 entries of lattices took
 * 1.1 times as long as by pulls, with 32 rows of 25 entries 1.7 times as long as by positions. */
#define SPMMI_SPGEMM_MASKED 8
#define SPMMI_SPGEMM_COUNT_BITS 10
#define SPMMI_SPGEMM_LIST_MAX ((1u << (32 - SPMMI_SPGEMM_COUNT_BITS)) - 1)
/* Of the counts of an item. */
#define SPMMI_SPGEMM_ENTRIES(counts) ((counts) & ((1u << SPMMI_SPGEMM_COUNT_BITS) - 1))
#define SPMMI_SPGEMM_LIST_LENGTH(counts) ((counts) >> SPMMI_SPGEMM_COUNT_BITS)
#define SPMMI_SPGEMM_POSITION_UNIT 4u /* bytes; streams of positions begin at multiples */
/* Entries whose pieces a block adds, and what its shared memory has room for. */
#define SPMMI_SPGEMM_JOIN_ENTRIES_MIN 4 /* 32 bytes of f64 */
#define SPMMI_SPGEMM_JOIN_ENTRIES 256
#define SPMMI_SPGEMM_JOIN_ROOM 4096
#define SPMMI_SPGEMM_BINS 44
#define SPMMI_SPGEMM_MASK_BINS 2 /* 4 and 8 lanes */

/* Rows of C with one pattern that an item of a group takes, and rows of the right factor with one pattern that it
 * multiplies at a time: what systems with several unknowns a node have. */
#define SPMMI_SPGEMM_GROUP 3
#define SPMMI_SPGEMM_GROUP_BINS 4 /* two or three rows, positions of 1 or 2 bytes */

struct spmmi_spgemm_item {
    uint32_t list;     /* where its list begins */
    uint32_t out;      /* its first entry of C, or of the partial sums */
    uint32_t position; /* where its positions begin, in units */
    uint32_t counts;   /* entries, and above SPMMI_SPGEMM_COUNT_BITS the length of the list */
};

/* A row of the right factor, or a part of one. */
struct spmmi_spgemm_row {
    uint32_t start, length;
};

/* A pull: at most SPMMI_SPGEMM_PULL products, all those of neighbouring entries of C, which a warp brings to shared
 * memory, where each entry takes its own. Or one entry with up to 2^18 products. Its stream, of words of 4 bytes:
 *   of several entries: for each 32 products a word whose bits say which begin a run, products of one entry of the left
 *   factor; as many words with a bit for each product by entry, set where an entry begins; a word for each run; for
 *   each 128 products 32 words, whose 4 bytes say where the products lane, lane + 32, lane + 64 and lane + 96 go
 *   of one entry: a word for each product
 *   of a row that the plan cuts, before the destinations: the pieces of the row; a bit for each run, set where it is of
 *   another piece than the run before it
 * The word of a run has the number of its entry of the left factor, from `first` on, above `bits` bits: the offset in
 * the row of the right factor, less the product number that it begins with, plus SPMMI_SPGEMM_PULL; that of a product
 * of one entry just the offset. Products go to the order of entries, those of one by k. */
#define SPMMI_SPGEMM_PULL 256
#define SPMMI_SPGEMM_PULL_RUNS 96
#define SPMMI_SPGEMM_PULL_LONGEST (1u << 18) /* products of one entry */

struct spmmi_spgemm_pull {
    uint32_t first;  /* entry of the left factor */
    uint32_t out;    /* its first entry of C */
    uint32_t stream; /* where its stream begins, in units */
    uint32_t counts; /* see spmmi_spgemm_pull_counts */
};

struct spmmi_spgemm_pull_counts {
    uint32_t entries, bits, products, runs; /* runs: of one entry its products */
    uint32_t is_cut;                        /* sums of pieces are added in order */
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

/* Words of a stream before what it has of pieces. */
SPMMI_SPGEMM_BOTH static inline uint32_t spmmi_spgemm_pull_pieces_at(struct spmmi_spgemm_pull_counts c)
{
    return c.entries == 1 ? c.products : (c.products + 31) / 32 * 2 + c.runs;
}

/* Words of a stream before the destinations of products. */
SPMMI_SPGEMM_BOTH static inline uint32_t spmmi_spgemm_pull_words(struct spmmi_spgemm_pull_counts c)
{
    return spmmi_spgemm_pull_pieces_at(c) + (c.is_cut != 0 ? 1 + (c.runs + 31) / 32 : 0);
}

/* Units of a stream. */
SPMMI_SPGEMM_BOTH static inline uint32_t spmmi_spgemm_pull_units(struct spmmi_spgemm_pull_counts c)
{
    return spmmi_spgemm_pull_words(c) + (c.entries == 1 ? 0 : (c.products + 127) / 128 * 32);
}

/* Items that are run alike. */
struct spmmi_spgemm_bin {
    uint32_t first_block, first, count;
    uint8_t lanes;           /* of a group: 4, 8, 16 or 32 */
    uint8_t is_narrow;       /* positions of 1 byte */
    uint8_t is_listed;       /* the list is one of its own, not the row of the left factor */
    uint8_t is_partial;      /* sums go to the partial sums */
    uint8_t is_flat;         /* lanes take products side by side, of whatever list entries; 32 lanes */
    uint8_t has_few_entries; /* of flat items: at most SPMMI_SPGEMM_FEW_ENTRIES */
    uint8_t turns;           /* of items with masks: as many each group takes one after the other; else 0 */
    uint8_t is_sole;         /* sums of one piece of rows whose other pieces have nothing to add */
};

/* Bytes of a position, or of a mask. */
SPMMI_SPGEMM_BOTH static inline uint32_t spmmi_spgemm_stream_width(const struct spmmi_spgemm_bin *bin)
{
    return bin->turns > 0 || bin->is_narrow ? 1u : 2u;
}

/* Items of groups: `rows` rows of C each. The first entry of their list has no products, it starts at the number of
 * entries of a row of the left factor; each other one is of `k_count` rows of the right factor behind each other. */
struct spmmi_spgemm_groups {
    struct spmmi_spgemm_bin bin;
    uint32_t rows, entries; /* entries: most of an item */
};

struct spmmi_spgemm_bins {
    struct spmmi_spgemm_bin bin[SPMMI_SPGEMM_BINS];
    uint32_t count, blocks;
};

/* Entries of C whose partial sums are added in order. */
struct spmmi_spgemm_join {
    uint32_t c, partial; /* of the first entry; that of the first piece */
    uint32_t count;      /* entries, at most spmmi_spgemm_join_width */
    uint32_t stride, pieces;
};

/* Entries whose pieces a block adds, a power of two: few where there are many pieces, which are added one by one. */
SPMMI_SPGEMM_BOTH static inline uint32_t spmmi_spgemm_join_width(uint32_t pieces)
{
    uint32_t width = SPMMI_SPGEMM_JOIN_ENTRIES;
    while (width > SPMMI_SPGEMM_JOIN_ENTRIES_MIN && width > SPMMI_SPGEMM_JOIN_ROOM / pieces)
        width /= 2;
    return width;
}

/* An entry of C with more products than this, in a row or a piece of one with more entries of the left factor than
 * that: it has a list of its products by ascending k, in stretches. No other kernel computes it.
 * Shorter ones than stretches would hold up an item, whose warp takes its list step by step: with 512 in place of the
 * first number the items of A A^T of qp_BOYD1_Afull took 103 us on an H100, not 34. */
#define SPMMI_SPGEMM_LONG_PRODUCTS 128
#define SPMMI_SPGEMM_LONG_LENGTH 1024

struct spmmi_spgemm_long {
    uint32_t out;          /* entry of C */
    uint32_t first, count; /* stretches */
    uint32_t has_gaps;     /* pieces of the row have no product of it */
    uint32_t products;
    uint64_t word; /* where its words begin */
};

struct spmmi_spgemm_stretch {
    uint32_t first, count; /* words; SPMMI_SPGEMM_BEGINS: the first one of a piece */
};
#define SPMMI_SPGEMM_BEGINS 0x80000000u

/* A product: entries of the left and of the right factor. */
struct spmmi_spgemm_word {
    uint32_t left, right;
};

struct spmmi_spgemm_long_tables {
    const struct spmmi_spgemm_long *entries;
    const struct spmmi_spgemm_stretch *stretches;
    const uint32_t *order; /* of stretches, by descending length: those of a block end together */
    const struct spmmi_spgemm_word *words;
    const int32_t *k_of;           /* of each word; NULL without a diagonal */
    uint32_t count, stretch_count; /* entries; stretches of all */
};

struct spmmi_spgemm_tables {
    const struct spmmi_spgemm_item *items;
    const struct spmmi_spgemm_row
        *rows;                /* of all lists; the first ones are of the entries of the left factor */
    const uint32_t *starts;   /* of rows, of the entries of the left factor alone; for pulls and masks */
    const uint32_t *value_of; /* of lists of their own: which entry of the left factor */
    const uint8_t *k_count;   /* of these lists, of groups; NULL without groups */
    const int32_t *k_of;      /* of each entry of the left factor; NULL without a diagonal */
    const uint8_t *positions; /* of items, or their masks, and the streams of pulls */
    const struct spmmi_spgemm_pull *pulls;
    const struct spmmi_spgemm_join *joins;
    uint32_t direct; /* entries of the left factor */
    uint32_t pull_count, join_count;
};

struct spmmi_spgemm_operands {
    const void *left, *right, *diagonal;
    void *c, *partials;
    void *stretches; /* sums of stretches of long entries */
    double alpha, beta;
    int is_f64;
};

/* The numeric phase. is_dependent: may run beside those before it, the first of which was not launched so; ends behind
 * them. */
int spmmi_spgemm_numeric_cuda(const struct spmmi_spgemm_tables *tables, const struct spmmi_spgemm_bins *bins,
                              const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream);
/* The same of groups, of which nothing is partial and nothing has a diagonal. */
int spmmi_spgemm_groups_cuda(const struct spmmi_spgemm_tables *tables,
                             const struct spmmi_spgemm_groups *groups,
                             const struct spmmi_spgemm_operands *operands, void *stream);
/* The same of items with masks, and of pulls. */
int spmmi_spgemm_masks_cuda(const struct spmmi_spgemm_tables *tables, const struct spmmi_spgemm_bin *bin,
                            const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream);
int spmmi_spgemm_pull_cuda(const struct spmmi_spgemm_tables *tables,
                           const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream);
/* Stretches of long entries; before all others, none of which computes these entries. */
int spmmi_spgemm_long_cuda(const struct spmmi_spgemm_long_tables *tables,
                           const struct spmmi_spgemm_operands *operands, void *stream);
/* Behind these: pieces and stretches to C. */
int spmmi_spgemm_join_cuda(const struct spmmi_spgemm_tables *tables,
                           const struct spmmi_spgemm_long_tables *longs,
                           const struct spmmi_spgemm_operands *operands, int is_dependent, void *stream);
/* to[q] = from[map[q]], of 4 or 8 bytes */
int spmmi_spgemm_gather_cuda(uint32_t count, size_t size, const uint32_t *map, const void *from, void *to,
                             void *stream);
int spmmi_spgemm_scale_cuda(uint64_t count, int is_f64, double beta, void *c, void *stream);

/* Derives positions from columns: those of the right factor, looked up in the row of C. */
struct spmmi_spgemm_derivation {
    struct spmmi_spgemm_tables tables;
    const struct spmmi_spgemm_row *rows; /* of lists, as those of the tables */
    uint8_t *positions;                  /* those of the tables, to write */
    const uint32_t *c_at;                /* of each item its first entry of C */
    const uint8_t *writes; /* of each item: its positions are stored, not those of an equal one */
    const int32_t *right_columns, *c_columns;
    unsigned long long *hashes; /* of each item, from 0 on */
    const uint32_t
        *words; /* of pulls, what streams have before the destinations; without the bits of entries */
    const uint32_t *words_at;  /* of each pull */
    const uint32_t *pull_c_at; /* of each pull its first entry of C */
    const uint32_t *row_of;    /* of each entry of the left factor */
    const uint32_t *c_row_ptr;
    const uint8_t *pull_writes; /* as writes and hashes, of each pull */
    unsigned long long *pull_hashes;
    uint32_t *differs;       /* set to 1 where stored positions are not those of the item */
    unsigned long long mask; /* of hashes: tests weaken them */
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
