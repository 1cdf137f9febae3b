/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a sparse product without a plan on a GPU. All arrays lie on the device. Each function returns a
 * cudaError_t and enqueues.
 *
 * Rows of C have a class by how many products or entries they may have, or have: groups of lanes take the rows of the
 * first ones, and merge few products in registers or have a hash table in shared memory; others have their columns
 * found in a bitmap over all columns, and their values by tasks: a range of their entries, and a piece of k where the
 * row is cut as a plan would cut it. */
#ifndef SPMMI_SPGEMM_ONCE_LAUNCH_H
#define SPMMI_SPGEMM_ONCE_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "spgemm_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SPMMI_ONCE_MERGES 3                     /* classes of merges, the first ones */
#define SPMMI_ONCE_WIDE (SPMMI_ONCE_MERGES + 5) /* behind tables: a thread block finds the columns of a row */
#define SPMMI_ONCE_GIANT (SPMMI_ONCE_WIDE + 1)  /* a large thread block does */
#define SPMMI_ONCE_CLASSES (SPMMI_ONCE_WIDE + 2)
#define SPMMI_ONCE_LISTS 5                                        /* of rows: see listed of spgemm_once.cuh */
#define SPMMI_ONCE_MERGED 64                                      /* most products of a row that is merged */
#define SPMMI_ONCE_MERGE_COLUMNS (UINT32_MAX / SPMMI_ONCE_MERGED) /* most columns of C then */
#define SPMMI_ONCE_ENTRIES_MAX 512                                /* of a row of tables */
#define SPMMI_ONCE_RANGE 4096       /* entries of a row that a task computes, at most */
#define SPMMI_ONCE_WARP_ENTRIES 512 /* most entries of a row that is cut whose pieces a warp computes each */
#define SPMMI_ONCE_BLOCKS_MAX 264   /* bitmaps in global memory, two a multiprocessor of an H200 */
/* Columns of B of more entries are hubs, whose entries of C have lists in long pieces. Of others a warp may add the
 * products in turn. */
#define SPMMI_ONCE_HUB 1024
/* Pieces of more entries of A are long, and of more for each hub; those of more than SPMMI_SPGEMM_STRETCH are
 * (docs/decisions/0117). */
#define SPMMI_ONCE_LONG 512
#define SPMMI_ONCE_LONG_OF_HUB 32
/* Lists of rows of A of no more entries than a stretch, which have no long entry, take up to this part of the memory of
 * C's entries. */
#define SPMMI_ONCE_SHORTER_SHARE 4
#define SPMMI_ONCE_NO_HUB UINT32_MAX
#define SPMMI_ONCE_PARTS 256            /* of a long piece, at most: a warp each */
#define SPMMI_ONCE_PART_PRODUCTS 256    /* of a part, at least */
#define SPMMI_ONCE_WHOLE (~UINT64_C(0)) /* partial of a task that writes C */

struct spmmi_once_matrix {
    int64_t rows, cols, nnz;
    const void *row_ptr;
    const void *given;                   /* columns as the caller has them */
    int has_wide_rows, has_wide_columns; /* indices of 64 bits */
    int32_t *narrow;                     /* where columns of 64 bits are copied to; else NULL */
    const int32_t *columns;
    const void *values;
};

/* 2^64 - 1 minus the first row whose pointers, or columns, break a rule of CSR; 0: none do. */
struct spmmi_once_bad {
    unsigned long long pointers, columns;
    unsigned int has_empty_rows; /* which break none */
};

/* What long pieces of rows need, at most. */
struct spmmi_once_long_need {
    unsigned int pieces;
    unsigned int piece_products; /* of one piece: about as many */
    unsigned long long tasks;    /* a range of a piece each */
    unsigned long long buckets;
    unsigned long long products; /* of the rows that have such pieces */
};

