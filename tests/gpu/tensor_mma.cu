// SPDX-License-Identifier: Apache-2.0
// Computes one dot product per warp, as one element of an MMA. All other elements are 0.
#include <cstdint>

#include "kernels/tcblock/tcblock.cuh"

extern "C" {
#include "tensor_dot.h"
}

namespace {

// The operands of an MMA with one nonzero row of A and one nonzero column of B.
struct Operands {
    const struct tensor_dot *dot;
    int row, column, g, t;

    __device__ double a(int i, int k) const
    {
        return i == row ? dot->a[k] : 0;
    }
    __device__ double b(int k, int j) const
    {
        return j == column ? dot->b[k] : 0;
    }
    __device__ double c(int e) const
    {
        return holds(e) ? dot->c : 0;
    }
    // Returns true if element e of the lane's sums is the dot product.
    __device__ bool holds(int e) const
    {
        return g + e / 2 * 8 == row && 2 * t + e % 2 == column;
    }
};

template <typename Half> __device__ uint32_t pair_of(double low, double high)
{
    const Half pair[2] = {spmmi::Value<Half>::round(float(low)), spmmi::Value<Half>::round(float(high))};
    return *reinterpret_cast<const uint32_t *>(pair);
}

// The instructions of the library. Factors reach them without any rounding.
struct Tf32K8 {
    using Sum = float;
    static __device__ void multiply(Sum (&d)[4], const Operands &o)
    {
        uint32_t a[4], b[2];
        for (int e = 0; e < 4; e++)
            a[e] = __float_as_uint(float(o.a(o.g + e % 2 * 8, o.t + e / 2 * 4)));
        for (int e = 0; e < 2; e++)
            b[e] = __float_as_uint(float(o.b(o.t + e * 4, o.g)));
        spmmi::mma_tf32(d, a, b);
    }
};

template <typename Half> struct HalfK8 {
    using Sum = float;
    static __device__ void multiply(Sum (&d)[4], const Operands &o)
    {
        uint32_t a[2];
        for (int e = 0; e < 2; e++)
            a[e] = ::pair_of<Half>(o.a(o.g + e * 8, 2 * o.t), o.a(o.g + e * 8, 2 * o.t + 1));
        const uint32_t b = ::pair_of<Half>(o.b(2 * o.t, o.g), o.b(2 * o.t + 1, o.g));
        spmmi::ComputeHalf<Half>::mma(d, a, b);
    }
};

template <typename Half> struct HalfK16 {
    using Sum = float;
    static __device__ void multiply(Sum (&d)[4], const Operands &o)
    {
        uint32_t a[4], b[2];
        for (int e = 0; e < 4; e++) {
            const int i = o.g + e % 2 * 8, k = 2 * o.t + e / 2 * 8;
            a[e] = ::pair_of<Half>(o.a(i, k), o.a(i, k + 1));
        }
        for (int e = 0; e < 2; e++)
            b[e] = ::pair_of<Half>(o.b(2 * o.t + e * 8, o.g), o.b(2 * o.t + e * 8 + 1, o.g));
        if constexpr (std::is_same<Half, __nv_bfloat16>::value)
            asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                "{%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        else
            asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                "{%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

struct F64K8 {
    using Sum = double;
    static __device__ void multiply(Sum (&d)[4], const Operands &o)
    {
        double a[4], b[2];
        for (int e = 0; e < 4; e++)
            a[e] = o.a(o.g + e % 2 * 8, o.t + e / 2 * 4);
        for (int e = 0; e < 2; e++)
            b[e] = o.b(o.t + e * 4, o.g);
        spmmi::ComputeF64::mma(d, a, b);
    }
};

constexpr int WARPS = 4;

template <typename Mma> __global__ void dots_kernel(struct tensor_dot *dots, int count)
{
    const int index = int(blockIdx.x * WARPS + threadIdx.x / 32), lane = threadIdx.x % 32;
    if (index >= count)
        return;
    const Operands o = {dots + index, index % 16, index / 16 % 8, lane / 4, lane % 4};
    typename Mma::Sum d[4];
    for (int e = 0; e < 4; e++)
        d[e] = typename Mma::Sum(o.c(e));
    Mma::multiply(d, o);
    for (int e = 0; e < 4; e++) {
        if (o.holds(e))
            dots[index].d = double(d[e]);
    }
}

using Kernel = void (*)(struct tensor_dot *, int);
constexpr Kernel KERNELS[TENSOR_MMA_COUNT] = {
    dots_kernel<Tf32K8>,
    dots_kernel<HalfK8<__half>>,
    dots_kernel<HalfK16<__half>>,
    dots_kernel<HalfK8<__nv_bfloat16>>,
    dots_kernel<HalfK16<__nv_bfloat16>>,
    dots_kernel<F64K8>,
};

cudaError_t run_on_device(Kernel kernel, struct tensor_dot *dots, struct tensor_dot *on_device, int count)
{
    const size_t bytes = size_t(count) * sizeof *dots;
    cudaError_t error = cudaMemcpy(on_device, dots, bytes, cudaMemcpyHostToDevice);
    if (error != cudaSuccess)
        return error;
    kernel<<<unsigned((count + WARPS - 1) / WARPS), 32 * WARPS>>>(on_device, count);
    error = cudaGetLastError();
    return error != cudaSuccess ? error : cudaMemcpy(dots, on_device, bytes, cudaMemcpyDeviceToHost);
}

} // namespace

extern "C" int tensor_run_cuda(void *, enum tensor_mma mma, struct tensor_dot *dots, int count)
{
    struct tensor_dot *on_device = nullptr;
    cudaError_t error = cudaMalloc(reinterpret_cast<void **>(&on_device), size_t(count) * sizeof *dots);
    if (error == cudaSuccess)
        error = run_on_device(KERNELS[mma], dots, on_device, count);
    const cudaError_t freed = cudaFree(on_device);
    return int(error != cudaSuccess ? error : freed);
}
