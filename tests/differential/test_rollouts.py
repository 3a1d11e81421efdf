"""Real robots and examples simulate well: finite, closed joints, no deep contact at rest, nothing tunnels, equal bytes."""
import sys
import unittest

from tests.cli.program import corpus
from tests.differential import stages


@unittest.skipUnless(corpus(), "skipped: no corpus")
class Rollouts(unittest.TestCase):
    def test_each_stage(self):
        for path, options in stages.stages():
            with self.subTest(str(path.relative_to(corpus()))):
                run = stages.simulate(path, options)
                self.assertEqual(run["steps"], 120)
                for frame in run["frames"]:
                    self.assertTrue(stages.finite(frame["body_q"]) and stages.finite(frame["body_qd"]) and stages.finite(frame["joint_q"]))
                model = stages.model_of(path, options)
                gaps = [stages.joint_gaps(model, frame["body_q"]) for frame in run["frames"]]
                tree, loop = max(g[0] for g in gaps), max(g[1] for g in gaps)
                figures = (f"tree {tree:.2e} m, loop {loop:.2e} m, penetration {run['report']['final_penetration']:.2e} m at the end, "
                           f"{run['report']['deepest_penetration']:.2e} m worst")
                print(f"{path.name}: {figures}", file=sys.stderr)
                self.assertLess(tree, 1e-5, figures)
                self.assertLess(loop, 1e-4, figures)
                self.assertLess(run["report"]["final_penetration"], 5e-3, figures)
                # parts of a robot may overlap as authored, not deeper; 0.1 mm is the contact's own softness
                self.assertLess(run["report"]["final_overlap"], run["report"]["start_overlap"] + 1e-4, figures)
                lowest = min(min(pose[2] for pose in frame["body_q"]) for frame in run["frames"])
                self.assertGreater(lowest, -100, "something fell out of the scene")

    def test_hashes_do_not_depend_on_threads_or_runs(self):
        for path, options in stages.stages():
            with self.subTest(str(path.relative_to(corpus()))):
                hashes = {stages.simulate(path, options, frames=60, threads=threads)["hash"] for threads in (1, 2, 2)}
                self.assertEqual(len(hashes), 1)


if __name__ == "__main__":
    unittest.main()
