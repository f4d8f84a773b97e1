// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0

//! A binding of warpdex in one file, without crates: copy it, and link `warpdex`. An index leads from keys to rows of 64
//! bits, such as a file and a position in it. docs/guide/rust.md describes it; the tests are at the end.

use std::ffi::{c_void, CStr, CString};
use std::fmt;
use std::marker::PhantomData;
use std::os::raw::c_char;
use std::path::Path;
use std::ptr;

/// The row of a key that is not there.
pub const NO_ROW: u64 = u64::MAX;

/// @return a row for a place in a file: numbers of files have 24 bits, positions 40
pub fn row_of(file: u32, position: u64) -> u64 {
    assert!(file < 1 << 24 && position < 1 << 40, "file {file} or position {position} is too large");
    (file as u64) << 40 | position
}

/// The file and the position of a row.
pub fn place_of(row: u64) -> (u32, u64) {
    ((row >> 40) as u32, row & ((1 << 40) - 1))
}

/// What a call says of its failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// One of the codes of warpdex.h, such as 1 for an invalid argument.
    pub code: i32,
    /// What failed, where, and the value.
    pub text: String,
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

/// A type of keys: numbers of 4, 8 and 16 bytes.
///
/// # Safety
/// `TYPE` is the number of the type in warpdex.h.
pub unsafe trait Key: Copy {
    const TYPE: i32;
}

macro_rules! keys {
    ($($type:ty = $number:expr),*) => { $(unsafe impl Key for $type { const TYPE: i32 = $number; })* };
}
keys!(u32 = 0, u64 = 1, i32 = 2, i64 = 3, f32 = 4, f64 = 5, u128 = 8);

/// Keys that a call reads: numbers or strings, which it borrows.
#[derive(Clone, Copy)]
pub struct Keys<'a> {
    raw: raw::Column,
    borrowed: PhantomData<&'a [u8]>,
}

impl<'a, K: Key> From<&'a [K]> for Keys<'a> {
    fn from(keys: &'a [K]) -> Self {
        let raw = raw::Column { data: keys.as_ptr().cast(), size: keys.len() as u64, kind: K::TYPE, ..raw::NO_COLUMN };
        Keys { raw, borrowed: PhantomData }
    }
}

impl<'a, K: Key> From<&'a Vec<K>> for Keys<'a> {
    fn from(keys: &'a Vec<K>) -> Self {
        keys.as_slice().into()
    }
}

impl<'a> Keys<'a> {
    /// Strings: number i is the bytes from `offsets[i]` to `offsets[i + 1]`, as in Arrow's `LargeBinary`.
    pub fn strings(bytes: &'a [u8], offsets: &'a [u64]) -> Self {
        let raw = raw::Column {
            data: bytes.as_ptr().cast(),
            size: offsets.len().saturating_sub(1) as u64,
            kind: 9,
            offset_bytes: 8,
            offsets: offsets.as_ptr().cast(),
            bytes: bytes.len() as u64,
            ..raw::NO_COLUMN
        };
        Keys { raw, borrowed: PhantomData }
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.raw.size as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What an update changed, as numbers of entries.
#[repr(C)]
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    pub inserted: u64,
    pub erased: u64,
    pub cancelled: u64,
}

/// An index from keys to rows of 64 bits, on the CPU. Several threads may look up at once; updates take `&mut`.
pub struct Index {
    handle: *mut c_void,
}

unsafe impl Send for Index {}
unsafe impl Sync for Index {}

impl Drop for Index {
    fn drop(&mut self) {
        unsafe { raw::warpdex_free(self.handle) }
    }
}

impl Index {
    /// Builds an index. `spec` is such as "HT(open)" for lookups of single keys, or "B+(16)" for an order too.
    pub fn build<'a>(spec: &str, keys: impl Into<Keys<'a>>, rows: &[u64]) -> Result<Index, Error> {
        let (spec, keys, rows) = (text_of(spec)?, keys.into(), Keys::from(rows));
        made(|to, error| unsafe { raw::warpdex_build(spec.as_ptr(), &keys.raw, &rows.raw, ptr::null(), to, error) })
    }

