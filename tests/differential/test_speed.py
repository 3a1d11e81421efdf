"""Our physics parse beside OpenUSD's own on one machine. Needs a release build and a Python that has usd-core: MECHANE_USD_PYTHON."""
import os
import pathlib
import sys
import tempfile
import unittest

from tests.cli.program import PROGRAM, ROOT

sys.path.insert(0, str(ROOT / "bench"))
PARSER = pathlib.Path(PROGRAM).parent / "bench_physics_parse"
PYTHON = os.environ.get("MECHANE_USD_PYTHON", "")


@unittest.skipUnless(PYTHON and PARSER.is_file(), "needs MECHANE_USD_PYTHON and the benchmark")
class Speed(unittest.TestCase):
    def test_twenty_thousand_bodies_parse_four_times_as_fast_as_openusds_parser(self):
        """PHY-123. Both sides take the least of three parses in each of three processes, in alternation."""
        from import_peers import stage_of_free_bodies
        from physics_parse_peers import ours, peer
        with tempfile.TemporaryDirectory() as folder:
            stage = f"{folder}/stage.usda"
            pathlib.Path(stage).write_text(stage_of_free_bodies(20000))
            times = [(ours(PARSER, stage), peer(PYTHON, stage)) for _ in range(3)]
        mine, theirs = min(a for a, _ in times), min(b for _, b in times)
        self.assertGreater(theirs / mine, 4, f"ours {mine:.0f} ms, OpenUSD {theirs:.0f} ms")


if __name__ == "__main__":
    unittest.main()
