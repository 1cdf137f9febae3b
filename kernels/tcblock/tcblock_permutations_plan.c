/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor-core candidates that take longer to inspect: other row permutations, and long-row splits. */
#include <math.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "tcblock_plan.h"
#include "inspector/reorder/permutation_units.h"
#include "inspector/reorder/row_similarity.h"
#include "kernels/long_rows/long_rows_plan.h"

/* Thresholds for row permutations, from the matrices of docs/reordering.csv unless a comment says otherwise. */
#define PERMUTATION_PRUNING_FACTOR 2.0 /* speed-up that any permutation may have, divided by the similarity */
/* Largest speed-up that is assumed for very similar rows (docs/decisions/0148). */
#define PERMUTATION_PRUNING_MAX 8.0
/* Nonzeros per block, half of its positions, from which permutations are not tried. */
#define PERMUTATION_FILL 33.0
#define DENSITY_MIN 4.0 /* nonzeros per block below which no permutation makes blocks dense enough */
/* Mean nonzeros per row from which permutations are tried for any row similarity. */
#define LONG_ROWS 64.0
/* Matrices with fewer than SMALL_NONZEROS nonzeros, whose permutations take only milliseconds, use the next
 * two limits instead. */
#define SMALL_NONZEROS 500000
#define SMALL_FILL 48.0
#define SMALL_LONG_ROWS 32.0
#define SIMILARITY_MAX 0.87 /* limit of spmmi_row_similarity for shorter rows */
/* If the first permutation leaves less than this share of blocks or working sets, others are tried too. */
#define PERMUTATION_GAIN 0.8
/* Ratio of the columns of 64 rows to the columns of 8 of them (at most 8): clusters of rows are tried between
 * the two limits. Ratios of 1.4 to 2.8 are bands and meshes that clusters do not change; 3.7 to 6.5 are
 * lattices and meshes whose row blocks are slices. Above SLICES_MAX rows share almost no columns, as in
 * random matrices, so there are no clusters to grow. */
#define SLICES_MIN 3.3
#define SLICES_MAX 7.0
#define US_PER_SECOND 1e6

/* Cached row similarity; 0: not computed yet. */
struct similarity {
    double ratio;
};

static void close_similarity(void *memory)
{
    (void)memory;
}

static spmm_status_t similarity_of(const struct spmmi_search *s, double *ratio, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_pattern *const a = s->pattern;
    struct similarity *known = spmmi_search_cache(s, "row similarity", sizeof *known, close_similarity);
    SPMM_TRY_ALLOC(known, diag);
    if (known->ratio == 0) {
        status = spmmi_row_similarity(a->rows, a->cols, a->row_ptr, a->col_ind, s->request->threads,
                                      &known->ratio);
        SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the similarity of rows");
    }
    *ratio = known->ratio;
cleanup:
    return status;
}

/* Sets *bound to the least time that a permutation could reach, in seconds. It depends on the pattern alone, not
 * on what other searches have tried. The sample for the row similarity is taken only where it can change the
 * outcome. */
static spmm_status_t find_bound(const struct spmmi_search *s, const struct spmmi_candidate *leader,
                                double *bound, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    double similarity = 0;
    *bound = leader->weighed / PERMUTATION_PRUNING_FACTOR;
    if (*bound < s->best || leader->weighed / PERMUTATION_PRUNING_MAX >= s->best)
        goto cleanup;
    SPMM_TRY(similarity_of(s, &similarity, diag));
    *bound = fmax(*bound * fmin(similarity, 1), leader->weighed / PERMUTATION_PRUNING_MAX);
cleanup:
    return status;
}

/* Finds a reason against trying any permutation, or reason 0, and sets *bound as find_bound does. Permutations
 * take longer than the rest of an inspection. A free choice tries them only if the blocks of row windows are
 * neither too sparse nor already dense, and if the family is close enough to the best time so far. */
static spmm_status_t find_reason_against_all(const struct spmmi_search *s,
                                             const struct spmmi_candidate *leader, double density,
                                             double *bound, struct spmmi_evidence *why, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const double full = s->pattern->nnz < SMALL_NONZEROS ? SMALL_FILL : PERMUTATION_FILL;
    *why = spmmi_why((enum spmmi_reason)0, 0, 0);
    if (density < DENSITY_MIN)
        *why = spmmi_why(SPMMI_REASON_DENSITY, density, DENSITY_MIN);
    else if (density >= full)
        *why = spmmi_why(SPMMI_REASON_FULL, density, full);
    if (why->reason != 0)
        goto cleanup;
    SPMM_TRY(find_bound(s, leader, bound, diag));
    if (*bound >= s->best)
        *why = spmmi_why(SPMMI_REASON_PRUNED, US_PER_SECOND * *bound, US_PER_SECOND * s->best);
cleanup:
    return status;
}