    /// Reads a file. `map` uses it in place: nothing is copied, and the file must not change while the index lives.
    pub fn load(path: &Path, map: bool) -> Result<Index, Error> {
        let path = text_of(&path.to_string_lossy())?;
        let check = 0;
        made(|to, error| unsafe { raw::warpdex_load(path.as_ptr(), map as i32, check, ptr::null(), to, error) })
    }

    /// Writes a file, which appears when it is complete.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let path = text_of(&path.to_string_lossy())?;
        run(|error| unsafe { raw::warpdex_save(self.handle, path.as_ptr(), error) })
    }

    /// Writes the row of each key to `rows`, or `NO_ROW`; of a key with several rows the smallest.
    pub fn find<'a>(&self, keys: impl Into<Keys<'a>>, rows: &mut [u64]) -> Result<(), Error> {
        let probes = raw::Probes {
            lower: keys.into().raw,
            upper: raw::NO_COLUMN,
            groups: raw::NO_COLUMN,
            lower_is: 0,
            upper_is: 0,
        };
        let to = raw::Output { data: rows.as_mut_ptr().cast(), size: rows.len() as u64, kind: u64::TYPE, reserved: 0 };
        let name = b"find\0".as_ptr().cast();
        run(|error| unsafe { raw::warpdex_look_up(self.handle, name, &probes, &to, 1, ptr::null(), error) })
    }

    /// Adds entries: small batches in place, where the structure can.
    pub fn insert<'a>(&mut self, keys: impl Into<Keys<'a>>, rows: &[u64]) -> Result<Counts, Error> {
        self.change(Some(keys.into()), rows, None, false)
    }

    /// Replaces the rows of keys, and adds keys that are not there.
    pub fn insert_or_assign<'a>(&mut self, keys: impl Into<Keys<'a>>, rows: &[u64]) -> Result<Counts, Error> {
        self.change(Some(keys.into()), rows, None, true)
    }

    /// Removes all entries of the keys.
    pub fn erase<'a>(&mut self, keys: impl Into<Keys<'a>>) -> Result<Counts, Error> {
        self.change(None, &[], Some(keys.into()), false)
    }

    /// The number of entries.
    pub fn len(&self) -> Result<u64, Error> {
        Ok(self.facts()?.size)
    }

    /// The bytes that the index holds.
    pub fn bytes(&self) -> Result<u64, Error> {
        Ok(self.facts()?.bytes)
    }

    /// The spec with all choices filled in.
    pub fn spec(&self) -> Result<String, Error> {
        let facts = self.facts()?;
        Ok(unsafe { CStr::from_ptr(facts.spec) }.to_string_lossy().into_owned())
    }

    fn facts(&self) -> Result<raw::Facts, Error> {
        let mut facts = raw::Facts { spec: ptr::null(), size: 0, bytes: 0, types: [0; 4] };
        run(|error| unsafe { raw::warpdex_describe(self.handle, &mut facts, error) })?;
        Ok(facts)
    }

    fn change(
        &mut self,
        keys: Option<Keys>,
        rows: &[u64],
        erased: Option<Keys>,
        assigns: bool,
    ) -> Result<Counts, Error> {
        let rows = Keys::from(rows);
        let at = |of: &Option<Keys>| of.as_ref().map_or(ptr::null(), |keys| &keys.raw as *const raw::Column);
        let change = raw::Change {
            keys: at(&keys),
            rows: if keys.is_some() { &rows.raw } else { ptr::null() },
            erased: at(&erased),
            groups: ptr::null(),
            erased_groups: ptr::null(),
            assigns: assigns as i32,
            reserved: 0,
        };
        let mut counts = Counts::default();
        run(|error| unsafe { raw::warpdex_apply(self.handle, &change, ptr::null(), &mut counts, error) })?;
        Ok(counts)
    }
}

fn text_of(text: &str) -> Result<CString, Error> {
    CString::new(text).map_err(|_| Error { code: 1, text: format!("{text:?} has a zero byte") })
}

