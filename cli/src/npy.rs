//! Arrays in NumPy's format `.npy`, versions 1 to 3.
//!
//! The format is that of numpy.lib.format: the magic string, two bytes of the version, the length of the header (2
//! bytes in version 1, 4 later), the header as a dictionary in Python's notation, and the elements.

use crate::codes;
use cfg_core::diagnostic::Diagnostic;
use cfg_format::json::values::ValueTree;
use std::io::Read;

/// An array whose first dimension counts points.
#[derive(Debug)]
pub(crate) struct Array {
    elements: Elements,
    bytes: Vec<u8>,
    /// True if the first subscript varies fastest.
    fortran: bool,
    points: usize,
    /// The dimensions of a point.
    shape: Vec<usize>,
    /// For each element of a point, the last subscript varying fastest, its position where the first one does.
    columns: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elements {
    F8,
    F4,
    I8,
    I4,
}

impl Elements {
    fn from_description(text: &str) -> Option<Self> {
        Some(match text {
            "<f8" => Self::F8,
            "<f4" => Self::F4,
            "<i8" => Self::I8,
            "<i4" => Self::I4,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::F8 | Self::I8 => 8,
            Self::F4 | Self::I4 => 4,
        }
    }
}

const MAGIC: &[u8] = b"\x93NUMPY";
/// Most bytes of a header: NumPy writes no longer one for numbers.
const MOST_HEADER: u32 = 1 << 16;
/// Most dimensions: those of NumPy.
const MOST_DIMENSIONS: usize = 64;
const REWRITE: &str = "write the file by np.save";

/// A problem of a file, with the remedy.
fn wrong(message: impl Into<String>, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&codes::NPY, message, help))
}

fn is_short() -> Box<Diagnostic> {
    wrong("the file ends within its header", REWRITE)
}

/// Adds up to so many bytes; fewer at the end of the file.
fn add_part(
    input: &mut impl Read,
    most: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), Box<Diagnostic>> {
    let read = input.take(most as u64).read_to_end(bytes);
    read.map(|_| ()).map_err(|error| {
        let help = "check the name, the folder and the permissions";
        let message = format!("the file cannot be read: {error}");
        Box::new(Diagnostic::error(&codes::UNREADABLE, message, help))
    })
}

fn part(input: &mut impl Read, most: usize) -> Result<Vec<u8>, Box<Diagnostic>> {
    let mut bytes = Vec::new();
    add_part(input, most, &mut bytes)?;
    Ok(bytes)
}

impl Array {
    /// Reads an array of at least one point, and no more than its header says. What the array takes is taken from
    /// `room`, in bytes.
    pub(crate) fn read(
        name: &str,
        mut input: impl Read,
        room: &mut u64,
    ) -> Result<Self, Box<Diagnostic>> {
        Self::parse(&mut input, room).map_err(|mut problem| {
            problem.at.file = Some(name.to_owned());
            problem
        })
    }

