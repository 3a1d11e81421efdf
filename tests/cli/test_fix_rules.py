"""Broken assets of several layers, arcs and encodings, repaired: the finding is gone, none came, and what is composed is the same."""
import json
import os
import pathlib
import tempfile
import unittest

from tests.cli.program import mechane

HEAD = """#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = 1
    metersPerUnit = 1
%s    timeCodesPerSecond = 1
    upAxis = "Z"
)
"""
LAYER = HEAD % ""


def units(meters="1", kilograms="1", axis="Z"):
    return f'#usda 1.0\n(\n    defaultPrim = "robot"\n    kilogramsPerUnit = {kilograms}\n    metersPerUnit = {meters}\n    timeCodesPerSecond = 1\n    upAxis = "{axis}"\n)\n'


IDENTITY = """    assetInfo = {
        string identifier = "urn:example:robot"
        string version = "1.0.0"
    }
    kind = "component"
"""


def entry(arcs, apis="", inside="", head=LAYER):
    return f'{head}\ndef Xform "robot" (\n{IDENTITY}    {arcs}\n{apis})\n{{\n{inside}}}\n'


def sublayers(*files):
    return HEAD % ("    subLayers = [" + ", ".join(f"@./{file}@" for file in files) + "]\n") + f'\nover "robot" (\n{IDENTITY})\n{{\n}}\n'


PLACED = """        quatf xformOp:orient = (1, 0, 0, 0)
        double3 xformOp:translate = (0, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
"""
BASE = LAYER + '\ndef Xform "robot"\n{\n    def Xform "a" (\n        kind = "subcomponent"\n    )\n    {\n' + PLACED + "    }\n}\n"
BODY = 'prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]'
PHYSICS = LAYER + f'\nover "robot"\n{{\n    over "a" (\n        {BODY}\n    )\n    {{\n        float physics:mass = 1\n    }}\n}}\n'
SCENE = '    def PhysicsScene "scene"\n    {\n    }\n'
CUBE = '        def Cube "look"\n        {\n            double size = 0.1\n        }\n'
TOPIC = """    def Xform "scan" (
        prepend apiSchemas = ["RosTopicAPI"]
    )
    {
        string ros:topic:name = "scan"
        double ros:topic:publish_rate = 10
        token ros:topic:role = "publisher"
        string ros:topic:type = "sensor_msgs/msg/LaserScan"
    }
"""
LINK = '    def Xform "a" (\n        kind = "subcomponent"\n        %s\n    )\n    {\n        float physics:mass = 1\n' % BODY + PLACED + "%s    }\n"
MIXED = LAYER + '\ndef Xform "robot"\n{\n' + LINK % CUBE + "%s}\n"
PLAIN = LINK.replace("        %s\n    )" % BODY, "    )").replace("        float physics:mass = 1\n", "")
HEAVY = "        def Points \"cloud\"\n        {\n            point3f[] points = [" + ", ".join(f"({i}, 0, 0)" for i in range(1001)) + "]\n        }\n"
MESH = """        def Mesh "m" (
            prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "MaterialBindingAPI"]
        )
        {
            int[] faceVertexCounts = [3, 3, 3, 3]
            int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
            uniform token physics:approximation = "convexHull"
            point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
            token purpose = "guide"
            uniform token subdivisionScheme = "none"
        }
"""


def robot(inside, head=LAYER, apis='    prepend apiSchemas = ["RosContextAPI"]\n', space='    string ros:context:namespace = "robot"\n'):
    return f'{head}\ndef Xform "robot" (\n{IDENTITY}{apis})\n{{\n{space}{inside}}}\n'


PHYSX = '    over "a"\n    {\n        custom float physxRigidBody:linearDamping = 0.25\n    }\n'

