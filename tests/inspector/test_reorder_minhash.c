/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the permutation by min-hashes: properties that every result must have, and that planted similarity
 * is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/matrix/units.h"
#include "format/matrix/sorted_columns.h"
#include "inspector/generate/generate.h"
#include "inspector/matrix/matrix.h"
#include "inspector/reorder/minhash.h"
#include "inspector/analysis/row_block_metrics.h"
#include "inspector/analysis/random.h"
#include "inspector/reorder/reorder_minhash.h"
#include "tests/support/generated.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

struct pattern {
    uint64_t units;
    int64_t cols;
    int64_t *unit_ptr; /* units + 1 elements */
    int32_t *col_ind;
};

static void *owned(uint64_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    assert_non_null(block);
    return block;
}

static void pattern_free(struct pattern *p)
{
    free(p->unit_ptr);
    free(p->col_ind);
}

/* Returns the rows of m in the given order: row i of the result is row permutation[i]. */
static struct pattern take_rows(const spmm_matrix_t *m, const int32_t *permutation)
{
    struct pattern p = {(uint64_t)m->rows, m->cols, NULL, NULL};
    p.unit_ptr = owned(p.units + 1, sizeof *p.unit_ptr);
    p.col_ind = owned((uint64_t)m->nnz, sizeof *p.col_ind);
    for (uint64_t i = 0; i < p.units; i++) {
        const int64_t first = m->row_ptr[permutation[i]], length = m->row_ptr[permutation[i] + 1] - first;
        p.unit_ptr[i + 1] = p.unit_ptr[i] + length;
        memcpy(p.col_ind + p.unit_ptr[i], m->col_ind + first, (size_t)length * sizeof *p.col_ind);
    }
    return p;
}

static struct pattern shuffled(const char *spec)
{
    spmm_matrix_t *m = test_generated(spec);
    int32_t *permutation = spmmi_random_permutation(m->rows, 7);
    assert_non_null(permutation);
    const struct pattern p = take_rows(m, permutation);
    spmmi_free(permutation);
    spmm_matrix_destroy(m);
    return p;
}

static uint32_t *reorder(const struct pattern *p, int threads)
{
    uint32_t *permutation = owned(p->units, sizeof *permutation);
    memset(permutation, 0xff, p->units * sizeof *permutation);
    assert_int_equal(spmmi_reorder_minhash(p->units, p->cols, p->unit_ptr, p->col_ind, threads, permutation),
                     SPMM_OK);
    return permutation;
}

static int64_t length_of(const struct pattern *p, uint32_t unit)
{
    return p->unit_ptr[unit + UINT64_C(1)] - p->unit_ptr[unit];
}

static int same_pattern(const struct pattern *p, uint32_t a, uint32_t b)
{
    const int64_t length = length_of(p, a);
    return length == length_of(p, b) && memcmp(p->col_ind + p->unit_ptr[a], p->col_ind + p->unit_ptr[b],
                                               (size_t)length * sizeof *p->col_ind) == 0;
}

/* Checks that each unit occurs once, units without nonzeros come last, and units with equal patterns are
 * neighbours in ascending order. */
static void is_lawful(const struct pattern *p, const uint32_t *permutation)
{
    char *seen = owned(p->units, 1);
    for (uint64_t i = 0; i < p->units; i++) {
        assert_true(permutation[i] < p->units);
        assert_int_equal(seen[permutation[i]]++, 0);
        if (i > 0 && length_of(p, permutation[i - 1]) == 0)
            assert_int_equal(length_of(p, permutation[i]), 0);
    }
    for (uint64_t i = 0, end = 0; i < p->units; i = end) {
        for (end = i + 1; end < p->units && same_pattern(p, permutation[i], permutation[end]); end++)
            assert_true(permutation[end - 1] < permutation[end]);
        for (uint64_t k = end; k < p->units && p->units <= 1000; k++)
            assert_false(same_pattern(p, permutation[i], permutation[k]));
    }
    free(seen);
}