/// Runs a call that writes its failure to the place it is given.
fn run(call: impl FnOnce(*mut raw::ErrorText) -> i32) -> Result<(), Error> {
    let mut error = raw::ErrorText { code: 0, text: [0; 1020] };
    let code = call(&mut error);
    if code == 0 {
        return Ok(());
    }
    let text = unsafe { CStr::from_ptr(error.text.as_ptr()) }.to_string_lossy().into_owned();
    Err(Error { code, text })
}

fn made(call: impl FnOnce(*mut *mut c_void, *mut raw::ErrorText) -> i32) -> Result<Index, Error> {
    let mut handle = ptr::null_mut();
    run(|error| call(&mut handle, error))?;
    Ok(Index { handle })
}

/// The structs and functions of warpdex.h.
mod raw {
    use super::{c_char, c_void, ptr, Counts};

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Column {
        pub data: *const c_void,
        pub size: u64,
        pub kind: i32,
        pub offset_bytes: u32,
        pub offsets: *const c_void,
        pub bytes: u64,
        pub validity: *const u8,
        pub validity_offset: u64,
        pub stride: u32,
        pub reserved: u32,
    }

    pub const NO_COLUMN: Column = Column {
        data: ptr::null(),
        size: 0,
        kind: 0,
        offset_bytes: 0,
        offsets: ptr::null(),
        bytes: 0,
        validity: ptr::null(),
        validity_offset: 0,
        stride: 0,
        reserved: 0,
    };

    #[repr(C)]
    pub struct Output {
        pub data: *mut c_void,
        pub size: u64,
        pub kind: i32,
        pub reserved: i32,
    }

    #[repr(C)]
    pub struct Probes {
        pub lower: Column,
        pub upper: Column,
        pub groups: Column,
        pub lower_is: i32,
        pub upper_is: i32,
    }

    #[repr(C)]
    pub struct Change {
        pub keys: *const Column,
        pub rows: *const Column,
        pub erased: *const Column,
        pub groups: *const Column,
        pub erased_groups: *const Column,
        pub assigns: i32,
        pub reserved: i32,
    }

    #[repr(C)]
    pub struct Facts {
        pub spec: *const c_char,
        pub size: u64,
        pub bytes: u64,
        pub types: [i32; 4],
    }

    #[repr(C)]
    pub struct ErrorText {
        pub code: i32,
        pub text: [c_char; 1020],
    }

