//! The helper functions that emitted code needs: what C's own operators and library do not do, or do otherwise.

use super::noting::{Checks, FaultCode};
use super::{Code, Name, Prefix, sized_text, word};
use cfg_core::flat::FlatType;
use cfg_core::ir::{AnyInt, Conversion, IntType, Op, ScalarType};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The numbers that an operator with functions of its own is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Number {
    /// `double`
    Double,
    /// `float`
    Float,
    /// `int64_t`
    Integer,
}

impl Number {
    /// The numbers of this type; `None` of logicals and tapes.
    pub(super) fn from_type(ty: ScalarType) -> Option<Self> {
        match FlatType::view(ty) {
            FlatType::Real => Some(Self::Double),
            FlatType::Real32 => Some(Self::Float),
            FlatType::Integer => Some(Self::Integer),
            FlatType::Sized(_) | FlatType::Logical | FlatType::Tape => None,
        }
    }
}

/// A helper function, or a few that belong together. What one needs stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Piece {
    /// A stack of a tape.
    Stack(Number),
    /// The stack of bits.
    Bits,
    /// Memory for work arrays.
    Arena,
    /// The end of that memory.
    Mark,
    /// The numbers of values on the stacks of a tape.
    Level,
    /// The beginning and the end of a call from outside.
    Session,
    /// Further tapes of a tape.
    Inner,
    /// Its integer argument: keeps a compiler from judging constant expressions that are never evaluated.
    Value,
    /// A value of 64 bits without sign that the compiler takes as unknown.
    Unsigned,
    /// A real subtracted from 0.
    Minus(Number),
    /// The strong product of reals.
    Strong(Number),
    /// The smaller of two.
    Min(Number),
    /// The larger of two.
    Max(Number),
    /// Magnitude of the first with the sign of the second.
    Sign(Number),
    /// Positive difference.
    PosDiff(Number),
    /// Remainder of integers with the sign of the dividend.
    Remainder,
    /// Remainder with the sign of the divisor.
    Modulo(Number),
    /// Power of integers.
    IntegerPower,
    /// An operator over integers modulo 2^64, or a shift.
    Words(Op),
    /// An operator over integers of a type other than `integer`.
    Sized(Op, IntType),
    /// A conversion to an integer type from a type; reals are `double`.
    Convert(Conversion, AnyInt, ScalarType),
    /// Trip count of a counted loop.
    Trips,
    /// The stack of a tape that lies in a file.
    Disk,
    /// The functions that keep the progress of loops.
    Restart,
    /// Power of a real with this exponent, from -64 to 64.
    Power(i8),
    /// Power of a real with an integer exponent.
    AnyPower,
    /// The function of an operator whose text is in the table of operators.
    Own(Op),
    /// Polygamma function.
    Polygamma,
    /// The strides of an array whose elements are those of another one.
    LayOver,
    /// Whether two ranges of memory have a byte in common.
    Share,
    /// Whether any of several ranges of memory have a byte in common.
    Shared,
    /// A macro in front of a loop whose passes share no cell that one of them writes.
    Independent,
    /// A macro in front of a function whose loops push or pop scalars alone.
    Scalar,
    /// A macro in front of a function that is compiled into its callers.
    Here,
}

use Number::{Double, Float, Integer};

impl Piece {
    /// The pieces of a tape, which are asked for by their names in the text.
    const TAPE: [Self; 9] = [
        Self::Stack(Double),
        Self::Stack(Float),
        Self::Stack(Integer),
        Self::Bits,
        Self::Arena,
        Self::Mark,
        Self::Level,
        Self::Session,
        Self::Inner,
    ];

