#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""pandas_suite.py [OPTION of pytest...]: runs the tests of `merge` and `merge_asof` that the installed pandas brings along,
and asks the installed warpdex whatever they ask pandas. Values, types and order, and names of `merge_asof`, have to be those
of pandas, but for what this script explains. A call that warpdex refuses is counted by its error.

Fails for a difference without a reason, for an error that is none of warpdex, and if few calls were compared. A test of
pandas may fail, as those of the line that warns do: what counts is that both answer alike."""

import inspect
import pathlib
import re
import sys
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import warpdex
import warpdex.pandas

LEAST = 1000  # calls that are compared; fewer say that the tests or pandas' functions have moved
OF_TWO_TYPES = "a key of two types is that of its side; in an outer join it has the finest of both"
REFUSED_BY_PANDAS = [  # patterns of pandas' errors where warpdex answers, and why it does
    (r"must be sorted", "nothing need be sorted"),
    (
        r"[Ii]ncompatible merge (keys|dtype)",
        "keys and groups of two types are compared by value, and strings have an order",
    ),
    (
        r"Must pass|Can only pass|not a valid Merge type|different levels|suffix|to unpack|without a name|must be of type bool",
        "this script has names and suffixes of its own",
    ),
]
_CHECKS = {"one_to_one": "1:1", "one_to_many": "1:m", "many_to_one": "m:1", "many_to_many": "m:m"}


class NotMirrored(Exception):
    """A call with options that no call of warpdex has."""


def key_places(call, frame, own, shared):
    """Where the key columns of a side are."""
    given = call["on"] if call["on"] is not None else own if own is not None else shared
    labels, columns = [given] if not isinstance(given, list) else given, list(frame.columns)
    if not all(isinstance(one, (str, int, tuple)) and columns.count(one) == 1 for one in labels):
        raise NotMirrored("arrays or levels as keys")
    return [columns.index(one) for one in labels]


def sides_of(call):
    """Both frames, in columns l0, l1... and r0, r1...; and the names of their keys. Keys of one name are l0, l1... on both
    sides. An index as key is the column k."""
    left, right = (one.to_frame() if isinstance(one, pd.Series) else one for one in (call["left"], call["right"]))
    if left.columns.has_duplicates or right.columns.has_duplicates:
        raise NotMirrored("two columns of one name")
    one = left.set_axis([f"l{at}" for at in range(left.shape[1])], axis=1)
    two = right.set_axis([f"r{at}" for at in range(right.shape[1])], axis=1)
    if call["left_index"] and call["right_index"] and (left.index.nlevels == right.index.nlevels == 1):
        return one.assign(k=left.index), two.assign(k=right.index), ["k"], ["k"]
    if call["left_index"] or call["right_index"]:
        raise NotMirrored("an index of levels, or an index and columns, as keys")
    shared = [name for name in left.columns if name in right.columns]
    lefts, rights = (key_places(call, *side, shared) for side in ((left, call["left_on"]), (right, call["right_on"])))
    if not lefts or len(lefts) != len(rights):
        raise NotMirrored("no keys")
    same = {left.columns[a] == right.columns[b] for a, b in zip(lefts, rights)}
    if len(same) > 1:
        raise NotMirrored("keys with one name and with two names")
    if same == {True}:
        two = two.rename(columns={f"r{b}": f"l{a}" for a, b in zip(lefts, rights)})
    return one, two, [one.columns[at] for at in lefts], [two.columns[at] for at in rights]


def merge(call):
    """What `warpdex.join` answers, in the order of pandas' columns, and which of them are keys of two types."""
    if call["indicator"]:
        raise NotMirrored("indicator")
    how = {"outer": "full"}.get(call["how"], call["how"])
    if how not in ("inner", "left", "right", "full"):
        raise NotMirrored(f"how={how!r}")
    one, two, lefts, rights = sides_of(call)
    validate = call["validate"] or "m:m"
    found = warpdex.join(
        one,
        two,
        left_on=lefts,
        right_on=rights,
        how=how,
        nulls_equal=True,
        coalesce=lefts == rights,
        validate=_CHECKS.get(validate, validate),
    )
    mixed = {name for a, b in zip(lefts, rights) if one[a].dtype != two[b].dtype for name in (a, b)}
    names = [name for name in (*one.columns, *(name for name in two.columns if name not in lefts)) if name[0] != "k"]
    return found[names], [names.index(name) for name in mixed if name in names]


def merge_asof(call):
    return warpdex.pandas.merge_asof(**call), []


def difference(call, expected, found, mixed):
    """What differs between two answers, or None. @param mixed keys of two types, of which values are compared"""
    try:
        if call["name"] == "merge":  # labels are those of pandas
            assert expected.shape == found.shape, f"shapes {expected.shape} and {found.shape}"
            sides = [one.set_axis(range(one.shape[1]), axis=1).reset_index(drop=True) for one in (expected, found)]
            for side in sides:
                for key in mixed:
                    side[key] = pd.Series(map(plain, side[key]), dtype=object)
            # pandas sorts by key at times.
            expected, found = map(in_any_order, sides) if is_sorted(call) else sides
        pd.testing.assert_frame_equal(found, expected, check_flags=False)
    except AssertionError as why:
        return re.sub(r"\s+", " ", str(why))
    return None


