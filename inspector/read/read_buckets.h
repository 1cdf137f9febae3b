/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets are runs of consecutive rows whose entries fit into a cache. Entries are first appended to buckets,
 * then sorted by row within each bucket. A bucket with more than one row has at most `limit` entries and
 * 65,536 rows. */
#ifndef SPMMI_READ_BUCKETS_H
#define SPMMI_READ_BUCKETS_H

#include "reader.h"

struct spmmi_buckets {
    int64_t count, limit;
    int64_t *first_row; /* count + 1 values */
    uint32_t *of_group; /* the bucket of every row that is a multiple of 2^group_bits */
    int group_bits;
    int64_t *next;       /* segments x count values: next position for each segment in each bucket */
    uint16_t *local_row; /* nnz values: the row of each entry relative to its bucket */
    int64_t rows, nnz;
    int segments;
};

/* Returns the bucket of a row. The table is small enough to stay in the cache; with one entry per row,
 * waiting for a larger table took half of the time of pass 2. */
static inline int64_t spmmi_bucket_of(const struct spmmi_buckets *buckets, int64_t row)
{
    int64_t bucket = buckets->of_group[row >> buckets->group_bits];
    while (row >= buckets->first_row[bucket + 1])
        bucket++;
    return bucket;
}

/* Groups rows into buckets according to matrix->row_ptr, and allocates all arrays but local_row. */
spmm_status_t spmmi_buckets_plan(struct spmmi_reader *reader, const spmm_matrix_t *matrix, int segments,
                                 struct spmmi_buckets *buckets);
spmm_status_t spmmi_buckets_alloc_local(struct spmmi_reader *reader, const spmm_matrix_t *matrix,
                                        struct spmmi_buckets *buckets);
/* Sorts the entries of each bucket by row. Entries of a row keep their order. */
spmm_status_t spmmi_buckets_sort(struct spmmi_reader *reader, const spmm_matrix_t *matrix,
                                 const struct spmmi_buckets *buckets);
void spmmi_buckets_free(struct spmmi_reader *reader, struct spmmi_buckets *buckets);

#endif
