"""The promised headers: how many, that the guide names them, and that each type says what it is; words that stand in two places."""
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

    def test_a_convention_is_explained_by_the_words_of_its_table(self):
        """The header shows a reader the question and both answers; reports take them from the table."""
        rows = re.findall(r'\{&Conventions::(\w+),\s*"\w+",\s*"[^"]*",\s*k\w+,((?:\s*"(?:\\.|[^"\\])*",?)+)\}', (ROOT / "src" / "physics" / "conventions.cpp").read_text())
        words, texts = lambda text: re.sub(r"[\s/]+", " ", text).strip(), {}
        for field, literals in rows:
            question, ours, other = _three(literals)
            texts[field] = f"{question[0].upper()}{question[1:]}: {ours}, or {other}."
        header = (ROOT / "include" / "mechane" / "physics" / "conventions.h").read_text()
        found = {field: words(comment) for comment, field in re.findall(r"((?:^ *///[^\n]*\n)+) *bool (\w+) += false;", header, re.M)}
        self.assertEqual(len(texts), header.count(" = false;"))
        self.assertEqual({field: words(text) for field, text in texts.items()}, found)


def _three(literals):
    """Texts that commas divide; literals that follow one another are one text."""
    parts, current = [], ""
    for text, comma in re.findall(r'"((?:\\.|[^"\\])*)"\s*(,?)', literals):
        current += text.replace('\\"', '"')
        if comma:
            parts.append(current)
            current = ""
    return [*parts, current] if current else parts


if __name__ == "__main__":
    unittest.main()
