//! Arguments of a call that may share cells with one another or with globals, although one of them is written.
//!
//! A routine that is not marked `aliased` may take its parameters, and the globals that it names, as apart from each other.
//! Where the program alone does not show that they are, the run compares the cells (X214): these are the pairs to compare.

use super::{effects::Effects, locations::Locations};
use crate::{
    entity::{GlobalId, LocationId, RoutineId},
    ir::{Expr, Extent, Intent, Place, Program, Role, Routine, ScalarType},
};

/// The greatest numbers of pairs of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pairs of arguments in one storage that are looked at.
    pub looked_at: usize,
    /// Pairs that are to be compared.
    pub compared: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            looked_at: 5_000_000,
            compared: 10_000,
        }
    }
}

/// What an argument may share cells with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Other {
    /// The argument at this position, which is behind that of the pair.
    Argument(usize),
    /// A global that the called routine names, itself or in what it calls. All of it counts.
    Global(GlobalId),
}

/// An argument and what it may share cells with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The position of the argument, which is a place.
    pub argument: usize,
    /// The other argument, or a global.
    pub other: Other,
}

/// A call has more pairs than are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

impl TooMany {
    /// The rule that is broken, in words.
    pub const MESSAGE: &str = "a call passes too many parts of one array or of globals";
}

/// A place that is passed.
struct Passed<'a> {
    location: LocationId,
    position: usize,
    place: &'a Place,
    written: bool,
    scalar: bool,
}

/// The pairs of a call, in the order in which they are compared. There are none if the called routine is `aliased`.
///
/// A parameter of explicit shape reaches as far as its own extents say, which are known once it is bound: what is passed for
/// it may be larger ([`is_explicit`]).
///
/// # Errors
/// There are more pairs than [`Limits`] has by default.
pub fn of_call(
    program: &Program,
    effects: &Effects,
    caller: (&Routine, &Locations),
    callee: RoutineId,
    arguments: &[Option<Expr>],
) -> Result<Vec<Pair>, TooMany> {
    within(
        Limits::default(),
        program,
        effects,
        caller,
        callee,
        arguments,
    )
}

/// The pairs of a call as [`of_call`] finds them, within these limits.
///
/// # Errors
/// There are more pairs than these.
pub fn within(
    limits: Limits,
    program: &Program,
    effects: &Effects,
    (routine, locations): (&Routine, &Locations),
    callee: RoutineId,
    arguments: &[Option<Expr>],
) -> Result<Vec<Pair>, TooMany> {
    let called = program.routine(callee);
    if called.aliased {
        return Ok(Vec::new());
    }
    let mut pairs = Vec::new();
    let mut places: Vec<Passed<'_>> = Vec::new();
    for (k, (p, actual)) in called.parameter_ids().zip(arguments).enumerate() {
        let formal = called.variable(p);
        if let Some(Expr::Place(place)) = actual
            && formal.ty != ScalarType::Tape
        {
            places.push(Passed {
                location: locations.of_variable(place.var),
                position: k,
                place,
                written: formal.intent().is_some_and(Intent::writes),
                scalar: formal.rank() == 0,
            });
        }
    }
    places.sort_by_key(|p| (p.location, p.position));
    let mut looked_at = 0;
    for group in places.chunk_by(|a, b| a.location == b.location) {
        for (n, b) in group.iter().enumerate() {
            for a in &group[..n] {
                looked_at += 1;
                if looked_at > limits.looked_at {
                    return Err(TooMany);
                }
                let apart = a.scalar && b.scalar && !locations.may_overlap(a.place, b.place);
                if (a.written || b.written) && !apart {
                    if pairs.len() == limits.compared {
                        return Err(TooMany);
                    }
                    pairs.push(Pair {
                        argument: a.position,
                        other: Other::Argument(b.position),
                    });
                }
            }
        }
    }
    with_globals(program, effects, routine, callee, arguments, |pair| {
        pairs.push(pair);
        pairs.len() <= limits.compared
    })?;
    Ok(pairs)
}

