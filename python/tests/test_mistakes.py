# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Plausible mistakes of users, and what they are told: one line that names the argument and its value, and says what would
do. An entry of the table is a call, and below it how its message begins, or what it contains."""

import numpy as np  # noqa: F401  for the table
import pytest

import warpdex
from warpdex import *  # noqa: F403  the names of calls
from warpdex import GroupedIndex, Index, Intervals, Networks, RangeAggregates
from warpdex.joins import *  # noqa: F403
from warpdex.lookups import *  # noqa: F403

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")

import warpdex.polars  # noqa: E402

MISTAKES = r"""
# words
Index([1], nulls="drop")
    nulls is 'drop'; it must be 'skip' or 'error'
Index([1], placement="copy")
    placement is 'copy'; it must be 'auto', 'replicate' or 'range'
Index([1], nulls=None)
    nulls is None; it must be 'skip' or 'error'
ordered.range_count([1], [2], "rigth")
    closed is 'rigth'; it must be 'both', 'left', 'right', 'none' or 'neither'
ordered.range_retrieve([1], [2], closed=True)
    closed is True; it must be 'both', 'left', 'right', 'none' or 'neither'
ordered.join_between([1], [2], "outer")
    how is 'outer'; it must be 'inner', 'left', 'semi' or 'anti'
ordered.join_between([1], [2], closed="both ")
    closed is 'both '; it must be 'both', 'left', 'right', 'none' or 'neither'
ordered.join([1], "right")
    how is 'right'; it must be one of 'inner', 'left', 'semi', 'anti', 'full'
ordered.join([1], how="outer")
    how is 'outer'; it must be 'inner', 'left', 'semi' or 'anti'
ordered.join_asof([1], "backwards")
    strategy is 'backwards'; it must be 'backward', 'forward' or 'nearest'
ordered.join_asof([1], ties="smallest")
    ties is 'smallest'; it must be 'first', 'last', 'adjacent' or 'all'
ordered.join_asof([1], prefer="last")
    prefer is 'last'; it must be 'earlier' or 'later'
ordered.get_indexer([10], "left")
    method is 'left'; it must be 'pad', 'ffill', 'backfill', 'bfill' or 'nearest'
grouped.range_count([1], [1], [2], "open")
    closed is 'open'; it must be 'both', 'left', 'right', 'none' or 'neither'
grouped.join_between([1], [1], [2], how="full")
    how is 'full'; it must be 'inner', 'left', 'semi' or 'anti'
grouped.join_asof([1], [10], "pad")
    strategy is 'pad'; it must be 'backward', 'forward' or 'nearest'
shifts.join([1], how="right")
    how is 'right'; it must be 'inner', 'left', 'semi' or 'anti'
Intervals([1], [2], closed="open")
    closed is 'open'; it must be 'both', 'left', 'right', 'none' or 'neither'
Networks(["10.0.0.0/8"], host_bits="drop")
    host_bits is 'drop'; it must be 'error' or 'mask'
parse_networks(["10.0.0.0/8"], host_bits=True)
    host_bits is True; it must be 'error' or 'mask'
nets.find(["10.0.0.1"], invalid="coerce")
    invalid is 'coerce'; it must be 'error' or 'null'
amounts.in_ranges([1], [2], "inner")
    closed is 'inner'; it must be 'both', 'left', 'right', 'none' or 'neither'
searchsorted([1, 2], [1], side="middle")
    side is 'middle'; it must be 'left' or 'right'
join(frame, frame, "a", "outer")
    how is 'outer'; it must be 'inner', 'left', 'right', 'full', 'semi' or 'anti'
join(frame, frame, "a", how=["inner"])
    how is ['inner']; it must be 'inner', 'left', 'right', 'full', 'semi' or 'anti'
join(frame, frame, "a", validate="one_to_one")
    validate is 'one_to_one'; it must be 'm:m', 'm:1', '1:m' or '1:1'