/* Finds a reason against permutations that look for similar rows: a sample must find similar rows
 * that are not neighbours. Matrices with long rows need no sample, because the cost of permuting
 * grows with the number of rows. */
static spmm_status_t find_reason_against_similar(const struct spmmi_search *s, struct spmmi_evidence *why,
                                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    double similarity = 0;
    *why = spmmi_why((enum spmmi_reason)0, 0, 0);
    if (s->pattern->mean >= (s->pattern->nnz < SMALL_NONZEROS ? SMALL_LONG_ROWS : LONG_ROWS))
        goto cleanup;
    SPMM_TRY(similarity_of(s, &similarity, diag));
    if (similarity >= SIMILARITY_MAX)
        *why = spmmi_why(SPMMI_REASON_SIMILARITY, similarity, SIMILARITY_MAX);
cleanup:
    return status;
}

/* Returns true if blocks of row windows, or working sets of row blocks, shrink below this share. Returns
 * false if `after` is NULL. */
static bool shrinks(const struct spmmi_tcblock_analysis *after, const struct spmmi_tcblock_analysis *before,
                    double share)
{
    bool is_less = after != NULL &&
                   after->counts[SPMMI_TCBLOCK_8].blocks < share * before->counts[SPMMI_TCBLOCK_8].blocks;
    for (int unit = SPMMI_TCBLOCK_64; unit <= SPMMI_TCBLOCK_128 && after != NULL; unit++)
        is_less = is_less || after->counts[unit].working_set < share * before->counts[unit].working_set;
    return is_less;
}

/* Returns true if row blocks are slices: their row windows read mostly different columns. */
static bool is_sliced(const struct spmmi_tcblock_analysis *natural)
{
    const struct spmmi_tcblock_counts *const blocks = &natural->counts[SPMMI_TCBLOCK_64];
    const struct spmmi_tcblock_counts *const windows = &natural->counts[SPMMI_TCBLOCK_8];
    const double of_blocks = blocks->working_set * blocks->unit_rows,
                 of_windows = windows->working_set * windows->unit_rows;
    return of_blocks >= SLICES_MIN * of_windows && of_blocks <= SLICES_MAX * of_windows;
}

/* Emits the candidates of one kind of permutation. *after becomes NULL if the kind does not fit the matrix,
 * or leaves its order unchanged. */
static spmm_status_t try_permutation(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                                     spmm_reorder_t kind, const struct spmmi_tcblock_analysis **after,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_row_permutation *permutation = NULL;
    *after = NULL;
    if (s->pattern->rows != s->pattern->cols && spmmi_reorder_of(kind)->limits.is_square)
        goto cleanup;
    SPMM_TRY(spmmi_row_permutation_of(s->permutations, kind, &permutation, diag));
    if (permutation->permutation == NULL)
        goto cleanup;
    SPMM_TRY(spmmi_tcblock_analysis_of(s, permutation->permutation, after, diag));
    SPMM_TRY(spmmi_tcblock_emit(s, rules, permutation, diag));
cleanup:
    return status;
}

/* The caller named the family: tries all permutations. */
static spmm_status_t try_all(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                             spmm_diag_t *diag)
{
    static const spmm_reorder_t kinds[] = {SPMMI_REORDER_GROWING, SPMM_REORDER_MINHASH, SPMM_REORDER_RCM,
                                           SPMM_REORDER_RADIX};
    spmm_status_t status = SPMM_OK;
    const struct spmmi_tcblock_analysis *after = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        SPMM_TRY(try_permutation(s, rules, kinds[i], &after, diag));
cleanup:
    return status;
}

/* A free choice: tries clusters of a mesh or a lattice, then of similar rows. The other permutations are
 * tried only if similar rows gain much or, after clusters that gain much, gain anything more. */
static spmm_status_t try_some(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                              const struct spmmi_tcblock_analysis *natural, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_evidence why;
    const struct spmmi_tcblock_analysis *grown = NULL, *after = NULL;
    if (is_sliced(natural))
        SPMM_TRY(try_permutation(s, rules, SPMMI_REORDER_GROWING, &grown, diag));
    SPMM_TRY(find_reason_against_similar(s, &why, diag));
    if (why.reason != 0) {
        status = spmmi_search_refuse(s, rules->family, (spmm_schedule_t)0, SPMM_REORDER_MINHASH, &why, diag);
        goto cleanup;
    }
    SPMM_TRY(try_permutation(s, rules, SPMM_REORDER_MINHASH, &after, diag));
    if (!(shrinks(grown, natural, PERMUTATION_GAIN) ? shrinks(after, grown, 1)
                                                    : shrinks(after, natural, PERMUTATION_GAIN)))
        goto cleanup;
    SPMM_TRY(try_permutation(s, rules, SPMM_REORDER_RCM, &after, diag));
    if (s->pattern->rows != s->pattern->cols || shrinks(after, natural, PERMUTATION_GAIN))
        SPMM_TRY(try_permutation(s, rules, SPMM_REORDER_RADIX, &after, diag));
cleanup:
    return status;
}

