"""Compares two stage dumps, OpenUSD's and ours, value by value."""
import ast
import json
import os
import re

# World matrices are products in double precision whose order of multiplication is not fixed; blends of samples likewise.
RTOL, ATOL = 1e-6, 1e-9
# What the oracle says about itself, in its own words; only whether there are any is compared.
WORDED = {"compositionErrors"}
ABOUT_THE_DUMP = {"schema", "diagnostics"}


class Comparison:
    """`found` holds (address, expected, found) of every difference, `values` counts the leaves that were compared."""

    def __init__(self, folder):
        self.folder, self.found, self.values = folder, [], 0

    def stage(self, expected, ours):
        if "error" in expected or "error" in ours:
            self.values += 1
            if ("error" in expected) != ("error" in ours):
                self.found.append(("error", expected.get("error"), ours.get("error")))
            return self
        for key in sorted((set(expected) | set(ours)) - ABOUT_THE_DUMP - {"prims", "stage", "truncatedAtPrims"}):
            if key in WORDED:
                self.values += 1
                if (key in expected) != (key in ours):
                    self.found.append((key, expected.get(key), ours.get(key)))
            else:
                self.walk(key, expected.get(key), ours.get(key))
        layers = lambda names: sorted(os.path.relpath(name, self.folder) if os.path.isabs(name) else name for name in names)
        self.walk("stage", {**expected["stage"], "layers": layers(expected["stage"]["layers"])}, {**ours["stage"], "layers": layers(ours["stage"]["layers"])})
        self.walk("prims", expected["prims"], ours["prims"])
        return self

    def walk(self, where, a, b):
        """Objects are compared key by key, so that a missing prim or property is one difference."""
        if isinstance(a, dict) and isinstance(b, dict):
            if "$array" in a and "$array" in b:
                self.values += 1
                if any(a.get(key) != b.get(key) for key in ("$array", "dtype", "sha256")):
                    self.found.append((where, a, b))
                return
            if a.keys() == b.keys() == {"repr", "type"}:
                self.values += 1
                if not said_alike(a["repr"], b["repr"]):
                    self.found.append((where, a, b))
                return
            for key in sorted(set(a) | set(b)):
                address = f"{where} {key}" if key.startswith("/") else f"{where}/{key}"
                if key not in a or key not in b:
                    self.values += 1
                    if not (key == "worldTransformAt" and same_motion(a, b)):
                        self.found.append((address, a.get(key), b.get(key)))
                elif key == "worldTransformAt":
                    self.values += 1
                    if not same_motion(a, b):
                        self.found.append((address, a[key], b[key]))
                else:
                    self.walk(address, a[key], b[key])
        else:
            self.values += leaves(a)
            if not same(a, b):
                self.found.append((where, a, b))


def same_motion(a, b):
    """World matrices at a time are listed where they are not those of the default time to the last bit, which either side may see alone."""
    here, there = a.get("worldTransformAt", {}), b.get("worldTransformAt", {})
    return all(same(here.get(time, a.get("worldTransform")), there.get(time, b.get("worldTransform"))) for time in {**here, **there})


def leaves(value):
    return sum(map(leaves, value)) if isinstance(value, list) else 1


def same(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        if a.keys() == b.keys() == {"repr", "type"}:
            return said_alike(a["repr"], b["repr"])
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, int) and isinstance(b, int):  # integers of 64 bits too are said to the last digit
        return type(a) is type(b) and a == b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool) and not isinstance(b, bool):
        return abs(a - b) <= ATOL + RTOL * abs(a)
    return type(a) is type(b) and a == b


def said_alike(python, text):
    """Values without a JSON form are named by each side in its own language: Sdf.PathExpression('//a') and //a."""
    inner = re.fullmatch(r"Sdf\.(?:UnregisteredValue|PathExpression)\(('.*'|\".*\")\)", python, re.DOTALL)
    if inner:
        return ast.literal_eval(inner[1]) == text
    return python.startswith("Sdf.UnregisteredValue(<pxr.Sdf.UnregisteredValueListOp") == text.startswith("SdfUnregisteredValueListOp(")


def short(value):
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= 160 else text[:157] + "..."
