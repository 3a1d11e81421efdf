"""Tasks in many worlds, and the environments of Gymnasium over them. What needs a package that is not installed says so and is skipped."""
import importlib.util
import os
import pathlib
import pickle
import subprocess
import sys

import mechane as mc
import mechane.gym
import numpy as np
import pytest
from mechane.gym import TASKS, Randomization, Terrain, Worlds, draws

ROOT = pathlib.Path(os.environ.get("MECHANE_SOURCE_DIR", pathlib.Path(__file__).parent.parent.parent))
needs_gymnasium = pytest.mark.skipif(importlib.util.find_spec("gymnasium") is None, reason="gymnasium is not installed")
TASK_NAMES = sorted(TASKS)


def run(worlds, steps, seed=3, scale=0.5):
    """Observations after steps with actions drawn from each world's own number."""
    seen = worlds.reset(seed)
    for k in range(steps):
        actions = scale * (2 * draws.uniforms(seed, 99, worlds.ids, np.full(worlds.count, k), worlds.task.action_size) - 1)
        seen, rewards, terminated, truncated = worlds.step(actions)
        assert seen.shape == (worlds.count, worlds.task.observation_size) and np.isfinite(seen).all() and np.isfinite(rewards).all()
        if (terminated | truncated).any():
            worlds.reset(mask=terminated | truncated)
    return seen


# -- random numbers


def test_draws_are_uniform_and_belong_to_their_world():
    """Mean 1/2 and variance 1/12 within five standard errors of 100,000 draws; a world's row is the same alone."""
    worlds, episodes = np.arange(1000), np.zeros(1000, int)
    u = draws.uniforms(7, 1, worlds, episodes, 100)
    n = u.size
    assert abs(u.mean() - 0.5) < 5 / np.sqrt(12 * n) and abs(u.var() - 1 / 12) < 5 * np.sqrt(1 / 180 / n)
    assert 0 <= u.min() and u.max() < 1
    np.testing.assert_array_equal(draws.uniforms(7, 1, worlds[17:18], episodes[:1], 100), u[17:18])
    for other in (draws.uniforms(8, 1, worlds, episodes, 100), draws.uniforms(7, 2, worlds, episodes, 100), draws.uniforms(7, 1, worlds, episodes + 1, 100)):
        assert abs(np.corrcoef(u.ravel(), other.ravel())[0, 1]) < 5 / np.sqrt(n)
    g = draws.normals(7, 1, worlds, episodes, 100)
    assert abs(g.mean()) < 5 / np.sqrt(n) and abs(g.var() - 1) < 5 * np.sqrt(2 / n)


# -- worlds


@pytest.mark.parametrize("name", TASK_NAMES)
def test_a_task_runs_and_its_sizes_are_what_it_says(name):
    run(Worlds(TASKS[name](), 5), 20)


@pytest.mark.parametrize("name", TASK_NAMES)
def test_equal_seeds_give_equal_bytes_and_other_seeds_do_not(name):
    a, b, c = (Worlds(TASKS[name](), 3) for _ in range(3))
    assert run(a, 10).tobytes() == run(b, 10).tobytes() and a.digest() == b.digest()
    assert run(c, 10, seed=4).tobytes() != run(a, 10).tobytes()


@pytest.mark.parametrize("name", TASK_NAMES)
def test_a_world_goes_the_same_way_whatever_stands_beside_it(name):
    """Worlds 4 and 5 of six, and the same numbers alone."""
    whole, part = Worlds(TASKS[name](), 6), Worlds(TASKS[name](), 2, first=4)
    together, alone = run(whole, 15), run(part, 15)
    np.testing.assert_array_equal(together[4:], alone)
    assert whole.digests()[4:] == part.digests()


def test_worlds_that_are_not_reset_go_on_with_the_same_bits():
    a, b = Worlds(TASKS["Ant"](), 4), Worlds(TASKS["Ant"](), 4)
    idle = np.zeros((4, 8))
    a.reset(1), b.reset(1)
    for k in range(12):
        a.step(idle), b.step(idle)
        if k == 5:
            b.reset(mask=[True, False, True, False])
    assert a.digests()[1::2] == b.digests()[1::2] and a.digests()[0] != b.digests()[0]


