#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes headers as an older release may have had them: structs that may grow lack their last members.

usage: older_headers.py FOLDER    writes FOLDER/spmm/*.h

Removes the members that the dumps (tests/abi/*.abi) do not have, or the last member if the dumps have all. Members that
share 8 bytes with a removed member are removed too: a release adds nothing in padding (docs/decisions/0035).
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HEADERS = os.path.join(HERE, "..", "..", "include", "spmm")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
STRUCT = re.compile(r"(typedef struct\s*(\w*)\s*\{)([^{}]*)(\}\s*(\w+);)")
ALIGNMENT = 8  # alignment in bytes of structs that begin with a size_t


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def released():
    """Returns {name of a struct: [(offset, bytes) of each member]} from the dumps."""
    structs, members = {}, None
    for name in sorted(name for name in os.listdir(HERE) if name.endswith(".abi")):
        for line in read(os.path.join(HERE, name)).splitlines():
            words = line.split()
            if words[0] == "struct":
                members = structs[words[1]] = []
            elif not line.startswith(" "):
                members = None
            elif members is not None:
                members.append((int(words[0]), int(words[1])))
    return structs


def kept(known, count):
    """Returns how many of `count` members an older header has. known: members in the dumps; None: a new struct."""
    if known is None or count > len(known):
        return len(known or [0])
    keep = len(known) - 1
    while keep > 1 and known[keep][0] < -(-sum(known[keep - 1]) // ALIGNMENT) * ALIGNMENT:
        keep -= 1
    return keep


def cut_list(text, separator, keep):
    return separator.join(text.split(separator)[:keep])


def older(text, structs):
    """Returns the header with shorter structs and with initialisers that have as many members."""
    text = COMMENT.sub("", text)
    for opening, tag, body, closing, name in STRUCT.findall(text):
        members = [member for member in body.split(";") if member.strip()]
        if members[0].split() != ["size_t", "struct_size"]:
            continue
        keep = kept(structs.get(tag) or structs.get(name), len(members))
        text = text.replace(opening + body + closing, f"{opening}{cut_list(body, ';', keep)};\n{closing}")
        text = re.sub(r"\{(sizeof\(%s\)[^{}]*)\}" % name,
                      lambda match, keep=keep: "{" + cut_list(match[1], ",", keep) + "}", text)
    return text


def main(arguments):
    if len(arguments) != 1:
        print(__doc__)
        return 2
    folder = os.path.join(arguments[0], "spmm")
    os.makedirs(folder, exist_ok=True)
    structs = released()
    for name in sorted(os.listdir(HEADERS)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(older(read(os.path.join(HEADERS, name)), structs))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