/// Hands over the arguments that may share cells with globals that the routine uses, where one of the two is written.
fn with_globals(
    program: &Program,
    effects: &Effects,
    routine: &Routine,
    callee: RoutineId,
    arguments: &[Option<Expr>],
    mut add: impl FnMut(Pair) -> bool,
) -> Result<(), TooMany> {
    let called = program.routine(callee);
    let (named, all_written) = (effects.named(callee), effects.written(callee));
    for (k, (p, actual)) in called.parameter_ids().zip(arguments).enumerate() {
        let Some(Expr::Place(place)) = actual else {
            continue;
        };
        let variable = routine.variable(place.var);
        let mut used: Vec<GlobalId> = Vec::new();
        match variable.role {
            Role::Global(g) => match effects.storage.around(g) {
                Some(around) => named.each_common(around, |g| used.push(g)),
                None => used.extend(named.contains(g).then_some(g)),
            },
            // One that is not `aliased` was bound by a call that would have been an error.
            Role::Parameter { .. } if routine.aliased => {
                if let Some(of_type) = effects.storage.of_type(variable.ty) {
                    named.each_common(of_type, |g| used.push(g));
                }
            }
            Role::Parameter { .. } | Role::Local => {}
        }
        let formal = called.variable(p);
        let written = formal.intent().is_some_and(Intent::writes);
        for g in used {
            let global = &program.global(g).variable;
            if !(written || all_written.contains(g)) || global.ty != variable.ty {
                continue;
            }
            let pair = Pair {
                argument: k,
                other: Other::Global(g),
            };
            if !add(pair) {
                return Err(TooMany);
            }
        }
    }
    Ok(())
}

/// True if the parameter at this position is an array of explicit shape.
#[must_use]
pub fn is_explicit(routine: &Routine, position: usize) -> bool {
    routine.parameter(position).is_some_and(|variable| {
        let shape = &variable.shape;
        !shape.is_empty() && shape.iter().all(|dim| dim.extent != Extent::Deferred)
    })
}

impl Pair {
    /// True if a side of it is a parameter of explicit shape of this routine.
    #[must_use]
    pub fn is_found_on_entry(self, callee: &Routine) -> bool {
        let other = match self.other {
            Other::Argument(k) => is_explicit(callee, k),
            Other::Global(_) => false,
        };
        other || is_explicit(callee, self.argument)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ir::StmtKind,
        text,
        validate::{ValidProgram, validate},
    };

    const CALLED: &str = "\
global real block[4]
global real tail[2] overlays block at 2

subroutine sized(in integer n, inout real x[n], in real y[:])
  x := 0.0
end

subroutine read(in real x[:], in real y[:])
end

subroutine numbers(inout real x, in real y)
  x := y
end

subroutine tailed(in real x[:])
  uses tail
  tail := x[1]
end

subroutine filled(out real x[:])
  uses block
  x := block[1]
end

subroutine looked(in real x[:])
  uses block
  local real y
  y := block[1] + x[1]
end

subroutine put(inout real x, in integer i)
  uses block
  x := block[1] + i
end

aliased subroutine free(inout real x[:], inout real y[:])
end

subroutine mixed(inout real x, in real y[2])
  x := y[1]
end

";

    fn program(statement: &str) -> ValidProgram {
        let text = format!(
            "{CALLED}main subroutine f(in integer i, inout real a[5], inout real b[5])\n  uses block\n  {statement}\nend\n"
        );
        let parsed = text::parse(&text);
        validate(parsed.program.expect("it is a program")).expect("it is valid")
    }

    fn pairs(statement: &str, limits: Limits) -> Result<Vec<Pair>, TooMany> {
        let program = program(statement);
        let main = program.main.expect("there is a main routine");
        let routine = program.routine(main);
        let locations = Locations::of(&program, routine);
        let effects = Effects::of(&program);
        for s in routine.statements() {
            if let StmtKind::Call {
                callee, arguments, ..
            } = &s.kind
            {
                let caller = (routine, &locations);
                return within(limits, &program, &effects, caller, *callee, arguments);
            }
        }
        panic!("no call")
    }

    fn of(statement: &str) -> Vec<(usize, Other)> {
        let found = pairs(statement, Limits::default()).expect("there are few");
        found.into_iter().map(|p| (p.argument, p.other)).collect()
    }

    #[test]
    fn parts_of_one_array_are_compared_if_one_is_written() {
        let clash = vec![(1, Other::Argument(2))];
        assert_eq!(of("call sized(i, a[i:], a[:i])"), clash);
        assert_eq!(of("call sized(2, a[i], a[:i])"), clash);
        assert_eq!(of("call sized(i, a, b)"), []);
        assert_eq!(of("call read(a[i:], a[:i])"), []);
        assert_eq!(of("call free(a, a)"), []);
    }

