//! Subscript tests in front of loops.
//!
//! A counted loop that is one block makes all its accesses in every pass. Where their subscripts are its index or do
//! not change, plus a constant, a test of the first pass and one of the last, in front of the loop, do for all: if one
//! fails, the executor runs the loop.

use cfg_exec::native::{Arr, Instr, Reg};

use crate::{flow::Flow, operands::written, unit::Unit};

/// A subscript of an array of some dimensions, `r + u`, along one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subscript {
    pub(crate) arr: Arr,
    pub(crate) dimensions: usize,
    pub(crate) axis: usize,
    pub(crate) r: Reg,
    pub(crate) u: i8,
}

/// A counted loop of one block, with the subscripts that are tested in front of it.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) q: Reg,
    pub(crate) index: Reg,
    pub(crate) tested: Vec<Subscript>,
}

/// The subscripts of an access to an element.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other instructions have no subscripts"
)]
fn subscripts(instr: Instr) -> Vec<Subscript> {
    let (arr, all) = match instr {
        Instr::Load1 { i, u, arr, .. }
        | Instr::Store1 { i, u, arr, .. }
        | Instr::Addr1 { i, u, arr, .. }
        | Instr::Inc1 { i, u, arr, .. }
        | Instr::IncStrong1 { i, u, arr, .. } => (arr, vec![(i, u)]),
        Instr::Load2 {
            i, j, u, v, arr, ..
        }
        | Instr::Store2 {
            i, j, u, v, arr, ..
        }
        | Instr::Addr2 {
            i, j, u, v, arr, ..
        }
        | Instr::Inc2 {
            i, j, u, v, arr, ..
        } => (arr, vec![(i, u), (j, v)]),
        Instr::IncStrong2 { i, j, arr, .. } => (arr, vec![(i, 0), (j, 0)]),
        _ => return Vec::new(),
    };
    let dimensions = all.len();
    let subscript = |(axis, (r, u))| Subscript {
        arr,
        dimensions,
        axis,
        r,
        u,
    };
    all.into_iter().enumerate().map(subscript).collect()
}

/// The loop that a block is, if it is one that is entered behind the block in front of it alone.
fn of_block(unit: &Unit<'_>, flow: &Flow, k: usize, entered: &[usize]) -> Option<Loop> {
    let block = &flow.blocks[k];
    let before = &flow.blocks[k.checked_sub(1)?];
    let instance = unit.instance_at(block.from);
    let (
        Instr::LoopNext1 { q, index, t },
        Instr::LoopInit1 {
            q: of, index: i, ..
        },
    ) = (unit.instrs[block.to - 1], unit.instrs[before.to - 1])
    else {
        return None;
    };
    let is_one = unit.target(instance, t) == block.from && (of, i) == (q, index);
    // The block in front of it, and itself.
    if !is_one || before.to != block.from || entered[k] != 2 {
        return None;
    }
    let body = &unit.instrs[block.from..block.to - 1];
    let mut changed = [false; 256];
    for &instr in body {
        if matches!(instr, Instr::Ext { .. }) {
            return None;
        }
        written(instr, |r, _| changed[usize::from(r)] = true);
    }
    if changed[usize::from(q)] || changed[usize::from(index)] || q == index {
        return None;
    }
    changed[usize::from(q)] = true;
    let mut tested = Vec::new();
    for subscript in body.iter().flat_map(|&instr| subscripts(instr)) {
        if !changed[usize::from(subscript.r)] && !tested.contains(&subscript) {
            tested.push(subscript);
        }
        if tested.len() == MOST {
            break;
        }
    }
    (!tested.is_empty()).then_some(Loop { q, index, tested })
}

/// Most tests in front of a loop.
const MOST: usize = 32;

/// The loops of one block, by block.
pub(crate) fn loops(unit: &Unit<'_>, flow: &Flow) -> Vec<Option<Loop>> {
    let mut entered = vec![0; flow.blocks.len()];
    for block in &flow.blocks {
        block.successors.iter().for_each(|&s| entered[s] += 1);
    }
    let all = 0..flow.blocks.len();
    all.map(|k| of_block(unit, flow, k, &entered)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use cfg_core::builder::{ProgramBuilder, RoutineBuilder, expr::*};
    use cfg_core::ir::{
        Order,
        ScalarType::{Integer, Real},
    };
    use cfg_exec::native::{Engine, Native, State};
    use cfg_exec::{Argument, CompileOptions, Compiled, RunOptions, Session, Value};

    use super::*;
    use crate::stacks::Stacks;

    /// Notes the numbers of subscripts that are tested in front of loops.
    #[derive(Clone, Default)]
    struct Looking(Arc<Mutex<Vec<usize>>>);

    impl Engine for Looking {
        fn start(&self, _: usize) -> Box<dyn Native> {
            Box::new(self.clone())
        }

        fn refusal(&self) -> Option<String> {
            None
        }
    }

    impl Native for Looking {
        fn run(&self, state: State<'_>) -> u64 {
            let unit = Unit::of(state.program(), state.routine());
            let flow = Flow::of(&unit, &Stacks::of(&unit), true);
            let tested = loops(&unit, &flow).into_iter().flatten();
            *self.0.lock().unwrap() = tested.map(|of| of.tested.len()).collect();
            u64::MAX
        }

        fn interpreted(&self, _: usize, _: u64) {}
    }

    #[test]
    fn subscripts_that_do_not_change_and_the_index_are_tested_in_front() {
        let mut f = RoutineBuilder::new("f");
        let a = f.inout("a", Real.array([4, 4]));
        let (i, k, m) = (
            f.input("i", Integer),
            f.local("k", Integer),
            f.local("m", Integer),
        );
        // Rows i, i - 1 and columns k: four subscripts, of two arrays elements the same.
        f.for_loop(k, 2, 4, |f| {
            f.assign(a.at((i, k)), a.at((i, k)) + a.at((i - 1, k + -1)));
        });
        // A subscript that changes is not tested, and no loop with a branch.
        f.for_loop(k, 2, 4, |f| {
            f.assign(m, m + k);
            f.assign(a.at((m, 1)), 0.0);
        });
        f.for_loop(k, 2, 4, |f| {
            f.if_then(lt(k, i), |f| f.assign(a.at((k, 1)), 0.0));
        });
        let mut program = ProgramBuilder::new();
        let f = program.add(f);
        let program = cfg_testkit::flat(&program.finish().unwrap());
        let looking = Looking::default();
        let options = CompileOptions {
            engine: Some(Arc::new(looking.clone())),
            ..CompileOptions::default()
        };
        let compiled = Compiled::new(&program, &options).unwrap();
        let a = Value::real_array(&[4, 4], Order::Row, &[0.0; 16]).unwrap();
        let mut arguments = [Argument::Value(a), Argument::from(3)];
        let _ = Session::new(&compiled).run(f, &mut arguments, &RunOptions::default());
        assert_eq!(*looking.0.lock().unwrap(), [4, 1]);
    }
}