    fn parse(input: &mut impl Read, room: &mut u64) -> Result<Self, Box<Diagnostic>> {
        if part(input, MAGIC.len())? != MAGIC {
            return Err(wrong(
                "the file is not in NumPy's format .npy",
                "write the file by np.save; np.savez writes another format",
            ));
        }
        let width = match part(input, 2)?[..] {
            [1, _] => 2,
            [2 | 3, _] => 4,
            [version, _] => {
                let message = format!("version {version} of the format .npy is not known");
                return Err(wrong(
                    message,
                    "write the file by np.save, in version 1 to 3",
                ));
            }
            _ => return Err(is_short()),
        };
        let length = match part(input, width)?[..] {
            [a, b] => u32::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => return Err(is_short()),
        };
        if length > MOST_HEADER {
            let message = format!("the header has {length} bytes, more than {MOST_HEADER}");
            return Err(wrong(message, REWRITE));
        }
        let header = part(input, length as usize)?;
        if header.len() < length as usize {
            return Err(is_short());
        }
        let header = std::str::from_utf8(&header)
            .map_err(|_| wrong("the header is not a text in UTF-8", REWRITE))?;
        let Header {
            description,
            fortran,
            shape,
        } = Header::parse(header).map_err(|what| {
            let message = format!("the header is not a dictionary as NumPy writes it: {what}");
            wrong(message, REWRITE)
        })?;
        let elements = Elements::from_description(&description).ok_or_else(|| {
            let message = format!("elements of type '{description}' are not read");
            wrong(message, "convert them, as by np.asarray(x, dtype=\"<f8\")")
        })?;
        let Some((&points, shape)) = shape.split_first() else {
            return Err(wrong(
                "the array has no dimension that counts points",
                "write values that are the same at all points as NAME=VALUE",
            ));
        };
        if shape.len() >= MOST_DIMENSIONS {
            let message = format!("the array has more than {MOST_DIMENSIONS} dimensions");
            return Err(wrong(message, REWRITE));
        }
        // Any number of points without elements would fit into a file.
        if points == 0 || shape.contains(&0) {
            return Err(wrong(
                "the array has no elements",
                "give at least one point, and write what is empty as NAME=[]",
            ));
        }
        let bytes = elements_of(input, (points, shape, elements.size()), room)?;
        Ok(Self {
            elements,
            fortran,
            points,
            columns: columns(shape),
            shape: shape.to_vec(),
            bytes,
        })
    }

    /// The number of points, at least 1.
    pub(crate) fn points(&self) -> usize {
        self.points
    }

    /// The dimensions of a point.
    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// For each element of a point, the last subscript varying fastest, its position where the first one does.
    pub(crate) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The elements of a point, the last subscript varying fastest.
    pub(crate) fn elements(&self, point: usize) -> impl Iterator<Item = ValueTree> {
        let count = self.columns.len();
        self.columns.iter().enumerate().map(move |(k, &column)| {
            self.element(match self.fortran {
                true => point + self.points * column,
                false => point * count + k,
            })
        })
    }

    fn element(&self, at: usize) -> ValueTree {
        let size = self.elements.size();
        let from = size * at;
        // The number of bytes has been compared with the shape.
        let bytes = &self.bytes[from..from + size];
        let (mut four, mut eight) = ([0; 4], [0; 8]);
        match size {
            4 => four.copy_from_slice(bytes),
            _ => eight.copy_from_slice(bytes),
        }
        match self.elements {
            Elements::F8 => ValueTree::Real(f64::from_le_bytes(eight)),
            Elements::F4 => ValueTree::Real(f32::from_le_bytes(four).into()),
            Elements::I8 => ValueTree::Int(i64::from_le_bytes(eight)),
            Elements::I4 => ValueTree::Int(i32::from_le_bytes(four).into()),
        }
    }

    /// The values of a point, nested.
    pub(crate) fn tree(&self, point: usize) -> ValueTree {
        let mut level: Vec<ValueTree> = self.elements(point).collect();
        for (k, &extent) in self.shape.iter().enumerate().rev() {
            let lists = self.shape[..k].iter().product();
            let mut items = level.into_iter();
            let list = |_| ValueTree::Array(items.by_ref().take(extent).collect());
            level = (0..lists).map(list).collect();
        }
        level.pop().unwrap_or(ValueTree::Null)
    }
}

/// Reads the elements of so many points, of this shape and size. The memory that an array takes is taken from `room`
/// before it is allocated.
fn elements_of(
    input: &mut impl Read,
    (points, shape, size): (usize, &[usize], usize),
    room: &mut u64,
) -> Result<Vec<u8>, Box<Diagnostic>> {
    let help = "write the file anew; it holds one array";
    let count = |from| shape.iter().try_fold(from, |n: usize, &e| n.checked_mul(e));
    let wanted = count(points).and_then(|n| n.checked_mul(size));
    let columns = count(size_of::<usize>());
    let taken = wanted.zip(columns).and_then(|(a, b)| a.checked_add(b));
    let (Some(wanted), Some(taken)) = (wanted, taken) else {
        return Err(wrong("the array takes more than 2^64 bytes", help));
    };
    let mut bytes = Vec::new();
    let left = room.checked_sub(taken as u64);
    let (Some(left), Ok(())) = (left, bytes.try_reserve_exact(wanted)) else {
        let message =
            format!("the array takes {taken} bytes of memory, and {room} are left for arrays");
        return Err(wrong(
            message,
            "split the points among several files, or allow more with --max-memory",
        ));
    };
    *room = left;
    add_part(input, wanted, &mut bytes)?;
    let there = match bytes.len() == wanted {
        false => bytes.len().to_string(),
        true if part(input, 1)?.is_empty() => return Ok(bytes),
        true => "more".to_owned(),
    };
    let message = format!("the array takes {wanted} bytes, and behind the header are {there}");
    Err(wrong(message, help))
}

