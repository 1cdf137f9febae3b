#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every public struct is tested: in struct_table.c if it begins with struct_size, else in fixed_structs.c.

usage: covered_structs.py [HEADERS]

HEADERS is the folder of the headers (default: include/spmm). Prints one line for each problem, exit 1 if there is any.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COMMENT = re.compile(r"/\*.*?\*/", re.S)
STRUCT = re.compile(r"typedef struct\s*\w*\s*\{([^{}]*)\}\s*(\w+);")
TABLES = {True: ("struct_table.c", r"\b(?:INPUT|OUTPUT|OUTPUT_BUT)\((\w+)"),
          False: ("fixed_structs.c", r"\bFIXED\((\w+)")}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main(arguments):
    headers = arguments[0] if arguments else os.path.join(HERE, "..", "..", "include", "spmm")
    structs = {}
    for name in sorted(os.listdir(headers)):
        for body, struct in STRUCT.findall(COMMENT.sub("", read(os.path.join(headers, name)))):
            structs[struct] = body.split(";")[0].split() == ["size_t", "struct_size"]
    problems = [] if len(structs) > 20 else [f"{headers}: found {len(structs)} structs, too few to be all"]
    for may_grow, (table, pattern) in TABLES.items():
        covered = re.findall(pattern, read(os.path.join(HERE, table)))
        expected = {struct for struct, grows in structs.items() if grows == may_grow}
        problems += [f"{table}: {struct} is missing" for struct in sorted(expected - set(covered))]
        problems += [f"{table}: {struct} is in no header, or is of the other kind"
                     for struct in sorted(set(covered) - expected - {"type"})]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