join(frame, frame, "a", maintain_order="right-left")
    maintain_order is 'right-left'; it must be 'none', 'left', 'right', 'left_right' or 'right_left'
join_between(frame, frame, "t", "a", "t", how="right")
    how is 'right'; it must be 'inner', 'left', 'semi' or 'anti'
join_asof(frame, frame, on="t", strategy="previous")
    strategy is 'previous'; it must be 'backward', 'forward' or 'nearest'
window(frame, frame, on="t", before=1, after=1, agg={"x": "mean"}, closed="open")
    closed is 'open'; it must be 'both', 'left', 'right', 'none' or 'neither'
duplicates([1, 1], keep="any")
    keep is 'any'; it must be 'first', 'last' or 'none'
drop_duplicates(frame, keep=False)
    keep is False; it must be 'first', 'last' or 'none'
join_columns([1], [1], "right")
    how is 'right'; it must be 'inner', 'left', 'semi', 'anti' or 'full'
asof_merge([1], [1], "back")
    strategy is 'back'; it must be 'backward', 'forward' or 'nearest'
pandas_face.merge_asof(frame, frame, on="t", direction="pad")
    direction is 'pad'; it must be 'backward', 'forward' or 'nearest'
polars_frame.select(pl.col("a").warpdex.network(nets, invalid="drop"))
    invalid is 'drop'; it must be 'error' or 'null'
duckdb_face.join(ordered, con, "from q", on="k", how="right")
    how is 'right'; it must be 'inner', 'left', 'semi' or 'anti'
Batcher(ordered).ask("finds", 1)
    lookup is 'finds'; it must be 'find', 'contains', 'count', 'lower_bound', 'upper_bound', 'floor', 'ceil',

# specs and devices
Index([1], "HT(opn)")
    spec: unknown kind 'opn'; expected HT(open) or HT(buckets), at 'opn)' in 'HT(opn)'
Index([1], "AO+BS/row=u64")
    spec: unknown option 'row'; did you mean rows?, at 'row=u64' in 'AO+BS/row=u64'
Index([1], None)
    spec is None; it must be a string
Index([1], 17)
    spec is 17; it must be a string
Index([1], device="gpu")
    device is 'gpu'; it must be 'cpu', 'cuda' or 'cuda:<number>'
Index([1], device="cuda:x")
    device is 'cuda:x'; it must be 'cpu', 'cuda' or 'cuda:<number>'
Index([1], device=1.5)
    device is 1.5; it must be 'cpu', 'cuda' or 'cuda:<number>'
Index([1], devices="cpu,cpu")
    devices is 'cpu,cpu'; it must be a list of devices
Index([1], placement="range")
    placement is 'range'; it goes with devices
Index([1], threads=-1)
    threads is -1; it must be from 0 to 2147483647
Index([1], threads="all")
    threads is 'all'; it must be an integer
Index([1], progress="yes")
    progress is 'yes'; it must be True, False or a function
ordered.to("tpu")
    device is 'tpu'; it must be 'cpu', 'cuda' or 'cuda:<number>'
join(frame, frame, "a", device="gpu")
    device is 'gpu'; it must be 'cpu', 'cuda' or 'cuda:<number>'

# keys
Index([])
    keys is empty and has no type; give an array that has one
Index(None)
    keys holds nulls alone, which have no type; give an array that has one
Index({1, 2})
    keys is a set, which has no order; give a list of it
Index({"a": [1]})
    keys is a dict, which has keys and values; give its keys() or its values()
Index(key for key in [1, 2])
    keys is a generator, which can be read only once; give a list of it
Index(ordered)
    keys is a warpdex.Index, which is no column; give the column over which it was built
Index([1, "a"])
    keys has 1 and 'a', which are not compared
Index([[1, 2], [3, 4]])
    keys has 2 dimensions; a column has one
Index([object()])
    keys[0] is <object object
Index([1j])
    keys has the type complex128; keys are integers, floats, bools, times and strings
