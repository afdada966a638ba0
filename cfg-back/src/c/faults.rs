//! What can go wrong in a program with checks: the codes, the state of a function's checks, and texts with messages.

use super::operators::{
    Code, Name,
    checked::{self, FaultCode},
};
use cfg_core::{
    entity::{RoutineId, VertexId},
    flat::FlatClass,
    ir::{Cfg, Expr, Program, Signature},
};
use std::collections::HashMap;

pub(super) use checked::{BOUNDS, OVERFLOW, STEP, UNSET};

/// No case of a branch has the value.
pub(super) const CASE: FaultCode = 207;
/// An array has more elements than memory can have.
pub(super) const MEMORY: FaultCode = 210;
/// Shapes do not conform.
pub(super) const SHAPE: FaultCode = 212;
/// An optional argument is used that was not given.
pub(super) const ABSENT: FaultCode = 213;
/// Arguments share cells although one is written.
pub(super) const OVERLAP: FaultCode = 214;
/// An array has no shape yet.
pub(super) const UNALLOCATED: FaultCode = 215;
/// A tape has nothing left.
pub(super) const EMPTY: FaultCode = 216;
/// A value does not fit into the bits of the control stack.
pub(super) const CONTROL: FaultCode = 217;

/// The program ends itself.
pub(super) const STOP: FaultCode = 223;

/// A pointer leads nowhere.
pub(super) const POINTER: FaultCode = 224;
/// A pool has no room.
pub(super) const HEAP: FaultCode = 225;

/// A file cannot be used.
pub(super) const DISK: FaultCode = 226;
/// A file has other values than those that were pushed.
pub(super) const CHECKSUM: FaultCode = 227;

/// The codes that emitted programs find, as the executor calls them.
pub const FAULTS: &[(FaultCode, &str)] = &[
    (BOUNDS, "index out of bounds"),
    (UNSET, "an uninitialised value decides"),
    (OVERFLOW, "integer overflow"),
    (checked::DIVISION, "integer division by zero"),
    (
        checked::CONVERSION,
        "real is not representable as an integer",
    ),
    (STEP, "step is 0"),
    (CASE, "no case matches"),
    (MEMORY, "out of memory"),
    (SHAPE, "shapes do not conform"),
    (ABSENT, "absent optional argument is used"),
    (OVERLAP, "arguments overlap and one is written"),
    (UNALLOCATED, "array is not allocated"),
    (EMPTY, "pop from an empty tape"),
    (CONTROL, "control value does not fit"),
    (POINTER, "a pointer leads nowhere"),
    (HEAP, "out of heap"),
    (DISK, "the disk cannot be used"),
    (CHECKSUM, "what lies on disk is not what was pushed"),
];

/// The most bytes of the words for a place.
pub(super) const LONGEST: usize = 3900;

/// A vertex, and of a block a statement.
pub(super) type At = Option<(VertexId, Option<usize>)>;

/// The end of each pass of a counted loop.
pub(super) struct Passes {
    pub(super) index: Code,
    pub(super) step: Code,
}

/// The state of the checks of a function.
pub(super) struct State {
    /// The name of the variable that notes what goes wrong, and of the one for what reductions find.
    pub(super) variable: Name,
    pub(super) late: Name,
    /// The places of the constructs around what is written, and their passes.
    pub(super) open: Vec<(At, Option<Passes>)>,
    /// The number of attempts around: what goes wrong in one is no error.
    pub(super) attempts: usize,
    /// The vertices of the original by their numbers, if the routine is written in another form.
    pub(super) vertices: Option<HashMap<i64, VertexId>>,
    /// The vertices and the statements of the routine that this one was generated from.
    pub(super) generated_from: Option<Origins>,
}

/// The vertices of a graph by their numbers, and its statements in order.
pub(super) type Origins = (HashMap<i64, VertexId>, Vec<(VertexId, usize)>);

fn by_number(cfg: &Cfg) -> HashMap<i64, VertexId> {
    cfg.vertices().map(|(v, vertex)| (vertex.id, v)).collect()
}