/// For each element of an array, the last subscript varying fastest, its position where the first one does.
fn columns(shape: &[usize]) -> Vec<usize> {
    let count = shape.iter().product();
    let position = |k: usize| {
        let (mut rest, mut stride, mut at) = (k, count, 0);
        for &extent in shape.iter().rev() {
            stride /= extent;
            at += rest % extent * stride;
            rest /= extent;
        }
        at
    };
    (0..count).map(position).collect()
}

/// The entries of a header.
#[derive(Debug, PartialEq, Eq)]
struct Header {
    description: String,
    fortran: bool,
    shape: Vec<usize>,
}

impl Header {
    fn parse(text: &str) -> Result<Self, String> {
        let mut left = Left(text);
        let (mut description, mut fortran, mut shape) = (None, None, None);
        left.expect("{")?;
        while !left.take("}") {
            let key = left.quoted()?;
            left.expect(":")?;
            let is_new = match key {
                "descr" => description.replace(left.quoted()?.to_owned()).is_none(),
                "fortran_order" => fortran.replace(left.logical()?).is_none(),
                "shape" => shape.replace(left.numbers()?).is_none(),
                other => return Err(format!("there is an entry '{other}'")),
            };
            if !is_new {
                return Err(format!("the entry '{key}' is there twice"));
            }
            if !left.take(",") {
                left.expect("}")?;
                break;
            }
        }
        if !left.rest().is_empty() {
            return Err("something follows it".to_owned());
        }
        let absent = |name: &str| format!("the entry '{name}' is missing");
        Ok(Self {
            description: description.ok_or_else(|| absent("descr"))?,
            fortran: fortran.ok_or_else(|| absent("fortran_order"))?,
            shape: shape.ok_or_else(|| absent("shape"))?,
        })
    }
}

/// The part of a header that has not been read yet.
struct Left<'t>(&'t str);

