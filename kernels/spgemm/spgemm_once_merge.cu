// SPDX-License-Identifier: Apache-2.0
// Products without a plan, rows of C with at most 64 products: the rows of B that a row of A selects are
// merged in registers, first to count columns, then for columns and values.
//
// block     128 threads: groups of 4, 8 or 16 lanes, one row of C each; each lane has 4 products
// merging   keys, which consist of a column and the number of a product in the row, are sorted by a bitonic
//           network: equal columns are then adjacent, by ascending k
// sums      each product is added to the sum of the element before it if that has the same column: from 0,
//           fused
// overlap   rows of different classes are independent: kernels of several classes run concurrently
#include "spgemm_once.cuh"
#include "spgemm_products.cuh"

namespace spmmi {
namespace spgemm {

// Products per lane. gen:poisson2:1024:1024 in f64 on an H100, whole calls: 0.92 ms with one, 0.65 with two,
// 0.59 with four; with tables 0.86 (2026-11-27).
constexpr int EACH = 4;
constexpr unsigned NUMBER_BITS = 6; // of a key: number of the product in the row
constexpr uint32_t NUMBER_OF = (1u << NUMBER_BITS) - 1;
constexpr uint32_t NO_KEY = ~0u; // for no product; greater than all other keys
static_assert(SPMMI_ONCE_MERGE_COLUMNS == NO_KEY >> NUMBER_BITS && SPMMI_ONCE_MERGED == 1u << NUMBER_BITS,
              "column and number of a key");

__device__ __forceinline__ bool have_same_column(uint32_t x, uint32_t y)
{
    return (x ^ y) <= NUMBER_OF;
}

// A step of comparators of the network: element p, which is number p % EACH of lane p / EACH, is compared
// with the element whose number differs in the bits `bits`.
__device__ __forceinline__ void exchange(uint32_t (&keys)[EACH], uint32_t lane, unsigned bits,
                                         unsigned highest)
{
    uint32_t others[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const uint32_t other = keys[i ^ (bits & (EACH - 1))];
        others[i] = bits < EACH ? other : __shfl_xor_sync(EVERY_LANE, other, bits / EACH);
    }
#pragma unroll
    for (unsigned i = 0; i < EACH; i++)
        keys[i] = (highest < EACH ? i & highest : lane & highest / EACH) ? max(keys[i], others[i])
                                                                         : min(keys[i], others[i]);
}

// Sorts the keys of a group in ascending order: pairs of runs are merged, the second run of a pair backwards.
template <int LANES> __device__ __forceinline__ void sort_keys(uint32_t (&keys)[EACH], uint32_t lane)
{
#pragma unroll
    for (unsigned run = 2; run <= LANES * EACH; run *= 2) {
        exchange(keys, lane, run - 1, run / 2);
#pragma unroll
        for (unsigned step = run / 4; step > 0; step /= 2)
            exchange(keys, lane, step, step);
    }
}

// The keys of a row after the merge. firsts: lanes whose key number i is the first one of its column.
struct Merged {
    uint32_t keys[EACH];
    unsigned firsts[EACH];
};

// Merges a row. products: shared memory for the products of the row, by number.
template <typename Real, int LANES, bool VALUES>
__device__ __forceinline__ Merged merge_row(const spmmi_once_work &w, const Row &row, Step<Real> *steps,
                                            Product<Real> *products, uint32_t lane)
{
    const uint32_t longest = warp_max<LANES>(row.length);
    uint32_t so_far = 0; // products of earlier rounds
    Merged merged;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        merged.keys[i] = NO_KEY;
    for (uint32_t t = 0; t < longest; t += LANES) { // entries of A
        const Factor<Real> own = load_factor<Real, VALUES>(w, row.begin + t + lane, t + lane < row.length);
        const Share share = share_round<LANES>(own, steps, lane);
        uint32_t begun = 0; // entries in front of this chunk
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const uint32_t chunk = LANES * i - so_far,
                           at = chunk + lane; // wraps to a large number if below 0
            const unsigned starts = first_of_entries<LANES>(share, chunk, lane);
            if (at < share.total) {
                const Step<Real> step = steps[begun + __popc(starts & ((2u << lane) - 1)) - 1];
                const uint32_t number = so_far + at;
                merged.keys[i] = (uint32_t)w.b.columns[step.start + at] << NUMBER_BITS | number;
                if (VALUES)
                    products[number] = {step.a, static_cast<const Real *>(w.b.values)[step.start + at]};
            }
            begun += __popc(starts);
        }
        so_far += share.total;
        __syncwarp();
    }
    sort_keys<LANES>(merged.keys, lane);
    uint32_t before = __shfl_up_sync(EVERY_LANE, merged.keys[EACH - 1], 1, LANES);
    before = lane == 0 ? NO_KEY : before;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const uint32_t key = merged.keys[i];
        merged.firsts[i] =
            group_bits<LANES>(__ballot_sync(EVERY_LANE, key != NO_KEY && !have_same_column(key, before)));
        before = key;
    }
    return merged;
}

template <int LANES>
__global__ void __launch_bounds__(ONCE_THREADS)
    merge_count_kernel(const __grid_constant__ spmmi_once_work w, int row_class, uint32_t rows)
{
    __shared__ Step<float> steps[ONCE_THREADS];
    release_dependents();
    const uint32_t lane = threadIdx.x % LANES;
    const Row row = row_of_group<LANES>(w, row_class, rows);
    const Merged merged = merge_row<float, LANES, false>(w, row, steps + (threadIdx.x - lane), nullptr, lane);
    uint32_t entries = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        entries += __popc(merged.firsts[i]);
    if (row.is_there && lane == 0)
        w.entries[row.row] = entries;
    end_after_previous();
}

