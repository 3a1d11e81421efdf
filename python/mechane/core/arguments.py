"""Errors that name the argument.

Most checks of arguments say by themselves which one is wrong. What NumPy, the extension or Python say of a value that they cannot take does
not: for them the public functions are wrapped by `name_arguments`, which costs nothing until such an error passes through.
"""
from __future__ import annotations

import enum
import functools
import inspect
import operator
import os
import re
import sysconfig
from dataclasses import is_dataclass
from types import FunctionType, TracebackType
from typing import Any, Callable

import numpy as np

from . import diagnostics
from .diagnostics import MechaneError, kind_of

__all__ = ["ignoring", "listed", "name_arguments", "whole"]

_CODE, _NOTE = "PYTHON_ARGUMENT", "in the call "
_HOME = os.path.dirname(os.path.dirname(__file__))
#: Where code lies that may raise on behalf of the package; an exception out of any other file is the user's and travels as it is.
_KNOWN = (_HOME, os.path.dirname(np.__file__), sysconfig.get_path("stdlib"), "<frozen")
#: Words of the inside, which say nothing to a caller.
_INSIDE = re.compile(r"object has no attribute|has no attribute '_|bad_cast|incompatible function arguments")
#: "shape_body[3] is 99: ..."
_OF_A_ROW = re.compile(r"\w+\[\d+\] is ")
#: What an accident is told as.
_TOLD_AS = ((AttributeError, TypeError), (OverflowError, ValueError), (TypeError, TypeError), (IndexError, IndexError), (ValueError, ValueError))


def listed(value: Any) -> list[Any]:
    """The entries of an argument that takes several of something; a text or a path alone is one of them, and None is none."""
    return [value] if isinstance(value, (str, os.PathLike)) else list(() if value is None else value)


def whole(name: str, value: Any) -> int:
    """@raises TypeError  the argument is no whole number"""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise kind_of(TypeError)(f"{name}: expected a whole number, not {value!r}", _CODE) from None


def ignoring(names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """For a function with `**_`: takes Newton's arguments that have no effect here, named one by one, and refuses any other that it does not know."""
    known = frozenset(names.split())

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        own = frozenset(name for name, p in inspect.signature(function).parameters.items() if p.kind is not inspect.Parameter.VAR_KEYWORD)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for name in kwargs:
                if name not in own and name not in known:
                    import difflib

                    near = difflib.get_close_matches(name, sorted(own | known), 1)
                    raise TypeError(f"{function.__qualname__}() has no argument {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
            return function(*args, **kwargs)

        return call

    return decorate


def _is_float(value: Any) -> bool:
    try:
        return not isinstance(value, (str, bytes)) and np.ndim(value) == 0 and float(value) is not None
    except (TypeError, ValueError, OverflowError):
        return False


def _is_int(value: Any) -> bool:
    """Also whole floats; the extension counts with 32 bits."""
    return _is_float(value) and bool(np.isfinite(value)) and float(value) == int(value) and abs(int(value)) < 2**31


_FITS: dict[str, Callable[[Any], bool]] = {
    "float": _is_float,
    "int": _is_int,
    "bool": lambda v: isinstance(v, (bool, np.bool_)) or _is_int(v),
    "str": lambda v: isinstance(v, str),
    "bytes": lambda v: isinstance(v, (bytes, bytearray, memoryview)),
    "None": lambda v: v is None,
    "dict": lambda v: hasattr(v, "items"),
    "list": lambda v: np.iterable(v) and not isinstance(v, (str, bytes)),
    "tuple": lambda v: np.iterable(v) and not isinstance(v, (str, bytes)),
    "set": lambda v: np.iterable(v) and not isinstance(v, (str, bytes)),
    "Iterable": np.iterable,
    "Sequence": np.iterable,
    "Callable": callable,
    "Any": lambda v: True,
    "object": lambda v: True,
}


def _fits(value: Any, annotation: Any, names: dict[str, Any]) -> bool:
    """Whether a value may stand for an annotation, as far as that can be told."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "Any")
    # What is in brackets is about the elements.
    while "[" in (text := re.sub(r"\[[^\[\]]*\]", "", text)):
        pass
    for part in (p.strip(" \"'") for p in text.split("|")):
        test = _FITS.get(part)
        if test is None:
            kind = names.get(part.split(".")[-1])
            if not isinstance(kind, type) or issubclass(kind, enum.Enum) or isinstance(value, kind):
                return True
        elif test(value):
            return True
    return False


def _plain(value: Any) -> bool:
    """Whether it is of a kind that some argument takes: numbers, text, containers, functions, objects that hold arrays, prims or stages."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf"
    return value is None or isinstance(value, (bool, int, float, str, bytes, os.PathLike, list, tuple, dict, set, np.generic, enum.Enum)) or callable(value) or \
        any(hasattr(value, name) for name in ("__array__", "__dlpack__", "numpy", "GetPath", "GetRootLayer")) or type(value).__module__.startswith("mechane")


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} array {value.shape}"
    if isinstance(value, (bool, int, float, str)) and len(text := repr(value)) <= 40:
        return text
    return type(value).__name__


def _ours(traceback: TracebackType | None) -> bool:
    """Whether nothing but known code lies on the way of an exception."""
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not file.startswith(_KNOWN) and not file.endswith(".pyx"):
            return False
        traceback = traceback.tb_next
    return True


def _about(name: str, text: str) -> bool:
    """Whether an error speaks of an argument; names of a letter or two are words too."""
    return re.search(rf"\b{re.escape(name)}\b" if len(name) > 2 else rf"\b{re.escape(name)}(:|=| is )", text) is not None


def _explained(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], failure: Exception) -> Exception:
    """The error with the name of the argument that it is about; the same one when it has a name, or is none of ours to tell."""
    noted = getattr(failure, "__notes__", [])
    coded = hasattr(failure, "coded")  # by a function within this one, in whose words it still is
    told = getattr(failure, "code", None) == _CODE and not coded
    if isinstance(failure, MechaneError) and not told and not coded or any(not note.startswith(_NOTE) for note in noted):
        return failure  # says already what it is about
    text = str(failure)
    try:
        signature = inspect.signature(function)
        given = signature.bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return failure  # the call itself is wrong, and Python says how
    given = {n: v for n, v in given.items() if n not in ("self", "cls") and signature.parameters[n].kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)}
    if told:  # by a function that this one called, about a value that may have another name here
        same = [name for name, value in given.items() if value is getattr(failure, "value", failure)]
        if same:
            return failure if _about(same[0], text) else _error(type(failure), same[0], failure.value, failure.reason)  # type: ignore[attr-defined]
    inside = _INSIDE.search(text) is not None
    if not inside and not told and any(_about(name, text) for name in given):
        return failure
    kind = next((as_ for what, as_ in _TOLD_AS if isinstance(failure, what)), TypeError if inside else None)
    if kind is None or not _ours(failure.__traceback__):
        return failure
    # What Python itself says of an attribute that is not there names the object; what is raised in words does not.
    missing = getattr(failure, "obj", None) if isinstance(failure, AttributeError) else None
    kind = kind_of(AttributeError if missing is None and isinstance(failure, AttributeError) else kind)
    names = getattr(function, "__globals__", {})
    for name, value in given.items():
        annotation = signature.parameters[name].annotation
        if annotation is not inspect.Parameter.empty and value is not signature.parameters[name].default and not _fits(value, annotation, names):
            return _error(kind, name, value, f"expected {str(annotation).strip(chr(39))}")
    if told:
        return failure
    if _OF_A_ROW.match(text):  # of an array of the model, whichever argument holds it
        return failure
    strange = [name for name, value in given.items() if not _plain(value)]
    if missing is not None:
        strange = [name for name, value in given.items() if value is missing or type(value) is missing] or strange
    elif not strange and len(given) == 1:
        strange = list(given)
    if len(strange) == 1:
        return _error(kind, strange[0], given[strange[0]], "" if inside else text)
    call = f"{function.__qualname__}({', '.join(f'{n}={_short(v)}' for n, v in given.items())})"
    if inside:
        return kind(f"cannot call {call}", _CODE)
    if not noted:
        failure.add_note(_NOTE + call)
    return failure


