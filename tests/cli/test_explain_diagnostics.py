"""mechane explain ID: every diagnostic that the program can print, under its id and under its former one."""
import json
import unittest

from tests.cli.program import mechane
from tools import diagnostics_page


class ExplainDiagnostics(unittest.TestCase):
    def test_every_id_is_explained(self):
        """(GAP-103)"""
        for _, code, severity, meaning, remedy, alias, _ in diagnostics_page.rows():
            for word in filter(None, (code, alias, code.lower())):
                with self.subTest(word=word):
                    done = mechane("explain", word)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    for part in (code, severity, meaning, remedy, alias):
                        self.assertIn(part, done.stdout)

    def test_json_has_both_ids(self):
        renamed = next(row for row in diagnostics_page.rows() if row[5])
        document = json.loads(mechane("explain", renamed[5], "--json").stdout)
        self.assertEqual((document["id"], document["alias"]), (renamed[1], renamed[5]))

    def test_one_scheme_of_ids(self):
        for module, code, *_ in diagnostics_page.rows():
            self.assertRegex(code, r"^([A-Z][A-Z0-9]{2,}(_[A-Z0-9]+)+|MECH-[0-9]+)$", module)

    def test_an_unknown_id_is_a_usage_error(self):
        done = mechane("explain", "NO_SUCH_ID")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no rule and no diagnostic", done.stderr)