Index(np.array([1, 2], complex))
    keys has the type complex128; keys are integers, floats, bools, times and strings
Index(([1, 2], ["a"]))
    keys has columns of 1 and 2 values
Index([1, None], nulls="error")
    keys[1] is null
Index([1, 2], rows=[1])
    rows has the shape (1,), but there are 2 keys
Index([1, 2], rows=[0, -1])
    rows reach from -1 to 0; int64 holds 0 to 9223372036854775807
Index([1, 2], rows=[0.5, 1.5])
    rows has the type float64; row ids are integers
Index([1, 2], rows=["a", "b"])
    rows has the type <U1; row ids are integers
Index([1, 2], rows=[0, 2**63])
    rows has the type float64; row ids are integers

# probes
ordered.find("a")
    probes holds strings, but the keys are of type integer
ordered.find(["a"])
    probes holds strings, but the keys are of type integer
ordered.find({1, 2})
    probes is a set, which has no order; give a list of it
ordered.find([b"a"])
    probes holds strings, but the keys are of type integer
ordered.find([{}])
    probes[0] is {}, which is no key
ordered.find(polars_frame)
    probes has 3 columns, but the keys are of type integer
ordered.find(np.array([1], "M8[s]"))
    probes has the type datetime64[s], but the keys are of type integer
texts.find([1])
    probes has the type int64, but the keys are of type string
texts.find([1.5])
    probes has the type float64, but the keys are of type string
texts.prefix_count([1])
    prefixes has the type int64, but the keys are of type string
ordered.prefix_count(["a"])
    prefixes holds strings, but the keys are of type integer
ordered.longest_prefix(["a"])
    probes holds strings, but the keys are of type integer
hashed.floor([1])
    floor: HT(open,load=0.8)/layout=AoS/rows=u32 finds keys but has no order of them; AO+BS answers bounds and ranges
hashed.range_count([1], [2])
    range_count: HT(open,load=0.8)/layout=AoS/rows=u32 finds keys but has no order of them; AO+BS answers bounds and
ordered.range_count([1, 2], [3])
    lower has 2 values, upper 1
ordered.lower_bound([None])
    probes[0] is null, which has no place in the order
ordered.find([1], out=np.zeros(2, np.int32))
    out has the shape (2,); it must be writable, contiguous, of shape (1,)
ordered.find([1], out=[0])
    out is list; the answers are a NumPy array of type int32
ordered.find([1], out=np.zeros(1, np.int64))
    out is of type int64; the answers are a NumPy array of type int32
ordered.find([1], stream=1)
    stream is 1, but the index is on the CPU, which has none
ordered.keys_at([7])
    keys_at: rank number 0 is none of the index, whose ranks are below 3
ordered.rows_at([-1])
    ranks reach from -1 to -1; the index holds uint64
ordered.join_asof(["a"])
    probes holds strings, but the keys are of type integer
ordered.join_asof([1], tolerance=-1)
    tolerance is -1; it must be a number from 0 on
ordered.join_asof([1], tolerance="1s")
    tolerance is '1s', which is no distance of keys of type integer
ordered.join_asof([1], tolerance=[1, 2])
    tolerance has 2 values, probes 1
ordered.join_asof([1], offsets=5)
    offsets is 5; it must be a list
ordered.join_asof([1], offsets=["1s"])
    offsets is '1s', which is no distance of keys of type integer
ordered.join_asof([1], relative="a")
    relative is 'a'; it must be a number
ordered.ancestors([10], [1])
    ancestors: the column of parents has 1 elements, 3 are needed
ordered.get_indexer([10], tolerance=1)
    tolerance is 1, but there is no method that it could bound
repeated.get_indexer([10])
    the keys repeat, but get_indexer needs unique ones; use get_indexer_non_unique

# updates
ordered.insert([1], [1, 2])
    rows has the shape (2,), but there are 1 keys
ordered.insert(["a"], [1])
    keys holds strings, but the keys are of type integer
