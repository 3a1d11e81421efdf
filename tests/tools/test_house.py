"""The house in figures: the counters count what they say."""
import pathlib
import tempfile
import unittest

from tools import house


class House(unittest.TestCase):
    def written(self, folder, name, text):
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def test_sixteen_points(self):
        rows = list(house.points())
        self.assertEqual([row[0] for row in rows], list(range(1, 17)))
        self.assertTrue(all(row[2] for row in rows))

    def test_functions_are_counted_by_their_braces(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.written(folder, "a.cpp", 'struct S {\n    int x = 0;\n};\nint f(int a)\n{\n    if (a > 0) {\n        return "}"[0];\n    }\n    return 1;\n}\nvoid g() const { h(); }\n')
            self.assertEqual(house.cpp_functions(path), [6, 1])

    def test_circles_are_found_also_inside_functions(self):
        with tempfile.TemporaryDirectory() as folder:
            self.written(folder, "python/m/__init__.py", "from .a import f\n")
            self.written(folder, "python/m/a.py", "from .b import g\n")
            self.written(folder, "python/m/b.py", "def g():\n    from .a import f\n    return f\n")
            self.written(folder, "python/m/c.py", "from . import _core\n")
            self.assertEqual(house.circles(house.python_edges(pathlib.Path(folder))), [["m.a", "m.b"]])

    def test_comments_are_lines_that_hold_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.written(folder, "a.cpp", "// one\n\nint a;  // beside\nint b;\n/// two\n")
            self.assertEqual(house.comments([path]), 50)


if __name__ == "__main__":
    unittest.main()
