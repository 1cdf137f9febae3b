# SPDX-License-Identifier: Apache-2.0
"""The tables of tensor cores in docs/performance.md, for performance_table: from rows of spmm-bench --plans tensor.

Of each case (matrix and n, row-major, op N) and compute type the fastest variant counts, against the fastest peer of each
library that computes no less exactly, B and C cold. The newest row of each variant counts.
"""
import collections
import math

FAMILIES = ("window", "panel", "bcsr")
COMPUTES = ("3xtf32", "tf32", "f16", "bf16", "f64")
# What generators and classes of docs/matrices.tsv are here; all else is "other".
STRUCTURES = {"fem3": "fem", "femshuf": "fem", "qcd": "lattice", "lap27": "lattice", "band": "band", "block": "block", "rmat": "graph",
              "mesh": "fem", "graph": "graph"}
LATTICES = ("asm_wilson",)  # begins of names: meshes that are lattices
TARGET = ("fem", "lattice", "band", "block")
WIDE = 32  # the means over n are from here on


def structure_of(row):
    if row["matrix"].startswith(LATTICES):
        return "lattice"
    words = row["matrix"].split(":")
    return STRUCTURES.get(words[1] if words[0] == "gen" else row["class"], "other")


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def is_counted(row):
    return row["layout"] == "row" and row["op"] == "N" and row["ms_cold"]


def newest_by_case(rows):
    """(device, dtype, matrix, n) -> (kernel, library of the peer) -> row; the plan's choices under the kernels "chosen" and
    "chosen tf32", of a plan that may choose that."""
    cases = collections.defaultdict(dict)
    for row in filter(is_counted, rows):
        library = row["peer"].split("-")[0]
        case = cases[row["device"], row["dtype"], row["matrix"], int(row["n"])]
        case[row["kernel"], library] = row
        if row["chosen"] == "1":
            case["chosen tf32" if row["compute"] == "tf32" else "chosen", library] = row
    return cases


def fastest(rows):
    return min(rows, key=lambda row: float(row["ms_cold"]), default=None)


def ratio_of(row):
    return float(row["peer_ms_cold"]) / float(row["ms_cold"])


def results_of(rows, compute):
    """One line a case and library with a peer: the best variant of this compute type, and what the plan chose beside rows."""
    for (device, _, matrix, n), kernels in newest_by_case(rows).items():
        for library in sorted({library for _, library in kernels if library}):
            some = [row for (_, of), row in kernels.items() if of == library]
            best = fastest(row for row in some if row["family"] in FAMILIES and row["compute"] == compute)
            if best is None:
                continue
            chosen = kernels.get(("chosen tf32" if compute == "tf32" else "chosen", library))
            yield {"device": device, "library": library, "structure": structure_of(best), "matrix": matrix, "n": n, "row": best,
                   "best": ratio_of(best), "chosen": ratio_of(chosen) if chosen else None,
                   "others": fastest(row for row in some if row["family"] not in FAMILIES), "choice": chosen}


def number(values):
    return f"{geometric_mean(values):.2f}" if values else ""


def line_of(name, columns, results):
    best = [result["best"] for result in results]
    chosen = [result["chosen"] for result in results if result["chosen"]]
    return [name, columns, str(len({result["matrix"] for result in results})), number(best), f"{min(best):.2f}",
            str(sum(ratio < 1 for ratio in best)), number(chosen), f"{min(chosen):.2f}" if chosen else "", str(lost(results)) if chosen else ""]


def lost(results):
    """Cases in which the plan takes tensor cores though another family, measured beside, is over 3 % faster."""
    return sum(1 for result in results if result["chosen"] and result["others"] and result["choice"]["family"] in FAMILIES
               and float(result["others"]["ms_cold"]) * 1.03 < float(result["choice"]["ms_cold"]))


