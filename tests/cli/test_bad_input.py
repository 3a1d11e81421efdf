"""Every kind of bad input ends in a diagnostic with a remedy and the right exit code, never in a crash or a raw message of a library."""
import pathlib
import resource
import struct
import tempfile
import unittest

from tests.cli.program import SANITIZED, mechane

HEAD = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n'
BODY = 'def Xform "b" (\n    prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n)\n{\n%s\n}\n'
BALL = '    def Sphere "s" (\n        prepend apiSchemas = ["PhysicsCollisionAPI"]\n    )\n    {\n    }\n'

# name, file name, text, expected exit, what the message must name
CASES = [
    ("not USD", "a.usda", "hello\n", 3, ["a.usda"]),
    ("empty", "a.usda", "", 3, ["a.usda"]),
    ("other suffix", "a.txt", "hello\n", 3, ["a.txt"]),
    ("syntax error", "a.usda", HEAD + 'def Xform "a"\n{\n    double x =\n}\n', 3, ["a.usda"]),
    # HEAD has five lines; the value begins in column 16
    ("value of another type", "a.usda", HEAD + 'def Xform "a"\n{\n    double x = "1"\n}\n', 3, ["a.usda:8:16", "/a.x", "found"]),
    ("truncated", "a.usda", HEAD + 'def Xform "a"\n{\n    double x = 1\n', 3, ["a.usda"]),
    ("truncated crate", "a.usdc", "PXR-USDC\0\10", 3, ["a.usdc"]),
    ("not a package", "a.usdz", "PK\3\4 nothing", 3, ["a.usdz"]),
    ("missing reference", "a.usda", HEAD + 'def "a" (\n    prepend references = @./gone.usda@\n)\n{\n}\n', 3, ["gone.usda", "/a"]),
    ("missing payload", "a.usda", HEAD + 'def "a" (\n    prepend payload = @./gone.usda@\n)\n{\n}\n', 3, ["gone.usda", "/a"]),
    ("a byte order mark", "a.usda", "\xef\xbb\xbf" + HEAD + 'def Sphere "a"\n{\n}\n', 3, ["byte order mark"]),
    ("no physics", "a.usda", HEAD + 'def Sphere "a"\n{\n}\n', 0, ["RUN_NOTHING_MOVES"]),
    ("no default prim", "a.usda", HEAD + BODY % BALL, 0, []),
    ("body without mass or collider", "a.usda", HEAD + BODY % "", 0, ["/b"]),
    ("joint to a missing body", "a.usda", HEAD + BODY % BALL + 'def PhysicsRevoluteJoint "j"\n{\n    rel physics:body0 = </gone>\n    rel physics:body1 = </b>\n}\n', 1, ["/gone", "/j"]),
    ("NaN in a transform", "a.usda", HEAD + BODY % (BALL + '    double3 xformOp:translate = (nan, 0, 0)\n    uniform token[] xformOpOrder = ["xformOp:translate"]'), 1, ["/b"]),
    ("NaN mass", "a.usda", HEAD + (BODY % (BALL + "    float physics:mass = nan")).replace('BodyAPI"]', 'BodyAPI", "PhysicsMassAPI"]'), 0, ["/b"]),
    ("negative radius", "a.usda", HEAD + BODY % BALL.replace("    {\n", "    {\n        double radius = -1\n"), 0, []),
    ("infinite gravity", "a.usda", HEAD + 'def PhysicsScene "s"\n{\n    float physics:gravityMagnitude = inf\n}\n' + BODY % BALL, 1, []),
]


def old_crate():
    """A crate of version 0.0.1, which the checks leave to another process: over "a" (active = true)."""
    tokens = b"specifier\0active\0a\0"
    over, true = 1 << 62 | 42 << 48 | 1, 1 << 62 | 1 << 48 | 1  # inlined, of type specifier and bool
    sections = {
        b"TOKENS": struct.pack("<QQ", 3, len(tokens)) + tokens,
        b"STRINGS": struct.pack("<Q", 0),
        b"FIELDS": struct.pack("<QIIQIIQ", 2, 0, 0, over, 0, 1, true),
        b"FIELDSETS": struct.pack("<Q4I", 4, 0xFFFFFFFF, 0, 1, 0xFFFFFFFF),
        b"PATHS": struct.pack("<Q8I", 2, 0, 0, 0, 1, 0, 1, 2, 0),  # padding, index, name, flags (1: a child follows)
        b"SPECS": struct.pack("<Q8I", 2, 0, 0, 0, 7, 0, 1, 1, 6),  # padding, path, set of fields, kind (7: root, 6: prim)
    }
    body, table = b"", struct.pack("<Q", len(sections))
    for name, content in sections.items():
        table += struct.pack("<16sqq", name, 88 + len(body), len(content))
        body += content
    return struct.pack("<8s8Bq64x", b"PXR-USDC", 0, 0, 1, 0, 0, 0, 0, 0, 88 + len(body)) + body + table


