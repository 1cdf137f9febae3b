/* SPDX-License-Identifier: Apache-2.0 */
/* One iteration of a solver as a CUDA graph. x = 0.5 A x / |A| + b is iterated for 32 columns, first with plain
 * launches, then by replaying a graph with two iterations, x to y and y to x. Prints the time of an iteration of both.
 * Ends with 1 unless both give the same bits. Needs CUDA and a GPU; ends with 77 if there is none. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

#define COLUMNS 32
#define PAIRS 100 /* of iterations */

static void require(cudaError_t error)
{
    if (error != cudaSuccess)
        solver_fail(cudaGetErrorString(error));
}

/* Computes to = alpha A from + b on the stream. All of it can be captured. */
static void iterate(const struct solver *s, double alpha, const struct block *b, const struct block *from,
                    const struct block *to, cudaStream_t stream)
{
    spmm_diag_t diag = {.text = ""};
    const spmm_dense_t x = {from->data, from->rows, COLUMNS, COLUMNS, SPMM_ROW_MAJOR, SPMM_F64};
    const spmm_dense_t y = {to->data, to->rows, COLUMNS, COLUMNS, SPMM_ROW_MAJOR, SPMM_F64};
    require(cudaMemcpyAsync(to->data, b->data, (size_t)(b->rows * COLUMNS) * sizeof(double),
                            cudaMemcpyDeviceToDevice, stream));
    if (spmm_execute(s->executor, SPMM_OP_N, spmm_real(alpha), &x, spmm_real(1), &y, s->workspace,
                     s->workspace_bytes, stream, &diag) != SPMM_OK)
        solver_fail(diag.text);
}

static double alpha_of(const struct solver *s)
{
    spmm_csr_t a;
    double largest = 0;
    if (spmm_plan_csr(s->plan, &a) != SPMM_OK)
        solver_fail("the plan has no matrix");
    const int64_t *row_ptr = a.row_ptr;
    for (int64_t i = 0; i < a.rows; i++) {
        double sum = 0;
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
            sum += fabs(((const double *)a.values)[p]);
        largest = fmax(largest, sum);
    }
    return 0.5 / largest;
}

/* Starts with x = 0 and runs PAIRS pairs of iterations, by the graph, or by plain launches if it is NULL. Returns the
 * microseconds of one iteration. */
static float run(const struct solver *s, double alpha, const struct block *b, const struct block *x,
                 const struct block *y, cudaGraphExec_t graph, cudaStream_t stream)
{
    cudaEvent_t start, stop;
    float ms = 0;
    require(cudaEventCreate(&start));
    require(cudaEventCreate(&stop));
    require(cudaMemsetAsync(x->data, 0, (size_t)(x->rows * COLUMNS) * sizeof(double), stream));
    require(cudaEventRecord(start, stream));
    for (int pair = 0; pair < PAIRS; pair++) {
        if (graph != NULL) {
            require(cudaGraphLaunch(graph, stream));
        } else {
            iterate(s, alpha, b, x, y, stream);
            iterate(s, alpha, b, y, x, stream);
        }
    }
    require(cudaEventRecord(stop, stream));
    require(cudaEventSynchronize(stop));
    require(cudaEventElapsedTime(&ms, start, stop));
    return 1000 * ms / (2 * PAIRS);
}

int main(int argc, char **argv)
{
    char *on_gpu[] = {argv[0], argc > 1 ? argv[1] : "", "--device", argc > 3 ? argv[3] : "0"};
    struct solver s;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    if (spmm_device_count() == 0)
        return 77;
    solver_open(&s, 4, on_gpu, 1, 1);
    const int64_t n = s.info.rows, count = n * COLUMNS;
    const struct block b = block_make(&s, n, COLUMNS), x = block_make(&s, n, COLUMNS),
                       y = block_make(&s, n, COLUMNS);
    double *plain = malloc((size_t)count * sizeof *plain),
           *replayed = malloc((size_t)count * sizeof *replayed);
    const double alpha = alpha_of(&s);
    if (plain == NULL || replayed == NULL)
        solver_fail("out of memory");
    block_fill_random(&s, &b);
    s.device->wait();
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    (void)run(&s, alpha, &b, &x, &y, NULL, stream); /* kernels are loaded at their first launch */
    const float us = run(&s, alpha, &b, &x, &y, NULL, stream);
    s.device->read(plain, x.data, count);
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    iterate(&s, alpha, &b, &x, &y, stream);
    iterate(&s, alpha, &b, &y, &x, stream);
    require(cudaStreamEndCapture(stream, &graph));
    require(cudaGraphInstantiate(&replay, graph, 0));
    const float graph_us = run(&s, alpha, &b, &x, &y, replay, stream);
    s.device->read(replayed, x.data, count);
    const int is_same = memcmp(plain, replayed, (size_t)count * sizeof *plain) == 0;
    require(cudaGraphExecDestroy(replay));
    require(cudaGraphDestroy(graph));
    require(cudaStreamDestroy(stream));
    free(plain);
    free(replayed);
    printf("an iteration: %.2f us with plain launches, %.2f us in a graph\n", (double)us, (double)graph_us);
    solver_iterated(&s, 6 * PAIRS);
    return solver_close(&s, is_same);
}
