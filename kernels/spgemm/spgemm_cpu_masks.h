/* SPDX-License-Identifier: Apache-2.0 */
/* Computes rows of C by masks (spgemm_masks.h), for one value type and SIMD level. No include guard. Each
 * lane of a window is a sum of its own, so products are still added one after the other, by ascending k.
 * These functions are inlined so that loops over rows and windows have constant bounds and the sums stay in
 * registers. */
#undef SPGEMM_INLINE
#define SPGEMM_INLINE TARGET static inline __attribute__((always_inline))

#undef SPGEMM_BITS
#ifdef SPGEMM_WINDOW_VECTOR
#define SPGEMM_BITS(mask) _mm_popcnt_u32(mask)
typedef SPGEMM_WINDOW_VECTOR SPGEMM(window);

SPGEMM_INLINE SPGEMM(window) SPGEMM(window_of)(REAL x)
{
    return SPGEMM_WINDOW_INTRINSIC(set1)(x);
}

/* Expands the next elements of b to the lanes whose bits are set in the mask, one element per bit. Other
 * lanes have unspecified values. Reads all 8 elements from b on. */
SPGEMM_INLINE SPGEMM(window) SPGEMM(expand)(const REAL *b, uint32_t mask)
{
    const __m128i ranks = _mm_loadl_epi64((const __m128i *)(const void *)&spgemm_ranks[mask]);
    return SPGEMM_WINDOW_INTRINSIC(permutexvar)(SPGEMM_WINDOW_LANES(ranks),
                                                SPGEMM_WINDOW_INTRINSIC(loadu)(b));
}

/* Adds a product in each lane of the mask. */
SPGEMM_INLINE SPGEMM(window)
    SPGEMM(add_expanded)(SPGEMM(window) x, REAL a, SPGEMM(window) expanded, uint32_t mask)
{
    return SPGEMM_WINDOW_INTRINSIC(mask3_fmadd)(SPGEMM(window_of)(a), expanded, x, (__mmask8)mask);
}

SPGEMM_INLINE SPGEMM(window) SPGEMM(add_sums)(SPGEMM(window) x, SPGEMM(window) y)
{
    return SPGEMM_WINDOW_INTRINSIC(add)(x, y);
}

/* Writes the first `count` sums of the window, which belong to the entries of C from q on; none if
 * count < 1. */
SPGEMM_INLINE void SPGEMM(put_window)(const struct spmmi_spgemm_values *values, int64_t q, int64_t count,
                                      SPGEMM(window) x)
{
    const SPGEMM(window) alpha = SPGEMM(window_of)((REAL)values->alpha);
    const int lanes = count >= SPGEMM_WINDOW ? SPGEMM_WINDOW : count > 0 ? (int)count : 0;
    const __mmask8 mask = (__mmask8)((1 << lanes) - 1);
    REAL *const c = (REAL *)values->c + q;
    if (values->beta == 0) {
        x = SPGEMM_WINDOW_INTRINSIC(mul)(alpha, x);
    } else {
        const SPGEMM(window) beta = SPGEMM(window_of)((REAL)values->beta);
        const SPGEMM(window) before = SPGEMM_WINDOW_INTRINSIC(maskz_loadu)(mask, c);
        x = SPGEMM_WINDOW_INTRINSIC(fmadd)(alpha, x, SPGEMM_WINDOW_INTRINSIC(mul)(beta, before));
    }
    SPGEMM_WINDOW_INTRINSIC(mask_storeu)(c, mask, x);
}
#else
#define SPGEMM_BITS(mask) spgemm_bits[mask]
typedef struct {
    REAL lane[SPGEMM_WINDOW];
} SPGEMM(window);

SPGEMM_INLINE SPGEMM(window) SPGEMM(window_of)(REAL x)
{
    SPGEMM(window) w;
    for (int l = 0; l < SPGEMM_WINDOW; l++)
        w.lane[l] = x;
    return w;
}

SPGEMM_INLINE SPGEMM(window) SPGEMM(expand)(const REAL *b, uint32_t mask)
{
    SPGEMM(window) w = SPGEMM(window_of)(0);
    for (int l = 0; l < SPGEMM_WINDOW; l++)
        if (mask >> l & 1)
            w.lane[l] = *b++;
    return w;
}

SPGEMM_INLINE SPGEMM(window)
    SPGEMM(add_expanded)(SPGEMM(window) x, REAL a, SPGEMM(window) expanded, uint32_t mask)
{
    for (int l = 0; l < SPGEMM_WINDOW; l++)
        if (mask >> l & 1)
            x.lane[l] = FMA(a, expanded.lane[l], x.lane[l]);
    return x;
}

SPGEMM_INLINE SPGEMM(window) SPGEMM(add_sums)(SPGEMM(window) x, SPGEMM(window) y)
{
    for (int l = 0; l < SPGEMM_WINDOW; l++)
        x.lane[l] += y.lane[l];
    return x;
}

