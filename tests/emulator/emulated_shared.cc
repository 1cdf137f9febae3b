// SPDX-License-Identifier: Apache-2.0
// The variables by which kernels access their dynamic shared memory. shared_memory.cc recognizes them by
// their size, which no other variable has.
namespace spmmi {
thread_local char ring[3], shared[3];
thread_local unsigned char memory[3];
namespace spgemm {
thread_local unsigned char shared_memory[3];
}
} // namespace spmmi
