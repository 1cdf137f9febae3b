// SPDX-License-Identifier: Apache-2.0
// The names by which kernels know their dynamic shared memory: arrays of a size that no other variable has, which
// shared_memory.cc knows.
namespace spmmi {
thread_local char ring[3], shared[3];
thread_local unsigned char memory[3];
namespace spgemm {
thread_local unsigned char shared_memory[3];
}
} // namespace spmmi