SPGEMM_INLINE void SPGEMM(put_window)(const struct spmmi_spgemm_values *values, int64_t q, int64_t count,
                                      SPGEMM(window) x)
{
    for (int64_t l = 0; l < SPGEMM_WINDOW && l < count; l++)
        SPGEMM(put)(values, q + l, x.lane[l]);
}
#endif

/* The windows of one panel or of a short row, for up to SPMMI_SPGEMM_LANES rows that are alike. sums: of the
 * current piece; totals: of the pieces that have ended. */
struct SPGEMM(panel) {
    SPGEMM(window) sums[SPMMI_SPGEMM_LANES][SPGEMM_PANEL_WINDOWS];
    SPGEMM(window) totals[SPMMI_SPGEMM_LANES][SPGEMM_PANEL_WINDOWS];
};
#undef SPGEMM_EACH_WINDOW
#define SPGEMM_EACH_WINDOW                                 \
    _Pragma("GCC unroll 4") for (int r = 0; r < rows; r++) \
        _Pragma("GCC unroll 4") for (int w = 0; w < windows; w++)

/* Totals start at -0, because -0 + x is x for every first sum x, also for x = -0. */
SPGEMM_INLINE void SPGEMM(begin)(struct SPGEMM(panel) * t, int rows, int windows)
{
    SPGEMM_EACH_WINDOW
    {
        t->sums[r][w] = SPGEMM(window_of)(0);
        t->totals[r][w] = SPGEMM(window_of)(-(REAL)0);
    }
}

/* Adds the sums of a piece that ended to the totals. If more pieces ended, they had no products, and adding
 * their 0 once is enough. */
SPGEMM_INLINE void SPGEMM(end_pieces)(struct SPGEMM(panel) * t, int rows, int windows, uint32_t ended)
{
    SPGEMM_EACH_WINDOW
    {
        t->totals[r][w] = SPGEMM(add_sums)(t->totals[r][w], t->sums[r][w]);
        t->sums[r][w] = SPGEMM(window_of)(0);
        if (ended > 1)
            t->totals[r][w] = SPGEMM(add_sums)(t->totals[r][w], t->sums[r][w]);
    }
}

/* Multiplies entry p of the left factor, and the corresponding entries of the other rows, which are `length`
 * apart, by the row of the right factor, from its element `start` on. The mask of the first window is the
 * lowest byte of masks. */
SPGEMM_INLINE void SPGEMM(add_windows)(const struct spmmi_spgemm_stage *stage,
                                       const struct spmmi_spgemm_values *values, int64_t p, int64_t length,
                                       int64_t start, uint32_t masks, int rows, int windows,
                                       struct SPGEMM(panel) * t)
{
    const int32_t k = stage->task.left.col_ind[p];
    const REAL *b = (const REAL *)values->right + stage->task.right.row_ptr[k] + start;
    REAL a[SPMMI_SPGEMM_LANES];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) {
        a[r] = ((const REAL *)values->left)[p + r * length];
        if (values->diagonal != NULL)
            a[r] *= ((const REAL *)values->diagonal)[k];
    }
#pragma GCC unroll 4
    for (int w = 0; w < windows; w++) {
        const uint32_t mask = masks & 255;
        const SPGEMM(window) expanded = SPGEMM(expand)(b, mask);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++)
            t->sums[r][w] = SPGEMM(add_expanded)(t->sums[r][w], a[r], expanded, mask);
        b += SPGEMM_BITS(mask);
        masks >>= SPGEMM_WINDOW;
    }
}

/* Computes a row with this number of windows. */
SPGEMM_INLINE void SPGEMM(short_row)(const struct spmmi_spgemm_stage *stage,
                                     const struct spmmi_spgemm_values *values, int64_t i, int windows,
                                     const uint8_t *masks)
{
    const int64_t q = stage->c.row_ptr[i], entries = stage->c.row_ptr[i + 1] - q;
    const int64_t end = stage->task.left.row_ptr[i + 1];
    const int bytes = spmmi_spgemm_mask_bytes(windows);
    struct SPGEMM(panel) t;
    SPGEMM(begin)(&t, 1, windows);
    for (int64_t p = stage->task.left.row_ptr[i]; p < end; p++, masks += bytes) {
        uint32_t word = 0;
        memcpy(&word, masks, (size_t)bytes);
        SPGEMM(ask)(&stage->task, p, (const REAL *)values->right, NULL);
        SPGEMM(add_windows)(stage, values, p, 0, 0, word, 1, windows, &t);
    }
#pragma GCC unroll 4
    for (int w = 0; w < windows; w++)
        SPGEMM(put_window)(values, q + w * SPGEMM_WINDOW, entries - w * SPGEMM_WINDOW, t.sums[0][w]);
}

