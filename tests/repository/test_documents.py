#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that tools/dev/docs_check, vocabulary and api_documented find every violation planted in a synthetic tree, and
none in a clean tree."""
import os
import subprocess
import sys
import tempfile

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "dev")
CLEAN = {
    "README.md": "# Title\n\nSee [the page](docs/page.md#two-words), [below](#title) and `kernels/rows/*.cuh`.\n",
    "docs/page.md": "# Page\n\n## Two words\n\n" + "| " + "x" * 200 + " |\n\nA file inspector/{a,b}/ab_NAME.c, tests/run. See rows.cuh.\n",
    "docs/decisions/0001-first.md": "# First\n",
    "kernels/rows/rows.cuh": "/* docs/decisions/0001 has the reason. */\nchar *s = \"docs/none\";\n",
    "inspector/a/ab_one.c": "",
    "inspector/b/ab_two.c": "/* This limit was measured. */\n",
    "tests/run": "# See docs/page.md.\n",
    "docs/quoting.md": "<!-- excerpt of docs/examples/a.c -->\n```c\nfor (;;)\n    a();\n\nb();\n```\n"
                       "<!-- bytes of tests/run -->\n\n    2     53 65 65  See\n    19    0A\n\n",
    "docs/examples/a.c": "    for (;;)\n        a();\n    c();\n    b();\n",
}
DOCUMENTS = [  # a file, its text, and an excerpt of the expected report
    ("README.md", "[x](docs/none.md)\n", "docs/none.md, which is not there"),
    ("README.md", "[x](docs/page.md#three)\n", "no heading #three"),
    ("README.md", "[x](#other)\n", "no heading #other"),
    ("README.md", "line\n" * 111, "111 lines"),
    ("README.md", "word " * 30 + "\n", "150 characters"),
    ("docs/decisions/0001-first.md", "line\n" * 61, "61 lines"),
    ("docs/examples/long.c", "int i;\n" * 151, "151 lines"),
    ("docs/decisions/0001-first.md", "a b c d e f g h i j k l\n" * 55, "660 words"),
    ("docs/long.md", "line\n" * 3000, "docs: 30"),
    ("docs/page.md", "# Page\n## Two words\ninspector/a/ab_none.c\n", "there is no inspector/a/ab_none.c"),
    ("docs/page.md", "# Page\n## Two words\nSee none.cuh.\n", "there is no file none.cuh"),
    ("inspector/a/ab_one.c", "int a; /* docs/none.md */\n", "ab_one.c:1: there is no docs/none.md"),
    ("inspector/a/ab_one.c", "// kernels/none/*.c\n", "there is no kernels/none/*.c"),
    ("tests/run", "echo\n# tools/none\n", "tests/run:2: there is no tools/none"),
    ("docs/examples/a.c", "for (;;)\n    a();\nb(1);\n", "docs/quoting.md:3: docs/examples/a.c do not have these lines: b();"),
    ("docs/examples/a.c", "for (;;)\n    c();\n    a();\nb();\n", "these lines: for (;;) .."),
    ("tests/run", "# See docs/page.md!\n", None), ("tests/run", "# see docs/page.md.\n", "docs/quoting.md:10: tests/run has other bytes at 2"),
    ("tests/run", "# See docs/page.md.", "docs/quoting.md:11: tests/run has other bytes at 19"),
    ("docs/quoting.md", "<!-- bytes of tests/none -->\n\n    0  00\n", "there is no tests/none to quote"),
    ("docs/quoting.md", "<!-- bytes of tests/run -->\n\n    0  zz\n", "no offset with bytes"),
    ("docs/quoting.md", "<!-- excerpt of tests/run -->\ntext\n", "no block of code follows"),
]
WORDS = [  # a text, which is planted in an accepted file and in another one, and the banned words in it
    ("int likeness_of(int granule);\n", ["granule", "likeness"]), ("A Study of Figure 3\n", ["Study"]),
    ("text.strip(), astride, unworthy\n", []), ("the peeled rows\n", ["peeled"]), ('json: "peeled"\n', ["peeled"]),
    ("PEEL_MAX\n", ["PEEL"]),
]
XML = """<doxygen><compounddef kind="file"><compoundname>api.h</compoundname><briefdescription>{0}</briefdescription>
<memberdef kind="enum"><name>spmm_e</name><detaileddescription><para>{1}</para></detaileddescription>
<enumvalue><name>SPMM_A</name><briefdescription>{2}</briefdescription></enumvalue></memberdef></compounddef></doxygen>"""


def write(folder, files):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)) or folder, exist_ok=True)
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.write(text)


def run(tool, *arguments):
    done = subprocess.run([os.path.join(TOOLS, tool), *arguments], check=False, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def tree(files):
    folder = tempfile.TemporaryDirectory()
    subprocess.run(["git", "init", "-q", folder.name], check=True)
    write(folder.name, files)
    return folder


def check_documents():
    with tree(CLEAN) as folder:
        status, said = run("docs_check", "--root", folder)
        if status != 0:
            yield f"docs_check: a clean tree is refused: {said}"
    for path, text, expected in DOCUMENTS:
        with tree({**CLEAN, path: text}) as folder:
            status, said = run("docs_check", "--root", folder)
            if status != (expected is not None) or (expected or "") not in said:
                yield f"docs_check of {path} {text[:40]!r}: expected {expected!r}, found {said!r}"


def check_words():
    for text, expected in WORDS:
        with tree({"a.c": text, "b.c": text, "list": 'b.c .*\na.c "peeled"\n'}) as folder:
            _, said = run("vocabulary", "--root", folder, "--allowed", os.path.join(folder, "list"), "a.c", "b.c")
        found = [line.split(": ")[1] for line in said.splitlines()]
        if found != [word for word in expected if '"peeled"' not in text]:
            yield f"vocabulary of {text!r}: expected {expected}, found {said!r}"
    with tree({"granule.c": "", "list": "b.c gran\n"}) as folder:
        _, said = run("vocabulary", "--root", folder, "--allowed", os.path.join(folder, "list"))
        if "granule in the name" not in said or "allows nothing" not in said:
            yield f"vocabulary: expected a name and an idle entry, found {said!r}"


def check_reference():
    for texts, header, expected in ((("x", "x", "x"), "/** @file\n */", 0), (("", "x", "x"), "/** @file */", 1),
                                    (("x", "", "x"), "/** @file */", 1), (("x", "x", ""), "/** @file */", 1),
                                    (("x", "x", "x"), "/* text */", 1),
                                    (("x", "x", "x"), "/** @file */\nSPMM_API int spmm_f(void);", 1)):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, {"xml/api.xml": XML.format(*texts), "headers/api.h": header})
            status, said = run("api_documented", os.path.join(folder, "xml"), os.path.join(folder, "headers"))
            if status != expected:
                yield f"api_documented of {texts} {header!r}: expected {expected}, found {said!r}"


def main():
    wrong = [*check_documents(), *check_words(), *check_reference()]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
