/* SPDX-License-Identifier: Apache-2.0 */
/* See dense_own_cuda.h. */
#include "dense_own_cuda.h"

#include "format/family.h"

/* Returns true if vectors of this many values of B are aligned as kernels of narrow products load them. */
static int is_aligned(const spmm_dense_t *b, int64_t values)
{
    return (uintptr_t)b->data % ((uint64_t)values * spmm_dtype_size(b->type)) == 0 && b->ld % values == 0 &&
           (b->layout == SPMM_ROW_MAJOR ? b->cols : b->rows) % values == 0;
}

struct spmmi_dense_narrow_shape spmmi_dense_narrow_of(const struct spmmi_device *device,
                                                      const struct spmmi_dense_a *a,
                                                      const struct spmmi_product *p)
{
    static const struct spmmi_dense_narrow_shape none = {0};
    const struct spmmi_dense_narrow operands = {a->rows,
                                                (uint32_t)spmm_dtype_size(a->dtype),
                                                device->multiprocessors,
                                                p->b.layout != SPMM_ROW_MAJOR,
                                                a->lda,
                                                p->b.cols};
    const struct spmmi_dense_narrow_shape shape = spmmi_dense_narrow(&operands);
    const int is_taken = device->target >= SPMMI_DENSE_NARROW_TARGET && a->whole != NULL &&
                         (a->dtype != SPMM_F32 || spmmi_is_tf32(p->compute));
    return is_taken && shape.columns > 0 &&
                   is_aligned(&p->b, spmmi_dense_narrow_vector(&operands, shape.columns))
               ? shape
               : none;
}

int spmmi_dense_library_copies_c(const struct spmmi_product *p)
{
    const size_t bytes = spmm_dtype_size(p->c.type);
    const int64_t first = (int64_t)((uintptr_t)p->c.data / bytes % SPMMI_DENSE_C_WORD);
    return p->c.layout == SPMM_COL_MAJOR && p->beta == 0 && spmmi_dense_copies_c(bytes, p->c.ld | first);
}

int spmmi_dense_tile_reads(const struct spmmi_dense_a *a, const spmm_dense_t *b)
{
    return ((uintptr_t)b->data | (uintptr_t)b->ld * spmm_dtype_size(a->dtype)) % SPMMI_DENSE_ROW_BYTES == 0;
}

struct spmmi_dense_tile_shape spmmi_dense_tile_of(const struct spmmi_device *device,
                                                  const struct spmmi_dense_a *a,
                                                  const struct spmmi_product *p)
{
    static const struct spmmi_dense_tile_shape none = {0};
    const int is_columns = p->b.layout != SPMM_ROW_MAJOR, is_swapped = p->c.layout != SPMM_ROW_MAJOR;
    const size_t bytes = spmm_dtype_size(a->dtype);
    const struct spmmi_dense_tile operands = {device->multiprocessors,
                                              is_columns,
                                              is_swapped,
                                              spmmi_dense_library_copies_c(p),
                                              is_swapped ? p->b.cols : a->rows,
                                              is_swapped ? a->rows : p->b.cols,
                                              a->cols};
    const int has_form = is_columns && spmmi_dense_pads(a->rows, a->cols, bytes);
    const int is_taken = device->target == SPMMI_DENSE_TILE_TARGET && bytes == 2 &&
                         (has_form || spmmi_dense_tile_reads(a, &p->b));
    return is_taken ? spmmi_dense_tile(&operands) : none;
}