static const char *const specs[] = {
    "gen:fem3:3:2:4",        "gen:femshuf:4:4:4",      "gen:lap27:6",          "gen:qcd:2",
    "gen:band:90:3",         "gen:band:0:3",           "gen:band:5:100",       "gen:block:64:8:2",
    "gen:rand:300:3",        "gen:rand:5:0",           "gen:rmat:9:4",         "gen:rmat:0:3",
    "gen:dense:70:9",        "gen:dense:0:3",          "gen:diag:77",          "gen:arrow:60",
    "gen:arrow:0",           "gen:empty:50:6",         "gen:empty:0:0",        "gen:powerlaw:200:40:3",
    "gen:powerlaw:900:12:2", "gen:uniform:40:900:300", "gen:uniform:5000:4:3",
};

static void is_a_valid_permutation(void **state)
{
    static const uint32_t segments[] = {0, 1, 2, 5};
    spmm_matrix_t *m = test_generated(*state);
    for (size_t i = 0; i < COUNT(segments); i++) {
        struct pattern p = {spmmi_units_count(m->rows, m->row_ptr, segments[i]), m->cols, NULL, m->col_ind};
        p.unit_ptr = owned(p.units + 1, sizeof *p.unit_ptr);
        spmmi_units_cut(m->rows, m->row_ptr, segments[i], p.unit_ptr, NULL);
        uint32_t *first = reorder(&p, 1);
        is_lawful(&p, first);
        for (int threads = 2; threads <= 3; threads++) {
            uint32_t *permutation = reorder(&p, threads);
            assert_memory_equal(permutation, first, p.units * sizeof *permutation);
            free(permutation);
        }
        free(first);
        free(p.unit_ptr);
    }
    spmm_matrix_destroy(m);
}

/* The matrices are large enough that threads share every step. */
static void permutation_does_not_depend_on_threads(void **state)
{
    static const char *const large[] = {"gen:rmat:14:6", "gen:powerlaw:30000:90:3", "gen:femshuf:18:18:18"};
    static const int threads[] = {2, 3, 11};
    (void)state;
    for (size_t i = 0; i < COUNT(large); i++) {
        struct pattern p = shuffled(large[i]);
        uint32_t *first = reorder(&p, 1);
        is_lawful(&p, first);
        for (size_t k = 0; k < COUNT(threads); k++) {
            uint32_t *permutation = reorder(&p, threads[k]);
            assert_memory_equal(permutation, first, p.units * sizeof *permutation);
            free(permutation);
        }
        free(first);
        pattern_free(&p);
    }
}

/* Returns the reuse rho of row blocks of 8 << height rows. */
static double reuse(const struct pattern *p, const uint32_t *permutation, int height)
{
    const struct spmmi_row_block_input in = {.cols = p->cols,
                                             .units = p->units,
                                             .unit_ptr = p->unit_ptr,
                                             .col_ind = p->col_ind,
                                             .permutation = permutation,
                                             .block_rows = 32,
                                             .stage_slots = 447,
                                             .value_bytes = 4,
                                             .register_tile = 8,
                                             .n = 64,
                                             .threads = 1};
    spmm_row_block_metrics_t stats;
    assert_int_equal(spmmi_row_block_metrics(&in, &stats), SPMM_OK);
    assert_true(8 << height <= 256);
    return stats.reuse[height];
}

/* Shuffled rows must regain at least 0.9 of the reuse that they had before. */
static void planted_clusters_are_found(void **state)
{
    static const char *const planted[] = {"gen:block:2048:16:4", "gen:block:3000:10:6", "gen:fem3:9:9:9"};
    (void)state;
    for (size_t i = 0; i < COUNT(planted); i++) {
        spmm_matrix_t *m = test_generated(planted[i]);
        struct pattern p = shuffled(planted[i]);
        const struct pattern natural = {p.units, p.cols, m->row_ptr, m->col_ind};
        uint32_t *permutation = reorder(&p, 2);
        for (int height = 0; height <= 1; height++) {
            assert_true(reuse(&p, NULL, height) < 0.75 * reuse(&natural, NULL, height));
            assert_true(reuse(&p, permutation, height) >= 0.9 * reuse(&natural, NULL, height));
        }
        free(permutation);
        pattern_free(&p);
        spmm_matrix_destroy(m);
    }
}

