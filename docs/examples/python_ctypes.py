#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""C = A B from Python by ctypes. There are no bindings, and only the installed library is needed.

usage: python_ctypes.py A.plan [columns]

Multiplies A with a matrix of ones on the CPU and prints the sum of C, for plans of f32 and f64. Your own programs can
pass array.ctypes.data of NumPy or tensor.data_ptr() of PyTorch as addresses, for all value types, including 16 bits. For
GPU 0 pass 0 instead of CPU, and torch.cuda.current_stream().cuda_stream as the stream. B, C and the workspace are then
tensors on this GPU, which must live until the product has ended.
"""
import array
import ctypes
import sys
from ctypes import byref, c_char, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

CPU, OP_N, ROW_MAJOR, F32, F64 = -1, 0, 0, 1, 2  # enumerators and structs: include/spmm/common.h and plan.h


class Diag(ctypes.Structure):
    _fields_ = [("status", c_int), ("native_error", c_int), ("offset", c_uint64), ("line", c_uint64),
                ("text", c_char * 240), ("reserved", c_uint64 * 4)]


class Scalar(ctypes.Structure):
    _fields_ = [("re", c_double), ("im", c_double)]


class Dense(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("rows", c_int64), ("cols", c_int64), ("ld", c_int64), ("layout", c_int),
                ("type", c_int)]


class PlanInfo(ctypes.Structure):  # only the first members: struct_size tells the library which ones
    _fields_ = [("struct_size", c_size_t), ("rows", c_int64), ("cols", c_int64), ("nnz", c_int64), ("a_type", c_int),
                ("b_type", c_int)]


spmm = ctypes.CDLL("libspmm_executor.so.1")


def call(function, *arguments):
    """ctypes passes a plain int as a C int: what has 64 bits is wrapped."""
    diag = Diag()
    if function(*arguments, byref(diag)) != 0:
        raise RuntimeError(diag.text.decode())


class Executor:
    def __init__(self, path, device=CPU):
        plan, self.handle, self.info = c_void_p(), c_void_p(), PlanInfo(ctypes.sizeof(PlanInfo))
        call(spmm.spmm_plan_load, path.encode(), None, byref(plan))
        try:
            spmm.spmm_plan_info(plan, byref(self.info))
            call(spmm.spmm_executor_create, plan, device, None, byref(self.handle))
        finally:
            spmm.spmm_plan_destroy(plan)

    def __del__(self):
        spmm.spmm_executor_destroy(self.handle)

    def operands(self, b, c, n):
        """b, c: addresses of row-major matrices with n columns, of the type of A."""
        info = self.info
        return (byref(Dense(b, info.cols, n, n, ROW_MAJOR, info.a_type)),
                byref(Dense(c, info.rows, n, n, ROW_MAJOR, info.a_type)))

    def workspace_bytes(self, b, c, n):
        size = c_uint64()
        call(spmm.spmm_executor_workspace_bytes, self.handle, OP_N, *self.operands(b, c, n), byref(size))
        return size.value

    def multiply(self, b, c, n, workspace, size, alpha=1, beta=0, stream=None):
        """workspace: its address, a multiple of 256."""
        b, c = self.operands(b, c, n)
        call(spmm.spmm_execute, self.handle, OP_N, Scalar(alpha), b, Scalar(beta), c, c_void_p(workspace),
             c_uint64(size), c_void_p(stream))


def main(path, n=8):
    executor = Executor(path)
    code = {F32: "f", F64: "d"}[executor.info.a_type]
    b = array.array(code, [1]) * (executor.info.cols * n)
    c = array.array(code, [0]) * (executor.info.rows * n)
    addresses = b.buffer_info()[0], c.buffer_info()[0]
    size = executor.workspace_bytes(*addresses, n)
    room = ctypes.create_string_buffer(size + 255)
    executor.multiply(*addresses, n, (ctypes.addressof(room) + 255) // 256 * 256, size)
    print(f"{sum(c):.17g}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
