# SPDX-License-Identifier: Apache-2.0
"""Reads the device profiles in inspector/profiles and makes the table of docs/model.md, for tools/dev/family_tables."""
import os

from family_rows import FAMILIES

PROFILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "inspector", "profiles")
DEVICES = ("a100", "h100", "h200", "cpu")
CONSTANTS = ["device", "kernel.type", "start, us", "extra, us", "DRAM", "L2", "L1", "ALU", "ISSUE", "WAVES", "LONGEST", "CONVERT", "norm", "risk"]
NUMBERS = CONSTANTS[2:-2]  # constants of a kernel, after which a profile may have the norm
SITUATIONS = 4  # values of a risk: one column, narrow, wide, column-major


def read(device):
    """Returns {key: [words]} of a profile; a line that begins with a blank continues the line before."""
    keys, key = {}, None
    with open(os.path.join(PROFILES, device + ".profile"), encoding="utf-8") as file:
        for line in file:
            text = line.split("#")[0].rstrip()
            if text and not text[0].isspace():
                key, _, text = (part.strip() for part in text.partition("="))
                keys[key] = []
            keys.get(key, []).extend(text.split())
    return keys


def risk_of(keys, name, kind):
    """Returns the risks of a kernel and type as spmmi_profile_risk does: of the type, else of all types, else 1."""
    words = keys.get(f"risk.{name}.{kind}") or keys.get(f"risk.{name}") or ["1"]
    return [float(word) for word in (words if len(words) == SITUATIONS else words * SITUATIONS)]


def parts(name):
    """Splits "packed.f64" into ("packed", "f64"), and "order" into ("order", "")."""
    return (name + ".").split(".")[:2]


def text_of(risks):
    words = [f"{risk:.4g}" for risk in risks]
    return words[0] if len(set(words)) == 1 else ", ".join(words)


def is_fitted(words):
    return any(word != "1" for word in words[2:])


def kernel_rows(device, keys):
    """Yields a row for each kernel with fitted constants; the risk is that of its name times that of its family."""
    for key in filter(lambda key: key.startswith("model.") and is_fitted(keys[key]), keys):
        name, kind = key.split(".")[1:]
        family = next((f.name for f in FAMILIES for s in f.schedules if s.name == name), None)
        both = zip(risk_of(keys, name, kind), risk_of(keys, family, kind))
        norm = keys[key][len(NUMBERS):] or ["4"]
        yield [device, f"{name}.{kind}", *keys[key][:len(NUMBERS)], *norm, text_of([a * b for a, b in both])]


def other_risks(device, keys):
    """Yields at most one row: the risks of names without fitted constants."""
    fitted = {key.split(".")[1] for key in keys if key.startswith("model.")}
    names = [key.removeprefix("risk.") for key in keys if key.startswith("risk.") and key.split(".")[1] not in fitted]
    if names:
        yield [device, "other", *"-" * (len(CONSTANTS) - 3), ", ".join(f"{name} {text_of(risk_of(keys, *parts(name)))}" for name in names)]


def constants():
    """Returns (head, rows) of the table."""
    profiles = [(device, read(device)) for device in DEVICES]
    return CONSTANTS, [row for device, keys in profiles for rows in (kernel_rows, other_risks) for row in rows(device, keys)]
