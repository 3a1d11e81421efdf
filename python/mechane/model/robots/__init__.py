"""Robots of URDF and MJCF straight into a builder, by the rules, the names and the order of Newton 1.8.

`add_urdf` and `add_mjcf` come here under `compat` "newton-1.8"; else a robot becomes OpenUSD first, and is imported like any stage.
"""

__all__: list[str] = []
