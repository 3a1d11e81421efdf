"""The checker of the walls finds what it should, and the house stands."""
import pathlib
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


if __name__ == "__main__":
    unittest.main()
