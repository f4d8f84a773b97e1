# SPDX-FileCopyrightText: 2026 The warpdex authors
# SPDX-License-Identifier: Apache-2.0
"""Networks of IP addresses made like a routing table: rates of `Networks.find` and of the parser, on one thread of a
CPU or on a device. A sample of the answers is compared with a dictionary of prefixes, which knows nothing of intervals.

python3 scripts/network-time.py [SPEC...]   # with warpdex installed; DEVICE=cuda for a device, with CuPy
"""

import os
import sys

import numpy as np
import warpdex
from best_of import best
from warpdex._columns import keys_of  # there is no array of NumPy with numbers of 128 bits

PROBES = 1 << 24
LENGTHS = (48, 32, 44, 40, 36, 46, 47, 42, 45, 38, 34, 33, 56, 64)
SHARES = (0.50, 0.08, 0.15, 0.09, 0.05, 0.03, 0.02, 0.02, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01)


def cut(numbers, lengths):
    """Numbers with all behind their first bits cleared."""
    free = (8 * numbers.itemsize - lengths).astype(numbers.dtype)
    return np.where(lengths == 0, 0, numbers >> free << free).astype(numbers.dtype)


def routes_of_ipv6(count, random):
    """The upper halves and the lengths of prefixes: mostly /48, /44, /40 and /32, under few allocations of /20 to /32,
    of which some have thousands and most have few."""
    owners = count // 12
    of_owners = random.choice([20, 22, 24, 28, 29, 32], owners, p=[0.01, 0.01, 0.02, 0.03, 0.13, 0.8])
    given = cut(np.uint64(1 << 61) | random.integers(0, 1 << 58, owners, np.uint64), of_owners)
    weights = np.minimum(random.zipf(1.4, owners), 5000).astype(float)
    owner = random.choice(owners, count - owners, p=weights / weights.sum())
    lengths = np.maximum(random.choice(LENGTHS, count - owners, p=SHARES), of_owners[owner] + 1)
    inside = random.integers(0, 1 << 64, count - owners, np.uint64) >> of_owners[owner].astype(np.uint64)
    return np.concatenate([given, cut(given[owner] | inside, lengths)]), np.concatenate([of_owners, lengths])


def routes_of_ipv4(count, random):
    """Prefixes of /8 to /24, most of them /24, as of a full table."""
    shares = [0.6, 0.1, 0.1, 0.05, 0.05, 0.03, 0.02, 0.03, 0.01, 0.01]
    lengths = random.choice([24, 23, 22, 21, 20, 19, 18, 16, 12, 8], count, p=shares)
    return cut(random.integers(1 << 24, 224 << 24, count, np.uint32), lengths), lengths


def wide(upper, random):
    """Addresses of 128 bits whose upper halves are known."""
    made = np.empty((upper.size, 2), np.uint64)
    made[:, 0], made[:, 1] = random.integers(0, 1 << 64, upper.size, np.uint64), upper
    return made


def inside(networks, lengths, random):
    """Addresses in random networks."""
    of = random.integers(0, networks.size, PROBES)
    bits = 8 * networks.itemsize
    free = random.integers(0, 1 << bits, PROBES, networks.dtype) >> lengths[of].astype(networks.dtype)
    return networks[of] | np.where(lengths[of] >= bits, 0, free).astype(networks.dtype)


def expect_right(networks, lengths, probes, rows):
    """Compares a sample with a walk from the longest prefix to the shortest."""
    first = {}
    for row, key in enumerate(zip(networks.tolist(), lengths.tolist())):
        first.setdefault(key, row)
    bits = 8 * networks.itemsize
    all_lengths = sorted(set(lengths.tolist()), reverse=True)
    for probe, row in zip(probes[:20000].tolist(), rows[:20000].tolist()):
        keys = ((probe >> (bits - n) << (bits - n), n) for n in all_lengths)
        assert row == next((first[key] for key in keys if key in first), -1)


def on_device(array):
    import cupy

    return cupy.asarray(array)


def measure(name, call, size, unit="M/s", scale=1e6):
    ms, answers = best(call)
    print(f"{name}: {size / ms * 1e3 / scale:.1f} {unit}")
    return answers


def main():
    device = os.environ.get("DEVICE", "cpu")
    random = np.random.default_rng(1)
    ipv6, of_ipv6 = routes_of_ipv6(230_000, random)
    ipv4, of_ipv4 = routes_of_ipv4(10**6, random)
    low = np.zeros((ipv6.size, 2), np.uint64)
    low[:, 1] = ipv6
    for spec in sys.argv[1:] or ["auto(ranges)"]:
        six = warpdex.Networks(keys_of("u128", low, len(low)), of_ipv6, spec=spec, device=device)
        four = warpdex.Networks(ipv4, of_ipv4, spec=spec, device=device)
        print(spec, six, six._core.bytes, four._core.bytes)
        probes = {
            "anywhere in 2000::/3": np.uint64(1 << 61) | random.integers(0, 1 << 61, PROBES, np.uint64),
            "in random networks": inside(ipv6, of_ipv6, random),
        }
        for where, upper in probes.items():
            asked = keys_of("u128", wide(upper, random), PROBES)
            rows = measure(f"IPv6, {where}", lambda asked=asked: six.find(asked, threads=1), PROBES)
            expect_right(ipv6, of_ipv6, upper, rows)
        for where, asked in (
            ("anywhere", random.integers(0, 1 << 32, PROBES, np.uint32)),
            ("in random networks", inside(ipv4, of_ipv4, random)),
        ):
            given = asked if device == "cpu" else on_device(asked)
            rows = measure(f"IPv4, {where}", lambda given=given: four.find(given, threads=1), PROBES)
            expect_right(ipv4, of_ipv4, asked, rows if device == "cpu" else rows.get())
    numbers = random.integers(0, 1 << 16, (1 << 20, 8))
    texts = {
        "IPv6": [":".join(f"{group:x}" for group in row) for row in numbers.tolist()],
        "IPv4": [".".join(str(byte & 255) for byte in row[:4]) for row in numbers.tolist()],
        "networks of IPv6": [":".join(f"{group:x}" for group in row[:3]) + "::/48" for row in numbers.tolist()],
    }
    import pyarrow

    for name, strings in texts.items():
        column, size = pyarrow.array(strings), sum(map(len, strings))
        parse = warpdex.parse_networks if "networks" in name else warpdex.parse_addresses
        measure(f"text of {name}", lambda: parse(column, threads=1), size, "GB/s", 1e9)


if __name__ == "__main__":
    main()