static spmm_status_t consider_permutations(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                                           spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_candidate *const leader =
        spmmi_search_leader(s, rules->family, (spmm_schedule_t)0, false);
    const struct spmmi_tcblock_analysis *natural = NULL;
    struct spmmi_evidence why = spmmi_why((enum spmmi_reason)0, 0, 0);
    bool repays = true;
    double bound = 0;
    if (leader == NULL || s->request->options.reorder != SPMM_REORDER_AUTO)
        goto cleanup;
    bound = leader->weighed / PERMUTATION_PRUNING_FACTOR;
    SPMM_TRY(spmmi_tcblock_analysis_of(s, NULL, &natural, diag));
    if (!spmmi_is_forced(s))
        SPMM_TRY(find_reason_against_all(s, leader, spmmi_tcblock_analysis_fill(natural, SPMMI_TCBLOCK_8),
                                         &bound, &why, diag));
    if (why.reason != 0) {
        SPMM_TRY(spmmi_search_refuse(s, rules->family, (spmm_schedule_t)0, SPMM_REORDER_MINHASH, &why, diag));
        goto cleanup;
    }
    SPMM_TRY(spmmi_search_repays(s, rules->family, SPMM_REORDER_MINHASH, spmmi_permutation_seconds(s), bound,
                                 &repays, diag));
    if (repays)
        SPMM_TRY(spmmi_is_forced(s) ? try_all(s, rules, diag) : try_some(s, rules, natural, diag));
cleanup:
    return status;
}

/* ---- Long-row splits ---- */

static void close_analysis(void *analysis)
{
    spmmi_tcblock_analysis_close(analysis);
    spmmi_free(analysis);
}

/* Counts the metrics of the remaining rows, in their order. */
static spmm_status_t analysis_left(const struct spmmi_search *s, const struct spmmi_pattern *left,
                                   const uint32_t *rows, struct spmmi_long_rows_split *long_rows,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_request *const r = s->request;
    struct spmmi_tcblock_analysis *analysis = spmmi_alloc_zero(1, sizeof *analysis);
    SPMM_TRY_ALLOC(analysis, diag);
    long_rows->left = analysis;
    long_rows->close_left = close_analysis;
    status = spmmi_tcblock_analysis_open(left, rows, r->options.a_type, spmmi_tcblock_sample(r, s->pattern),
                                         r->threads, analysis);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the metrics of tensor-core blocks");
cleanup:
    return status;
}

/* Emits the best configuration of a schedule without its long rows, if the split may pay. */
static spmm_status_t split_rows(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                                spmm_schedule_t schedule, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_candidate *const leader = spmmi_search_leader(s, rules->family, schedule, true);
    const struct spmmi_tcblock_analysis *whole = NULL;
    const struct spmmi_long_rows_split *long_rows = NULL;
    if (leader == NULL)
        goto cleanup;
    SPMM_TRY(spmmi_tcblock_analysis_of(s, leader->permutation, &whole, diag));
    if (!spmmi_long_rows_split_may_pay(s, leader, spmmi_tcblock_analysis_fill(whole, SPMMI_TCBLOCK_8)))
        goto cleanup;
    SPMM_TRY(
        spmmi_long_rows_split_of(s, leader->permutation, leader->unit_rows, analysis_left, &long_rows, diag));
    if (long_rows->left == NULL)
        goto cleanup;
    const enum spmmi_tcblock_unit unit = spmmi_tcblock_unit_of(rules->family, leader->unit_rows);
    const struct spmmi_tcblock_analysis *const left = long_rows->left;
    struct spmmi_model_tcblocks metrics;
    struct spmmi_candidate c = {.permutation = leader->permutation,
                                .permutation_kind = leader->permutation_kind,
                                .inspect_seconds = leader->inspect_seconds,
                                .long_rows = long_rows,
                                .more_seconds = spmmi_long_rows_split_seconds(s, long_rows)};
    c.evidence[c.evidence_count++] =
        spmmi_why(SPMMI_REASON_LONG_ROWS, (double)long_rows->count, (double)long_rows->nnz);
    c.evidence[c.evidence_count++] =
        spmmi_why(SPMMI_REASON_LONG_ROWS_BLOCKS, left->counts[unit].blocks, whole->counts[unit].blocks);
    spmmi_tcblock_candidate(s, rules, left, unit, schedule, &metrics, &c);
    SPMM_TRY(spmmi_search_emit(s, &c, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_tcblock_refine(struct spmmi_search *s, const struct spmmi_tcblock_rules *rules,
                                   spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(consider_permutations(s, rules, diag));
    for (int schedule = SPMM_SCHEDULE_DENSE; schedule <= SPMM_SCHEDULE_PACKED; schedule++)
        SPMM_TRY(split_rows(s, rules, (spmm_schedule_t)schedule, diag));
cleanup:
    return status;
}
