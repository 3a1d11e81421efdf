"""What notebooks show of models and meshes. Importing it gives the classes their `_repr_html_`; pictures are drawn when one is asked for."""
from __future__ import annotations

import html

from ..geometry.mesh import Mesh
from ..model.builder import ModelBuilder
from ..model.model import Model

__all__ = ["mesh_html", "model_html"]


def mesh_html(mesh: Mesh) -> str:
    """Its numbers, and a picture where it has triangles."""
    from .draw import picture, render

    text = html.escape(repr(mesh))
    if not len(mesh.indices):
        return f"<p>{text}</p>"
    b = ModelBuilder()
    b.add_shape_mesh(b.add_link(mass=1.0, inertia=(1, 0, 0, 0, 1, 0, 0, 0, 1)), mesh=mesh, cfg=ModelBuilder.ShapeConfig(density=0.0))
    return f"<p>{text}</p>{picture(render(b.finalize(skip_all_validations=True), size=(320, 240)))}"


def model_html(model: Model) -> str:
    """Its counts, and a picture where there is something to draw."""
    from .draw import picture, render

    rows = (("worlds", model.world_count), ("bodies", model.body_count), ("joints", model.joint_count), ("dof", model.joint_dof_count),
            ("shapes", model.shape_count), ("articulations", model.articulation_count))
    head = "".join(f"<tr><td>{html.escape(k)}</td><td>{v}</td></tr>" for k, v in rows)
    drawn = picture(render(model, size=(480, 270))) if model.shape_count and model.body_count else ""
    return f"<table><tbody>{head}</tbody></table>{drawn}"


Mesh._repr_html_ = mesh_html  # type: ignore[attr-defined]
Model._repr_html_ = model_html  # type: ignore[attr-defined]
