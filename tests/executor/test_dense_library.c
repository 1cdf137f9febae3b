/* SPDX-License-Identifier: Apache-2.0 */
/* How the dense family loads cuBLASLt and asks it for algorithms. A fake library that only counts calls makes
 * a GPU unnecessary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "fake_cublaslt.h"
#include "kernels/dense/dense_blas_cuda.h"
#include "kernels/dense/dense_library_cuda.h"

#define MISSING "libspmm_there_is_no_such_library.so"
#define INCOMPLETE "libm.so.6"
#define WORKSPACE 4096

static const char *const fake_files[] = {MISSING, FAKE_CUBLASLT, NULL};

/* Returns the fake library's state with all answers reset to success. The library stays loaded. */
static struct fake_cublaslt *fake_reset(void)
{
    void *const library = dlopen(FAKE_CUBLASLT, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    struct fake_cublaslt *const fake = dlsym(library, "fake_cublaslt");
    assert_non_null(fake);
    *fake = (struct fake_cublaslt){0};
    spmmi_dense_library_files_hook = fake_files;
    return fake;
}

static struct spmmi_dense_blas *blas_open(void)
{
    struct spmmi_dense_blas *blas = NULL;
    spmm_diag_t diag = {.text = ""};
    if (spmmi_dense_blas_open(&blas, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    return blas;
}

/* Multiplies 8 x k by k x n. */
static spmm_status_t multiply_long(struct spmmi_dense_blas *blas, spmm_dtype_t type, int64_t k, int64_t n,
                                   int *is_done)
{
    const struct spmmi_dense_operand a = {.rows = 8, .cols = k, .lda = k};
    const struct spmmi_product product = {.a_type = type,
                                          .alpha = 1,
                                          .b = {NULL, k, n, n, SPMM_ROW_MAJOR, type},
                                          .c = {NULL, 8, n, n, SPMM_ROW_MAJOR, type}};
    return spmmi_dense_blas_multiply(blas, &a, &product, NULL, WORKSPACE, NULL, is_done);
}

static spmm_status_t multiply(struct spmmi_dense_blas *blas, spmm_dtype_t type, int64_t n, int *is_done)
{
    return multiply_long(blas, type, 8, n, is_done);
}

/* Every file is tried, and the message has a reason for each. */
static void a_library_that_cannot_be_loaded_is_refused_with_reasons(void **state)
{
    static const char *const files[] = {MISSING, "/dev/null", NULL};
    spmm_diag_t diag = {.text = ""};
    (void)state;
    spmmi_dense_library_files_hook = files;
    assert_int_equal(spmmi_dense_blas_check(&diag), SPMM_ERR_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "family dense needs cuBLASLt"));
    assert_non_null(strstr(diag.text, MISSING ": cannot open shared object file"));
    assert_non_null(strstr(diag.text, "; /dev/null: "));
}

static void a_library_without_a_function_is_refused(void **state)
{
    static const char *const files[] = {MISSING, INCOMPLETE, NULL};
    spmm_diag_t diag = {.text = ""};
    (void)state;
    spmmi_dense_library_files_hook = files;
    assert_int_equal(spmmi_dense_blas_check(&diag), SPMM_ERR_UNSUPPORTED);
    assert_string_equal(diag.text, "cuBLASLt has no function cublasLtCreate");
}

static void a_library_that_does_not_start_is_an_error(void **state)
{
    struct spmmi_dense_blas *blas = NULL;
    struct fake_cublaslt *const fake = fake_reset();
    (void)state;
    fake->create_error = 3;
    assert_int_equal(spmmi_dense_blas_open(&blas, NULL), SPMM_ERR_DEVICE);
    assert_null(blas);
    assert_int_equal(fake->objects, 0);
}

static void an_algorithm_is_asked_for_once_a_shape(void **state)
{
    struct fake_cublaslt *const fake = fake_reset();
    struct spmmi_dense_blas *blas = blas_open();
    int is_done = 0;
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int64_t n = 1; n <= 5; n++) {
            assert_int_equal(multiply(blas, SPMM_F32, n, &is_done), SPMM_OK);
            assert_int_equal(is_done, 1);
        }
    assert_int_equal(fake->heuristics, 5);
    assert_int_equal(fake->products, 15);
    for (int64_t n = 6; n <= 80; n++) /* more shapes than the cache keeps */
        assert_int_equal(multiply(blas, SPMM_F32, n, &is_done), SPMM_OK);
    assert_int_equal(fake->products, 90);
    spmmi_dense_blas_close(blas);
    assert_int_equal(fake->objects, 0);
}

/* The answer that no algorithm exists is cached: the same product must always run in the same way. */
static void no_algorithm_is_remembered(void **state)
{
    static const int errors[] = {0, 15, 7}; /* none found; not supported; an impossible shape */
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct fake_cublaslt *const fake = fake_reset();
        struct spmmi_dense_blas *blas = blas_open();
        int is_done = 1;
        fake->heuristic_error = errors[i];
        fake->has_no_algorithm = 1;
        assert_int_equal(multiply(blas, SPMM_F16, 8, &is_done), SPMM_OK);
        assert_int_equal(is_done, 0);
        fake->heuristic_error = fake->has_no_algorithm = 0;
        assert_int_equal(multiply(blas, SPMM_F16, 8, &is_done), SPMM_OK);
        assert_int_equal(is_done, 0);
        assert_int_equal(fake->heuristics, 1);
        assert_int_equal(fake->products, 0);
        spmmi_dense_blas_close(blas);
        assert_int_equal(fake->objects, 0);
    }
}

