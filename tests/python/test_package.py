"""What the package is: names, enumerations, signatures, import."""
import importlib.util
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys

import mechane as mc
import pytest

HERE = pathlib.Path(__file__).parent


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)


def test_import_brings_no_other_framework():
    """(PYA-001)"""
    done = run("import sys, mechane, mechane.solvers, mechane.usd, mechane.conformance\n"
               "print([m for m in ('pxr', 'warp', 'mujoco', 'torch', 'matplotlib') if m in sys.modules])")
    assert done.stdout.strip() == "[]", done.stderr


def test_import_loads_little():
    """`import mechane` loads its own modules and few more beyond NumPy's: nothing that serves, spawns, parses or tests. (`make limits` takes the time.)"""
    done = run("import numpy, sys; before = set(sys.modules); import mechane\nprint(*sorted(set(sys.modules) - before))")
    loaded = done.stdout.split()
    assert "mechane" in loaded, done.stderr
    heavy = {"http", "http.server", "urllib.request", "subprocess", "multiprocessing", "asyncio", "unittest", "xml", "sqlite3", "email", "ssl", "socketserver", "pytest", "pydoc", "argparse"}
    assert not heavy & set(loaded)
    assert len([name for name in loaded if not name.startswith("mechane")]) <= 40, loaded
    # What few programs need is loaded when it is asked for.
    late = {"geometry.primitives", "geometry.broad_phase", "geometry.inertia", "geometry.narrow", "geometry.surfaces", "geometry.mesh_files", "stage.meshes", "stage.looks",
            "model.custom_reader", "model.residual", "io.draw", "io.serve", "io.commands", "io.recording", "solvers", "usd", "conformance", "selection"}
    assert not {f"mechane.{name}" for name in late} & set(loaded)


def test_enumerations_have_newtons_members_and_values():
    """(PYA-005)"""
    expected = json.loads((HERE / "newton_enums.json").read_text())
    for name, members in expected.items():
        ours = {k: int(v) for k, v in getattr(mc, name).__members__.items()}
        assert ours == members, name


def test_signatures_are_those_of_newton_1_8():
    """Names, order and defaults of arguments of the calls that are Newton's (PYA-006)"""
    for name, expected in json.loads((HERE / "newton_signatures.json").read_text()).items():
        target = mc
        for part in name.split("."):
            target = getattr(target, part)
        ours = [p for p in inspect.signature(target).parameters.values()]
        theirs = [tuple(p) for p in expected]
        own = [(p.name, p.kind.name, _text(p.default)) for p in ours][: len(theirs)]
        assert own == theirs, name


def _text(default):
    """As the stored list has them: enumerations as numbers."""
    if default is inspect.Parameter.empty:
        return "-"
    return repr(int(default)) if isinstance(default, int) and not isinstance(default, bool) else repr(default)


def test_reserved_names_say_which_stage_brings_them():
    """NotSupportedError is a NotImplementedError."""
    b = mc.ModelBuilder()
    for call in (lambda: b.add_deformable_visual_mesh(), lambda: b.add_tendon(), lambda: mc.Gaussian()):
        with pytest.raises(mc.NotSupportedError, match="later stage") as caught:
            call()
        assert isinstance(caught.value, NotImplementedError)


def test_left_out_names_say_what_to_use_instead():
    b = mc.ModelBuilder()
    for owner, name, hint in ((b, "plot_articulation", "tree"), (b, "joint_target_pos", "joint_target_q"), (mc, "controllers", "eval_jacobian"),
                              (mc.solvers, "SolverKamino", "SolverSoftStep"), (mc.Model, "bvh_build_shapes", "intersect_ray")):
        with pytest.raises((AttributeError, mc.NotSupportedError), match=hint):
            getattr(owner, name)()


