/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a sparse product without a plan on a GPU. All arrays are in device memory. Each function
 * enqueues on the stream and returns a cudaError_t.
 *
 * Rows of C are put in classes by the number of products or entries that they may have, or have. In the first
 * classes, groups of lanes compute the rows: they merge few products in registers, or use a hash table in
 * shared memory. For the other rows, a bitmap over all columns finds their columns, and tasks compute their
 * values: a task is a range of the entries of a row and, if the row is cut as a plan would cut it, a piece of
 * k. */
#ifndef SPMMI_SPGEMM_ONCE_LAUNCH_H
#define SPMMI_SPGEMM_ONCE_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "spgemm_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SPMMI_ONCE_MERGES 3                     /* classes of merges, the first ones */
#define SPMMI_ONCE_WIDE (SPMMI_ONCE_MERGES + 5) /* after tables: a thread block finds the columns */
#define SPMMI_ONCE_GIANT (SPMMI_ONCE_WIDE + 1)  /* a large thread block finds the columns */
#define SPMMI_ONCE_CLASSES (SPMMI_ONCE_WIDE + 2)
#define SPMMI_ONCE_LISTS 5                                        /* of rows: see listed of spgemm_once.cuh */
#define SPMMI_ONCE_MERGED 64                                      /* maximum products of a merged row */
#define SPMMI_ONCE_MERGE_COLUMNS (UINT32_MAX / SPMMI_ONCE_MERGED) /* maximum columns of C with merges */
#define SPMMI_ONCE_ENTRIES_MAX 512                                /* maximum of a row that uses a table */
#define SPMMI_ONCE_RANGE 4096 /* maximum entries of a row that a task computes */
/* Maximum entries of a row that is cut whose pieces are computed by one warp each. */
#define SPMMI_ONCE_WARP_ENTRIES 512
/* Maximum number of bitmaps in global memory, two per multiprocessor of an H200. */
#define SPMMI_ONCE_BLOCKS_MAX 264
/* Columns of B with more entries than this are hubs. In long pieces, entries of C in hubs have lists of their
 * own. A warp can add the products of other entries one after the other. */
#define SPMMI_ONCE_HUB 1024
/* A piece is long if it has more entries of A than this, and more than LONG_OF_HUB per hub. A piece with more
 * than SPMMI_SPGEMM_STRETCH entries is always long (docs/decisions/0117). */
#define SPMMI_ONCE_LONG 512
#define SPMMI_ONCE_LONG_OF_HUB 32
/* Rows of A with at most as many entries as a stretch has products have no long entries. Their lists may take
 * up to 1 / SHORTER_SHARE of the memory of the entries of C. */
#define SPMMI_ONCE_SHORTER_SHARE 4
#define SPMMI_ONCE_NO_HUB UINT32_MAX
#define SPMMI_ONCE_PARTS 256            /* maximum parts of a long piece, one warp each */
#define SPMMI_ONCE_PART_PRODUCTS 256    /* minimum products of a part */
#define SPMMI_ONCE_WHOLE (~UINT64_C(0)) /* partial of a task that writes C */

struct spmmi_once_matrix {
    int64_t rows, cols, nnz;
    const void *row_ptr;
    const void *given;                   /* columns as given by the caller */
    int has_wide_rows, has_wide_columns; /* indices have 64 bits */
    int32_t *narrow;                     /* copy of columns of 64 bits; else NULL */
    const int32_t *columns;
    const void *values;
};

/* 2^64 - 1 minus the first row whose pointers, or columns, break a rule of CSR; 0: no row does. */
struct spmmi_once_bad {
    unsigned long long pointers, columns;
    unsigned int has_empty_rows; /* which breaks no rule */
};

/* Upper bounds of what the long pieces of rows need. */
struct spmmi_once_long_need {
    unsigned int pieces;
    unsigned int piece_products; /* maximum of one piece, approximately */
    unsigned long long tasks;    /* one per range of a piece */
    unsigned long long buckets;
    unsigned long long products; /* of the rows that have such pieces */
};

