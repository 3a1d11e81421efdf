"""Colours: how their numbers are meant, and a map from numbers to colours."""
from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from .arguments import name_arguments
from .array import plain

__all__ = ["ColorSpace", "bourke_color_map", "color_linear_to_srgb", "color_srgb_to_linear"]


class ColorSpace(IntEnum):
    """How numbers of a colour are meant."""

    SRGB = 0
    LINEAR = 1


def color_linear_to_srgb(color: Any) -> tuple[float, ...]:
    """IEC 61966-2-1, each component of 0 to 1."""
    c = np.clip(np.asarray(plain(color), dtype=float), 0, 1)
    return tuple(np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055).tolist())


def color_srgb_to_linear(color: Any) -> tuple[float, ...]:
    """IEC 61966-2-1, each component of 0 to 1."""
    c = np.clip(np.asarray(plain(color), dtype=float), 0, 1)
    return tuple(np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).tolist())


def bourke_color_map(low: float, high: float, v: float) -> list[float]:
    """From blue through cyan, green and yellow to red."""
    x = 4 * ((min(max(v, low), high) - low) / (high - low) if high > low else 0.0)
    return [min(max(x - 2, 0), 1), min(x, 1) if x < 3 else 4 - x, min(max(2 - x, 0), 1)]


name_arguments(globals())
