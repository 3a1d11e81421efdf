"""The promised headers: how many, that the guide names them, and that each type says what it is."""
import re
import unittest

from tools import layers

ROOT = layers.ROOT
FACE = sorted(path for path in (ROOT / "include" / "mechane").glob("*.h") if path.stem != "mechane")


class Face(unittest.TestCase):
    def test_fourteen_headers_each_a_row_of_the_guide(self):
        self.assertEqual(len(FACE), 14)
        rows = " ".join(re.findall(r"^\| (`\w+\.h`.*?) \|", (ROOT / "docs" / "cpp.md").read_text(), re.M))
        self.assertEqual([path.name for path in FACE if f"`{path.name}`" not in rows], [])

    def test_every_type_of_the_face_says_what_it_is(self):
        silent = []
        for path in FACE:
            before = ""
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.match(r"\s*(struct|class|enum class) (\[\[\w+\]\] )?\w+[^;]*$", line) and not before.lstrip().startswith("///"):
                    silent.append(f"{path.name}:{number}: {line.strip()}")
                before = before if re.match(r"\s*template", line) else line
        inner = re.compile(r"class iterator|struct Impl|struct Private")
        self.assertEqual([line for line in silent if not inner.search(line)], [])

    def test_umbrellas_bring_the_face(self):
        included = lambda name: set(re.findall(r'#include "mechane/(\w+)\.h"', (ROOT / "include" / "mechane" / name).read_text()))
        with_usd = {"asset", "load", "schema"}
        self.assertEqual(included("simulation.h"), {path.stem for path in FACE} - with_usd - {"simulation"})
        self.assertEqual(included("mechane.h"), with_usd | {"simulation"})


if __name__ == "__main__":
    unittest.main()
