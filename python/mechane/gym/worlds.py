"""Many worlds of one task in step: what the environments of Gymnasium are made of. NumPy alone is needed here."""
from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import Any

import numpy as np

from ..core.arguments import whole
from ..core.array import plain
from ..core.device_array import device_name
from ..core.diagnostics import error, kind_of, warn
from ..core.enums import StateFlags
from ..model.builder import ModelBuilder
from ..model.contacts import CollisionPipeline
from ..model.dynamics import eval_fk
from ..solvers import SolverSoftStep
from .draws import folded, uniforms
from .randomization import Randomization, Randomizer
from .task import Task
from .terrain import Terrain

__all__ = ["Worlds", "digest_of"]

_SPOT, _START = 1, 2  # streams of random numbers


_STATE = ("joint_q", "joint_qd", "body_q", "body_qd", "body_f")


def digest_of(digests: list[str]) -> str:
    """One digest of many, which depends on their order."""
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def aligned(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """A new array that begins at a multiple of 64 bytes, which JAX asks of memory that it does not copy."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.empty(size + 64, np.uint8)
    begin = -raw.ctypes.data % 64
    return raw[begin:begin + size].view(dtype).reshape(shape)


class Worlds:
    """Copies of a task's robot, each in a world of its own, which get actions and give observations as rows of arrays.

    @param task           what is to be learned
    @param count          number of worlds
    @param terrain        ground; flat if None
    @param randomization  what differs from world to world; nothing if None
    @param first          number of the first world: worlds `first` to `first + count` of a larger run, with the same numbers as there
    @param device         what steps the worlds: None or "cpu"; "cuda", "cuda:N"; "host", the GPU's kernels on the CPU. Observations and actions are in the
        processor's memory all the same: states travel there and back at every step
    @raises NotImplementedError  DEV_UNAVAILABLE: there is no such device; DEV_NOT_SUPPORTED: the task has what a device does not honour
    """

    def __init__(self, task: Task, count: int, *, terrain: Terrain | None = None, randomization: Randomization | None = None, first: int = 0, device: Any = None):
        count, first = whole("count", count), whole("first", first)
        if count < 1 or first < 0:
            raise kind_of(ValueError)(f"count is {count}, first {first}; expected at least 1 and 0", "PYTHON_ARG_NUMBER")
        for name, value, kind in (("terrain", terrain, Terrain), ("randomization", randomization, Randomization)):
            if value is not None and not isinstance(value, kind):
                raise kind_of(TypeError)(f"{name}: expected {kind.__name__}(...) or None, not {value!r}", "PYTHON_ARG_TYPE")
        self.task, self.count, self.terrain = task, count, Terrain("flat") if terrain is None else terrain
        self.ids = np.arange(first, first + count, dtype=np.int64)
        one, many = ModelBuilder(), ModelBuilder()
        task.build(one)
        if task.on_ground:
            self.terrain.add_to(many, task.ground_friction)
        many.replicate(one, count)
        self.model = many.finalize()
        stepped = self.model.to(device_name(device))  # with the same arrays
        self.device = str(stepped.device)
        self.solver = SolverSoftStep(stepped, substeps=task.substeps)
        self.state, self.control = self.model.state(), self.model.control()
        self.pipeline = CollisionPipeline(self.model)
        self.contacts = self.pipeline.contacts()
        self._columns()
        self.seed = 0
        self.seeds = np.zeros(count, np.uint64)  #: of each world
        self.streams = self.ids.copy()  #: which of a seed's sequences a world draws from
        self.episodes = np.full(count, -1, np.int64)
        self.ages = np.zeros(count, np.int64)
        self._mask = np.zeros(count + 1, bool)
        self.randomizer = Randomizer(Randomization() if randomization is None else randomization, self)
        most = self.randomizer.chosen.delay[1]
        self._late = np.zeros((most + 1, count, task.action_size), np.float64) if most else None
        self.last_actions = np.zeros((count, task.action_size))
        task.bind(self)

    def _columns(self) -> None:
        """Each world's rows of the model's arrays; what is static belongs to none."""
        m, n = self.model, self.count

        def rows(world: Any) -> np.ndarray:
            return np.flatnonzero(np.asarray(world) >= 0).reshape(n, -1)

        self.bodies = rows(m.body_world)
        joints = np.asarray(m.joint_world)
        self.coords = rows(np.repeat(joints, np.diff(np.asarray(m.joint_q_start))))
        self.dofs = rows(np.repeat(joints, np.diff(np.asarray(m.joint_qd_start))))
        self.shapes = rows(m.shape_world)
        s = self.state
        # Views, not copies: each world's rows lie one after the other, and nothing lies between them.
        self.q = plain(s.joint_q)[self.coords[0, 0]:self.coords[-1, -1] + 1].reshape(n, -1)
        self.qd = plain(s.joint_qd)[self.dofs[0, 0]:self.dofs[-1, -1] + 1].reshape(n, -1)
        first, last = self.bodies[0, 0], self.bodies[-1, -1] + 1
        self.body_q = plain(s.body_q)[first:last].reshape(n, -1, 7)
        self.body_qd = plain(s.body_qd)[first:last].reshape(n, -1, 6)
        self.force = plain(self.control.joint_f)[self.dofs[0, 0]:self.dofs[-1, -1] + 1].reshape(n, -1)
        self.target = plain(self.control.joint_target_q)[self.coords[0, 0]:self.coords[-1, -1] + 1].reshape(n, -1)
        self._q0, self._qd0 = self.q.copy(), self.qd.copy()

    def reset(self, seed: Any = None, mask: Any = None) -> np.ndarray:
        """Starts worlds again, those of the mask or all; a seed begins a new sequence of episodes. Returns the observations of all worlds.

        @param seed  one for all worlds, whose draws then differ by their numbers; or one for each, with which a world goes as the only one of a run with that seed would
        @raises TypeError, ValueError  it is no whole number from 0 on, or there are more or fewer than worlds
        """
        chosen = np.ones(self.count, bool) if mask is None else np.asarray(plain(mask), bool)
        if chosen.shape != (self.count,):
            raise kind_of(ValueError)(f"mask: shape {chosen.shape}, expected ({self.count},)", "PYTHON_ARG_SHAPE")
        rows = np.flatnonzero(chosen)
        if seed is not None:
            self._sow(seed, rows)
        if len(rows):
            self._start(rows, chosen)
        return self.observe()

    def _sow(self, seed: Any, rows: np.ndarray) -> None:
        each = isinstance(seed, (list, tuple)) or np.ndim(seed) > 0
        given = [whole("seed", one) for one in (seed if each else [seed])]
        if each and len(given) != self.count:
            raise kind_of(ValueError)(f"seed: {len(given)} numbers, expected one, or one for each of {self.count} worlds", "PYTHON_ARG_SHAPE")
        if any(one < 0 for one in given):
            raise kind_of(ValueError)(f"seed is {min(given)}, expected at least 0", "PYTHON_ARG_NUMBER")
        self.seed = given[0]
        seeds = np.array([folded(one) for one in given], np.uint64)
        self.seeds[rows] = seeds[rows] if each else seeds[0]
        self.streams[rows] = 0 if each else self.ids[rows]
        self.episodes[rows] = -1

    def _start(self, rows: np.ndarray, chosen: np.ndarray) -> None:
        self.episodes[rows] += 1
        self.ages[rows] = 0
        self.last_actions[rows] = 0
        if self._late is not None:
            self._late[:, rows] = 0
        self._mask[:-1] = chosen
        self.solver.reset(self.state, self._mask, int(StateFlags.BODY_F))
        self.q[rows], self.qd[rows] = self._q0[rows], self._qd0[rows]
        streams, episodes = self.streams[rows], self.episodes[rows]
        self.randomizer.reset(rows)
        spots = self.terrain.spots(uniforms(self.seeds[rows], _SPOT, streams, episodes, 2))
        draws = uniforms(self.seeds[rows], _START, streams, episodes, self.task.draws)
        self.task.start(self, rows, spots, draws)
        eval_fk(self.model, self.state.joint_q, self.state.joint_qd, self.state, self._articulations(chosen))
        self.task.started(self, rows)

    def _articulations(self, chosen: np.ndarray) -> np.ndarray | None:
        if chosen.all():
            return None
        owners = np.asarray(self.model.articulation_world)
        return (owners >= 0) & chosen[np.maximum(owners, 0)]

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """One step of the task: (observations, rewards, terminated, truncated). Actions outside of -1..1 are cut there.

        A world whose simulation failed, or whose reward is no number, ends: terminated, with a reward of 0.

        @raises ValueError    the shape is another one, an action is no number, or the task answers with other shapes than `Task` says
        @raises RuntimeError  a world was never reset
        """
        if (self.episodes < 0).any():
            raise kind_of(RuntimeError)(f"world {int(self.ids[np.argmin(self.episodes)])} was never started; call reset() before the first step()", "PYTHON_WORLDS_RESET")
        given = np.asarray(plain(actions), np.float64)
        if given.shape != (self.count, self.task.action_size):
            raise kind_of(ValueError)(f"actions: shape {given.shape}, expected ({self.count}, {self.task.action_size})", "PYTHON_ARG_SHAPE")
        if np.isnan(given).any():
            raise kind_of(ValueError)(f"actions: that of world {int(self.ids[np.flatnonzero(np.isnan(given).any(axis=1))[0]])} is not a number", "PYTHON_ARG_NUMBER")
        given = np.clip(given, -1.0, 1.0)
        self.randomizer.push()
        acting = given
        if self._late is not None:
            self._late = np.roll(self._late, 1, axis=0)
            self._late[0] = given
            acting = self._late[self.randomizer.delay, np.arange(self.count)]
        self.task.act(self, acting)
        failed = np.zeros(self.count, bool)
        for _ in range(self.task.frames):
            if self.device == "cpu":  # steps on a device find contacts themselves
                self.pipeline.collide(self.state, self.contacts)
            self.solver.step(self.state, self.state, self.control, self.contacts, self.task.dt)
            failed |= self._failed()
        self.ages += 1
        rewards, terminated = self._judged(given)
        wrong = ~np.isfinite(rewards) & ~failed
        if wrong.any():
            warn(f"PYTHON_TASK: {type(self.task).__name__}.judge() gives {rewards[wrong][0]} as the reward of world {int(self.ids[np.argmax(wrong)])}, whose episode ends")
        failed |= wrong | ~(np.isfinite(self.q).all(axis=1) & np.isfinite(self.qd).all(axis=1))  # the others go on
        rewards[failed], terminated = 0.0, terminated | failed
        self.last_actions[...] = given
        truncated = (self.ages >= self.task.episode_steps) & ~terminated
        return self.observe(), rewards, terminated, truncated

    def _failed(self) -> np.ndarray:
        """Which worlds the last step left as they were, as it led beyond all bounds."""
        report = self.solver.report if self.device == "cpu" else self.solver.device_report()
        out = np.full(self.count, report["diverged"] and not report["diverged_worlds"])
        out[report["diverged_worlds"]] = True
        return out

    def _judged(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rewards and ends, in arrays of their own. An array of one column would spread over all worlds."""
        rewards, terminated = (np.asarray(part) for part in self.task.judge(self, actions))
        for what, part in (("rewards", rewards), ("ends", terminated)):
            if part.shape != (self.count,):
                raise kind_of(ValueError)(f"{type(self.task).__name__}.judge(): {what} of shape {part.shape}, expected ({self.count},)", "PYTHON_TASK")
        return rewards.astype(np.float64), terminated.astype(bool)

    def observe(self) -> np.ndarray:
        """Observations of all worlds, in a new array [count, observation_size]."""
        out = aligned((self.count, self.task.observation_size), np.float32)
        seen = np.asarray(self.task.observe(self))
        if seen.shape != out.shape:
            raise kind_of(ValueError)(f"{type(self.task).__name__}.observe(): shape {seen.shape}, expected {out.shape}", "PYTHON_TASK")
        seen = self.randomizer.noise(seen)
        np.clip(np.nan_to_num(seen, posinf=1e6, neginf=-1e6), -1e6, 1e6, out=out, casting="unsafe")
        return out

    def snapshot(self) -> bytes:
        """All that the next steps depend on; `restore` of equal worlds, in any process, goes on with the same bits."""
        own = {name: value for name, value in vars(self.task).items() if isinstance(value, np.ndarray)}
        arrays = {name: np.array(plain(getattr(self.state, name))) for name in _STATE}
        kept = {"force": self.force, "target": self.target, "episodes": self.episodes, "ages": self.ages, "last": self.last_actions,
                "seeds": self.seeds, "streams": self.streams, "solver": np.frombuffer(self.solver.checkpoint(), np.uint8), **{f"state.{k}": v for k, v in arrays.items()}, **{f"task.{k}": v for k, v in own.items()}}
        if self._late is not None:
            kept["late"] = self._late
        text = json.dumps({"of": self._identity(), "seed": self.seed, "time": self.state.time})
        out = io.BytesIO()
        np.savez(out, about=np.frombuffer(text.encode(), np.uint8), **kept)
        return out.getvalue()

    def _identity(self) -> dict[str, Any]:
        """What worlds must have in common to go on from each other's snapshots."""
        return {"task": type(self.task).__qualname__, "worlds": [int(self.ids[0]), self.count], "terrain": repr(self.terrain), "randomization": repr(self.randomizer.chosen),
                "shapes": {name: list(plain(getattr(self.state, name)).shape) for name in _STATE}}

    def restore(self, snapshot: bytes) -> None:
        """Goes on from a snapshot. It is data: nothing of it is run.

        @raises ValueError  it is of other worlds (task, numbers, terrain or randomization), damaged, or no snapshot
        """
        try:
            with np.load(io.BytesIO(snapshot), allow_pickle=False) as file:
                kept = {name: file[name] for name in file.files}
            about = json.loads(kept.pop("about").tobytes())
            of, seed, time = about["of"], int(about["seed"]), float(about["time"])
        except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile) as wrong:
            raise error(ValueError, "PYTHON_CHECKPOINT", f"snapshot: not one, or damaged: {wrong}") from None
        for name, mine in self._identity().items():
            if of.get(name) != mine:
                raise error(ValueError, "PYTHON_CHECKPOINT", f"snapshot: of other worlds: its {name} is {of.get(name)}, here it is {mine}")
        places = {"force": self.force, "target": self.target, "episodes": self.episodes, "ages": self.ages, "last": self.last_actions,
                  "seeds": self.seeds, "streams": self.streams, **{f"state.{name}": plain(getattr(self.state, name)) for name in _STATE}, **({} if self._late is None else {"late": self._late})}
        for name, place in places.items():
            if name not in kept or kept[name].shape != place.shape or kept[name].dtype != place.dtype:
                raise error(ValueError, "PYTHON_CHECKPOINT", f"snapshot: {name} is missing or of another form")
        if not self.solver._core.restore(kept["solver"].tobytes() if "solver" in kept else b""):
            raise error(ValueError, "PYTHON_CHECKPOINT", "snapshot: what the solver keeps is of another model, or damaged")
        self.seed = seed
        for name, place in places.items():
            if not name.startswith("state."):
                place[...] = kept[name]
        begun = np.flatnonzero(self.episodes >= 0)
        if len(begun):
            self.randomizer.reset(begun)  # draws depend on the seed, the world and its episode alone
        for name, place in places.items():
            if name.startswith("state."):
                place[...] = kept[name]
        self.state.time = time
        for name, value in kept.items():
            if name.startswith("task.") and isinstance(getattr(self.task, name.removeprefix("task."), None), np.ndarray):
                setattr(self.task, name.removeprefix("task."), value)
        self.solver.restore(kept["solver"].tobytes())

    def digest(self) -> str:
        """SHA-256 of each world's coordinates and rates, in the order of the worlds: equal for equal runs, however they are divided."""
        return digest_of(self.digests())

    def digests(self) -> list[str]:
        """SHA-256 of each world's own coordinates and rates."""
        return [hashlib.sha256(np.ascontiguousarray(self.q[i]).tobytes() + np.ascontiguousarray(self.qd[i]).tobytes()).hexdigest() for i in range(self.count)]

    def __repr__(self) -> str:
        return f"<Worlds {self.count} of {type(self.task).__name__}>"