/* What the host reads between the phases. All 0 at first. */
struct spmmi_once_counts {
    struct spmmi_once_bad bad[2]; /* of A and B */
    unsigned long long products, nnz;
    unsigned long long partials, tasks; /* most of them, from the rows that are not of tables */
    unsigned long long warp_tasks;      /* of those tasks: of a warp each */
    unsigned long long partials_taken, tasks_taken, warp_taken; /* by then */
    unsigned int tried[SPMMI_ONCE_CLASSES];                     /* rows of each class, by products */
    unsigned int rows[SPMMI_ONCE_CLASSES];                      /* by entries */
    unsigned int cuts;                                          /* rows that are cut in k */
    unsigned int heavy_rows;        /* of heavy_products multiplications or more */
    unsigned int long_rows;         /* of A, of more entries and more products than a stretch has products */
    unsigned int hubs;              /* columns of B */
    unsigned int long_pieces_taken; /* in their list */
    unsigned int buckets;           /* of these: a hub or a range each */
    unsigned int stretches, long_sums; /* of hubs, and their entries of C */
    unsigned int stretches_taken, long_sums_taken;
    unsigned long long long_taken;  /* tasks of long pieces */
    unsigned long long words_taken; /* products of long pieces */
    /* Of rows of A of more entries than a stretch has products, and of shorter ones. */
    struct spmmi_once_long_need longer, shorter;
};

/* A range of the entries of a row of C, summed over entries [begin, end) of the row of A; or over the products of
 * bucket `begin` of a long piece. */
struct spmmi_once_task {
    uint32_t row, range, begin, end;
    uint64_t partial; /* where the partial sums of the row lie; SPMMI_ONCE_WHOLE: it is not cut */
};

/* A piece of many entries of A. Its buckets: of each hub, or where the row of C has fewer entries, of each of these;
 * then of each range of the row. */
struct spmmi_once_piece {
    uint32_t row, begin, end, bucket;
    uint64_t partial; /* as that of a task */
};

/* The entry of a long piece in a hub: its place in the row of C; its stretches, or its words. */
struct spmmi_once_long_sum {
    uint32_t piece, place, first, count, is_short;
};

/* The products of long pieces. */
struct spmmi_once_long_lists {
    uint32_t *numbers;  /* of each column of B: how many entries; then its number among hubs, or NO_HUB */
    int32_t *hubs;      /* their columns */
    uint32_t parts;     /* of a piece; 0: none is long */
    uint32_t *portions; /* products of each portion of each piece, of which there are as many */
    uint32_t *counts;   /* of each part of each bucket: products; then where they begin in the list */
    struct spmmi_spgemm_word *words;
    struct spmmi_spgemm_stretch *buckets; /* where they are among words */
    struct spmmi_spgemm_stretch *stretches;
    void *stretch_sums;
    struct spmmi_once_long_sum *sums;
};

struct spmmi_once_cut {
    uint64_t partial;
    uint32_t row, pieces;
};

struct spmmi_once_work {
    struct spmmi_once_matrix a, b;
    struct spmmi_once_counts *counts;
    int all_wide;             /* forced: no tables */
    int has_merges;           /* rows of few products are merged */
    uint32_t piece_entries;   /* a piece of k has at least so many products for each entry of its row, */
    unsigned long long share; /* and at least so many: SPMMI_SPGEMM_PIECE_ENTRIES, spmmi_spgemm_share */
    unsigned long long heavy_products; /* SPMMI_SPGEMM_HEAVY_PRODUCTS */
    uint32_t stretch;                  /* SPMMI_SPGEMM_STRETCH */
    int has_long;                      /* there may be long entries */
    int has_shorter;       /* rows of A of no more entries than a stretch may have long pieces too */
    int has_empty_factors; /* rows of B may be empty */
    uint32_t *products;    /* of each row of C: as rows of B differ, no more than B has entries */
    uint32_t *entries;
    uint32_t *lists; /* of the rows of A each */
    int64_t *sums;   /* of entries: one a block of the scan */
    int64_t *c_row_ptr;
    int32_t *c_columns;
    void *c_values, *partials;
    struct spmmi_once_task *tasks; /* those of a warp are the last ones, from the end on */
    uint64_t tasks_room;
    struct spmmi_once_task *long_tasks; /* of long pieces: a task for each range */
    struct spmmi_once_piece *long_pieces;
    struct spmmi_once_long_lists long_lists;
    struct spmmi_once_cut *cuts;
    uint32_t *bitmaps;     /* two of bitmap_words for each of the blocks; NULL: they fit in shared memory */
    uint32_t bitmap_words; /* columns / 32, and one */
    uint32_t words_max;    /* spmmi_once_words_max of the GPU */
    uint32_t blocks;       /* most of a kernel that has bitmaps */
    int has_clusters;      /* thread blocks may be launched in clusters: sm_90 */
    int can_overlap;       /* a kernel may start before the one before it has ended */
};