/* What the host reads between the phases. Initially 0. */
struct spmmi_once_counts {
    struct spmmi_once_bad bad[2]; /* of A and of B */
    unsigned long long products, nnz;
    unsigned long long partials, tasks; /* upper bounds for rows that do not use tables */
    unsigned long long warp_tasks;      /* how many of these tasks are computed by a warp */
    unsigned long long partials_taken, tasks_taken, warp_taken; /* allocated so far */
    unsigned int tried[SPMMI_ONCE_CLASSES];                     /* rows of each class, by products */
    unsigned int rows[SPMMI_ONCE_CLASSES];                      /* rows of each class, by entries */
    unsigned int cuts;                                          /* rows that are cut in k */
    unsigned int heavy_rows;        /* rows of at least heavy_products multiplications */
    unsigned int long_rows;         /* rows of A with more entries and products than a stretch has products */
    unsigned int hubs;              /* number of hubs */
    unsigned int long_pieces_taken; /* number of long pieces so far */
    unsigned int buckets;           /* of long pieces: one per hub or range */
    unsigned int stretches, long_sums; /* of hubs; long_sums: their entries of C */
    unsigned int stretches_taken, long_sums_taken;
    unsigned long long long_taken;  /* tasks of long pieces so far */
    unsigned long long words_taken; /* products of long pieces so far */
    /* Of rows of A with more entries than a stretch has products, and of other rows. */
    struct spmmi_once_long_need longer, shorter;
};

/* A range of the entries of a row of C, summed over the entries [begin, end) of the row of A, or over the
 * products of bucket `begin` of a long piece. */
struct spmmi_once_task {
    uint32_t row, range, begin, end;
    uint64_t partial; /* where the partial sums of the row are; SPMMI_ONCE_WHOLE: the row is not cut */
};

/* A piece with many entries of A. Its first buckets belong to hubs or, if the row of C has fewer entries than
 * there are hubs, to the entries of the row. The next ones belong to the ranges of the row. */
struct spmmi_once_piece {
    uint32_t row, begin, end, bucket;
    uint64_t partial; /* as in a task */
};

/* The entry of a long piece in a hub: its place in the row of C, and its stretches or, if is_short, its
 * words. */
struct spmmi_once_long_sum {
    uint32_t piece, place, first, count, is_short;
};

/* The lists of the products of long pieces. */
struct spmmi_once_long_lists {
    /* For each column of B: its number of entries; later its number among hubs, or NO_HUB. */
    uint32_t *numbers;
    int32_t *hubs;      /* column of each hub */
    uint32_t parts;     /* per piece; 0: no piece is long */
    uint32_t *portions; /* products of each portion of each piece, which has as many portions as parts */
    /* For each part of each bucket: number of products; later where they begin in the list. */
    uint32_t *counts;
    struct spmmi_spgemm_word *words;
    struct spmmi_spgemm_stretch *buckets; /* which words belong to each bucket */
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
    int all_wide;   /* forced: tables are not used */
    int has_merges; /* rows with few products are merged */
    /* Minimum products of a piece per entry of its row (SPMMI_SPGEMM_PIECE_ENTRIES). */
    uint32_t piece_entries;
    unsigned long long share;          /* minimum products of a piece (spmmi_spgemm_share) */
    unsigned long long heavy_products; /* SPMMI_SPGEMM_HEAVY_PRODUCTS */
    uint32_t stretch;                  /* SPMMI_SPGEMM_STRETCH */
    int has_long;                      /* there may be long entries */
    int has_shorter; /* long pieces also in rows of A with no more entries than a stretch has products */
    int has_empty_factors; /* rows of B may be empty */
    /* Of each row of C; at most as many as B has entries, because the rows of B differ. */
    uint32_t *products;
    uint32_t *entries;
    uint32_t *lists; /* SPMMI_ONCE_LISTS lists with an element per row of A */
    int64_t *sums;   /* entries of C per block of the scan */
    int64_t *c_row_ptr;
    int32_t *c_columns;
    void *c_values, *partials;
    struct spmmi_once_task *tasks; /* tasks of warps are stored from the end backwards */
    uint64_t tasks_room;
    struct spmmi_once_task *long_tasks; /* of long pieces, one per range */
    struct spmmi_once_piece *long_pieces;
    struct spmmi_once_long_lists long_lists;
    struct spmmi_once_cut *cuts;
    uint32_t *bitmaps;     /* two of bitmap_words words per block; NULL: they fit in shared memory */
    uint32_t bitmap_words; /* columns / 32 + 1 */
    uint32_t words_max;    /* spmmi_once_words_max of the GPU */
    uint32_t blocks;       /* maximum blocks of a kernel with bitmaps in global memory */
    int has_clusters;      /* thread blocks may be launched in clusters (sm_90) */
    int can_overlap;       /* a kernel may start before its predecessor in the stream has ended */
};

/* Checks the rules of CSR of one matrix, and copies columns of 64 bits. work: NULL or, for the left factor,
 * where the products of its rows are added up. */
int spmmi_once_check_cuda(const struct spmmi_once_matrix *m, struct spmmi_once_bad *bad,
                          const struct spmmi_once_work *work, void *stream);
