"""Pages made of tables are current, and the tools that read specifications and tables read them rightly."""
import pathlib
import tempfile
import unittest

from tools import diagnostics_page, unproven


class Pages(unittest.TestCase):
    def test_the_page_of_diagnostics_is_current(self):
        text = diagnostics_page.page(list(diagnostics_page.rows()))
        self.assertEqual(diagnostics_page.PAGE.read_text(encoding="utf-8"), text, "run: make docs")

    def test_no_code_is_declared_twice(self):
        ids = [row[1] for row in diagnostics_page.rows()]
        self.assertEqual(len(ids), len(set(ids)))

    def test_a_row_over_several_lines_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder) / "include" / "mechane" / "x" / "codes.h"
            header.parent.mkdir(parents=True)
            header.write_text('inline constexpr Code kA{\n  "A_B", Severity::warning,\n  "one "\n  "two.", "do \\"this\\"."};\n')
            self.assertEqual(list(diagnostics_page.rows(pathlib.Path(folder))), [("x", "A_B", "warning", "one two.", 'do "this".', "", "kA")])


class Unproven(unittest.TestCase):
    def test_ids_and_ranges_that_tests_name_count_as_proven(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a_test.cpp").write_text('TEST_CASE("x (STG-014..016, IMP-001)")')
            self.assertEqual(unproven.named(folder), {"STG-014", "STG-015", "STG-016", "IMP-001"})

    def test_statements_are_read_from_lists(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "s.md").write_text("- STG-001 Process refuses.\n- **GAP-001 Import converts.** *Source:* x\nsee STG-002, not a statement\n")
            self.assertEqual(list(unproven.statements(folder)), ["STG-001", "GAP-001"])


if __name__ == "__main__":
    unittest.main()
