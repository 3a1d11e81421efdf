"""Random numbers that belong to a world: what one draws depends on the seed, the world and its episode, and on nothing else.

A world therefore goes the same way whatever stands beside it, in whichever process it runs, and however many there are.
"""
from __future__ import annotations

import numpy as np

__all__ = ["folded", "normals", "uniforms"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def _mixed(x: np.ndarray) -> np.ndarray:
    """The finaliser of SplitMix64 (Steele, Lea, Flood 2014), number by number."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def folded(seed: int) -> int:
    """A seed of any length as 64 bits, which all of its bits change; one that fits stays as it is."""
    key, rest = seed % 2**64, seed >> 64
    while rest:
        with np.errstate(over="ignore"):
            key = int(_mixed(np.array([key], np.uint64) + _GOLDEN)[0]) ^ (rest % 2**64)
        rest >>= 64
    return key


def uniforms(seed: int | np.ndarray, stream: int, worlds: np.ndarray, episodes: np.ndarray, count: int) -> np.ndarray:
    """Numbers in [0, 1), [len(worlds), count]. `stream` keeps draws for different purposes apart; `seed` is one for all worlds, or one for each, as 64 bits."""
    seeds = np.array([folded(seed)], np.uint64) if isinstance(seed, int) else seed
    with np.errstate(over="ignore"):  # arithmetic modulo 2^64 is meant
        key = _mixed(seeds + _GOLDEN * np.uint64(stream + 1))
        key = _mixed(key + _GOLDEN * (np.asarray(worlds, np.uint64) + np.uint64(1)))
        key = _mixed(key + _GOLDEN * (np.asarray(episodes, np.uint64) + np.uint64(1)))
        bits = _mixed(key[:, None] + _GOLDEN * np.arange(1, count + 1, dtype=np.uint64)[None, :])
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53


def normals(seed: int | np.ndarray, stream: int, worlds: np.ndarray, episodes: np.ndarray, count: int) -> np.ndarray:
    """Numbers of mean 0 and variance 1, [len(worlds), count] (Box, Muller 1958)."""
    u = uniforms(seed, stream, worlds, episodes, 2 * count)
    return np.sqrt(-2.0 * np.log1p(-u[:, :count])) * np.cos(2.0 * np.pi * u[:, count:])
