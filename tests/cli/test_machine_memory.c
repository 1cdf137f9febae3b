/* SPDX-License-Identifier: Apache-2.0 */
/* The budget of the programs respects the memory limits of control groups, of both versions. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/cli/machine_memory.h"

static char root[] = "/tmp/spmm_machine_memory_XXXXXX";

/* Writes a file below root with this text and makes its folders. */
static void put(const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static uint64_t limit_with(const char *cgroups)
{
    char path[256];
    put("cgroup", cgroups);
    (void)snprintf(path, sizeof path, "%s/cgroup", root);
    return machine_memory_limit(path, root);
}

static void the_smallest_limit_of_the_groups_counts(void **state)
{
    (void)state;
    put("a/memory.max", "7000\n");
    put("a/b/memory.max", "max\n");
    put("a/c/memory.max", "5000\n");
    put("memory/x/memory.limit_in_bytes", "6000\n");
    assert_int_equal(limit_with("0::/a/b\n"), 7000);
    assert_int_equal(limit_with("0::/a/c\n"), 5000);
    assert_int_equal(limit_with("0::/a/gone\n"), 7000);
    assert_int_equal(limit_with("3:cpu:/a\n4:memory:/x/y\n0::/\n"), 6000);
    assert_int_equal(limit_with("3:cpu:/a\n0::/\n"), UINT64_MAX);
    put("memory.max", "4000\n");
    assert_int_equal(limit_with("0::/\n"), 4000);
    assert_int_equal(machine_memory_limit("/nowhere", root), UINT64_MAX);
}

static void what_is_asked_for_is_the_budget(void **state)
{
    (void)state;
    assert_int_equal(machine_memory_budget(123), 123);
    const uint64_t has = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    assert_true(machine_memory_budget(0) > 0 && machine_memory_budget(0) <= has / 4 * 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_limit_of_the_groups_counts),
        cmocka_unit_test(what_is_asked_for_is_the_budget),
    };
    char clean[64];
    if (mkdtemp(root) == NULL)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)snprintf(clean, sizeof clean, "rm -r %s", root);
    return system(clean) != 0 ? 1 : failed;
}
