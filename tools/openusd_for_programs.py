#!/usr/bin/env python3
"""Lays OpenUSD's libraries and plug-in files out for programs, so that none of them needs a libpython.

usage: openusd_for_programs.py OPENUSD TARGET STUBS PLUGINFO...

Copies OPENUSD/pxr/.libs and the plug-in folders to TARGET/pxr. OpenUSD's wheels name some 180 symbols of Python and no library that has
them. In the copies each such symbol is renamed, which keeps every size: Py_IsInitialized becomes Mc_IsInitialized. STUBS is the C source
of a library that defines the new names: it answers that no interpreter runs, after which OpenUSD asks for nothing else. A program
that embeds Python beside Mechane keeps its own symbols, because nothing of ours is called Py.
"""
import pathlib
import re
import shutil
import struct
import sys

DYNSYM = 11
PYTHON = re.compile(rb"_?Py[A-Z_]\w*")
DATA = re.compile(r"(_?PyExc_\w+|\w+_Type|\w+Struct)")

NO = ("Py_IsInitialized", "PyGILState_Check")  # what OpenUSD asks in every process: no interpreter, and no lock of one is held

HEAD = """/* Made by tools/openusd_for_programs.py: what OpenUSD's libraries ask of Python, answered for a process without an interpreter. */
#include <stdio.h>
#include <stdlib.h>

static void asked(const char* name)
{
    fprintf(stderr, "mechane: OpenUSD asked for %s, but no Python runs in this process\\n", name);
    abort();
}
#define FUNCTION(name, old) void name(void) { asked(old); }
#define DATA(name) char name[1024] __attribute__((aligned(16)));  /* larger than any object of Python that is named here */
"""


class Elf:
    """The dynamic symbols of a 64-bit little-endian ELF file."""

    def __init__(self, file):
        self.name, self.data = file.name, bytearray(file.read_bytes())
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise SystemExit(f"{file}: not a 64-bit little-endian ELF file")
        (sections,) = struct.unpack_from("<Q", self.data, 0x28)
        entry, count = struct.unpack_from("<HH", self.data, 0x3A)
        headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, sections + i * entry) for i in range(count)]
        _, _, _, _, self.symbols, size, link, _, _, self.step = next(header for header in headers if header[1] == DYNSYM)
        self.end, self.strings = self.symbols + size, headers[link][4]

    def string(self, offset):
        at = self.strings + offset
        return bytes(self.data[at:self.data.index(0, at)])

    def names(self):
        """(offset in the string table, name, whether it is undefined) of each dynamic symbol."""
        for symbol in range(self.symbols, self.end, self.step):
            name, section = struct.unpack_from("<I2xH", self.data, symbol)
            yield name, self.string(name), section == 0

    def rename_python(self):
        """Renames the undefined symbols of Python; returns their old names."""
        names = list(self.names())
        found = {offset: name for offset, name, undefined in names if undefined and PYTHON.fullmatch(name)}
        for offset, name, undefined in names:
            for other, old in found.items():  # the linker lets a string be the tail of a longer one
                if offset < other <= offset + len(name) and offset not in found:
                    raise SystemExit(f"{self.name}: {name!r} shares its bytes with {old!r}: this is another OpenUSD than the one this tool knows")
        for offset, name in found.items():
            at = self.strings + offset + name.index(b"Py")
            self.data[at:at + 2] = b"Mc"
        return {name.decode() for name in found.values()}


def stubs(names):
    """C source that defines each of `names` under its new name."""
    lines = [HEAD]
    for name in sorted(names):
        new = name.replace("Py", "Mc", 1)
        if name in NO:
            lines.append(f"int {new}(void) {{ return 0; }}")
        else:
            lines.append(f"DATA({new})" if DATA.fullmatch(name) else f'FUNCTION({new}, "{name}")')
    return "\n".join(lines) + "\n"


def write_if_other(path, data):
    """Leaves an equal file as it is, so that nothing is built again for it."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def lay_out(openusd, target, source, plugins):
    names = set()
    for file in sorted((openusd / "pxr" / ".libs").glob("*.so*")):
        elf = Elf(file)
        names |= elf.rename_python()
        write_if_other(target / "pxr" / ".libs" / file.name, bytes(elf.data))
    if "Py_IsInitialized" not in names:
        raise SystemExit("no library asks whether Python runs: this is another OpenUSD than the one this tool knows")
    write_if_other(source, stubs(names).encode())
    shutil.rmtree(target / "pxr" / "pluginfo", ignore_errors=True)
    for folder in plugins:
        shutil.copytree(folder, target / "pxr" / "pluginfo", dirs_exist_ok=True)


def main(arguments):
    if len(arguments) < 3:
        raise SystemExit(__doc__)
    openusd, target, source, *plugins = map(pathlib.Path, arguments)
    lay_out(openusd, target, source, plugins)


if __name__ == "__main__":
    main(sys.argv[1:])