def is_sorted(call):
    return call["how"] == "outer" or call["sort"] or call["left_index"]


def plain(value):
    """A value without its type: nulls as None, and moments of any zone and unit as they are in UTC."""
    if pd.isna(value):
        return None
    if isinstance(value, pd.Timestamp):
        return str((value if value.tzinfo is None else value.tz_convert("UTC").tz_localize(None)).as_unit("ns"))
    return value


def in_any_order(frame):
    """The rows in the order of their texts."""
    texts = ["|".join(str(plain(value)) for value in row) for row in frame.itertuples(index=False)]
    return frame.iloc[np.argsort(np.array(texts, object), kind="stable")].reset_index(drop=True)


class Suite:
    """What tests ask, and how warpdex answers it."""

    def __init__(self):
        self.seen, self.compared, self.same = Counter(), Counter(), Counter()
        self.not_mirrored, self.refused, self.explained, self.wrong = Counter(), Counter(), Counter(), []
        self.test, self.is_asking = "", False

    def watched(self, function, mirror):
        signature = inspect.signature(function)

        def call(*given, **named):
            try:
                bound = signature.bind(*given, **named)
            except TypeError:  # which the function raises, too
                return function(*given, **named)
            if self.is_asking:
                return function(*given, **named)
            bound.apply_defaults()
            self.is_asking = True
            try:
                return self.answered(function, mirror, dict(bound.arguments))
            finally:
                self.is_asking = False

        return call

    def answered(self, function, mirror, asked):
        """The answer or the error of pandas, which is compared."""
        expected = error = None
        try:
            expected = function(**asked)
        except Exception as why:
            error = why
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.ask(function.__name__, mirror, asked, expected, error)
        if error is not None:
            raise error
        return expected

    def ask(self, name, mirror, asked, expected, error):
        self.seen[name] += 1
        try:
            found, mixed = mirror(asked)
        except NotMirrored as why:
            self.not_mirrored[f"{name}: {why}"] += 1
            return
        except warpdex.Error as why:
            if error is None:
                self.refused[f"{name}: {type(why).__name__}: {short(why)}"] += 1
            else:
                self.same[f"{name}: both refuse"] += 1
            return
        except Exception as why:
            if error is None:
                self.wrong.append(f"{self.test}: {name} raises {type(why).__name__}: {why}")
            return
        self.compared[name] += 1
        asked["name"] = name
        if error is not None:
            why = next((why for pattern, why in REFUSED_BY_PANDAS if re.search(pattern, str(error))), None)
            self.differ(name, why, f"{type(error).__name__}: {error}")
        elif (what := difference(asked, expected, found, [])) is None:
            self.same[name] += 1
        else:
            by_value = difference(asked, expected, found, mixed) if mixed else what
            self.differ(name, OF_TWO_TYPES if by_value is None else None, by_value)

    def differ(self, name, why, what):
        if why is None:
            self.wrong.append(f"{self.test}: {name}: {what}")
        else:
            self.explained[f"{name}: {why}"] += 1

    def pytest_runtest_setup(self, item):
        self.test = item.name

    def report(self):
        for title, counts in (
            ("calls seen", self.seen),
            ("not mirrored, by what warpdex has not", self.not_mirrored),
            ("refused by warpdex", self.refused),
            ("compared", self.compared),
            ("the same", self.same),
            ("different, with a reason", self.explained),
        ):
            print(f"\n{title}: {sum(counts.values())}")
            for what, count in counts.most_common():
                print(f"{count:7} {what}")
        print(f"\ndifferent, without a reason: {len(self.wrong)}")
        for what in self.wrong:
            print(f"  {what[:600]}")


def short(why):
    """An error without its values."""
    return re.sub(r"'[^']*'|\d+", "..", str(why))[:90]


def main(options):
    suite = Suite()
    core = sys.modules["pandas.core.reshape.merge"]
    for name, mirror in (("merge", merge), ("merge_asof", merge_asof)):
        one = suite.watched(getattr(pd, name), mirror)
        setattr(pd, name, one)
        setattr(core, name, one)  # which frames and `from pandas.core ...` call
    folder = pathlib.Path(pd.__file__).parent / "tests" / "reshape" / "merge"
    print(f"pandas {pd.__version__}, warpdex {warpdex.__version__}, {folder}")
    code = pytest.main([str(folder), "-q", "-p", "no:cacheprovider", "--tb=short", *options], plugins=[suite])
    suite.report()
    few = sum(suite.compared.values()) < LEAST and not options
    return int(code not in (0, 1) or bool(suite.wrong) or few)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