    /// The pieces that the header beside a file has: all but the kinds of which there are too many.
    pub(crate) fn in_header() -> impl Iterator<Item = Self> {
        let of = |numbers: &'static [Number], piece: fn(Number) -> Self| {
            numbers.iter().map(move |&number| piece(number))
        };
        let (reals, all): (&[Number], &[Number]) = (&[Double, Float], &[Double, Float, Integer]);
        let mut pieces: Vec<Self> = Self::TAPE.to_vec();
        pieces.extend([Self::Value, Self::Unsigned]);
        pieces.extend(of(reals, Self::Minus).chain(of(reals, Self::Strong)));
        pieces.extend(of(all, Self::Min).chain(of(all, Self::Max)));
        pieces.extend(of(all, Self::Sign).chain(of(all, Self::PosDiff)));
        pieces.push(Self::Remainder);
        pieces.extend(of(all, Self::Modulo));
        pieces.extend([Self::IntegerPower, Self::Trips, Self::AnyPower]);
        pieces.extend([Self::LayOver, Self::Share, Self::Shared]);
        pieces.extend([Self::Independent, Self::Scalar, Self::Here]);
        pieces.extend([Self::Disk, Self::Restart]);
        pieces.into_iter()
    }

    /// The macro that a file defines to get a piece from the header.
    pub(crate) fn switch(self) -> Option<&'static str> {
        let switches = [
            (Self::Disk, "CFGREV_USES_DISK"),
            (Self::Restart, "CFGREV_USES_RESTART"),
        ];
        let found = switches.into_iter().find(|(piece, _)| *piece == self);
        found.map(|(_, switch)| switch)
    }

    /// The functions, once in all files that are included together.
    pub(crate) fn guarded(self) -> String {
        let guard = format!("{}_IS_DEFINED", self.name().to_ascii_uppercase());
        let text = self.text().replace("static inline ", "CFGREV_INLINE ");
        format!("#ifndef {guard}\n#define {guard}\n{text}#endif\n")
    }

    /// The pieces that this one calls.
    fn needs(self) -> &'static [Self] {
        match self {
            Self::Modulo(Integer) => &[Self::Remainder],
            Self::Polygamma => &[Self::Own(Op::Digamma)],
            Self::Shared => &[Self::Share],
            Self::Restart => &[Self::Disk],
            Self::Stack(_)
            | Self::Bits
            | Self::Arena
            | Self::Mark
            | Self::Level
            | Self::Session
            | Self::Inner
            | Self::Value
            | Self::Unsigned
            | Self::Minus(_)
            | Self::Strong(_)
            | Self::Min(_)
            | Self::Max(_)
            | Self::Sign(_)
            | Self::PosDiff(_)
            | Self::Remainder
            | Self::Modulo(Double | Float)
            | Self::IntegerPower
            | Self::Words(_)
            | Self::Sized(..)
            | Self::Convert(..)
            | Self::Trips
            | Self::Power(_)
            | Self::AnyPower
            | Self::Own(_)
            | Self::LayOver
            | Self::Share
            | Self::Independent
            | Self::Scalar
            | Self::Here
            | Self::Disk => &[],
        }
    }

    /// The name of the function.
    pub(crate) fn name(self) -> String {
        let (name, number) = match self {
            Self::Stack(number) => ("stack", number),
            Self::Bits => ("bits", Double),
            Self::Arena => ("arena", Double),
            Self::Mark => ("mark", Double),
            Self::Level => ("level", Double),
            Self::Session => ("session", Double),
            Self::Inner => ("inner", Double),
            Self::Value => ("value", Double),
            Self::Unsigned => ("unsigned", Double),
            Self::Minus(number) => ("minus", number),
            Self::Strong(number) => ("strong", number),
            Self::Min(number) => ("min", number),
            Self::Max(number) => ("max", number),
            Self::Sign(number) => ("sign", number),
            Self::PosDiff(number) => ("dim", number),
            Self::Remainder => ("mod", Integer),
            Self::Modulo(number) => ("modulo", number),
            Self::IntegerPower => ("pow", Integer),
            Self::Words(op) => (word::name(op), Double),
            Self::Sized(op, ty) => return format!("cfgrev_{}_{}", sized_text::name(op), ty.name()),
            Self::Convert(how, to, from) => {
                return format!("cfgrev_{}_{}_of_{}", how.name(), to.name(), from.name());
            }
            Self::Trips => ("trips", Double),
            Self::Restart => ("restart", Double),
            Self::Power(n) => {
                let sign = if n < 0 { "m" } else { "" };
                return format!("cfgrev_pow_{sign}{}", n.unsigned_abs());
            }
            Self::AnyPower => ("powi", Double),
            Self::Own(op) => (op.name(), Double),
            Self::Polygamma => ("polygamma", Double),
            Self::LayOver => ("lay_over", Double),
            Self::Share => ("share", Double),
            Self::Disk => ("disk", Double),
            Self::Shared => ("shared", Double),
            Self::Independent => return "CFGREV_INDEPENDENT".to_owned(),
            Self::Scalar => return "CFGREV_SCALAR".to_owned(),
            Self::Here => return "CFGREV_HERE".to_owned(),
        };
        match number {
            Double => format!("cfgrev_{name}"),
            Float => format!("cfgrev_{name}f"),
            Integer => format!("cfgrev_i{name}"),
        }
    }

    /// The text of its functions.
    fn text(self) -> String {
        let (double, integer) = match self {
            Self::Stack(number) => {
                let (name, ty) = match number {
                    Double => ("real", "double"),
                    Float => ("real32", "float"),
                    Integer => ("integer", "int64_t"),
                };
                let access = include_str!("../pieces/access.c");
                return format!("{}\n{}", stack(name, ty), of_stack(access, name, ty));
            }
            // Bits have functions of their own in place of push and pop.
            Self::Bits => {
                let bits = include_str!("../pieces/bits.c");
                return format!("{}\n{bits}", stack("control", "uint64_t"));
            }
            Self::Arena => (include_str!("../pieces/arena.c"), ""),
            Self::Mark => (include_str!("../pieces/mark.c"), ""),
            Self::Level => (include_str!("../pieces/level.c"), ""),
            Self::Session => (include_str!("../pieces/session.c"), ""),
            Self::Inner => (include_str!("../pieces/inner.c"), ""),
            Self::Value => (include_str!("../pieces/value.c"), ""),
            Self::Unsigned => (include_str!("../pieces/unsigned.c"), ""),
            // Integers need neither.
            Self::Minus(_) => (include_str!("../pieces/minus.c"), ""),
            Self::Strong(_) => (include_str!("../pieces/strong.c"), ""),
            Self::Min(_) => (
                include_str!("../pieces/min.c"),
                include_str!("../pieces/imin.c"),
            ),
            Self::Max(_) => (
                include_str!("../pieces/max.c"),
                include_str!("../pieces/imax.c"),
            ),
            Self::Sign(_) => (
                include_str!("../pieces/sign.c"),
                include_str!("../pieces/isign.c"),
            ),
            Self::PosDiff(_) => (
                include_str!("../pieces/dim.c"),
                include_str!("../pieces/idim.c"),
            ),
            Self::Remainder => (include_str!("../pieces/imod.c"), ""),
            Self::Modulo(_) => (
                include_str!("../pieces/modulo.c"),
                include_str!("../pieces/imodulo.c"),
            ),
            Self::IntegerPower => (include_str!("../pieces/ipow.c"), ""),
            Self::Words(op) => return word::function(&self.name(), op),
            Self::Sized(op, ty) => return sized_text::function(&self.name(), op, ty),
            Self::Convert(how, to, from) => {
                return sized_text::conversion(&self.name(), how, to, from);
            }
            Self::Trips => (include_str!("../pieces/trips.c"), ""),
            Self::Restart => (include_str!("../pieces/restart.c"), ""),
            Self::Power(n) => return power(n),
            Self::AnyPower => (include_str!("../pieces/powi.c"), ""),
            Self::Own(op) => (op.info().c_text, ""),
            Self::Polygamma => (include_str!("../pieces/polygamma.c"), ""),
            Self::LayOver => (include_str!("../pieces/lay_over.c"), ""),
            Self::Share => (include_str!("../pieces/share.c"), ""),
            Self::Shared => (include_str!("../pieces/shared.c"), ""),
            Self::Independent => (include_str!("../pieces/independent.c"), ""),
            Self::Scalar => (include_str!("../pieces/scalar.c"), ""),
            Self::Here => (include_str!("../pieces/here.c"), ""),
            Self::Disk => (include_str!("../pieces/disk.c"), ""),
        };
        match self {
            Self::Minus(number)
            | Self::Strong(number)
            | Self::Min(number)
            | Self::Max(number)
            | Self::Sign(number)
            | Self::PosDiff(number)
            | Self::Modulo(number) => match number {
                Double => double.to_owned(),
                Float => single(double),
                Integer => integer.to_owned(),
            },
            Self::Stack(_)
            | Self::Bits
            | Self::Arena
            | Self::Mark
            | Self::Level
            | Self::Session
            | Self::Inner
            | Self::Value
            | Self::Unsigned
            | Self::Remainder
            | Self::IntegerPower
            | Self::Words(_)
            | Self::Sized(..)
            | Self::Convert(..)
            | Self::Trips
            | Self::Restart
            | Self::Power(_)
            | Self::AnyPower
            | Self::Own(_)
            | Self::Polygamma
            | Self::LayOver
            | Self::Share
            | Self::Shared
            | Self::Independent
            | Self::Scalar
            | Self::Here
            | Self::Disk => double.to_owned(),
        }
    }
}

