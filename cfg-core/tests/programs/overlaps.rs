//! Arguments of a call that may share cells: the pairs that are compared.

use cfg_core::{
    entity::{GlobalId, VarId},
    ir::{Expr, StmtKind},
    memory::{
        effects::Effects,
        locations::Locations,
        overlaps::{Limits, Other, Pair, TooMany, of_call, within},
    },
    validate::{ValidProgram, validate},
};
use cfg_format::text;

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
    let locations = Locations::divide(&program, routine);
    let effects = Effects::summarise(&program);
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

fn shared_with(statement: &str) -> Vec<(usize, Other)> {
    let found = pairs(statement, Limits::default()).expect("there are few");
    found.into_iter().map(|p| (p.argument, p.other)).collect()
}

#[test]
fn parts_of_one_array_are_compared_if_one_is_written() {
    let clash = vec![(1, Other::Argument(2))];
    assert_eq!(shared_with("call sized(i, a[i:], a[:i])"), clash);
    assert_eq!(shared_with("call sized(2, a[i], a[:i])"), clash);
    assert_eq!(shared_with("call sized(i, a, b)"), []);
    assert_eq!(shared_with("call read(a[i:], a[:i])"), []);
    assert_eq!(shared_with("call free(a, a)"), []);
}

/// A global that nobody writes may be handed on to who reads it; of another type it is never the same cells.
#[test]
fn globals_are_compared_if_one_name_is_written() {
    let clash = vec![(0, Other::Global(GlobalId::new(0)))];
    assert_eq!(shared_with("call filled(block[:i])"), clash);
    assert_eq!(shared_with("call looked(block[:i])"), []);
    assert_eq!(shared_with("call looked(a[:i])"), []);
    assert_eq!(shared_with("call put(block[1], i)"), clash);
}

#[test]
fn elements_that_constants_tell_apart_are_not_compared() {
    assert_eq!(shared_with("call numbers(a[1], a[2])"), []);
    assert_eq!(
        shared_with("call numbers(a[i], a[2])"),
        [(0, Other::Argument(1))]
    );
    assert_eq!(shared_with("call numbers(a[i], a[1] + 1.0)"), []);
    // An argument that begins at an element goes on behind it.
    assert_eq!(
        shared_with("call mixed(a[3], a[2])"),
        [(0, Other::Argument(1))]
    );
    assert_eq!(shared_with("call mixed(a[1], b[2])"), []);
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
        let locations = Locations::divide(&program, routine);
        let arguments = [Some(Expr::var(VarId::new(1)))];
        let caller = (routine, &locations);
        of_call(
            &program,
            &Effects::summarise(&program),
            caller,
            tailed,
            &arguments,
        )
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
    assert_eq!(shared_with("call tailed(block[i:])"), [(0, tail)]);
    assert_eq!(shared_with("call tailed(a)"), []);
    let block = Other::Global(GlobalId::new(0));
    assert_eq!(shared_with("call filled(block[i:])"), [(0, block)]);
    let calls_sized = "call sized(i, block[i:], block[:i])";
    assert_eq!(shared_with(calls_sized), [(1, Other::Argument(2))]);
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

/// The scalar result of an `aliased` routine shares no cell with its parameters while the routine runs.
#[test]
fn results_are_cells_of_their_own() {
    let text = "subroutine h(inout real o, in real p[:], in real q)
  o := p[1] + q
end

main aliased function g(inout real e, inout real v[4], in real w[4]) result real f
  f := e
  call h(f, v, e)
  call h(v[2], w, f)
end
";
    let parsed = text::parse(text);
    let program = validate(parsed.program.expect("it is a program")).expect("it is valid");
    let routine = program.routine(program.main.expect("there is a main routine"));
    let (effects, locations) = (
        Effects::summarise(&program),
        Locations::divide(&program, routine),
    );
    let mut found = Vec::new();
    for s in routine.statements() {
        if let StmtKind::Call {
            callee, arguments, ..
        } = &s.kind
        {
            let pairs = of_call(
                &program,
                &effects,
                (routine, &locations),
                *callee,
                arguments,
            );
            found.push(pairs.expect("there are few"));
        }
    }
    let pair = |argument, other| Pair {
        argument,
        other: Other::Argument(other),
    };
    assert_eq!(found, [vec![], vec![pair(0, 1)]]);
}
