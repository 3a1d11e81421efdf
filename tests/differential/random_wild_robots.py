"""Robots as random_robots draws them, with what is rare there: impossible inertias and masses, limits without an end or on the wrong side, drives without gains, joints
that are excluded, break or name one side only, mimics that follow themselves or a follower, and subsets, instances and bodies that have colours, groups and pairs of their own."""
from tests.differential import random_robots
from tests.differential.random_physics import QUATERNIONS

MOMENTS = ((1, 1, 3), (0.1, 5, 0.2), (0, 1, 1), (1, 1, 2), (2, 0.001, 0.001))


class Writer(random_robots.Writer):
    """The same seed draws another stage than random_robots does."""

    def __init__(self, seed):
        super().__init__(f"wild {seed}")
        # Newton keeps a joint whose two ends have become one body.
        if '"loop"' in self.text or '"twin"' in self.text:
            self.options.pop("collapse_fixed_joints", None)

    def masses(self, body):
        lines = super().masses(body)
        if self.maybe(0.3):  # of no body is one moment more than the sum of the others
            lines = [line for line in lines if "diagonalInertia" not in line and "principalAxes" not in line]
            lines += [f"float3 physics:diagonalInertia = {self.one(MOMENTS)}", *self.some(0.5, f"quatf physics:principalAxes = {self.one(QUATERNIONS)}")]
        if self.maybe(0.1):
            lines = [line for line in lines if "physics:mass" not in line] + [f"float physics:mass = {self.one(('1e-6', '1e6', 'inf', '-1', '0'))}"]
        return lines

    def freedom(self, kind):
        """No bound without end on the wrong side alone, no endless gain, no negative one: Newton takes them as they are, and makes targets of 5e9 of the first."""
        schemas, lines = super().freedom(kind)
        for i, line in enumerate(lines):
            name = line.split(" = ")[0]
            if self.maybe(0.15):
                if name.endswith(("lowerLimit", ":low")):
                    lines[i] = f"{name} = {self.one(('-inf', '-1e10', '0', '-400', '400'))}"
                elif name.endswith(("upperLimit", ":high")):
                    lines[i] = f"{name} = {self.one(('inf', '1e10', '0', '400', '-400'))}"
                elif name.endswith((":stiffness", ":damping")):
                    lines[i] = f"{name} = {self.one(('0', '1e9'))}"
                elif name.endswith(":maxForce"):
                    lines[i] = f"{name} = {self.one(('0', 'inf'))}"
        return schemas, [line for line in lines if "physics:axis" not in line or self.maybe(0.8)]

    def joint(self, name, parent, child, schemas=(), kind=None, more=(), turned=False):
        more = [*more, *self.some(0.1, f"float physics:breakForce = {self.one(('inf', '0', '-1', '20'))}")]
        if name not in ("loop", "anchor") and self.maybe(0.05):
            more.append("uniform bool physics:excludeFromArticulation = 1")
        text = super().joint(name, parent, child, schemas, kind, more, turned)
        path = f"/W/{child.split('/')[2]}/joints/{name}"
        if "Mimic" not in text and self.maybe(0.03):  # after itself, or after one that follows
            text = text.replace(" (\n", ' (\nprepend apiSchemas = ["NewtonMimicAPI"]\n', 1) if "apiSchemas" not in text else text
            text = text.replace("{\n", f"{{\nrel newton:mimicJoint = <{self.one([path, *(leader for leader, _ in self.turning)])}>\n", 1)
        if parent and self.maybe(0.04):  # one side only
            text = "\n".join(line for line in text.split("\n") if "physics:body0" not in line)
        return text

    def geometry(self, above, name, collides, ground=True, weighs=True):
        text = super().geometry(above, name, collides, ground, weighs)
        if text.startswith("def Mesh") and self.looks and self.maybe(0.3):
            subset = self.prim("GeomSubset", "part", ['uniform token elementType = "face"', 'uniform token familyName = "materialBind"', "int[] indices = [0, 1]",
                                                      *self.targets("material:binding", self.looks)], ["MaterialBindingAPI"])
            text = text.rstrip()[:-1] + subset + "}\n"
        return text

    def group(self, name):
        text = super().group(name)
        if self.maybe(0.3):  # all below a place, but for some of it
            text = text.replace("{\n", f'{{\nuniform token collection:colliders:expansionRule = "{self.one(("expandPrims", "explicitOnly"))}"\n'
                                       + "".join(line + "\n" for line in self.targets("collection:colliders:excludes", self.colliders)), 1)
        return text