/* A failure is not cached: the product fails, and the next one asks again. */
static void a_failure_is_not_remembered(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake_cublaslt *const fake = fake_reset();
        struct spmmi_dense_blas *blas = blas_open();
        int is_done = 1;
        *(i == 0 ? &fake->heuristic_error : &fake->descriptor_error) = 3; /* out of memory */
        assert_int_equal(multiply(blas, SPMM_F32, 8, &is_done), SPMM_ERR_DEVICE);
        assert_int_equal(is_done, 0);
        fake->heuristic_error = fake->descriptor_error = 0;
        assert_int_equal(multiply(blas, SPMM_F32, 8, &is_done), SPMM_OK);
        assert_int_equal(is_done, 1);
        fake->matmul_error = 14;
        assert_int_equal(multiply(blas, SPMM_F32, 8, &is_done), SPMM_ERR_DEVICE);
        spmmi_dense_blas_close(blas);
        assert_int_equal(fake->objects, 0);
    }
}

/* f32 and f64 run without conversion to another type, whatever the environment allows. 16-bit types have f32
 * sums. */
static void compute_types_keep_the_accuracy(void **state)
{
    static const uint64_t fma = 1, dmma = 8, sums_f64 = 4 << 8, factors_f64 = 16 << 16;
    static const int wanted[] = {[SPMM_F32] = 69, [SPMM_F64] = 70, [SPMM_F16] = 68, [SPMM_BF16] = 68};
    struct fake_cublaslt *const fake = fake_reset();
    struct spmmi_dense_blas *blas = blas_open();
    (void)state;
    for (int type = SPMM_F32; type <= SPMM_BF16; type++) {
        int is_done = 0;
        assert_int_equal(multiply(blas, (spmm_dtype_t)type, 8 + type, &is_done), SPMM_OK);
        assert_int_equal(fake->compute, wanted[type]);
        assert_true(fake->numbers == (type == SPMM_F64 ? fma | dmma | sums_f64 | factors_f64 : UINT64_MAX));
    }
    spmmi_dense_blas_close(blas);
}

/* Wide f64 products of 2^19 to 2^23 entries use the first algorithm that fills 0.6 to 1 wave; if there is none,
 * the first that fills a third of a wave or more; otherwise the first one. Others always use the first one. */
static void idle_multiprocessors_are_avoided_in_f64(void **state)
{
    static const struct {
        float waves[FAKE_CHOICES];
        int choice;
    } cases[] = {{{0.32f, 0.3f, 0.65f, 1}, 2},
                 {{0.48f, 0.65f}, 1},
                 {{0.48f, 1.5f}, 0},
                 {{0.32f, 1.5f, 0.4f}, 1},
                 {{0.1f, 0.2f}, 0}};
    (void)state;
    static const int64_t lengths[] = {65536, 1 << 20, 65535, (1 << 20) + 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int turn = 0; turn < 16; turn++) {
            const spmm_dtype_t type = turn % 2 == 0 ? SPMM_F32 : SPMM_F64;
            const int is_wide = turn / 2 % 2, is_within = turn / 4 < 2;
            struct fake_cublaslt *const fake = fake_reset();
            struct spmmi_dense_blas *blas = blas_open();
            int is_done = 0;
            memcpy(fake->waves, cases[i].waves, sizeof fake->waves);
            assert_int_equal(multiply_long(blas, type, lengths[turn / 4], is_wide ? 128 : 127, &is_done),
                             SPMM_OK);
            assert_int_equal(fake->choice, type == SPMM_F64 && is_wide && is_within ? cases[i].choice : 0);
            spmmi_dense_blas_close(blas);
        }
}