/// A stack of this name, whose cells have this type: it grows to twice its size.
fn stack(name: &str, ty: &str) -> String {
    of_stack(include_str!("../pieces/stack.c"), name, ty)
}

fn of_stack(text: &str, name: &str, ty: &str) -> String {
    text.replace("@NAME@", name).replace("@TYPE@", ty)
}

/// The words of a text that begin as names of the runtime do.
fn own_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("cfgrev_") || word.starts_with("CFGREV_"))
}

/// The functions and macros that a piece defines: their heads begin at the left.
fn defined(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter_map(|line| match line.strip_prefix("#define ") {
            Some(name) => own_words(name).next(),
            None if line.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                own_words(line.split_once('(')?.0).last()
            }
            None => None,
        })
}

/// The text of a function over `double` as one over `float`.
fn single(double: &str) -> String {
    let text = double.replace("double", "float").replace("0.0", "0.0f");
    // Calls, of the library and the function itself, but not what stands before a parenthesis otherwise.
    let mut out = String::with_capacity(text.len() + 16);
    for (k, part) in text.split('(').enumerate() {
        if k > 0 {
            let name = out.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let name = name.take(1).next().unwrap_or("");
            if !matches!(name, "" | "if" | "return" | "while") {
                out.push('f');
            }
            out.push('(');
        }
        out.push_str(part);
    }
    out
}

