"""Sources of a module are compiled together, so that a file's unnamed functions hide those of enclosing namespaces in all others."""
import re
import unittest

from tools import layers

NUMBER = re.compile(r"^\s*(const )?(double|float|Real|int|(std::)?(u?int(8|16|32|64)_t|size_t))\b(?![*&])")
FUNCTION = re.compile(r"^(?:\[\[nodiscard\]\] |MCH_\w+ |inline |constexpr |static )*[\w:<>, ]+?[ &*]+(\w+)\(([^()]*)\)(?: noexcept)?\s*(?:\{|$)", re.M)


def functions_of(text):
    """(name, count of parameters, whether the first one is a number), of functions that are defined at the left margin."""
    for name, parameters in FUNCTION.findall(text):
        while (bare := re.sub(r"<[^<>]*>", "", parameters)) != parameters:
            parameters = bare
        parameters = parameters.strip()
        yield name, len(parameters.split(",")) if parameters else 0, bool(NUMBER.match(parameters))


class Unity(unittest.TestCase):
    def test_no_unnamed_function_hides_one_of_math(self):
        """The overload of a number would be chosen for what converts to one, as a pack of four does not: the other file fails, or computes otherwise."""
        of_math = set()
        for folder in (layers.ROOT / "include" / "mechane" / "math", layers.ROOT / "src" / "include" / "mechane" / "math"):
            for header in folder.glob("*.h"):
                of_math |= {(name, count) for name, count, _ in functions_of(header.read_text())}
        self.assertIn(("root", 1), of_math)
        hiding = []
        for source in sorted((layers.ROOT / "src").rglob("*.cpp")):
            for part in re.findall(r"^namespace \{\n(.*?)^\}  // namespace$", source.read_text(), re.M | re.S):
                hiding += [f"{source.relative_to(layers.ROOT)}: {name}" for name, count, number in functions_of(part) if number and (name, count) in of_math]
        self.assertEqual(hiding, [])