/* For f64 the next algorithm runs. For other types only one algorithm is asked for, so the product is not
 * done. */
static void algorithms_that_cannot_run_are_passed_over(void **state)
{
    static const struct {
        float waves[FAKE_CHOICES];
        int state[FAKE_CHOICES];
        size_t workspace[FAKE_CHOICES];
        int choice; /* for f64 */
    } cases[] = {{{0.1f, 0.2f, 0.3f}, {15}, {0, WORKSPACE}, 1},
                 {{0.1f, 0.2f, 0.3f}, {0}, {WORKSPACE + 1}, 1},
                 {{0.1f, 0.2f, 1, 1}, {15}, {0, 0, WORKSPACE + 1}, 3},
                 {{1, 0.2f, 1, 0.1f}, {15, 0, 15}, {0}, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int type = SPMM_F32; type <= SPMM_F64; type++) {
            struct fake_cublaslt *const fake = fake_reset();
            struct spmmi_dense_blas *blas = blas_open();
            int is_done = 0;
            memcpy(fake->waves, cases[i].waves, sizeof fake->waves);
            memcpy(fake->state, cases[i].state, sizeof fake->state);
            memcpy(fake->workspace, cases[i].workspace, sizeof fake->workspace);
            assert_int_equal(multiply_long(blas, (spmm_dtype_t)type, 65536, 128, &is_done), SPMM_OK);
            assert_int_equal(fake->wanted, type == SPMM_F64 ? 8 : 1);
            assert_int_equal(is_done, type == SPMM_F64);
            if (is_done)
                assert_int_equal(fake->choice, cases[i].choice);
            spmmi_dense_blas_close(blas);
        }
}

/* An algorithm is valid for the shapes, alignments and types that it was asked for, so each change makes a
 * new key. */
static void every_part_of_a_shape_has_its_own_algorithm(void **state)
{
    static double aligned[2 * 256 / sizeof(double)];
    char *const data = (char *)(((uintptr_t)aligned + 255) / 256 * 256);
    struct fake_cublaslt *const fake = fake_reset();
    struct spmmi_dense_blas *blas = blas_open();
    (void)state;
    for (int change = 0; change <= 13; change++) {
        struct spmmi_dense_operand a = {data, 8, 8, 16, 0};
        struct spmmi_product p = {.a_type = SPMM_F16,
                                  .alpha = 1,
                                  .b = {data, 8, 8, 16, SPMM_ROW_MAJOR, SPMM_F16},
                                  .c = {data, 8, 8, 16, SPMM_ROW_MAJOR, SPMM_F16}};
        int is_done = 0;
        a.cols += change == 1;
        a.lda += change == 2;
        p.b.cols -= change == 3;
        p.b.ld += change == 4;
        p.c.ld += change == 5;
        a.data = data + 16 * (change == 6);
        p.b.data = data + 16 * (change == 7);
        p.c.data = data + 16 * (change == 8);
        p.b.layout = change == 9 ? SPMM_COL_MAJOR : SPMM_ROW_MAJOR;
        p.c.layout = change == 10 ? SPMM_COL_MAJOR : SPMM_ROW_MAJOR;
        p.c.type = change == 11 ? SPMM_F32 : SPMM_F16;
        a.is_tf32 = change == 12;
        const uint64_t workspace_bytes = change == 13 ? WORKSPACE / 2 : WORKSPACE;
        assert_int_equal(spmmi_dense_blas_multiply(blas, &a, &p, NULL, workspace_bytes, NULL, &is_done),
                         SPMM_OK);
        assert_int_equal(fake->heuristics, change + 1);
        assert_int_equal(fake->c_type, change == 11 ? 0 : 2); /* CUDA_R_32F, CUDA_R_16F */
    }
    spmmi_dense_blas_close(blas);
    assert_int_equal(fake->objects, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_that_cannot_be_loaded_is_refused_with_reasons),
        cmocka_unit_test(a_library_without_a_function_is_refused),
        cmocka_unit_test(a_library_that_does_not_start_is_an_error),
        cmocka_unit_test(an_algorithm_is_asked_for_once_a_shape),
        cmocka_unit_test(no_algorithm_is_remembered),
        cmocka_unit_test(a_failure_is_not_remembered),
        cmocka_unit_test(compute_types_keep_the_accuracy),
        cmocka_unit_test(idle_multiprocessors_are_avoided_in_f64),
        cmocka_unit_test(algorithms_that_cannot_run_are_passed_over),
        cmocka_unit_test(every_part_of_a_shape_has_its_own_algorithm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