def test_axis_is_taken_in_every_spelling():
    for spelled in (mc.Axis.Y, "y", "Y", 1):
        assert mc.ModelBuilder(up_axis=spelled).up_axis == mc.Axis.Y
    assert mc.Axis.from_any("z").to_vector() == (0, 0, 1)
    with pytest.raises(ValueError, match="none of X, Y, Z"):
        mc.Axis.from_string("w")


def test_version_and_build():
    assert re.fullmatch(r"\d+\.\d+\.\d+", mc.__version__) and mc.NEWTON_API == "1.8"
    assert mc.build_info()["real"] in ("float32", "float64")


def test_usd_core_may_come_before_or_after():
    """Both can open a stage (PYA-002)"""
    if run("import pxr.Usd").returncode != 0:
        pytest.skip("usd-core is not installed")
    body = "b = mechane.ModelBuilder(); b.add_usd(b'#usda 1.0\\ndef Sphere \"s\"\\n{\\n}')\ns = Usd.Stage.CreateInMemory(); s.DefinePrim('/a'); print(len(list(s.Traverse())), b.shape_count)"
    for first, second in (("import mechane", "from pxr import Usd"), ("from pxr import Usd", "import mechane")):
        done = run(f"{first}\n{second}\n{body}")
        assert done.stdout.split() == ["1", "1"], done.stderr


