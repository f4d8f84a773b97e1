# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Devices and streams by their names and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..errors import InvalidArgument, KeyTypeError


def device_number(device: Any) -> int:
    """The number of a device: -1 for "cpu", 0 for "cuda", 1 for "cuda:1". Devices of Torch and CuPy have their own
    names and numbers."""
    if isinstance(device, (int, np.integer)) and not isinstance(device, bool):
        number = int(device)
    else:
        kind, _, text = (str(device) if hasattr(device, "index") or isinstance(device, str) else "").partition(":")
        if hasattr(device, "id"):
            number = int(device.id)
        elif kind == "cpu":
            return -1
        elif kind == "cuda" and (text.isdecimal() or not text):
            number = int(text or 0)
        else:
            raise InvalidArgument(f"device is {device!r}; it must be 'cpu', 'cuda' or 'cuda:<number>'")
    count = _core.device_count()
    if not 0 <= number < count:
        raise InvalidArgument(f"device is {device!r}, but this machine and this build have {count} devices of CUDA")
    return number


def device_numbers(devices: Any) -> list[int]:
    """The numbers of several devices."""
    if isinstance(devices, str) or not hasattr(devices, "__len__") or len(devices) == 0:
        raise InvalidArgument(f"devices is {devices!r}; it must be a list of devices")
    try:
        return [device_number(device) for device in devices]
    except (InvalidArgument, TypeError) as why:
        raise InvalidArgument(f"devices has an element that is none: {why}") from None


def device_name(number: int) -> str:
    return "cpu" if number < 0 else f"cuda:{number}"


def stream_number(stream: Any) -> int | None:
    """The number of a stream, as CUDA gives it; None for None."""
    if stream is None or type(stream) is int:
        return stream
    if (protocol := getattr(stream, "__cuda_stream__", None)) is not None:
        answer = protocol() if callable(protocol) else protocol
        return int(answer[1])
    for name in ("cuda_stream", "ptr"):  # Torch's and CuPy's before they knew the protocol
        if hasattr(stream, name):
            return int(getattr(stream, name))
    raise KeyTypeError(f"stream is {stream!r}; it must be a number, or have __cuda_stream__")