static int64_t columns_shared(const struct pattern *p, uint32_t a, uint32_t b)
{
    char *held = owned((uint64_t)p->cols, 1);
    int64_t shared = 0;
    for (int64_t i = p->unit_ptr[a]; i < p->unit_ptr[a + UINT64_C(1)]; i++)
        held[p->col_ind[i]] = 1;
    for (int64_t i = p->unit_ptr[b]; i < p->unit_ptr[b + UINT64_C(1)]; i++)
        shared += held[p->col_ind[i]];
    free(held);
    return shared;
}

/* Checks that the similarity of each candidate equals the Jaccard index. No two units may have equal
 * patterns, so that each unit is a node. has_marks: whether the array of marks per column is used. */
static void similarity_is_exact(const struct pattern *p, int has_marks)
{
    struct spmmi_minhash w = {
        .units = p->units, .unit_ptr = p->unit_ptr, .col_ind = p->col_ind, .threads = 1};
    uint64_t edges = 0;
    w.nodes = (uint32_t)p->units;
    w.head = owned(p->units, sizeof *w.head);
    w.hashes = owned(p->units, sizeof *w.hashes);
    w.signature = owned(p->units, sizeof *w.signature);
    w.keys = owned(p->units, SPMMI_MINHASH_BANDS * sizeof *w.keys);
    w.behind = owned(p->units, sizeof *w.behind);
    w.near = owned(p->units, sizeof *w.near);
    w.sorted = owned(p->units, sizeof *w.sorted);
    w.spare = owned(p->units, sizeof *w.spare);
    w.cols = p->cols;
    w.marks = has_marks ? owned((uint64_t)p->cols, sizeof *w.marks) : NULL;
    for (uint32_t node = 0; node < w.nodes; node++)
        w.head[node] = node;
    spmmi_minhash_hash_nodes(&w);
    spmmi_minhash_candidates(&w, true);
    for (uint32_t node = 0; node < w.nodes; node++)
        for (int i = 0; i < SPMMI_MINHASH_EDGES && w.near[node][i] >> 32 != 0; i++, edges++) {
            const uint32_t other = ~(uint32_t)w.near[node][i];
            const int64_t shared = columns_shared(p, node, other);
            const int64_t together = length_of(p, node) + length_of(p, other) - shared;
            assert_int_equal(w.near[node][i] >> 32, shared * (SPMMI_MINHASH_LEVELS - 1) / together);
        }
    assert_true(edges > p->units);
    free(w.marks);
    free(w.spare);
    free(w.sorted);
    free(w.near);
    free(w.behind);
    free(w.keys);
    free(w.signature);
    free(w.hashes);
    free(w.head);
}

/* Checks groups of 16 rows. Each row has `kept` of the `shared` columns of its group and `noise` other
 * columns. */
static void finds_groups(int32_t groups, int32_t shared, int32_t kept, int32_t noise)
{
    enum { rows = 16 };
    const uint64_t units = (uint64_t)groups * rows, maximum = (uint64_t)kept + (uint64_t)noise;
    struct pattern p = {units, (int64_t)groups * shared * 2, owned(units + 1, sizeof(int64_t)),
                        owned(units * maximum, sizeof(int32_t))};
    int32_t *const position = spmmi_random_permutation((int64_t)units, 3);
    assert_non_null(position);
    for (uint64_t u = 0; u < units; u++) {
        const int32_t group = position[u] / rows;
        int32_t *const columns = p.col_ind + u * maximum;
        for (int32_t i = 0; i < kept; i++)
            columns[i] = group * shared + (i * (2 * (position[u] % rows) + 5) + position[u]) % shared;
        for (int32_t i = 0; i < noise; i++)
            columns[kept + i] = groups * shared + (position[u] * 37 + i * 1009) % (groups * shared);
        const int64_t length = spmmi_sort_unique(columns, kept + noise);
        p.unit_ptr[u + 1] = p.unit_ptr[u] + length;
        memmove(p.col_ind + p.unit_ptr[u], columns, (size_t)length * sizeof *columns);
    }
    similarity_is_exact(&p, 1);
    similarity_is_exact(&p, 0);
    uint32_t *permutation = reorder(&p, 2);
    uint64_t together = 0;
    for (uint64_t i = 1; i < units; i++)
        together += position[permutation[i]] / rows == position[permutation[i - 1]] / rows;
    assert_true(together * 10 >= (uint64_t)groups * (rows - 1) * 9);
    free(permutation);
    spmmi_free(position);
    pattern_free(&p);
}

