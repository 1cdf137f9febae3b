/* SPDX-License-Identifier: Apache-2.0 */
/* The contract between the executor and the kernels. A kernel sees this header and its own folder.
 *
 * rows family, on the CPU and on the GPU. P is the pattern of op(A) in CSR with m rows and k columns.
 * Host layout: CSR as it is, plus the plan's items.
 * Device layout ("stream"): the nonzeros of P in order, cut from their rows: a column index whose sign
 * bit is set ends its row. Rows without nonzeros do not appear in it; the others are numbered 0, 1, ...
 * ("rank") and row_of_rank leads back. Kernels that meet such a stream need no row pointer until a row
 * is shared by two blocks.                                                                      */
#ifndef SPMMI_KERNEL_ABI_H
#define SPMMI_KERNEL_ABI_H

#include <stdint.h>

#ifdef __CUDACC__
#define SPMMI_HOST_DEVICE __host__ __device__
#else
#define SPMMI_HOST_DEVICE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* C(m x n) = alpha * P * B(k x n) + beta * C on the CPU. All pointers are host pointers. */
struct spmmi_rows_host {
    int64_t rows, cols, nnz;
    const int64_t *row_ptr; /* rows + 1 */
    const int32_t *col_ind; /* nnz */
    const void *values;     /* nnz, f32 or f64 as the kernel says */
    uint32_t granule;
    uint64_t item_count;
    const uint32_t *items; /* see struct spmmi_part */
    int64_t n;
    const void *b;
    int64_t ldb;
    int b_is_col_major;
    void *c;
    int64_t ldc;
    int c_is_col_major;
    double alpha, beta;
    void *workspace; /* as many bytes as the workspace function said */
    int threads;     /* 0 = OpenMP's default */
};

/* One CPU kernel: never fails, allocates nothing, same bits at any number of threads. */
typedef void (*spmmi_rows_host_fn)(const struct spmmi_rows_host *args);
/* Bytes of workspace for these args (data pointers may be NULL). */
typedef uint64_t (*spmmi_rows_host_workspace_fn)(const struct spmmi_rows_host *args);

struct spmmi_rows_host_kernel {
    spmmi_rows_host_fn run;
    spmmi_rows_host_workspace_fn workspace_bytes;
};

/* Indexed by [schedule - 1][dtype - 1]; kernels/rows/rows_cpu.c */
extern const struct spmmi_rows_host_kernel spmmi_rows_host_kernels[2][2];

/* Device layout of one op(A). All pointers are device pointers; the arrays are padded as
 * SPMMI_STREAM_PAD says, so that kernels may load past the last nonzero. */
#define SPMMI_STREAM_PAD 64u          /* further entries after nnz: column 0, no flag, value 0 */
#define SPMMI_ROW_END 0x80000000u     /* flag in columns: the last nonzero of its row */
#define SPMMI_ITEM_INSIDE 0x80000000u /* flag in item_rank: the row began before the item */

struct spmmi_stream {
    uint32_t nnz, ranks; /* nonzeros; rows that have any */
    uint32_t empty_count;
    const uint32_t *columns;     /* nnz + pad, flagged */
    const void *values;          /* nnz + pad, f32 or f64 */
    const uint32_t *rank_start;  /* ranks + 1: first nonzero of each */
    const uint32_t *row_of_rank; /* ranks + 1; NULL: no row is empty, rank = row */
    const uint32_t *empty_rows;  /* empty_count rows; NULL: rows 0 .. empty_count - 1 */
};

/* Nonzero split: where a block of threads begins. A boundary that falls into a row not far from its start is
 * moved back to it, so that most blocks share no row; a row that is cut all the same is flagged in rank. */
struct spmmi_block {
    uint32_t start; /* first nonzero */
    uint32_t rank;  /* of its row, flagged SPMMI_ITEM_INSIDE when that began before */
};