/// The power with this exponent by binary powering, from the lowest digit: the squares one by one, then the product
/// of those that the exponent has.
fn power(n: i8) -> String {
    let magnitude = n.unsigned_abs();
    let name = Piece::Power(n).name();
    let mut body = String::new();
    let mut product = String::new();
    let mut square = "x".to_owned();
    let mut exponent = 1u8;
    let mut left = magnitude;
    while left > 0 {
        if left % 2 == 1 {
            if !product.is_empty() {
                product.push_str(" * ");
            }
            product.push_str(&square);
        }
        left /= 2;
        if left > 0 {
            exponent *= 2;
            let next = format!("x{exponent}");
            body.push_str(&format!("    double {next} = {square} * {square};\n"));
            square = next;
        }
    }
    if n < 0 {
        body.push_str(&format!("    double power = {product};\n"));
        let beyond = if n % 2 == 0 {
            format!("pow(fabs(x), {n}.0)")
        } else {
            format!("copysign(pow(fabs(x), {n}.0), x)")
        };
        product = format!("isnormal(power) ? 1.0 / power : {beyond}");
    }
    let mut text = String::new();
    // Writing to a String does not fail.
    let _ = write!(
        text,
        "static inline double {name}(double x) {{\n{body}    return {product};\n}}\n"
    );
    text
}