    #[link(name = "warpdex")]
    extern "C" {
        pub fn warpdex_build(
            spec: *const c_char,
            keys: *const Column,
            rows: *const Column,
            exec: *const c_void,
            to: *mut *mut c_void,
            error: *mut ErrorText,
        ) -> i32;
        pub fn warpdex_load(
            path: *const c_char,
            map: i32,
            check: i32,
            exec: *const c_void,
            to: *mut *mut c_void,
            error: *mut ErrorText,
        ) -> i32;
        pub fn warpdex_save(index: *const c_void, path: *const c_char, error: *mut ErrorText) -> i32;
        pub fn warpdex_free(index: *mut c_void);
        pub fn warpdex_describe(index: *const c_void, facts: *mut Facts, error: *mut ErrorText) -> i32;
        pub fn warpdex_look_up(
            index: *const c_void,
            lookup: *const c_char,
            probes: *const Probes,
            outputs: *const Output,
            count: u64,
            exec: *const c_void,
            error: *mut ErrorText,
        ) -> i32;
        pub fn warpdex_apply(
            index: *mut c_void,
            change: *const Change,
            exec: *const c_void,
            counts: *mut Counts,
            error: *mut ErrorText,
        ) -> i32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::time::Instant;

    fn drawn(count: usize, state: &mut u64) -> Vec<u64> {
        let mut next = || {
            *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            *state >> 20
        };
        (0..count).map(|_| next()).collect()
    }

    fn found(index: &Index, keys: &[u64]) -> Vec<u64> {
        let mut rows = vec![0; keys.len()];
        index.find(keys, &mut rows).unwrap();
        rows
    }

    #[test]
    fn keys_lead_to_places_in_files() {
        let path = std::env::temp_dir().join(format!("warpdex-{}.wdx", std::process::id()));
        for spec in ["HT(open)", "B+(16)"] {
            let mut state = 71;
            let (keys, more) = (drawn(10_000, &mut state), drawn(500, &mut state));
            let rows: Vec<u64> = (0..keys.len() as u64).map(|i| row_of((i % 7) as u32, i * 100)).collect();
            let mut known: HashMap<u64, u64> = keys.iter().copied().zip(rows.iter().copied()).collect();
            let mut index = Index::build(spec, &keys, &rows).unwrap();
            let later: Vec<u64> = (0..more.len() as u64).map(|i| row_of(9_000_000, i)).collect();
            assert_eq!(index.insert(&more, &later).unwrap().inserted, 500);
            known.extend(more.iter().copied().zip(later));
            assert_eq!(index.insert_or_assign(&more[..1], &[row_of(8, 8)]).unwrap().erased, 1);
            known.insert(more[0], row_of(8, 8));
            index.erase(&keys[..10]).unwrap();
            known.retain(|key, _| !keys[..10].contains(key));
            index.save(&path).unwrap();
            let mapped = Index::load(&path, true).unwrap();
            let probes = [keys, more, drawn(1000, &mut state)].concat();
            let expected: Vec<u64> = probes.iter().map(|key| known.get(key).copied().unwrap_or(NO_ROW)).collect();
            assert_eq!(found(&index, &probes), expected);
            assert_eq!(found(&mapped, &probes), expected);
            assert_eq!((mapped.len().unwrap(), place_of(row_of(8, 8))), (10_490, (8, 8)));
            assert!(mapped.bytes().unwrap() > 16 * 10_490 && mapped.spec().unwrap().starts_with(&spec[..2]));
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn strings_are_keys() {
        let index = Index::build("AO+BS", Keys::strings(b"figappleplum", &[0, 3, 8, 12]), &[1, 2, 3]).unwrap();
        let mut rows = [0; 2];
        index.find(Keys::strings(b"applefi", &[0, 5, 7]), &mut rows).unwrap();
        assert_eq!(rows, [2, NO_ROW]);
    }

    #[test]
    fn failures_have_a_code_and_a_text() {
        let failed = |made: Result<Index, Error>, code, words: &str| {
            let error = made.err().unwrap();
            assert!(error.code == code && error.to_string().contains(words), "{error:?}");
        };
        failed(Index::build("BO+AS", &vec![1u64], &[1]), 2, "BO+AS");
        failed(Index::build("a\0b", &vec![1u64], &[1]), 1, "zero");
        failed(Index::build("auto", &vec![1u64, 2], &[1]), 1, "1");
        failed(Index::load(Path::new("/no/such/file"), true), 6, "/no/such/file");
        let index = Index::build("auto", &vec![1u64], &[1]).unwrap();
        assert!(index.find(&vec![1u64, 2], &mut [0]).is_err() && index.find(&vec![1.5f64], &mut [0]).is_ok());
    }

    #[test]
    fn threads_share_an_index() {
        let keys: Vec<u64> = (0..1000).collect();
        let index = Index::build("HT(open)", &keys, &keys).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(found(&index, &keys), keys));
            }
        });
    }

    /// Bytes per key, and probes per second in batches of 2^20.
    #[test]
    #[ignore]
    fn rate() {
        let mut state = 1;
        let keys = drawn(1 << 24, &mut state);
        for spec in ["HT(open)", "B+(16)"] {
            let index = Index::build(spec, &keys, &keys).unwrap();
            let probes: Vec<u64> = (0..1 << 20).map(|i| keys[(i * 7919) % keys.len()]).collect();
            let mut rows = vec![0; probes.len()];
            let best = (0..10)
                .map(|_| {
                    let begin = Instant::now();
                    index.find(&probes, &mut rows).unwrap();
                    begin.elapsed().as_secs_f64()
                })
                .fold(f64::MAX, f64::min);
            let bytes = index.bytes().unwrap() as f64 / keys.len() as f64;
            println!(
                "{spec}: {bytes:.1} bytes per key, {:.1} million probes per second",
                probes.len() as f64 / best / 1e6
            );
        }
    }
}
