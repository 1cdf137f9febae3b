#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes files of matrices as other programs do, from the Python library alone: an independent writer for the tests.

usage: make_formats.py [FOLDER]     (default: the folder of this script)

Every file holds the matrix of others.mtx, unless tests/data/formats/README.md says another one.
"""
import bz2
import gzip
import io
import lzma
import pathlib
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
OUT = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
ROWS, COLS = 6, 5
# Row, column, value; in the order of rows and then of columns.
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
    """Of the SuiteSparse collection: a folder, the matrix and its right-hand side."""
    other = b"%%MatrixMarket matrix array real general\n6 1\n1\n2\n3\n4\n5\n6\n"
    suite = [("others", None), ("others/others.mtx", mtx), ("others/others_b.mtx", other)]
    put("suite.tar.gz", gzip.compress(tar(suite, tarfile.USTAR_FORMAT), mtime=0))
    put("suite.tar.xz", lzma.compress(tar(suite[::-1], tarfile.USTAR_FORMAT)))
    only = [(LONG, None), (f"{LONG}/readme.txt", b"text\n"), (f"{LONG}/a.mtx", mtx)]
    put("long_gnu.tar.bz2", bz2.compress(tar(only, tarfile.GNU_FORMAT)))
    put("long_pax.tar.gz", gzip.compress(tar(only, tarfile.PAX_FORMAT), mtime=0))
    put("others.mtx.xz", lzma.compress(mtx))
    put("others.mtx.bz2", bz2.compress(mtx))


def main():
    mtx = matrix_market(ROWS, COLS, ENTRIES)
    put("others.mtx", mtx)
    archives(mtx)


main()