/* The items of one part on the device. item_rank has item_count + 1 entries. */
struct spmmi_stream_items {
    uint32_t item_count, granule;
    const uint32_t *item_rank;  /* rank of the first nonzero, flagged SPMMI_ITEM_INSIDE; then ranks */
    const uint32_t *item_start; /* first nonzero of each item, then nnz; NULL: item i starts at i * granule */
};

/* One launch of a rows kernel on the GPU: C(:, 0..n) = alpha * P * B(:, 0..n) + beta * C(:, 0..n).
 * B is row-major, C is either; row-major C is written by whole words of shape.vec. */
struct spmmi_rows_cuda {
    struct spmmi_stream stream;
    struct spmmi_stream_items items;
    uint32_t items_per_group;         /* row split: consecutive items that one lane group takes */
    const struct spmmi_block *blocks; /* nonzero split: block_count + 1 of them */
    uint32_t block_count;             /* blocks of the grid that have nonzeros */
    uint32_t block_nonzeros;          /* nonzero split: distance of the boundaries before they were moved */
    const void *b;
    void *c;
    uint32_t ldb; /* elements */
    uint64_t ldc;
    int c_is_col_major;
    uint32_t n;
    double alpha, beta;
    void *slots;        /* partial sums of rows shared by blocks, see rows.cuh; NULL without nonzero split */
    uint32_t *arrivals; /* zero before and after each launch; one a block and column tile */
    void *cuda_stream;
    int is_dependent; /* may start while the kernel before it in the stream ends: sm_90 */
};

/* Shape of a rows kernel instance: a group of lanes owns lanes * vec columns; 256 threads a block.
 * is_single: the 32 lanes share one column and split its nonzeros; for n = 1, nonzero split, granule 8. */
struct spmmi_rows_shape {
    uint32_t vec;   /* columns a lane: 1 or 16 bytes' worth */
    uint32_t lanes; /* lanes a group: 1, 2, 4 .. 32 */
    uint32_t is_single;
};
#define SPMMI_ROWS_SINGLE_GRANULE 8u

#define SPMMI_ROWS_THREADS 256u
/* Blocks that a multiprocessor holds: what the kernels' registers are cut for. */
#define SPMMI_ROWS_BLOCKS_PER_SM(number_bytes, is_single) ((number_bytes) == 4 ? 5u : (is_single) ? 3u : 4u)
#define SPMMI_ROWS_TILES_MAX 16u /* column tiles a launch; wider products are launched in turns */

/* Returns a cudaError_t, 0 = enqueued. */
typedef int (*spmmi_rows_cuda_fn)(const struct spmmi_rows_cuda *args);
/* The instance for a schedule (1 row split, 2 nonzero split), dtype and shape; NULL if there is none. */
spmmi_rows_cuda_fn spmmi_rows_cuda_kernel(int schedule, int dtype, struct spmmi_rows_shape shape);

/* tiled family, on the CPU and on the GPU: paper 000. A thread owns a unit (a row or a segment of one) and keeps
 * its sums in registers; a block of panel_rows threads owns a panel. The rows of B that the panel's units name are
 * staged in shared memory, stage after stage, and named by two-byte local indices; slot 0 of a stage holds zeros.
 * Entries are stored as sliced ELL: slice s holds 32 entries, one for each lane of a warp; a warp's slices of a
 * stage follow each other, and a lane that has fewer entries is padded with local index 0 and value 0, so that
 * padding multiplies zero by zero and never a number of B.                                         */
#define SPMMI_TILED_LANES 32u
#define SPMMI_TILED_THREADS_MAX 256u
#define SPMMI_TILED_NONE 0xffffffffu    /* target of the threads beyond the last unit */
#define SPMMI_TILED_PARTIAL 0x80000000u /* flag in target: the number of a partial sum */

/* A row that was cut: its partial sums [first, first + count) are added in this order. */
struct spmmi_tiled_split {
    uint32_t row, first, count;
};