def test_the_command_line_is_the_programs():
    """`python -m mechane` prints what `mechane` prints, with its exit codes"""
    sample = str(pathlib.Path(os.environ["MECHANE_SOURCE_DIR"]) / "samples" / "quadruped" / "quadruped.usda")
    done = subprocess.run([sys.executable, "-m", "mechane", "info", sample], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and "quadruped" in done.stdout, done.stderr
    wrong = subprocess.run([sys.executable, "-m", "mechane", "inof", sample], capture_output=True, text=True, timeout=600)
    assert wrong.returncode == 2 and "did you mean info" in wrong.stderr


def instances():
    """Objects whose attributes stand for those of their classes."""
    b = mc.ModelBuilder()
    b.add_shape_sphere(b.add_body(mass=1.0))
    m = b.finalize()
    return {"ModelBuilder": b, "Model": m, "State": m.state(), "Control": m.control(), "Contacts": m.contacts(), "CollisionPipeline": mc.CollisionPipeline(m),
            "Mesh": mc.Mesh.create_box(1.0), "solvers.SolverBase.Observables": mc.solvers.SolverSoftStep(m).observables(set()), "Heightfield": mc.Heightfield([[0.0, 0.0], [0.0, 1.0]], 2, 2), "ModelBuilder.JointDofConfig": mc.ModelBuilder.JointDofConfig(),
            "ModelBuilder.CustomAttribute": mc.ModelBuilder.CustomAttribute(name="a", frequency=mc.Model.AttributeFrequency.BODY, dtype=float),
            "usd.SchemaResolverManager": mc.usd.SchemaResolverManager([]), "solvers.SolverBase": mc.solvers.SolverSoftStep(m), "selection.ArticulationView": mc.selection.ArticulationView(m, "*")}


def found(name, objects):
    owner, _, last = name.rpartition(".")
    thing = objects.get(owner, mc)
    for part in (last if owner in objects else name).split("."):
        thing = getattr(thing, part)
    return thing


def test_names_that_are_built_are_there():
    """The names of the specification's tables that are not for a later stage; PYA-003"""
    objects = instances()
    for name in json.loads((HERE / "api_names.json").read_text())["there"]:
        found(name, objects)


def test_keywords_that_are_built_are_taken():
    """The rows of the tables that are arguments (PYA-003)"""
    taken = {mc.CollisionPipeline: ("broad_phase", "narrow_phase", "reduce_contacts", "rigid_contact_max", "shape_pairs_filtered", "shape_pairs_max", "contact_matching",
                                    "contact_report", "sdf_hydroelastic_config", "include_static_kinematic_pairs", "overflow_policy", "deterministic", "requires_grad"),
             mc.eval_mass_matrix: ("include_armature",), mc.ModelBuilder.finalize: ("device", "requires_grad")}
    for call, names in taken.items():
        assert set(names) <= set(inspect.signature(call).parameters), call


def test_names_of_later_stages_say_so():
    """Calling one raises NotSupportedError with the stage; arrays that there are none of are None (PYA-004)"""
    objects = instances()
    assert issubclass(mc.NotSupportedError, NotImplementedError)
    for name in json.loads((HERE / "api_names.json").read_text())["later"]:
        thing = found(name, objects)
        if thing is None:
            continue
        with pytest.raises(mc.NotSupportedError, match=r"belongs to a later stage \(.+\)"):
            thing()


def test_names_that_are_left_out_say_what_to_use():
    """Attributes when they are read; names of modules, which a file may import beside others, when they are used (PYA-004)"""
    objects = instances()
    for name in json.loads((HERE / "api_names.json").read_text())["left_out"]:
        with pytest.raises((AttributeError, mc.NotSupportedError), match="is left out; ."):
            found(name, objects)()


def test_a_file_that_imports_what_is_left_out_runs_until_it_uses_it():
    from mechane.solvers import SolverKamino, SolverSoftStep

    assert issubclass(SolverSoftStep, mc.solvers.SolverBase) and not SolverKamino
    assert not isinstance(SolverSoftStep, SolverKamino)
    def derive():
        class Mine(SolverKamino):
            pass

    for use in (lambda: SolverKamino(None), lambda: SolverKamino.Config(), derive, lambda: mc.controllers.Differential()):
        with pytest.raises(mc.NotSupportedError, match="is left out; ."):
            use()


def test_dir_offers_what_is_there_and_nothing_else():
    """Arrays of objects are in `dir`, names of a module's own imports and names that only raise are not"""
    objects = instances()
    for owner, wanted in (("State", {"body_q", "body_qd", "body_f", "joint_q", "joint_qd"}), ("Control", {"joint_target_q", "joint_f"}),
                          ("Model", {"body_mass", "joint_type", "shape_scale", "gravity"}), ("Contacts", {"rigid_contact_count", "rigid_contact_normal"})):
        listed = set(dir(objects[owner]))
        assert wanted <= listed, (owner, wanted - listed)
        assert "joint_target_pos" not in listed
        for name in listed:
            assert hasattr(objects[owner], name), (owner, name)
    for name in ("conformance", "convert", "geometry", "ik", "interop", "math", "record", "ros", "selection", "sensors", "solvers", "testing", "usd", "utils", "viewer", "config", "gym"):
        module = getattr(mc, name)
        assert set(dir(module)) == set(module.__all__), name
        for public in module.__all__:
            getattr(module, public)


def test_every_module_says_what_it_exports():
    """`__all__` everywhere, with names that are there; a star brings nothing else"""
    import importlib
    import pkgutil

    modules = [m.name for m in pkgutil.walk_packages(mc.__path__, "mechane.") if ".openusd" not in m.name and m.name not in ("mechane._core", "mechane.__main__")]
    assert len(modules) > 60 and "mechane.geometry.mesh" in modules
    environments = {"mechane.gym.single", "mechane.gym.spaces", "mechane.gym.vector"}  # classes of Gymnasium's, where it is installed
    for name in modules:
        if name in environments and importlib.util.find_spec("gymnasium") is None:
            continue
        module = importlib.import_module(name)
        assert isinstance(module.__all__, list) and len(set(module.__all__)) == len(module.__all__), name
        for exported in module.__all__:
            assert not inspect.ismodule(getattr(module, exported)) or name == "mechane", (name, exported)


def test_public_modules_stay_importable():
    """Also names that a program imports out of them, and those that are left out (PYA-004)"""
    done = run("from mechane.geometry import BroadPhaseSAP, collide_sphere_sphere, SDF, verify_and_correct_inertia, TriMeshCollisionInfo\n"
               "from mechane.usd import Stage, get_mesh, SchemaResolver\nfrom mechane.record import Recording\nfrom mechane.math import quat_between_axes\n"
               "from mechane.utils import ColorSpace\nimport mechane.viewer, mechane.sensors\nprint(mechane.geometry.SDF is mechane.SDF)")
    assert done.stdout.strip() == "True", done.stderr


def test_misspelt_keywords_are_refused_and_newtons_are_taken(tmp_path):
    mesh = mc.Mesh.create_box(0.5)
    with pytest.raises(TypeError, match="max_resolutoin.*max_resolution"):
        mesh.build_sdf(max_resolutoin=16)
    mesh.build_sdf(max_resolution=16, edge_concave_filter=False)
    with pytest.raises(TypeError, match="reduce_contact.*reduce_contacts"):
        mc.geometry.NarrowPhase(max_candidate_pairs=4, reduce_contact=True)
    mc.geometry.NarrowPhase(max_candidate_pairs=4, has_meshes=False, contact_max=3)
    with pytest.raises(TypeError, match="shape_flag"):
        mc.geometry.BroadPhaseSAP([0], shape_flag=[1])
    mc.geometry.BroadPhaseSAP([0], sort_type="tile")
    file = tmp_path / "a.obj"
    file.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(TypeError, match="solid"):
        mc.Mesh.create_from_file(file, solid=True)
    assert tuple(mc.Mesh.create_from_file(file, color=(1, 0, 0)).color) == (1, 0, 0)


def test_the_extensions_stubs_name_what_it_has():
    """The stubs that are checked in, against the built module"""
    import ast

    import mechane._core as core

    tree = ast.parse((pathlib.Path(os.environ["MECHANE_SOURCE_DIR"]) / "python" / "mechane" / "_core.pyi").read_text())
    named = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))} | {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)}
    assert named == {n for n in dir(core) if not n.startswith("__")}