#: name -> (rule, files; "#crate" in front of a text stores it as one). Everything but units composes the same afterwards.
LAYERED = {
    "looks and physics in one reference": ("1.2.1-a", {"robot.usda": entry("prepend references = @./parts.usda@"), "parts.usda": MIXED % SCENE}),
    "looks and physics in one sublayer": ("1.2.1-a", {"robot.usda": sublayers("parts.usda"), "parts.usda": MIXED % SCENE}),
    "looks and physics in a part of another folder": ("1.2.1-a", {"robot.usda": entry("prepend references = @./parts/body.usda@"), "parts/body.usda": MIXED % SCENE}),
    "looks and an interface": ("1.2.1-a", {"robot.usda": entry("prepend references = @./parts.usda@"),
                                          "parts.usda": LAYER + '\ndef Xform "robot" (\n    prepend apiSchemas = ["RosContextAPI"]\n)\n{\n    string ros:context:namespace = "robot"\n' + PLAIN % CUBE + TOPIC + "}\n"}),
    "looks, physics and an interface": ("1.2.1-a", {"robot.usda": entry("prepend references = @./parts.usda@", '    prepend apiSchemas = ["RosContextAPI"]\n', '    string ros:context:namespace = "robot"\n'),
                                                   "parts.usda": MIXED % (SCENE + TOPIC)}),
    "looks and physics in a variant": ("1.2.1-a", {"robot.usda": entry("prepend references = @./parts.usda@"), "parts.usda": LAYER + '\ndef Xform "robot" (\n    prepend variantSets = "size"\n    variants = {\n        string size = "big"\n    }\n)\n{\n    variantSet "size" = {\n        "big" {\n'
                                                  + MIXED.split("{\n", 1)[1].rsplit("}\n", 1)[0] % "" + '        }\n        "small" {\n        }\n    }\n}\n'}),
    "a crate of interfaces": ("1.2.1-b", {"robot.usda": entry("prepend references = [@./ros.usd@, @./base.usda@]"), "base.usda": BASE,
                                          "ros.usd": "#crate" + LAYER + '\nover "robot" (\n    prepend apiSchemas = ["RosContextAPI"]\n)\n{\n    string ros:context:namespace = "robot"\n}\n'}),
    "a crate of physics": ("1.2.1-b", {"robot.usda": entry("prepend references = [@./physics.usdc@, @./base.usda@]"), "base.usda": BASE, "physics.usdc": "#crate" + PHYSICS}),
    "a crate of physics as sublayer": ("1.2.1-b", {"robot.usda": sublayers("physics.usdc", "base.usda"), "base.usda": BASE, "physics.usdc": "#crate" + PHYSICS}),
    "large arrays in one text": ("1.2.1-c", {"robot.usda": robot(PLAIN % HEAVY)}),
    "large arrays in a text payload": ("1.2.1-c", {"robot.usda": entry("prepend payload = @./geometries.usda@"), "geometries.usda": LAYER + '\ndef Xform "robot"\n{\n    def Xform "a" (\n        kind = "subcomponent"\n    )\n    {\n' + HEAVY + "    }\n}\n"}),
    "physics in geometry": ("1.2.1-d", {"robot.usda": entry("prepend payload = @./geometries.usda@"), "geometries.usda": LAYER + '\ndef Xform "robot"\n{\n    def Xform "a"\n    {\n' + MESH + "    }\n}\n"}),
    "a mass in the base": ("1.2.1-g", {"robot.usda": entry("prepend references = @./base.usda@"), "base.usda": MIXED.replace("def Cube", "over") % "" if False else LAYER + '\ndef Xform "robot"\n{\n' + LINK % "" + "}\n"}),
    "a mass in the base beside physics": ("1.2.1-g", {"robot.usda": entry("prepend references = [@./physics.usda@, @./base.usda@]"), "base.usda": LAYER + '\ndef Xform "robot"\n{\n' + LINK % "" + "}\n",
                                                     "physics.usda": LAYER + '\nover "robot"\n{\n' + SCENE + "}\n"}),
    "a mass in a base that is a sublayer": ("1.2.1-g", {"robot.usda": sublayers("physics.usda", "base.usda"), "base.usda": LAYER + '\ndef Xform "robot"\n{\n' + LINK % "" + "}\n",
                                                       "physics.usda": LAYER + '\nover "robot"\n{\n' + SCENE + "}\n"}),
    "a context in physics": ("1.2.1-h", {"robot.usda": entry("prepend references = [@./physics.usda@, @./base.usda@]"), "base.usda": BASE,
                                        "physics.usda": LAYER + '\nover "robot" (\n    prepend apiSchemas = ["RosContextAPI"]\n)\n{\n    string ros:context:namespace = "robot"\n' + SCENE + "}\n"}),
    "a topic in physics beside ros": ("1.2.1-h", {"robot.usda": entry("prepend references = [@./ros.usda@, @./physics.usda@, @./base.usda@]"), "base.usda": BASE,
                                                 "ros.usda": LAYER + '\nover "robot" (\n    prepend apiSchemas = ["RosContextAPI"]\n)\n{\n    string ros:context:namespace = "robot"\n}\n',
                                                 "physics.usda": LAYER + '\nover "robot"\n{\n' + SCENE + TOPIC + "}\n"}),
    "a mass in ros": ("1.2.1-h", {"robot.usda": entry("prepend references = [@./ros.usda@, @./base.usda@]"), "base.usda": BASE,
                                 "ros.usda": LAYER + '\nover "robot" (\n    prepend apiSchemas = ["RosContextAPI"]\n)\n{\n    string ros:context:namespace = "robot"\n' + PHYSICS.split("{\n", 1)[1].rsplit("}\n", 1)[0] + "}\n"}),
    "physics in an entry of several layers": ("1.2.1-i", {"robot.usda": entry("prepend references = @./base.usda@", inside=SCENE), "base.usda": BASE}),
    "a frame in an entry of several layers": ("1.2.1-h", {"robot.usda": entry("prepend references = [@./physics.usda@, @./base.usda@]", inside='    over "a"\n    {\n        def Xform "f" (\n            prepend apiSchemas = ["RosFrameAPI"]\n        )\n        {\n        }\n    }\n'),
                                                         "base.usda": BASE, "physics.usda": PHYSICS}),
    "another name": ("1.2.1-k", {"robot.usda": entry("prepend references = [@./phys.usda@, @./base.usda@]"), "base.usda": BASE, "phys.usda": PHYSICS}),
    "another name as sublayer": ("1.2.1-k", {"robot.usda": sublayers("phys.usda", "base.usda"), "base.usda": BASE, "phys.usda": PHYSICS}),
    "large geometry by reference": ("1.2.3-b", {"robot.usda": entry("prepend references = @./geometries.usdc@"), "geometries.usdc": "#crate" + LAYER + '\ndef Xform "robot"\n{\n' + HEAVY + "}\n"}),
    "large geometry by reference, overridden": ("1.2.3-b", {"robot.usda": entry("prepend references = [@./geometries.usdc@, @./base.usda@]"),
                                                           "base.usda": LAYER + '\ndef Xform "robot"\n{\n    def Points "cloud"\n    {\n        token purpose = "render"\n    }\n}\n',
                                                           "geometries.usdc": "#crate" + LAYER + '\ndef Xform "robot"\n{\n' + HEAVY.replace("{\n", '{\n            token purpose = "proxy"\n', 1) + "}\n"}),
    "large geometry as sublayer": ("1.2.3-b", {"robot.usda": sublayers("geometries.usdc"), "geometries.usdc": "#crate" + LAYER + '\ndef Xform "robot"\n{\n' + HEAVY + "}\n"}),
    "links by payload": ("1.2.3-c", {"robot.usda": entry("prepend references = @./base.usda@"), "base.usda": LAYER + '\ndef Xform "robot"\n{\n    def Xform "arm" (\n        kind = "subcomponent"\n        prepend payload = @./physics.usda@</arm>\n    )\n    {\n    }\n}\n',
                                    "physics.usda": LAYER + '\nover "arm"\n{\n' + LINK % "" + "}\n"}),
    "the features by payload of the entry": ("1.2.3-c", {"robot.usda": entry("prepend payload = [@./physics.usda@, @./base.usda@]"), "base.usda": BASE, "physics.usda": PHYSICS}),
    "a topic by payload": ("2.2-d", {"robot.usda": entry("prepend references = @./base.usda@", '    prepend apiSchemas = ["RosContextAPI"]\n', '    string ros:context:namespace = "robot"\n'),
                                    "base.usda": LAYER + '\ndef Xform "robot"\n{\n    def Xform "arm" (\n        kind = "subcomponent"\n        prepend payload = @./ros.usda@</arm>\n    )\n    {\n    }\n}\n',
                                    "ros.usda": LAYER + '\ndef Xform "arm"\n{\n' + TOPIC + "}\n"}),
    "a context by payload": ("2.1.1-g", {"robot.usda": entry("prepend references = @./base.usda@"),
                                        "base.usda": LAYER + '\ndef Xform "robot"\n{\n    def Xform "arm" (\n        kind = "subcomponent"\n        prepend payload = @./ros.usda@</arm>\n    )\n    {\n    }\n}\n',
                                        "ros.usda": LAYER + '\nover "arm" (\n    prepend apiSchemas = ["RosContextAPI"]\n)\n{\n    string ros:context:namespace = "arm"\n}\n'}),
}
#: What a vendor adds leaves the entry for a second one.
VENDORS = {
    "a vendor's word in physics": ("1.2.1-j", {"robot.usda": entry("prepend references = [@./physics.usda@, @./base.usda@]"), "base.usda": BASE, "physics.usda": PHYSICS.rsplit("}\n", 1)[0] + PHYSX.replace('over "a"', 'def PhysicsScene "s"') + "}\n"}),
    "a vendor's word in a part": ("1.2.1-j", {"robot.usda": entry("prepend references = @./base.usda@"), "base.usda": LAYER + '\ndef Xform "robot"\n{\n    def Xform "arm" (\n        kind = "subcomponent"\n        prepend references = @./arm.usda@</part>\n    )\n    {\n    }\n}\n',
                                             "arm.usda": LAYER + '\ndef Xform "part"\n{\n    def Xform "a" (\n        kind = "subcomponent"\n    )\n    {\n        custom float physxRigidBody:linearDamping = 0.25\n        custom rel physxRigidBody:other = </part>\n' + CUBE + '    }\n}\n'}),
}
#: Of one layer, or repaired in another way than by moving what is said.
SINGLE = {
    "an optical frame beside its camera": ("2.8-b", {"robot.usda": robot('    def Camera "eye"\n    {\n        def Xform "eye_optical_frame" (\n            prepend apiSchemas = ["RosFrameAPI"]\n        )\n        {\n'
        '            quatf xformOp:orient = (0, 1, 0, 0)\n            double3 xformOp:translate = (0, 0, 0.5)\n            uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]\n        }\n    }\n')}),
    "an approximation that nobody knows": ("1.3.1-b", {"robot.usda": robot(LINK % MESH.replace("convexHull", "hull"))}),
    "all that is seen, in a scope for collisions": ("1.3.1-a", {"robot.usda": robot(LINK % ('        def Scope "collision"\n        {\n' + MESH.replace('            token purpose = "guide"\n', "") + "        }\n"))}),
    "another fidelity": ("1.3.1-d", {"robot.usda": robot('    def Xform "b" (\n        kind = "subcomponent"\n        %s\n        prepend variantSets = "collision_fidelity"\n        variants = {\n            string collision_fidelity = "fine"\n        }\n    )\n    {\n        float physics:mass = 1\n' % BODY + PLACED +
        '        variantSet "collision_fidelity" = {\n            "hull" {\n' + MESH + '            }\n            "fine" {\n' + MESH.replace("convexHull", "none").replace("[3, 3, 3, 3]", "[3, 3, 3, 3, 3, 3]").replace("1, 2, 3]", "1, 4, 3, 1, 2, 4, 2, 3, 4]").replace("(0, 0, 1)]", "(0, 0, 1), (0.1, 0.1, 0.1)]") + "            }\n        }\n    }\n")}),
    "a material without its schema": ("1.3.4-b", {"robot.usda": robot('    def Material "plain"\n    {\n    }\n    def Cube "wall" (\n        prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]\n    )\n    {\n        rel material:binding:physics = </robot/plain>\n        token purpose = "guide"\n    }\n')}),
    "a material of another layer without its schema": ("1.3.4-b", {"robot.usda": robot('    def Material "plain" (\n        prepend references = @./materials.usda@</m>\n    )\n    {\n    }\n    def Cube "wall" (\n        prepend apiSchemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]\n    )\n    {\n        rel material:binding:physics = </robot/plain>\n        token purpose = "guide"\n    }\n'),
                                                                  "materials.usda": LAYER + '\ndef Material "m"\n{\n    float physics:staticFriction = 0.5\n}\n'}),
    "an anchor with a target": ("1.3-o", {"robot.usda": robot(LINK % "" + '    def PhysicsFixedJoint "base" (\n        prepend apiSchemas = ["PhysicsArticulationRootAPI"]\n    )\n    {\n        rel physics:body0 = </robot>\n        rel physics:body1 = </robot/a>\n    }\n')}),
    "an anchor with a target over static colliders": ("1.3-o", {"robot.usda": robot(LINK % MESH + '    def Cube "floor" (\n        prepend apiSchemas = ["PhysicsCollisionAPI"]\n    )\n    {\n        token purpose = "guide"\n    }\n    def PhysicsRevoluteJoint "base" (\n        prepend apiSchemas = ["PhysicsArticulationRootAPI"]\n    )\n    {\n        rel physics:body0 = </robot>\n        rel physics:body1 = </robot/a>\n        float physics:lowerLimit = -10\n        float physics:upperLimit = 20\n    }\n')}),
    "an anchor the wrong way round": ("1.3-o", {"robot.usda": robot(LINK % "" + '    def PhysicsRevoluteJoint "base" (\n        prepend apiSchemas = ["PhysicsArticulationRootAPI"]\n    )\n    {\n        uniform token physics:axis = "Z"\n        rel physics:body0 = </robot/a>\n        point3f physics:localPos0 = (0.1, 0, 0)\n        point3f physics:localPos1 = (0.1, 0, 0)\n        float physics:lowerLimit = -10\n        float physics:upperLimit = 20\n    }\n')}),
    "a kinematic base": ("1.3-o", {"robot.usda": robot(LINK % "        bool physics:kinematicEnabled = true\n" + LINK.replace('"a"', '"b"') % "" + '    def PhysicsRevoluteJoint "j" (\n        prepend apiSchemas = ["PhysicsArticulationRootAPI"]\n    )\n    {\n        rel physics:body0 = </robot/a>\n        rel physics:body1 = </robot/b>\n        float physics:lowerLimit = -10\n        float physics:upperLimit = 20\n    }\n')}),
    "an animated body": ("1.3-p", {"robot.usda": robot(LINK.replace("double3 xformOp:translate = (0, 0, 0)", "double3 xformOp:translate.timeSamples = {\n            0: (0, 0, 0),\n            1: (1, 0, 0),\n        }") % "" if False else (LINK % "").replace("double3 xformOp:translate = (0, 0, 0)", "double3 xformOp:translate.timeSamples = {\n            0: (0, 0, 0),\n            1: (1, 0, 0),\n        }"))}),
    "faces of four corners that move": ("3.4-a", {"robot.usda": robot(LINK % MESH.replace("[3, 3, 3, 3]", "[4, 4, 4, 4, 4, 4]").replace("[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]", "[0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7]")
        .replace("points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]", "points.timeSamples = {\n                0: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)],\n            }"))}),
    "faces that the mesh does not have": ("3.1-f", {"robot.usda": robot(LINK % MESH.replace("        }\n", '            def GeomSubset "s"\n            {\n                uniform token elementType = "face"\n                uniform token familyName = "materialBind"\n                int[] indices = [0, 9]\n            }\n        }\n'))}),
    "a frame that is a body": ("1.3-q", {"robot.usda": robot(LINK % (LINK.replace('"a"', '"camera_optical_frame"').replace('"PhysicsRigidBodyAPI", "PhysicsMassAPI"', '"PhysicsRigidBodyAPI"').replace("        float physics:mass = 1\n", "") % "") + '    def PhysicsFixedJoint "f" (\n    )\n    {\n        rel physics:body0 = </robot/a>\n        rel physics:body1 = </robot/a/camera_optical_frame>\n    }\n')}),
    "a type in the words of C++": ("2.3-a", {"robot.usda": robot(TOPIC.replace("sensor_msgs/msg/LaserScan", "sensor_msgs::msg::LaserScan"))}),
    "a type in the words of DDS": ("2.3-a", {"robot.usda": robot(TOPIC.replace("sensor_msgs/msg/LaserScan", "sensor_msgs::msg::dds_::LaserScan_"))}),
    "a type in the words of Python": ("2.3-a", {"robot.usda": robot(TOPIC.replace("sensor_msgs/msg/LaserScan", " sensor_msgs.msg.LaserScan"))}),
    "pictures on a camera that has its optical frame": ("2.8-a", {"robot.usda": robot('    def Camera "eye" (\n        prepend apiSchemas = ["RosTopicAPI"]\n    )\n    {\n        string ros:topic:name = "image"\n        double ros:topic:publish_rate = 10\n        token ros:topic:role = "publisher"\n        string ros:topic:type = "sensor_msgs/msg/Image"\n        def Xform "eye_optical_frame" (\n            prepend apiSchemas = ["RosFrameAPI"]\n        )\n        {\n            quatf xformOp:orient = (0, 1, 0, 0)\n            uniform token[] xformOpOrder = ["xformOp:orient"]\n        }\n    }\n')}),
    "a kinematic base that a joint holds as well": ("1.3-o", {"robot.usda": robot(LINK % "        bool physics:kinematicEnabled = true\n" + '    def PhysicsFixedJoint "base" (\n        prepend apiSchemas = ["PhysicsArticulationRootAPI"]\n    )\n    {\n        rel physics:body1 = </robot/a>\n    }\n' + LINK.replace('"a"', '"b"') % "" + '    def PhysicsRevoluteJoint "j"\n    {\n        rel physics:body0 = </robot/a>\n        rel physics:body1 = </robot/b>\n        float physics:lowerLimit = -10\n        float physics:upperLimit = 20\n    }\n')}),
    "angles of a stack that is sheared": ("1.1-i", {"robot.usda": robot('    def Xform "g"\n    {\n        float3 xformOp:scale = (1, 2, 1)\n        float3 xformOp:rotateXYZ = (10, 20, 30)\n        uniform token[] xformOpOrder = ["xformOp:scale", "xformOp:rotateXYZ"]\n        def Cube "c"\n        {\n            double size = 0.1\n        }\n    }\n')}),
    "Y up above a stack that is sheared": ("1.1-e", {"robot.usda": robot('    def Xform "g"\n    {\n        float3 xformOp:scale = (1, 2, 1)\n        quatf xformOp:orient = (0.5, 0.5, 0.5, 0.5)\n        quatf xformOp:orient:more = (0.9689124, 0.2474040, 0, 0)\n        uniform token[] xformOpOrder = ["xformOp:scale", "xformOp:orient", "xformOp:orient:more"]\n        def Cube "c"\n        {\n            double size = 0.1\n        }\n    }\n', head=units(axis="Y"))}),
    "an optical frame that is not turned": ("2.8-b", {"robot.usda": robot('    def Camera "eye"\n    {\n        def Xform "eye_optical_frame" (\n            prepend apiSchemas = ["RosFrameAPI"]\n        )\n        {\n            quatf xformOp:orient = (1, 0, 0, 0)\n            uniform token[] xformOpOrder = ["xformOp:orient"]\n        }\n    }\n')}),
    "an optical frame below a mount": ("2.8-b", {"robot.usda": robot('    def Camera "eye"\n    {\n        def Xform "mount"\n        {\n            quatf xformOp:orient = (0.70710677, 0, 0, 0.70710677)\n            uniform token[] xformOpOrder = ["xformOp:orient"]\n\n            def Xform "eye_optical_frame" (\n                prepend apiSchemas = ["RosFrameAPI"]\n            )\n            {\n            }\n        }\n    }\n')}),
    "millimetres in a layer": ("1.1-d", {"robot.usda": entry("prepend references = @./base.usda@"), "base.usda": units("0.001") + '\ndef Xform "robot"\n{\n    def Cube "c"\n    {\n        double size = 100\n    }\n}\n'}),
    "grams in a layer": ("1.1-d", {"robot.usda": entry("prepend references = [@./physics.usda@, @./base.usda@]"), "base.usda": BASE, "physics.usda": PHYSICS.replace("kilogramsPerUnit = 1", "kilogramsPerUnit = 0.001")}),
    "Y up in a layer of materials": ("1.1-d", {"robot.usda": entry("prepend references = [@./materials.usda@, @./base.usda@]"), "base.usda": BASE, "materials.usda": units(axis="Y") + '\nover "robot"\n{\n    def Scope "Looks"\n    {\n    }\n}\n'}),
    "Y up in a part": ("1.1-d", {"robot.usda": entry("prepend references = @./base.usda@"), "base.usda": LAYER + '\ndef Xform "robot"\n{\n    def Xform "arm" (\n        kind = "subcomponent"\n        prepend references = @./arm.usda@</part>\n    )\n    {\n    }\n}\n',
                               "arm.usda": units(axis="Y") + '\ndef Xform "part"\n{\n    def Cube "c"\n    {\n        double size = 0.1\n    }\n}\n'}),
}