/* One op(A) in panels; all pointers are host pointers or all are device pointers. */
struct spmmi_tiled {
    uint32_t rows, cols;  /* of op(A) */
    uint32_t panel_rows;  /* threads a block: 32, 64, 128 or 256 */
    uint32_t panel_count; /* ceil(units / panel_rows) */
    uint32_t stage_count;
    uint32_t stage_slots; /* most columns of a stage, slot 0 not counted */
    uint32_t long_slots;  /* the same of panels with two stages or more; 0: there are none */
    uint32_t footprint;   /* entries of columns */
    uint32_t slice_count;
    uint32_t partial_count, split_count;
    const uint32_t *panel_stage; /* panel_count + 1: first stage of each */
    const uint32_t
        *stage_first; /* stage_count + 1: first entry of columns of each; entry i of a stage is slot i + 1 */
    const uint32_t *columns; /* footprint: columns of op(A), ascending in a panel */
    const uint32_t
        *warp_slice;        /* stage_count * (panel_rows / 32) + 1: first slice of each warp in each stage */
    const uint16_t *local;  /* slice_count * 32 */
    const void *values;     /* slice_count * 32 of the plan's type */
    const uint32_t *target; /* panel_count * panel_rows: row of C, or flagged partial, or none */
    const struct spmmi_tiled_split *splits; /* split_count */
};

/* C(m x n) = alpha * P * B(k x n) + beta * C on the CPU, B and C in any order. */
struct spmmi_tiled_host {
    const struct spmmi_tiled *layout;
    int64_t n;
    const void *b;
    int64_t ldb;
    int b_is_col_major;
    void *c;
    int64_t ldc;
    int c_is_col_major;
    double alpha, beta;
    void *workspace; /* partial sums: as many bytes as the workspace function said */
    int threads;     /* 0 = OpenMP's default */
};
typedef void (*spmmi_tiled_host_fn)(const struct spmmi_tiled_host *args);
/* Bytes of workspace for n columns. */
uint64_t spmmi_tiled_host_workspace(const struct spmmi_tiled *layout, int dtype, int64_t n);
/* Indexed by dtype - 1; kernels/tiled/tiled_cpu.c. Same bits at any number of threads. */
extern const spmmi_tiled_host_fn spmmi_tiled_host_kernels[4];

/* Bytes of a sum of products: double for f64, else float. */
static inline uint64_t spmmi_tiled_sum_bytes(int dtype)
{
    return dtype == 2 ? sizeof(double) : sizeof(float);
}

/* Slices that kernels on the GPU may read past the last one, without using what they read. */
#define SPMMI_TILED_AHEAD 8u

/* Bytes from slot to slot of a stage in shared memory: an odd number of 16-byte words, so that slots that differ
 * modulo 8 lie in different banks; smaller slots are packed. */
static inline uint32_t spmmi_tiled_slot_bytes(uint32_t register_tile, uint32_t number_bytes)
{
    const uint32_t bytes = register_tile * number_bytes;
    return bytes < 16u ? bytes : (bytes / 16u | 1u) * 16u;
}

/* What a block may have: every GPU from compute capability 8.0 on has it. */
#define SPMMI_TILED_SHARED_MAX (99u * 1024u)

/* Shared memory of a block: one stage, or two that take turns. */
static inline uint32_t spmmi_tiled_shared_bytes(const struct spmmi_tiled *layout, uint32_t register_tile,
                                                uint32_t number_bytes)
{
    const uint32_t turns = layout->long_slots > 0 ? 2u * (layout->long_slots + 1u) : 0u;
    const uint32_t slots = layout->stage_slots + 1u > turns ? layout->stage_slots + 1u : turns;
    return slots * spmmi_tiled_slot_bytes(register_tile, number_bytes);
}

/* One launch on the GPU. register_tile: columns a thread keeps (R): 1, 2, 4 .. 32, more than n too. */
#define SPMMI_TILED_REGISTER_TILE_MAX 32u
struct spmmi_tiled_cuda {
    struct spmmi_tiled layout;
    uint32_t register_tile;
    const void *b;
    void *c;
    uint64_t ldb, ldc; /* elements */
    int b_is_col_major, c_is_col_major;
    uint32_t n;
    double alpha, beta;
    void *partials; /* partial_count * n sums: float, or double for f64 */
    void *cuda_stream;
    int can_overlap; /* dependent launches, sm_90 */
};
#define SPMMI_TILED_COLUMNS_MAX 32768u /* a launch takes up to this many columns */
/* Returns a cudaError_t, 0 = enqueued. */
int spmmi_tiled_cuda_launch(int dtype, const struct spmmi_tiled_cuda *args);

