#!/usr/bin/env python3
"""Draws docs/softstep.svg: a step with its substeps, a substep with its sweeps, and colours with their packets.

usage: softstep_drawing.py [--check]

--check writes nothing and exits 1 when the drawing is out of date.
"""
import argparse
import pathlib
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "softstep.svg"
WIDTH, HEIGHT = 960, 600
INK, SOFT = "#24292f", "#8c959f"
COLOURS = ("#54aeff", "#ffb77c", "#6fdd8b", "#d8b9ff")
SUBSTEPS = 8  # of a step, as SolverOptions has it
PHASES = (("rows", "positions to rows", 120), ("predict", "v += h a", 120), ("warm start", "old impulses", 120), ("bias sweeps", "at most 4, impacts 10", 170),
          ("move", "x += h v", 110), ("relaxation sweeps", "at most 4, bias 0", 170), ("rebound", "impacts only", 110))
WALL = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)]  # boxes of a wall: column, row
LANES = 8


def text(x, y, words, size=14, anchor="start", fill=INK, weight="normal"):
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{fill}" font-weight="{weight}">{words}</text>'


def box(x, y, width, height, fill="none", stroke=INK):
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}" stroke="{stroke}"/>'


def line(x0, y0, x1, y1, stroke=SOFT):
    return f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="{stroke}"/>'


def pairs():
    """Pairs of boxes that touch, in the order in which a pipeline finds them."""
    found = []
    for a, (column, row) in enumerate(WALL):
        for b in range(a + 1, len(WALL)):
            other = WALL[b]
            if other[1] == row + 1 and abs(other[0] + 0.5 * other[1] - column - 0.5 * row) < 1:
                found.append((a, b))
    return found


def colouring(touching):
    """The first colour that neither box of a pair has yet."""
    taken, out = {}, []
    for a, b in touching:
        colour = next(c for c in range(len(touching)) if c not in taken.get(a, ()) and c not in taken.get(b, ()))
        for body in (a, b):
            taken.setdefault(body, set()).add(colour)
        out.append(colour)
    return out


def draw():
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>']
    # A step and its substeps.
    out.append(text(20, 30, "A step of dt: contacts are found once, then eight substeps of h = dt / 8", weight="bold"))
    width = (WIDTH - 40) / SUBSTEPS
    for i in range(SUBSTEPS):
        out.append(box(20 + i * width, 42, width, 30, fill="#eaeef2" if i == 2 else "none"))
        out.append(text(20 + (i + 0.5) * width, 62, str(i + 1), anchor="middle"))
    # A substep and its phases.
    out += [line(20 + 2 * width, 72, 20, 110), line(20 + 3 * width, 72, WIDTH - 20, 110)]
    x = 20
    for name, note, size in PHASES:
        out += [box(x, 110, size, 50, fill="#eaeef2" if "sweeps" in name else "none"), text(x + size / 2, 132, name, anchor="middle"),
                text(x + size / 2, 151, note, size=11, anchor="middle", fill=SOFT)]
        x += size
    # A sweep: one pass over all rows, direction by turns.
    out.append(text(20, 200, "A sweep passes all rows of an island once; every second one backwards", weight="bold"))
    for i, name in enumerate(("general rows", "limits, friction of dofs", "contacts: turning, friction, normal")):
        out += [box(20 + 300 * i, 214, 280, 30), text(160 + 300 * i, 234, name, anchor="middle")]
        if i:
            out.append(line(300 * i, 229, 20 + 300 * i, 229, INK))
    # Colours: a wall of boxes.
    touching = pairs()
    colours = colouring(touching)
    out.append(text(20, 290, "Colours: two pairs of one colour share no body that moves", weight="bold"))
    size = 70

    def centre(i):
        column, row = WALL[i]
        return 60 + size * (column + 0.5 * row) + size / 2, 530 - size * row - size / 2

    for i, _ in enumerate(WALL):
        cx, cy = centre(i)
        out += [box(cx - size / 2 + 2, cy - size / 2 + 2, size - 4, size - 4), text(cx, cy + 5, chr(ord("A") + i), anchor="middle")]
    for (a, b), colour in zip(touching, colours):
        (ax, ay), (bx, by) = centre(a), centre(b)
        out.append(f'<circle cx="{(ax + bx) / 2}" cy="{(ay + by) / 2}" r="9" fill="{COLOURS[colour]}" stroke="{INK}"/>')
    # Packets.
    out.append(text(420, 290, "A packet: up to eight pairs of one colour, one in each lane", weight="bold"))
    for colour in range(max(colours) + 1):
        mine = [pair for pair, c in zip(touching, colours) if c == colour]
        y = 320 + 62 * colour
        for lane in range(LANES):
            out.append(box(420 + 62 * lane, y, 62, 40, fill=COLOURS[colour] if lane < len(mine) else "none"))
            if lane < len(mine):
                out.append(text(451 + 62 * lane, y + 26, "".join(chr(ord("A") + body) for body in mine[lane]), anchor="middle"))
    out.append(text(420, 320 + 62 * (max(colours) + 1) + 8, "Colours follow each other; packets of one colour may run on several threads.", size=12))
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    args = parser.parse_args()
    if args.check:
        return 0 if PAGE.exists() and PAGE.read_text() == draw() else 1
    PAGE.write_text(draw())
    return 0


if __name__ == "__main__":
    sys.exit(main())
