#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads plan files independently of the library: written only from docs/plan-format.md and the lists that it names.

usage: plan_reader.py FILE...            print each plan as text
       plan_reader.py --check FOLDER     compare FOLDER/good/*.plan with their .txt, and FOLDER/bad/* with
                                         the statuses of FOLDER/bad/expect.txt

Needs the shared libraries of zstd and xxHash. Suitable for small files only: all data are in Python lists.
"""
import ctypes
import ctypes.util
import math
import pathlib
import re
import struct
import sys

import family_rows

MAGIC = bytes([0xD3, 0x53, 0x50, 0x4D, 0x0D, 0x0A, 0x1A, 0x0A])
DIM_MAX, NNZ_MAX, NO_PART, FRAME_RAW = 2**31 - 2, 2**40, 0xFFFFFFFF, 2**21
UNIT_MAX = 2**32 - 1
FEATURE_UNITS, FEATURE_TCBLOCK, FEATURE_LONG_ROWS, FEATURE_SEARCH, FEATURE_HALF_LONG_ROWS = 1, 4, 16, 32, 64
FEATURE_TRIANGLE, FEATURE_TYPES, FEATURE_PRODUCT, FEATURE_DECIMAL = 512, 1024, 4096, 8192
FEATURE_TEXTS_FIRST, FEATURE_EITHER, FEATURE_STRETCHES = 16384, 32768, 131072
TEXTS = 9, 13, 14  # types of the sections with text
VALUES, TRIANGLE, MIRRORED, SKEW = 1, 2, 4, 8  # flags in the header
FAMILIES = {family.number: family for family in family_rows.FAMILIES}
FIRST = family_rows.FAMILIES[0]  # the family of parts with long rows
SCHEDULES = {(family.number, row.number): row for family in family_rows.FAMILIES for row in family.schedules}
FORMAT = pathlib.Path(family_rows.LIST).parent
# {number of a row permutation: its feature}; 0 and 1 are auto and none
PERMUTATIONS = dict.fromkeys((0, 1), 0) | {int(number): int(feature, 0) for number, feature in re.findall(
    r"^PERMUTATION\(\w+, \w+, (\d+), (\w+),", FORMAT.joinpath("permutation_list.def").read_text(), re.M)}
F32, TENSOR_TYPES = 1, (5, 6)  # f32; tf32 and 3xtf32
# DTYPES: {number of a value type: (bytes of a value, feature)}
BYTES = {"float": 4, "double": 8, "uint32_t": 4, "uint16_t": 2, "uint8_t": 1}
DTYPES = {int(number): (BYTES[stored], int(feature, 0)) for number, stored, feature in re.findall(
    r"^DTYPE\(\w+, \w+, (\d+), \w+, (\w+), \w+, (\w+),", FORMAT.joinpath("base", "dtype_list.def").read_text(), re.M)}
REORDERED, PERMUTES_OUTPUT, LONG_ROWS = 1, 2, 4
ROW_BLOCK_METRICS_LAYOUT = "<11q3d3q2d6q6d3qdqd2q2dq3d64q"
PRODUCT_LAYOUT = "<III3I3I4xQ2Q" + "QQQ16s" * 4 + "32x"
PRODUCT_RESERVED = [*range(36, 40), *range(224, 256)]
LOWER, DIAGONAL, STRETCHES = 1, 2, 4
PERMUTATION_METRICS_LAYOUT = "<IIq2q2d2q2d2q2d6q6d"
# type: (name, required flag, per part, allowed transforms); per part: a number is the maximum count of matrices instead
SECTIONS = {
    1: ("row-lengths", 1, False, (1,)), 2: ("col-ind", 1, False, (2,)), 3: ("values", 1, False, (0, 1, 4, 5)),
    4: ("stats", 1, False, (0,)), 5: ("variants", 1, False, (0,)), 6: ("parts", 1, False, (0,)),
    7: ("trace", 1, False, (0,)), 8: ("items", 1, True, (3,)), 9: ("meta", 0, False, (0,)),
    10: ("panel-stats", 0, False, (0,)), 11: ("symmetric-order", 0, False, (3,)),
    12: ("order-stats", 0, False, (0,)), 13: ("writer", 0, False, (0,)), 14: ("metadata", 0, False, (0,)),
    15: ("product", 1, False, (0,)), 16: ("operand-rows", 1, 4, (1,)), 17: ("operand-cols", 1, 4, (2,)),
}


class PlanError(Exception):
    """Reports a broken rule; the first argument is the status, the second the offset or None."""


def require(condition, status, offset=None):
    if not condition:
        raise PlanError(status, offset)


def library(name, soname):
    return ctypes.CDLL(ctypes.util.find_library(name) or soname)


ZSTD = library("zstd", "libzstd.so.1")
XXH = library("xxhash", "libxxhash.so.0")


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


XXH.XXH3_64bits.restype = ctypes.c_uint64
XXH.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
XXH.XXH3_128bits.restype = Hash128
XXH.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
ZSTD.ZSTD_decompress.restype = ctypes.c_size_t
ZSTD.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
ZSTD.ZSTD_findFrameCompressedSize.restype = ctypes.c_size_t
ZSTD.ZSTD_findFrameCompressedSize.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def units_of(family):
    """Returns the allowed values of block_rows."""
    return family_rows.powers(family.unit_min, family.unit_max)


def hash64(data):
    return XXH.XXH3_64bits(data, len(data))


def digest128(data):
    value = XXH.XXH3_128bits(data, len(data))
    return struct.pack(">QQ", value.high, value.low)


def frame_header(stored):
    """Checks the header of a zstd frame and returns the size of its content (RFC 8878, section 3.1.1.1)."""
    require(len(stored) >= 6 and stored[:4] == b"\x28\xb5\x2f\xfd", "FRAME")
    descriptor = stored[4]
    size_flag, single, reserved = descriptor >> 6, descriptor >> 5 & 1, descriptor >> 3 & 1
    require(reserved == 0 and descriptor & 4, "FRAME")  # bit 2: checksum
    at = 5
    window = None
    if not single:
        exponent, mantissa = stored[at] >> 3, stored[at] & 7
        window = (1 << (10 + exponent)) + (1 << (10 + exponent)) // 8 * mantissa
        at += 1
    id_bytes = (0, 1, 2, 4)[descriptor & 3]
    require(int.from_bytes(stored[at:at + id_bytes], "little") == 0, "FRAME")
    at += id_bytes
    size_bytes = (1 if single else 0, 2, 4, 8)[size_flag]
    require(size_bytes > 0 and len(stored) >= at + size_bytes, "FRAME")
    size = int.from_bytes(stored[at:at + size_bytes], "little") + (256 if size_bytes == 2 else 0)
    require((size if window is None else window) <= 2**23, "FRAME")
    return size


def decompress(stored, size):
    require(ZSTD.ZSTD_findFrameCompressedSize(stored, len(stored)) == len(stored), "FRAME")
    out = ctypes.create_string_buffer(max(size, 1))
    require(ZSTD.ZSTD_decompress(out, size, stored, len(stored)) == size, "FRAME")
    return out.raw[:size]


def from_planes(content, count, width):
    return [sum(content[b * count + i] << (8 * b) for b in range(width)) for i in range(count)]


def unzigzag(code):
    return code >> 1 if code % 2 == 0 else -((code + 1) >> 1)


def decimal_value(code):
    """Returns the bits of the f64 nearest to the decimal number of a code."""
    mantissa, digits = code % 2**53, code >> 56 & 31
    require(code & (7 << 53 | 3 << 61) == 0 and digits <= 22, "FRAME")
    return int.from_bytes(struct.pack("<d", mantissa / 10**digits), "little") | code >> 63 << 63


def undo_row_delta(codes, first, row_ptr):
    """Returns the columns of nonzeros first, first + 1, ... from their codes."""
    columns, start, row = [], 0, 0
    row_now = None
    for p, code in enumerate(codes, first):
        while row_ptr[row + 1] <= p:
            row += 1
        if row != row_now:
            start = column = (start + unzigzag(code)) % 2**32
            row_now = row
        else:
            column = (column + code + 1) % 2**32
        columns.append(column)
    return columns


class Product:
    """Reads and checks the section product and the patterns of its matrices (docs/product.md)."""

    def __init__(self, plan, record):
        self.plan, self.at = plan, plan.offset(15)
        factors, self.operand_count, self.flags = record[:3]
        operand, op, (self.piece, self.products, self.inner_products) = record[3:6], record[6:9], record[9:12]
        self.matrices = [record[at:at + 4] for at in range(12, 28, 4)]
        self.require(factors in (2, 3))
        known = 0
        for f in range(3):
            self.require(operand[f] <= known and op[f] <= 1 if f < factors else operand[f] == op[f] == 0)
            known += f < factors and operand[f] == known
        self.require(self.operand_count == known and self.flags <= 7 and (factors == 2 or not self.flags & DIAGONAL))
        self.factors = list(zip(operand, op))[:factors]
        self.count = known + (factors == 3)
        for m, (rows, cols, nnz, digest) in enumerate(self.matrices):
            self.require(rows <= DIM_MAX and cols <= DIM_MAX and nnz <= min(NNZ_MAX, rows * cols) if m < self.count
                         else not (rows or cols or nnz or any(digest)))
        shapes = [self.matrices[m][1::-1] if turned else self.matrices[m][:2] for m, turned in self.factors]
        for left, right in zip(shapes, shapes[1:]):
            self.require(left[1] == right[0])
        self.require((plan.rows, plan.cols) == (shapes[0][0], shapes[-1][1]))
        if factors == 3:
            self.require(self.matrices[known][:2] == (shapes[1][0], plan.cols))
        self.require(not self.flags & LOWER or plan.rows == plan.cols)
        self.require(not (plan.parts or plan.variants or plan.trace) and plan.dtype in (1, 2))

    def require(self, condition):
        require(condition, "PRODUCT", self.at)

    def sizes(self, m):
        """Returns the raw bytes of the row lengths and of the columns of matrix m; (0, 0) if there is none."""
        return (4 * self.matrices[m][0], 4 * self.matrices[m][2]) if m < self.count else (0, 0)

    def read_patterns(self):
        """Sets self.rows: for each matrix, its rows as lists of columns."""
        self.rows = []
        for m, (_, cols, nnz, _) in enumerate(self.matrices[:self.count]):
            row_ptr = [0]
            for length in self.plan.elements(16, 4, m):
                self.require(length <= cols)
                row_ptr.append(row_ptr[-1] + length)
            self.require(row_ptr[-1] == nnz)
            columns = self.plan.elements(17, 4, m, row_ptr)
            self.rows.append([columns[start:end] for start, end in zip(row_ptr, row_ptr[1:])])

    def factor(self, f):
        m, turned = self.factors[f]
        if not turned:
            return self.rows[m]
        columns = [[] for _ in range(self.matrices[m][1])]
        for i, row in enumerate(self.rows[m]):
            for j in row:
                columns[j].append(i)
        return columns

    def check(self):
        self.require(self.plan.values is None and not self.plan.symmetric_permutation)
        for (rows, cols, nnz, digest), pattern in zip(self.matrices, self.rows):
            row_ptr = [0]
            for row in pattern:
                self.require(all(a < b for a, b in zip([-1] + row, row + [cols])))
                row_ptr.append(row_ptr[-1] + len(row))
            data = struct.pack(f"<8sQQQ{rows + 1}q{nnz}I", b"SMPATTRN", rows, cols, nnz, *row_ptr, *sum(pattern, []))
            self.require(digest128(data) == digest)
        inner = sum(len(right) for row in self.factor(len(self.factors) - 2) for right in
                    map(self.factor(len(self.factors) - 1).__getitem__, row))
        outer = inner
        if len(self.factors) == 3:
            outer = sum(len(self.rows[-1][k]) for row in self.factor(0) for k in row)
        self.require((self.products, self.inner_products) == (outer, inner if len(self.factors) == 3 else 0))
        if self.flags & LOWER:
            self.require(all(j <= i for i, row in enumerate(self.plan_rows()) for j in row))

    def plan_rows(self):
        return [self.plan.columns[a:b] for a, b in zip(self.plan.row_ptr, self.plan.row_ptr[1:])]

    def is_proved(self):
        """Returns whether the stored patterns of C and T are those of the products; T is the right product of three."""
        def multiply(left, right):
            return [sorted(set().union(*(right[k] for k in row))) for row in left]

        right = self.factor(len(self.factors) - 1)
        if len(self.factors) == 3:
            right = multiply(self.factor(1), right)
            if right != self.rows[-1]:
                return False
        c = multiply(self.factor(0), right)
        if self.flags & LOWER:
            c = [[j for j in row if j <= i] for i, row in enumerate(c)]
        return c == self.plan_rows()

    def dump(self):
        yield ("product factors " + " ".join(f"{m}{'NT'[turned]}" for m, turned in self.factors)
               + f" flags {self.flags} piece {self.piece} products {self.products} {self.inner_products} "
               f"proved {int(self.is_proved())}")
        for m, (rows, cols, nnz, digest) in enumerate(self.matrices[:self.count]):
            yield f"matrix {m} rows {rows} cols {cols} nnz {nnz} pattern {digest.hex()}"
            for row in self.rows[m]:
                yield "matrix-row" + "".join(f" {column}" for column in row)


class Plan:
    def __init__(self, data):
        self.data = data
        self.read_header()
        self.read_table()
        self.check_sizes()
        self.read_frames()
        self.read_content()

    def read_header(self):
        d = self.data
        require(d[:8] == MAGIC[:len(d[:8])], "MAGIC", 0)
        require(len(d) >= 256, "TRUNCATED", len(d))
        (endian, self.major, self.minor, header_bytes, entry_bytes, file_bytes, self.incompat, self.exec_bits, _compat,
         self.rows, self.cols, self.nnz, self.dtype, self.flags) = struct.unpack_from("<IHHIIQQQQQQQII", d, 8)
        require(endian == 0x01020304, "HEADER", 8)
        require(self.major == 1, "VERSION", 12)
        require(header_bytes == 256, "HEADER", 16)
        require(entry_bytes == 64, "HEADER", 20)
        for at in range(124, 240):
            require(d[at] == 0, "HEADER", at)
        unknown = self.incompat & ~(FEATURE_UNITS | FEATURE_TCBLOCK | FEATURE_LONG_ROWS | FEATURE_SEARCH | FEATURE_HALF_LONG_ROWS |
                                    FEATURE_TRIANGLE | FEATURE_TYPES | FEATURE_PRODUCT | FEATURE_DECIMAL |
                                    FEATURE_TEXTS_FIRST | FEATURE_EITHER | FEATURE_STRETCHES)
        for family in FAMILIES.values():
            unknown &= ~family.feature
        for feature in [*PERMUTATIONS.values(), *(feature for _, feature in DTYPES.values())]:
            unknown &= ~feature
        require(unknown == 0, "FEATURE", 32)
        table_hash, header_hash = struct.unpack_from("<QQ", d, 240)
        require(hash64(d[:248]) == header_hash, "CHECKSUM", 248)
        require(file_bytes <= len(d), "TRUNCATED", len(d))
        require(file_bytes == len(d), "HEADER", 24)
        require(self.rows <= DIM_MAX, "DIMS", 56)
        require(self.cols <= DIM_MAX, "DIMS", 64)
        require(self.nnz <= NNZ_MAX and self.nnz <= self.rows * self.cols, "DIMS", 72)
        require(self.dtype in DTYPES and not DTYPES[self.dtype][1] & ~self.incompat, "HEADER", 80)
        pattern_flags = self.flags & ~VALUES
        allowed = [0, TRIANGLE] + [TRIANGLE | MIRRORED, TRIANGLE | MIRRORED | SKEW] * (self.flags & VALUES)
        require(pattern_flags in allowed, "HEADER", 84)
        require(not pattern_flags or self.incompat & FEATURE_TRIANGLE and self.rows == self.cols, "HEADER", 84)
        (self.section_count,) = struct.unpack_from("<I", d, 120)
        require(1 <= self.section_count <= 256, "HEADER", 120)
        self.table_hash = table_hash
        self.pattern_digest, self.values_digest = d[88:104], d[104:120]
        self.value_bytes = DTYPES[self.dtype][0]

    def read_table(self):
        d, end = self.data, 256 + 64 * self.section_count
        require(end <= len(d), "TABLE", 120)
        require(hash64(d[256:end]) == self.table_hash, "CHECKSUM", 256)
        self.sections = [None] * self.section_count
        kinds = [struct.unpack_from("<IIIIQ", d, 256 + 64 * i)[::4] for i in range(self.section_count)]
        texts = [i for i, (kind, _) in enumerate(kinds) if kind in TEXTS]
        first = (end + 63) // 64 * 64
        if not self.incompat & FEATURE_TEXTS_FIRST or all(kinds[i][1] != first for i in texts):
            texts = []
        order = texts + [i for i in range(self.section_count) if i not in texts]
        for i in order:
            at = 256 + 64 * i
            kind, flags, part, codec, align, reserved = struct.unpack_from("<IIIBBH", d, at)
            offset, stored, raw, frames_hash = struct.unpack_from("<QQQQ", d, at + 16)
            row = SECTIONS.get(kind)
            for k in list(range(14, 16)) + list(range(48, 64)):
                require(d[at + k] == 0, "TABLE", at + k)
            require(kind != 0, "TABLE", at)
            require(flags in (0, 1), "TABLE", at + 4)
            require(row or flags == 0, "FEATURE", at)
            require(not row or flags == row[1], "TABLE", at + 4)
            require(part < 64 or part == NO_PART, "TABLE", at + 8)
            require(not row or bool(row[2]) == (part != NO_PART), "TABLE", at + 8)
            require(codec == 1, "TABLE", at + 12)
            require(align == 6, "TABLE", at + 13)
            require(stored > 0, "TABLE", at + 24)
            require(raw > 0, "TABLE", at + 32)
            if i > 0:
                last = struct.unpack_from("<I4xI", d, at - 64)
                require(kind > last[0] or kind == last[0] and last[1] < part != NO_PART, "TABLE", at)
            start = (end + 63) // 64 * 64
            require(offset == start, "TABLE", at + 16)
            require(stored <= len(d) - offset, "TABLE", at + 24)
            for pad in range(end, start):
                require(d[pad] == 0, "TABLE", pad)
            end = offset + stored
            self.sections[i] = (kind, part, offset, stored, raw, frames_hash)
        require(end == len(d), "TABLE", 256 + 64 * order[-1] + 24)

    def raw_range(self, kind):
        """Returns (unit, minimum, maximum) of the raw bytes of a section; the size is a multiple of the unit."""
        entries = -(-self.nnz // 2), min((self.nnz + self.rows) // 2, self.nnz)
        if kind == 2 and self.flags & TRIANGLE:
            return 4, 4 * entries[0], 4 * entries[1]
        if kind == 3 and self.flags & MIRRORED:
            return self.value_bytes, self.value_bytes * entries[0], self.value_bytes * entries[1]
        exact = {1: 4 * self.rows, 2: 4 * self.nnz, 3: self.value_bytes * self.nnz * (self.flags & 1), 4: 360}
        if kind in exact:
            return 1, exact[kind], exact[kind]
        if kind == 11:
            high = 4 * self.rows if self.rows == self.cols else 0
            return max(high, 1), 0, high
        if kind in (15, 16, 17):
            unit, most = {15: (256, 1), 16: (4, DIM_MAX), 17: (4, NNZ_MAX)}[kind]
            return unit, 0, unit * most if self.incompat & FEATURE_PRODUCT else 0
        items = max(self.items_limit(row) for (family, _), row in SCHEDULES.items()
                    if not FAMILIES[family].feature & ~self.incompat)
        unit, count = {5: (48, 64), 6: (32, 64), 7: (64, 1024), 9: (1, 127), 10: (872, 1), 12: (208, 64), 13: (1, 31), 14: (1, 65536),
                      8: (4, items)}[kind]
        return unit, 0, unit * count

    def items_limit(self, row):
        longest = max(self.rows, self.cols)
        if row.items == "NONZERO_SPLIT":
            return self.nnz // row.item_size_min + 1
        return min(longest + self.nnz, UNIT_MAX) if row.items == "SEGMENTS" else longest

    def check_sizes(self):
        part_count = self.raw_bytes(6) // 32
        for i, (kind, part, offset, stored, raw, _) in enumerate(self.sections):
            at = 256 + 64 * i
            if kind in SECTIONS:
                unit, low, high = self.raw_range(kind)
                require(low <= raw <= high and raw % unit == 0, "SECTION", at + 32)
                owners = part_count if SECTIONS[kind][2] is True else SECTIONS[kind][2]
                require(part == NO_PART or part < owners, "SECTION", at + 8)
            require(raw <= 264000 * stored + 65536, "BUDGET", at + 32)
            require(stored >= 16 * -(-raw // FRAME_RAW), "FRAME", offset)
        for kind in (1, 2, 3, 4):
            require(self.raw_range(kind)[1] == 0 or self.raw_bytes(kind) > 0, "SECTION", 256)
        for i, section in enumerate(self.sections):
            mirrored = section[0] == 3 and self.flags & MIRRORED
            require(not mirrored or section[4] * 4 == self.raw_bytes(2) * self.value_bytes, "SECTION", 256 + 64 * i + 32)

    def find(self, kind, part=NO_PART):
        return next((s for s in self.sections if s[:2] == (kind, part)), None)

    def raw_bytes(self, kind, part=NO_PART):
        section = self.find(kind, part)
        return section[4] if section else 0

    def read_frames(self):
        self.frames = {}
        for kind, part, offset, stored, raw, frames_hash in self.sections:
            count = -(-raw // FRAME_RAW)
            table = self.data[offset:offset + 16 * count]
            require(hash64(table) == frames_hash, "CHECKSUM", offset)
            at, end, frames = offset + 16 * count, offset + stored, []
            for f in range(count):
                size, transform, low, high, expected = struct.unpack_from("<IBBHQ", table, 16 * f)
                require(0 < size <= end - at, "FRAME", offset + 16 * f)
                require(low == 0 and high == 0, "FRAME", offset + 16 * f + 5)
                frames.append((at, size, transform, expected))
                at += size
            require(at == end, "FRAME", offset)
            self.frames[kind, part] = frames
        for frames in self.frames.values():
            for at, size, _, expected in frames:
                require(hash64(self.data[at:at + size]) == expected, "CHECKSUM", at)

    def elements(self, kind, width, part=NO_PART, row_ptr=None):
        """Returns all elements of a section, as bytes if width is 1. To decode columns, row_ptr is needed."""
        raw, out = self.raw_bytes(kind, part), []
        offset = (self.find(kind, part) or (0, 0, 0))[2]
        frames = self.frames.get((kind, part), [])
        for f, (_, _, transform, _) in enumerate(frames):
            require(transform in SECTIONS[kind][3], "FRAME", offset + 16 * f + 4)
            require(transform != 5 or self.incompat & FEATURE_DECIMAL, "FRAME", offset + 16 * f + 4)
        for f, (at, size, transform, _) in enumerate(frames):
            count = min(FRAME_RAW, raw - f * FRAME_RAW) // width
            try:
                out += self.decode(self.data[at:at + size], transform, count, width, f * FRAME_RAW // width, row_ptr)
            except PlanError as error:
                raise PlanError(error.args[0], at) from None
        return bytes(out) if width == 1 else out

    def decode(self, stored, transform, count, width, first, row_ptr):
        size = frame_header(stored)
        if transform == 4:
            require(size > count and (size - count) % width == 0 and (size - count) // width <= 256, "FRAME")
        else:
            require(size == count * width and (transform != 5 or width == 8), "FRAME")
        content = decompress(stored, size)
        if transform == 0:
            return [int.from_bytes(content[i * width:(i + 1) * width], "little") for i in range(count)]
        if transform == 4:
            distinct = (size - count) // width
            table = [int.from_bytes(content[i * width:(i + 1) * width], "little") for i in range(distinct)]
            require(max(content[distinct * width:]) < distinct, "FRAME")
            return [table[code] for code in content[distinct * width:]]
        codes = from_planes(content, count, width)
        if transform == 2:
            return undo_row_delta(codes, first, row_ptr)
        if transform == 3:
            for i in range(1, count):
                codes[i] = (codes[i] + codes[i - 1]) % 2**32
        return [decimal_value(code) for code in codes] if transform == 5 else codes

    def records(self, kind, size, layout, reserved, status):
        section = self.find(kind)
        data = self.elements(kind, 1)
        for at in range(0, len(data), size):
            require(not any(data[at + k] for k in reserved), status, section[2] if section else None)
        return [struct.unpack_from(layout, data, at) for at in range(0, len(data), size)]

    def read_content(self):
        (self.stats,) = self.records(4, 360, "<dd43q", (), "STATS")
        self.variants = self.records(5, 48, "<IIIIqqII", range(40, 48), "VARIANT")
        self.parts = self.records(6, 32, "<IIIIIII", range(28, 32), "PART")
        self.trace = self.records(7, 64, "<IIIIIIddddI", range(60, 64), "TRACE")
        self.row_block_metrics = (self.records(10, 872, ROW_BLOCK_METRICS_LAYOUT, (), "ROW_BLOCK_METRICS") or [None])[0]
        self.permutation_metrics = self.records(12, 208, PERMUTATION_METRICS_LAYOUT, (), "PERMUTATION_METRICS")
        self.meta, self.writer = self.elements(9, 1), self.elements(13, 1)
        products = self.records(15, 256, PRODUCT_LAYOUT, PRODUCT_RESERVED, "PRODUCT")
        self.product = Product(self, products[0]) if products else None
        self.check_features()
        for part in range(4):
            sizes = self.product.sizes(part) if self.product else (0, 0)
            require((self.raw_bytes(16, part), self.raw_bytes(17, part)) == sizes, "PRODUCT", self.offset(15))
        lengths = self.elements(1, 4)
        self.row_ptr = [0]
        stored = self.raw_bytes(2) // 4
        for i, length in enumerate(lengths):
            self.row_ptr.append(self.row_ptr[-1] + length)
            least = i if self.flags & TRIANGLE else 0
            require(length <= self.cols - least and self.row_ptr[-1] <= stored, "ROW_PTR", self.offset(1))
        require(self.row_ptr[-1] == stored, "ROW_PTR", self.offset(1))
        self.columns = self.elements(2, 4, row_ptr=self.row_ptr)
        self.values = self.elements(3, self.value_bytes) if self.flags & 1 else None
        if self.flags & TRIANGLE:
            self.expand_triangle()
        self.items = [self.elements(8, 4, part) for part in range(len(self.parts))]
        self.symmetric_permutation = self.elements(11, 4)
        if self.product:
            self.product.read_patterns()
        self.check_columns()
        self.check_digests()
        self.check_stats()
        self.check_choices()
        self.check_items()
        self.check_text(self.meta, "META", 9)
        if self.row_block_metrics:
            require(self.row_block_metrics_are_valid(), "ROW_BLOCK_METRICS", self.offset(10))
        if self.symmetric_permutation:
            require(sorted(self.symmetric_permutation) == list(range(self.rows)), "PERMUTATION", self.offset(11))
        for stats in self.permutation_metrics:
            require(self.permutation_metrics_are_valid(*stats), "PERMUTATION_METRICS", self.offset(12))
        self.check_text(self.writer, "WRITER", 13)
        self.metadata = self.pairs_of(self.elements(14, 1))
        if self.product:
            self.product.check()

    def check_text(self, text, status, kind):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError:
            raise PlanError(status, self.offset(kind)) from None
        require(not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in text), status, self.offset(kind))

    def pairs_of(self, data):
        """Returns the (key, value) pairs of the section metadata."""
        texts = data.split(b"\0")
        require(len(texts) % 2 == 1 and texts.pop() == b"" and len(texts) <= 512, "METADATA", self.offset(14))
        keys, values = texts[::2], texts[1::2]
        require(all(re.fullmatch(rb"[a-z][a-z0-9._-]{0,63}", key) for key in keys), "METADATA", self.offset(14))
        require(all(a < b for a, b in zip(keys, keys[1:])) and all(values), "METADATA", self.offset(14))
        for value in values:
            self.check_text(value, "METADATA", 14)
        return [(key.decode(), value.decode()) for key, value in zip(keys, values)]

    def permutation_metrics_are_valid(self, op, permutation, units, *values):
        blocks, working_set, reuse = [values[at:at + 4] for at in (0, 4, 8)], values[12:18], values[18:]
        within = all(math.isfinite(value) and 0 <= value <= self.nnz for value in values)
        return (op in (0, 1) and permutation in PERMUTATIONS and permutation > 0 and 0 <= units <= max(self.rows, self.cols) + self.nnz and within
                and len(working_set) == len(reuse) == 6 and all(largest <= count for count, largest, _, _ in blocks))

    def row_block_metrics_are_valid(self):
        s = self.row_block_metrics
        if not all(math.isfinite(value) and value >= 0 for value in s):
            return False
        block_rows, stage_slots, segment, is_reordered, number_bytes, register_tile, n, multiprocessors = s[:8]
        longest = max(self.rows, self.cols)
        is_staged = any(block_rows in units_of(family) and family.slots_min <= stage_slots <= family.slots_max
                        for family in FAMILIES.values() if family.slots_max)
        is_segment = segment == 0 or any(row.item_size_min <= segment <= row.item_size_max
                                         for row in SCHEDULES.values() if row.items == "SEGMENTS")
        return (is_staged and is_segment
                and is_reordered <= 1 and number_bytes in (2, 4, 8) and 1 <= register_tile <= 1024
                and n <= 2**31 - 1 and multiprocessors <= 2**31 - 1
                and s[8] <= min(longest + self.nnz, UNIT_MAX) and s[9] == -(-s[8] // block_rows)
                and s[15] <= self.nnz and s[16] <= s[15] and s[18] <= self.nnz
                and all(value <= self.nnz for value in s[19:31])
                and s[32] <= s[31] and s[14] <= longest and s[41] <= longest)

    def expand_triangle(self):
        """Replaces the entries on and above the diagonal by the entries of the whole matrix."""
        rows = [[] for _ in range(self.rows)]
        values = self.values if self.flags & MIRRORED else [None] * len(self.columns)
        sign = 1 << (8 * self.value_bytes - 1) if self.flags & SKEW else 0
        for i in range(self.rows):
            columns = self.columns[self.row_ptr[i]:self.row_ptr[i + 1]]
            ascending = all(a < b for a, b in zip([i - 1] + columns, columns + [self.rows]))
            require(ascending, "COL_IND", self.offset(2))
            for j, value in zip(columns, values[self.row_ptr[i]:self.row_ptr[i + 1]]):
                rows[i].append((j, value))
                if j != i:
                    rows[j].append((i, value if value is None else value ^ sign))
        entries = [entry for row in rows for entry in row]
        require(len(entries) == self.nnz, "COL_IND", self.offset(2))
        self.row_ptr = [0]
        for row in rows:
            self.row_ptr.append(self.row_ptr[-1] + len(row))
        self.columns = [j for j, _ in entries]
        if self.flags & MIRRORED:
            self.values = [value for _, value in entries]

    def offset(self, kind):
        return next((s[2] for s in self.sections if s[0] == kind), 256)

    def check_columns(self):
        for i in range(self.rows):
            row = self.columns[self.row_ptr[i]:self.row_ptr[i + 1]]
            require(all(a < b for a, b in zip(row, row[1:])), "COL_IND", self.offset(2))
            require(not row or row[-1] < self.cols, "COL_IND", self.offset(2))

    def check_digests(self):
        head = b"SMPATTRN" + struct.pack("<QQQ", self.rows, self.cols, self.nnz)
        arrays = struct.pack(f"<{len(self.row_ptr)}q{self.nnz}i", *self.row_ptr, *self.columns)
        require(digest128(head + arrays) == self.pattern_digest, "DIGEST", 88)
        digest = bytes(16)
        if self.values is not None:
            head = b"SMVALUES" + struct.pack("<QQQ", self.dtype, self.nnz, 0)
            bits = b"".join(v.to_bytes(self.value_bytes, "little") for v in self.values)
            digest = digest128(head + bits)
        require(digest == self.values_digest, "DIGEST", 88)

    def check_stats(self):
        lengths = [b - a for a, b in zip(self.row_ptr, self.row_ptr[1:])]
        entries = [(i, j) for i in range(self.rows) for j in self.columns[self.row_ptr[i]:self.row_ptr[i + 1]]]
        counts = {}
        for _, j in entries:
            counts[j] = counts.get(j, 0) + 1
        mean = self.nnz / self.rows if self.rows else 0.0
        variance = self.rows * sum(n * n for n in lengths) - self.nnz**2
        stddev = math.sqrt(float(variance) / float(self.rows**2)) if self.rows else 0.0
        zeros = self.stats[10]
        if self.values is None:
            require(0 <= zeros <= self.nnz, "STATS", self.offset(4))
        else:
            zeros = sum(v in (0, 1 << (8 * self.value_bytes - 1)) for v in self.values)
        histogram = [0] * 34
        for n in lengths:
            histogram[n.bit_length()] += 1
        expected = (mean, stddev, max(lengths, default=0), min(lengths, default=0), lengths.count(0),
                    self.cols - len(counts), max(counts.values(), default=0),
                    max([0] + [i - j for i, j in entries]), max([0] + [j - i for i, j in entries]),
                    sum(i == j for i, j in entries), zeros, *histogram)
        require(expected == self.stats, "STATS", self.offset(4))

    def type_of(self, variant):
        """Returns the value type of the variant's compute type if it is narrower than dtype, else dtype."""
        own = F32 if variant[1] in TENSOR_TYPES else variant[1]
        return own if own in DTYPES and DTYPES[own][0] < DTYPES[self.dtype][0] else self.dtype

    def check_features(self):
        """Requires a feature bit for everything that needs one: first in variants, then in parts, then in the trace."""
        parts, traces = ([record[1] for record in records] for records in (self.parts, self.trace))
        reasons, computes, permutations = ([trace[k] for trace in self.trace] for k in (4, 5, 10))
        missing = ~self.incompat
        families = [number for number, family in FAMILIES.items() if missing & family.feature]
        narrower = any(self.type_of(variant) != self.dtype for variant in self.variants)
        require(not missing & FEATURE_TYPES or not narrower, "VARIANT", self.offset(5))
        either = [number for number, family in FAMILIES.items() if family.compute == "EITHER"]
        parts_of = [(parts[v[6]] if v[6] < len(parts) else None, v[1]) for v in self.variants]
        tensor, traced = (any(family in either and compute in TENSOR_TYPES for family, compute in pairs)
                          for pairs in (parts_of, zip(traces, computes)))
        require(not missing & FEATURE_EITHER or not tensor, "VARIANT", self.offset(5))
        require(not any(family in parts for family in families), "PART", self.offset(6))
        needed = FEATURE_LONG_ROWS | (FEATURE_HALF_LONG_ROWS if DTYPES[self.dtype][0] == 2 else 0)
        require(not missing & needed or not any(p[6] & LONG_ROWS for p in self.parts), "PART", self.offset(6))
        require(not any(family in traces for family in families), "TRACE", self.offset(7))
        require(not missing & FEATURE_EITHER or not traced, "TRACE", self.offset(7))
        if missing & FEATURE_UNITS:
            require(not any(5 <= r <= 8 for r in reasons), "TRACE", self.offset(7))
        if missing & FEATURE_TCBLOCK:
            require(not any(computes + permutations) and all(r <= 8 or r >= 14 for r in reasons), "TRACE", self.offset(7))
        if missing & FEATURE_LONG_ROWS:
            require(all(r <= 11 or r >= 14 for r in reasons), "TRACE", self.offset(7))
        require(not any(missing & PERMUTATIONS.get(permutation, 0) for permutation in permutations), "TRACE", self.offset(7))
        require(not missing & FEATURE_SEARCH or all(r <= 13 for r in reasons), "TRACE", self.offset(7))
        require(not any(missing & PERMUTATIONS.get(stats[1], 0) for stats in self.permutation_metrics), "PERMUTATION_METRICS", self.offset(12))
        stretches = self.product and self.product.flags & STRETCHES
        require(not missing & FEATURE_STRETCHES or not stretches, "PRODUCT", self.offset(15))

    def long_rows_of(self, part):
        """Returns the number of the part with the long rows of this part, or None."""
        return part + 1 if part + 1 < len(self.parts) and self.parts[part + 1][6] & LONG_ROWS else None

    def check_part(self, op, family, schedule, item_size, block_rows, stage_slots, flags):
        row = SCHEDULES.get((family, schedule))
        require(op in (0, 1) and row, "PART", self.offset(6))
        family = FAMILIES[family]
        valid = row.item_size_min <= item_size <= row.item_size_max
        valid = valid and (row.item_sizes == "ANY" or item_size & (item_size - 1) == 0)
        valid = valid and block_rows in (units_of(family) or [0])
        valid = valid and family.slots_min <= stage_slots <= family.slots_max
        orders = {"KEPT": (0,), "FREE": (0, REORDERED), "OUTPUT": (0, REORDERED, REORDERED | PERMUTES_OUTPUT)}
        is_long_rows = flags == LONG_ROWS and family is FIRST and row.items == "NONZERO_SPLIT"
        require(valid and (flags in orders[row.order] or is_long_rows), "PART", self.offset(6))

    def check_choices(self):
        for i, part in enumerate(self.parts):
            self.check_part(*part)
            if part[6] & LONG_ROWS:
                before = self.parts[i - 1] if i > 0 else part
                require(FAMILIES[before[1]].long_rows and before[0] == part[0]
                        and self.dtype in [family_rows.TYPES[name] for name in FIRST.types] and not before[6] & PERMUTES_OUTPUT, "PART", self.offset(6))
        for op, compute, layouts, target, n_min, n_max, first, count in self.variants:
            valid = op in (0, 1) and 1 <= layouts <= 3 and target <= 999
            valid = valid and 1 <= n_min <= n_max <= 2**31 - 1 and first < len(self.parts)
            valid = valid and count == (1 if self.long_rows_of(first) is None else 2)
            valid = valid and self.parts[first][0] == op and not self.parts[first][6] & LONG_ROWS
            require(valid, "VARIANT", self.offset(5))
            own = self.type_of((op, compute))
            require(compute in self.compute_types(own, self.parts[first][1], own), "VARIANT", self.offset(5))
        for variant, family, schedule, chosen, reason, compute, *values, permutation in self.trace:
            valid = permutation in PERMUTATIONS and variant < len(self.variants) and (family, schedule) in SCHEDULES and chosen in (0, 1)
            valid = valid and 1 <= reason <= 24 and compute in self.compute_types(self.type_of(self.variants[variant]), family, 0)
            valid = valid and all(map(math.isfinite, values)) and min(values[:2]) >= 0
            require(valid, "TRACE", self.offset(7))

    @staticmethod
    def compute_types(dtype, family, own):
        rule = FAMILIES[family].compute if dtype == F32 and family in FAMILIES else "VALUES"
        return {"VALUES": (own,), "TENSOR": TENSOR_TYPES, "EITHER": (own, *TENSOR_TYPES)}[rule]

    def items_at(self, part):
        """Returns the offset of the items of the part, or of the section table if the part has no items."""
        return next((offset for kind, owner, offset, *_ in self.sections if (kind, owner) == (8, part)), 256)

    def check_items(self):
        for part, (op, family, schedule, item_size, _, _, flags) in enumerate(self.parts):
            row_ptr, items = self.row_ptr, self.items[part]
            rule = SCHEDULES[family, schedule].items
            if flags & LONG_ROWS:
                continue  # checked with the part before it
            if op == 1:
                counts = [0] * (self.cols + 1)
                for j in self.columns:
                    counts[j + 1] += 1
                row_ptr = [sum(counts[:j + 1]) for j in range(self.cols + 1)]
            rows = len(row_ptr) - 1
            expected = []
            at = self.items_at(part)
            long_rows = self.long_rows_of(part)
            if long_rows is not None:
                if not self.items[long_rows]:
                    at = self.items_at(long_rows)
                long_rows = self.items[long_rows]
                require(items and long_rows and (flags & REORDERED or items == sorted(items)), "ITEMS", at)
                require(long_rows == sorted(long_rows) and max(long_rows) < rows, "ITEMS", at)
                require(all(row_ptr[i] < row_ptr[i + 1] for i in long_rows), "ITEMS", at)
                items, expected = sorted(items + long_rows), list(range(rows))
            elif rule in ("ROWS", "SEGMENTS"):
                segments = [max(1, -(-(b - a) // item_size)) if rule == "SEGMENTS" else 1
                            for a, b in zip(row_ptr, row_ptr[1:])]
                expected = list(range(sum(segments)))
                items = sorted(items) if flags & REORDERED else items
            elif rule == "NONZERO_SPLIT":
                expected = [next(i for i in range(rows) if row_ptr[i] <= p < row_ptr[i + 1])
                            for p in range(0, self.nnz, item_size)]
            else:
                for i in range(rows):
                    if i == 0 or row_ptr[i] - row_ptr[expected[-1]] >= item_size:
                        expected.append(i)
            require(items == expected, "ITEMS", at)

    def dump(self):
        def bits(number):
            return struct.pack(">d", number).hex()

        lines = [f"format {self.major}.{self.minor} bytes {len(self.data)} exec {self.exec_bits:016x}",
                 f"rows {self.rows} cols {self.cols} nnz {self.nnz} dtype {self.dtype} values {self.flags & 1}",
                 f"pattern {self.pattern_digest.hex()}", f"values {self.values_digest.hex()}",
                 f'source "{self.meta.decode()}"']
        if self.writer:
            lines.append(f'writer "{self.writer.decode()}"')
        lines += [f'metadata {key} "{value}"' for key, value in self.metadata]
        for kind, part, offset, stored, raw, _ in self.sections:
            name = SECTIONS[kind][0] if kind in SECTIONS else ""
            owner = -1 if part == NO_PART else part
            lines.append(f'section {kind} "{name}" part {owner} at {offset} stored {stored} raw {raw}')
        lines.append(f"stats {bits(self.stats[0])} {bits(self.stats[1])} " + " ".join(map(str, self.stats[2:11])))
        lines.append("histogram " + " ".join(map(str, self.stats[11:])))
        if self.row_block_metrics:
            words = struct.unpack("<109Q", struct.pack(ROW_BLOCK_METRICS_LAYOUT, *self.row_block_metrics))
            lines.append("panels " + " ".join(f"{word:x}" for word in words))
        for op, permutation, *values in self.permutation_metrics:
            words = struct.unpack("<25Q", struct.pack("<" + PERMUTATION_METRICS_LAYOUT[3:], *values))
            lines.append(f"order-stats op {op} order {permutation} " + " ".join(f"{word:x}" for word in words))
        if self.symmetric_permutation:
            lines.append("symmetric-order " + " ".join(map(str, self.symmetric_permutation)))
        lines += self.product.dump() if self.product else []
        for op, compute, layouts, target, n_min, n_max, first, count in self.variants:
            lines.append(f"variant op {op} compute {compute} layouts {layouts} target {target} n {n_min} {n_max} "
                         f"parts {first} {count}")
        for (op, family, schedule, item_size, block_rows, stage_slots, flags), items in zip(self.parts, self.items):
            shape = f" unit {block_rows} flags {flags}" if block_rows else " long_rows" if flags & LONG_ROWS else ""
            if stage_slots:
                shape = f" panel {block_rows} slots {stage_slots} flags {flags}"
            lines.append(f"part op {op} family {family} schedule {schedule} item_size {item_size}{shape} items"
                         + "".join(f" {item}" for item in items))
        for variant, family, schedule, chosen, reason, compute, *values, permutation in self.trace:
            kind = (f" compute {compute}" if compute else "") + (f" order {permutation}" if permutation else "")
            lines.append(f"trace variant {variant} family {family} schedule {schedule} chosen {chosen} "
                         f"reason {reason}{kind} values " + " ".join(map(bits, values)))
        for i in range(self.rows):
            entries = range(self.row_ptr[i], self.row_ptr[i + 1])
            digits = 2 * self.value_bytes
            lines.append(f"row {i}" + "".join(
                f" {self.columns[p]}" + (f":{self.values[p]:0{digits}x}" if self.values is not None else "")
                for p in entries))
        return "\n".join(lines) + "\n"


def check(folder):
    """Compares with the golden files; returns the number of differences, plus 1 for each kind without files."""
    wrong = 0
    good = sorted((folder / "good").glob("*.plan"))
    for path in good:
        try:
            found = Plan(path.read_bytes()).dump()
        except PlanError as error:
            found = f"{error}"
        if found != path.with_suffix(".txt").read_text(encoding="utf-8"):
            print(f"{path.name}: not as its .txt", file=sys.stderr)
            wrong += 1
    lines = (folder / "bad" / "expect.txt").read_text(encoding="utf-8").split("\n")[:-1]
    for line in lines:
        name, status, offset = line.split()
        expected = (status.replace("SPMM_ERR_PLAN_", ""), int(offset))
        try:
            Plan((folder / "bad" / f"{name}.plan").read_bytes())
            found = ("OK", 0)
        except PlanError as error:
            found = error.args
        if found != expected:
            print(f"{name}: {found}, expected {expected}", file=sys.stderr)
            wrong += 1
    print(f"{len(good)} good and {len(lines)} bad plans, {wrong} disagreements")
    return wrong + (len(good) == 0) + (len(lines) == 0)


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    if arguments[0] == "--check":
        return 1 if check(pathlib.Path(arguments[1])) else 0
    for path in arguments:
        try:
            sys.stdout.write(Plan(pathlib.Path(path).read_bytes()).dump())
        except PlanError as error:
            print(f"{path}: SPMM_ERR_PLAN_{error.args[0]} at {error.args[1]}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
