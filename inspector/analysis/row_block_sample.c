/* SPDX-License-Identifier: Apache-2.0 */
/* See row_block_sample.h. Stratified sampling with probability proportional to size. The row blocks with
 * nonzeros form a line in which the length of a row block is its nonzeros plus their mean over these row
 * blocks. The line is divided into equal strata, and one random point in each stratum selects the row block
 * at that point. So the few row blocks with most nonzeros of a skewed matrix are selected almost surely.
 * Adding the mean keeps the weights of light row blocks low. */
#include "row_block_sample.h"

#include <stddef.h>

#include "format/base/alloc.h"
#include "row_block_count.h"
#include "inspector/analysis/random.h"

#define SEED 1

struct line {
    int64_t *nonzeros;            /* nonzeros of each row block */
    int64_t row_blocks, heaviest; /* number of row blocks; the index of the one with the most nonzeros */
    int64_t mean;                 /* mean nonzeros of row blocks that are not empty, rounded up */
    int64_t length;               /* length of the whole line */
};

static int64_t length_of(const struct line *line, int64_t row_block)
{
    return line->nonzeros[row_block] == 0 ? 0 : line->nonzeros[row_block] + line->mean;
}

/* Builds the line. Returns the number of row blocks with nonzeros. */
static int64_t lay(const struct spmmi_row_block_input *in, struct line *line)
{
    int64_t used = 0, nnz = 0;
    for (int64_t i = 0; i < line->row_blocks; i++) {
        line->nonzeros[i] = spmmi_row_block_nonzeros(in, i);
        nnz += line->nonzeros[i];
        used += line->nonzeros[i] > 0;
        line->heaviest = line->nonzeros[i] > line->nonzeros[line->heaviest] ? i : line->heaviest;
    }
    line->mean = used == 0 ? 0 : (nnz - 1) / used + 1;
    line->length = nnz + used * line->mean;
    return used;
}

static void take(int64_t row_block, double weight, struct spmmi_row_block_sample *sample)
{
    sample->list[sample->count] = row_block;
    sample->weight[sample->count++] = weight;
}

static void take_all(const struct line *line, struct spmmi_row_block_sample *sample)
{
    for (int64_t i = 0; i < line->row_blocks; i++) {
        if (line->nonzeros[i] > 0)
            take(i, 1, sample);
    }
}

/* Returns a random point of the stratum. */
static int64_t point_in(const struct line *line, int64_t strata, int64_t stratum, struct spmmi_random *random)
{
    const int64_t first = stratum * line->length / strata, end = (stratum + 1) * line->length / strata;
    return first + (int64_t)(spmmi_random_next(random) % (uint64_t)(end - first));
}

static void take_points(const struct line *line, int64_t strata, struct spmmi_row_block_sample *sample)
{
    struct spmmi_random random = spmmi_random_stream(SEED, 0);
    int64_t stratum = 0, end = 0, point = point_in(line, strata, 0, &random);
    for (int64_t i = 0; i < line->row_blocks; i++) {
        int64_t points = 0;
        end += length_of(line, i);
        for (; stratum < strata && point < end; points++) {
            if (++stratum < strata)
                point = point_in(line, strata, stratum, &random);
        }
        const double stands_for = (double)line->length / (double)strata;
        if (points > 0)
            take(i, (double)points * stands_for / (double)length_of(line, i), sample);
        else if (i == line->heaviest)
            take(i, 0, sample); /* weight 0: it counts for the maxima only */
    }
}

spmm_status_t spmmi_row_block_sample_open(const struct spmmi_row_block_input *in, int64_t row_blocks_max,
                                          struct spmmi_row_block_sample *sample)
{
    spmm_status_t status = SPMM_ERR_MEMORY;
    struct line line = {.row_blocks = spmmi_row_blocks_of(in)};
    *sample = (struct spmmi_row_block_sample){0};
    line.nonzeros = spmmi_alloc((uint64_t)line.row_blocks, sizeof *line.nonzeros);
    sample->list = spmmi_alloc((uint64_t)row_blocks_max + 1, sizeof *sample->list);
    sample->weight = spmmi_alloc((uint64_t)row_blocks_max + 1, sizeof *sample->weight);
    if (line.nonzeros == NULL || sample->list == NULL || sample->weight == NULL)
        goto cleanup;
    sample->is_all = lay(in, &line) <= row_blocks_max;
    if (sample->is_all)
        take_all(&line, sample);
    else
        take_points(&line, row_blocks_max, sample);
    sample->most = line.row_blocks > 0 ? line.nonzeros[line.heaviest] : 0;
    status = SPMM_OK;
cleanup:
    spmmi_free(line.nonzeros);
    return status;
}

void spmmi_row_block_sample_close(struct spmmi_row_block_sample *sample)
{
    spmmi_free(sample->weight);
    spmmi_free(sample->list);
    *sample = (struct spmmi_row_block_sample){0};
}