impl<'t> Left<'t> {
    fn rest(&mut self) -> &'t str {
        self.0 = self.0.trim_ascii_start();
        self.0
    }

    fn take(&mut self, mark: &str) -> bool {
        let after = self.rest().strip_prefix(mark);
        self.0 = after.unwrap_or(self.0);
        after.is_some()
    }

    fn expect(&mut self, mark: &str) -> Result<(), String> {
        match self.take(mark) {
            true => Ok(()),
            false => Err(format!("`{mark}` is missing")),
        }
    }

    fn quoted(&mut self) -> Result<&'t str, String> {
        let rest = self.rest();
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let inside = quote.and_then(|quote| rest[1..].split_once(quote));
        let Some((text, after)) = inside else {
            return Err("there is no text in quotes, as of one type of all elements".to_owned());
        };
        self.0 = after;
        Ok(text)
    }

    fn logical(&mut self) -> Result<bool, String> {
        match (self.take("True"), self.take("False")) {
            (true, false) => Ok(true),
            (false, true) => Ok(false),
            _ => Err("'fortran_order' is neither True nor False".to_owned()),
        }
    }

    /// Numbers in round brackets.
    fn numbers(&mut self) -> Result<Vec<usize>, String> {
        let mut numbers = Vec::new();
        self.expect("(")?;
        while !self.take(")") {
            let rest = self.rest();
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            let number = rest[..end].parse();
            numbers.push(number.map_err(|_| "'shape' has an entry that is no number".to_owned())?);
            self.0 = &rest[end..];
            // Python 2 writes long numbers so.
            self.take("L");
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_format::json::values;

    /// A file with these entries, and elements.
    fn file(version: u8, header: &str, elements: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        match version {
            1 => bytes.extend((header.len() as u16).to_le_bytes()),
            _ => bytes.extend((header.len() as u32).to_le_bytes()),
        }
        bytes.extend(header.bytes());
        bytes.extend(elements);
        bytes
    }

    fn header(ty: &str, fortran: &str, shape: &str) -> String {
        format!("{{'descr': '{ty}', 'fortran_order': {fortran}, 'shape': {shape}, }}   \n")
    }

    fn read(bytes: Vec<u8>) -> Result<Array, String> {
        Array::read("x.npy", &bytes[..], &mut (1 << 30)).map_err(|problem| {
            assert_eq!(
                (problem.code, problem.at.file.as_deref()),
                ("P398", Some("x.npy"))
            );
            assert!(!problem.help.is_empty());
            problem.message.clone()
        })
    }

    fn shown(array: &Array) -> Vec<String> {
        let trees = (0..array.points()).map(|k| array.tree(k));
        trees.map(|tree| values::to_text(&tree)).collect()
    }

    #[test]
    fn types_versions_and_orders() {
        let reals: Vec<u8> = (1..=12).flat_map(|k| f64::from(k).to_le_bytes()).collect();
        for version in [1, 2, 3] {
            let c = read(file(version, &header("<f8", "False", "(2, 2, 3)"), &reals))
                .expect("it is read");
            let all = [
                "[[1.0,2.0,3.0],[4.0,5.0,6.0]]",
                "[[7.0,8.0,9.0],[10.0,11.0,12.0]]",
            ];
            assert_eq!(shown(&c), all);
            assert_eq!(
                (c.shape(), c.columns()),
                (&[2, 3][..], &[0, 2, 4, 1, 3, 5][..])
            );
        }
        // Element (i, j, k) lies at i + 2 j + 4 k.
        let fortran =
            read(file(1, &header("<f8", "True", "(2, 2, 3)"), &reals)).expect("it is read");
        let all = [
            "[[1.0,5.0,9.0],[3.0,7.0,11.0]]",
            "[[2.0,6.0,10.0],[4.0,8.0,12.0]]",
        ];
        assert_eq!(shown(&fortran), all);
        let singles: Vec<u8> = [0.1f32, f32::NAN]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let found = read(file(1, &header("<f4", "False", "(2,)"), &singles)).expect("it is read");
        assert_eq!(shown(&found), ["0.10000000149011612", "\"NaN\""]);
        let longs: Vec<u8> = [i64::MIN, 7].iter().flat_map(|x| x.to_le_bytes()).collect();
        let found = read(file(2, &header("<i8", "True", "(1L, 2L)"), &longs)).expect("it is read");
        assert_eq!(shown(&found), [format!("[{},7]", i64::MIN)]);
        let found = read(file(1, &header("<i4", "False", "(4,)"), &longs)).expect("it is read");
        assert_eq!(shown(&found), ["0", "-2147483648", "7", "0"]);
        // Entries in another order, and other quotes.
        let other = r#"{"shape":(1,),"fortran_order":False,"descr":"<f8"}"#;
        assert_eq!(
            shown(&read(file(1, other, &reals[..8])).expect("it is read")),
            ["1.0"]
        );
    }

    #[test]
    fn mistakes() {
        let eight = [0; 8];
        for (bytes, message) in [
            (b"PK\x03\x04".to_vec(), "not in NumPy's format"),
            (b"\x93NUMPY\x01\x00\x40".to_vec(), "ends within its header"),
            (
                b"\x93NUMPY\x01\x00\x40\x00{".to_vec(),
                "ends within its header",
            ),
            (b"\x93NUMPY\x04\x00\x40\x00\x00\x00{}".to_vec(), "version 4"),
            (
                file(1, &header(">f8", "False", "(1,)"), &eight),
                "type '>f8'",
            ),
            (
                file(1, &header("<c16", "False", "(1,)"), &eight),
                "type '<c16'",
            ),
            (
                file(1, &header("<f8", "False", "()"), &eight),
                "no dimension",
            ),
            (
                file(1, &header("<f8", "False", "(0, 3)"), &[]),
                "no elements",
            ),
            (
                file(1, &header("<f8", "False", "(1000000000000, 0)"), &[]),
                "no elements",
            ),
            (
                file(1, &header("<f8", "False", "(2,)"), &eight),
                "takes 16 bytes, and behind the header are 8",
            ),
            (
                file(1, &header("<f4", "False", "(1,)"), &eight),
                "takes 4 bytes",
            ),
            (
                file(
                    1,
                    &header("<f8", "False", "(4294967296, 4294967296)"),
                    &eight,
                ),
                "more than 2^64 bytes",
            ),
            (
                file(1, &header("<f8", "No", "(1,)"), &eight),
                "neither True nor False",
            ),
            (
                file(1, &header("<f8", "False", "(-1,)"), &eight),
                "no number",
            ),
            (
                file(1, &header("<f8", "False", "1"), &eight),
                "`(` is missing",
            ),
            (
                file(1, "{'descr': [('a', '<f8')]}", &eight),
                "no text in quotes",
            ),
            (
                file(1, "{'descr': '<f8', 'shape': (1,)}", &eight),
                "'fortran_order' is missing",
            ),
            (file(1, "{'descr': '<f8', 'descr': '<f8'}", &eight), "twice"),
            (file(1, "{'x': 1}", &eight), "an entry 'x'"),
            (
                file(1, &(header("<f8", "False", "(1,)") + "x"), &eight),
                "something follows",
            ),
            (file(1, "\u{e9}", &eight), "`{` is missing"),
            (
                b"\x93NUMPY\x02\x00\xff\xff\xff\xff{".to_vec(),
                "header has 4294967295 bytes",
            ),
            (
                file(
                    1,
                    &header("<f8", "False", &format!("({})", "1,".repeat(65))),
                    &eight,
                ),
                "more than 64 dimensions",
            ),
            (
                file(1, &header("<f8", "False", "(1000000000,)"), &eight),
                "takes 8000000008 bytes of memory, and 1073741824 are left",
            ),
        ] {
            let found = read(bytes).expect_err(message);
            assert!(found.contains(message), "{found}");
        }
        let mut bytes = file(1, &header("<f8", "False", "(1,)"), &eight);
        bytes[12] = 0xff;
        assert!(read(bytes).expect_err("it is no text").contains("UTF-8"));
    }

    /// Reading ends without a panic, whatever the bytes, and all elements of what is read are there.
    #[test]
    fn any_bytes() {
        let elements: Vec<u8> = (0..96).collect();
        let seeds = [
            file(1, &header("<f8", "False", "(2, 2, 3)"), &elements),
            file(2, &header("<i4", "True", "(24,)"), &elements),
            file(3, &header("<f4", "True", "(2, 3, 4)"), &elements),
        ];
        let pieces: [&[u8]; 8] = [
            b"(",
            b"99999999999999999999",
            b",",
            b"'",
            b"<i8",
            b"0",
            b"{",
            b"\xff",
        ];
        let mut state: u64 = 88_172_645_463_325_252;
        let mut draw = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        let mut accepted = 0;
        for _ in 0..50_000 {
            let mut bytes = seeds[draw(3)].clone();
            for _ in 0..=draw(3) {
                let at = draw(bytes.len().max(1)).min(bytes.len());
                match draw(4) {
                    0 => bytes.truncate(at),
                    1 => drop(bytes.splice(at..at, pieces[draw(8)].iter().copied())),
                    2 => drop(bytes.splice(at..(at + draw(4)).min(bytes.len()), [])),
                    _ => {
                        if let Some(byte) = bytes.get_mut(at) {
                            *byte = draw(256) as u8;
                        }
                    }
                }
            }
            if let Ok(array) = read(bytes) {
                accepted += 1;
                for k in 0..array.points().min(50) {
                    assert_eq!(
                        array.elements(k).count(),
                        array.shape().iter().product::<usize>()
                    );
                    let _ = array.tree(k);
                }
            }
        }
        assert!(accepted > 1000, "{accepted}");
    }
}
