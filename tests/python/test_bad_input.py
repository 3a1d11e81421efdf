"""Every public function, one wrong argument after the other: a Python exception that names the argument, never a crash."""
import enum
import inspect
import json
import os
import pickle
import re
import signal
import warnings

import mechane as mc
import numpy as np
import pytest
from scenes import BALL, falling_ball, pendulum


class Odd:
    """Nothing that any argument could be."""


NAN = float("nan")
READ_ONLY = np.zeros(3)
READ_ONLY.flags.writeable = False
#: What is handed over in an argument's place.
WRONG = {"object": Odd(), "None": None, "word": "bogus", "bytes": b"\xff\0", "nan": NAN, "inf": float("inf"), "negative": -5, "huge": 2**40, "giant": 2**70, "fraction": 1.5,
         "empty list": [], "list of objects": [Odd()], "nan array": np.full((3, 3), NAN), "empty array": np.zeros(0), "other shape": np.zeros((5, 2)),
         "array of objects": np.array([Odd()], dtype=object), "complex": np.zeros(7, complex), "words": np.array(["a", "b"]), "dict": {}, "ragged": [[1], [2, 3]],
         "type": int, "strided": np.zeros((8, 7))[::2, ::-1], "read-only": READ_ONLY}
if os.environ.get("MECHANE_SANITIZE"):  # ten times slower: what reaches memory, and is not refused by the allocator
    WRONG = {kind: WRONG[kind] for kind in ("object", "negative", "nan array", "other shape", "strided")}
#: Numbers that are no mistakes, and ask for much time or memory.
LEGITIMATE = {("simulate", "duration", "huge"), ("simulate", "frames", "huge"), ("rollout", "frames", "huge")}
#: They open a port and wait; the constructor of arrays is NumPy's.
LEFT_OUT = {"view", "ViewerWeb", "Array"}
#: What only somebody who knows the extension or NumPy could understand.
INSIDE = re.compile(r"bad_cast|incompatible function arguments|has no attribute '_core'|has no attribute '_np'")


def fixtures(folder):
    path = os.path.join(folder, "ball.usda")
    with open(path, "w") as file:
        file.write(BALL)
    builder = pendulum(2)
    model = builder.finalize()
    stage = mc.usd.open(path)
    things = {"builder": builder, "model": model, "state": model.state(), "own state": mc.State(), "control": model.control(), "contacts": model.contacts(),
              "pipeline": mc.CollisionPipeline(model), "solver": mc.solvers.SolverSoftStep(model), "mesh": mc.Mesh.create_box(0.5, 0.5, 0.5),
              "heightfield": mc.Heightfield(np.zeros((4, 4)), 4, 4, 1.0, 1.0), "stage": stage, "prim": stage.GetPrimAtPath("/ball"),
              "attribute": stage.GetPrimAtPath("/ball").GetAttribute("physics:mass"), "view": mc.selection.ArticulationView(model, "*"), "array": model.state().body_q,
              "column": builder.body_mass, "resolver": mc.usd.SchemaResolverNewton(), "manager": mc.usd.SchemaResolverManager([mc.usd.SchemaResolverNewton()]),
              "cfg": mc.ModelBuilder.ShapeConfig(), "viewer": mc.viewer.ViewerNull(), "recorder": mc.record.Recorder(model), "bodies": model.bodies,
              "diagnostics": mc.Diagnostics(), "broad": mc.geometry.BroadPhaseSAP(), "listed": mc.geometry.BroadPhaseExplicit(),
              "narrow": mc.geometry.NarrowPhase(max_candidate_pairs=10), "transform": mc.transform(), "quat": mc.quat(), "vec3": mc.vec3()}
    return path, things


