/* SPDX-License-Identifier: Apache-2.0 */
/* Computes groups of rows of C, for one value type and SIMD level. No include guard. A sum is a vector with
 * one element per row. The products of each row are still added one by one, by ascending k. */

/* A vector with one element per row of the group. */
#ifdef SPGEMM_VECTOR
typedef SPGEMM_VECTOR SPGEMM(lanes);
#define SPGEMM_LOAD(from) SPGEMM_INTRINSIC(loadu)(from)
#define SPGEMM_STORE(to, x) SPGEMM_INTRINSIC(storeu)(to, x)
#define SPGEMM_ADD(a, b, x) SPGEMM_INTRINSIC(fmadd)(a, SPGEMM_INTRINSIC(set1)(b), x)
#else
typedef struct {
    REAL row[SPMMI_SPGEMM_LANES];
} SPGEMM(lanes);

static inline SPGEMM(lanes) SPGEMM(load)(const REAL *from)
{
    SPGEMM(lanes) x;
    memcpy(x.row, from, sizeof x.row);
    return x;
}

static inline SPGEMM(lanes) SPGEMM(add_product)(SPGEMM(lanes) a, REAL b, SPGEMM(lanes) x)
{
    for (int r = 0; r < SPMMI_SPGEMM_LANES; r++)
        x.row[r] = FMA(a.row[r], b, x.row[r]);
    return x;
}
#define SPGEMM_LOAD(from) SPGEMM(load)(from)
#define SPGEMM_STORE(to, x) memcpy(to, (x).row, sizeof(x).row)
#define SPGEMM_ADD(a, b, x) SPGEMM(add_product)(a, b, x)
#endif

/* Up to SPMMI_SPGEMM_DEPTH consecutive entries of the left factor whose rows of the right factor have equal
 * columns. */
struct SPGEMM(bundle) {
    REAL a[SPMMI_SPGEMM_DEPTH][SPMMI_SPGEMM_LANES];
    const REAL *b[SPMMI_SPGEMM_DEPTH];
    int64_t count; /* number of columns */
    int depth;
};

/* Expands to a loop with constant depth and type, so that the vectors a stay in registers. */
#define SPGEMM_BUNDLE(type, depth)                                                               \
    do {                                                                                         \
        SPGEMM(lanes) a[depth];                                                                  \
        for (int k = 0; k < (depth); k++)                                                        \
            a[k] = SPGEMM_LOAD(g->a[k]);                                                         \
        for (int64_t j = 0; j < count; j++) {                                                    \
            REAL *const sum = sums + (int64_t)((const type *)positions)[j] * SPMMI_SPGEMM_LANES; \
            SPGEMM(lanes) x = SPGEMM_LOAD(sum);                                                  \
            for (int k = 0; k < (depth); k++)                                                    \
                x = SPGEMM_ADD(a[k], b[k][j], x);                                                \
            SPGEMM_STORE(sum, x);                                                                \
        }                                                                                        \
    } while (0)
#define SPGEMM_BUNDLES(type)        \
    do {                            \
        if (g->depth == 1)          \
            SPGEMM_BUNDLE(type, 1); \
        else if (g->depth == 2)     \
            SPGEMM_BUNDLE(type, 2); \
        else if (g->depth == 3)     \
            SPGEMM_BUNDLE(type, 3); \
        else                        \
            SPGEMM_BUNDLE(type, 4); \
    } while (0)

TARGET static void SPGEMM(add_bundle)(const struct SPGEMM(bundle) * g, const void *positions, uint32_t width,
                                      REAL *sums)
{
    const int64_t count = g->count;
    const REAL *const b[] = {g->b[0], g->b[1], g->b[2], g->b[3]};
    if (width == 1)
        SPGEMM_BUNDLES(uint8_t);
    else if (width == 2)
        SPGEMM_BUNDLES(uint16_t);
    else
        SPGEMM_BUNDLES(uint32_t);
}
#undef SPGEMM_BUNDLES
#undef SPGEMM_BUNDLE
#undef SPGEMM_LOAD
#undef SPGEMM_STORE
#undef SPGEMM_ADD

/* Fills the bundle that begins with entry t of row i: that entry and those after it that can be processed
 * with it, for `rows` rows. */
TARGET static inline void SPGEMM(bundle_at)(const struct spmmi_spgemm_stage *stage,
                                            const struct spmmi_spgemm_values *values, int64_t i, int rows,
                                            int64_t t, struct SPGEMM(bundle) * g)
{
    const struct spmmi_csr_pattern *left = &stage->task.left, *right = &stage->task.right;
    const int64_t length = left->row_ptr[i + 1] - left->row_ptr[i];
    const int32_t *columns = left->col_ind + left->row_ptr[i] + t;
    const REAL *a = (const REAL *)values->left + left->row_ptr[i] + t, *diagonal = values->diagonal;
    int k = 0;
    g->count = right->row_ptr[columns[0] + 1] - right->row_ptr[columns[0]];
    do {
        g->b[k] = (const REAL *)values->right + right->row_ptr[columns[k]];
        for (int r = 0; r < rows; r++)
            g->a[k][r] = diagonal != NULL ? a[r * length + k] * diagonal[columns[k]] : a[r * length + k];
        k++;
    } while (k < SPMMI_SPGEMM_DEPTH && t + k < length && columns[k] == columns[k - 1] + 1 &&
             stage->follows[columns[k]] == 1);
    g->depth = k;
}

/* Computes rows i to i + rows - 1 of C. sums: SPMMI_SPGEMM_LANES elements per entry; lanes from `rows` on are
 * not used. */
TARGET static void SPGEMM(by_group)(const struct spmmi_spgemm_stage *stage,
                                    const struct spmmi_spgemm_values *values, int64_t i, int rows, REAL *sums)
{
    const int64_t *left = stage->task.left.row_ptr, *c = stage->c.row_ptr;
    const int64_t entries = c[i + 1] - c[i], length = left[i + 1] - left[i];
    const uint32_t width = spmmi_spgemm_width(entries);
    const uint8_t *at = stage->positions + stage->position_at[i];
    struct SPGEMM(bundle) g = {.count = 0};
    memset(sums, 0, (size_t)entries * SPMMI_SPGEMM_LANES * sizeof *sums);
    for (int64_t t = 0; t < length; t += g.depth) {
        SPGEMM(bundle_at)(stage, values, i, rows, t, &g);
        SPGEMM(add_bundle)(&g, at, width, sums);
        at += (uint64_t)(g.count * g.depth) * width;
    }
    for (int r = 0; r < rows; r++)
        for (int64_t q = 0; q < entries; q++)
            SPGEMM(put)(values, c[i + r] + q, sums[q * SPMMI_SPGEMM_LANES + r]);
}