const BEFORE: &str = "#ifdef __GNUC__
/* Comparisons are the program's own, also where they contradict each other or have one result. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \"-Wtautological-compare\"
#endif

";

const BEHIND: &str = "
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
";

const POOLS: &str = "#if defined(__GNUC__) && !defined(__clang__)
/* A pointer that leads nowhere leads outside of all arrays; with checks it is an error. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \"-Warray-bounds\"
#endif

";

const BEHIND_POOLS: &str = "
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
";

/// The helper functions that a file needs, and the headers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces {
    needed: BTreeSet<Piece>,
    headers: BTreeSet<&'static str>,
    /// True if a compiler may find that comparisons contradict each other.
    contradicts: bool,
    /// True if elements are found through pointers that became numbers.
    pools: bool,
    /// The functions for checks, if everything is checked.
    pub(super) checks: Option<Checks>,
}

impl Pieces {
    /// Nothing yet, of a file in which everything is checked or not.
    pub(crate) fn new(checks: bool) -> Self {
        Self {
            checks: checks.then(Checks::new),
            ..Self::default()
        }
    }

    /// The name of the variable in which the function that is written notes what goes wrong.
    pub(crate) fn note_in(&mut self, variable: &Name) {
        if let Some(checks) = &mut self.checks {
            checks.variable = variable.clone();
        }
    }

    /// The file needs this function and those that it calls.
    pub(crate) fn require(&mut self, piece: Piece) {
        for header in ["stdbool.h", "stdint.h"] {
            self.include(header);
        }
        let mut open = vec![piece];
        while let Some(piece) = open.pop() {
            if !self.needed.insert(piece) {
                continue;
            }
            self.headers.extend(Self::headers_of(piece));
            open.extend(piece.needs());
        }
    }

    /// The headers of the C library that a piece needs beside those that every file has.
    pub(crate) fn headers_of(piece: Piece) -> &'static [&'static str] {
        if piece == Piece::Disk {
            &["limits.h", "stdio.h", "stdlib.h", "string.h", "time.h"]
        } else if piece == Piece::Restart {
            &["errno.h"]
        } else {
            &[]
        }
    }

    /// True if the file needs this function.
    pub(crate) fn has(&self, piece: Piece) -> bool {
        self.needed.contains(&piece)
    }

    /// The file needs this header of the C library.
    pub(crate) fn include(&mut self, header: &'static str) {
        self.headers.insert(header);
    }

    /// Pointers became numbers: one that leads nowhere leads outside of all arrays.
    pub(crate) fn may_lead_outside(&mut self) {
        self.pools = self.checks.is_none();
    }

    /// Comparisons that `&&` or `||` join are about the same, or what is compared are bits, which a constant may not
    /// have.
    pub(crate) fn may_contradict(&mut self) {
        self.contradicts = true;
    }

    /// What stands around the functions of the file: compilers keep to themselves which comparisons of the program are
    /// always true, and which elements lie outside of their arrays where a pointer leads nowhere.
    pub(crate) fn pragmas(&self) -> [String; 2] {
        let [mut before, mut behind] = [String::new(), String::new()];
        let pools = (self.pools, POOLS, BEHIND_POOLS);
        for (wanted, first, last) in [(self.contradicts, BEFORE, BEHIND), pools] {
            if wanted {
                before += first;
                behind.insert_str(0, last);
            }
        }
        [before, behind]
    }

    /// The functions that are called in a text, each behind those that it calls itself, separated by empty lines. Each
    /// has a guard: files that have some of the same may be included together. Where the tape is `included`, so are
    /// those that its header has.
    pub(crate) fn text(&self, code: &str, included: bool) -> String {
        let checks = self.checks.as_ref().map(Checks::text);
        let mut called: BTreeSet<String> = own_words(code).map(str::to_owned).collect();
        called.extend(
            checks
                .iter()
                .flat_map(|text| own_words(text))
                .map(str::to_owned),
        );
        let all: BTreeSet<Piece> = self.needed.iter().copied().chain(Piece::TAPE).collect();
        let in_header: BTreeSet<Piece> = match included {
            true => Piece::in_header().collect(),
            false => BTreeSet::new(),
        };
        let mut texts = Vec::new();
        for piece in all
            .into_iter()
            .rev()
            .filter(|piece| !in_header.contains(piece))
        {
            let text = piece.guarded();
            if defined(&text).any(|name| called.contains(name)) {
                called.extend(own_words(&text).map(str::to_owned));
                texts.push(text);
            }
        }
        texts.reverse();
        let checks = checks.map(|text| text.replace("static inline ", "CFGREV_INLINE "));
        texts.extend(checks);
        texts.join("\n")
    }

    /// The macros that ask the header of the tape for what the functions need of it.
    pub(crate) fn switches(&self) -> impl Iterator<Item = &'static str> {
        self.needed.iter().filter_map(|piece| piece.switch())
    }

    /// The headers that the functions and the expressions need. `math.h` is always there: constants that are not
    /// finite are defined in it.
    pub(crate) fn headers(&self) -> BTreeSet<&'static str> {
        let mut headers = self.headers.clone();
        headers.insert("math.h");
        headers
    }
}

impl Pieces {
    /// True if everything is checked.
    pub(crate) fn is_checked(&self) -> bool {
        self.checks.is_some()
    }

    /// The arguments with which a function notes what it finds: the next in the order of evaluation.
    pub(crate) fn noting_arguments(&mut self, codes: &[FaultCode]) -> Vec<Code> {
        if let Some(checks) = &mut self.checks {
            checks.count += 1;
            checks.pending = true;
            checks.codes.extend(codes);
        }
        self.noted()
    }

    /// The arguments with which a function asks whether a check has failed up to here in the order of evaluation. What
    /// C has evaluated before its turn does not count.
    pub(crate) fn noted(&self) -> Vec<Code> {
        let Some(checks) = &self.checks else {
            return Vec::new();
        };
        let variable = Code::from(checks.variable.clone());
        vec![
            variable.prefix(Prefix::Address),
            i64::from(checks.count).into(),
        ]
    }

    /// A statement begins, or a test.
    pub(crate) fn begin_statement(&mut self) {
        if let Some(checks) = &mut self.checks {
            checks.count = 0;
            checks.codes.clear();
            checks.pending = false;
        }
    }

    /// What the checks of the statement may find; nothing if there was none since the last stop.
    pub(crate) fn since_stop(&mut self) -> BTreeSet<FaultCode> {
        let Some(checks) = &mut self.checks else {
            return BTreeSet::new();
        };
        if std::mem::take(&mut checks.pending) {
            checks.codes.clone()
        } else {
            BTreeSet::new()
        }
    }

    /// The file needs this function.
    pub(crate) fn define(&mut self, name: &str, text: impl FnOnce() -> String) {
        if let Some(checks) = &mut self.checks
            && !checks.functions.contains_key(name)
        {
            checks.functions.insert(name.to_owned(), text());
        }
    }
}