class Cases(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def written(self, name, files):
        place = self.folder / "".join(c if c.isalnum() else "_" for c in name)
        for file, text in files.items():
            path = place / "source" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            if text.startswith("#crate"):
                source = place / "text" / (path.stem + ".usda")
                source.parent.mkdir(exist_ok=True)
                source.write_text(text[6:])
                done = mechane("cat", source, "-o", path)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(path.read_bytes()[:8], b"PXR-USDC")
            else:
                path.write_text(text)
        return place

    def findings(self, path):
        done = mechane("check", path, "--format", "json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)["findings"]

    def counts(self, findings):
        counts = {}
        for finding in findings:
            counts[finding["rule"]] = counts.get(finding["rule"], 0) + 1
        return counts

    def composed(self, path):
        prims = json.loads(mechane("dump", "stage", path).stdout)["prims"]
        for prim in prims.values():
            for field in ("references", "payload"):
                prim.get("metadata", {}).pop(field, None)
            prim.get("appliedSchemas", []).sort()
            prim.pop("hasPayload", None)
        return prims

    def repaired(self, name, rule, files, *options):
        place = self.written(name, files)
        source, out = place / "source" / "robot.usda", place / "out"
        before = self.findings(source)
        self.assertIn("REP-" + rule, {f["rule"] for f in before}, "the fixture has the fault")
        done = mechane("fix", source, "-o", out, *options)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        report = json.loads((out / "fix-report.json").read_text())
        fixed = out / report["entry"]
        after = self.findings(fixed)
        self.assertNotIn("REP-" + rule, {f["rule"] for f in after}, done.stderr)
        more = {r: n for r, n in self.counts(after).items() if n > self.counts(before).get(r, 0)}
        self.assertEqual(more, {}, [f for f in after if f["rule"] in more])
        listed = {(u["rule"], u["prim"]) for u in report["unrepaired"]}
        self.assertLessEqual({(f["rule"], f["prim"] or "") for f in after}, listed)
        twice = mechane("fix", fixed, "-o", place / "twice", *options)
        self.assertEqual(json.loads((place / "twice" / "fix-report.json").read_text())["edits"], [], twice.stderr)
        return source, fixed, report

    def test_what_stands_in_the_wrong_layer(self):
        """REP-0158 5.9: composed the same, field by field."""
        for name, (rule, files) in LAYERED.items():
            with self.subTest(name):
                source, fixed, _ = self.repaired(name, rule, files)
                before, after = self.composed(source), self.composed(fixed)
                self.assertEqual(before.keys(), after.keys())
                for path in before:
                    self.assertEqual(before[path], after[path], path)

    def test_what_a_vendor_adds(self):
        """REP-0158 5.8: the second entry composes what the asset did; the first one has the vendor's words no more."""
        for name, (rule, files) in VENDORS.items():
            with self.subTest(name):
                source, fixed, _ = self.repaired(name, rule, files)
                self.assertEqual(self.composed(source), self.composed(fixed.with_name("robot_physx.usda")))
                self.assertNotIn("physx", json.dumps(self.composed(fixed)).lower())

    def test_the_address_of_a_file_in_the_folder_becomes_a_relative_path(self):
        for scheme in ("file:", "file://"):
            with self.subTest(scheme):
                place = self.written(f"address {len(scheme)}", {"parts/bolt.usda": LAYER + '\ndef Xform "robot"\n{\n}\n'})
                source, out = place / "source" / "robot.usda", place / "out"
                source.write_text(entry(f"prepend payload = @{scheme}{source.parent}/parts/bolt.usda@"))
                done = mechane("fix", source, "-o", out)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                self.assertTrue({"REP-1.2.5-f", "REP-1.2.5-k"}.isdisjoint(f["rule"] for f in self.findings(out / "robot.usda")), done.stderr)
                self.assertEqual(len(list((out / "parts").iterdir())), 1, "the file is there, under whatever name")

    def test_what_is_said_wrongly(self):
        for name, (rule, files) in SINGLE.items():
            with self.subTest(name):
                self.repaired(name, rule, files)


if __name__ == "__main__":
    unittest.main()
