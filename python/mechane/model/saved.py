"""Files of saved models and builders: their version, and a reader that makes nothing but data."""
from __future__ import annotations

import enum
import io
import pickle
import types
from typing import Any

from ..core.diagnostics import MechaneError, error, kind_of
from . import earlier as _earlier  # noqa: F401  finds modules under the names that older files have

__all__ = ["FORMAT", "checked", "loaded", "sealed", "stamp"]

#: Major and minor version of the format. Bytes of another major version are refused.
FORMAT = (1, 2)


#: Bytes of a SHA-256.
_SUM = 32
#: Before that of the pickle at the end of a file, which readers of earlier versions pass over.
_SEAL = b"\nmechane sha256\n"


def sealed(content: bytes) -> bytes:
    """What a file holds: the pickle, and a sum of it, as a number with other bits is a number too."""
    import hashlib  # only who saves and loads needs it

    return content + _SEAL + hashlib.sha256(content).digest()


def _seal_of(data: bytes) -> bytes:
    """What stands behind the pickle of a file."""
    seal = data[-len(_SEAL) - _SUM:]
    return seal if seal.startswith(_SEAL) else b""


def stamp(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields with the format's version beside them."""
    return {"format": FORMAT, **fields}


def checked(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a stamped dict.

    @raises ValueError  PYTHON_PICKLE_VERSION
    """
    major = fields.get("format", (0, 0))[0]
    if major != FORMAT[0]:
        raise error(ValueError, "PYTHON_PICKLE_VERSION", f"the bytes are of format {major}, this version reads {FORMAT[0]}")
    return {k: v for k, v in fields.items() if k != "format"}


def _member(owner: Any, name: Any) -> Any:
    """A member of an enumeration by its name: what some versions of Python write as a call of getattr."""
    if isinstance(owner, type) and issubclass(owner, enum.Enum) and isinstance(name, str) and name in owner.__members__:
        return owner.__members__[name]
    raise pickle.UnpicklingError(f"it asks for an attribute of {owner!r}, which is not a member of an enumeration")


class _Restricted(pickle.Unpickler):
    """Makes numbers, texts, lists, arrays, and the plain data of this package, and nothing that could run a program."""

    # Kinds of custom attributes are among them: int, float, bool, str.
    _BUILTINS = {"int", "float", "bool", "str", "complex", "set", "frozenset", "bytearray", "slice", "range", "object"}
    _ARRAYS = {("numpy", "ndarray"), ("numpy", "dtype"), ("numpy._core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "scalar"),
               ("numpy._core.numeric", "_frombuffer"), ("numpy.core.multiarray", "_reconstruct"), ("numpy.core.multiarray", "scalar"),
               ("numpy.core.numeric", "_frombuffer"), ("collections", "OrderedDict"), ("collections", "defaultdict"), ("collections", "deque"),
               ("copyreg", "_reconstructor")}

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("builtins", "getattr"):
            return _member
        if (module, name) in self._ARRAYS or (module == "builtins" and name in self._BUILTINS):
            return super().find_class(module, name)
        if module.startswith("numpy") and name in ("float32", "float64", "int32", "int64", "bool_", "uint8", "uint32", "uint64"):
            return super().find_class(module, name)
        if module.startswith("mechane."):
            found = super().find_class(module, name)
            home, full = getattr(found, "__module__", None), f"{getattr(found, '__module__', '')}.{getattr(found, '__qualname__', '')}"
            # Data: making one reads no file and starts nothing.
            of_values = home in _OF_VALUES and isinstance(found, types.FunctionType)
            if full in _FUNCTIONS or of_values or isinstance(found, type) and str(home).startswith(_OF_DATA) and home not in _DOING:
                return found
        raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is not part of a saved model; "
                                     "where the file is trusted, load(file, trusted=True) makes it")


#: Rooms whose classes are data, as `mechane.` and the room's name.
_OF_DATA = tuple(f"mechane.{room}." for room in ("core", "stage", "geometry", "model"))
#: Modules of them whose classes read a file when they are made.
_DOING = {"mechane.stage.view", "mechane.stage.opening", "mechane.model.saved"}
#: Modules of functions that only look at their arguments: transformers of attributes, which a builder names.
_OF_VALUES = {"mechane.model.mujoco_attributes", "mechane.model.mujoco_paths"}
#: Functions that make data of data.
_FUNCTIONS = {"mechane.core.array._restored", "mechane.geometry.mesh._mesh_again", "mechane.geometry.sdf._again", "mechane.model.import_verbs._result_again",
              "mechane.model.state._own_again", *(f"mechane.model.reduce.{what}_again" for what in ("builder", "model", "of_model", "contacts"))}


def loaded(file: Any, kind: type, trusted: bool = False) -> Any:
    """What `save` of a builder or model wrote.

    @param trusted  make whatever the file asks for; a file may then run any program
    @raises TypeError   the file holds something else
    @raises ValueError  PYTHON_PICKLE_VERSION: it is no such file, was changed or damaged, or asks for more than data
    """
    def wrong(why: Any) -> Exception:
        return error(ValueError, "PYTHON_PICKLE_VERSION", f"file: {file} is not what {kind.__name__}.save() writes: {why}")

    with open(file, "rb") as source:
        data = source.read()
    seal = _seal_of(data)
    if seal and sealed(data[:-len(seal)]) != data:
        raise wrong("its check sum is another, so it was changed or damaged; take another copy of the file, or save it again")
    content = io.BytesIO(data)
    try:
        thing = (pickle.Unpickler if trusted else _Restricted)(content).load()
    except MechaneError:
        raise
    except (pickle.UnpicklingError, EOFError, ImportError, AttributeError, LookupError, ValueError, TypeError, OverflowError, MemoryError) as failure:
        raise wrong(failure) from None
    if content.read() != seal:  # files of earlier versions have nothing behind the pickle
        raise wrong("something other than its check sum follows")
    if not isinstance(thing, kind):
        raise kind_of(TypeError)(f"file: {file} holds a {type(thing).__name__}, no {kind.__name__}", "PYTHON_ARGUMENT")
    return thing
