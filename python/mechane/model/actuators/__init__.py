"""Delays, drives and limits, and the actuators that are made of them; `mechane.actuators` is their public face."""

__all__: list[str] = []