/* window and panel families, on the CPU and on the GPU: tensor cores (docs/kernels.md). op(A) is cut into units of
 * unit_rows rows (window: 8; panel: 64, 128 or 256), whose rows need not be neighbours. A unit's columns, the union of
 * those of its rows, are walked ascending, in steps of 8 (window) or 128 (panel). Within a step A is stored in blocks
 * of 8 rows by 8 columns, the narrow operand of an MMA: "fragments".
 *
 * Fragment order. The number in row r and column position p of a block (0 .. 7 each) belongs to lane 4 r + p % 4 of a
 * warp, there it is number p / 4: bit and dense place 2 * lane + p / 4, which is 8 r + 2 (p % 4) + p / 4. This is the
 * operand order of mma.m16n8k8 for f64 and tf32; for 16-bit types it is so as well if position p is taken for the
 * MMA's k = 2 (p % 4) + p / 4, as rows of B are in the same order.
 *
 * Blocks. A window's step is one block. A panel has W = unit_rows / 8 windows, and its step's columns are local rows 0
 * .. 127, the rows of B that are staged together. Of these each window has the ones that its 8 rows hold, cut into
 * blocks of 8 in an order that lets a block's positions 0 .. 3, and 4 .. 7, read different banks of shared memory
 * (kernels/tcblock/fragment_banks.h); locals says which local row is where. Blocks go by step, then by window; a window
 * without numbers in a step has none. bitmaps has a bit for each number of A that a block holds, stored zeros
 * included. Values are dense: 64 a block, zero where there is no number of A; or packed: only the numbers of A, in
 * fragment order, at value_first[block]; a panel's step starts at a multiple of 16 bytes. A position of a step beyond
 * the unit's columns names its last one, an unused position of a panel's block the local row of position 0; both have
 * no numbers. */
/* The bcsr family shares the arrays but not the walk (its tensor core operand is the wide one). A unit is a strip of 64
 * or 128 rows, W = unit_rows / 16 block rows. Its columns are cut at multiples of block_columns: 8, or 16 for 16-bit
 * types; the block columns in which the strip has a number of A are walked ascending, 4 in a step. A block is 16 rows
 * by block_columns, dense, and is there if its block row has a number in it. Blocks go by step, then by block row, then
 * by column. Place of the number in row r and column p of a block, with P = numbers in 16 bytes:
 *   8 columns:  lane = 4 (r % 8) + p % 4,       number i = r / 8 + 2 (p / 4)
 *   16 columns: lane = 4 (r % 8) + (p % 8) / 2, number i = 2 (r / 8 + 2 (p / 8)) + p % 2
 *   place = 32 P (i / P) + P lane + i % P
 * so that a lane reads its operand of mma.m16n8k8 (m16n8k16) in pieces of 16 bytes. */
#define SPMMI_FRAGMENT_PANEL_STEP 128u /* columns of a step of a panel */
#define SPMMI_BCSR_ROWS 16u            /* rows of a block */
#define SPMMI_BCSR_STEP 4u             /* block columns of a step */
#define SPMMI_BCSR_COLUMNS(number_bytes) ((number_bytes) == 2 ? 16u : 8u)
#define SPMMI_FRAGMENT_NUMBERS 64u
#define SPMMI_FRAGMENT_NONE 0xffffffffu /* row_of: no row; slot: the item writes C; value map: no place */
/* Further entries after each array but items and splits, readable, zero; of locals 8 times so many. */
#define SPMMI_FRAGMENT_PAD 64u

