# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""The border of the package: what callers pass is checked by its name, an index stays the same during a call, and what
fails is a `warpdex.Error`."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import os
import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypedDict, TypeVar, cast

import numpy as np

from ..errors import Error, InvalidArgument, KeyTypeError, shown, translated
from ..types import WORDS
from .asking import Asking, Searched
from .origin import Checked

_P = ParamSpec("_P")
_R = TypeVar("_R")
_C = TypeVar("_C", bound=type)


# What an argument may be. Each check returns the value in the type that the core takes.


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise KeyTypeError(f"{name} is {shown(value)}; it must be a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(f"{name} is {shown(value)}, which is no text of Unicode") from None
    return str(value)


def _word(kind: str) -> Callable[[str, Any], str]:
    def check(name: str, value: Any) -> str:
        if not (is_text := isinstance(value, str)) or value not in WORDS[kind]:
            *others, last = map(repr, WORDS[kind])
            failure = InvalidArgument if is_text else KeyTypeError
            raise failure(f"{name} is {shown(value)}; it must be {', '.join(others)} or {last}")
        return str(value)

    return check


def _integer(least: int, most: int) -> Callable[[str, Any], int]:
    def check(name: str, value: Any) -> int:
        try:
            number = operator.index(value)
        except TypeError:
            raise KeyTypeError(f"{name} is {shown(value)}; it must be an integer") from None
        if not least <= number <= most:
            raise InvalidArgument(f"{name} is {shown(value)}; it must be from {least} to {most}")
        return number

    return check


def _one_of(kinds: Any, what: str, converted: Callable[[Any], Any] = lambda value: value) -> Callable[[str, Any], Any]:
    def check(name: str, value: Any) -> Any:
        if not isinstance(value, kinds):
            raise KeyTypeError(f"{name} is {shown(value)}; it must be {what}")
        return converted(value)

    return check


def _progress(name: str, value: Any) -> Any:
    if not (value is None or isinstance(value, (bool, np.bool_)) or callable(value)):
        raise KeyTypeError(f"{name} is {shown(value)}; it must be True, False or a function")
    return bool(value) if isinstance(value, np.bool_) else value


def _path(name: str, value: Any) -> Any:
    try:
        path = os.fsencode(value)
    except (TypeError, ValueError):
        raise KeyTypeError(f"{name} is {shown(value)}; it must be a path") from None
    if not path or b"\0" in path:
        raise InvalidArgument(f"{name} is {shown(value)}; a path has one byte at least, and none is zero")
    return value


def _number(what: str, most: float, limits: str) -> Callable[[str, Any], float]:
    def check(name: str, value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise KeyTypeError(f"{name} is {shown(value)}; it must be {what}") from None
        if not 0 <= number <= most:
            raise InvalidArgument(f"{name} is {shown(value)}; it must be {limits}")
        return number

    return check


seconds_of = _number("a number of seconds", math.inf, "0 seconds or more")


_flag = _one_of((bool, np.bool_), "True or False", bool)
_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("spec", "suffix", "sql", "row", "prefix"), _text),
    **dict.fromkeys(("mmap", "nulls_equal", "coalesce", "check_sortedness", "last_open", "least"), _flag),
    **dict.fromkeys(("inverse", "counts", "ignore_overlaps", "distances"), _flag),
    **dict.fromkeys(("allow_exact_matches", "allow_parallel", "force_parallel", "left_index", "right_index"), _flag),
    "threads": _integer(0, 2**31 - 1),
    **dict.fromkeys(("batch", "none", "k"), _integer(0, 2**63 - 1)),
    "size": _integer(0, 2**48 - 1),
    **dict.fromkeys(("limit", "most_probes", "nbytes", "memory"), _integer(1, 2**63 - 1)),
    "longest_wait": seconds_of,
    "relative": _number("a number", sys.float_info.max, "a number from 0 on"),
    "progress": _progress,
    **dict.fromkeys(("path", "folder"), _path),
    "index": _one_of((Asking, Checked), "a warpdex.Index"),
    "Searched": _one_of(Searched, "a warpdex.Index or GroupedIndex"),
}


class Run(TypedDict, total=False):
    """How a call runs. A public function that takes `**run: Unpack[Run]` has these arguments, by name."""

    stream: Any
    threads: int


class Told(Run, total=False):
    """The same of a call that tells its progress."""

    progress: Any


_DEFAULTS = {"stream": None, "threads": 0, "progress": False}  # those of `Call`