def _error(kind: type, name: str, value: Any, reason: str) -> Exception:
    """An error about an argument, which keeps the value so that callers can tell it by their own name for it."""
    got = f"not {_short(value)}" if reason.startswith("expected") else f"cannot be {_short(value)}" + (f"; {reason}" if reason else "")
    told = kind(f"{name}: {reason}, {got}" if reason.startswith("expected") else f"{name}: {got}", _CODE)
    told.value, told.reason = value, reason
    return told


def _coded(failure: Exception) -> Exception:
    """What a check of arguments raises by Python's own class, as an error with an id; anything else as it is."""
    kind = {TypeError: TypeError, ValueError: ValueError, IndexError: IndexError, OverflowError: ValueError}.get(type(failure))
    if kind is None or not str(failure) or not _ours(failure.__traceback__):
        return failure
    coded = kind_of(kind)(str(failure), _CODE)
    coded.coded = True  # type: ignore[attr-defined]
    for note in getattr(failure, "__notes__", ()):
        coded.add_note(note)
    return coded.with_traceback(failure.__traceback__)


def _takes(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return False  # the call itself is wrong, and Python says how
    return True


def _named(function: FunctionType) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError, AttributeError, IndexError, OverflowError, RuntimeError) as failure:
            told = _explained(function, args, kwargs, failure)
            if told is not failure:
                raise told from failure
            coded = _coded(failure) if _takes(function, args, kwargs) else failure
            if coded is failure:
                raise
            raise coded from failure.__cause__

    call._names_arguments = True  # type: ignore[attr-defined]
    return call


def _wrapped(thing: Any, module: str) -> Any:
    """A function with its arguments' names, also one that a class keeps; None for everything else."""
    function = thing.fset if isinstance(thing, property) else thing.__func__ if isinstance(thing, (classmethod, staticmethod)) else thing
    if not isinstance(function, FunctionType) or function.__module__ != module or hasattr(function, "_names_arguments"):
        return None
    named = _named(function)
    if isinstance(thing, property):
        return property(thing.fget, named, thing.fdel, thing.__doc__)
    return named if thing is function else type(thing)(named)


def name_arguments(module: dict[str, Any]) -> None:
    """Wraps the public functions of a module, and those of its public classes; called at the module's end with its `globals()`."""
    home = module["__name__"]
    for name in module["__all__"]:
        thing = module.get(name)
        if not isinstance(thing, type):
            if (named := _wrapped(thing, home)) is not None:
                module[name] = named
        elif not issubclass(thing, (BaseException, enum.Enum)):
            for kind in (k for k in thing.__mro__ if k.__module__ == home):
                for member, value in list(vars(kind).items()):
                    if (not member.startswith("_") or (member == "__init__" and not is_dataclass(kind))) and (named := _wrapped(value, home)) is not None:
                        setattr(kind, member, named)


name_arguments(vars(diagnostics))  # it cannot do so itself: this module builds on it