ordered.insert([1], [-1])
    rows reach from -1 to -1; int32 holds 0 to 2147483647
ordered.erase(["a"])
    keys holds strings, but the keys are of type integer
ordered.update([1], [1], ["a"])
    erase_keys holds strings, but the keys are of type integer

# files
Index.load(file("nothing.wdx"))
    nothing.wdx: cannot open: No such file or directory
Index.load(file("text.wdx"))
    text.wdx', which seems to be a text file; load reads a file that save wrote
Index.load(file("grouped.wdx"))
    grouped.wdx: the file is that of a grouped index; load it as one
GroupedIndex.load(file("plain.wdx"))
    plain.wdx: the file is that of a plain index; load it as one
Index.load(file("cut.wdx"))
    cut.wdx: damaged index file: at offset 300: truncated: 300 bytes; its header says 8204
Index.load(None)
    path is None; it must be a path
Index.load("")
    path is ''; a path has one byte at least, and none is zero
ordered.save(file("no/folder.wdx"))
    folder.wdx: cannot write: No such file or directory
ordered.save(7)
    path is 7; it must be a path
Index.from_buffer(b"abc")
    memory: not a warpdex index: at offset 0: begins with 61 62 63

# groups, intervals, networks, aggregates
GroupedIndex([1, 2], [1])
    groups has 2 values, keys 1
GroupedIndex([1], {1})
    keys is a set, which has no order; give a list of it
GroupedIndex([], [])
    groups is empty and has no type; give an array that has one
grouped.find([1, 2], [10])
    groups has 2 values, probes 1
grouped.find(["a"], [10])
    groups holds strings, but the keys are of type integer
grouped.find([1], ["a"])
    probes holds strings, but the keys are of type integer
grouped.insert([1], [2], [3, 4])
    rows has the shape (2,), but there are 1 keys
grouped.join_asof([1], [10], tolerance="1s")
    tolerance is '1s', which is no distance of keys of type integer
Intervals([1, 2], [3])
    start has 2 values, end 1
Intervals(["a"], [1])
    left has start of type string, right has end of type integer, which are not compared
Intervals([1], [2], by=[1, 2])
    start has 1 values, by 2
shifts.count([1], by=["a"])
    by is ['a'], but the intervals have no groups
shifts.count(["a"])
    points holds strings, but the keys are of type integer
shifts.count([1, 2], [3])
    points has 2 values, end 1
shifts.nearest([1], k=-1)
    k is -1; it must be from 0 to 9223372036854775807
shifts.nearest([1], k="all")
    k is 'all'; it must be an integer
shifts.join([1], min_overlap=1)
    min_overlap needs end: points have no length
shifts.join([1], [2], min_overlap=-1)
    min_overlap is -1; it must be a number from 0 on
Networks(["10.0.0.0/33"])
    cidrs: networks: row 0 is '10.0.0.0/33', whose length is not one of its family
Networks(["10.0.0.1/8"])
    cidrs: networks: row 0 is '10.0.0.1/8', which has bits set beyond its length
Networks([1, 2])
    cidrs holds numbers; they need lengths
Networks([1], [129])
    lengths has 129; they must be integers from 0 to 128
Networks("everything")
    cidrs: networks: row 0 is 'everything', which is no network
nets.find(["10.0.0"])
    row 0 is '10.0.0', which is no address
nets.find([-1])
    ips[0] is -1, which is no address
nets.find([1.5])
    ips is of type float; addresses are texts, integers, packed bytes or objects of ipaddress
RangeAggregates(ordered, ["a", "b", "c"])
    values has the type string; they are integers or floats
RangeAggregates(ordered, [1, 2])
    range_aggregates: row id number 1 is 2, but there are 2 values
RangeAggregates([1, 2], [1, 2])
    index is [1, 2]; it must be a warpdex.Index
RangeAggregates(hashed, [1, 2, 3])
    range_aggregates: HT(open,load=0.8)/layout=AoS/rows=u32 finds keys but has no order of them; AO+BS answers bounds and ranges
