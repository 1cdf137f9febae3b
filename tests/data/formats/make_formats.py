#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes matrix files in the formats of other programs, using only the standard library of Python, for reader tests.

usage: make_formats.py [FOLDER]     (default: the folder of this script)

tests/data/formats/README.md describes the matrix in each file.
"""
import bz2
import gzip
import io
import lzma
import pathlib
import struct
import sys
import tarfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
OUT = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
ROWS, COLS = 6, 5
# (row, column, value), sorted by row and column.
ENTRIES = [(0, 0, 4.0), (0, 3, -1.5), (1, 1, 0.1), (2, 0, 1e-30), (2, 2, 7.0), (2, 4, 2.5), (4, 1, -3.0),
           (5, 0, 1.0), (5, 3, 0.25), (5, 4, 1e30)]
LONG = "a_folder_with_a_name_that_is_much_longer_than_the_hundred_bytes_of_a_tar_header_so_that_others_must_hold_it"


def put(name, data):
    (OUT / name).write_bytes(data)


def matrix_market(rows, cols, entries):
    head = f"%%MatrixMarket matrix coordinate real general\n{rows} {cols} {len(entries)}\n"
    return (head + "".join(f"{i + 1} {j + 1} {v!r}\n" for i, j, v in entries)).encode()


def tar(members, form):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            if data is None:
                info.type = tarfile.DIRTYPE
            info.size = len(data or b"")
            archive.addfile(info, io.BytesIO(data or b""))
    return stream.getvalue()


def archives(mtx):
    """Writes archives as in the SuiteSparse collection (folder, matrix, right-hand side) and other compressed files."""
    other = b"%%MatrixMarket matrix array real general\n6 1\n1\n2\n3\n4\n5\n6\n"
    suite = [("others", None), ("others/others.mtx", mtx), ("others/others_b.mtx", other)]
    put("suite.tar.gz", gzip.compress(tar(suite, tarfile.USTAR_FORMAT), mtime=0))
    put("suite.tar.xz", lzma.compress(tar(suite[::-1], tarfile.USTAR_FORMAT)))
    only = [(LONG, None), (f"{LONG}/readme.txt", b"text\n"), (f"{LONG}/a.mtx", mtx)]
    put("long_gnu.tar.bz2", bz2.compress(tar(only, tarfile.GNU_FORMAT)))
    put("long_pax.tar.gz", gzip.compress(tar(only, tarfile.PAX_FORMAT), mtime=0))
    put("others.mtx.xz", lzma.compress(mtx))
    put("others.mtx.bz2", bz2.compress(mtx))


def petsc(integer, value, values, extra=b""):
    """Returns the bytes that MatView writes to a binary viewer; integer and value are type codes of module struct."""
    lengths = [sum(i == row for i, _, _ in ENTRIES) for row in range(ROWS)]
    head = struct.pack(f">4{integer}", 1211216, ROWS, COLS, len(ENTRIES))
    index = struct.pack(f">{ROWS + len(ENTRIES)}{integer}", *lengths, *(j for _, j, _ in ENTRIES))
    return head + index + struct.pack(f">{len(values)}{value}", *values) + extra


def petsc_files():
    values = [v for _, _, v in ENTRIES]
    vector = struct.pack(">ii2d", 1211214, 2, 1.0, 2.0)
    put("petsc32.petsc", petsc("i", "d", values, vector))
    put("petsc64.petsc", petsc("q", "d", values))
    put("petsc_complex.petsc", petsc("i", "d", [x for v in values for x in (v, 7.5)]))
    dense = {(i, j): v for i, j, v in ENTRIES}
    full = [dense.get((i, j), 0.0) for i in range(ROWS) for j in range(COLS)]
    put("petsc_dense.petsc", struct.pack(">4i", 1211216, ROWS, COLS, -1) + struct.pack(f">{len(full)}d", *full))


def graphs():
    """Writes a ring of six vertices with a chord, with and without edge weights, in several formats."""
    edges = {(0, 1): 3, (1, 2): 4, (2, 3): 5, (3, 4): 6, (4, 5): 7, (5, 0): 8, (1, 4): -2}
    edges |= {(j, i): w for (i, j), w in edges.items()}
    rows = [[(j, w) for (i, j), w in edges.items() if i == row] for row in range(6)]
    lines = ["% a ring", "6 7 011 2"] + ["9 9 " + " ".join(f"{j + 1} {w}" for j, w in row) for row in rows]
    put("ring_weights.graph", ("\n".join(lines) + "\n").encode())
    lines = ["6 7"] + [" ".join(str(j + 1) for j, _ in row) for row in rows]
    put("ring.graph", ("\n".join(lines) + "\n").encode())
    head = f"%%MatrixMarket matrix coordinate integer general\n6 6 {len(edges)}\n"
    put("ring.mtx", (head + "".join(f"{i + 1} {j + 1} {w}\n" for (i, j), w in edges.items())).encode())
    snap = "# Directed graph: ring\n# Nodes: 6 Edges: 14\n# FromNodeId\tToNodeId\tWeight\n"
    put("ring.txt", (snap + "".join(f"{i}\t{j}\t{w}\n" for (i, j), w in edges.items())).encode())
    put("ring.csv", "".join(f"{i + 1},{j + 1},{w}\r\n" for (i, j), w in edges.items()).encode())


class Mat:
    """Builds a MAT-file of version 5, in either byte order."""

    def __init__(self, order="<"):
        self.order = order
        text = b"MATLAB 5.0 MAT-file, made by make_formats.py".ljust(124)
        self.bytes = text + struct.pack(order + "H", 0x0100) + struct.pack(order + "H", 0x4D49)

    def element(self, kind, data):
        if len(data) <= 4 and kind != 14:
            word = struct.pack(self.order + "I", len(data) << 16 | kind)
            return word + data.ljust(4, b"\0")
        return struct.pack(self.order + "II", kind, len(data)) + data.ljust((len(data) + 7) // 8 * 8, b"\0")

    def numbers(self, kind, values):
        code = {1: "b", 2: "B", 5: "i", 6: "I", 9: "d", 12: "q"}[kind]
        return self.element(kind, struct.pack(f"{self.order}{len(values)}{code}", *values))

    def array(self, kind, dims, name, rest, flags=0):
        head = self.numbers(6, [kind | flags << 8, 0]) + self.numbers(5, dims) + self.element(1, name.encode())
        return self.element(14, head + rest)

    def sparse(self, name, values=9, flags=0, imaginary=None):
        by_column = sorted(ENTRIES, key=lambda e: (e[1], e[0]))
        pointers = [sum(j < col for _, j, _ in ENTRIES) for col in range(COLS + 1)]
        stored = [1] * len(ENTRIES) if flags & 2 else [v for _, _, v in by_column]
        rest = self.numbers(5, [i for i, _, _ in by_column]) + self.numbers(5, pointers)
        rest += self.numbers(values, stored)
        if imaginary is not None:
            rest += self.numbers(9, [imaginary] * len(ENTRIES))
        return self.array(5, [ROWS, COLS], name, rest, flags)

    def struct(self, name, fields):
        length = 8
        names = b"".join(key.encode().ljust(length, b"\0") for key, _ in fields)
        rest = self.numbers(5, [length]) + self.element(1, names) + b"".join(value for _, value in fields)
        return self.array(2, [1, 1], name, rest)

    def add(self, array, compressed=False):
        if compressed:
            packed = zlib.compress(array)
            self.bytes += struct.pack(self.order + "II", 15, len(packed)) + packed
        else:
            self.bytes += array
        return self


def mat_files():
    m = Mat()
    text = m.array(4, [1, 2], "", m.element(16, b"hi"))
    number = m.array(6, [1, 1], "x", m.numbers(2, [7]))
    put("v6.mat", m.add(number).add(m.sparse("S")).bytes)
    m = Mat()
    put("v7.mat", m.add(number, True).add(m.sparse("S"), True).bytes)
    m = Mat()
    problem = m.struct("Problem", [("title", text), ("A", m.sparse("")), ("b", number)])
    put("problem.mat", m.add(problem, True).bytes)
    m = Mat(">")
    put("big_endian.mat", m.add(m.sparse("S")).add(m.sparse("T", 2, 2)).bytes)
    m = Mat()
    put("complex.mat", m.add(m.sparse("Z", flags=8, imaginary=2.0), True).bytes)
    m = Mat()
    dense = {(i, j): v for i, j, v in ENTRIES}
    full = [dense.get((i, j), 0.0) for j in range(COLS) for i in range(ROWS)]
    put("full.mat", m.add(m.array(6, [ROWS, COLS], "F", m.numbers(9, full))).bytes)


def main():
    mtx = matrix_market(ROWS, COLS, ENTRIES)
    put("others.mtx", mtx)
    archives(mtx)
    petsc_files()
    graphs()
    mat_files()


main()