def doubling(levels):
    """Prims that reference each other twice: 2^levels below the first."""
    twice = lambda i: "".join(f'    def "{c}" (\n        references = </store/d{i + 1}>\n    )\n    {{\n    }}\n' for c in "ab")
    return "".join(f'def "d{i}"\n{{\n{twice(i)}}}\n' for i in range(levels)) + f'def "d{levels}"\n{{\n}}\n'


class BadInput(unittest.TestCase):
    def test_each_case(self):
        """After an error the exit status is never 0 (GAP-105)."""
        with tempfile.TemporaryDirectory() as folder:
            for name, file, text, code, words in CASES:
                path = pathlib.Path(folder) / file
                path.write_bytes(text.encode("latin-1"))
                with self.subTest(name):
                    done = mechane("sim", path, "--frames", "3", "-o", "/dev/null")
                    self.assertEqual(done.returncode, code, done.stderr)
                    for word in words:
                        self.assertIn(word, done.stderr)
                    if code:
                        self.assertIn("help:", done.stderr)
                    self.assertNotIn("pxrInternal", done.stderr)
                    self.assertNotIn("nan", done.stdout)

    def test_a_missing_file_and_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in (pathlib.Path(folder) / "gone.usda", pathlib.Path(folder)):
                done = mechane("sim", path, "--frames", "1")
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("help:", done.stderr)

    @unittest.skipIf(SANITIZED, "the limit of one second would end the program itself")
    def test_a_file_that_kills_its_reader_is_one_diagnostic(self):
        """The reader is ended by a limit of one second of processor time: 2^20 prims take more on any machine."""
        classes = "".join(
            f'def "d{i}"\n{{\n' + "".join(f'    def "{c}" (\n        references = </d{i + 1}>\n    )\n    {{\n    }}\n' for c in "ab") + "}\n" for i in range(20)
        )

        def one_second():
            resource.setrlimit(resource.RLIMIT_CPU, (1, 1))

        with tempfile.TemporaryDirectory() as folder:
            good, bad = pathlib.Path(folder) / "good.usda", pathlib.Path(folder) / "bad.usda"
            good.write_text(HEAD + BODY % BALL)
            bad.write_text(HEAD + classes + 'def "d20"\n{\n}\n')
            for verb in (["info"], ["check"], ["tree", "--prims"]):
                with self.subTest(verb):
                    done = mechane(*verb, bad, "--isolate", "always", preexec=one_second)
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertEqual(done.stderr.count("STAGE_READER_DIED"), 1, done.stderr)
                    self.assertEqual(done.stderr.count("error["), 1, done.stderr)
                    self.assertEqual(done.stdout.strip() if verb != ["check"] else "", "")
            # A folder's files are read by processes of their own unless that is forbidden: the others are still judged.
            done = mechane("check", folder, "--format", "json", preexec=one_second)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual(done.stderr.count("STAGE_READER_DIED"), 1, done.stderr)
            self.assertIn("good.usda", done.stdout)

    @unittest.skipIf(SANITIZED, "a sanitizer needs more than the second")
    def test_an_old_crate_that_an_arc_leads_to_has_the_whole_stage_read_by_another_process_first(self):
        """The crate makes a prim active below which 2^20 others lie: who admits it takes more than a second of processor time, who refuses it does not."""

        def one_second():
            resource.setrlimit(resource.RLIMIT_CPU, (1, 1))

        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "old.usdc").write_bytes(old_crate())
            below = f'def "store" (\n    active = false\n)\n{{\n{doubling(20)}}}\ndef "a" (\n    active = false\n    references = </store/d0>\n)\n{{\n}}\n'
            (folder / "below.usda").write_text("#usda 1.0\n" + below)
            root = folder / "root.usda"
            root.write_text("#usda 1.0\n(\n    subLayers = [@./old.usdc@, @./below.usda@]\n)\n")
            done = mechane("tree", "--prims", root, preexec=one_second)
            self.assertGreaterEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("STAGE_READER_DIED"), 1, done.stderr)
            self.assertIn("old.usdc", done.stderr)
            # With nothing below the prim the other process lives, and the crate counts.
            (folder / "below.usda").write_text('#usda 1.0\ndef "a" (\n    active = false\n)\n{\n    def "child"\n    {\n    }\n}\n')
            for how in ("auto", "always", "never"):
                done = mechane("tree", "--prims", root, "--isolate", how)
                self.assertEqual((done.returncode, done.stderr.count("STAGE_READER_DIED")), (0, 0), done.stderr)
                self.assertIn("child", done.stdout)

    @unittest.skipIf(SANITIZED, "a sanitizer needs more than a mebibyte of stack")
    def test_relocates_that_composition_has_no_end_for_are_tried_by_another_process_first(self):
        """The class brings D, which is relocated to where a class of its own leads back to it: OpenUSD composes that until the stack ends, here a small one."""

        def small_stack():
            resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        with tempfile.TemporaryDirectory() as name:
            folder, root = pathlib.Path(name), pathlib.Path(name, "root.usda")
            (folder / "heir.usda").write_text('#usda 1.0\ndef "A" (\n    inherits = </Q>\n)\n{\n}\n')
            (folder / "piece.usda").write_text('#usda 1.0\ndef "A" (\n    inherits = </P>\n)\n{\n}\n')
            (folder / "moved.usda").write_text("#usda 1.0\n(\n    relocates = { </A/D>: </A/B> }\n)\n")
            root.write_text('#usda 1.0\n(\n    subLayers = [@./moved.usda@]\n)\ndef "A" (\n    inherits = </Q>\n)\n{\n}\n'
                            'class "P" (\n    references = @./heir.usda@</A/B>\n)\n{\n}\n'
                            'class "Q" (\n    references = @./piece.usda@</A>\n)\n{\n    def "D"\n    {\n    }\n}\n')
            alone = mechane("tree", "--prims", root, "--isolate", "never", preexec=small_stack)
            self.assertEqual(alone.returncode, 3, "then the stage proves nothing")
            self.assertIn("a segmentation fault while reading files for: ", alone.stderr)  # the last words of the program itself
            done = mechane("tree", "--prims", root, preexec=small_stack)
            self.assertEqual((done.returncode, done.stderr.count("STAGE_READER_DIED")), (3, 1), done.stderr)
            self.assertIn("moved.usda", done.stderr)
            self.assertIn("D", done.stdout)  # where it stands without the layer that is refused

    @unittest.skipIf(SANITIZED, "a sanitizer has a handler of its own")
    def test_a_stage_that_composition_dies_of_and_no_check_foresees_is_read_anew_by_another_process(self):
        """OpenUSD 26.8 follows a specialized class past the root of a prim index: classes, payloads and variants that lead back to each other."""
        layers = {
            "root": '(\nsubLayers = [@./weak.usda@]\n)\nover "B" {\nover "C" {\n}\n}\n',
            "weak": 'def "A" {\ndef "A" {\ndef "A" (\npayload = @./piece.usda@</C>\n) {\n}\n}\n}\n'
                    'class "P" {\ndef "C" (\nvariants = {\nstring shape = "two"\n}\n) {\n}\n}\n',
            "piece": 'def "C" {\ndef "A" (\nprepend inherits = </P>\n) {\n}\n}\n'
                     'class "P" {\ndef "C" (\npayload = @./load.usda@</C>\nprepend specializes = </B>\n) {\n}\n}\n',
            "load": 'over "D" {\ndef "A" (\nappend specializes = </B>\n) {\ndef "D" (\nprepend inherits = </P>\n) {\n}\n}\n}\n'
                    'def "C" (\nprepend variantSets = "shape"\n) {\nover "C" {\nover "A" (\nprepend inherits = </P>\n) {\n}\n}\n'
                    'variantSet "shape" = {\n"two" {\ndef "C" (\nappend references = </D>\n) {\n}\n}\n}\n}\n',
        }
        no_core = lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with tempfile.TemporaryDirectory() as folder:
            for name, text in layers.items():
                pathlib.Path(folder, name + ".usda").write_text("#usda 1.0\n" + text)
            root = pathlib.Path(folder, "root.usda")
            alone = mechane("info", root, "--isolate", "never", preexec=no_core)
            self.assertEqual(alone.returncode, 3, "then the stage proves nothing")
            self.assertIn("while reading files for: ", alone.stderr)  # the last words of the program itself
            for verb in (["info"], ["tree", "--prims"], ["check"], ["dump", "stage"], ["sim"]):
                with self.subTest(verb):
                    done = mechane(*verb, root, preexec=no_core)
                    self.assertEqual((done.returncode, done.stderr.count("STAGE_READER_DIED")), (3, 1), done.stderr)

    def test_isolation_changes_no_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            good = pathlib.Path(folder) / "good.usda"
            good.write_text(HEAD + BODY % BALL)
            outputs = {mechane("tree", "--prims", good, "--isolate", how).stdout for how in ("auto", "always", "never")}
            self.assertEqual(len(outputs), 1)
            self.assertEqual(mechane("tree", good, "--isolate", "sometimes").returncode, 2)
            broken = pathlib.Path(folder) / "broken.usda"
            broken.write_text("#usda 1.0\ndef def\n")
            for how in ("auto", "always", "never"):
                done = mechane("tree", broken, "--isolate", how)
                self.assertEqual((done.returncode, done.stderr.count("STAGE_OPEN_FAILED")), (3, 1), done.stderr)


if __name__ == "__main__":
    unittest.main()