/* Short rows, then long rows. */
static void similar_rows_are_found(void **state)
{
    (void)state;
    finds_groups(200, 23, 19, 4);
    finds_groups(20, 967, 800, 160);
}

/* unit 0: {1}   1: (none)   2: {0 .. 4999}   3: {1}   4: {2, 3}   5: (none)   6: {2, 3}   7: {1} */
static void one_dense_row_and_equal_rows(void **state)
{
    enum { dense = 5000 };
    static const int64_t lengths[] = {1, 0, dense, 1, 2, 0, 2, 1};
    struct pattern p = {COUNT(lengths), dense, owned(COUNT(lengths) + 1, sizeof(int64_t)),
                        owned(dense + 7, sizeof(int32_t))};
    (void)state;
    for (size_t u = 0; u < COUNT(lengths); u++) {
        const int32_t first = lengths[u] == dense ? 0 : (int32_t)lengths[u];
        p.unit_ptr[u + 1] = p.unit_ptr[u] + lengths[u];
        for (int32_t i = 0; i < lengths[u]; i++)
            p.col_ind[p.unit_ptr[u] + i] = first + i;
    }
    static const uint32_t expected[] = {2, 0, 3, 7, 4, 6, 1, 5};
    uint32_t *permutation = reorder(&p, 1);
    is_lawful(&p, permutation);
    assert_memory_equal(permutation, expected, sizeof expected);
    free(permutation);
    pattern_free(&p);
}

/* A pattern that occurs very often fills a bucket. A full row shares min-hashes with many others. */
static void popular_patterns_and_a_full_row(void **state)
{
    enum { units = 20000, columns = 300 };
    struct pattern p = {units, columns, owned(units + 1, sizeof(int64_t)),
                        owned(2 * units + columns, sizeof(int32_t))};
    (void)state;
    for (uint64_t u = 0; u < units; u++) {
        const int full = u == 12345;
        int32_t *const at = p.col_ind + p.unit_ptr[u];
        for (int32_t i = 0; i < (full ? columns : 2); i++)
            at[i] = full ? i : i * (int32_t)(1 + u % 7);
        p.unit_ptr[u + 1] = p.unit_ptr[u] + (full ? columns : 2);
    }
    uint32_t *permutation = reorder(&p, 3);
    is_lawful(&p, permutation);
    uint64_t changes = 0;
    for (uint64_t i = 1; i < units; i++)
        changes += !same_pattern(&p, permutation[i - 1], permutation[i]);
    assert_int_equal(changes, 7);
    free(permutation);
    pattern_free(&p);
}