def class_lines(results):
    lines = []
    for name in (*TARGET, "graph", "other"):
        some = [result for result in results if result["structure"] == name]
        for n in sorted({result["n"] for result in some}):
            lines.append(line_of(name, str(n), [result for result in some if result["n"] == n]))
        wide = [result for result in some if result["n"] >= WIDE]
        if wide:
            lines.append(line_of(f"**{name}**", f">= {WIDE}", wide))
    wide = [result for result in results if result["structure"] in TARGET and result["n"] >= WIDE]
    if wide:
        lines.append(line_of("**" + ", ".join(TARGET) + "**", f">= {WIDE}", wide))
    return lines


def matrix_lines(results):
    lines = []
    for name in sorted({result["matrix"] for result in results}):
        for result in sorted((result for result in results if result["matrix"] == name), key=lambda result: result["n"]):
            lines.append([name, result["structure"], str(result["n"]), result["row"]["kernel"].partition("/")[2], f"{result['best']:.2f}",
                          f"{result['chosen']:.2f}" if result["chosen"] else ""])
    return lines


def teraflops(row, milliseconds):
    return f"{2e-9 * int(row['nnz']) * int(row['n']) / float(milliseconds):.2f}"


def band_lines(results):
    """What is multiplied a second, zeros not counted, by ours and by the best peer of each library."""
    cases = collections.defaultdict(dict)
    for result in results:
        if result["structure"] == "band":
            cases[result["row"]["rows"], int(result["row"]["nnz"]), result["matrix"], result["n"]][result["library"]] = result["row"]
    lines = []
    for (rows, nnz, name, n), row_of in sorted(cases.items()):
        peers = [teraflops(row_of[library], row_of[library]["peer_ms_cold"]) if library in row_of else "" for library in ("cusparse", "cublas")]
        row = next(iter(row_of.values()))
        lines.append([name, f"{100 * (1 - nnz / (int(rows) * int(row['cols']))):.1f} %", str(n), teraflops(row, row["ms_cold"]), *peers])
    return lines


def refresh_lines(rows):
    """Time of new values in products of n = 32 of the same kernel."""
    groups = collections.defaultdict(list)
    for (_, _, _, n), kernels in newest_by_case(rows).items():
        for row in {row["kernel"]: row for row in kernels.values() if row["ms_set_values"]}.values():
            if n == 32:
                words = row["kernel"].split("/")
                groups[words[1], words[2].partition("-")[0], row["compute"]].append(float(row["ms_set_values"]) / float(row["ms_cold"]))
    return [[*key, str(len(values)), number(values), f"{max(values):.2f}"] for key, values in sorted(groups.items())]


def sections(rows, table):
    """Lines of Markdown; table(head, lines) lays one out."""
    text = []
    for device in sorted({row["device"] for row in rows if row["family"] in FAMILIES}):
        some = [row for row in rows if row["device"] == device]
        for compute in COMPUTES:
            results = list(results_of(some, compute))
            for library in sorted({result["library"] for result in results} - {"cublas"}, reverse=True):
                mine = [result for result in results if result["library"] == library]
                text += ["", f"### Tensor cores of {device}, {compute} against {library}: row-major, op N", ""]
                text += table(["class", "n", "matrices", "best variant", "least", "below 1", "plan's choice", "least", "slower than others"],
                              class_lines(mine))
                text += ["", "<details><summary>Every matrix</summary>", ""]
                text += table(["matrix", "class", "n", "best variant", "ratio", "plan's choice"], matrix_lines(mine)) + ["", "</details>"]
            bands = band_lines(results)
            if bands:
                text += ["", f"Bands, {compute}: TFLOP/s without zeros.", ""]
                text += table(["matrix", "zeros", "n", "spmm", "cusparse", "cublas"], bands)
        refreshed = refresh_lines(some)
        if refreshed:
            text += ["", f"### New values on {device}: their time in products of n = 32", ""]
            text += table(["family", "schedule", "compute type", "cases", "geometric mean", "most"], refreshed)
    return text
