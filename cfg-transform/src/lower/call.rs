//! Calls: the form of each argument, the place of the result, and the arguments that may share cells.

use cfg_core::{
    entity::{RoutineId, VarId},
    ir::{Expr, Intent, Place, Program, Routine},
    memory::{
        effects::Effects,
        locations::Locations,
        overlaps::{self, Other, Pair, TooMany},
    },
};

use super::{convention::is_passed_by_value, place_rank};

/// A call statement, in the routine that makes it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'p, 'a> {
    /// The program.
    pub program: &'p Program,
    /// The effects of its routines.
    pub effects: &'a Effects,
    /// The routine that calls, and its locations.
    pub caller: (&'p Routine, &'a Locations),
    /// The routine that is called.
    pub callee: RoutineId,
    /// The arguments, in the order of the signature.
    pub arguments: &'p [Option<Expr>],
    /// The place of the result.
    pub result: Option<&'p Place>,
}

/// The form in which an argument reaches its parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument<'p> {
    /// An optional argument that is not given.
    Absent,
    /// A tape.
    Tape(VarId),
    /// The value of a scalar.
    Value(&'p Expr),
    /// The address of a scalar place.
    Cell(&'p Place),
    /// The address of a temporary with the value of a scalar.
    Temporary(&'p Expr),
    /// A descriptor of an array, a section, or a temporary array with a value.
    Array(&'p Expr),
    /// The cells from an element to the end of its array; the element alone if the array has gaps.
    Rest(&'p Place),
}

/// The place for the result of a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target<'p> {
    /// A scalar variable.
    Scalar(VarId),
    /// An element, whose subscripts are evaluated before the call.
    Element(&'p Place),
    /// An array or a section, which is found before the call. A scalar result goes to all elements.
    Array(&'p Place),
}

/// Arguments and globals that may share cells although one is written; the run compares them at the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedCells {
    /// All parties to compare, each once.
    pub parties: Vec<Other>,
    /// The pairs.
    pub pairs: Vec<ComparedPair>,
}

/// Two parties that are compared, by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparedPair {
    /// An argument.
    pub first: usize,
    /// An argument or a global.
    pub second: usize,
    /// True if the called routine compares them on entry, because one is a parameter of explicit shape, which may be
    /// smaller than its argument.
    pub on_entry: bool,
}

/// A call with all decisions about it.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundCall<'p> {
    /// How the arguments reach their parameters, in the order of the signature.
    pub arguments: Vec<Argument<'p>>,
    /// The place of the result.
    pub result: Option<Target<'p>>,
    /// The parties to compare, or the error that there are too many.
    pub shared: Result<SharedCells, TooMany>,
    /// For each argument, true if it has explicit shape and a part that its parameter does not cover may be written
    /// under another name.
    pub others_write: Vec<bool>,
}

impl<'p> BoundCall<'p> {
    /// Binds the arguments and the result of a call.
    pub fn bind(call: &Call<'p, '_>) -> Self {
        let (caller, called) = (call.caller.0, call.program.routine(call.callee));
        let formals = called.parameter_ids().zip(call.arguments);
        let arguments = formals.map(|(p, actual)| {
            let rank = called.variable(p).rank();
            match actual {
                None => Argument::Absent,
                Some(Expr::Place(place))
                    if rank > 0 && place_rank(&caller.variables, place) == 0 =>
                {
                    Argument::Rest(place)
                }
                Some(e) if rank > 0 => Argument::Array(e),
                Some(Expr::Place(place)) if called.variable(p).ty.is_tape() => {
                    Argument::Tape(place.var)
                }
                Some(e) if is_passed_by_value(called, p) => Argument::Value(e),
                Some(Expr::Place(place)) => Argument::Cell(place),
                Some(e) => Argument::Temporary(e),
            }
        });
        let result = call
            .result
            .map(|place| match place_rank(&caller.variables, place) {
                0 if place.subscripts.is_empty() => Target::Scalar(place.var),
                0 => Target::Element(place),
                _ => Target::Array(place),
            });
        let pairs = overlaps::of_call(
            call.program,
            call.effects,
            call.caller,
            call.callee,
            call.arguments,
        );
        Self {
            arguments: arguments.collect(),
            result,
            others_write: others_write(called, &pairs),
            shared: pairs.map(|pairs| SharedCells::find(&pairs, call)),
        }
    }
}

impl SharedCells {
    fn find(pairs: &[Pair], call: &Call<'_, '_>) -> Self {
        let (caller, called) = (call.caller.0, call.program.routine(call.callee));
        let is_own = |argument: usize| match call.arguments.get(argument) {
            // A parameter passed by value has no cell to share.
            Some(Some(Expr::Place(place))) => {
                place.subscripts.is_empty() && is_passed_by_value(caller, place.var)
            }
            Some(_) | None => true,
        };
        let mut made = Self::default();
        let mut known = std::collections::HashMap::new();
        for pair in pairs {
            let first = Other::Argument(pair.argument);
            let own = |party: Other| matches!(party, Other::Argument(k) if is_own(k));
            if own(first) || own(pair.other) {
                continue;
            }
            let [first, second] = [first, pair.other].map(|party| {
                *known.entry(party).or_insert_with(|| {
                    made.parties.push(party);
                    made.parties.len() - 1
                })
            });
            made.pairs.push(ComparedPair {
                first,
                second,
                on_entry: pair.is_found_on_entry(called),
            });
        }
        made
    }
}

/// The arguments of explicit shape that share an array with one that is written, or with a global.
fn others_write(called: &Routine, pairs: &Result<Vec<Pair>, TooMany>) -> Vec<bool> {
    let mut found = vec![pairs.is_err(); called.parameters.len()];
    let writes = |k: usize| {
        let formal = called.parameter(k);
        formal.is_some_and(|v| v.intent().is_some_and(Intent::writes))
    };
    let mut note = |k: usize, written: bool| {
        if let Some(found) = found.get_mut(k) {
            *found |= written && overlaps::is_explicit(called, k);
        }
    };
    for pair in pairs.iter().flatten() {
        match pair.other {
            Other::Argument(k) => {
                note(pair.argument, writes(k));
                note(k, writes(pair.argument));
            }
            Other::Global(_) => note(pair.argument, true),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfg_core::{ir::StmtKind, text::Printer, validate::validate};
    use cfg_format::text;

    fn printed(call: &Call<'_, '_>) -> String {
        let routine = call.caller.0;
        let printer = Printer::new(call.program, routine);
        let bound = BoundCall::bind(call);
        let name = |v: VarId| routine.variable(v).name.clone();
        let expr = |e: &Expr| printer.display_expr(e).to_string();
        let place = |p: &Place| printer.display_place(p).to_string();
        let mut lines = Vec::new();
        for argument in &bound.arguments {
            lines.push(match argument {
                Argument::Absent => "absent".to_owned(),
                Argument::Tape(v) => format!("tape {}", name(*v)),
                Argument::Value(e) => format!("value {}", expr(e)),
                Argument::Cell(p) => format!("cell {}", place(p)),
                Argument::Temporary(e) => format!("temporary {}", expr(e)),
                Argument::Array(e) => format!("array {}", expr(e)),
                Argument::Rest(p) => format!("rest from {}", place(p)),
            });
        }
        for (line, others_write) in lines.iter_mut().zip(&bound.others_write) {
            line.push_str(if *others_write { ", others write" } else { "" });
        }
        lines.extend(bound.result.iter().map(|target| match target {
            Target::Scalar(v) => format!("to scalar {}", name(*v)),
            Target::Element(p) => format!("to element {}", place(p)),
            Target::Array(p) => format!("to array {}", place(p)),
        }));
        let shared = bound.shared.expect("there are few pairs");
        let party = |k: usize| match shared.parties[k] {
            Other::Argument(k) => format!("argument {}", k + 1),
            Other::Global(g) => call.program.global(g).variable.name.clone(),
        };
        let pairs = shared.pairs.iter();
        lines.extend(pairs.map(|pair| {
            let entry = if pair.on_entry { " on entry" } else { "" };
            let (first, second) = (party(pair.first), party(pair.second));
            format!("compare {first} with {second}{entry}")
        }));
        lines.join("; ")
    }

    #[test]
    fn calls_are_bound() {
        for (statement, bound) in [
            (
                "call g(x, y, b, 2, a)",
                "value x; cell y; array b; value 2; array a",
            ),
            (
                "call g(x + y, a[i], a[i:], i, b)",
                "value x + y; cell a[i]; array a[i:]; value i; array b; compare argument 2 with argument 3",
            ),
            (
                "call g(k, w, 2.0*b, i, a[2])",
                "value k; cell w; array 2.0*b; value i; rest from a[2]; compare argument 2 with w",
            ),
            (
                "call g(a[1], y, a[:i], i, a[i:])",
                "value a[1]; cell y; array a[:i]; value i; array a[i:]; compare argument 1 with argument 5 on entry; compare argument 3 with argument 5 on entry",
            ),
            ("call h(absent, absent)", "absent; absent"),
            ("call h(x, t)", "cell x; tape t"),
            ("y := call s(2.0*x)", "temporary 2.0*x; to scalar y"),
            ("a[i] := call s(y)", "cell y; to element a[i]"),
            ("a := call s(y)", "cell y; to array a"),
        ] {
            let source = format!(
                "global real w = 1.0
subroutine g(in real p, inout real q, in real c[:], in integer n, inout real d[n])
  uses w
  w := p
end
subroutine h(optional in real p, optional inout tape t)
end
function s(optional in real p) result real r
  r := 1.0
end
main subroutine f(in real x, in real k, in integer i, inout real y, inout real a[5], inout real b[5], inout tape t)
  uses w
  {statement}
end
"
            );
            let parsed = text::parse(&source);
            let problems = parsed.problems;
            let program = parsed
                .program
                .unwrap_or_else(|| panic!("{problems}{source}"));
            let program = validate(program).unwrap_or_else(|d| panic!("{d}{source}"));
            let routine = program.routine(program.main.expect("one is marked"));
            let locations = Locations::divide(&program, routine);
            let effects = Effects::summarise(&program);
            let kind = routine.statements().map(|s| &s.kind).next();
            let Some(StmtKind::Call {
                callee,
                arguments,
                result,
            }) = kind
            else {
                panic!("{statement}")
            };
            let call = Call {
                program: &program,
                effects: &effects,
                caller: (routine, &locations),
                callee: *callee,
                arguments,
                result: result.as_ref(),
            };
            assert_eq!(printed(&call), bound, "{statement}");
        }
    }
}
