//! The steps that a run will take, as far as the counters of loops tell.

use cfg_exec::native::{Code, Instr, Operation, Program, Reg, State};

/// A loop with a counter of the passes that are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    from: usize,
    /// The jump back.
    to: usize,
    passes: Reg,
    /// Instructions of a pass, with those of the routines that it calls.
    steps: u64,
}

/// The instructions in front of each one, with those of the routines that they call.
fn steps_before(program: Program<'_>, code: &Code) -> Vec<u64> {
    let mut before = vec![0];
    let mut sum = 0;
    for instr in code.instrs() {
        sum += 1;
        if let Instr::Ext { k } = *instr
            && let Operation::Call(info) = code.operation(k)
        {
            sum += program.code(info.callee.index()).instrs().len() as u64;
        }
        before.push(sum);
    }
    before
}

/// The counted loops of a routine, inner ones in front of those around them.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other instructions count no passes"
)]
pub(crate) fn counted_loops(program: Program<'_>, code: &Code) -> Vec<Counted> {
    let before = steps_before(program, code);
    let jumps = code.instrs().iter().enumerate();
    let loops = jumps.filter_map(|(to, instr)| {
        let (passes, from) = match *instr {
            Instr::LoopNext { q, t, .. } | Instr::LoopNext1 { q, t, .. } => (q, t as usize),
            Instr::CountDown { c, t } => (c, t as usize),
            _ => return None,
        };
        (from <= to).then(|| Counted {
            from,
            to,
            passes,
            steps: before[to + 1] - before[from],
        })
    });
    loops.collect()
}

/// The instructions of the innermost loop that runs, as often as the loops around the current instruction are still to
/// be passed: less than the steps of loops within it and in callees, and more or fewer than those of loops whose passes
/// differ.
pub(crate) fn steps_ahead(loops: &[Counted], state: &State<'_>) -> u64 {
    let at = state.pc();
    let around = loops.iter().filter(|l| (l.from..=l.to).contains(&at));
    let mut steps: Option<u64> = None;
    for of in around {
        // Of a loop that has been left, or has not begun, the counter may be anything.
        let passes = (state.registers[usize::from(of.passes)] as i64).max(1) as u64;
        let each = steps.unwrap_or(of.steps);
        steps = Some(passes.saturating_mul(each));
    }
    steps.unwrap_or(0)
}
