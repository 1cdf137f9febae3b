/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that read option structs and write info structs. tests/abi checks that every public struct
 * uses them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/options.h"

static void what_the_caller_does_not_know_keeps_its_default(void **state)
{
    struct example {
        size_t struct_size;
        int32_t first, second;
    };
    struct example options = {sizeof options, 1, 2};
    const struct example given = {offsetof(struct example, second), 7, 8};
    (void)state;
    assert_int_equal(spmmi_options_read(&options, sizeof options, NULL, "options", NULL), SPMM_OK);
    assert_int_equal(options.first, 1);
    assert_int_equal(spmmi_options_read(&options, sizeof options, &given, "options", NULL), SPMM_OK);
    assert_int_equal(options.struct_size, sizeof options);
    assert_int_equal(options.first, 7);
    assert_int_equal(options.second, 2);
}

static void a_sentence_names_the_byte_that_is_not_known(void **state)
{
    struct newer {
        size_t struct_size;
        int64_t known;
        char unknown[8];
    };
    struct newer options = {offsetof(struct newer, unknown), 1, ""};
    struct newer given = {sizeof given, 7, ""};
    spmm_diag_t diag = {.status = SPMM_OK};
    (void)state;
    assert_int_equal(spmmi_options_read(&options, options.struct_size, &given, "new options", &diag),
                     SPMM_OK);
    assert_int_equal(options.known, 7);
    given.unknown[3] = 'x';
    given.known = 8;
    assert_int_equal(spmmi_options_read(&options, options.struct_size, &given, "new options", &diag),
                     SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "byte 19 of the new options is not 0"));
    assert_non_null(strstr(diag.text, "knows 16 bytes"));
    assert_int_equal(options.known, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_caller_does_not_know_keeps_its_default),
        cmocka_unit_test(a_sentence_names_the_byte_that_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
