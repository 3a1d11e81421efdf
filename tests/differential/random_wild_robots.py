"""Robots as random_robots draws them, with what is rare there: impossible inertias, mirrored meshes, mimics in rings, joints that say one side only, infinite and reversed
limits, drives without gains, filters by relationships and collections, subsets and instances with colours."""
from tests.differential import random_robots
from tests.differential.random_physics import QUATERNIONS


class Writer(random_robots.Writer):
    """The same seed draws another stage than random_robots does."""

    def __init__(self, seed):
        self.wild = True
        super().__init__(f"wild {seed}")

    def masses(self, body):
        lines = super().masses(body)
        if self.maybe(0.3):  # no body has moments of which one is more than the sum of the others
            moments = self.one(((1, 1, 3), (0.1, 5, 0.2), (0, 1, 1), (1, 1, 2), (2, 0.001, 0.001)))
            lines = [line for line in lines if "diagonalInertia" not in line]
            lines += [f"float3 physics:diagonalInertia = {moments}", *self.some(0.5, f"quatf physics:principalAxes = {self.one(QUATERNIONS)}")]
        if self.maybe(0.1):
            lines = [line for line in lines if "physics:mass" not in line] + [f"float physics:mass = {self.one(('1e-6', '1e6', 'inf', '-1', '0'))}"]
        return list(dict.fromkeys(lines))

    def freedom(self, kind):
        schemas, lines = super().freedom(kind)
        out = []
        for line in lines:
            if ("Limit = " in line or ":low = " in line or ":high = " in line) and self.maybe(0.15):
                line = line.split(" = ")[0] + " = " + self.one(("inf", "-inf", "1e10", "-1e10", "0", "400", "-400"))
            if (":stiffness = " in line or ":damping = " in line or ":maxForce = " in line) and self.maybe(0.15):
                line = line.split(" = ")[0] + " = " + self.one(("0", "inf", "1e12", "-3"))
            out.append(line)
        if kind in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint") and self.maybe(0.1):
            out = [line for line in out if "physics:axis" not in line]
        return schemas, out

    def joint(self, name, parent, child, schemas=(), kind=None, more=(), turned=False):
        more = [*more, *self.some(0.1, "uniform bool physics:excludeFromArticulation = 1"), *self.some(0.1, f"float physics:breakForce = {self.one(('inf', '0', '-1', '20'))}")]
        text = super().joint(name, parent, child, schemas, kind, more, turned)
        if parent and self.maybe(0.06):  # one side only
            text = "\n".join(line for line in text.split("\n") if "physics:body0" not in line)
            text = text.replace("physics:body1", "physics:body0") if self.maybe(0.5) else text
        return text

    def body(self, above, name, inside="", base=False, loose=False):
        text = super().body(above, name, inside, base, loose)
        return text

    def operations(self, scales=0.25, reset=False, uneven=False):
        return super().operations(scales, reset, uneven)
