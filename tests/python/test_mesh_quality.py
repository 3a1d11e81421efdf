"""Checks of meshes for soft things, graph colouring, surfaces with a thickness."""
import math

import mechane as mc
import numpy as np
import pytest

REGULAR = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], float)


def issues(call, *arguments, **keywords):
    import warnings
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call(*arguments, **keywords)
    return (found["issues"] if isinstance(found, dict) else found), [str(w.message) for w in caught]


def test_a_regular_tetrahedron_has_nothing_wrong_and_shape_one():
    """eta is 1 there by its definition, so every bound up to 1 lets it pass and none above"""
    order = (0, 1, 2, 3) if np.linalg.det(REGULAR[1:] - REGULAR[0]) > 0 else (0, 2, 1, 3)
    assert issues(mc.utils.validate_tet_mesh, REGULAR, [order], min_eta=0.999999) == ([], [])
    found, told = issues(mc.utils.validate_tet_mesh, REGULAR, [order], min_eta=1.000001, label="gem")
    assert len(found) == 1 and "slivers" in found[0] and "mesh of tetrahedra gem of 4 vertices" in told[0]


def test_tetrahedra_that_are_turned_flat_or_shared_are_counted():
    turned = [(0, 2, 1, 3), (0, 1, 2, 3)]
    found, _ = issues(mc.utils.validate_tet_mesh, REGULAR, turned)
    assert found == ["1 of 2 tetrahedra are inverted"]
    flat = REGULAR.copy()
    flat[:, 2] = 0
    found, _ = issues(mc.utils.validate_tet_mesh, flat, [(0, 1, 2, 3)])
    assert len(found) == 2 and "volume below 1e-09 m^3" in found[0] and "slivers" in found[1]
    three = np.vstack([REGULAR, (5, 5, 5), (9, 0, 0)])
    found, _ = issues(mc.utils.validate_tet_mesh, three, [(0, 1, 2, 3), (0, 1, 2, 4), (0, 1, 2, 5)], min_eta=0)
    assert "1 faces belong to more than two tetrahedra" in found


def test_triangles_by_area_shape_and_angle():
    """A right triangle of legs 1 and 0.02: area 0.01, longest side over shortest height about 50, sharpest angle atan(0.02) = 1.15 degrees"""
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 0.02, 0)], float)
    found, told = issues(mc.utils.validate_triangle_mesh, points, [(0, 1, 2)])
    assert len(found) == 2 and "slivers" in found[0] and "50.0" in found[0] and f"at least {math.degrees(math.atan(0.02)):.1f}" in found[1] and len(told) == 1
    assert issues(mc.utils.validate_triangle_mesh, points, [(0, 1, 2)], max_aspect_ratio=51, min_angle_deg=1)[0] == []
    assert "area below 0.02" in issues(mc.utils.validate_triangle_mesh, points, [(0, 1, 2)], min_area=0.02, max_aspect_ratio=51, min_angle_deg=1)[0][0]


@pytest.mark.parametrize("call, width", [(mc.utils.validate_tet_mesh, 4)])
def test_lists_that_are_none_are_told(call, width):
    for indices, text in (([], "there are no"), ([0] * (width + 1), "expected (n,"), ([9] * width, "is not one of the 4 vertices"), ([-1] * width, "is not one of")):
        found, told = issues(call, REGULAR, indices)
        assert len(found) == len(told) == 1 and text in found[0]


def proper(groups, count, edges):
    color = {int(n): c for c, group in enumerate(groups) for n in group}
    return sorted(color) == list(range(count)) and all(color[a] != color[b] for a, b in edges)


def test_colours_of_drawn_graphs_are_proper_and_few():
    """No edge within a group; never more groups than the largest degree and one, Brooks' bound of greedy colouring"""
    chance = np.random.default_rng(5)
    for count in (1, 2, 7, 40, 200):
        for density in (0.02, 0.2, 0.7):
            edges = [(a, b) for a in range(count) for b in range(a) if chance.random() < density]
            degree = max([0, *np.bincount(np.array(edges, int).reshape(-1), minlength=count)])
            for algorithm in ("mcs", "greedy"):
                for balance in (False, True):
                    groups = mc.utils.color_graph(count, np.array(edges, int).reshape(-1, 2), balance_colors=balance, algorithm=algorithm)
                    assert proper(groups, count, edges) and len(groups) <= degree + 1


def test_chordal_graphs_get_the_fewest_colours_and_groups_are_evened_out():
    """Interval graphs are chordal: as many colours as intervals meet at one point. A star's leaves cannot be evened out, loose nodes can."""
    starts = np.random.default_rng(3).random(80)
    edges = [(a, b) for a in range(80) for b in range(a) if abs(starts[a] - starts[b]) < 0.1]
    most = max(sum(s <= x < s + 0.1 for s in starts) for x in starts)
    assert len(mc.utils.color_graph(80, np.array(edges), balance_colors=False)) == most
    star = mc.utils.color_graph(9, np.array([(0, i) for i in range(1, 9)]))
    assert sorted(map(len, star)) == [1, 8]
    pair = mc.utils.color_graph(10, np.array([(0, 1)]))
    assert sorted(map(len, pair)) == [5, 5]
    assert mc.utils.color_graph(0, np.zeros((0, 2), int)) == [] and [list(g) for g in mc.utils.color_graph(2, np.zeros((0, 2), int))] == [[0, 1]]


@pytest.mark.parametrize("edges, text", [([1, 2], "expected \\(edges, 2\\)"), ([(0, 5)], "not one of the 3 nodes"), ([(1, 1)], "than itself")])
def test_edges_that_are_none_are_refused(edges, text):
    with pytest.raises(ValueError, match=text):
        mc.utils.color_graph(3, np.array(edges))
    with pytest.raises(ValueError, match="'mcs' or 'greedy'"):
        mc.utils.color_graph(3, np.array([(0, 1)]), algorithm="best")


def test_a_plate_becomes_closed_prisms_of_its_area_times_twice_the_thickness():
    """Two triangles of a unit square, 0.1 before and behind: each prism holds 0.5 * 0.2 m^3 and is closed"""
    points, faces = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float), [(0, 1, 2), (0, 2, 3)]
    rows, vertices = mc.utils.solidify_mesh(faces, points, 0.1)
    assert rows.shape == (16, 3) and vertices.shape == (8, 3) and np.allclose(vertices[::2, 2], 0.1) and np.allclose(vertices[1::2, 2], -0.1)
    for prism in (rows[:8], rows[8:]):
        corners = vertices[prism]
        assert np.einsum("ni,ni->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6 == pytest.approx(0.1)
        edges = {(int(a), int(b)) for row in prism for a, b in zip(row, np.roll(row, -1))}
        assert len(edges) == 24 and all((b, a) in edges for a, b in edges)
    _, each = mc.utils.solidify_mesh(faces, points, [0.1, 0.2, 0.3, 0.4])
    assert np.allclose(each[::2, 2], [0.1, 0.2, 0.3, 0.4])
    for wrong, text in (([0.1] * 3, "shape"), ("thick", "thickness|could not")):
        with pytest.raises(ValueError, match=text):
            mc.utils.solidify_mesh(faces, points, wrong)
    with pytest.raises(ValueError, match="not one of the 4"):
        mc.utils.solidify_mesh([(0, 1, 9)], points, 0.1)
