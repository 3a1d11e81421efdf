"""What tools/openusd_for_programs.py does to libraries, on small ones that are compiled here."""
import ctypes
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from tools.openusd_for_programs import Elf

LIBRARY = """
struct Shape { virtual int corners() const { return 0; } };
struct Square : Shape { int corners() const override { return 4; } };
int own() { return 1; }
int number = 5;
static int (*const volatile table[])() = {own};
extern "C" int call() { return own(); }
extern "C" int table_call() { return table[0](); }
extern "C" bool casts() { Square square; Shape* shape = &square; asm volatile("" : "+r"(shape)); return dynamic_cast<Square*>(shape) != nullptr; }
extern "C" int* datum() { return &number; }
"""
OTHER = """
int own() { return 100; }
int number = 500;
"""
PROGRAM = """
#include <cstdio>
extern "C" int call(); extern "C" int table_call(); extern "C" bool casts(); extern "C" int* datum();
int main() { std::printf("%d %d %d %d", call(), table_call(), int(casts()), *datum()); }
"""


def compiled(folder, name, text, *options):
    file = pathlib.Path(folder, name)
    subprocess.run(["c++", "-x", "c++", "-", "-O0", "-o", file, *options], input=text, text=True, check=True)
    return file


@unittest.skipUnless(shutil.which("c++"), "no compiler to make libraries with")
class OwnFunctions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.library = compiled(self.folder, "libthis.so", LIBRARY, "-shared", "-fPIC", "-Wl,-z,lazy")
        compiled(self.folder, "libother.so", OTHER, "-shared", "-fPIC")
        self.program = compiled(self.folder, "program", PROGRAM, f"-L{self.folder}", "-Wl,--no-as-needed", "-lother", "-lthis", f"-Wl,-rpath,{self.folder}")

    def run_program(self, **environment):
        return subprocess.run([self.program], capture_output=True, text=True, check=True, env=environment).stdout

    def bind(self):
        elf = Elf(self.library)
        saved = elf.bind_own_functions()
        self.library.write_bytes(elf.data)
        return saved

    def test_a_library_calls_its_own_functions_and_shares_its_data(self):
        """Another library that stands before this one in the search has the same names. Its number is the one of all; the functions are each library's own."""
        self.assertEqual(self.run_program(), "100 100 1 500")
        self.assertGreater(self.bind(), 0)
        self.assertEqual(self.run_program(), "1 1 1 500")

    def test_a_second_pass_finds_only_calls(self):
        """What was an address by name is one without a name then; calls keep their row for a loader that binds at the start."""
        first, second = self.bind(), self.bind()
        self.assertLess(second, first)
        self.assertEqual(self.run_program(), "1 1 1 500")

    def test_a_loader_that_binds_all_calls_at_the_start_still_runs_it(self):
        """LD_BIND_NOW searches for every call, whatever stands in the word that it goes through: those are the first library's then."""
        self.bind()
        self.assertEqual(self.run_program(LD_BIND_NOW="1"), "100 1 1 500")

    def test_it_can_be_opened_by_name(self):
        self.bind()
        self.assertEqual(ctypes.CDLL(str(self.library)).table_call(), 1)


if __name__ == "__main__":
    unittest.main()
