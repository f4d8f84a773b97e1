// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.ptr.PointerByReference;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/**
 * A binding of warpdex in one file, over JNA: copy it. An index leads from keys to rows of 64 bits, such as a file and a
 * position in it. docs/guide/java.md describes it; `main` tests it. Keys and rows are direct buffers in the order of the
 * machine ({@link #longs}), which no call copies, or arrays, which are copied.
 */
public final class Warpdex implements AutoCloseable {
    /** The row of a key that is not there. */
    public static final long NO_ROW = -1;

    private static final int I64 = 3;
    private static final int U64 = 1;
    private static final int BYTES = 9;
    private static final Api API = Native.load("warpdex", Api.class);

    private Pointer handle;

    private Warpdex(Pointer handle) {
        this.handle = handle;
    }

    /** What a call says of its failure. Codes are those of warpdex.h, such as 1 for an invalid argument. */
    public static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;
        public final int code;

        Failure(int code, String text) {
            super(text);
            this.code = code;
        }
    }

    /** Numbers of entries that an update changed. */
    @Structure.FieldOrder({"inserted", "erased", "cancelled"})
    public static class Counts extends Structure {
        public long inserted;
        public long erased;
        public long cancelled;
    }

    /** Keys that a call reads: direct buffers, which it borrows. */
    public static final class Keys {
        final Column raw = new Column();

        private Keys(Object... borrowed) {
            raw.borrowed = borrowed;
        }

        /** Numbers with a sign. */
        public static Keys of(LongBuffer keys) {
            Keys result = new Keys(keys);
            result.raw.data = Native.getDirectBufferPointer(keys);
            result.raw.size = keys.remaining();
            result.raw.type = I64;
            return result;
        }

        public static Keys of(long... keys) {
            return of(longs(keys));
        }

        /** Strings: number i is the bytes from offset i to offset i + 1. @param offsets one more than strings */
        public static Keys of(ByteBuffer bytes, LongBuffer offsets) {
            Keys result = new Keys(bytes, offsets);
            result.raw.data = Native.getDirectBufferPointer(bytes);
            result.raw.bytes = bytes.remaining();
            result.raw.offsets = Native.getDirectBufferPointer(offsets);
            result.raw.offset_bytes = 8;
            result.raw.size = offsets.remaining() - 1;
            result.raw.type = BYTES;
            return result;
        }

        public static Keys of(String... keys) {
            byte[][] all = new byte[keys.length][];
            LongBuffer offsets = longs(new long[keys.length + 1]);
            int total = 0;
            for (int i = 0; i < keys.length; offsets.put(++i, total)) {
                all[i] = keys[i].getBytes(StandardCharsets.UTF_8);
                total += all[i].length;
            }
            ByteBuffer bytes = ByteBuffer.allocateDirect(Math.max(total, 1));
            for (byte[] key : all) bytes.put(key);
            return of(bytes.rewind(), offsets);
        }
    }

    /** @return a row for a place in a file: numbers of files have 23 bits, positions 40 */
    public static long rowOf(int file, long position) {
        if (file < 0 || file >= 1 << 23 || position < 0 || position >= 1L << 40)
            throw new IllegalArgumentException("file " + file + " or position " + position + " is too large");
        return (long) file << 40 | position;
    }

    public static int fileOf(long row) {
        return (int) (row >>> 40);
    }

    public static long positionOf(long row) {
        return row & ((1L << 40) - 1);
    }

    /** @return a direct buffer of so many numbers */
    public static LongBuffer longs(int count) {
        return ByteBuffer.allocateDirect(8 * Math.max(count, 1)).order(ByteOrder.nativeOrder()).asLongBuffer().limit(count);
    }

    /** @return a direct buffer that holds a copy */
    public static LongBuffer longs(long[] values) {
        return longs(values.length).put(values).rewind();
    }

    /** Builds an index. @param spec such as "HT(open)" for lookups of single keys, or "B+(16)" for an order too */
    public static Warpdex build(String spec, Keys keys, LongBuffer rows) {
        return made((to, error) -> API.warpdex_build(spec, keys.raw, rowsOf(rows), null, to, error));
    }

    /** Reads a file. @param map uses it in place: nothing is copied, and it must not change while the index lives */
    public static Warpdex load(Path path, boolean map) {
        return made((to, error) -> API.warpdex_load(path.toString(), map ? 1 : 0, 0, null, to, error));
    }

    /** Writes a file, which appears when it is complete. */
    public void save(Path path) {
        run(error -> API.warpdex_save(open(), path.toString(), error));
    }

    /** Writes the row of each key, or NO_ROW; of a key with several rows the smallest. */
    public void find(Keys keys, LongBuffer rows) {
        Probes probes = new Probes();
        probes.lower = keys.raw;
        Output to = new Output();
        to.data = Native.getDirectBufferPointer(rows);
        to.size = rows.remaining();
        to.type = U64;
        run(error -> API.warpdex_look_up(open(), "find", probes, to, 1, null, error));
        Reference.reachabilityFence(rows);
    }

    public long[] find(Keys keys) {
        LongBuffer rows = longs((int) keys.raw.size);
        find(keys, rows);
        long[] result = new long[rows.remaining()];
        rows.get(result);
        return result;
    }

    /** Adds entries: small batches in place, where the structure can. No other call may run meanwhile. */
    public Counts insert(Keys keys, LongBuffer rows) {
        return change(keys, rows, null, 0);
    }

    /** Replaces the rows of keys, and adds keys that are not there. */
    public Counts insertOrAssign(Keys keys, LongBuffer rows) {
        return change(keys, rows, null, 1);
    }

    /** Removes all entries of the keys. */
    public Counts erase(Keys keys) {
        return change(null, null, keys, 0);
    }

    /** The number of entries. */
    public long size() {
        return facts().size;
    }

    /** The bytes that the index holds. */
    public long bytes() {
        return facts().bytes;
    }

    /** The spec with all choices filled in. */
    public String spec() {
        return facts().spec.getString(0);
    }

    /** Frees the index. No call may run meanwhile. */
    @Override
    public void close() {
        if (handle != null) API.warpdex_free(handle);
        handle = null;
    }

    private Pointer open() {
        if (handle == null) throw new IllegalStateException("the index is closed");
        return handle;
    }

    private Facts facts() {
        Facts facts = new Facts();
        run(error -> API.warpdex_describe(open(), facts, error));
        return facts;
    }

    private Counts change(Keys keys, LongBuffer rows, Keys erased, int assigns) {
        Change change = new Change();
        Counts counts = new Counts();
        Column ids = keys == null ? null : rowsOf(rows);
        change.keys = at(keys == null ? null : keys.raw);
        change.rows = at(ids);
        change.erased = at(erased == null ? null : erased.raw);
        change.assigns = assigns;
        run(error -> API.warpdex_apply(open(), change, null, counts, error));
        Reference.reachabilityFence(new Object[] {keys, ids, erased});
        return counts;
    }

    private static Column rowsOf(LongBuffer rows) {
        Column result = Keys.of(rows).raw;
        result.type = U64;
        return result;
    }

    private static Pointer at(Structure struct) {
        if (struct == null) return null;
        struct.write();
        return struct.getPointer();
    }

    private interface Call {
        int run(ErrorText error);
    }

    private interface Making {
        int run(PointerByReference to, ErrorText error);
    }

    private static void run(Call call) {
        ErrorText error = new ErrorText();
        int code = call.run(error);
        if (code != 0) throw new Failure(code, Native.toString(error.text, "UTF-8"));
    }

    private static Warpdex made(Making make) {
        PointerByReference to = new PointerByReference();
        run(error -> make.run(to, error));
        return new Warpdex(to.getValue());
    }

    /** The structs of warpdex.h. */
    @Structure.FieldOrder({"data", "size", "type", "offset_bytes", "offsets", "bytes", "validity", "validity_offset",
        "stride", "reserved"})
    public static class Column extends Structure {
        public Pointer data;
        public long size;
        public int type;
        public int offset_bytes;
        public Pointer offsets;
        public long bytes;
        public Pointer validity;
        public long validity_offset;
        public int stride;
        public int reserved;
        Object[] borrowed; // buffers, which must not be collected before this
    }

    @Structure.FieldOrder({"data", "size", "type", "reserved"})
    public static class Output extends Structure {
        public Pointer data;
        public long size;
        public int type;
        public int reserved;
    }

    @Structure.FieldOrder({"lower", "upper", "groups", "lower_is", "upper_is"})
    public static class Probes extends Structure {
        public Column lower;
        public Column upper;
        public Column groups;
        public int lower_is;
        public int upper_is;
    }

    @Structure.FieldOrder({"keys", "rows", "erased", "groups", "erased_groups", "assigns", "reserved"})
    public static class Change extends Structure {
        public Pointer keys;
        public Pointer rows;
        public Pointer erased;
        public Pointer groups;
        public Pointer erased_groups;
        public int assigns;
        public int reserved;
    }

    @Structure.FieldOrder({"spec", "size", "bytes", "key_type", "row_type", "backend", "ordered"})
    public static class Facts extends Structure {
        public Pointer spec;
        public long size;
        public long bytes;
        public int key_type;
        public int row_type;
        public int backend;
        public int ordered;
    }

    @Structure.FieldOrder({"code", "text"})
    public static class ErrorText extends Structure {
        public int code;
        public byte[] text = new byte[1020];
    }

    /** The functions of warpdex.h. Null in the place of `exec` is the CPU with all cores. */
    interface Api extends Library {
        int warpdex_build(String spec, Column keys, Column rows, Pointer exec, PointerByReference to, ErrorText error);

        int warpdex_load(String path, int map, int check, Pointer exec, PointerByReference to, ErrorText error);

        int warpdex_save(Pointer index, String path, ErrorText error);

        void warpdex_free(Pointer index);

        int warpdex_describe(Pointer index, Facts facts, ErrorText error);

        int warpdex_look_up(Pointer index, String lookup, Probes probes, Output to, long count, Pointer exec,
            ErrorText error);

        int warpdex_apply(Pointer index, Change change, Pointer exec, Counts counts, ErrorText error);
    }

    private static void expect(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }

    private static void expectFailure(int code, String words, Runnable call) {
        try {
            call.run();
        } catch (Failure failure) {
            expect(failure.code == code && failure.getMessage().contains(words), failure.code + ": " + failure.getMessage());
            return;
        }
        throw new AssertionError("no failure: " + words);
    }

    private static void testPlaces(String spec) throws Exception {
        Random random = new Random(71);
        Map<Long, Long> known = new HashMap<>();
        long[] keys = random.longs(10000).toArray();
        long[] rows = new long[keys.length];
        for (int i = 0; i < keys.length; ++i) known.put(keys[i], rows[i] = rowOf(i % 7, 100L * i));
        long[] more = random.longs(500).toArray();
        long[] later = new long[more.length];
        for (int i = 0; i < more.length; ++i) known.put(more[i], later[i] = rowOf(4000000, i));
        Path path = Files.createTempFile("warpdex", ".wdx");
        try (Warpdex index = build(spec, Keys.of(keys), longs(rows))) {
            expect(index.insert(Keys.of(more), longs(later)).inserted == 500, "inserted");
            expect(index.insertOrAssign(Keys.of(more[0]), longs(new long[] {rowOf(8, 9)})).erased == 1, "assigned");
            known.put(more[0], rowOf(8, 9));
            expect(index.erase(Keys.of(keys[0], keys[1])).erased == 2, "erased");
            known.remove(keys[0]);
            known.remove(keys[1]);
            index.save(path);
            try (Warpdex mapped = load(path, true)) {
                for (Warpdex one : new Warpdex[] {index, mapped}) {
                    for (long[] probes : new long[][] {keys, more, random.longs(1000).toArray(), {}}) {
                        long[] found = one.find(Keys.of(probes));
                        for (int i = 0; i < probes.length; ++i)
                            expect(found[i] == known.getOrDefault(probes[i], NO_ROW), spec + ": key " + probes[i]);
                    }
                    expect(one.size() == 10498 && one.bytes() > 16 * one.size(), "facts");
                }
                expect(mapped.spec().startsWith(spec.substring(0, 2)), mapped.spec());
            }
        } finally {
            Files.delete(path);
        }
        expect(fileOf(rowOf(8, 9)) == 8 && positionOf(rowOf(8, 9)) == 9, "places");
    }

    private static void testStringsAndFailures() {
        try (Warpdex index = build("AO+BS", Keys.of("fig", "apple", "plum"), longs(new long[] {1, 2, 3}))) {
            long[] rows = index.find(Keys.of("apple", "fi", "plum"));
            expect(rows[0] == 2 && rows[1] == NO_ROW && rows[2] == 3, "strings");
            expectFailure(1, "2", () -> index.find(Keys.of("apple"), longs(2)));
        }
        expectFailure(2, "BO+AS", () -> build("BO+AS", Keys.of(1), longs(1)));
        expectFailure(6, "/no/such/file", () -> load(Path.of("/no/such/file"), true));
    }

    /** Bytes per key, and probes per second in batches of 2^20. */
    private static void rate(String spec) {
        Random random = new Random(1);
        long[] keys = random.longs(1 << 24).toArray();
        try (Warpdex index = build(spec, Keys.of(keys), longs(keys))) {
            LongBuffer probes = longs(1 << 20);
            LongBuffer rows = longs(1 << 20);
            for (int i = 0; i < 1 << 20; ++i) probes.put(i, keys[(int) (i * 7919L % keys.length)]);
            double best = Double.MAX_VALUE;
            for (int i = 0; i < 10; ++i) {
                long begin = System.nanoTime();
                index.find(Keys.of(probes), rows);
                best = Math.min(best, (System.nanoTime() - begin) / 1e9);
            }
            System.out.printf("%s: %.1f bytes per key, %.1f million probes per second%n", spec,
                (double) index.bytes() / keys.length, (1 << 20) / best / 1e6);
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (String spec : new String[] {"HT(open)", "B+(16)"}) {
            if (arguments.length > 0) rate(spec);
            else testPlaces(spec);
        }
        if (arguments.length == 0) testStringsAndFailures();
        System.out.println("all passed");
    }
}
