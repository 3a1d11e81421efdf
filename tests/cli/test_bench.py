"""What `mechane bench` reports of a scene that it steps."""
import unittest

from tests.cli.program import document


class Bench(unittest.TestCase):
    def test_a_report_has_every_figure_and_they_agree(self):
        """Speed three ways, rows, contacts, sweeps, time of the slowest steps, memory, gates and the final hash (DYN-151)."""
        report = document("bench", "ant", "--worlds", "2", "--nstep", "40", "--dt", "0.01", "--substeps", "2", "--json")
        self.assertEqual((report["worlds"], report["steps"], report["dt"], report["substeps"]), (2, 40, 0.01, 2))
        speed = report["steps_per_s"]
        self.assertGreater(speed, 0)
        self.assertAlmostEqual(report["us_per_step"] * speed, 1e6, delta=1)
        self.assertAlmostEqual(report["world_steps_per_s"], 2 * speed, delta=1e-6 * speed)
        self.assertAlmostEqual(report["real_time_factor"], 0.01 * speed, delta=1e-6 * speed)
        # The ants fall from 0.75 m and touch the ground within 0.4 s, or their limits do something.
        self.assertGreaterEqual(report["contacts_mean"], 0)
        self.assertGreaterEqual(report["rows_mean"], 0)
        self.assertGreater(report["sweeps_mean"], 0)
        self.assertGreaterEqual(report["sweeps_max"], report["sweeps_mean"])
        self.assertEqual((report["block_solves"], report["block_fallbacks"]), (0, 0))  # nothing in it is hard to solve
        self.assertGreater(report["us_per_step_p95"], 0)
        self.assertGreater(report["peak_mib"], 1)
        self.assertGreaterEqual(report["deepest_penetration"], 0)
        self.assertEqual(set(report["phases_ms"]) >= {"collide", "solve"}, True, report["phases_ms"])
        self.assertRegex(report["hash"], "^[0-9a-f]{16}$")


if __name__ == "__main__":
    unittest.main()