impl State {
    /// The state at the beginning of a function; of one that is written in another form, with its graph, and of one that
    /// was generated, with the graph that it was generated from.
    pub(super) fn new(
        [variable, late]: [Name; 2],
        other_form: Option<&Cfg>,
        generated_from: Option<&Cfg>,
    ) -> Self {
        let statements = |cfg: &Cfg| {
            let all = cfg.vertices();
            all.flat_map(|(v, vertex)| (0..vertex.statements().len()).map(move |s| (v, s)))
                .collect()
        };
        Self {
            variable,
            late,
            vertices: other_form.map(by_number),
            generated_from: generated_from.map(|cfg| (by_number(cfg), statements(cfg))),
            open: Vec::new(),
            attempts: 0,
        }
    }
}

/// The routine that a routine was generated from.
pub(super) fn original(program: &Program, r: RoutineId) -> Option<RoutineId> {
    program.routine(r).origin.as_ref()?;
    Signature::from_origins(program, r).original
}

/// A text as a literal.
pub(super) fn literal(text: &str) -> String {
    let mut made = String::with_capacity(text.len() + 2);
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => made.extend(['\\', char::from(byte)]),
            b' '..=b'~' => made.push(char::from(byte)),
            _ => made.push_str(&format!("\\{byte:03o}")),
        }
    }
    made
}

/// The literal that says what is wrong with a call of a routine.
fn told(code: FaultCode, routine: &str, what: &str) -> String {
    let routine: String = routine.chars().take(LONGEST / 4).collect();
    let message = format!("X{code} routine {routine}: {what}");
    format!("\"{}\"", literal(&message))
}

/// The literal that says that parameters overlap, and that the derivative of one is null.
pub(super) fn null_under_overlap(routine: &str) -> String {
    let what = "arguments overlap, and the derivative of one of them is null";
    told(OVERLAP, routine, what)
}

/// The literal that says that adjoints overlap of parameters that the forward sweep found apart.
pub(super) fn other_overlap(routine: &str) -> String {
    let what = "adjoints overlap of arguments that did not overlap in the forward sweep";
    told(OVERLAP, routine, what)
}

/// The literal that says of the reverse sweep of a routine that its forward sweep is missing.
pub(super) fn empty_tape(routine: &str) -> String {
    told(EMPTY, routine, "pop from an empty tape")
}

/// The literal that says of the reverse sweep of a routine that what pointers lead to is no longer what its forward sweep left.
pub(super) fn other_pools(routine: &str) -> String {
    let what = "the reverse sweep does not follow its forward sweep, another call has used the memory that pointers lead to";
    told(EMPTY, routine, what)
}

/// The literal that says that a function returned an array of another shape than its caller has room for.
pub(super) fn other_shape(routine: &str) -> String {
    told(SHAPE, routine, "shapes do not conform")
}

/// The text of functions with the type of logicals that may be unset.
pub(super) fn logicals(text: &str) -> String {
    logicals_as(text, "cfgrev_logical")
}

/// The text of declarations with this type for logicals.
pub(super) fn logicals_as(text: &str, ty: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut word = String::new();
    let (mut quoted, mut last) = (false, ' ');
    for c in text.chars().chain(std::iter::once('\n')) {
        quoted ^= c == '"' && last != '\\';
        last = if last == '\\' { ' ' } else { c };
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        made.push_str(if word == "bool" && !quoted { ty } else { &word });
        word.clear();
        made.push(c);
    }
    made.pop();
    made
}

/// True if something of an expression is computed before the statement.
pub(super) fn needs_lines(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        if let Expr::Op(op, operands) = e {
            found |= match FlatClass::view(*op) {
                FlatClass::Reduction => true,
                FlatClass::Inquiry => {
                    matches!(operands.first(), Some(Expr::Place(p)) if !p.subscripts.is_empty())
                }
                FlatClass::Elemental | FlatClass::Transformational => false,
            };
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A literal has up to 975 characters of the name of a routine.
    #[test]
    fn names_of_routines_are_cut() {
        let length = |n: usize| told(EMPTY, &"r".repeat(n), "").len();
        assert_eq!(length(975), length(974) + 1);
        assert_eq!(length(976), length(975));
    }

    #[test]
    fn literals_cannot_be_left() {
        assert_eq!(literal("a\"b\\?\n é"), "a\\\"b\\\\\\?\\012 \\303\\251");
    }
}
