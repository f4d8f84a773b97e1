# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Typos that type checkers find. It never runs; each line with a mark is an error to mypy and pyright, and no other is."""

import numpy as np
import pandas as pd
import polars as pl

import warpdex
import warpdex.duckdb
import warpdex.pandas
from warpdex import GroupedIndex, Index, Intervals, KeyEncoder, Networks, RangeAggregates

index = Index(np.array([30, 10, 20]), "AO+BS")
grouped = GroupedIndex([1, 1], [10, 20])
shifts = Intervals([0, 5], [9, 6])
nets = Networks(["10.0.0.0/8"])
amounts = RangeAggregates(index, [1, 2, 3])
left = pl.DataFrame({"k": [1, 2], "t": [1, 2]})
right = pd.DataFrame({"k": [1, 2], "t": [1, 2]})

Index([1], nulls="drop")  # typo
Index([1], placement="copy")  # typo
Index([1], spek="AO+BS")  # typo
Index([1], 17)  # typo
index.range_count([1], [2], "rigth")  # typo
index.range_retrieve([1], [2], closed="Both")  # typo
index.join_between([1], [2], "outer")  # typo
index.join([1], how="right")  # typo
index.join_asof([1], "backwards")  # typo
index.join_asof([1], prefer="last")  # typo
index.join_asof([1], ties="smallest")  # typo
index.get_indexer([1], "forward")  # typo
index.finds([1])  # typo
index.find([1]).to_list()  # typo
index.find(left["k"]).tolist()  # typo
index.find(left["k"]).to_list()
index.contains(5).to_list()  # typo
index.range_count([1], [2]).append(1)  # typo
index.retrieve(left["k"])[1].to_list()  # typo
index.retrieve(left["k"])[1].tolist()
index.range_count(None, left["k"]).tolist()  # typo
index.range_count(None, left["k"]).to_list()
index.join([1], "left")[1].to_list()  # typo
index.join_asof([1], "nearest", tolerance=2).to_list()  # typo
index.join_asof(left["k"], ties="last").to_list()
index.join_asof(left["k"], tolerence=2)  # typo
index.join_asof([1], ties="all")[0].to_list()  # typo
index.rows_at([0]).to_list()  # typo
index.find([1], thread=1)  # typo
index.insert([1])  # typo
index.insert([1], [3], threads="all")  # typo
Index.load(7)  # typo
grouped.range_count([1], [1], [2], "open")  # typo
grouped.join_asof([1], [1], "pad")  # typo
grouped.find([1], [1]).to_list()  # typo
grouped.find([1], left["k"]).to_list()
grouped.range_count([1], None, [2]).to_list()  # typo
grouped.retrieve([1], [1])[1].to_list()  # typo
grouped.join_asof([1], left["k"], "nearest").tolist()  # typo
shifts.join([1], how="outer")  # typo
shifts.count([1]).to_list()  # typo
shifts.count(left["k"]).to_list()
shifts.nearest([1], side="left")  # typo
shifts.nearest([1], distances=True)[2].to_list()  # typo
shifts.cluster().to_list()  # typo
Intervals([1], [2], closed="open")  # typo
Networks(["::/0"], host_bits="drop")  # typo
nets.find(["::1"], invalid="coerce")  # typo
nets.find(["::1"]).to_list()  # typo
nets.covering(left["k"])[1].to_list()  # typo
amounts.in_ranges([1], [2], "inner")  # typo
KeyEncoder(5)  # typo
warpdex.searchsorted([1, 2], [1], side="middle")  # typo
warpdex.searchsorted([1, 2], [1]).to_list()  # typo
warpdex.gather([0], [1.5]).to_list()  # typo
warpdex.gather([0], left["k"]).to_list()
warpdex.gather_table([0], left).hight  # typo
warpdex.unique([1, 1], counts=True)[0].to_list()  # typo
warpdex.duplicates(left["k"]).tolist()  # typo
warpdex.overlaps(left, left, ("k", "t")).hight  # typo
warpdex.joins.coverage(left, left, ("k", "t")).hight  # typo
warpdex.joins.merge_intervals(left, ("k", "t")).hight  # typo
warpdex.joins.hash_join([1], [1])[0].to_list()  # typo
warpdex.joins.first_match([1], [1]).to_list()  # typo
warpdex.join(left, left, "k", "outer")  # typo
warpdex.join(left, left, "k", validate="one_to_one")  # typo
warpdex.join(left, left, "k", sufix="_r")  # typo
warpdex.join(left, left, "k").colums  # typo
warpdex.join_asof(left, left, on="t", strategy="previous")  # typo
warpdex.join_between(left, left, "t", "k", "t", how="full")  # typo
warpdex.window(left, left, on="t", before=1, after=1, agg={"k": "avg"})  # typo
warpdex.window(left, left, on="t", before=1, after=1, agg={"k": ["mean", "summ"]})  # typo
warpdex.point_in_time(left, left, on="t")  # typo
warpdex.duplicates([1, 1], keep="any")  # typo
warpdex.drop_duplicates(left).hight  # typo
warpdex.joins.join_columns([1], [1], "right")  # typo
warpdex.pandas.merge_asof(right, right, on="t", direction="pad")  # typo
