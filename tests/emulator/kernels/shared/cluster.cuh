// SPDX-License-Identifier: Apache-2.0
// Replaces kernels/shared/cluster.cuh.
#pragma once
#include <cuda_runtime.h>

namespace spmmi {

inline uint32_t cluster_blocks()
{
    return emulator::cluster_size;
}

inline uint32_t cluster_rank()
{
    return emulator::running->block->rank;
}

inline void cluster_sync()
{
    emulator::meet_cluster();
}

template <typename Word> inline Word load_of_block(const Word *word, uint32_t rank)
{
    return *static_cast<const Word *>(emulator::memory_of_rank(word, rank));
}

} // namespace spmmi
