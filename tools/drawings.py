#!/usr/bin/env python3
"""Draws docs/drawings: overview.svg of README.md, rooms.svg, joint.svg and contact.svg of docs/architecture.md, and ant_curve.svg of
docs/tutorials/train-a-walker.md, whose numbers are in docs/notes/ant_curve.csv.

usage: drawings.py [--check]

The rooms and their arrows come from MAY_USE of tools/layers.py; only rooms that have a folder are drawn. --check writes nothing and exits 1 if a
drawing is out of date. The output is plain SVG text with a white background, so that it reads the same in light and dark themes.
"""
import argparse
import html
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tools.layers import MAY_USE  # noqa: E402

FOLDER = ROOT / "docs" / "drawings"
FONT = "font-family='Helvetica, Arial, sans-serif'"
INK, PALE = "#20262e", "#5d6875"
GROUND, ASSET, SIMULATION, DOOR, ROOF = "#e9ecef", "#dbeafe", "#dcfce7", "#fef3c7", "#f3e8ff"

# room: (x, y, width, colour, what it does in a few words) [px]
ROOMS = {
    "cli": (20, 40, 370, ROOF, "one file a command; may use everything below"),
    "python": (420, 40, 570, ROOF, "bindings and façade; may use everything below"),
    "face": (598, 130, 392, DOOR, "load, Asset: what C++ programs call"),
    "viewer": (420, 130, 165, ROOF, "page and pictures"),
    "conformance": (20, 220, 370, ASSET, "the rules of REP-0158, their reports and repairs"),
    "run": (598, 220, 392, DOOR, "scenes of stages, controllers, behaviour"),
    "ros": (20, 310, 170, ASSET, "names, interfaces"),
    "resolve": (220, 310, 170, ASSET, "vendors, units, masses"),
    "importer": (420, 310, 165, DOOR, "stage to model"),
    "simulation": (620, 310, 370, SIMULATION, "the loop: collide, step, record, replay"),
    "physics": (220, 400, 170, ASSET, "UsdPhysics objects"),
    "record": (420, 400, 165, DOOR, "files of recordings"),
    "solvers": (620, 400, 370, SIMULATION, "softstep: constraints, contacts, integration"),
    "collision": (620, 490, 170, SIMULATION, "pairs, contacts, queries"),
    "dynamics": (820, 490, 170, SIMULATION, "kinematics, M, J"),
    "usd": (20, 490, 370, ASSET, "composed stage, schemas, edits (OpenUSD behind a wall)"),
    "model": (620, 580, 370, SIMULATION, "builder, model, state, control, contacts"),
    "geometry": (420, 670, 570, GROUND, "meshes, hulls, mass properties, bounding volumes, distance fields"),
}
STACK = ("core", "math", "tasks", "files")  # one box at the bottom
# The corners between two rooms [px]. What is drawn must be what MAY_USE says, see rooms().
WAYS = {
    ("face", "run"): [(794, 174), (794, 220)],
    ("run", "conformance"): [(598, 242), (390, 242)],
    ("run", "importer"): [(640, 264), (640, 287), (502, 287), (502, 310)],
    ("run", "record"): [(608, 264), (608, 422), (585, 422)],
    ("viewer", "record"): [(420, 152), (410, 152), (410, 422), (420, 422)],
    ("conformance", "ros"): [(105, 264), (105, 310)],
    ("conformance", "resolve"): [(305, 264), (305, 310)],
    ("ros", "usd"): [(105, 354), (105, 490)],
    ("resolve", "physics"): [(305, 354), (305, 400)],
    ("resolve", "geometry"): [(390, 340), (399, 340), (399, 692), (420, 692)],
    ("physics", "usd"): [(305, 444), (305, 490)],
    ("importer", "resolve"): [(420, 325), (390, 325)],
    ("importer", "model"): [(585, 332), (614, 332), (614, 602), (620, 602)],
    ("record", "simulation"): [(545, 400), (545, 377), (640, 377), (640, 354)],
    ("record", "usd"): [(460, 444), (460, 512), (390, 512)],
    ("simulation", "solvers"): [(805, 354), (805, 400)],
    ("solvers", "collision"): [(705, 444), (705, 490)],
    ("solvers", "dynamics"): [(905, 444), (905, 490)],
    ("collision", "model"): [(705, 534), (705, 580)],
    ("dynamics", "model"): [(905, 534), (905, 580)],
    ("model", "geometry"): [(805, 624), (805, 670)],
}
HEIGHT = 44