static void survives_short_memory(void **state)
{
    struct pattern p = shuffled("gen:block:64:8:2");
    uint32_t *permutation = owned(p.units, sizeof *permutation);
    const int64_t live = spmmi_alloc_live();
    (void)state;
    spmmi_alloc_fail_at(-1, 0);
    assert_int_equal(spmmi_reorder_minhash(p.units, p.cols, p.unit_ptr, p.col_ind, 2, permutation), SPMM_OK);
    const int64_t allocations = spmmi_alloc_count();
    assert_true(allocations > 0);
    for (int64_t k = 0; k < allocations; k++) {
        spmmi_alloc_fail_at(k, 0);
        assert_int_equal(spmmi_reorder_minhash(p.units, p.cols, p.unit_ptr, p.col_ind, 2, permutation),
                         SPMM_ERR_MEMORY);
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    free(permutation);
    pattern_free(&p);
}

/* If there are too many columns for marks, similarities are found by merging, with the same result. */
static void many_columns_change_nothing(void **state)
{
    struct pattern p = shuffled("gen:powerlaw:3000:900:14");
    (void)state;
    uint32_t *permutation = reorder(&p, 2);
    p.cols = INT32_MAX - 1;
    spmmi_alloc_peak_reset();
    uint32_t *other = reorder(&p, 2);
    assert_true(spmmi_alloc_peak_bytes() < 1 << 22);
    assert_memory_equal(permutation, other, p.units * sizeof *permutation);
    free(other);
    free(permutation);
    pattern_free(&p);
}

/* Memory must be as the header states it, by units and columns. Allocations are rounded up to a cache line
 * and more. */
static void memory_is_as_stated(void **state)
{
    struct pattern p = shuffled("gen:rand:3000:40");
    (void)state;
    for (int threads = 1; threads <= 11; threads += 5) {
        spmmi_alloc_peak_reset();
        uint32_t *permutation = reorder(&p, threads);
        const uint64_t buffers = threads < 8 ? (uint64_t)threads : 8;
        assert_true(spmmi_alloc_peak_bytes() <=
                    p.units * (210 + 4 + 16 * buffers) + (uint64_t)p.cols * buffers + UINT64_C(14) * 128);
        free(permutation);
    }
    pattern_free(&p);
}

/* Few and many keys. Some keys differ only in digits above those that are compared first. */
static void equal_keys_become_neighbours(void **state)
{
    static const uint64_t counts[] = {0, 1, 100, 5000, 40000};
    static const uint32_t masks[] = {0x7, 0xffff, 0xf0000003, 0xffffffff};
    (void)state;
    for (size_t c = 0; c < COUNT(counts); c++)
        for (size_t m = 0; m < COUNT(masks); m++) {
            uint64_t *list = owned(counts[c], sizeof *list), *other = owned(counts[c], sizeof *other);
            char *seen = owned(counts[c], 1);
            for (uint64_t i = 0; i < counts[c]; i++)
                list[i] = spmmi_key_pack((uint32_t)(spmmi_random_mix(i) >> 32) & masks[m], (uint32_t)i);
            spmmi_key_group(list, other, counts[c]);
            for (uint64_t i = 0; i < counts[c]; i++) {
                const uint32_t item = (uint32_t)list[i];
                assert_int_equal(list[i] >> 32, (uint32_t)(spmmi_random_mix(item) >> 32) & masks[m]);
                assert_int_equal(seen[item]++, 0);
                if (i > 0 && list[i] >> 32 == list[i - 1] >> 32)
                    assert_true(item > (uint32_t)list[i - 1]);
            }
            spmmi_radix_sort(list, other, counts[c]); /* there must be one run per key */
            uint64_t keys = 0, runs = 0;
            for (uint64_t i = 0; i < counts[c]; i++)
                keys += i == 0 || list[i] >> 32 != list[i - 1] >> 32;
            for (uint64_t i = 0; i < counts[c]; i++)
                list[i] = spmmi_key_pack((uint32_t)(spmmi_random_mix(i) >> 32) & masks[m], (uint32_t)i);
            spmmi_key_group(list, other, counts[c]);
            for (uint64_t i = 0; i < counts[c]; i++)
                runs += i == 0 || list[i] >> 32 != list[i - 1] >> 32;
            assert_int_equal(runs, keys);
            free(seen);
            free(other);
            free(list);
        }
}

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(permutation_does_not_depend_on_threads),
        cmocka_unit_test(planted_clusters_are_found),
        cmocka_unit_test(similar_rows_are_found),
        cmocka_unit_test(one_dense_row_and_equal_rows),
        cmocka_unit_test(popular_patterns_and_a_full_row),
        cmocka_unit_test(survives_short_memory),
        cmocka_unit_test(many_columns_change_nothing),
        cmocka_unit_test(memory_is_as_stated),
        cmocka_unit_test(equal_keys_become_neighbours),
    };
    struct CMUnitTest tests[COUNT(specs) + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(specs); i++)
        tests[count++] =
            (struct CMUnitTest){specs[i], is_a_valid_permutation, NULL, NULL, (void *)(uintptr_t)specs[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return cmocka_run_group_tests_name("reorder_minhash", tests, NULL, NULL);
}
