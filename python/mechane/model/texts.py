"""Values out of texts, as XML has them."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..core.arguments import name_arguments
from ..core.diagnostics import kind_of
from .custom import layout_of

__all__ = ["custom_values", "string_to_warp"]

_TRUE, _FALSE = ("1", "true", "t", "yes", "y", "enable"), ("0", "false", "f", "no", "n", "disable")


def _flag(text: str) -> bool:
    word = text.strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    try:
        return bool(int(float(word)))
    except ValueError:
        raise kind_of(ValueError)(f"Unable to parse boolean value: {text}", "PYTHON_ARG_TEXT") from None


def string_to_warp(value: str, warp_dtype: Any, default: Any = None) -> Any:
    """Numbers in a text ("1 2 3") as a value of the type; components that the text does not have come from `default`.

    @raises ValueError  the text is no such value
    """
    name = getattr(warp_dtype, "__name__", str(warp_dtype))
    if warp_dtype is str or name == "str":
        return value
    if name in ("bool", "bool_"):
        return warp_dtype(_flag(value))
    shape, kind = layout_of(warp_dtype)
    numbers = [int(float(x)) if kind.kind in "iu" else float(x) for x in value.replace(",", " ").split()]
    if not shape:
        if not numbers:
            raise kind_of(ValueError)(f"{value!r} is not a number", "PYTHON_ARG_TEXT")
        return warp_dtype(numbers[0])
    size = int(np.prod(shape))
    if len(numbers) < size and default is not None:
        flat = np.asarray(default.numpy() if hasattr(default, "numpy") else [x for x in default] if hasattr(default, "__len__") else [default] * size).reshape(-1).tolist()
        numbers += flat[len(numbers):size]
    return warp_dtype(*numbers)


def custom_values(given: Any, attributes: list[Any], mode: str, context: dict[str, Any] | None = None) -> dict[str, Any]:
    """What an element's attributes say of custom attributes: those that are there, by key. `mode` is "urdf" or "mjcf"."""
    out = {}
    for attribute in attributes:
        text = given.get(getattr(attribute, f"{mode}_attribute_name") or attribute.name)
        if text is None:
            continue
        transform = getattr(attribute, f"{mode}_value_transformer")
        value = string_to_warp(text, attribute.dtype, attribute.default) if transform is None else transform(text, context)
        if value is not None:
            out[attribute.key] = value
    return out


name_arguments(globals())
