#!/usr/bin/env python3
"""Lays OpenUSD's libraries and plug-in files out for programs, so that none of them needs a libpython.

usage: openusd_for_programs.py OPENUSD TARGET ANSWERS PLUGINFO...

Copies OPENUSD/pxr/.libs and the plug-in folders to TARGET/pxr. Three changes of bytes are made in the copies, which keep every size:

- OpenUSD's wheels name some 180 symbols of Python and no library that has them. Each such symbol is renamed: Py_IsInitialized becomes
  Mc_IsInitialized. ANSWERS is the C source of a library that defines the new names: it answers that no interpreter runs, after which
  OpenUSD asks for nothing else. A program that embeds Python beside Mechane keeps its own symbols, because nothing of ours is called Py.
- OpenUSD's tracing measures at the start of every process how long its own measuring takes, for a millisecond or more. Nobody traces here:
  it asks ANSWERS instead, which says that it takes no time.
- A library calls its own functions (Elf.bind_own_functions), as if it had been linked with -Bsymbolic-functions. Of the time that a
  program takes to start, the larger part was the loader's search for 12,000 functions by name in some twenty libraries.
"""
import pathlib
import re
import shutil
import struct
import sys

RELA, DYNAMIC, NOBITS, DYNSYM = 4, 6, 8, 11  # kinds of sections
JMPREL, RELACOUNT = 23, 0x6FFFFFF9  # tags of the dynamic section
FUNCTION = 2  # a kind of symbol
# Kinds of relocations of x86-64 and AArch64: addresses in data and in the table of addresses, calls, and those without a symbol.
KINDS = {62: {"addresses": (1, 6), "call": 7, "relative": 8}, 183: {"addresses": (257, 1025), "call": 1026, "relative": 1027}}
ALLOCATION = re.compile(rb"_Zn[wa]|_Zd[la]")  # operators new and delete, which a program may replace
PYTHON = re.compile(rb"_?Py[A-Z_]\w*")
MEASURING = re.compile(rb"_ZN34pxrInternal_v0_26_8__pxrReserved__25Arch_MeasureExecutionTimeEmPbPKvPFmS2_iE")
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
unsigned long _ZN34pxrInternal_v0_26_8__pxrReserved__25Mech_MeasureExecutionTimeEmPbPKvPFmS2_iE(unsigned long most, unsigned char* agreed)
{
    (void)most;
    if (agreed) *agreed = 1;
    return 0;
}
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
        self.end, self.strings, self.sections = self.symbols + size, headers[link][4], headers

    def string(self, offset):
        at = self.strings + offset
        return bytes(self.data[at:self.data.index(0, at)])

    def names(self):
        """(offset in the string table, name, whether it is undefined) of each dynamic symbol."""
        for symbol in range(self.symbols, self.end, self.step):
            name, section = struct.unpack_from("<I2xH", self.data, symbol)
            yield name, self.string(name), section == 0

    def place(self, address):
        """Where the bytes of a virtual address lie in the file."""
        found = (offset + address - start for _, kind, _, start, offset, size, *_ in self.sections if kind != NOBITS and 0 < start <= address < start + size)
        return next(found)

    def dynamic(self, tag):
        """Where the value of a tag of the dynamic section lies in the file; nothing when it has none."""
        _, _, _, _, start, size, *_ = next(header for header in self.sections if header[1] == DYNAMIC)
        return next((at + 8 for at in range(start, start + size, 16) if struct.unpack_from("<q", self.data, at) == (tag,)), None)

    def bind_own_functions(self):
        """Lets the library use its own functions, their tables and descriptions of types where it would search all libraries for the first that has one
        of that name, as the linker's -Bsymbolic-functions does.

        All copies of an inline function do the same, and two descriptions of a type are equal when their names are, which stay shared. Data,
        allocation, and whatever is defined elsewhere are searched for as before. Returns how many searches are saved.
        """
        kinds = KINDS[struct.unpack_from("<H", self.data, 0x12)[0]]

        def own(index):
            """The address of a symbol that is defined here and may be bound here."""
            name, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", self.data, self.symbols + index * self.step)
            text = self.string(name)
            bound = info & 15 == FUNCTION and not ALLOCATION.match(text) or text.startswith((b"_ZTI", b"_ZTV"))
            return value if section != 0 and bound else 0

        calls, relatives, saved = self.dynamic(JMPREL), self.dynamic(RELACOUNT), 0
        for _, kind, _, address, start, size, *_ in self.sections:
            if kind != RELA or not address:
                continue
            rows = [list(struct.unpack_from("<QQq", self.data, at)) for at in range(start, start + size, 24)]
            for row in rows:
                symbol, what = row[1] >> 32, row[1] & 0xFFFFFFFF
                value = own(symbol) if what == kinds["call"] or what in kinds["addresses"] else 0
                saved += value != 0
                if value and what in kinds["addresses"]:
                    row[1:] = kinds["relative"], value + row[2]
                elif value:  # a call goes through this word, which leads to the search at first; the loader adds where the library lies
                    struct.pack_into("<Q", self.data, self.place(row[0]), value)
            if relatives and (not calls or address != struct.unpack_from("<Q", self.data, calls)[0]):
                rows.sort(key=lambda row: row[1] != kinds["relative"])  # those without a symbol stand first, and are counted
                for at, row in enumerate(rows):
                    struct.pack_into("<QQq", self.data, start + 24 * at, *row)
                struct.pack_into("<Q", self.data, relatives, sum(row[1] == kinds["relative"] for row in rows))
        return saved

    def rename(self, pattern, old, new):
        """Renames the undefined symbols that fit the pattern: `new` instead of the first `old`, which is as long. Returns their old names."""
        names = list(self.names())
        found = {offset: name for offset, name, undefined in names if undefined and pattern.fullmatch(name)}
        for offset, name, undefined in names:
            for other, longer in found.items():  # the linker lets a string be the tail of a longer one
                if offset < other <= offset + len(name) and offset not in found:
                    raise SystemExit(f"{self.name}: {name!r} shares its bytes with {longer!r}: this is another OpenUSD than the one this tool knows")
        for offset, name in found.items():
            at = self.strings + offset + name.index(old)
            self.data[at:at + len(new)] = new
        return {name.decode() for name in found.values()}

    def rename_answered(self):
        """Renames what the library of answers defines; returns the old names of Python's symbols among it."""
        self.rename(MEASURING, b"Arch_", b"Mech_")
        return self.rename(PYTHON, b"Py", b"Mc")


def answers(names):
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
        names |= elf.rename_answered()
        elf.bind_own_functions()
        write_if_other(target / "pxr" / ".libs" / file.name, bytes(elf.data))
    if "Py_IsInitialized" not in names:
        raise SystemExit("no library asks whether Python runs: this is another OpenUSD than the one this tool knows")
    write_if_other(source, answers(names).encode())
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