    /// A global that nobody writes may be handed on to who reads it; of another type it is never the same cells.
    #[test]
    fn globals_are_compared_if_one_name_is_written() {
        let clash = vec![(0, Other::Global(GlobalId::new(0)))];
        assert_eq!(of("call filled(block[:i])"), clash);
        assert_eq!(of("call looked(block[:i])"), []);
        assert_eq!(of("call looked(a[:i])"), []);
        assert_eq!(of("call put(block[1], i)"), clash);
    }

    #[test]
    fn elements_that_constants_tell_apart_are_not_compared() {
        assert_eq!(of("call numbers(a[1], a[2])"), []);
        assert_eq!(of("call numbers(a[i], a[2])"), [(0, Other::Argument(1))]);
        assert_eq!(of("call numbers(a[i], a[1] + 1.0)"), []);
        // What begins at an element goes on behind it.
        assert_eq!(of("call mixed(a[3], a[2])"), [(0, Other::Argument(1))]);
        assert_eq!(of("call mixed(a[1], b[2])"), []);
    }

    /// A parameter of an `aliased` routine may be any global of its type.
    #[test]
    fn parameters_that_may_be_globals_are_compared() {
        let found = |head: &str| {
            let text = format!(
                "{CALLED}{head}subroutine f(inout integer k, inout real a[5])\n  call tailed(a)\nend\n"
            );
            let parsed = text::parse(&text);
            let program = validate(parsed.program.expect("it is a program")).expect("it is valid");
            let [f, tailed] = ["f", "tailed"].map(|name| program.find_routine(name));
            let (f, tailed) = (f.expect("it is there"), tailed.expect("it is there"));
            let routine = program.routine(f);
            let locations = Locations::of(&program, routine);
            let arguments = [Some(Expr::var(crate::entity::VarId::new(1)))];
            let caller = (routine, &locations);
            of_call(&program, &Effects::of(&program), caller, tailed, &arguments)
        };
        let pair = Pair {
            argument: 0,
            other: Other::Global(GlobalId::new(1)),
        };
        assert_eq!(found(""), Ok(vec![]));
        assert_eq!(found("aliased "), Ok(vec![pair]));
    }

    #[test]
    fn globals_that_the_routine_writes_are_compared() {
        let tail = Other::Global(GlobalId::new(1));
        assert_eq!(of("call tailed(block[i:])"), [(0, tail)]);
        assert_eq!(of("call tailed(a)"), []);
        let block = Other::Global(GlobalId::new(0));
        assert_eq!(of("call filled(block[i:])"), [(0, block)]);
        let calls_sized = "call sized(i, block[i:], block[:i])";
        assert_eq!(of(calls_sized), [(1, Other::Argument(2))]);
    }

    #[test]
    fn what_a_parameter_of_explicit_shape_covers_is_found_on_entry() {
        let program = program("call sized(i, a[i:], a[:i])");
        let sized = program.routine(program.find_routine("sized").expect("it is there"));
        let with = |argument, other| Pair { argument, other }.is_found_on_entry(sized);
        assert!(with(1, Other::Argument(2)));
        assert!(with(1, Other::Global(GlobalId::new(0))));
        assert!(!with(2, Other::Global(GlobalId::new(0))));
        assert!(!with(0, Other::Global(GlobalId::new(0))));
        assert!(with(0, Other::Argument(1)) && !with(0, Other::Argument(2)));
    }

    #[test]
    fn limits_count_what_is_looked_at_and_compared() {
        let call = "call sized(i, a[i:], a[:i])";
        let limits = |looked_at, compared| Limits {
            looked_at,
            compared,
        };
        assert_eq!(pairs(call, limits(1, 1)).map(|p| p.len()), Ok(1));
        assert_eq!(pairs(call, limits(0, 1)), Err(TooMany));
        assert_eq!(pairs(call, limits(1, 0)), Err(TooMany));
        let call = "call tailed(block[i:])";
        assert_eq!(pairs(call, limits(0, 1)).map(|p| p.len()), Ok(1));
        assert_eq!(pairs(call, limits(0, 0)), Err(TooMany));
    }
}