amounts.top_k([1], [2], -1)
    k is -1; it must be from 0 to 9223372036854775807
amounts.in_ranges([1], [2, 3])
    lower has 1 values, upper 2
KeyEncoder(["u33"])
    fields[0] is 'u33'; it must be one of u32, u64, i32, i64, f32, f64, u128, date, timestamp, bytes
KeyEncoder("u32")
    fields is 'u32'; it must be a list of names of types, or of Fields
KeyEncoder(["u32"]).encode([["a"]])
    columns[0] holds strings, but the keys are of type integer
KeyEncoder(["u32", "u32"]).encode([[1]])
    columns has 1 of them; there are 2 fields
Batcher([1, 2])
    index is [1, 2]; it must be a warpdex.Index
Batcher(ordered, most_probes=0)
    most_probes is 0; it must be from 1 to 9223372036854775807
Batcher(ordered, longest_wait=-1)
    longest_wait is -1; it must be 0 seconds or more
prefix_borders([1], [129])
    bits has 129; they must be integers from 0 to 128
searchsorted([1, 2], [1], sorter=[0, -1])
    sorter[1] is -1; positions in a are from 0 to 1
searchsorted([1, 2], [1], sorter=[0])
    sorter has the shape (1,), but a has (2,)
searchsorted([[1, 2]], [1])
    a has 2 dimensions; it must have one
gather([0, 3], np.array([1, 2]))
    rows is 3 at 1, but there are 2 values
gather([-1], np.array([1, 2]))
    rows is -1 at 0, and fill_value is not given
gather([0.5], np.array([1, 2]))
    rows is of type float; row ids are integers
gather([0], 5)
    values is 5; it must be an array

# frames
join(None, frame, "a")
    left is None; it must be a DataFrame of pandas, Polars or cuDF, a table of pyarrow or of Arrow's device interface,
join([1, 2], frame, "a")
    left is [1, 2]; it must be a DataFrame of pandas, Polars or cuDF, a table of pyarrow or of Arrow's device
join(frame, frame["a"], "a")
    right is pandas.Series, of which right.to_frame() makes a frame; it must be a DataFrame of pandas, Polars or cuDF,
join(frame, con.sql("from q"), "a")
    right is duckdb.DuckDBPyRelation, of which right.to_arrow_table() makes a frame; it must be a DataFrame of pandas,
join(polars_frame, polars_frame.lazy(), "a")
    right is a LazyFrame, but left is not; collect it, or make left lazy
join(frame, frame, "b")
    left: on names the column 'b'; there are 'a', 't', 'x'
join(frame, frame)
    neither on nor left_on names a column; they are None and None
join(frame, frame, "a", left_on="a")
    both on and left_on name columns
join(frame, frame, left_on="a")
    neither on nor right_on names a column; they are None and None
join(frame, frame, left_on=["a", "t"], right_on=["a"])
    left_on names 2 columns, right_on 1
join(frame.set_index("a"), frame, "a")
    left: on names 'a', which is the frame's index; reset_index() makes a column of it
join(frame, frame.set_index("a"), "a")
    right: on names 'a', which is the frame's index; reset_index() makes a column of it
join(frame, frame, 0)
    left: on names the column 0; there are 'a', 't', 'x'
join(frame, frame.assign(a="x"), "a")
    left has a of type integer, right has a of type string, which are not compared
join(frame, frame, "a", suffix=None)
    suffix is None; it must be a string
join(frame, frame, "a", suffix="")
    suffix is '', but there is a column 't' already
join(frame, repeating, "a", validate="m:1")
    validate is 'm:1', but keys of the right frame repeat
join(frame, frame, "a", index=[1, 2])
    index is [1, 2]; it must be a warpdex.Index
join(frame, frame, "a", index=texts)
    a has the type int64, but the keys are of type string
join_asof(frame, frame, on="b")
    left: on names the column 'b'; there are 'a', 't', 'x'
