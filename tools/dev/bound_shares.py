# SPDX-License-Identifier: Apache-2.0
"""Computes how close chosen kernels are to the lower bound of the time (docs/testing.md), as columns of a table of
docs/performance.md, for tools/dev/performance_pages."""
import statistics

WIDTHS = (8, 32, 128)  # values of n whose geometric means are shown
LEAST_FROM = 128  # minimum n for the least share: for smaller n, launch latency dominates
GOALS, LEAST_GOAL = (0.45, 0.62, 0.85), 0.55  # goals of the project for f32, row-major; chosen, not measured
HEAD = [*(f"share, n = {n}" for n in WIDTHS), f"least, n >= {LEAST_FROM}"]
TEXT = (f"*Share*: geometric mean of the lower bound of the time ([testing.md](testing.md)) divided by the time. "
        f"Goals of the project for f32, row-major: "
        f"{', '.join(f'{goal:.2f}' for goal in GOALS)} at n = {', '.join(map(str, WIDTHS))}; least {LEAST_GOAL:.2f}.")


def are_known(cases):
    return any(case.share > 0 for case in cases)


def columns(cases):
    """Returns the cells of the columns HEAD for the cases of one line of the table."""
    means = [[case.share for case in cases if case.n == n and case.share > 0] for n in WIDTHS]
    some = [case for case in cases if case.n >= LEAST_FROM and case.share > 0]
    least = min(some, key=lambda case: case.share, default=None)
    return ([f"{statistics.geometric_mean(shares):.2f}" if shares else "" for shares in means] +
            [f"{least.share:.2f} ({least.matrix}, n = {least.n})" if least else ""])