def _spelled(signature: inspect.Signature) -> inspect.Signature:
    """A signature with the arguments that its last one, `run`, stands for."""
    *others, run = signature.parameters.values()
    types = (Told if run.annotation == "Unpack[Told]" else Run).__annotations__
    by_name = inspect.Parameter.KEYWORD_ONLY
    named = (
        inspect.Parameter(name, by_name, default=_DEFAULTS[name], annotation=kind.__forward_arg__)
        for name, kind in types.items()
    )
    return signature.replace(parameters=[*others, *named])


_Checks = dict[str, tuple[int, Callable[[str, Any], Any], bool]]


def _checks_of(signature: inspect.Signature) -> _Checks:
    """The arguments of a function that have a check: their place, the check, and whether they may be None."""
    result: _Checks = {}
    for position, (name, argument) in enumerate(signature.parameters.items()):
        kind = str(argument.annotation).removesuffix(" | None")
        known = _CHECKS.get(kind, _CHECKS.get(name))
        if (check := _word(kind) if kind in WORDS else _flag if kind == "bool" else known) is not None:
            result[name] = position, check, argument.default is None
    return result


def _checked(checks: _Checks, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Checks the arguments of a call: those by name in their place, those by place in a copy."""
    values = list(args)
    for name, (position, check, optional) in checks.items():
        where: Any = (values, position) if position < len(values) else (kwargs, name) if name in kwargs else None
        if where is not None and not ((value := where[0][where[1]]) is None and optional):
            where[0][where[1]] = check(name, value)
    return tuple(values)


def name_of(function: Callable[..., Any]) -> str:
    """The name by which callers call a function: a constructor by that of its class."""
    return function.__qualname__.removesuffix(".__init__").rpartition(".")[2]


def _called(function: Callable[..., Any], names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """A call in a message."""
    values = {**dict(zip(names, args)), **kwargs}
    named = [f"{name}={shown(value)}" for name, value in values.items() if name not in ("self", "cls")]
    return f"{name_of(function)}({', '.join(named)})"


def _of_call(why: Exception, called: Callable[[], str]) -> Error | None:
    """The package's exception for one that ends a call; None for one that passes as it is. One that a public function
    within the call has made names this call instead, which is the one that the caller knows."""
    foreign: BaseException | None = why
    if isinstance(why, Error):
        foreign = why.__cause__ if why.of_call and not hasattr(why, "of_caller") else None
    elif isinstance(why, TypeError) and getattr(why.__traceback__, "tb_next", None) is None:
        return None  # a wrong number of arguments
    if not isinstance(foreign, Exception) or (failure := translated(foreign, called())) is None:
        return None
    failure.of_call, failure.__cause__ = True, foreign
    return failure


def public(function: Callable[_P, _R], held: str = "index") -> Callable[_P, _R]:
    """A function that callers see. `held` names the argument that is an index, and no flag, if there is one: it stays the
    same during a call."""
    signature = inspect.signature(function)
    runs = "run" in signature.parameters
    if runs:
        signature = _spelled(signature)
    arguments = list(signature.parameters)
    held = held if held in arguments and signature.parameters[held].annotation != "bool" else ""
    position = arguments.index(held) if held else 0
    checks = _checks_of(signature)
    first = min((position for position, _, _ in checks.values()), default=len(arguments))

    @functools.wraps(function)
    def bordered(*args: Any, **kwargs: Any) -> Any:
        try:
            if kwargs or len(args) > first:
                if runs and (unknown := kwargs.keys() - signature.parameters.keys()):
                    raise TypeError(f"{name_of(function)}() got an unexpected keyword argument {unknown.pop()!r}")
                args = _checked(checks, args, kwargs)
            if held and (index := args[position] if len(args) > position else kwargs.get(held)) is not None:
                with index._core:
                    return function(*args, **kwargs)
            return function(*args, **kwargs)
        except Exception as why:
            if (failure := _of_call(why, lambda: _called(function, arguments, args, kwargs))) is None:
                raise
            raise failure from failure.__cause__

    if runs:
        bordered.__signature__ = signature  # type: ignore[attr-defined]
    return cast(Callable[_P, _R], bordered)


def public_methods(*updates: str, held: str = "self") -> Callable[[_C], _C]:
    """Makes the methods of a class public. All but updates hold an index, which then stays the same during a call."""

    def decorate(kind: _C) -> _C:
        for name, member in list(vars(kind).items()):
            if name.startswith("_") and name != "__init__":
                continue
            if isinstance(member, classmethod):
                setattr(kind, name, classmethod(public(member.__func__)))
            elif inspect.isfunction(member):
                setattr(kind, name, public(member, "" if name == "__init__" or name in updates else held))
        return kind

    return decorate