def right(path, folder, things):
    """A right value for an argument that must be given, by its name."""
    model, mesh = things["model"], things["mesh"]
    shape = mc.geometry.Shape(1)
    return {"model": model, "state": things["state"], "state_in": things["state"], "state_out": model.state(), "control": things["control"], "contacts": things["contacts"],
            "joint_q": model.joint_q, "joint_qd": model.joint_qd, "dt": 0.01, "body": 0, "parent": -1, "child": 0, "joint": 0, "joints": [0], "shape_a": 0, "shape_b": 0,
            "mesh": mesh, "vertices": mesh.vertices, "indices": mesh.indices, "builder": pendulum(1), "world_count": 2, "source": path, "stage": path, "asset": path,
            "path": path, "prim": things["prim"], "scale": (1, 1, 1), "pos": (0, 0, 0), "vel": (0, 0, 0), "inertia": np.eye(3), "type": 0, "a": shape, "b": shape, "frames": 2,
            "points": np.zeros((3, 3)), "gravity": (0, 0, -9.81), "key": "armature", "prim_type": mc.usd.PrimType.JOINT, "resolvers": [], "name": "x", "pattern": "*",
            "labels": ["a", "b"], "data": np.zeros((4, 4)), "nrow": 4, "ncol": 4, "joint_type": mc.JointType.REVOLUTE, "array": np.zeros(3), "blob": b"", "tau": np.zeros(2),
            "namespace": "newton", "kind": "model", "file": path, "schema_name": "PhysicsRigidBodyAPI", "target": things["state"], "direction": (0, 0, -1), "origin": (0, 0, 5), "world": 0,
            "q": (0, 0, 0, 1), "v": (1, 0, 0), "method": "convex_hull", "out": os.path.join(folder, "out.usda")}


def functions(things):
    """(name, function) of the package: functions, constructors, methods of the objects, attributes that can be set."""
    for home in (mc, *(getattr(mc, name) for name in mc._MODULES)):
        for name in home.__all__:
            thing = getattr(home, name)
            if name not in LEFT_OUT and callable(thing) and not inspect.ismodule(thing) and thing.__module__.startswith("mechane") and \
                    not (isinstance(thing, type) and issubclass(thing, (BaseException, enum.Enum))):
                yield name, thing
    for owner, thing in things.items():
        for name in dir(type(thing)):
            member = inspect.getattr_static(type(thing), name)
            if name.startswith("_") or isinstance(thing, np.ndarray) and hasattr(np.ndarray, name):
                continue
            if isinstance(member, property):
                if member.fset is not None:
                    yield f"{owner}.{name}", lambda value, thing=thing, name=name: setattr(thing, name, value)
            elif callable(function := getattr(thing, name, None)) and not isinstance(function, type) and str(getattr(function, "__module__", "")).startswith("mechane"):
                yield f"{owner}.{name}", function


def attempts(function, known):
    """(argument, what it is given, the call): the right one, then each argument with each wrong value; the others are right, as far as is known."""
    try:
        parameters = [p for p in inspect.signature(function).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY)]
    except (TypeError, ValueError):
        return
    base = {p.name: known.get(p.name, 1.0) for p in parameters if p.default is p.empty}
    yield "", "", lambda: function(**base)
    for p in parameters:
        for kind, value in WRONG.items():
            yield p.name, kind, lambda name=p.name, value=value: function(**{**base, name: value})


def campaign(folder, part, parts, say):
    """Makes all attempts of one part; `say` takes (what is tried, what was wrong or None)."""
    path, things = fixtures(folder)
    for index, (name, function) in enumerate(functions(things)):
        if index % parts != part:
            continue
        known = {**right(path, folder, things), **({"a": path, "b": path} if name == "diff" else {})}
        judged = False
        for argument, kind, call in attempts(function, known):
            if (name.split(".")[-1], argument, kind) in LEGITIMATE:
                continue
            tried = f"{name}({argument}={kind})"
            say(tried, None)
            signal.alarm(30)
            try:
                call()
                judged = judged or not argument  # only where the right call works can the wrong argument be told
            except (mc.MechaneError, TypeError, ValueError, LookupError, AttributeError, NotImplementedError, OSError, RuntimeError, ImportError, MemoryError, OverflowError) as error:
                text = "\n".join([str(error), *getattr(error, "__notes__", ())])
                if INSIDE.search(str(error)):
                    say(tried, f"{type(error).__name__}: {text}")
                elif judged and kind == "object" and type(error) is not mc.MechaneError and not isinstance(error, (NotImplementedError, ImportError)) and not re.search(rf"\b(E_)?{argument}\b", text, re.IGNORECASE):
                    say(tried, f"does not name the argument: {type(error).__name__}: {text}")
            finally:
                signal.alarm(0)


PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_wrong_is_refused_by_name(part, tmp_path):
    """Types, shapes, dtypes, NaN, sizes: all values of WRONG for each argument of each function. In a process of its own, so that one that dies tells which call it was."""
    log = tmp_path / "log"
    child = os.fork()
    if child == 0:
        status = 1
        os.chdir(tmp_path)  # some of the wrong values are names of files to write
        try:
            with open(log, "w", buffering=1) as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                campaign(str(tmp_path), part, PARTS, lambda tried, wrong: file.write(json.dumps([tried, wrong]) + "\n"))
            status = 0
        except BaseException as error:  # noqa: BLE001  said by the last line
            with open(log, "a") as file:
                file.write(json.dumps(["", f"{type(error).__name__}: {error}"]) + "\n")
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert status == 0, f"the process ended with {status} in {lines[-2:]}"
    assert len(lines) > 30 * len(WRONG)
    wrong = [line for line in lines if line[1] is not None]
    assert not wrong, "\n".join(f"{tried}: {why}" for tried, why in wrong[:40])


def balls(*heights):
    """A ball of 0.1 m over the ground for each height."""
    b = mc.ModelBuilder()
    for i, height in enumerate(heights):
        b.add_shape_sphere(b.add_body(xform=(0, 0, height, 0, 0, 0, 1), label=f"ball{i}"), radius=0.1)
    b.add_ground_plane()
    return b.finalize()


def contacts_of(m):
    return m.collide(m.state(), m.contacts())


def test_a_step_takes_what_belongs_to_its_model():
    """Equal counts are not enough: contacts of a ball that lies would hold one that falls"""
    a, b = balls(1.0), balls(0.1)
    solver, s = mc.solvers.SolverSoftStep(a), a.state()
    pipeline = mc.CollisionPipeline(a)
    for name, call in {"contacts": lambda: solver.step(s, s, None, contacts_of(b), 0.01),
                       "state_in": lambda: solver.step(b.state(), s, None, None, 0.01),
                       "state_out": lambda: solver.step(s, b.state(), None, None, 0.01),
                       "control": lambda: solver.step(s, s, b.control(), None, 0.01),
                       "state": lambda: solver.reset(b.state()),
                       "contacts ": lambda: solver.update_contacts(contacts_of(b)),
                       "state ": lambda: pipeline.collide(b.state(), pipeline.contacts()),
                       "state  ": lambda: a.collide(b.state()),
                       "state   ": lambda: solver.rollout(b.state(), 1, 0.01)}.items():
        with pytest.raises(ValueError, match=rf"^{name.strip()}: of another model; ") as raised:
            call()
        assert raised.value.code == f"PYTHON_ARG_{name.strip().partition('_')[0].upper()}"
    assert s.body_q[0, 2] == 1.0


def test_a_step_tells_contacts_that_nothing_was_collided_into():
    m = balls(0.1)
    solver, s, contacts = mc.solvers.SolverSoftStep(m), m.state(), m.contacts()
    with pytest.raises(ValueError, match="^contacts: nothing was collided into them yet; ") as raised:
        solver.step(s, s, None, contacts, 0.01)
    assert raised.value.code == "PYTHON_ARG_CONTACTS"
    contacts.clear()  # there are none, says the program
    solver.step(s, s, None, contacts, 0.01)


def test_a_copy_of_a_model_takes_states_and_contacts_of_the_first():
    """As a process has that gets both through pickles of their own (PYA-050)"""
    m = balls(0.1)
    copy = pickle.loads(pickle.dumps(m))
    s = m.state()
    mc.solvers.SolverSoftStep(copy).step(s, s, m.control(), m.collide(s), 0.01)


