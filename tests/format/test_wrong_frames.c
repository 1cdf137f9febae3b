/* SPDX-License-Identifier: Apache-2.0 */
/* Large plans with several damaged frames: the first of them is reported, with any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/file/plan_header.h"
#include "tests/support/forge.h"
#include "tests/support/plan_seal.h"

#define SIDE 1100 /* the matrix is full: five frames of values, three of columns */

static uint8_t *large_file(size_t *size)
{
    struct test_matrix a = {.name = "large", .rows = SIDE, .cols = SIDE, .nnz = (int64_t)SIDE * SIDE};
    a.row_ptr = calloc(SIDE + 1, sizeof *a.row_ptr);
    a.col_ind = calloc((size_t)a.nnz, sizeof *a.col_ind);
    a.values = calloc((size_t)a.nnz, sizeof *a.values);
    for (int64_t p = 0; p < a.nnz; p++) {
        a.col_ind[p] = (int32_t)(p % SIDE);
        a.values[p] = test_real((uint64_t)p, 1);
        a.row_ptr[p / SIDE + 1] = p + 1;
    }
    spmm_plan_t *plan = test_plan_whole(
        &a, (struct test_plan_options){SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 4, 0, 0}, "large");
    const spmm_save_options_t save = {sizeof save, 1, 0, 1};
    void *bytes = NULL;
    assert_int_equal(spmm_plan_write(plan, &save, &bytes, size, NULL), SPMM_OK);
    uint8_t *file = malloc(*size);
    memcpy(file, bytes, *size);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    free(a.row_ptr);
    free(a.col_ind);
    free(a.values);
    return file;
}

/* Copies the frames of a section. Returns their number. */
static uint64_t frames_of(const uint8_t *file, size_t size, uint32_t type, struct spmmi_frame frames[8])
{
    struct spmmi_container c;
    assert_int_equal(spmmi_container_open(file, size, &c, NULL), SPMM_OK);
    assert_int_equal(spmmi_container_frames(&c, 1, NULL), SPMM_OK);
    const int entry = spmmi_container_find(&c, type, SPMMI_NO_PART);
    const uint64_t first = c.frame_first[entry], count = c.frame_first[entry + 1] - first;
    assert_in_range(count, 2, 8);
    memcpy(frames, c.frames + first, count * sizeof *frames);
    spmmi_free(c.frames);
    return count;
}

/* Damages all frames from `first` on and expects that the load reports the first. with_hashes: the hashes are
 * repaired, so that decoding finds the damage. */
static void damage_and_load(const uint8_t *good, size_t size, const struct spmmi_frame *frames,
                            uint64_t first, uint64_t count, int with_hashes)
{
    static const int threads[] = {1, 2, 8};
    uint8_t *bad = malloc(size);
    memcpy(bad, good, size);
    for (uint64_t f = first; f < count; f++)
        bad[frames[f].offset + frames[f].stored_bytes / 2] ^= 1;
    if (with_hashes)
        forge_repair(bad, size);
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        const spmm_load_options_t load = {sizeof load, 0, threads[t]};
        spmm_plan_t *plan = NULL;
        spmm_diag_t diag;
        assert_int_equal(spmm_plan_read(bad, size, &load, &plan, &diag),
                         with_hashes ? SPMM_ERR_PLAN_FRAME : SPMM_ERR_PLAN_CHECKSUM);
        assert_int_equal(diag.offset, frames[first].offset);
        assert_null(plan);
    }
    free(bad);
}

static void the_first_wrong_frame_is_told(void **state)
{
    static const uint32_t sections[] = {SPMMI_SECTION_COL_IND, SPMMI_SECTION_VALUES};
    size_t size = 0;
    uint8_t *good = large_file(&size);
    (void)state;
    for (size_t s = 0; s < sizeof sections / sizeof sections[0]; s++) {
        struct spmmi_frame frames[8];
        const uint64_t count = frames_of(good, size, sections[s], frames);
        for (uint64_t first = 0; first < count; first++)
            for (int with_hashes = 0; with_hashes < 2; with_hashes++)
                damage_and_load(good, size, frames, first, count, with_hashes);
    }
    free(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_wrong_frame_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
