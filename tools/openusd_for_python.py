#!/usr/bin/env python3
"""Lays OpenUSD's libraries and plug-in files out for the Python module, so that they live beside a usd-core in one process.

usage: openusd_for_python.py OPENUSD TARGET NO_PYTHON PLUGINFO...   copies OPENUSD/pxr/.libs, the library NO_PYTHON and the plug-in folders
                                                                    to TARGET/usd
       openusd_for_python.py --weaken FILE                          only the first cure below, in place

Four cures, each a change of bytes that keeps every size:
- Symbols of binding UNIQUE become WEAK: the loader would merge unique ones with those of another copy of the same OpenUSD.
- Symbols of Python are renamed and come from NO_PYTHON, as they do for programs (openusd_for_programs.py). It says that no interpreter
  runs: OpenUSD would otherwise import pxr's Python modules, which are somebody else's or not there. Nothing here depends on the version
  of Python then, and the program in the wheel runs with the same libraries.
- A library calls its own functions, as those of programs do: it starts in less time, and never runs a function of another copy.
- libPxrPlug looks for plug-ins in usd/pluginfo instead of pxr/pluginfo: nothing in our package is called pxr.
"""
import pathlib
import shutil
import struct
import sys

from openusd_for_programs import Elf

SYMTAB, DYNSYM = 2, 11
UNIQUE, WEAK = 10, 2


def weaken(data):
    """Rebinds unique symbols of a 64-bit little-endian ELF file; returns how many there were."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise SystemExit("not a 64-bit little-endian ELF file")
    (sections,) = struct.unpack_from("<Q", data, 0x28)
    entry, count = struct.unpack_from("<HH", data, 0x3A)
    found = 0
    for i in range(count):
        _, kind, _, _, offset, size, _, _, _, step = struct.unpack_from("<IIQQQQIIQQ", data, sections + i * entry)
        if kind not in (SYMTAB, DYNSYM):
            continue
        for symbol in range(offset, offset + size, step):
            if data[symbol + 4] >> 4 == UNIQUE:
                data[symbol + 4] = WEAK << 4 | data[symbol + 4] & 15
                found += 1
    return found


def replace_once(data, old, new, name):
    if len(old) != len(new) or data.count(old) != 1:
        raise SystemExit(f"{name}: expected {old!r} once, found it {data.count(old)} times: this is another OpenUSD than the one this tool knows")
    at = data.index(old)
    data[at:at + len(old)] = new


def lay_out(openusd, target, no_python, plugins):
    shutil.rmtree(target / "usd", ignore_errors=True)
    libraries = target / "usd" / ".libs"
    libraries.mkdir(parents=True)
    for file in sorted((openusd / "pxr" / ".libs").glob("*.so*")):
        elf = Elf(file)
        elf.rename_answered()
        elf.bind_own_functions()
        data = elf.data
        weaken(data)
        if file.name == "libPxrPlug.so":
            replace_once(data, b"../../pxr/pluginfo/*/resources/", b"../../usd/pluginfo/*/resources/", file.name)
        (libraries / file.name).write_bytes(data)
    shutil.copyfile(no_python, libraries / no_python.name)
    for folder in plugins:
        shutil.copytree(folder, target / "usd" / "pluginfo", dirs_exist_ok=True)


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--weaken":
        file = pathlib.Path(arguments[1])
        data = bytearray(file.read_bytes())
        weaken(data)
        file.write_bytes(data)
    elif len(arguments) >= 3:
        openusd, target, no_python, *plugins = map(pathlib.Path, arguments)
        lay_out(openusd, target, no_python, plugins)
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
