"""Work on a local cluster of Ray with several processes, of which some are killed. Skipped where ray is not installed."""
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest

HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="ray is not installed")
ROOT = pathlib.Path(os.environ.get("MECHANE_SOURCE_DIR", pathlib.Path(__file__).parent.parent.parent))


def test_without_ray_the_package_says_what_is_missing():
    code = ("import sys; sys.modules['ray'] = None\nimport mechane.distributed as d\nprint(d.grid(a=[1, 2], b=[3]))\n"
            "try: d.rollout('Cartpole', 2, 1)\nexcept ImportError as e: print(e.code, 'pip install' in str(e))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == ["[{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]", "PYTHON_OPTIONAL_PACKAGE True"], done.stderr


@pytest.mark.parametrize("count, parts", [(1, 1), (10, 3), (3, 10), (64, 8)])
def test_spans_cover_everything_once(count, parts):
    from mechane.distributed.cluster import spans

    cut = spans(count, parts)
    assert [k for a, b in cut for k in range(a, b)] == list(range(count)) and len(cut) == min(count, parts)
    lengths = [b - a for a, b in cut]
    assert max(lengths) - min(lengths) <= 1


@pytest.fixture(scope="module")
def ray():
    if not HAS_RAY:
        pytest.skip("ray is not installed")
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    for attempt in range(3):  # Ray gives its processes half a minute to start, which a machine that does much else may not have
        try:
            ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, configure_logging=False, object_store_memory=100_000_000)
            break
        except Exception as failure:
            ray.shutdown()
            if "during startup" not in str(failure):
                raise
            if attempt == 2:
                pytest.skip(f"Ray does not start here in its own time: {failure}")
    yield ray
    ray.shutdown()


def local(task, count, steps, seed):
    from mechane.gym.making import worlds_of

    w = worlds_of(task, count)
    w.reset(seed)
    for _ in range(steps):
        w.step(np.zeros((count, w.task.action_size)))
    return w


def test_a_rollout_in_parts_has_the_hash_of_one_process(ray):
    from mechane import distributed

    expected = local("Ant", 6, 10, 3)
    for parts in (1, 3):
        got = distributed.rollout("Ant", 6, 10, parts=parts, seed=3)
        assert got.digest == expected.digest()
        np.testing.assert_array_equal(got.joint_q, expected.q)
    assert distributed.rollout("Ant", 6, 10, parts=2, seed=4).digest != expected.digest()


def killing(marker):
    """A policy that ends its process once, in the middle of a part: whoever makes the file first does it. Defined here so that it travels by value."""
    class KillsItself:
        def __init__(self):
            self.calls = 0

        def __call__(self, seen):
            import numpy as np

            self.calls += 1
            if self.calls == 5:
                try:
                    os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    pass
                else:
                    os.kill(os.getpid(), signal.SIGKILL)
            return np.zeros((len(seen), 1))

    return KillsItself()


def test_a_worker_that_is_killed_is_replaced_and_the_hash_is_the_same(ray, tmp_path):
    from mechane import distributed

    expected = local("Cartpole", 6, 12, 1).digest()
    marker = tmp_path / "killed"
    got = distributed.rollout("Cartpole", 6, 12, parts=3, seed=1, policy=killing(str(marker)))
    assert marker.exists() and got.digest == expected


def test_environments_go_on_with_the_same_bits_after_an_actor_was_killed(ray):
    """Killed twice: before the first snapshot, and after one."""
    from mechane.distributed import DistributedWorlds

    task, count = "Go2Walk", 5
    settings = dict(randomization=dict(mass=(0.9, 1.1), delay=(0, 1)))
    from mechane.gym.making import worlds_of
    one = worlds_of(task, count, **settings)
    random = np.random.default_rng(0)
    with DistributedWorlds(task, count, workers=2, keep=4, **settings) as many:
        np.testing.assert_array_equal(many.reset(seed=7), one.reset(7))
        for k in range(12):
            if k in (2, 9):
                os.kill(many.processes()[k % 2], signal.SIGKILL)
            actions = random.uniform(-1, 1, (count, 12))
            a, b = many.step(actions), one.step(actions)
            for x, y in zip(a, b):
                np.testing.assert_array_equal(x, y)
            ended = b[2] | b[3]
            if ended.any():
                np.testing.assert_array_equal(many.reset(mask=ended), one.reset(mask=ended))
        assert many.digest() == one.digest() and many.replaced == 2


def test_a_sweep_has_a_row_for_each_setting_in_order(ray):
    from mechane import distributed

    def period(length, gravity):
        return {"period": float(2 * np.pi * np.sqrt(length / gravity))}

    settings = distributed.grid(length=[0.5, 1.0], gravity=[9.81, 1.62])
    got = distributed.sweep(period, settings)
    assert [row["period"] for row in got.rows()] == [period(**s)["period"] for s in settings]
    assert got.digest == distributed.sweep(period, settings).digest
    with pytest.raises(ZeroDivisionError):
        distributed.sweep(lambda x: 1 / x, distributed.grid(x=[0]))


@pytest.fixture
def library(tmp_path):
    """Three assets: one good, one with findings, one that is no stage."""
    from mechane.testing import fixture_stage

    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "plain.usda").write_bytes(fixture_stage('def Xform "robot" {}'))
    (tmp_path / "a" / "inches.usda").write_bytes(fixture_stage('def Xform "robot" {}', meters_per_unit=0.0254))
    (tmp_path / "broken.usda").write_text("#usda 1.0\ndef {")
    (tmp_path / "readme.txt").write_text("no stage")
    return tmp_path


def test_folders_are_checked_as_one_process_would(ray, library):
    import mechane as mc
    from mechane import distributed

    report = distributed.check(library, batch=1)
    names = [os.path.relpath(row["file"], library) for row in report.rows]
    assert names == ["a/inches.usda", "a/plain.usda", "broken.usda"]
    inches = mc.conformance.check(str(library / "a" / "inches.usda"))
    assert report.rows[0]["error"] == inches.counts["error"] and "1.1" in report.rows[0]["rules"]
    assert report.rows[2]["outcome"] == "unreadable" and not report
    assert report.digest == distributed.check(library, batch=3).digest
    with pytest.raises(ValueError, match="no stage"):
        distributed.check(library / "nothing-here" if (library / "nothing-here").mkdir() is None else None)


def test_ray_data_streams_the_same_verdicts(ray, library):
    pytest.importorskip("pyarrow")
    from mechane import distributed

    rows = sorted(distributed.dataset(library, batch=2).take_all(), key=lambda row: row["file"])
    assert rows == distributed.check(library).rows