/* Rules of CSR of one matrix; copies columns of 64 bits. work: not NULL of the left factor: adds up the products of its
 * rows. */
int spmmi_once_check_cuda(const struct spmmi_once_matrix *m, struct spmmi_once_bad *bad,
                          const struct spmmi_once_work *work, void *stream);
/* Lists by products, counts->tried, products, heavy_rows and long_rows. Safe where a check has found something. */
int spmmi_once_bin_products_cuda(const struct spmmi_once_work *w, void *stream);
/* Lists by entries, counts->rows, and what follows it. */
int spmmi_once_bin_entries_cuda(const struct spmmi_once_work *w, void *stream);
/* Entries of the rows of a class of merges; or of tables: those that have too many join the wide list. is_dependent: it
 * may run beside those before it of the same phase. */
int spmmi_once_merge_count_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows,
                                int is_dependent, void *stream);
int spmmi_once_count_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_dependent,
                          void *stream);
/* Columns of rows of WIDE or GIANT: c_columns, or if that is NULL how many there are. rows: at most, of the list.
 * is_dependent: as above, but ignored where bitmaps lie in global memory, which those before it may still use, and by
 * launches in clusters, as giant rows come first. Tables and tasks may run beside it wherever bitmaps lie. */
int spmmi_once_columns_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_dependent,
                            void *stream);
/* sums and counts->nnz from entries; then c_row_ptr from both. */
int spmmi_once_sum_cuda(const struct spmmi_once_work *w, void *stream);
int spmmi_once_row_ptr_cuda(const struct spmmi_once_work *w, void *stream);
uint64_t spmmi_once_scan_blocks(int64_t rows);
/* Columns and values of the rows of a class of merges, or of tables. is_dependent: as above. */
int spmmi_once_merge_rows_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_f64,
                               int is_dependent, void *stream);
int spmmi_once_rows_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_f64,
                         int is_dependent, void *stream);
/* Tasks of the rows of WIDE or GIANT; then the values of all tasks, and of the rows that are cut. products: of all rows
 * of C; tasks, warp_tasks: as counted, at most. is_dependent: as above; columns may be found meanwhile. */
int spmmi_once_tasks_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, uint64_t products,
                          int is_dependent, void *stream);
int spmmi_once_values_cuda(const struct spmmi_once_work *w, uint64_t tasks, uint64_t warp_tasks, int is_f64,
                           void *stream);
/* counts->hubs, their numbers and columns; numbers are 0 before. */
int spmmi_once_find_hubs_cuda(const struct spmmi_once_work *w, void *stream);
/* Products of so many long pieces: of their portions; of each part of each bucket; their lists. */
int spmmi_once_portion_long_cuda(const struct spmmi_once_work *w, uint32_t pieces, void *stream);
int spmmi_once_count_long_cuda(const struct spmmi_once_work *w, uint32_t pieces, void *stream);
int spmmi_once_list_long_cuda(const struct spmmi_once_work *w, uint32_t pieces, void *stream);
/* Between counts and lists, of up to so many buckets or hubs of a piece: where lists begin, and how many words,
 * stretches and entries of hubs there are; once there is memory for them, these stretches and entries. */
int spmmi_once_buckets_cuda(const struct spmmi_once_work *w, uint32_t pieces, uint64_t buckets, void *stream);
int spmmi_once_place_hubs_cuda(const struct spmmi_once_work *w, uint32_t pieces, uint64_t hubs, void *stream);
/* The values of long tasks, but for those of hubs; sums of stretches of these. is_dependent: they may run beside each
 * other and the values of other tasks. Then, behind all these, stretches to their entries. */
int spmmi_once_long_tasks_cuda(const struct spmmi_once_work *w, uint64_t tasks, int is_f64, int is_dependent,
                               void *stream);
int spmmi_once_stretches_cuda(const struct spmmi_once_work *w, uint64_t stretches, int is_f64,
                              int is_dependent, void *stream);
int spmmi_once_long_sums_cuda(const struct spmmi_once_work *w, uint64_t entries, int is_f64, void *stream);
int spmmi_once_join_cuda(const struct spmmi_once_work *w, uint32_t cuts, int is_f64, void *stream);
/* Most words of a bitmap that fits in this much shared memory of a thread block. */
uint32_t spmmi_once_words_max(uint32_t shared_bytes);

#ifdef __cplusplus
}
#endif
#endif