/* Makes the lists by products, and counts->tried, products, heavy_rows and long_rows. Safe even if a check
 * has found an error. */
int spmmi_once_bin_products_cuda(const struct spmmi_once_work *w, void *stream);
/* Makes the lists by entries, counts->rows, and the counts that depend on them. */
int spmmi_once_bin_entries_cuda(const struct spmmi_once_work *w, void *stream);
/* Count the entries of the rows of a class of merges, or of tables; rows with too many for a table join the
 * list of WIDE. is_dependent: the kernel may run beside its predecessors of the same phase. */
int spmmi_once_merge_count_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows,
                                int is_dependent, void *stream);
int spmmi_once_count_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_dependent,
                          void *stream);
/* Finds the columns of rows of WIDE or GIANT: writes c_columns or, if that is NULL, only counts them. rows:
 * maximum length of the list. is_dependent: as above, but ignored if bitmaps are in global memory, which the
 * kernels before may still use, and by launches in clusters, because giant rows come first. Kernels of tables
 * and tasks may run beside it wherever bitmaps are. */
int spmmi_once_columns_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_dependent,
                            void *stream);
/* Compute sums and counts->nnz from entries, and then c_row_ptr from both. */
int spmmi_once_sum_cuda(const struct spmmi_once_work *w, void *stream);
int spmmi_once_row_ptr_cuda(const struct spmmi_once_work *w, void *stream);
uint64_t spmmi_once_scan_blocks(int64_t rows);
/* Compute columns and values of the rows of a class of merges, or of tables. is_dependent: as above. */
int spmmi_once_merge_rows_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_f64,
                               int is_dependent, void *stream);
int spmmi_once_rows_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_f64,
                         int is_dependent, void *stream);
/* spmmi_once_tasks_cuda makes the tasks of rows of WIDE or GIANT. products: of all rows of C. is_dependent:
 * as above; columns may be found meanwhile. spmmi_once_values_cuda then computes the values of all tasks.
 * tasks, warp_tasks: upper bounds, as counted. spmmi_once_join_cuda, at the end, adds the pieces of rows that
 * are cut. */
int spmmi_once_tasks_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, uint64_t products,
                          int is_dependent, void *stream);
int spmmi_once_values_cuda(const struct spmmi_once_work *w, uint64_t tasks, uint64_t warp_tasks, int is_f64,
                           void *stream);
/* Finds the hubs: counts->hubs, their numbers and columns. numbers must be 0 before. */
int spmmi_once_find_hubs_cuda(const struct spmmi_once_work *w, void *stream);
/* For this many long pieces: count the products of their portions, count the products of each part of each
 * bucket, and write the lists. */
int spmmi_once_portion_long_cuda(const struct spmmi_once_work *w, uint32_t pieces, void *stream);
int spmmi_once_count_long_cuda(const struct spmmi_once_work *w, uint32_t pieces, void *stream);
int spmmi_once_list_long_cuda(const struct spmmi_once_work *w, uint32_t pieces, void *stream);
/* Between counting and listing. `buckets` and `hubs` are upper bounds per piece. spmmi_once_buckets_cuda
 * finds where lists begin, and how many words, stretches and entries of hubs there are. Once there is memory
 * for these, spmmi_once_place_hubs_cuda makes the stretches and entries of hubs. */
int spmmi_once_buckets_cuda(const struct spmmi_once_work *w, uint32_t pieces, uint64_t buckets, void *stream);
int spmmi_once_place_hubs_cuda(const struct spmmi_once_work *w, uint32_t pieces, uint64_t hubs, void *stream);
/* Compute the values of long tasks, without those of hubs, and the sums of the stretches of hubs.
 * is_dependent: they may run beside each other and beside the values of other tasks. After all of these,
 * spmmi_once_long_sums_cuda adds stretches and writes the entries of hubs. */
int spmmi_once_long_tasks_cuda(const struct spmmi_once_work *w, uint64_t tasks, int is_f64, int is_dependent,
                               void *stream);
int spmmi_once_stretches_cuda(const struct spmmi_once_work *w, uint64_t stretches, int is_f64,
                              int is_dependent, void *stream);
int spmmi_once_long_sums_cuda(const struct spmmi_once_work *w, uint64_t entries, int is_f64, void *stream);
int spmmi_once_join_cuda(const struct spmmi_once_work *w, uint32_t cuts, int is_f64, void *stream);
/* Returns the maximum number of words of a bitmap that fit in this much shared memory of a thread block. */
uint32_t spmmi_once_words_max(uint32_t shared_bytes);

#ifdef __cplusplus
}
#endif
#endif
