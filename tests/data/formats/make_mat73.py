#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes MATLAB files of version 7.3 with the HDF5 library (h5py), with the layout and attributes that MATLAB uses.

usage: make_mat73.py [FOLDER]     (default: the folder of this script)

tests/data/formats/README.md describes the matrix in each file.
"""
import pathlib
import subprocess
import sys

import h5py
import numpy as np

from make_formats import COLS, ENTRIES, HERE, ROWS

OUT = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
COMPLEX = np.dtype([("real", "<f8"), ("imag", "<f8")])
PACKED = {"compression": "gzip", "shuffle": True}


def say(thing, kind, **more):
    """Adds the attributes of MATLAB to a group or data set."""
    thing.attrs.create("MATLAB_class", np.bytes_(kind), dtype=f"S{len(kind)}")
    for name, value in more.items():
        thing.attrs.create("MATLAB_" + name, value)


def complex_of(values):
    both = np.zeros(np.shape(values), COMPLEX)
    both["real"], both["imag"] = values, 7.5
    return both


def sparse(place, name, values=None, kind="double", rows=ROWS, pointers=None, indices=None, **how):
    by_column = sorted(ENTRIES, key=lambda e: (e[1], e[0]))
    if values is None:
        values = np.array([v for _, _, v in by_column])
    if pointers is None:
        pointers = [sum(j < col for _, j, _ in ENTRIES) for col in range(COLS + 1)]
        indices = [i for i, _, _ in by_column]
    group = place.create_group(name)
    say(group, kind, sparse=np.uint64(rows))
    if len(indices) > 0:
        group.create_dataset("data", data=values, **how)
        group.create_dataset("ir", data=np.asarray(indices, np.uint64), **how)
    group.create_dataset("jc", data=np.asarray(pointers, np.uint64), **how)


def full(place, name, array, kind, **how):
    """Writes a full array with reversed dimensions: MATLAB stores columns, HDF5 stores rows."""
    say(place.create_dataset(name, data=np.asarray(array).T, **how), kind)


def compact(place, name, array, kind):
    """Writes a full array whose data are in the object header (compact layout)."""
    data = np.ascontiguousarray(np.asarray(array).T)
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_layout(h5py.h5d.COMPACT)
    kind_of_file = h5py.h5t.py_create(data.dtype)
    made = h5py.h5d.create(place.id, name.encode(), kind_of_file, h5py.h5s.create_simple(data.shape), creation)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, data)
    say(place[name], kind)


class File:
    def __init__(self, name):
        self.path = OUT / name
        self.h5 = h5py.File(self.path, "w", libver="earliest", userblock_size=512)

    def __enter__(self):
        return self.h5

    def __exit__(self, *_):
        self.h5.close()
        text = b"MATLAB 7.3 MAT-file, made by make_mat73.py".ljust(116) + bytes(8) + b"\x00\x02IM"
        with self.path.open("r+b") as file:
            file.write(text)


def kinds(h5):
    dense = np.zeros((ROWS, COLS))
    for i, j, v in ENTRIES:
        dense[i, j] = v
    full(h5, "F", dense, "double")
    full(h5, "F_chunked", dense, "double", chunks=(2, 4), **PACKED)
    full(h5, "F_complex", complex_of(dense), "double", chunks=(3, 3))
    compact(h5, "F_compact", dense, "double")
    full(h5, "F_big_endian", dense.astype(">f8"), "double")
    sparse(h5, "S_complex", complex_of([v for _, _, v in sorted(ENTRIES, key=lambda e: (e[1], e[0]))]))
    sparse(h5, "S_logical", np.ones(len(ENTRIES), np.uint8), "logical")
    sparse(h5, "S_none", rows=3, pointers=[0, 0, 0], indices=[])
    count = 500  # enough chunks for a tree with two levels
    sparse(h5, "S_long", np.arange(1.0, count + 1), rows=count, pointers=[0, count], indices=range(count), chunks=(2,),
           **PACKED)
    small = np.array([[1, 0, 3], [0, 5, 127]])
    names = {"int8": "i1", "uint8": "u1", "int16": "<i2", "uint16": "<u2", "int32": "<i4", "uint32": "<u4",
             "int64": "<i8", "uint64": "<u8", "single": "<f4", "double": "<f8"}
    for kind, code in names.items():
        full(h5, "N_" + kind, small.astype(code), kind)
    full(h5, "N_logical", (small != 0).astype("u1"), "logical")
    say(h5.create_dataset("E_rows", data=np.array([0, 4], np.uint64)), "double", empty=np.uint8(1))
    full(h5, "cube", np.zeros((2, 3, 4)), "double")
    full(h5, "text", np.array([[104, 105]], "<u2"), "char")
    say(h5.create_dataset("cell", data=np.array([[h5["F"].ref]], h5py.ref_dtype)), "cell")
    say(h5.create_group("struct_without"), "struct")
    say(h5.create_dataset("F_fletcher", data=dense.T, chunks=(2, 2), fletcher32=True), "double")


def main():
    with File("v73.mat") as h5:
        sparse(h5, "S")
        full(h5, "x", np.array([[7.0]]), "double")
        h5.create_group("#refs#")
    with File("v73_chunked.mat") as h5:
        sparse(h5, "S", chunks=(4,), **PACKED)
    with File("v73_problem.mat") as h5:
        problem = h5.create_group("Problem")
        say(problem, "struct")
        full(problem, "title", np.array([[104, 105]], "<u2"), "char")
        sparse(problem, "A")
        full(problem, "b", np.ones((ROWS, 1)), "double")
    with File("v73_kinds.mat") as h5:
        kinds(h5)
    subprocess.run(["zstd", "-q", "-f", "--rm", "-19", str(OUT / "v73_kinds.mat")], check=True)


if __name__ == "__main__":
    main()
