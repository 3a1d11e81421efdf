"""Commands that arrive some steps later."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.arguments import name_arguments
from ...core.array import fresh, plain
from ...core.diagnostics import kind_of

__all__ = ["Delay"]


def checked_mask(mask: Any, like: Any, what: str, part: str) -> np.ndarray:
    """A mask as flags: one for each entry of an array.

    @raises ValueError  it is no one-dimensional array of flags, or has another length
    """
    flags = plain(mask)
    if flags.ndim != 1 or flags.dtype != np.bool_:
        raise kind_of(ValueError)(f"{what} reset mask must be a one-dimensional Boolean array", "PYTHON_ARG_MASK")
    if len(flags) != plain(like).shape[-1]:
        raise kind_of(ValueError)(f"{what} reset mask length ({len(flags)}) must match {part} length ({plain(like).shape[-1]})", "PYTHON_ARG_MASK")
    return flags


class Delay:
    """Holds commands back by a number of steps for each dof, out of a ring of the last `max_delay` commands.

    With an empty ring, or a delay of 0, the present command is read. With fewer commands than the delay, the oldest one is.
    """

    @dataclass
    class State:
        """The ring. Rows are commands, columns dofs."""

        buffer_pos: Any = None  #: positions [m or rad], [max_delay, n]
        buffer_vel: Any = None  #: velocities [m/s or rad/s], [max_delay, n]
        buffer_act: Any = None  #: feedforward efforts [N or N m], [max_delay, n]
        num_pushes: Any = None  #: commands since the last reset, at most max_delay, [n]
        write_idx: Any = None  #: row of the newest command, [1]

        def reset(self, mask: Any = None) -> None:
            """Forgets the commands of all dofs, or of those where `mask` [n] is true."""
            buffers = [plain(self.buffer_pos), plain(self.buffer_vel), plain(self.buffer_act)]
            if mask is None:
                for buffer in buffers:
                    buffer[...] = 0
                plain(self.num_pushes)[...] = 0
                plain(self.write_idx)[...] = len(buffers[0]) - 1
                return
            flags = checked_mask(mask, self.num_pushes, "Delay", "buffer")
            for buffer in buffers:
                buffer[:, flags] = 0
            plain(self.num_pushes)[flags] = 0

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        if "delay_steps" not in args:
            raise kind_of(ValueError)("Delay requires 'delay_steps'", "PYTHON_ARG_ACTUATOR")
        if args["delay_steps"] < 0:
            raise kind_of(ValueError)(f"delay_steps must be >= 0, got {args['delay_steps']}", "PYTHON_ARG_ACTUATOR")
        return {"delay_steps": args["delay_steps"]}

    def __init__(self, delay_steps: Any, max_delay: int):
        """`delay_steps` [n] in steps of the actuator; `max_delay` is the greatest of them, at least 1."""
        if max_delay < 1:
            raise kind_of(ValueError)(f"max_delay must be >= 1, got {max_delay}", "PYTHON_ARG_ACTUATOR")
        self.delay_steps = delay_steps
        self.buf_depth = int(max_delay)
        self._out: tuple[Any, Any, Any] = (None, None, None)

    def finalize(self, device: Any, num_actuators: int, requires_grad: bool = False) -> None:
        """Makes room for the delayed commands; an actuator calls it."""
        self._out = (fresh(num_actuators), fresh(num_actuators), fresh(num_actuators))

    def state(self, num_actuators: int, device: Any = None) -> "Delay.State":
        rows = (self.buf_depth, num_actuators)
        rings = [fresh(rows, row="float") for _ in range(3)]
        out = Delay.State(*rings, fresh(num_actuators, np.int32), fresh(1, np.int32))
        plain(out.write_idx)[0] = self.buf_depth - 1
        return out

    def get_delayed_targets(self, target_pos: Any, target_vel: Any, feedforward: Any, pos_indices: Any, vel_indices: Any,
                            current_state: "Delay.State") -> tuple[Any, Any, Any]:
        """Positions, velocities and feedforward efforts of the commands that are due, [n] each."""
        steps, pushes = plain(self.delay_steps), plain(current_state.num_pushes)
        lag = np.minimum(steps - 1, pushes - 1)
        row = (int(plain(current_state.write_idx)[0]) - lag) % self.buf_depth
        now = (pushes == 0) | (steps == 0)
        column = np.arange(len(steps))
        sources = ((target_pos, pos_indices, current_state.buffer_pos), (target_vel, vel_indices, current_state.buffer_vel),
                   (feedforward, vel_indices, current_state.buffer_act))
        for out, (given, indices, buffer) in zip(self._out, sources):
            present = 0.0 if given is None else plain(given)[plain(indices)]
            plain(out)[...] = np.where(now, present, plain(buffer)[row, column])
        return self._out

    def update_state(self, target_pos: Any, target_vel: Any, feedforward: Any, pos_indices: Any, vel_indices: Any, current_state: "Delay.State",
                     next_state: "Delay.State | None") -> None:
        """Puts the present commands into the ring of the next state, which keeps the other rows of the current one as it had them."""
        if next_state is None:
            return
        copied = int(plain(current_state.write_idx)[0])
        row = (copied + 1) % self.buf_depth
        for name, given, indices in (("buffer_pos", target_pos, pos_indices), ("buffer_vel", target_vel, vel_indices), ("buffer_act", feedforward, vel_indices)):
            ring = plain(getattr(next_state, name))
            ring[copied] = plain(getattr(current_state, name))[copied]
            ring[row] = 0.0 if given is None else plain(given)[plain(indices)]
        plain(next_state.num_pushes)[...] = np.minimum(plain(current_state.num_pushes) + 1, self.buf_depth)
        plain(next_state.write_idx)[0] = row


name_arguments(globals())
