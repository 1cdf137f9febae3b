/* SPDX-License-Identifier: Apache-2.0 */
/* spmm-bench --calibrate: the rates of the machine that it runs on, as a device profile. */
#ifndef SPMM_TOOLS_CALIBRATE_H
#define SPMM_TOOLS_CALIBRATE_H

#include <spmm/common.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CALIBRATION_SIDE 16

/* The contents of a profile, in its units; 0 if the machine has no such thing. */
struct calibration {
    char name[32], what[96]; /* name of the profile; description of the device, for the first line */
    int target, multiprocessors;
    double clock_ghz, l2_mib, l1_kib, shared_sm_kib, shared_block_kib, registers_sm;
    double launch_us, copy_gbs, peak_gbs, peak_gflops, shared_gbs, l1_gbs;
    double fma_f32_gflops, fma_f64_gflops, mma_tf32_gflops, mma_f16_gflops, mma_f64_gflops;
    int row_count, set_count, scatter_count, strided_count;
    double row_bytes[CALIBRATION_SIDE], set_mib[CALIBRATION_SIDE];
    double gather_gbs[CALIBRATION_SIDE][CALIBRATION_SIDE]; /* [set][row] */
    double scatter_bytes[CALIBRATION_SIDE], scatter_gbs[CALIBRATION_SIDE];
    double strided_bytes[CALIBRATION_SIDE], strided_gbs[CALIBRATION_SIDE];
};

/* Measures a GPU (device >= 0) or the CPU with this many threads (0: all). Writes a profile to a file, or to
 * standard output if output is NULL. */
spmm_status_t calibrate(int device, int threads, const char *output, spmm_diag_t *diag);

spmm_status_t calibrate_cpu(int threads, struct calibration *c, spmm_diag_t *diag);
/* Returns a cudaError_t. */
int calibrate_cuda(int device, struct calibration *c);

#ifdef __cplusplus
}
#endif
#endif
