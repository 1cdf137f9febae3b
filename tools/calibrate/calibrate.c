/* SPDX-License-Identifier: Apache-2.0 */
/* See calibrate.h: chooses the device and writes the text of the profile. */
#include "calibrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/fail.h"
#include "tools/cli/output_file.h"

static void print_value(FILE *out, const char *key, double rate, const char *provenance)
{
    if (rate > 0)
        fprintf(out, "%s = %.5g%*s# %s\n", key, rate, 4, "", provenance);
}

static void print_list(FILE *out, const char *key, const double *list, int count)
{
    fprintf(out, "%s =", key);
    for (int i = 0; i < count; i++)
        fprintf(out, " %.4g", list[i]);
    fprintf(out, "\n");
}

static void print_profile(FILE *out, const void *context)
{
    const struct calibration *c = context;
    static const char measured[] = "measured";
    static const char reported[] = "reported by the machine";
    fprintf(out, "# SPDX-License-Identifier: Apache-2.0\n# %s, measured by spmm-bench --calibrate.\n",
            c->what);
    fprintf(out, "name = %s\ntarget = %d\nmultiprocessors = %d\n", c->name, c->target, c->multiprocessors);
    print_value(out, "clock_ghz", c->clock_ghz, reported);
    print_value(out, "l2_mib", c->l2_mib, reported);
    print_value(out, "l1_kib", c->l1_kib, reported);
    print_value(out, "shared_sm_kib", c->shared_sm_kib, reported);
    print_value(out, "shared_block_kib", c->shared_block_kib, reported);
    print_value(out, "registers_sm", c->registers_sm, reported);
    print_value(out, "launch_us", c->launch_us, measured);
    print_value(out, "copy_gbs", c->copy_gbs, "measured, bytes read and written");
    print_value(out, "peak_gbs", c->peak_gbs, c->target == 1 ? "the copy rate" : reported);
    print_value(out, "peak_gflops", c->peak_gflops,
                c->target == 1 ? "the FMA rate" : "derived of clock and lanes");
    print_value(out, "shared_gbs", c->shared_gbs, measured);
    print_value(out, "l1_gbs", c->l1_gbs, measured);
    print_value(out, "fma_f32_gflops", c->fma_f32_gflops, measured);
    print_value(out, "fma_f64_gflops", c->fma_f64_gflops, measured);
    print_value(out, "mma_tf32_gflops", c->mma_tf32_gflops, "measured, mma.sync");
    print_value(out, "mma_f16_gflops", c->mma_f16_gflops, "measured, mma.sync");
    print_value(out, "mma_f64_gflops", c->mma_f64_gflops, "measured, mma.sync");
    fprintf(out, "\n# measured: gathers of rows in random order, one line for each working set\n");
    print_list(out, "gather_row_bytes", c->row_bytes, c->row_count);
    print_list(out, "gather_set_mib", c->set_mib, c->set_count);
    fprintf(out, "gather_gbs =\n");
    for (int s = 0; s < c->set_count; s++) {
        fprintf(out, "   ");
        for (int r = 0; r < c->row_count; r++)
            fprintf(out, " %.4g", c->gather_gbs[s][r]);
        fprintf(out, "\n");
    }
    fprintf(out, "\n# measured: stores of rows in random order\n");
    print_list(out, "scatter_row_bytes", c->scatter_bytes, c->scatter_count);
    print_list(out, "scatter_gbs", c->scatter_gbs, c->scatter_count);
    fprintf(out, "\n# measured: single values of a column-major matrix in random order, useful bytes\n");
    print_list(out, "strided_bytes", c->strided_bytes, c->strided_count);
    print_list(out, "strided_gbs", c->strided_gbs, c->strided_count);
}

static spmm_status_t measure(int device, int threads, struct calibration *c, spmm_diag_t *diag)
{
    if (device < 0)
        return calibrate_cpu(threads, c, diag);
#ifdef SPMM_TOOLS_CUDA
    const int error = calibrate_cuda(device, c);
    if (error != 0) {
        diag->native_error = error;
        return fail(diag, SPMM_ERR_DEVICE, "calibration failed with CUDA error %d", error);
    }
    return SPMM_OK;
#else
    return fail(diag, SPMM_ERR_NO_DEVICE, "this build has no GPU code");
#endif
}

spmm_status_t calibrate(int device, int threads, const char *output, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct calibration *c = calloc(1, sizeof *c);
    if (c == NULL)
        return fail_memory(diag, sizeof *c, "the rates of a device");
    TRY(measure(device, threads, c, diag));
    if (output != NULL)
        TRY(output_file_print(output, print_profile, c, diag));
    else
        print_profile(stdout, c);
    if (ferror(stdout))
        status = fail(diag, SPMM_ERR_IO, "the profile could not be written");
cleanup:
    free(c);
    return status;
}