@pytest.mark.parametrize("name", TASK_NAMES)
def test_a_snapshot_goes_on_with_the_same_bits_in_other_worlds(name):
    settings = dict(randomization=Randomization(mass=(0.8, 1.2), friction=(0.5, 1.5), gains=(0.9, 1.1), delay=(0, 2)))
    a, b = Worlds(TASKS[name](), 3, **settings), Worlds(TASKS[name](), 3, **settings)
    run(a, 8)
    b.restore(a.snapshot())
    actions = np.full((3, a.task.action_size), 0.3)
    for _ in range(8):
        x, y = a.step(actions), b.step(actions)
        assert x[0].tobytes() == y[0].tobytes()
    assert a.digest() == b.digest()


def test_a_snapshot_is_data_and_is_refused_by_other_worlds():
    """Nothing of it is run: a pickle is no snapshot. Terrain, randomization and the numbers of the worlds must be the same."""
    class Trap:
        def __reduce__(self):
            return (pathlib.Path("trapped").touch, ())

    plain = Worlds(TASKS["Cartpole"](), 2)
    plain.reset(0)
    kept, before = plain.snapshot(), plain.digest()
    for wrong in (pickle.dumps(Trap()), pickle.dumps({"ages": [0, 0]}), b"", b"PK", kept[:-40], kept[:len(kept) // 2]):
        with pytest.raises(ValueError, match="snapshot"):
            plain.restore(wrong)
    assert plain.digest() == before and not pathlib.Path("trapped").exists()
    for other in (Worlds(TASKS["Cartpole"](), 3), Worlds(TASKS["Cartpole"](), 2, first=8), Worlds(TASKS["Cartpole"](), 2, randomization=Randomization(mass=(0.5, 2))),
                  Worlds(TASKS["Cartpole"](), 2, terrain=Terrain("waves"))):
        with pytest.raises(ValueError, match="of other worlds"):
            other.restore(kept)


def test_friction_is_randomized_at_rest_too():
    worlds = Worlds(TASKS["Go2Walk"](), 2, randomization=Randomization(friction=(0.1, 0.1)))
    worlds.reset(0)
    rows = worlds.shapes.ravel()
    assert np.array_equal(np.asarray(worlds.model.shape_material_mu)[rows], np.asarray(worlds.model.shape_material_mu_static)[rows])


def test_actions_are_cut_at_one_and_what_is_no_number_is_refused():
    a, b = Worlds(TASKS["Cartpole"](), 2), Worlds(TASKS["Cartpole"](), 2)
    a.reset(0), b.reset(0)
    assert a.step([[7.0], [-float("inf")]])[0].tobytes() == b.step([[1.0], [-1.0]])[0].tobytes()
    with pytest.raises(ValueError, match="actions: that of world 1"):
        a.step([[0.0], [float("nan")]])
    with pytest.raises(TypeError, match="terrain: expected Terrain"):
        Worlds(TASKS["Cartpole"](), 2, terrain="rough")
    with pytest.raises(TypeError, match="randomization: expected Randomization"):
        Worlds(TASKS["Cartpole"](), 2, randomization=dict(mass=(1, 2)))
    with pytest.raises(ValueError, match="actions: shape"):
        a.step(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="mask: shape"):
        a.reset(mask=[True])


def test_the_cart_moves_as_the_law_says():
    """No gravity on the cart's axis and a pole that hangs from it by a hinge: at upright rest the cart's first acceleration is
    F / (M + m - m l^2 / (l^2 + I/m) ...) = F / (M + m (1 - 3/4)) for a rod of I = m L^2 / 12 about its middle, l = L/2."""
    task = TASKS["Cartpole"]()
    task.dt = 1e-3
    w = Worlds(task, 1)
    w.reset(0)
    w.q[...], w.qd[...] = 0, 0
    mc.eval_fk(w.model, w.state.joint_q, w.state.joint_qd, w.state)
    w.step([[1.0]])
    # One step of 1 ms: the pole leans by less than 1e-5 rad, so gravity adds less than 1e-4 of it.
    assert w.qd[0, 0] / task.dt == pytest.approx(10.0 / (1.0 + 0.1 * 0.25), rel=2e-3)


def test_an_ant_stands_on_its_feet_at_rest():
    w = Worlds(TASKS["Ant"](), 2)
    w.reset(0)
    for _ in range(60):
        _, _, terminated, _ = w.step(np.zeros((2, 8)))
        assert not terminated.any()
    assert np.abs(w.body_qd[:, 0, :3]).max() < 0.1


def test_a_go2_stands_on_its_drives():
    """Three seconds without actions: the trunk stays level, between 0.2 and 0.4 m."""
    w = Worlds(TASKS["Go2Walk"](), 3)
    w.reset(5)
    for _ in range(150):
        _, _, terminated, _ = w.step(np.zeros((3, 12)))
        assert not terminated.any()
    height = w.task.height(w)
    assert (0.2 < height).all() and (height < 0.4).all()


def test_a_panda_follows_a_simple_law_to_its_goal():
    """Steps along the transposed Jacobian, found by differences, bring the hand within 2 cm in an episode."""
    w = Worlds(TASKS["PandaReach"](), 4)
    w.reset(2)
    before = np.linalg.norm(w.task.goal - w.task.hand(w), axis=1)

    def hand_at(q):
        kept = w.q.copy()
        w.q[...] = q
        mc.eval_fk(w.model, w.state.joint_q, w.state.joint_qd, w.state)
        at = w.task.hand(w)
        w.q[...] = kept
        mc.eval_fk(w.model, w.state.joint_q, w.state.joint_qd, w.state)
        return at

    best = before.copy()
    for _ in range(90):
        q, at = w.q.copy().astype(float), w.task.hand(w)
        jacobian = np.stack([(hand_at(q + 1e-3 * np.eye(7)[k]) - at) / 1e-3 for k in range(7)], axis=2)
        error = w.task.goal - at
        step = np.einsum("wij,wi->wj", jacobian, np.linalg.solve(np.einsum("wij,wkj->wik", jacobian, jacobian) + 1e-3 * np.eye(3), error[:, :, None])[:, :, 0])
        w.step(np.clip(step / 0.05 * 0.5, -1, 1))
        best = np.minimum(best, np.linalg.norm(w.task.goal - w.task.hand(w), axis=1))
    assert (best < 0.02).all(), best


# -- what may differ


def test_randomised_masses_frictions_gains_and_delays_are_within_their_ranges_and_come_back():
    chosen = Randomization(mass=(0.5, 2.0), friction=(0.3, 0.9), gains=(0.7, 1.3), delay=(1, 3))
    w, plain = Worlds(TASKS["Go2Walk"](), 16, randomization=chosen), Worlds(TASKS["Go2Walk"](), 1)
    w.reset(9)
    mass = np.array(w.model.body_mass)[w.bodies] / np.array(plain.model.body_mass)[plain.bodies]
    assert 0.5 <= mass.min() < 0.7 and 1.7 < mass.max() <= 2.0
    np.testing.assert_allclose(np.array(w.model.body_mass) * np.array(w.model.body_inv_mass), 1, rtol=1e-5)
    mu = np.array(w.model.shape_material_mu)[w.shapes]
    assert 0.3 <= mu.min() and mu.max() <= 0.9 and np.ptp(mu, axis=1).max() == 0 and len(np.unique(mu)) == 16
    gain = np.array(w.model.joint_target_ke)[w.dofs][:, 6:] / 25.0
    assert 0.7 <= gain.min() and gain.max() <= 1.3
    assert set(w.randomizer.delay) <= {1, 2, 3} and len(set(w.randomizer.delay)) > 1
    first = mass.copy()
    w.reset()
    w.reset(9)
    np.testing.assert_array_equal(np.array(w.model.body_mass)[w.bodies] / np.array(plain.model.body_mass)[plain.bodies], first)


def test_a_delayed_action_arrives_that_many_steps_later():
    late, now = Worlds(TASKS["Cartpole"](), 1, randomization=Randomization(delay=(2, 2))), Worlds(TASKS["Cartpole"](), 1)
    late.reset(0), now.reset(0)
    for k in range(4):
        late.step([[1.0]])
        now.step([[0.0 if k < 2 else 1.0]])
    assert late.q.tobytes() == now.q.tobytes()


def test_a_push_adds_its_velocity_at_its_time():
    chosen = Randomization(push_every=5, push_speed=2.0)
    pushed, calm = Worlds(TASKS["Cartpole"](), 200, randomization=chosen), Worlds(TASKS["Cartpole"](), 200)
    pushed.reset(0), calm.reset(0)
    for k in range(6):
        pushed.step(np.zeros((200, 1))), calm.step(np.zeros((200, 1)))
        assert (np.abs(pushed.qd - calm.qd).max() > 0) == (k == 5)
    kick = (pushed.qd - calm.qd)[:, 0]
    assert abs(kick.mean()) < 5 * 2.0 / np.sqrt(200) and kick.std() == pytest.approx(2.0, rel=0.3)  # five and six standard errors


@pytest.mark.parametrize("kind", ["flat", "rough", "waves", "slope", "stairs"])
def test_a_ball_rests_on_the_height_that_the_terrain_says(kind):
    """At rest the lowest point of a small ball is on the ground: within its radius's change by the local slope and the contact's softness."""
    terrain = Terrain(kind, height=0.1, size=8.0, cell=0.2, seed=1)
    b = mc.ModelBuilder()
    terrain.add_to(b, mu=1.0)
    spots = [(0.3, 0.3), (-1.25, 0.85), (2.0, -2.1)]
    for x, y in spots:
        body = b.add_body(xform=(x, y, float(terrain.heights(x, y)) + 0.05, 0, 0, 0, 1))
        b.add_shape_sphere(body, radius=0.02, cfg=mc.ModelBuilder.ShapeConfig(mu=5.0, mu_rolling=0.5))
    m = b.finalize()
    s = m.state()
    mc.solvers.SolverSoftStep(m).rollout(s, 100, 0.01)
    at = np.asarray(s.body_q)[:, :3]
    assert (at[:, 2] - terrain.heights(at[:, 0], at[:, 1]) < 0.06).all() and (at[:, 2] - terrain.heights(at[:, 0], at[:, 1]) > 0.0).all()


def test_walkers_start_above_a_rough_ground_at_many_places():
    w = Worlds(TASKS["Go2Walk"](), 8, terrain=Terrain("rough", height=0.06, size=20.0))
    w.reset(1)
    assert len(np.unique(w.q[:, 0])) == 8 and np.ptp(w.q[:, 0]) > 1
    for _ in range(50):
        _, _, terminated, _ = w.step(np.zeros((8, 12)))
    assert not terminated.any()


@pytest.mark.parametrize("wrong", [dict(mass=(2.0, 1.0)), dict(mass=(0.0, 1.0)), dict(delay=(-1, 0)), dict(push_speed=-1.0), dict(push_speed=1.0), dict(push_every=3), dict(friction=(0.5, float("inf")))])
def test_impossible_ranges_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Randomization(**wrong)


@pytest.mark.parametrize("wrong", [dict(delay=(0.0, 1.5)), dict(delay=(0, 2.0)), dict(push_every=2.5)])
def test_steps_are_counted_in_whole_numbers(wrong):
    with pytest.raises(TypeError, match=f"{next(iter(wrong))}: expected a whole number"):
        Randomization(**wrong)
    assert Randomization(delay=(np.int64(0), np.int64(2))).delay == (0, 2)


@pytest.mark.parametrize("wrong", [("hills", {}), ("rough", dict(height=-1)), ("rough", dict(cell=0))])
def test_impossible_terrains_are_refused(wrong):
    with pytest.raises(ValueError):
        Terrain(wrong[0], **wrong[1])


# -- learning without any package


def test_a_linear_policy_learns_to_balance_by_random_search():
    """From below 60 steps to more than three times as many; equal seeds give equal curves."""
    sys.path.insert(0, str(ROOT / "samples" / "gym"))
    try:
        import search
    finally:
        sys.path.pop(0)
    _, curve = search.search(iterations=12, steps=300, say=lambda _: None)
    assert curve[0] < 60 and curve[-1] > 180, curve
    assert search.search(iterations=3, steps=300, say=lambda _: None)[1] == curve[:3]


# -- Gymnasium


def test_without_gymnasium_the_package_imports_and_says_what_is_missing():
    code = ("import sys; sys.modules['gymnasium'] = None\nimport mechane.gym as g\nprint(g.Worlds(g.Cartpole(), 1).reset(0).shape)\n"
            "for name in ('TaskEnv', 'TaskVectorEnv'):\n    try: getattr(g, name)\n    except ImportError as e: print(e.code)\n"
            "try: g.register()\nexcept ImportError as e: print('pip install' in str(e))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split("\n")[:4] == ["(1, 4)", "PYTHON_OPTIONAL_PACKAGE", "PYTHON_OPTIONAL_PACKAGE", "True"], done.stderr


@needs_gymnasium
@pytest.mark.parametrize("name", TASK_NAMES)
def test_gymnasiums_own_checker_passes(name):
    import warnings

    import gymnasium
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make(f"mechane/{name}-v0", render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(infinity|Not able to test alternative render modes).*")
        check_env(env.unwrapped)
    env.close()


@needs_gymnasium
@pytest.mark.parametrize("name", ["Ant", "Humanoid"])
def test_info_names_the_terms_of_the_reward_and_where_the_walker_is(name):
    """As Gymnasium's walkers: the terms sum to the reward, and the place along x is what its velocity has summed to."""
    import gymnasium

    envs = gymnasium.make_vec(f"mechane/{name}-v0", num_envs=3, vectorization_mode="vector_entry_point")
    envs.reset(seed=1)
    begin = envs.worlds.body_q[:, 0, 0].astype(float)
    step = envs.worlds.task.dt * envs.worlds.task.frames
    for _ in range(5):
        _, rewards, _, _, info = envs.step(np.full((3, envs.worlds.task.action_size), 0.3))
        assert np.allclose(rewards, info["reward_forward"] + info["reward_ctrl"] + info["reward_survive"], atol=1e-6)
        begin = begin + step * info["x_velocity"]
        assert np.allclose(info["x_position"], begin, atol=1e-5) and info["_x_position"].all()
    single = gymnasium.make(f"mechane/{name}-v0")
    single.reset(seed=1)
    _, reward, _, _, info = single.step(np.zeros(single.action_space.shape))
    assert isinstance(info["x_position"], float) and abs(reward - info["reward_forward"] - info["reward_ctrl"] - info["reward_survive"]) < 1e-6


@needs_gymnasium
@pytest.mark.parametrize("name", TASK_NAMES)
def test_vector_environments_give_what_their_spaces_say(name):
    import gymnasium

    envs = gymnasium.make_vec(f"mechane/{name}-v0", num_envs=3, vectorization_mode="vector_entry_point")
    seen, info = envs.reset(seed=1)
    assert seen in envs.observation_space and info == {}
    envs.action_space.seed(0)
    for _ in range(5):
        seen, rewards, terminated, truncated, info = envs.step(envs.action_space.sample())
        assert seen in envs.observation_space and rewards.shape == terminated.shape == truncated.shape == (3,) and terminated.dtype == truncated.dtype == bool
    envs.close()


@needs_gymnasium
def test_a_vector_environment_is_its_single_environments_side_by_side():
    import gymnasium

    envs = gymnasium.make_vec("mechane/Cartpole-v0", num_envs=2, vectorization_mode="vector_entry_point")
    one = gymnasium.make("mechane/Cartpole-v0")
    many, alone = envs.reset(seed=5)[0], one.reset(seed=5)[0]
    np.testing.assert_array_equal(many[0], alone)
    for _ in range(10):
        many, alone = envs.step(np.full((2, 1), 0.2, np.float32))[0], one.step(np.full(1, 0.2, np.float32))[0]
        np.testing.assert_array_equal(many[0], alone)


def fallen(mode):
    """A vector environment whose carts are pushed until an episode ends: (environment, last answer, which ended)."""
    from mechane.gym import TaskVectorEnv

    envs = TaskVectorEnv(3, "Cartpole", autoreset_mode=mode)
    envs.reset(seed=0)
    actions = np.array([[1.0], [1.0], [0.0]], np.float32)
    for _ in range(200):
        answer = envs.step(actions)
        if answer[2].any():
            return envs, answer, answer[2]
    raise AssertionError("no pole fell")


@needs_gymnasium
def test_next_step_resets_at_the_next_step_and_ignores_its_action():
    from gymnasium.vector import AutoresetMode

    envs, (seen, *_), ended = fallen(AutoresetMode.NEXT_STEP)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert (np.abs(seen[ended, 2]) > 0.2).all()
    again, rewards, terminated, truncated, _ = envs.step(np.ones((3, 1), np.float32))
    assert (np.abs(again[ended]) < 0.06).all() and (rewards[ended] == 0).all() and not terminated[ended].any() and not truncated[ended].any()
    assert (rewards[~ended] == 1).all()
    other, _, _, _, _ = envs.step(np.zeros((3, 1), np.float32))
    assert (other[ended] != again[ended]).any()


@needs_gymnasium
def test_same_step_resets_at_once_and_keeps_the_last_observation():
    envs, (seen, rewards, terminated, _, info), ended = fallen("SameStep")
    assert (np.abs(seen[ended]) < 0.06).all() and (rewards == 1).all()
    assert (info["_final_obs"] == ended).all()
    for i in np.flatnonzero(ended):
        assert abs(info["final_obs"][i][2]) > 0.2


@needs_gymnasium
def test_disabled_resets_those_that_are_named():
    envs, (seen, *_), ended = fallen("Disabled")
    with pytest.raises(ValueError, match="reset_mask"):
        envs.step(np.zeros((3, 1), np.float32))
    again, _ = envs.reset(options={"reset_mask": ended})
    assert (np.abs(again[ended]) < 0.06).all()
    np.testing.assert_array_equal(again[~ended], seen[~ended])
    envs.step(np.zeros((3, 1), np.float32))


@needs_gymnasium
def test_what_was_handed_out_stays_as_it_was():
    from mechane.gym import TaskVectorEnv

    envs = TaskVectorEnv(2, "Ant")
    first, _ = envs.reset(seed=0)
    kept = first.copy()
    envs.step(np.ones((2, 8), np.float32))
    np.testing.assert_array_equal(first, kept)


@needs_gymnasium
def test_torch_and_jax_see_the_same_memory():
    from mechane.gym.vector import handed_out
    from mechane.gym.worlds import aligned

    array = aligned((5, 3), np.float32)
    array[...] = np.arange(15).reshape(5, 3)
    assert array.ctypes.data % 64 == 0
    if importlib.util.find_spec("torch"):
        tensor = handed_out("torch")(array)
        array[2, 1] = 77
        assert float(tensor[2, 1]) == 77 and tensor.data_ptr() == array.ctypes.data
    if importlib.util.find_spec("jax"):
        assert handed_out("jax")(array).unsafe_buffer_pointer() == array.ctypes.data
    if not (importlib.util.find_spec("torch") or importlib.util.find_spec("jax")):
        pytest.skip("neither torch nor jax is installed")


@needs_gymnasium
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_ppo_learns_on_a_short_run(tmp_path):
    """30,000 steps of cartpole: the mean return more than doubles."""
    sys.path.insert(0, str(ROOT / "samples" / "gym"))
    try:
        import ppo
    finally:
        sys.path.pop(0)
    agent, normal, curve = ppo.train("Cartpole", 60_000, say=lambda _: None)
    early = next(mean for _, _, mean in curve if mean == mean)
    assert curve[-1][2] > 2 * early, curve
    # What is saved acts again, better than the beginning, and its recording is a page.
    import torch
    torch.save({"agent": agent.state_dict(), "mean": normal.mean, "variance": normal.variance}, tmp_path / "cartpole.pt")
    assert ppo.play("Cartpole", tmp_path / "cartpole.pt", tmp_path / "cartpole.html", say=lambda _: None) > early
    assert (tmp_path / "cartpole.html").stat().st_size > 10_000


def test_worlds_are_stepped_by_a_device_or_say_why_not(monkeypatch):
    """`host` runs the GPU's kernels on the processor: the cart goes the same way, to single precision"""
    import mechane.gym as gym

    runs = []
    for device in (None, "host"):
        worlds = gym.Worlds(gym.Cartpole(), 3, device=device)
        worlds.reset(seed=1)
        for _ in range(5):
            seen = worlds.step(np.full((3, 1), 0.3))[0]
        runs.append(seen)
    np.testing.assert_allclose(runs[0], runs[1], atol=2e-3)
    monkeypatch.setenv("MECHANE_CUDA_DRIVER", "/nowhere/libcuda.so.1")
    with pytest.raises(NotImplementedError, match="/nowhere/libcuda.so.1"):
        gym.Worlds(gym.Cartpole(), 3, device="cuda")
    with pytest.raises(ValueError, match="gpux"):
        gym.Worlds(gym.Cartpole(), 3, device="gpux")


@needs_gymnasium
def test_unknown_words_are_refused():
    from mechane.gym import TaskVectorEnv

    for wrong in (dict(task="Chess"), dict(arrays="tf"), dict(render_mode="human"), dict(terrain="moon"), dict(randomization={"mass": (3, 1)})):
        with pytest.raises(ValueError):
            TaskVectorEnv(1, **wrong)


# -- what a task and its caller may get wrong


def test_a_seed_for_each_world():
    """A world goes as the only one of a run with that seed would; equal seeds begin equally, and all bits of a long one count"""
    many, one = Worlds(TASKS["Go2Walk"](), 3), Worlds(TASKS["Go2Walk"](), 1)
    seen = many.reset([5, 5, 2**70 + 5])
    assert np.array_equal(seen[0], one.reset(5)[0]) and np.array_equal(seen[0], seen[1]) and not np.array_equal(seen[0], seen[2])
    assert np.array_equal(seen[2], one.reset(2**70 + 5)[0])
    kept, actions = many.snapshot(), np.full((3, 12), 0.1)
    after = many.step(actions)[0]
    again = Worlds(TASKS["Go2Walk"](), 3)
    again.restore(kept)
    assert np.array_equal(again.step(actions)[0], after) and np.array_equal(again.reset(mask=[True] * 3), many.reset(mask=[True] * 3))
    for seed, kind, text in (([1, 2], ValueError, "seed: 2 numbers, expected one, or one for each of 3 worlds"), (-1, ValueError, "seed is -1"), ([1, 2, -3], ValueError, "seed is -3"),
                             (1.5, TypeError, "seed: expected a whole number, not 1.5"), ([1, 2, "a"], TypeError, "seed: expected a whole number"), (True, TypeError, "seed: expected")):
        with pytest.raises(kind, match=text):
            many.reset(seed)


class Odd(TASKS["Cartpole"]):
    """Answers of another form."""

    def __init__(self, rewards=None, ends=None, seen=None):
        super().__init__()
        self.odd = rewards, ends, seen

    def judge(self, w, actions):
        rewards, ends = super().judge(w, actions)
        return (rewards if self.odd[0] is None else self.odd[0](rewards)), (ends if self.odd[1] is None else self.odd[1](ends))

    def observe(self, w):
        seen = super().observe(w)
        return seen if self.odd[2] is None else self.odd[2](seen)


def column(values):
    return values[:, None]


@pytest.mark.parametrize("odd, text", [({"rewards": column}, r"judge\(\): rewards of shape \(3, 1\), expected \(3,\)"), ({"ends": column}, r"judge\(\): ends of shape"),
                                       ({"seen": lambda seen: seen[:, :1]}, r"observe\(\): shape \(3, 1\), expected \(3, ")])
def test_shapes_of_a_task_are_checked(odd, text):
    w = Worlds(Odd(**odd), 3)
    with pytest.raises(ValueError, match=text) as raised:
        w.reset(0)
        w.step(np.zeros((3, 1)))
    assert raised.value.code == "PYTHON_TASK"


def test_a_reward_that_is_no_number_ends_the_episode_of_its_world():
    w = Worlds(Odd(rewards=lambda r: np.where(np.arange(3) == 1, np.nan, r)), 3)
    w.reset(0)
    with pytest.warns(mc.MechaneWarning, match=r"PYTHON_TASK: Odd.judge\(\) gives nan as the reward of world 1"):
        _, rewards, terminated, truncated = w.step(np.zeros((3, 1)))
    assert terminated.tolist() == [False, True, False] and not truncated.any() and rewards[1] == 0 and np.isfinite(rewards).all()


def test_a_world_whose_simulation_fails_ends():
    """The solver leaves it where it was, from where it would fail for ever"""
    class Torn(TASKS["Cartpole"]):
        def act(self, w, actions):
            w.force[:, 0] = np.where(actions[:, 0] > 0.5, 1e30, 0.0)

    w = Worlds(Torn(), 3)
    w.reset(0)
    with pytest.warns(mc.MechaneWarning, match="SOLVER_DIVERGED"):
        _, rewards, terminated, _ = w.step([[0.0], [1.0], [0.0]])
    assert terminated.tolist() == [False, True, False] and rewards[1] == 0
    w.reset(mask=terminated)
    assert not w.step(np.zeros((3, 1)))[2].any()
    one = Worlds(Torn(), 1)
    one.reset(0)
    with pytest.warns(mc.MechaneWarning, match="SOLVER_DIVERGED"):
        assert one.step([[1.0]])[2].all()


def test_counts_are_whole_and_a_step_comes_after_a_reset():
    for count in (1.5, "3", True, None):
        with pytest.raises(TypeError, match="count: expected a whole number"):
            Worlds(TASKS["Cartpole"](), count)
    with pytest.raises(RuntimeError, match="world 0 was never started") as raised:
        Worlds(TASKS["Cartpole"](), 2).step(np.zeros((2, 1)))
    assert raised.value.code == "PYTHON_WORLDS_RESET"


@needs_gymnasium
def test_environments_take_a_seed_each_and_want_a_reset_first():
    import gymnasium
    from mechane.gym import TaskEnv, TaskVectorEnv

    with pytest.raises(TypeError, match="num_envs: expected a whole number, not 1.5"):
        TaskVectorEnv(1.5, "Cartpole")
    envs, one = TaskVectorEnv(3, "Cartpole"), TaskEnv("Cartpole")
    for env, action in ((envs, np.zeros((3, 1))), (one, np.zeros(1))):
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(action)
    seen, _ = envs.reset(seed=[4, 8, 4])
    assert np.array_equal(seen[0], one.reset(seed=4)[0]) and np.array_equal(seen[1], one.reset(seed=8)[0]) and np.array_equal(seen[0], seen[2])
    with pytest.raises(ValueError, match="seed: 2 numbers"):
        envs.reset(seed=[1, 2])
    first, second = envs.reset(seed=[4, None, None])[0], envs.reset(seed=[4, None, None])[0]  # chance, drawn from what is given
    assert np.array_equal(first, second) and not np.array_equal(first[1], first[2])