/* The place of row r, column p of a block of bcsr. */
static inline SPMMI_HOST_DEVICE uint32_t spmmi_bcsr_place(uint32_t number_bytes, uint32_t r, uint32_t p)
{
    const uint32_t pair = number_bytes == 2 ? 2 : 1; /* columns side by side in a lane */
    const uint32_t lane = 4 * (r % 8) + p / pair % 4, piece = 16 / number_bytes;
    const uint32_t i = pair * (r / 8 + 2 * (p / (4 * pair))) + p % pair;
    return 32 * piece * (i / piece) + piece * lane + i % piece;
}

/* Steps [begin, end) of a unit, summed by one warp (window) or one block of threads (panel). */
struct spmmi_fragment_item {
    uint32_t unit, begin, end, slot;
};
/* A unit that was cut: its partial sums in slots [first, first + count) are added in this order. A slot holds
 * unit_rows x n sums: float, or double for f64. */
struct spmmi_fragment_split {
    uint32_t unit, first, count;
};

/* One op(A) in fragments; all pointers are host pointers or all are device pointers. */
struct spmmi_fragments {
    uint32_t rows, cols;                /* of op(A) */
    uint32_t unit_rows;                 /* 8: window; 64, 128, 256: panel; 64, 128: bcsr */
    uint32_t block_rows, block_columns; /* 8 and 8, bcsr: 16 and 8 or 16 */
    uint32_t is_packed;
    uint32_t unit_count, step_count, block_count, item_count, slot_count, split_count;
    uint64_t value_count;     /* entries of values, pad not counted */
    uint32_t step_blocks_max; /* most blocks of a step */
    uint32_t step_values_max; /* most values of a step, its padding to 16 bytes included */
    const uint32_t *row_of;   /* unit_count * unit_rows: row of C, or none */
    const uint32_t *columns;  /* columns of op(A). Window: step_count * 8, position p of a step at 2 (p % 4) +
                                 p / 4, so that lane t finds its two side by side at 2 t. Panel: step_count * 128,
                                 ascending in a panel: local row i of a step at i. bcsr: step_count * 4: first
                                 column of each block column; beyond the strip's last one that one again */
    const uint8_t *locals; /* panel: block_count * 8: the local row of each position of a block, that of p at
                                 2 (p % 4) + p / 4: lane t reads its two as a 16-bit word at 8 * block + 2 t */
    const uint32_t *block_first; /* panel: step_count * W + 1: first block of each window of each step; bcsr:
                                    step_count + 1: of each step */
    const uint32_t
        *masks; /* bcsr: step_count: bit 4 w + i: block row w has a block in block column i of the step */
    const uint64_t
        *bitmaps; /* block_count; bcsr: bit r * block_columns + p of block_columns / 4 words a block */
    const uint32_t *value_first; /* block_count + 1; dense: NULL, 64 times the block */
    const void *values;          /* value_count of the plan's type */
    const struct spmmi_fragment_item
        *items; /* item_count: by unit, then by step; units without columns too */
    const struct spmmi_fragment_split *splits; /* split_count, by unit */
};

/* C(m x n) = alpha * P * B(k x n) + beta * C on the CPU, B and C in any order. compute: spmm_compute_t. Rounds and
 * splits numbers as the tensor cores' kernels do, but for ties, and keeps f32 sums where they do. */
struct spmmi_fragment_host {
    const struct spmmi_fragments *layout;
    int dtype, compute;
    int64_t n;
    const void *b;
    int64_t ldb;
    int b_is_col_major;
    void *c;
    int64_t ldc;
    int c_is_col_major;
    double alpha, beta;
    void *workspace; /* the slots: slot_count * unit_rows * n sums */
    int threads;     /* 0 = OpenMP's default */
};
/* Bytes of the slots for n columns; UINT64_MAX where they overflow. */
static inline uint64_t spmmi_fragment_slot_bytes(const struct spmmi_fragments *layout, int dtype, int64_t n)
{
    uint64_t bytes = 0;
    const uint64_t sums = (uint64_t)layout->slot_count * layout->unit_rows * spmmi_tiled_sum_bytes(dtype);
    return __builtin_mul_overflow(sums, (uint64_t)n, &bytes) ? UINT64_MAX : bytes;
}
/* All three families; kernels/tcblock/fragment_cpu.c. Same bits at any number of threads. */
void spmmi_fragment_host_run(const struct spmmi_fragment_host *args);