// Sets turns[i] to the number of keys of the same column in front of key i. Returns the number of columns
// that begin in lanes before this one.
__device__ __forceinline__ uint32_t find_turns(const Merged &merged, uint32_t lane, uint32_t (&turns)[EACH])
{
    const unsigned below = (1u << lane) - 1;
    int first = 0; // element at which the column begins
    uint32_t columns = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const unsigned before = merged.firsts[i] & below;
        columns += __popc(before);
        first = max(first, EACH * (31 - __clz((int)before)) + i);
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int place = EACH * (int)lane + i;
        first = merged.firsts[i] >> lane & 1 ? place : first;
        turns[i] = merged.keys[i] != NO_KEY ? (uint32_t)(place - first) : 0;
    }
    return columns;
}

// Adds each product to the sum of the element before it, turn by turn: the last element of a column then has
// its sum.
template <typename Real, int LANES>
__device__ __forceinline__ void add_columns(const Product<Real> (&products)[EACH],
                                            const uint32_t (&turns)[EACH], Real (&sums)[EACH])
{
    uint32_t last = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        sums[i] = fused(products[i].a, products[i].b, Real(0));
        last = max(last, turns[i]);
    }
    last = __reduce_max_sync(EVERY_LANE, last);
    for (uint32_t t = 1; t <= last; t++) {
        const Real before = __shfl_up_sync(EVERY_LANE, sums[EACH - 1], 1, LANES);
#pragma unroll
        for (int i = EACH - 1; i >= 0; i--)
            if (turns[i] == t)
                sums[i] = fused(products[i].a, products[i].b, i > 0 ? sums[i - 1] : before);
    }
}

template <typename Real, int LANES>
__global__ void __launch_bounds__(ONCE_THREADS)
    merge_rows_kernel(const __grid_constant__ spmmi_once_work w, int row_class, uint32_t rows)
{
    __shared__ Product<Real> all_products[ONCE_THREADS * EACH];
    __shared__ Step<Real> steps[ONCE_THREADS];
    release_dependents();
    const uint32_t lane = threadIdx.x % LANES, group = threadIdx.x - lane;
    Product<Real> *const products = all_products + group * EACH;
    const Row row = row_of_group<LANES>(w, row_class, rows);
    const Merged merged = merge_row<Real, LANES, true>(w, row, steps + group, products, lane);
    uint32_t turns[EACH], keys[EACH + 1]; // keys: and the first key of the next lane
    Product<Real> own[EACH];
    Real sums[EACH];
    const uint32_t columns = find_turns(merged, lane, turns),
                   next = __shfl_down_sync(EVERY_LANE, merged.keys[0], 1, LANES);
    keys[EACH] = lane == LANES - 1 ? NO_KEY : next;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        keys[i] = merged.keys[i];
        own[i] = keys[i] != NO_KEY ? products[keys[i] & NUMBER_OF] : Product<Real>{Real(0), Real(0)};
    }
    add_columns<Real, LANES>(own, turns, sums);
    int64_t c = row.is_there ? w.c_row_ptr[row.row] + columns - 1 : 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        c += merged.firsts[i] >> lane & 1;
        if (keys[i] != NO_KEY && !have_same_column(keys[i], keys[i + 1])) {
            w.c_columns[c] = (int32_t)(keys[i] >> NUMBER_BITS);
            static_cast<Real *>(w.c_values)[c] = sums[i];
        }
    }
    end_after_previous();
}

// kernels: one per class.
int launch_merge(void (*const kernels[])(spmmi_once_work, int, uint32_t), const spmmi_once_work *w,
                 int row_class, uint32_t rows, int is_dependent, void *stream)
{
    const unsigned lanes = 4u << row_class, groups = ONCE_THREADS / lanes;
    return launch_kernel(kernels[row_class], dim3((rows + groups - 1) / groups), ONCE_THREADS, 0, stream,
                         is_dependent != 0, *w, row_class, rows);
}

template <typename Real>
int launch_merge_rows(const spmmi_once_work *w, int row_class, uint32_t rows, int is_dependent, void *stream)
{
    static_assert((4 << (SPMMI_ONCE_MERGES - 1)) * EACH == SPMMI_ONCE_MERGED, "lanes of the classes");
    static void (*const kernels[SPMMI_ONCE_MERGES])(spmmi_once_work, int, uint32_t) = {
        merge_rows_kernel<Real, 4>, merge_rows_kernel<Real, 8>, merge_rows_kernel<Real, 16>};
    return launch_merge(kernels, w, row_class, rows, is_dependent, stream);
}

} // namespace spgemm
} // namespace spmmi

int spmmi_once_merge_count_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows,
                                int is_dependent, void *stream)
{
    using namespace spmmi::spgemm;
    static void (*const kernels[SPMMI_ONCE_MERGES])(spmmi_once_work, int, uint32_t) = {
        merge_count_kernel<4>, merge_count_kernel<8>, merge_count_kernel<16>};
    return launch_merge(kernels, w, row_class, rows, is_dependent, stream);
}

int spmmi_once_merge_rows_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_f64,
                               int is_dependent, void *stream)
{
    return is_f64 ? spmmi::spgemm::launch_merge_rows<double>(w, row_class, rows, is_dependent, stream)
                  : spmmi::spgemm::launch_merge_rows<float>(w, row_class, rows, is_dependent, stream);
}