/* Computes the panel that begins at entry q of rows i to i + rows - 1. Returns the end of its hits. */
SPGEMM_INLINE const uint8_t *SPGEMM(panel_of_rows)(const struct spmmi_spgemm_stage *stage,
                                                   const struct spmmi_spgemm_values *values, int64_t i,
                                                   int rows, int64_t q, const uint8_t *at)
{
    enum { windows = SPGEMM_PANEL_WINDOWS };
    const int64_t *c = stage->c.row_ptr;
    const int64_t length = stage->task.left.row_ptr[i + 1] - stage->task.left.row_ptr[i];
    int64_t p = stage->task.left.row_ptr[i];
    struct spgemm_head head;
    struct SPGEMM(panel) t;
    SPGEMM(begin)(&t, rows, windows);
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    for (uint32_t n = 0; n < head.hits; n++, at += sizeof(struct spgemm_hit)) {
        struct spgemm_hit hit;
        memcpy(&hit, at, sizeof hit);
        p += hit.at >> 2 & SPGEMM_HIT_STEP_MAX;
        if (hit.at & 3)
            SPGEMM(end_pieces)(&t, rows, windows, hit.at & 3);
        SPGEMM(add_windows)(stage, values, p, length, hit.at >> 8, hit.masks, rows, windows, &t);
    }
    SPGEMM(end_pieces)(&t, rows, windows, head.ended);
    SPGEMM_EACH_WINDOW
    SPGEMM(put_window)
    (values, c[i + r] + q + w * SPGEMM_WINDOW, c[i + 1] - c[i] - q - w * SPGEMM_WINDOW, t.totals[r][w]);
    return at;
}

SPGEMM_INLINE void SPGEMM(panels_of_rows)(const struct spmmi_spgemm_stage *stage,
                                          const struct spmmi_spgemm_values *values, int64_t i, int rows,
                                          const uint8_t *at)
{
    for (int64_t q = 0; q < stage->c.row_ptr[i + 1] - stage->c.row_ptr[i]; q += SPGEMM_PANEL)
        at = SPGEMM(panel_of_rows)(stage, values, i, rows, q, at);
}

/* Computes a row that the plan cuts, by positions, one piece after the other. memory: twice as many elements
 * as the row has entries. */
TARGET static void SPGEMM(whole_row)(const struct spmmi_spgemm_stage *stage,
                                     const struct spmmi_spgemm_values *values, int64_t i, REAL *memory)
{
    const int64_t *left = stage->task.left.row_ptr;
    const int64_t entries = stage->c.row_ptr[i + 1] - stage->c.row_ptr[i];
    const int64_t most = spmmi_spgemm_piece(stage->piece_products, entries);
    const uint8_t *positions = stage->positions + stage->position_at[i];
    const uint32_t width = spmmi_spgemm_width(entries);
    REAL *restrict const sums = memory, *restrict const totals = memory + entries;
    for (int64_t first = left[i], end = first; first < left[i + 1]; first = end) {
        int64_t products = 0;
        for (; end < left[i + 1] && products < most; end++)
            products += spmmi_spgemm_count_of(stage, end);
        memset(sums, 0, (size_t)entries * sizeof *sums);
        SPGEMM(add_by_position)(stage, values, first, end, positions, width, sums);
        positions += (uint64_t)products * width;
        for (int64_t q = 0; q < entries; q++)
            totals[q] = first == left[i] ? sums[q] : totals[q] + sums[q];
    }
    SPGEMM(put_row)(values, stage->c.row_ptr[i], entries, totals);
}

/* Computes row i by its form. Rows i to i + rows - 1 are alike; if the form allows, all are computed
 * together. Returns how many rows were computed. */
TARGET static int64_t SPGEMM(by_form)(const struct spmmi_spgemm_stage *stage,
                                      const struct spmmi_spgemm_values *values, int64_t i, int64_t rows,
                                      REAL *memory)
{
    const uint8_t *const masks = stage->positions + stage->position_at[i];
    const int form = stage->forms[i];
    if (form == SPGEMM_WHOLE)
        SPGEMM(whole_row)(stage, values, i, memory);
    else if (form == 1)
        SPGEMM(short_row)(stage, values, i, 1, masks);
    else if (form == 2)
        SPGEMM(short_row)(stage, values, i, 2, masks);
    else if (form == 3)
        SPGEMM(short_row)(stage, values, i, 3, masks);
    else if (form == 4)
        SPGEMM(short_row)(stage, values, i, 4, masks);
    else if (rows == 1)
        SPGEMM(panels_of_rows)(stage, values, i, 1, masks);
    else if (rows == 2)
        SPGEMM(panels_of_rows)(stage, values, i, 2, masks);
    else if (rows == 3)
        SPGEMM(panels_of_rows)(stage, values, i, 3, masks);
    else
        SPGEMM(panels_of_rows)(stage, values, i, 4, masks);
    return form == SPGEMM_PANELS ? rows : 1;
}