def test_there_is_no_pose_that_is_none():
    m = balls(0.1)
    s, c = m.state(), m.control()
    for owner, names in ((s, ("body_q", "body_qd", "joint_q", "joint_qd")), (c, ("joint_target_q",))):
        for name in names:
            before = np.array(getattr(owner, name))
            with pytest.raises(TypeError, match=f"^{name}: expected .* numbers, not None"):
                setattr(owner, name, None)
            assert np.array_equal(getattr(owner, name), before)
    s.body_f[:] = 1
    s.body_f = None
    assert not s.body_f.any()


def code_of(call):
    with pytest.raises(mc.MechaneError) as raised:
        call()
    return raised.value.code, str(raised.value)


def hinge_about(axis):
    b = mc.ModelBuilder()
    b.add_joint_revolute(-1, b.add_link(), axis=axis)


def test_errors_about_arguments_have_an_id():
    """Also those of checks that raise by Python's own classes"""
    m, other = pendulum(2).finalize(), pendulum(3).finalize()
    s = m.state()
    for call, code, words in ((lambda: mc.ModelBuilder().add_body(xform=(1, 2, 3, 4, 5, 6)), "PYTHON_ARGUMENT", "xform: expected 7 numbers"),
                              (lambda: hinge_about("Q"), "PYTHON_ARGUMENT", "axis 'Q'"),
                              (lambda: mc.eval_fk(m, np.zeros(3), s.joint_qd, s), "PYTHON_ARGUMENT", "joint_q"),
                              (lambda: mc.eval_ik(m, s, np.zeros(2), np.zeros(2)), "PYTHON_ARGUMENT", "float64"),
                              (lambda: mc.eval_jacobian(m, other.state()), "PYTHON_ARGUMENT", "state: of another model"),
                              (lambda: setattr(s, "body_q", np.zeros((3, 7))), "PYTHON_ARGUMENT", "expected 14"),
                              (lambda: mc.solvers.SolverSoftStep(m).step(None, s, None, None, 0.01), "PYTHON_ARG_STATE", "state_in: expected State"),
                              (lambda: mc.ModelBuilder().add_body(label="\ud800"), "PYTHON_ARGUMENT", "label: "),
                              (lambda: pickle.dumps(mc.solvers.SolverSoftStep(m)), "PYTHON_ARGUMENT", "SolverSoftStep is not copied or pickled"),
                              (lambda: pickle.dumps(mc.CollisionPipeline(m)), "PYTHON_ARGUMENT", "CollisionPipeline is not copied")):
        told = code_of(call)
        assert told[0] == code and words in told[1], told


def test_shapes_of_no_kind_and_no_body_are_told():
    for name, value in (("shape_type", 777), ("shape_type", -1), ("shape_body", 99)):
        m = balls(0.1)
        getattr(m, name)[0] = value
        code, words = code_of(lambda: m.collide(m.state()))
        assert code == "PYTHON_ARGUMENT" and f"{name}[0]" in words and str(value) in words, words


def test_places_and_delays_of_actuators_are_checked():
    from mechane.actuators import DrivePD

    for arguments, words in (({"index": -1}, "index is -1"), ({"index": 1.5}, "index: expected"), ({"index": 0, "delay_steps": -1}, "delay_steps"), ({"index": 0, "delay_steps": 1.5}, "delay_steps"),
                             ({"index": 0, "delay_steps": 10**9}, "delay_steps"), ({"index": 0, "pos_index": -2}, "pos_index is -2")):
        assert words in code_of(lambda: pendulum(2).add_actuator(DrivePD, kp=1.0, kd=0.1, **arguments))[1]
    b = pendulum(2)
    b.add_actuator(DrivePD, index=5, kp=1.0, kd=0.1)
    assert code_of(b.finalize) == ("PYTHON_ARG_ACTUATOR", "add_actuator: index is 5, and the builder has 2 of them, from 0 on")
    b = pendulum(2)
    b.add_actuator(DrivePD, index=0, kp=1.0, kd=0.1, delay_steps=0)
    assert len(b.finalize().actuators) == 1  # the present command is read
