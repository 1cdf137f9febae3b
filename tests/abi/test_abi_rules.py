#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that tools/dev/abi judges planted changes by the rules of docs/decisions/0035."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys

ABI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "dev", "abi")
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("abi", ABI)
abi = importlib.util.module_from_spec(importlib.util.spec_from_loader("abi", loader))
loader.exec_module(abi)

OLD = """name libx.so.0
version 0.2
function spmm_f (int -> int)
function spmm_g (struct spmm_info * -> void)
struct spmm_fixed 16
  0 8 data: void *
  8 8 count: int64_t
struct spmm_info 24
  0 8 struct_size: size_t
  8 8 rows: int64_t
  16 4 flag: int
enum spmm_kind
  1 SPMM_A
  2 SPMM_B
macro SPMM_BINS 6
"""
WIDER = OLD.replace("spmm_info 24", "spmm_info 32")
GROWN = WIDER.replace("  16 4 flag: int\n", "  16 4 flag: int\n  24 8 more: double\n")
# name of the change, new dump, whether it is compatible, part of the message
CASES = (
    ("nothing", OLD, True, ""),
    ("a new function", OLD.replace("struct spmm_fixed", "function spmm_h (void -> int)\nstruct spmm_fixed"), True,
     "new: function spmm_h"),
    ("a new enumerator", OLD.replace("  2 SPMM_B", "  2 SPMM_B\n  3 SPMM_C"), True, "new: enum spmm_kind: SPMM_C"),
    ("a new macro", OLD + "macro SPMM_MORE 7\n", True, "new: macro SPMM_MORE"),
    ("a new member at the end", GROWN, True, "new: struct spmm_info: more"),
    ("a function gone", OLD.replace("function spmm_f (int -> int)\n", ""), False, "function spmm_f is gone"),
    ("another parameter", OLD.replace("(int -> int)", "(long -> int)"), False, "function spmm_f changed"),
    ("a member in the middle", WIDER.replace("  16 4 flag", "  16 8 more: double\n  24 4 flag"),
     False, "was (16, 4, 'flag', 'int'), is (16, 8, 'more', 'double')"),
    ("a member in the padding", OLD.replace("  16 4 flag: int", "  16 4 flag: int\n  20 4 more: int"), False,
     "more lies within the old 24 bytes"),
    ("padding behind a new member", GROWN.replace("24 8 more: double", "24 4 more: int"), False, "a hole behind more"),
    ("padding before a new member", GROWN.replace("info 32", "info 40").replace("24 8 more", "32 8 more"), False,
     "a hole before more"),
    ("a member gone", OLD.replace("  16 4 flag: int\n", ""), False, "flag is gone"),
    ("another type", OLD.replace("8 8 rows: int64_t", "8 8 rows: uint64_t"), False, "struct spmm_info: was"),
    ("a fixed struct grows",
     OLD.replace("fixed 16", "fixed 24").replace("8 8 count: int64_t", "8 8 count: int64_t\n  16 4 more: int"), False,
     "must keep its 16 bytes"),
    ("another number", OLD.replace("  2 SPMM_B", "  3 SPMM_B"), False, "enum spmm_kind: SPMM_B changed"),
    ("a new enum", OLD.replace("macro", "enum spmm_more\n  0 SPMM_M\nmacro"), True, "new: enum spmm_more"),
    ("an enum gone", OLD.replace("enum spmm_kind\n  1 SPMM_A\n  2 SPMM_B\n", ""), False, "enum spmm_kind is gone"),
    ("an enumerator gone", OLD.replace("  2 SPMM_B\n", ""), False, "enum spmm_kind: SPMM_B is gone"),
    ("another macro", OLD.replace("SPMM_BINS 6", "SPMM_BINS 7"), False, "macro SPMM_BINS changed"),
    ("another SONAME", GROWN.replace("libx.so.0", "libx.so.1"), False, "libx.so.0 became libx.so.1"),
)


# The same compatible changes in a patch release are errors, because a patch release must not add anything.
PATCH_CASES = tuple(("in a patch release: " + what, new, False, "0.2.x adds nothing to 0.2")
                    for what, new, is_compatible, _ in CASES if is_compatible and what != "nothing")


def minor(text):
    return text.replace("version 0.2", "version 0.3")


def judge(new):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        verdict = abi.report(abi.read(OLD), abi.read(new))
    return verdict, text.getvalue()


def main():
    failures = int(abi.write(abi.read(OLD)) != OLD)
    cases = [(what, minor(new), *rest) for what, new, *rest in CASES] + [("nothing", OLD, True, "")]
    for what, new, is_compatible, excerpt in cases + list(PATCH_CASES):
        verdict, text = judge(new)
        if verdict != is_compatible or excerpt not in text or (what == "nothing" and text):
            print(f"{what}: {'compatible' if verdict else 'incompatible'}: {text}")
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
