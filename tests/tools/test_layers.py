"""The checker of the walls finds what it should, and the house stands."""
import pathlib
import re
import tempfile
import unittest

from tools import layers


def house(files):
    folder = tempfile.TemporaryDirectory()
    for name, text in files.items():
        path = pathlib.Path(folder.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


class Layers(unittest.TestCase):
    def reasons(self, files):
        with house(files) as folder:
            return [reason for _, _, _, reason in layers.offences(pathlib.Path(folder))]

    def test_a_lower_room_may_not_see_an_upper_one(self):
        self.assertEqual(self.reasons({"src/geometry/a.cpp": '#include "mechane/model/model.h"\n'}), ["geometry may not use model"])

    def test_reach_is_transitive(self):
        self.assertEqual(self.reasons({"src/solvers/a.cpp": '#include "mechane/math/vec.h"\n'}), [])

    def test_openusd_stays_in_its_room(self):
        self.assertEqual(len(self.reasons({"src/physics/a.cpp": "#include <pxr/sdf/layer.h>\n"})), 1)
        self.assertEqual(len(self.reasons({"include/mechane/usd/a.h": "#include <pxr/sdf/layer.h>\n"})), 1)
        self.assertEqual(self.reasons({"src/usd/a.cpp": "#include <pxr/sdf/layer.h>\n"}), [])

    def test_kernels_do_not_see_the_model(self):
        self.assertEqual(self.reasons({"src/collision/narrow/a.cpp": '#include "mechane/model/model.h"\n'}), ["collision may not use model"])

    def test_an_installed_header_needs_installed_ones_alone(self):
        files = {"src/include/mechane/core/b.h": "", "include/mechane/core/c.h": ""}
        self.assertEqual(len(self.reasons({**files, "include/mechane/core/a.h": '#include "mechane/core/b.h"\n'})), 1)
        self.assertEqual(self.reasons({**files, "include/mechane/core/a.h": '#include "mechane/core/c.h"\n'}), [])
        self.assertEqual(self.reasons({**files, "src/core/a.cpp": '#include "mechane/core/b.h"\n'}), [])

    def test_nothing_is_installed_that_no_program_of_others_needs(self):
        root = layers.ROOT
        included = lambda path: re.findall(r'#include [<"](mechane/[^">]+)[">]', path.read_text())
        installed = {str(path.relative_to(root / "include")).removeprefix("all/"): path for path in (root / "include").rglob("*.h")}
        todo = [name for name, path in installed.items() if name.count("/") == 1 or "all" in path.parts]
        for folder in ("samples", "tests/package"):
            todo += [name for path in (root / folder).rglob("*") if path.suffix in (".cpp", ".h") for name in included(path)]
        needed = set()
        while todo:
            name = todo.pop()
            if name in installed and name not in needed:
                needed.add(name)
                todo += included(installed[name])
        self.assertEqual(sorted(set(installed) - needed), [], "move it to src/include")
        self.assertLessEqual(len([name for name in installed if name.count("/") > 1]), 80)

    def test_one_room_changes_files(self):
        for line in ("std::ofstream out(file);", "fs::rename(a, b);", "open(file, O_WRONLY);", 'std::fopen(file, "wb");', "::unlink(file);"):
            self.assertEqual(self.reasons({"src/usd/a.cpp": line + "\n"}), ["files are changed in src/files only"], line)
            self.assertEqual(self.reasons({"src/files/a.cpp": line + "\n"}), [], line)
        for line in ("layer.rename(path, name);", 'std::fopen(file, "rb");', "open(file, O_RDONLY);"):
            self.assertEqual(self.reasons({"src/usd/a.cpp": line + "\n"}), [], line)

    def test_no_module_depends_on_itself_through_others(self):
        for module, used in layers.MAY_USE.items():
            for name in used:
                self.assertNotIn(module, layers.reach(name), f"{module} and {name} form a cycle")


class PythonLayers(unittest.TestCase):
    def reasons(self, files):
        with house({f"python/mechane/{name}": text for name, text in files.items()}) as folder:
            return [reason for _, _, _, reason in layers.python_offences(pathlib.Path(folder))]

    def test_the_house_stands(self):
        self.assertEqual([offence[2:] for offence in layers.python_offences()], [])

    def test_a_lower_package_may_not_import_an_upper_one(self):
        above = {"model/model.py": "", "geometry/__init__.py": ""}
        for line in ("from ..model.model import Model", "from ..model import model", "from .. import model", "import mechane.model.model", "from mechane.model.model import Model"):
            self.assertEqual(self.reasons({**above, "model/__init__.py": "", "geometry/mesh.py": line}), ["geometry may not import model"], line)

    def test_an_import_inside_of_a_function_counts(self):
        self.assertEqual(self.reasons({"core/values.py": "def f():\n    if True:\n        from ..model.model import Model\n", "model/model.py": ""}), ["core may not import model"])

    def test_an_import_for_types_only_does_not(self):
        for line in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            self.assertEqual(self.reasons({"newton/names.py": f"if {line}:\n    from ..model.lists import ColumnList\n", "model/lists.py": ""}), [])
        self.assertEqual(self.reasons({"newton/names.py": "if TYPE_CHECKING:\n    pass\nelse:\n    from ..model.lists import ColumnList\n", "model/lists.py": ""}),
                         ["newton may not import model"])

    def test_the_packages_own_face_is_above_all(self):
        self.assertEqual(self.reasons({"__init__.py": "from .io.draw import render\n", "io/draw.py": "from ..core.values import vec3\n", "core/values.py": ""}), [])
        self.assertEqual(self.reasons({"__init__.py": "", "io/draw.py": "from .. import ModelBuilder\n"}), ["io may not import mechane"])
        self.assertEqual(self.reasons({"__init__.py": "", "io/draw.py": "from .. import _core\n"}), [])

    def test_reach_is_transitive_and_unknown_packages_are_told(self):
        self.assertEqual(self.reasons({"io/draw.py": "from ..core.values import vec3\n", "core/values.py": ""}), [])
        self.assertEqual(self.reasons({"helpers/a.py": ""}), ["unknown package 'helpers'"])

    def test_circles_are_told_with_the_way_round(self):
        with house({"python/mechane/core/a.py": "from .b import x\n", "python/mechane/core/b.py": "def f():\n    from . import c\n",
                    "python/mechane/core/c.py": "from .a import y\n", "python/mechane/core/d.py": "from .a import y\n"}) as folder:
            found = [(text, reason) for _, _, text, reason in layers.python_offences(pathlib.Path(folder))]
        self.assertEqual(found, [("mechane.core.a -> mechane.core.b -> mechane.core.c -> mechane.core.a", "files import each other in a circle")])

    def test_names_in_strings_hide_no_import(self):
        for line in ('importlib.import_module("mechane.model")', '__import__("mechane.model")'):
            self.assertEqual(len(self.reasons({"core/values.py": line})), 1)

    def test_no_package_depends_on_itself_through_others(self):
        for room, used in layers.PYTHON_MAY_USE.items():
            for name in used:
                self.assertNotIn(room, layers.reach(name, layers.PYTHON_MAY_USE), f"{room} and {name} form a cycle")


if __name__ == "__main__":
    unittest.main()