join_asof(frame, frame)
    neither on nor left_on names a column; they are None and None
join_asof(frame, frame, on="t", by="b")
    left: by names the column 'b'; there are 'a', 't', 'x'
join_asof(frame, frame, on="t", by_left="a")
    by_left names 1 columns, by_right 0
join_asof(frame, frame, on="t", tolerance="1s")
    tolerance is '1s', which is no distance of keys of type integer
join_asof(times, times, on="t", tolerance=5)
    tolerance is 5, but the keys are times; give a timedelta, which has a unit
join_asof(times, times, on="t", tolerance="5 lightyears")
    tolerance is '5 lightyears', which is no duration such as '2h30m'; units are ns, us, ms, s, m, h, d, w, and pandas'
join_asof(times, times, on="t", tolerance="1mo")
    tolerance is '1mo'; months, quarters and years have no fixed length
join_asof(times, times, on="t", tolerance=pd.offsets.MonthEnd(1))
    tolerance is <MonthEnd>, which has no fixed length; give a timedelta
join_asof(times, times, on="t", tolerance="-1s")
    tolerance is '-1s'; it must be a number from 0 on
join_between(frame, frame, "t", "lower", "upper")
    lower names the column 'lower'; there are 'a', 't', 'x'
window(frame, frame, on="t", before=1, after=1, agg="mean")
    agg is 'mean'; it must be a dict of columns and their aggregates
window(frame, frame, on="t", before=1, after=1, agg={})
    agg is {}; it must be a dict of columns and their aggregates
window(frame, frame, on="t", before=1, after=1, agg={"x": "avg"})
    agg asks for 'avg' of 'x'; it may be one of 'sum', 'mean', 'std', 'min', 'max', 'count', 'first', 'last'
window(frame, frame, on="t", before=1, after=1, agg={"x": np.mean})
    of 'x'; it may be one of 'sum', 'mean', 'std', 'min', 'max', 'count', 'first', 'last', 'median', ('quantile', 0.9), or a list of them
window(frame, frame, on="t", before=1, after=1, agg={"x": [pl.mean]})
    of 'x'; it may be one of 'sum', 'mean', 'std', 'min', 'max', 'count', 'first', 'last', 'median', ('quantile', 0.9), or a list of them
window(frame, frame, on="t", before=1, after=1, agg={"y": "mean"})
    agg names the column 'y'; there are 'a', 't', 'x'
window(frame, frame, on="t", before=1, after=1, agg={"*": "sum"})
    agg asks for 'sum' of '*', which has a 'count' alone
window(frame, frame, on="t", before=1, after=-2, agg={"x": "mean"})
    before is 1 and after -2 at row 0; no window ends before it begins
window(frame, frame, on="t", before="1s", after=1, agg={"x": "mean"})
    before is '1s', which is no distance of keys of type integer
window(frame, frame, on="t", before=[1], after=1, agg={"x": "mean"})
    before has 1 values, left has 2 rows
window(times, times, on="t", before=1, after=1, agg={"x": "mean"})
    before is 1, but the keys are times; give a timedelta, which has a unit
point_in_time(frame, frame, on="t")
    tables is DataFrame; it must be a dict of names and frames
point_in_time(frame, {"f": frame}, on="b")
    on names the column 'b'; there are 'a', 't', 'x'
point_in_time(frame, {"f": frame}, on="t", by="b")
    by names the column 'b'; there are 'a', 't', 'x'
point_in_time(frame, {"f": 5}, on="t")
    tables['f'] is 5; it must be a DataFrame of pandas, Polars or cuDF, a table of pyarrow or of Arrow's device
point_in_time(frame, {"f": frame}, on="t", tolerance={"g": 1})
    tolerance names the table 'g'; there are 'f'
drop_duplicates(frame, "b")
    subset names the column 'b'; there are 'a', 't', 'x'
drop_duplicates([1, 1], "a")
    subset is 'a', but frame is list, which has no names
