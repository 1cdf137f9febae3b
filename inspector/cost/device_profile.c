/* SPDX-License-Identifier: Apache-2.0 */
/* See device_profile.h: opening of built-in profiles and profile files, and interpolation of rates. */
#include "device_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device_profile_texts.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/file_io.h"

#define DEVICE_OF_ANY "h200" /* the device whose rates are used for "any" */

static const struct spmmi_profile_text *find_text(const char *name)
{
    for (const struct spmmi_profile_text *t = spmmi_profile_texts; t->name != NULL; t++) {
        if (strcmp(t->name, name) == 0)
            return t;
    }
    return NULL;
}

static spmm_status_t read_file(const char *path, char *text, size_t *size, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int64_t got = 0;
    const int file = spmmi_open(path, O_RDONLY | O_CLOEXEC, 0);
    SPMM_REQUIRE(file >= 0, SPMM_ERR_ARGUMENT, diag,
                 "expected a device of " SPMMI_PROFILE_DEVICES ", or a profile file, found \"%.60s\" (%s)",
                 path, strerror(errno));
    got = spmmi_read_up_to(file, text, SPMMI_PROFILE_FILE_MAX + 1);
    SPMM_REQUIRE(got >= 0, SPMM_ERR_IO, diag, "the profile \"%.60s\" cannot be read (%s)", path,
                 strerror(errno));
    *size = (size_t)got;
    SPMM_REQUIRE(*size <= SPMMI_PROFILE_FILE_MAX, SPMM_ERR_ARGUMENT, diag,
                 "the profile \"%.60s\" has more than %d bytes", path, SPMMI_PROFILE_FILE_MAX);
cleanup:
    if (file >= 0)
        (void)spmmi_close(file);
    return status;
}

spmm_status_t spmmi_device_profile_open(const char *device, struct spmmi_device_profile *profile,
                                        spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    char *text = NULL;
    const char *const name = device == NULL ? "any" : device;
    const int is_any = strcmp(name, "any") == 0;
    const struct spmmi_profile_text *known = find_text(is_any ? DEVICE_OF_ANY : name);
    if (known != NULL) {
        SPMM_TRY(
            spmmi_device_profile_parse((const char *)known->bytes, known->size, known->name, profile, diag));
        if (is_any) {
            snprintf(profile->name, sizeof profile->name, "any");
            profile->target = SPMMI_TARGET_ANY;
        }
        goto cleanup;
    }
    size_t size = 0;
    text = spmmi_alloc(SPMMI_PROFILE_FILE_MAX + 1, 1);
    SPMM_TRY_ALLOC(text, diag);
    SPMM_TRY(read_file(device, text, &size, diag));
    SPMM_TRY(spmmi_device_profile_parse(text, size, device, profile, diag));
cleanup:
    spmmi_free(text);
    return status;
}

/* ---- Interpolation ---- */

struct position {
    int low;
    double part; /* fraction of the way from point low to point low + 1 */
};

/* Finds the position of `at` among the ascending points x. Interpolation is linear in the logarithm of x, and
 * constant outside the range of the points. */
static struct position find_position(const double *x, int count, double at)
{
    struct position p = {0, 0};
    if (count < 2 || at <= x[0])
        return p;
    while (p.low < count - 2 && at > x[p.low + 1])
        p.low++;
    p.part = at >= x[p.low + 1] ? 1 : log(at / x[p.low]) / log(x[p.low + 1] / x[p.low]);
    return p;
}

static double mix(double a, double b, double part)
{
    return a + (b - a) * part;
}

double spmmi_profile_curve_at(const struct spmmi_profile_curve *curve, double x)
{
    const struct position p = find_position(curve->x, curve->count, x);
    return p.part > 0 ? mix(curve->rate[p.low], curve->rate[p.low + 1], p.part) : curve->rate[p.low];
}

double spmmi_profile_table_at(const struct spmmi_profile_table *table, double row_bytes, double set_bytes)
{
    const struct position row = find_position(table->row_bytes, table->row_count, row_bytes);
    const struct position set = find_position(table->set_bytes, table->set_count, set_bytes);
    double rate[2];
    for (int s = 0; s < 2; s++) {
        const double *line = table->rate[set.part > 0 ? set.low + s : set.low];
        rate[s] = row.part > 0 ? mix(line[row.low], line[row.low + 1], row.part) : line[row.low];
    }
    return mix(rate[0], rate[1], set.part);
}
