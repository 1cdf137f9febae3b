/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the generators for solvers: the matrices must be symmetric and positive definite, with values known
 * from physics. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "inspector/matrix/matrix.h"
#include "tests/support/generated.h"

#define PI 3.14159265358979323846
#define LAMBDA (15.0 / 26.0) /* Lame parameters for Young's modulus 1, Poisson's ratio 0.3 */
#define MU (10.0 / 26.0)
#define CLOSE 1e-13

static double *dense_of(const spmm_matrix_t *m)
{
    double *dense = calloc((size_t)(m->rows * m->cols), sizeof *dense);
    assert_non_null(dense);
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t p = m->row_ptr[i]; p < m->row_ptr[i + 1]; p++)
            dense[i * m->cols + m->col_ind[p]] = m->values[p];
    return dense;
}

/* Eliminates the lower triangle of a, as a Cholesky factorisation does, and returns the smallest pivot. It is
 * positive if a is positive definite. */
static double least_pivot(double *a, int64_t n)
{
    double least = (double)INFINITY;
    for (int64_t j = 0; j < n; j++) {
        least = fmin(least, a[j * n + j]);
        for (int64_t i = j + 1; i < n && least > 0; i++) {
            const double factor = a[i * n + j] / a[j * n + j];
            for (int64_t k = j + 1; k <= i; k++)
                a[i * n + k] -= factor * a[k * n + j];
        }
    }
    return least;
}

static void are_symmetric_and_positive_definite(void **state)
{
    static const char *const specs[] = {"gen:poisson2:1:1",    "gen:poisson2:9:7",     "gen:poisson3:5:1:4",
                                        "gen:poisson3:4:5:3",  "gen:elasticity:1:1:1", "gen:elasticity:4:1:2",
                                        "gen:elasticity:2:3:2"};
    (void)state;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        spmm_matrix_t *m = test_generated(specs[s]);
        double *a = dense_of(m);
        for (int64_t i = 0; i < m->rows; i++)
            for (int64_t j = 0; j < i; j++)
                assert_true(a[i * m->rows + j] == a[j * m->rows + i]);
        assert_true(least_pivot(a, m->rows) > 1e-3);
        free(a);
        spmm_matrix_destroy(m);
    }
}

static double *product_of(const spmm_matrix_t *m, const double *x)
{
    double *y = calloc((size_t)m->rows, sizeof *y);
    assert_non_null(y);
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t p = m->row_ptr[i]; p < m->row_ptr[i + 1]; p++)
            y[i] += m->values[p] * x[m->col_ind[p]];
    return y;
}

/* Checks that A x = lambda x for mode j: x is the product of sin(j pi i / (n + 1)) in each direction, and
 * lambda is known. */
static void mode_check(const spmm_matrix_t *m, const int64_t sides[3], const int mode[3])
{
    double *x = malloc((size_t)m->rows * sizeof *x), lambda = 0;
    for (int k = 0; k < 3; k++)
        lambda += sides[k] > 0 ? 2 - 2 * cos(PI * mode[k] / (double)(sides[k] + 1)) : 0;
    for (int64_t i = 0; i < m->rows; i++) {
        int64_t left = i;
        x[i] = 1;
        for (int k = 0; k < 3 && sides[k] > 0; left /= sides[k], k++)
            x[i] *= sin(PI * mode[k] * (double)(left % sides[k] + 1) / (double)(sides[k] + 1));
    }
    double *y = product_of(m, x);
    for (int64_t i = 0; i < m->rows; i++)
        assert_true(fabs(y[i] - lambda * x[i]) < CLOSE);
    free(y);
    free(x);
}

static void laplacians_have_the_known_eigenvalues(void **state)
{
    spmm_matrix_t *plane = test_generated("gen:poisson2:9:7"), *space = test_generated("gen:poisson3:4:5:3");
    (void)state;
    for (int a = 1; a <= 4; a++)
        for (int b = 1; b <= 5; b++) {
            mode_check(plane, (const int64_t[3]){9, 7, 0}, (const int[3]){2 * a, b, 0});
            mode_check(space, (const int64_t[3]){4, 5, 3}, (const int[3]){a, b, 1 + a % 3});
        }
    spmm_matrix_destroy(plane);
    spmm_matrix_destroy(space);
}

/* Returns the displacement of each node of cubes: u = move + gradient * position. The first plane of nodes is
 * at x = 1. */
static double *displacement(const int64_t cubes[3], const double gradient[9], const double move[3])
{
    const int64_t count = cubes[0] * (cubes[1] + 1) * (cubes[2] + 1);
    double *u = malloc(3 * (size_t)count * sizeof *u);
    assert_non_null(u);
    for (int64_t node = 0; node < count; node++) {
        const double at[3] = {(double)(node % cubes[0] + 1), (double)(node / cubes[0] % (cubes[1] + 1)),
                              (double)(node / cubes[0] / (cubes[1] + 1))};
        for (int i = 0; i < 3; i++)
            u[3 * node + i] =
                move[i] + gradient[3 * i] * at[0] + gradient[3 * i + 1] * at[1] + gradient[3 * i + 2] * at[2];
    }
    return u;
}

/* A rigid motion (a move or a small rotation) causes no force at nodes that have no clamped neighbour. */
static void rigid_motions_of_elastic_cubes_take_no_force(void **state)
{
    static const int64_t cubes[3] = {4, 2, 3};
    spmm_matrix_t *m = test_generated("gen:elasticity:4:2:3");
    (void)state;
    for (int motion = 0; motion < 6; motion++) {
        double move[3] = {0}, turn[9] = {0};
        if (motion < 3) {
            move[motion] = 1;
        } else {
            turn[3 * (motion % 3) + (motion + 1) % 3] = 1;
            turn[3 * ((motion + 1) % 3) + motion % 3] = -1;
        }
        double *u = displacement(cubes, turn, move), *force = product_of(m, u);
        for (int64_t i = 0; i < m->rows; i++)
            if (i / 3 % cubes[0] > 0)
                assert_true(fabs(force[i]) < CLOSE);
        free(force);
        free(u);
    }
    spmm_matrix_destroy(m);
}

/* Checks twice the energy of a uniform strain that leaves the clamped face in place. */
static void uniform_strains_have_the_energy_of_the_material(void **state)
{
    static const int64_t cubes[3] = {3, 2, 4};
    static const double stretch[9] = {1}, shear[9] = {0, 0, 0, 1}, none[3] = {0};
    const double volume = 24, expected[2] = {(LAMBDA + 2 * MU) * volume, MU * volume};
    spmm_matrix_t *m = test_generated("gen:elasticity:3:2:4");
    (void)state;
    for (int strain = 0; strain < 2; strain++) {
        double *u = displacement(cubes, strain == 0 ? stretch : shear, none), *force = product_of(m, u);
        double energy = 0;
        for (int64_t i = 0; i < m->rows; i++)
            energy += u[i] * force[i];
        assert_true(fabs(energy - expected[strain]) < 100 * CLOSE);
        free(force);
        free(u);
    }
    spmm_matrix_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(are_symmetric_and_positive_definite),
                                       cmocka_unit_test(laplacians_have_the_known_eigenvalues),
                                       cmocka_unit_test(rigid_motions_of_elastic_cubes_take_no_force),
                                       cmocka_unit_test(uniform_strains_have_the_energy_of_the_material)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