unique("abc")
    keys is 'abc', which is no column
unique(([1, 2], [1]))
    keys has columns of 1 and 2 values

# other libraries
pandas_face.merge_asof(polars_frame, polars_frame, on="t")
    left and right must be DataFrames of pandas; warpdex.join_asof takes others
pandas_face.merge_asof(frame, frame, on="b")
    left_on names the column 'b'; there are 'a', 't', 'x'
pandas_face.merge_asof(frame, frame, on="t", left_index=True)
    left_index is True, but a column is named too
polars_frame.select(pl.col("a").warpdex.find([1]))
    index is [1]; it must be a warpdex.Index
polars_frame.select(pl.col("a").warpdex.network(["10.0.0.0/8"]))
    networks is ['10.0.0.0/8']; it must be warpdex.Networks
duckdb_face.attach(con)
    there is no index to attach; name them, as in attach(con, orders=index)
duckdb_face.attach(con, orders=[1, 2])
    orders is [1, 2]; it must be a warpdex.Index
duckdb_face.attach(con, a=ordered, b=texts)
    b has keys of type VARCHAR, others of BIGINT; attach it with another prefix
duckdb_face.attach(con, prefix=1, a=ordered)
    prefix is 1; it must be a string
duckdb_face.join(ordered, con, "from q", on="b")
    on is 'b'; the query has 'k'
duckdb_face.join(ordered, con, "from nothing", on="k")
    sql is 'from nothing', which DuckDB refuses: Catalog Error:
duckdb_face.join(ordered, "con", "from q", on="k")
    con is 'con'; it must be a connection of DuckDB
duckdb_face.join(ordered, con, "from q", on="k", row="k")
    row is 'k', but the query has such a column
duckdb_face.join([1], con, "from q", on="k")
    index is [1]; it must be a warpdex.Index
"""


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """What calls of the table name."""
    folder = tmp_path_factory.mktemp("files")
    frame = pd.DataFrame({"a": [1, 2], "t": [1, 2], "x": [1.0, 2.0]})
    ordered, grouped = Index([30, 10, 20], "AO+BS"), GroupedIndex([1, 1, 2], [10, 20, 30])
    ordered.save(folder / "plain.wdx")
    grouped.save(folder / "grouped.wdx")
    (folder / "text.wdx").write_text("hello " * 50)
    (folder / "cut.wdx").write_bytes((folder / "plain.wdx").read_bytes()[:300])
    con = duckdb.connect()
    con.sql("create table q as select 10 as k")
    own = {
        "ordered": ordered,
        "hashed": Index([30, 10, 20], "HT(open)"),
        "repeated": Index([10, 10], "AO+BS"),
        "texts": Index(["b", "a"], "AO+BS"),
        "grouped": grouped,
        "shifts": Intervals([0, 5], [9, 6]),
        "nets": Networks(["10.0.0.0/8"]),
        "amounts": RangeAggregates(ordered, [1, 2, 3]),
        "frame": frame,
        "repeating": pd.DataFrame({"a": [1, 1]}),
        "polars_frame": pl.from_pandas(frame),
        "times": pd.DataFrame({"t": pd.to_datetime(["2024-01-01", "2024-01-02"]), "x": [1, 2]}),
        "con": con,
        "file": lambda name: folder / name,
        "duckdb_face": warpdex.duckdb,
        "pandas_face": warpdex.pandas,
    }
    return globals() | own


def entries():
    lines = [line for line in MISTAKES.splitlines() if line and not line.startswith("#")]
    return list(zip(lines[::2], (line.removeprefix("    ") for line in lines[1::2])))


def test_there_are_many():
    assert len(entries()) >= 150


@pytest.mark.parametrize(("call", "text"), entries(), ids=lambda part: part[:60])
def test_a_mistake_is_named(call, text, names):
    with pytest.raises(warpdex.Error) as why:
        eval(call, names)
    message = str(why.value)
    assert text in message
    assert "\n" not in message and len(message) < 300
