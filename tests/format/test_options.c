/* SPDX-License-Identifier: Apache-2.0 */
/* struct_size means the same for every options struct of the libraries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <spmm/spmm.h>

#include "format/base/options.h"

#define LARGEST 256 /* bytes, more than any options struct */

static spmm_status_t load(const void *options, spmm_diag_t *diag)
{
    spmm_plan_t *plan = NULL;
    const spmm_status_t status = spmm_plan_read("", 0, options, &plan, diag);
    spmm_plan_destroy(plan);
    return status == SPMM_ERR_ARGUMENT ? status : SPMM_OK;
}

static spmm_plan_t *plan_make(const spmm_inspect_options_t *options, spmm_status_t *status, spmm_diag_t *diag)
{
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    assert_int_equal(spmm_matrix_generate("gen:diag:3", &matrix, NULL), SPMM_OK);
    *status = spmm_inspect(matrix, options, &plan, diag);
    spmm_matrix_destroy(matrix);
    return plan;
}

static spmm_status_t save(const void *options, spmm_diag_t *diag)
{
    spmm_status_t status;
    spmm_plan_t *plan = plan_make(NULL, &status, NULL);
    void *bytes = NULL;
    size_t size = 0;
    status = spmm_plan_write(plan, options, &bytes, &size, diag);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    return status;
}

static spmm_status_t inspect(const void *options, spmm_diag_t *diag)
{
    spmm_status_t status;
    spmm_plan_destroy(plan_make(options, &status, diag));
    return status;
}

static spmm_status_t read_matrix(const void *options, spmm_diag_t *diag)
{
    static const char text[] = "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n";
    spmm_matrix_t *matrix = NULL;
    const spmm_status_t status = spmm_matrix_read(text, sizeof text - 1, NULL, options, &matrix, diag);
    spmm_matrix_destroy(matrix);
    return status;
}

static spmm_status_t execute(const void *options, spmm_diag_t *diag)
{
    spmm_status_t status;
    uint64_t host_bytes, device_bytes;
    spmm_plan_t *plan = plan_make(NULL, &status, NULL);
    status = spmm_executor_memory_bytes(plan, options, &host_bytes, &device_bytes, diag);
    spmm_plan_destroy(plan);
    return status;
}

static const struct user {
    const char *name;
    spmm_status_t (*use)(const void *options, spmm_diag_t *diag);
    size_t size, threads_at; /* bytes of the struct; where its threads lie, which must not be negative */
} users[] = {
    {"load", load, sizeof(spmm_load_options_t), offsetof(spmm_load_options_t, threads)},
    {"save", save, sizeof(spmm_save_options_t), offsetof(spmm_save_options_t, threads)},
    {"inspect", inspect, sizeof(spmm_inspect_options_t), offsetof(spmm_inspect_options_t, threads)},
    {"read", read_matrix, sizeof(spmm_read_options_t), offsetof(spmm_read_options_t, threads)},
    {"executor", execute, sizeof(spmm_executor_options_t), offsetof(spmm_executor_options_t, threads)},
};

/* Options of struct_size bytes that are all 0 but for threads = -1, in memory of exactly as many bytes: a reader
 * that goes beyond them is found by the address sanitizer. */
static spmm_status_t use_of_size(const struct user *user, size_t struct_size, spmm_diag_t *diag)
{
    const int threads = -1;
    const size_t room = struct_size > sizeof struct_size ? struct_size : sizeof struct_size;
    char *options = calloc(1, room);
    assert_non_null(options);
    memcpy(options, &struct_size, sizeof struct_size);
    if (room >= user->threads_at + sizeof threads)
        memcpy(options + user->threads_at, &threads, sizeof threads);
    if (user->use == execute && room > offsetof(spmm_executor_options_t, device)) {
        const int device = SPMM_DEVICE_CPU;
        memcpy(options + offsetof(spmm_executor_options_t, device), &device, sizeof device);
    }
    const spmm_status_t status = user->use(options, diag);
    free(options);
    return status;
}

static void struct_size_says_how_much_the_caller_knows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof users / sizeof users[0]; i++) {
        const struct user *user = &users[i];
        const struct {
            size_t struct_size;
            spmm_status_t status;
            const char *fragment;
        } cases[] = {
            {0, SPMM_ERR_ARGUMENT, "struct_size"},
            {sizeof(size_t) - 1, SPMM_ERR_ARGUMENT, "struct_size"},
            {sizeof(size_t), SPMM_OK, ""},
            {user->threads_at, SPMM_OK, ""},
            {user->size, SPMM_ERR_ARGUMENT, "threads"},
            {LARGEST, SPMM_ERR_ARGUMENT, "threads"},
        };
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            spmm_diag_t diag = {0};
            const spmm_status_t status = use_of_size(user, cases[k].struct_size, &diag);
            if (status != cases[k].status || strstr(diag.text, cases[k].fragment) == NULL)
                fail_msg("%s, %zu bytes: %s: %s", user->name, cases[k].struct_size, spmm_status_name(status),
                         diag.text);
        }
    }
}

static void what_the_caller_does_not_know_keeps_its_default(void **state)
{
    struct example {
        size_t struct_size;
        int32_t first, second;
    };
    struct example options = {sizeof options, 1, 2};
    const struct example given = {offsetof(struct example, second), 7, 8};
    (void)state;
    assert_int_equal(spmmi_options_read(&options, sizeof options, NULL, NULL), SPMM_OK);
    assert_int_equal(options.first, 1);
    assert_int_equal(spmmi_options_read(&options, sizeof options, &given, NULL), SPMM_OK);
    assert_int_equal(options.struct_size, sizeof options);
    assert_int_equal(options.first, 7);
    assert_int_equal(options.second, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(struct_size_says_how_much_the_caller_knows),
        cmocka_unit_test(what_the_caller_does_not_know_keeps_its_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
