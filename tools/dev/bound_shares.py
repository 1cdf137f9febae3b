# SPDX-License-Identifier: Apache-2.0
"""How near to the bound of docs/testing.md the chosen kernels are: columns of a table of docs/performance.md, for
tools/dev/performance_pages."""
import statistics

WIDTHS = (8, 32, 128)  # values of n whose geometric means are shown
LEAST_FROM = 128  # of the least share: below, the time of a launch decides
GOALS, LEAST_GOAL = (0.45, 0.62, 0.85), 0.55  # of the project, for f32, row-major; they were set, not measured
HEAD = [*(f"share, n = {n}" for n in WIDTHS), f"least, n >= {LEAST_FROM}"]
TEXT = (f"*Share*: geometric mean of the lower bound of the time ([testing.md](testing.md)) divided by the time. "
        f"Goals of the project for f32, row-major: "
        f"{', '.join(f'{goal:.2f}' for goal in GOALS)} at n = {', '.join(map(str, WIDTHS))}; least {LEAST_GOAL:.2f}.")


def are_known(cases):
    return any(case.share > 0 for case in cases)


def columns(cases):
    """Of one line of the table, as HEAD says."""
    means = [[case.share for case in cases if case.n == n and case.share > 0] for n in WIDTHS]
    some = [case for case in cases if case.n >= LEAST_FROM and case.share > 0]
    least = min(some, key=lambda case: case.share, default=None)
    return ([f"{statistics.geometric_mean(shares):.2f}" if shares else "" for shares in means] +
            [f"{least.share:.2f} ({least.matrix}, n = {least.n})" if least else ""])