def text(x, y, words, size=13, colour=INK, weight="normal", anchor="middle"):
    return (f"<text x='{x:g}' y='{y:g}' {FONT} font-size='{size}' font-weight='{weight}' fill='{colour}' "
            f"text-anchor='{anchor}'>{html.escape(words)}</text>")


def box(x, y, width, height, colour, name, note=""):
    out = [f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='6' fill='{colour}' stroke='{PALE}'/>"]
    out.append(text(x + width / 2, y + (18 if note else height / 2 + 5), name, 14, weight="bold"))
    if note:
        out.append(text(x + width / 2, y + 35, note, 11, PALE))
    return out


def arrow(*corners):
    points = " ".join(f"{x:g},{y:g}" for x, y in corners)
    return f"<polyline points='{points}' fill='none' stroke='{PALE}' stroke-width='1.3' marker-end='url(#tip)'/>"


def picture(width, height, title, body):
    head = (f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' height='{height}' role='img'>\n"
            f"<title>{html.escape(title)}</title>\n<defs><marker id='tip' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='8' "
            f"markerHeight='8' orient='auto'><path d='M0,0 L10,5 L0,10 z' fill='{PALE}'/></marker></defs>\n"
            f"<rect width='{width}' height='{height}' fill='white'/>\n")
    return head + "\n".join(body) + "\n</svg>\n"


def reach(name, seen=None):
    """Every room that `name` may use, by way of others too."""
    seen = set() if seen is None else seen
    for used in MAY_USE.get(name, []):
        if used not in seen:
            seen.add(used)
            reach(used, seen)
    return seen


def arrows_of(name, shown):
    """Those that the others do not imply: a room that is reached by way of another one has no arrow of its own."""
    direct = [used for used in MAY_USE.get(name, []) if used in shown]
    return [used for used in direct if not any(used in reach(other) for other in direct if other != used)]


def rooms():
    there = {folder.name for base in ("src", "include/mechane", "src/include/mechane") for folder in (ROOT / base).iterdir() if folder.is_dir()}
    shown = {name: place for name, place in ROOMS.items() if name in there}
    wanted = {(name, used) for name in shown if name not in ("cli", "python") for used in arrows_of(name, shown)}
    drawn = {pair for pair in WAYS if pair[0] in shown and pair[1] in shown}
    if wanted != drawn:
        raise SystemExit(f"tools/drawings.py: WAYS is not what tools/layers.py says: missing {sorted(wanted - drawn)}, too many {sorted(drawn - wanted)}")
    body = [text(20, 26, "asset wing: prims, never bodies in motion", 13, PALE, anchor="start"), text(505, 26, "roof and doors", 13, PALE),
            text(990, 26, "simulation wing: arrays, never prims", 13, PALE, anchor="end"),
            text(130, 740, "ground floor: no USD", 13, PALE, anchor="start")]
    body += [arrow(*WAYS[pair]) for pair in sorted(drawn)] + [arrow((105, 534), (105, 754)), arrow((705, 714), (705, 754))]
    for name, (x, y, width, colour, note) in shown.items():
        body += box(x, y, width, HEIGHT, colour, name, note)
    body += box(20, 754, 970, HEIGHT, GROUND, " · ".join(STACK), "results and diagnostics · vectors and poses · thread pool · atomic writing of files")
    # Rooms without a place of their own say in words what they may use.
    others = sorted(name for name in there & set(MAY_USE) if name not in ROOMS and name not in STACK)
    for k, name in enumerate(others):
        body += box(1020, 40 + 90 * k, 330, HEIGHT, DOOR, name, "may use " + ", ".join(MAY_USE[name]))
    return picture(1370 if others else 1010, 814, "The rooms of Mechane; an arrow leads from a room to one that it may include", body)


def way(title, steps):
    """One column: the room on the left, what it is given on the right, and between two steps what is handed over."""
    body, y = [], 16
    for k, (room, colour, does, hands) in enumerate(steps):
        height = 26 + 17 * len(does)
        body += box(16, y, 150, height, colour, room)
        body.append(f"<rect x='178' y='{y}' width='600' height='{height}' rx='6' fill='white' stroke='{PALE}'/>")
        body += [text(192, y + 24 + 17 * i, line, 13, anchor="start") for i, line in enumerate(does)]
        y += height
        if k + 1 < len(steps):
            body += [arrow((91, y + 2), (91, y + 34)), text(108, y + 23, hands, 12, PALE, anchor="start")]
            y += 36
    return picture(794, y + 16, title, body)


JOINT = [
    ("usd", ASSET, ["Stage::open composes leg.usda into quadruped.usda;",
                    "prim /quadruped/front_left/knee_joint, attributes and targets in stage paths"], "prim, attribute values as authored"),
    ("physics", ASSET, ["parse() makes a Joint: revolute about Y, bodies thigh and shank,",
                        "two anchor frames, limits -150 and -10 degrees, the drive"], "physics::Joint, degrees and stage units"),
    ("resolve", ASSET, ["ResolverList::get answers armature, friction, limit stiffness by vendor priority;",
                        "degrees become radians, stage units become SI, provenance is kept"], "values in SI, with their source"),
    ("importer", DOOR, ["the joint graph becomes a tree; parents come first;",
                        "bodies, then joints, are added to a ModelBuilder in double"], "ModelBuilder::add_joint"),
    ("model", SIMULATION, ["finalize() checks the numbers and freezes arrays:",
                           "joint_type, joint_X_p, joint_X_c, joint_limit_upper = -0.1745 rad"], "Model, State, Control"),
    ("solvers", SIMULATION, ["softstep builds a tree in reduced coordinates: the knee's angle is the unknown;",
                             "the drive stands in the mass matrix, the limit is a row beside the contacts"], "joint_q, joint_qd, body_q, body_qd"),
    ("record", DOOR, ["a frame of the recording; a page, a table, or time samples over the source file"], ""),
]

CONTACT = [
    ("usd", ASSET, ["Sphere /quadruped/front_left/shank/collision/foot and Plane /floor/collider,",
                    "both with PhysicsCollisionAPI and a material bound for physics"], "prims, material bindings"),
    ("physics", ASSET, ["two Colliders: kind, size, pose in the owning body (shank; the world),",
                        "PhysicsMaterial, collision groups, filtered pairs"], "physics::Collider"),
    ("resolve", ASSET, ["margin, gap, stiffness ke and damping kd of each shape in SI;",
                        "the mass of the shank"], "values in SI, with their source"),
    ("importer", DOOR, ["ModelBuilder::add_shape for each collider; pairs that must not meet",
                        "become shape_collision_filter_pairs"], "ModelBuilder::add_shape"),
    ("model", SIMULATION, ["shape_type, shape_scale, shape_transform, shape_material_mu, shape_gap, ..."], "Model, State"),
    ("collision", SIMULATION, ["place: boxes of all shapes in the world, grown by margin, gap and motion",
                               "broad phase: pairs whose boxes overlap, less those that are filtered",
                               "narrow phase: the table of pair functions gives points, normals, distances"], "Contacts: rigid_contact_point0, _normal, _distance, ..."),
    ("solvers", SIMULATION, ["a contact becomes a normal row and a friction disk; islands; substeps;",
                             "sweeps find the impulses; rigid_contact_force = impulse / dt"], "rigid_contact_force [N]"),
    ("solvers", SIMULATION, ["contact_wrenches(): force and torque about the centre of mass of each body"], ""),
]


def overview():
    """What goes in, what is made of it, what comes out."""
    body = []
    columns = [(16, 220, "files", [("usda, usdc, usdz", GROUND, "layers, payloads, variants"), ("schemas", GROUND, "UsdPhysics, Newton, PhysX, MuJoCo, ROS")]),
               (262, 210, "asset", [("composed stage", ASSET, "prims, values, opinions"), ("physics objects", ASSET, "bodies, colliders, joints"),
                                    ("resolved values", ASSET, "SI units, provenance")]),
               (542, 210, "simulation", [("model", SIMULATION, "arrays under Newton's names"), ("collide", SIMULATION, "contacts"), ("step", SIMULATION, "softstep")]),
               (822, 200, "results", [("recording", DOOR, "verifiable, step by step"), ("page, picture, animation", ROOF, "no server, no display"),
                                      ("USD, JSON, CSV, MCAP", DOOR, "layers, tables, messages")])]
    for x, width, title, boxes in columns:
        body.append(text(x + width / 2, 24, title, 13, PALE))
        for k, (name, colour, note) in enumerate(boxes):
            body += box(x, 36 + 64 * k, width, HEIGHT, colour, name, note)
            if k + 1 < len(boxes) and title in ("asset", "simulation"):
                body.append(arrow((x + width / 2, 80 + 64 * k), (x + width / 2, 100 + 64 * k)))
    body += [arrow((236, 58), (262, 58)), arrow((236, 122), (249, 122), (249, 68), (262, 68)), arrow((472, 186), (507, 186), (507, 58), (542, 58)), arrow((752, 186), (787, 186), (787, 58), (822, 58)),
             arrow((752, 195), (765, 195), (765, 122), (752, 122)), arrow((922, 80), (922, 100)), arrow((922, 144), (922, 164))]
    body += box(262, 238, 490, HEIGHT, ASSET, "check, fix, explain, ros", "read the asset; fix writes a repaired copy")
    body.append(arrow((367, 208), (367, 238)))
    return picture(1038, 296, "A stage becomes a model, a model becomes a run", body)


def ant_curve():
    rows = [tuple(map(float, line.split(","))) for line in (ROOT / "docs" / "notes" / "ant_curve.csv").read_text(encoding="utf-8").splitlines()[1:]]
    left, top, width, height, most_steps, most = 70, 44, 620, 230, 3.0, 9000

    def place(steps, value):
        return left + width * steps / (1e6 * most_steps), top + height * (1 - value / most)

    body = []
    for value in range(0, most + 1, 3000):
        y = place(0, value)[1]
        body += [f"<line x1='{left}' y1='{y:.1f}' x2='{left + width}' y2='{y:.1f}' stroke='#d7dbe0'/>", text(left - 8, y + 4, f"{value}", 12, PALE, anchor="end")]
    for million in range(4):
        x = place(1e6 * million, 0)[0]
        body += [f"<line x1='{x:.1f}' y1='{top}' x2='{x:.1f}' y2='{top + height}' stroke='#d7dbe0'/>", text(x, top + height + 18, f"{million} million" if million else "0", 12, PALE)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*row) for row in rows))
    body += [f"<polyline points='{points}' fill='none' stroke='#2459b8' stroke-width='2'/>", text(left + width / 2, top + height + 38, "steps of all worlds together", 12, PALE),
             text(left, 26, "mean return of the last 100 episodes", 13, INK, anchor="start")]
    return picture(720, 320, "An ant learns to walk: mean return over environment steps", body)


def drawings():
    return {"overview.svg": overview(), "rooms.svg": rooms(), "joint.svg": way("A joint, from the file to a recording", JOINT),
            "contact.svg": way("A contact pair, from the file to a wrench", CONTACT), "ant_curve.svg": ant_curve()}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a drawing is out of date")
    options = parser.parse_args(arguments)
    stale = []
    for name, svg in drawings().items():
        path = FOLDER / name
        if path.exists() and path.read_text(encoding="utf-8") == svg:
            continue
        stale.append(name)
        if not options.check:
            FOLDER.mkdir(parents=True, exist_ok=True)
            path.write_text(svg, encoding="utf-8")
    if options.check and stale:
        print(f"out of date: {', '.join(stale)}; run: python3 tools/drawings.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
