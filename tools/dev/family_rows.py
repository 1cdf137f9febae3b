# SPDX-License-Identifier: Apache-2.0
"""Reads format/family_list.def, which explains the columns: FAMILIES has all families, each with its schedules."""
import os
import re
from collections import namedtuple

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "format", "family_list.def")
ROW = re.compile(r"^(FAMILY|SCHEDULE)\((.*)\)$", re.M)
TYPES = {"F32": 1, "F64": 2, "F16": 3, "BF16": 4}  # numbers of types in plan files

Family = namedtuple("Family", "name id number feature types compute n_min long_rows unit_min unit_max slots_min slots_max "
                              "step item unit schedules")
Schedule = namedtuple("Schedule", "family id number name item_sizes item_size_min item_size_max items order")


def types_of(text):
    """Converts "SPMMI_TYPE_F32 | SPMMI_TYPE_F64" to ("F32", "F64")."""
    words = re.findall(r"SPMMI_TYPES?_(\w+)", text)
    return tuple(TYPES) if "ALL" in words else tuple(words)


def value_of(cell):
    if cell.startswith("SPMMI_TYPE"):
        return types_of(cell)
    if cell.startswith('"'):
        return cell[1:-1]
    return int(cell, 0) if re.fullmatch(r"\d\w*", cell) else cell


def read(path=LIST):
    families = {}
    with open(path, encoding="utf-8") as file:
        for kind, cells in ROW.findall(file.read()):
            cells = [value_of(cell.strip()) for cell in cells.split(",")]
            if kind == "FAMILY":
                families[cells[0]] = Family(*cells, schedules=[])
            else:
                families[cells[0]].schedules.append(Schedule(*cells))
    return list(families.values())


FAMILIES = read()


def powers(low, high):
    """Returns the powers of two from low to high; an empty list if high is 0."""
    return [1 << k for k in range(low.bit_length() - 1, high.bit_length())] if high else []
