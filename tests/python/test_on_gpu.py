"""What the Python module does on a GPU: `make test-cuda` runs it, where it fails without one; elsewhere it says that it skips."""
import os
import unittest

import numpy as np

import mechane as mc


def absent():
    try:
        mc.device_info("cuda")
        return ""
    except mc.NotSupportedError as missing:
        return str(missing)


def dogs(worlds, device):
    from tests.python.test_device import dogs as made

    return made(worlds, device)


class OnGpu(unittest.TestCase):
    def setUp(self):
        missing = absent()
        if missing and "MECHANE_TEST_CUDA" in os.environ:
            self.fail(missing)
        if missing:
            self.skipTest("skipped: no CUDA device")

    def test_steps_are_those_of_the_host_and_the_same_from_run_to_run(self):
        model, host = dogs(64, "cuda"), dogs(64, "host")
        ends = []
        for which in (model, host, model):
            solver, state = mc.solvers.SolverSoftStep(which), which.state()
            for _ in range(200):
                solver.step(state, state, None, None, 1 / 200)
            ends.append(state.joint_q.numpy())
            self.assertFalse(solver.device_report()["diverged"])
        self.assertLess(np.abs(ends[0] - ends[1]).max(), 1e-3)
        self.assertTrue(np.array_equal(ends[0], ends[2]))

    def test_a_graph_of_the_driver_gives_the_bits_of_the_loop(self):
        model = dogs(16, "cuda")
        contacts, ends, times = model.contacts(), [], []
        for captured in (False, True):
            solver, a, b = mc.solvers.SolverSoftStep(model), model.state(), model.state()

            def two():
                model.collide(a, contacts)
                solver.step(a, b, None, contacts, 1 / 200)
                solver.step(b, a, None, contacts, 1 / 200)

            if captured:
                with mc.capture() as scope:
                    two()
                for _ in range(50):
                    scope.graph.launch()
                self.assertEqual(scope.graph.kind, "cuda")
            else:
                for _ in range(50):
                    two()
            ends.append(a.joint_q.numpy())
            times.append(a.time)
        self.assertTrue(np.array_equal(*ends))
        self.assertAlmostEqual(times[0], times[1])

    def test_pytorch_shares_states_without_a_copy(self):
        try:
            import torch
        except ImportError:
            self.skipTest("skipped: no PyTorch")
        model = dogs(4, "cuda")
        solver, state = mc.solvers.SolverSoftStep(model), model.state()
        q = torch.from_dlpack(state.joint_q)
        self.assertEqual((q.data_ptr(), q.is_cuda, torch.as_tensor(state.joint_q, device="cuda").data_ptr()), (state.joint_q.ptr, True, state.joint_q.ptr))
        q.view(4, -1)[:, 0] += 2.0
        solver.step(state, state, None, None, 1e-3)
        self.assertTrue(np.allclose(state.joint_q.numpy().reshape(4, -1)[:, 0], 2.0, atol=1e-2))
        self.assertTrue(bool((q.view(4, -1)[:, 2] == torch.from_numpy(state.joint_q.numpy()).cuda().view(4, -1)[:, 2]).all()))


if __name__ == "__main__":
    unittest.main()