/* One launch on the GPU; B and C are row-major. */
struct spmmi_fragment_cuda {
    struct spmmi_fragments layout;
    int compute; /* spmm_compute_t */
    const void *b;
    void *c;
    uint64_t ldb, ldc; /* elements */
    uint32_t n;
    double alpha, beta;
    void *slots; /* slot_count * unit_rows * n sums */
    void *cuda_stream;
    int can_overlap;     /* dependent launches, sm_90 */
    int overtakes;       /* starts while the kernel before it in the stream runs, and ends after it: sm_90 */
    int has_wgmma;       /* sm_90, which alone has these instructions */
    uint32_t shared_max; /* bytes of shared memory that the device lets a block of threads have */
};

/* Shared memory of a block of threads of a panel kernel: b_bytes of rows of B, then the blocks of a step; all of it
 * follows from the largest step. */
struct spmmi_panel_stage {
    uint32_t locals, bitmaps,
        offsets; /* where they begin; offsets: of the first value of each block, packed */
    uint32_t bytes;
};
static inline SPMMI_HOST_DEVICE struct spmmi_panel_stage
spmmi_panel_stage(uint32_t b_bytes, uint32_t number_bytes, int is_packed, uint32_t blocks, uint32_t values)
{
    struct spmmi_panel_stage s;
    const uint32_t numbers = is_packed ? values : blocks * SPMMI_FRAGMENT_NUMBERS;
    s.locals = b_bytes + (numbers * number_bytes + 15) / 16 * 16;
    s.bitmaps = s.locals + 8 * blocks;
    s.offsets = s.bitmaps + (is_packed ? 8 * blocks : 0);
    s.bytes = s.offsets + (is_packed ? 4 * blocks : 0);
    return s;
}
/* b_bytes of the narrowest tile: a part whose stage is too large for the device with these has no kernel. */
#define SPMMI_PANEL_B_LEAST (SPMMI_FRAGMENT_PANEL_STEP * 160u)

/* Returns a cudaError_t, 0 = enqueued. */
int spmmi_window_cuda_launch(const struct spmmi_fragment_cuda *args);
int spmmi_panel_cuda_launch(const struct spmmi_fragment_cuda *args);
int spmmi_bcsr_cuda_launch(const struct spmmi_fragment_cuda *args);

/* out[map[q]] = in[q], count numbers of the plan's type, but those that have no place: values of A into their slices
 * or blocks. */
int spmmi_scatter_cuda(int dtype, uint32_t count, const uint32_t *map, const void *in, void *out,
                       void *cuda_stream);

/* Layout conversion of a rows x n matrix on the device; each returns a cudaError_t. 16-bit types: beta = 0 only.
 * rows_from_columns: dst row-major (ldd) = src column-major (lds); columns n .. ldd of dst become 0.
 * columns_from_rows: dst column-major (ldd) = src row-major (lds) + beta * dst; beta = 0 does not read dst. */
int spmmi_rows_from_columns_cuda(int dtype, int64_t rows, int64_t n, const void *src, int64_t lds, void *dst,
                                 int64_t ldd, void *cuda_stream);
int spmmi_columns_from_rows_cuda(int dtype, int64_t rows, int64_t n, const void *src, int64_t lds, void *dst,
                                 int64_t ldd, double beta, void *cuda_stream, int is_dependent);

/* 0 when this build has code for the current device. */
int spmmi_kernels_load_cuda(void);

/* out[q] = in[map[q]], count numbers. */
int spmmi_gather_cuda(int dtype, uint32_t count, const uint32_t *map, const void *in, void *out,
                      void *cuda_stream);

#ifdef __cplusplus
}
#endif
#endif