def test_every_id_is_on_a_page_of_the_documentation():
    """Ids of the module's own on docs/python-diagnostics.md, those it shares with the library on docs/diagnostics.md; nothing on it that is gone"""
    root = pathlib.Path(os.environ["MECHANE_SOURCE_DIR"])
    sources = "".join(p.read_text() for p in sorted((root / "python" / "mechane").rglob("*.py")) if p.name != "former_ids.py")
    rooms = "PYTHON|MODEL|IMPORT|STAGE|USD|RESOLVE"
    used = set(re.findall(rf'"((?:{rooms})_[A-Z0-9_]+[A-Z0-9])"', sources)) | set(re.findall(rf'\b((?:{rooms})_[A-Z0-9_]+[A-Z0-9]): ', sources))
    assert not re.findall(r'"[EWI]_[A-Z]{3,}', sources)
    ours = set(re.findall(r"^\| `(\w+)` \|", (root / "docs" / "python-diagnostics.md").read_text(), re.MULTILINE))
    shared = set(re.findall(r"^\| `(\w+)`", (root / "docs" / "diagnostics.md").read_text(), re.MULTILINE))
    assert used <= ours | shared, sorted(used - ours - shared)
    assert ours <= used, sorted(ours - used)
    assert not ours & shared


def test_a_shape_config_sets_all_that_the_library_knows():
    b = mc.ModelBuilder()
    cfg = mc.ModelBuilder.ShapeConfig(mu=0.4, mu_static=0.7, is_solid=False, shell_thickness=0.01, density=1000.0, surface_velocity=(1, 2, 3, 4, 5, 6))
    shape = b.add_shape_box(b.add_body(), hx=0.1, hy=0.1, hz=0.1, cfg=cfg)
    m = b.finalize()
    assert m.shape_material_mu_static[shape] == pytest.approx(0.7) and m.shape_material_mu[shape] == pytest.approx(0.4)
    assert m.shape_surface_velocity[shape].tolist() == [1, 2, 3, 4, 5, 6]
    # six walls of 1 cm: 0.2^3 - 0.18^3 m^3
    assert m.body_mass[0] == pytest.approx(1000 * (0.2**3 - 0.18**3), rel=1e-4)
