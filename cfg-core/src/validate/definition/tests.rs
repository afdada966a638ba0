use super::*;
use crate::{
    builder::{ProgramBuilder, RoutineBuilder, expr::gt},
    diagnostic::Diagnostics,
    entity::RoutineId,
    ir::{
        Control, Program,
        ScalarType::{Integer, Real},
    },
};
use std::collections::BTreeSet;

/// The program of one routine, which need not be valid.
fn program(f: RoutineBuilder) -> Program {
    let mut program = ProgramBuilder::new();
    program.add(f);
    program.into_program().expect("the builder is used right")
}

/// As many variables as fit have states at a time, and never fewer than 64.
#[test]
fn variables_on_both_sides_of_the_limit() {
    for (memory, vertices, expected) in [
        (659, 10, 65),
        (650, 10, 65),
        (649, 10, 64),
        (639, 10, 64),
        (0, 0, 64),
        (MEMORY, 1 << 21, 128),
        (MEMORY, 1 << 22, 64),
        (MEMORY, 1 << 23, 64),
    ] {
        assert_eq!(at_once(memory, vertices), expected, "{memory} {vertices}");
    }
}

/// A use needs no states where one of the first definitions dominates it.
#[test]
fn definitions_on_both_sides_of_the_limit() {
    for (others, expected) in [(MOST_DEFINITIONS - 1, true), (MOST_DEFINITIONS, false)] {
        let mut f = RoutineBuilder::new("f");
        let (n, y) = (f.input("n", Integer), f.output("y", Real));
        let a = f.local("a", Real);
        for _ in 0..others {
            f.if_then(gt(n, 1), |f| f.assign(a, 1.0));
        }
        f.assign(a, 2.0);
        f.assign(y, a);
        let program = program(f);
        let routine = &program.routines[0];
        let cfg = routine.body.as_ref().expect("it has a graph");
        let entry = cfg.entry().expect("it has one");
        let dominators = Dominators::new(cfg, entry.index());
        let count = routine.variables.len();
        let found = settled(&program, cfg, &dominators, count, MOST_DEFINITIONS);
        assert_eq!(found.contains(a.index()), expected, "{others}");
    }
}

/// The limits of the check of definitions do not change its problems: states of a few variables at a time, and no
/// definitions or all compared with uses.
#[test]
fn limits_of_the_check_of_definitions_change_nothing() {
    let mut f = RoutineBuilder::new("f");
    let (n, y) = (f.input("n", Integer), f.output("y", Real));
    for k in 0..150 {
        f.local(format!("a{k}"), Real);
    }
    for k in 0..150 {
        let a = VarId::new(2 + k);
        match k % 3 {
            0 => {
                f.assign(y, a);
                f.assign(a, 1.0);
            }
            1 => {
                f.if_then(gt(n, k as i64), |f| f.assign(a, 1.0));
                f.assign(y, a);
            }
            _ => {
                for _ in 0..1 + k / 10 {
                    f.assign(a, 1.0);
                }
                f.assign(y, a);
            }
        }
    }
    let mut program = program(f);
    program.routines[0].control = Control::General;
    let found = |memory: usize, most: usize| -> BTreeSet<String> {
        let mut found = Diagnostics::default();
        let id = RoutineId::new(0);
        general_within(&mut Checker::new(&program, id, &mut found), memory, most);
        found.iter().map(|problem| problem.to_string()).collect()
    };
    let all = found(usize::MAX, usize::MAX);
    let is_told = |name: &str| all.iter().any(|problem| problem.contains(name));
    assert!(
        is_told(" a0 ") && is_told(" a147 ") && !is_told(" a149 "),
        "{all:?}"
    );
    for (memory, most) in [(0, usize::MAX), (usize::MAX, 0), (0, 0), (0, 8)] {
        assert_eq!(found(memory, most), all, "{memory} {most}");
    }
}
