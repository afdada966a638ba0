//! The loop that runs instructions.

use cfg_core::ir::{Op, ScalarType};

use super::pure::{int1, int2, real_to_int, to_logical, to_real};
use super::slow_path::{
    compare_unordered, control_count, control_value, converted, converted_real, element_fault,
    element_fault_of, fits, integer_result, sized, tape_fault, trips, trips_needed, undecided,
    unordered,
};
use super::{
    Image, Machine, Visit, WINDOW,
    native::{self, Native},
};
use crate::{
    cell::{
        POISON_INT, POISON_INT_CELL, POISON_LOGICAL, POISON_REAL, real, real1, real2, real3,
        round32,
    },
    code::{Cmp, Instr, Target},
    fault::Fault,
};

/// The reason why a stretch of instructions ends.
enum Leave {
    Ext(u32),
    Return,
    /// Machine code may take over.
    Again,
}

/// Stretches without a question for machine code after one that was in vain.
const REST: u32 = 16;

/// Steps of a counted loop in front of which machine code is asked again.
const LONG: u64 = 1 << 14;

/// Runs the current activation until it returns to the host; by machine code, where there is any.
pub(crate) fn execute(
    machine: &mut Machine,
    image: &Image,
    native: Option<&dyn Native>,
) -> Result<(), Box<Fault>> {
    // Machine code counts no jumps back.
    let native = native.filter(|_| !machine.passes.on);
    let stretch = match native {
        Some(_) => stretch::<false, true>,
        None if machine.passes.on => stretch::<true, false>,
        None => stretch::<false, false>,
    };
    let mut rest = 0;
    let mut jumps = u64::MAX;
    loop {
        if rest > 0 {
            // The answer was for another place: a loop asks again soon.
            rest -= 1;
            jumps = jumps.min(u64::from(REST));
        } else if let Some(native) = native {
            jumps = native::run(native, machine, image);
            // Where calls are many and short, asking takes longer than what follows.
            rest = if jumps > 0 { REST } else { 0 };
        }
        let (routine, fuel) = (machine.now.routine, machine.fuel);
        let left = stretch(machine, image, jumps);
        if let Some(native) = native {
            native.interpreted(routine, (fuel - machine.fuel).unsigned_abs());
        }
        let done = match left {
            Ok(Leave::Ext(k)) => machine.ext(image, k),
            Ok(Leave::Return) => {
                if machine.leave(image)? {
                    return Ok(());
                }
                Ok(())
            }
            Ok(Leave::Again) => {
                rest = 0;
                Ok(())
            }
            Err(fault) => Err(fault),
        };
        if let Err(fault) = done {
            machine.expect(fault)?;
        }
    }
}

/// The strong product of two real cells.
#[inline(always)]
fn strong(a: u64, b: u64) -> u64 {
    let x = f64::from_bits(a);
    if x == 0.0 {
        0
    } else {
        real2(x * f64::from_bits(b), a, b)
    }
}

fn logical(b: bool) -> u64 {
    u64::from(b)
}

#[inline(always)]
fn compare<T: PartialOrd>(cmp: Cmp, a: &T, b: &T) -> bool {
    match cmp {
        Cmp::Lt => a < b,
        Cmp::Le => a <= b,
        Cmp::Eq => a == b,
        Cmp::Ne => a != b,
    }
}

/// Runs instructions up to one that needs the whole machine; `COUNT`: counts jumps back; `ASK`: or up to the jump back
/// that follows after `jumps` others.
#[allow(
    clippy::too_many_lines,
    reason = "one arm per instruction; splitting the loop would cost what it is made for"
)]
fn stretch<const COUNT: bool, const ASK: bool>(
    machine: &mut Machine,
    image: &Image,
    mut jumps: u64,
) -> Result<Leave, Box<Fault>> {
    let limits_fuel = machine.limits.map_or(0, |l| l.fuel);
    let Machine {
        registers,
        descriptors,
        memory,
        tapes,
        meter,
        now,
        trace,
        fuel: fuel_left,
        limits,
        held,
        passes,
        ..
    } = machine;
    let max_memory = limits.map_or(u64::MAX, |l| l.max_memory);
    let program = &image.routines[now.routine];
    let code = program.instrs.as_slice();
    let math = &image.math;
    let memory = memory.as_mut_slice();
    let descriptors = &descriptors[now.descriptors..];
    let Some(r) = registers
        .get_mut(now.registers..)
        .and_then(|rest| rest.first_chunk_mut::<WINDOW>())
    else {
        return Err(Box::new(Fault::Depth(0)));
    };
    let mut pc = now.pc;
    // A step is an executed instruction. Between two jumps the program counter itself counts, so only jumps need
    // bookkeeping: `end` is the position at which the fuel runs out if no further jump comes.
    let mut end = *fuel_left + pc as i64;

    macro_rules! r {
        ($x:expr) => {
            r[usize::from($x)]
        };
    }
    macro_rules! f {
        ($x:expr) => {
            f64::from_bits(r[usize::from($x)])
        };
    }
    macro_rules! leave {
        ($e:expr) => {{
            now.pc = pc;
            *fuel_left = end - pc as i64;
            return $e;
        }};
    }
    macro_rules! ok {
        ($e:expr) => {
            match $e {
                Ok(x) => x,
                Err(fault) => leave!(Err(fault)),
            }
        };
    }
    macro_rules! within_fuel {
        () => {
            if end < pc as i64 {
                leave!(Err(Box::new(Fault::Fuel(limits_fuel))));
            }
        };
    }
    // A jump that is no edge of the graph.
    macro_rules! hop {
        ($t:expr) => {{
            within_fuel!();
            let t = $t as usize;
            let back = t < pc;
            end += t as i64 - pc as i64;
            pc = t;
            if ASK && back {
                if jumps == 0 {
                    leave!(Ok(Leave::Again));
                }
                jumps -= 1;
            }
        }};
    }
    // The begin of a counted loop of `n` passes that ends in front of `t`.
    macro_rules! enter_loop {
        ($n:expr, $t:expr) => {{
            let (n, t): (u64, Target) = ($n, $t);
            if n == 0 {
                jump!(t);
            } else if ASK
                && n.saturating_mul(u64::from(t).saturating_sub(pc as u64)) >= LONG
                && end >= pc as i64
            {
                leave!(Ok(Leave::Again));
            }
        }};
    }
    macro_rules! jump {
        ($t:expr) => {{
            let t = $t;
            if COUNT && (t as usize) < pc {
                passes.back(program, now.number, pc, t as usize);
            }
            hop!(t);
        }};
    }
    // `if f < g` etc. on reals; NaN goes to `otherwise`, after a look whether it is poison.
    macro_rules! jump_real {
        ($a:expr, $b:expr, $t:expr, $test:expr, $nan:expr) => {{
            let (a, b) = (r!($a), r!($b));
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            let yes = if x.partial_cmp(&y).is_none() {
                ok!(unordered(a, b));
                $nan
            } else {
                $test(&x, &y)
            };
            if yes {
                jump!($t);
            }
        }};
    }
    macro_rules! jump_int {
        ($a:expr, $b:expr, $t:expr, $test:expr) => {{
            let (a, b) = (r!($a) as i64, r!($b) as i64);
            if a == POISON_INT || b == POISON_INT {
                leave!(Err(undecided("a condition")));
            }
            if $test(&a, &b) {
                jump!($t);
            }
        }};
    }
    macro_rules! cell_at {
        ($at:expr) => {
            match usize::try_from($at).ok().and_then(|at| memory.get_mut(at)) {
                Some(cell) => cell,
                None => leave!(Err(Box::new(Fault::Absent(None)))),
            }
        };
    }
    macro_rules! axis_offset {
        ($d:expr, $arr:expr, $k:expr, $i:expr, $u:expr) => {{
            let axis = &$d.axes[$k];
            let i = r!($i);
            let offset = i
                .wrapping_add_signed(i64::from($u))
                .wrapping_sub(axis.lower as u64);
            if offset >= axis.extent as u64 {
                leave!(Err(element_fault($d, $arr, $k, i, $u)));
            }
            offset.wrapping_mul(axis.stride as u64)
        }};
    }
    macro_rules! address1 {
        ($arr:expr, $i:expr, $u:expr) => {{
            let d = &descriptors[usize::from($arr)];
            let x = axis_offset!(d, $arr, 0, $i, $u);
            d.base.wrapping_add(x)
        }};
    }
    macro_rules! address2 {
        ($arr:expr, $i:expr, $j:expr, $u:expr, $v:expr) => {{
            let d = &descriptors[usize::from($arr)];
            let x = axis_offset!(d, $arr, 0, $i, $u);
            let y = axis_offset!(d, $arr, 1, $j, $v);
            d.base.wrapping_add(x).wrapping_add(y)
        }};
    }
    macro_rules! tape {
        ($h:expr) => {
            match usize::try_from(r!($h)).ok().and_then(|h| tapes.get_mut(h)) {
                Some(tape) => tape,
                None => leave!(Err(Box::new(Fault::Absent(None)))),
            }
        };
    }
    macro_rules! taped {
        ($e:expr) => {
            match $e {
                Ok(x) => x,
                Err(error) => {
                    leave!(Err(tape_fault(error, *limits)));
                }
            }
        };
    }

    loop {
        let instr = code[pc];
        pc += 1;
        match instr {
            Instr::Mov { d, a } => r!(d) = r!(a),
            Instr::Const { d, k } => r!(d) = program.consts[k as usize],
            Instr::AddF { d, a, b } => r!(d) = real2(f!(a) + f!(b), r!(a), r!(b)),
            Instr::SubF { d, a, b } => r!(d) = real2(f!(a) - f!(b), r!(a), r!(b)),
            Instr::MulF { d, a, b } => r!(d) = real2(f!(a) * f!(b), r!(a), r!(b)),
            Instr::DivF { d, a, b } => r!(d) = real2(f!(a) / f!(b), r!(a), r!(b)),
            Instr::NegF { d, a } => r!(d) = real1(-f!(a), r!(a)),
            Instr::MulAdd { d, a, b, c } => {
                r!(d) = real3(f!(a) * f!(b) + f!(c), r!(a), r!(b), r!(c));
            }
            Instr::MulSub { d, a, b, c } => {
                r!(d) = real3(f!(a) * f!(b) - f!(c), r!(a), r!(b), r!(c));
            }
            Instr::SubMul { d, a, b, c } => {
                r!(d) = real3(f!(c) - f!(a) * f!(b), r!(a), r!(b), r!(c));
            }
            Instr::StrongMul { d, a, b } => r!(d) = strong(r!(a), r!(b)),
            Instr::StrongMulAdd { d, a, b, c } => {
                let product = strong(r!(a), r!(b));
                r!(d) = real2(f!(c) + f64::from_bits(product), r!(c), product);
            }
            Instr::Fma { d, a, b, c } => {
                r!(d) = real3((math.fma)(f!(a), f!(b), f!(c)), r!(a), r!(b), r!(c));
            }
            Instr::Fma32 { d, a, b, c } => {
                let x = (math.fma32)(f!(a) as f32, f!(b) as f32, f!(c) as f32);
                r!(d) = real3(f64::from(x), r!(a), r!(b), r!(c));
            }
            Instr::Round32 { d } => r!(d) = round32(r!(d)),
            Instr::Real1 { f, d, a } => {
                let x = math.unary[usize::from(f)](f!(a));
                r!(d) = real1(x, r!(a));
            }
            Instr::Real2 { f, d, a, b } => {
                let (x, y) = (r!(a), r!(b));
                r!(d) = if x == POISON_REAL || y == POISON_REAL {
                    POISON_REAL
                } else {
                    real(math.binary[usize::from(f)](f!(a), f!(b)))
                };
            }
            Instr::PowI { d, a, b } => {
                r!(d) = if r!(a) == POISON_REAL || r!(b) == POISON_INT_CELL {
                    POISON_REAL
                } else {
                    real((math.powi)(f!(a), r!(b) as i64))
                };
            }
            Instr::Polygamma { d, a, b } => {
                r!(d) = if r!(a) == POISON_INT_CELL || r!(b) == POISON_REAL {
                    POISON_REAL
                } else {
                    real((math.polygamma)(r!(a) as i64, f!(b)))
                };
            }
            Instr::AddI { d, a, b } => {
                let (x, y) = (r!(a), r!(b));
                r!(d) = match (x as i64).checked_add(y as i64) {
                    Some(sum) if x != POISON_INT_CELL && y != POISON_INT_CELL => sum as u64,
                    _ => ok!(integer_result(x, y, Op::Add, None)),
                };
            }
            Instr::AddConst { d, a, k } => {
                let x = r!(a);
                r!(d) = match (x as i64).checked_add(i64::from(k)) {
                    Some(sum) if x != POISON_INT_CELL => sum as u64,
                    _ => ok!(integer_result(x, i64::from(k) as u64, Op::Add, None)),
                };
            }
            Instr::SubI { d, a, b } => {
                let (x, y) = (r!(a), r!(b));
                r!(d) = match (x as i64).checked_sub(y as i64) {
                    Some(difference) if x != POISON_INT_CELL && y != POISON_INT_CELL => {
                        difference as u64
                    }
                    _ => ok!(integer_result(x, y, Op::Sub, None)),
                };
            }
            Instr::MulI { d, a, b } => {
                let (x, y) = (r!(a), r!(b));
                r!(d) = match (x as i64).checked_mul(y as i64) {
                    Some(product) if x != POISON_INT_CELL && y != POISON_INT_CELL => product as u64,
                    _ => ok!(integer_result(x, y, Op::Mul, None)),
                };
            }
            Instr::Int1 { op, d, a } => r!(d) = ok!(int1(op, r!(a))),
            Instr::Int2 { op, d, a, b } => r!(d) = ok!(int2(op, r!(a), r!(b))),
            Instr::Sized1 { op, ty, d, a } => r!(d) = ok!(sized(op, ty, r!(a), None)),
            Instr::Sized2 { op, ty, d, a, b } => r!(d) = ok!(sized(op, ty, r!(a), Some(r!(b)))),
            Instr::Fit { ty, d } => ok!(fits(ty, r!(d))),
            Instr::IntToInt {
                how,
                to,
                from,
                d,
                a,
            } => r!(d) = ok!(converted(how, to, from, r!(a))),
            Instr::RealToAnyInt { how, to, d, a } => r!(d) = ok!(converted_real(how, to, r!(a))),
            Instr::UintToReal { d, a } => r!(d) = to_real(r!(a), |n| n as f64),
            Instr::UintToReal32 { d, a } => r!(d) = to_real(r!(a), |n| f64::from(n as f32)),
            Instr::Trips { d, a, b, c } => r!(d) = ok!(trips(r!(a), r!(b), r!(c))),
            Instr::IntToReal { d, a } => r!(d) = to_real(r!(a), |n| n as i64 as f64),
            Instr::IntToReal32 { d, a } => {
                r!(d) = to_real(r!(a), |n| f64::from(n as i64 as f32));
            }
            Instr::RealToInt { d, a } => r!(d) = ok!(real_to_int(r!(a))),
            Instr::RealToLogical { d, a } => {
                r!(d) = to_logical(r!(a), POISON_REAL, f!(a) != 0.0);
            }
            Instr::IntToLogical { d, a } => {
                r!(d) = to_logical(r!(a), POISON_INT_CELL, r!(a) != 0);
            }
            Instr::LogicalToInt { d, a } => {
                r!(d) = match r!(a) {
                    POISON_LOGICAL => POISON_INT_CELL,
                    b => b,
                };
            }
            Instr::LogicalToReal { d, a } => {
                r!(d) = match r!(a) {
                    POISON_LOGICAL => POISON_REAL,
                    b => (b as f64).to_bits(),
                };
            }
            Instr::CmpF { cmp, d, a, b } => {
                let (x, y) = (f!(a), f!(b));
                r!(d) = if x.partial_cmp(&y).is_none() {
                    compare_unordered(cmp, r!(a), r!(b))
                } else {
                    logical(compare(cmp, &x, &y))
                };
            }
            Instr::CmpI { cmp, d, a, b } => {
                let (x, y) = (r!(a), r!(b));
                r!(d) = if x == POISON_INT_CELL || y == POISON_INT_CELL {
                    POISON_LOGICAL
                } else {
                    logical(compare(cmp, &(x as i64), &(y as i64)))
                };
            }
            Instr::CmpU { cmp, d, a, b } => {
                let (x, y) = (r!(a), r!(b));
                r!(d) = if x == POISON_INT_CELL || y == POISON_INT_CELL {
                    POISON_LOGICAL
                } else {
                    logical(compare(cmp, &x, &y))
                };
            }
            Instr::CmpL { cmp, d, a, b } => {
                let (x, y) = (r!(a), r!(b));
                r!(d) = if x == POISON_LOGICAL || y == POISON_LOGICAL {
                    POISON_LOGICAL
                } else {
                    logical(compare(cmp, &x, &y))
                };
            }
            Instr::Not { d, a } => {
                r!(d) = match r!(a) {
                    POISON_LOGICAL => POISON_LOGICAL,
                    b => b ^ 1,
                };
            }
            Instr::Jump { t } => jump!(t),
            Instr::JumpTrue { a, t } => match r!(a) {
                1 => jump!(t),
                0 => {}
                _ => leave!(Err(undecided("a condition"))),
            },
            Instr::JumpFalse { a, t } => match r!(a) {
                0 => jump!(t),
                1 => {}
                _ => leave!(Err(undecided("a condition"))),
            },
            Instr::JumpIfNot { a, value, t } => {
                if r!(a) != u64::from(value) {
                    jump!(t);
                }
            }
            Instr::JumpLtF { a, b, t } => jump_real!(a, b, t, f64::lt, false),
            Instr::JumpLeF { a, b, t } => jump_real!(a, b, t, f64::le, false),
            Instr::JumpEqF { a, b, t } => jump_real!(a, b, t, f64::eq, false),
            Instr::JumpNotLtF { a, b, t } => jump_real!(a, b, t, f64::ge, true),
            Instr::JumpNotLeF { a, b, t } => jump_real!(a, b, t, f64::gt, true),
            Instr::JumpNeF { a, b, t } => jump_real!(a, b, t, f64::ne, true),
            Instr::JumpLtI { a, b, t } => jump_int!(a, b, t, i64::lt),
            Instr::JumpLeI { a, b, t } => jump_int!(a, b, t, i64::le),
            Instr::JumpEqI { a, b, t } => jump_int!(a, b, t, i64::eq),
            Instr::JumpNeI { a, b, t } => jump_int!(a, b, t, i64::ne),
            Instr::Switch { a, table } => {
                let value = r!(a) as i64;
                if value == POISON_INT {
                    leave!(Err(undecided("a selector")));
                }
                let table = &program.switches[table as usize];
                let at = table.cases.partition_point(|case| case.1 < value);
                let target = match table.cases.get(at) {
                    Some(&(lower, _, t)) if lower <= value => Some(t),
                    _ => table.default,
                };
                match target {
                    Some(t) => jump!(t),
                    None => leave!(Err(Box::new(Fault::Case(value)))),
                }
            }
            Instr::LoadFrame { d, at } => r!(d) = memory[now.memory + at as usize],
            Instr::StoreFrame { s, at } => memory[now.memory + at as usize] = r!(s),
            Instr::LoadGlobal { d, at } => r!(d) = memory[at as usize],
            Instr::StoreGlobal { s, at } => memory[at as usize] = r!(s),
            Instr::LoadAt { d, p } => r!(d) = *cell_at!(r!(p)),
            Instr::StoreAt { p, s } => *cell_at!(r!(p)) = r!(s),
            Instr::Load1 { d, i, u, arr } => r!(d) = *cell_at!(address1!(arr, i, u)),
            Instr::Store1 { s, i, u, arr } => *cell_at!(address1!(arr, i, u)) = r!(s),
            Instr::Load2 { d, i, j, u, v, arr } => r!(d) = *cell_at!(address2!(arr, i, j, u, v)),
            Instr::Store2 { s, i, j, u, v, arr } => *cell_at!(address2!(arr, i, j, u, v)) = r!(s),
            Instr::Addr1 { d, i, u, arr } => r!(d) = address1!(arr, i, u),
            Instr::Addr2 { d, i, j, u, v, arr } => r!(d) = address2!(arr, i, j, u, v),
            Instr::Base { d, arr } => r!(d) = descriptors[usize::from(arr)].base,
            Instr::AddrAxis { d, i, axis, arr } => {
                let part = &descriptors[usize::from(arr) + usize::from(axis / 2)];
                let of = &part.axes[usize::from(axis % 2)];
                let index = r!(i);
                let offset = index.wrapping_sub(of.lower as u64);
                if offset >= of.extent as u64 {
                    let head = &descriptors[usize::from(arr)];
                    leave!(Err(element_fault_of(
                        head,
                        part,
                        arr,
                        usize::from(axis),
                        index
                    )));
                }
                r!(d) = r!(d).wrapping_add(offset.wrapping_mul(of.stride as u64));
            }
            Instr::FrameAddr { d, at } => r!(d) = now.memory as u64 + u64::from(at),
            Instr::Inc1 { s, i, u, arr } => {
                let cell = cell_at!(address1!(arr, i, u));
                *cell = real2(f64::from_bits(*cell) + f!(s), *cell, r!(s));
            }
            Instr::Inc2 { s, i, j, u, v, arr } => {
                let cell = cell_at!(address2!(arr, i, j, u, v));
                *cell = real2(f64::from_bits(*cell) + f!(s), *cell, r!(s));
            }
            Instr::IncStrong1 { a, b, i, u, arr } => {
                let product = strong(r!(a), r!(b));
                let cell = cell_at!(address1!(arr, i, u));
                *cell = real2(
                    f64::from_bits(*cell) + f64::from_bits(product),
                    *cell,
                    product,
                );
            }
            Instr::IncStrong2 { a, b, i, j, arr } => {
                let product = strong(r!(a), r!(b));
                let cell = cell_at!(address2!(arr, i, j, 0i8, 0i8));
                *cell = real2(
                    f64::from_bits(*cell) + f64::from_bits(product),
                    *cell,
                    product,
                );
            }
            Instr::IncAt { p, s } => {
                let cell = cell_at!(r!(p));
                *cell = real2(f64::from_bits(*cell) + f!(s), *cell, r!(s));
            }
            Instr::Advance { p, axis, arr } => {
                let part = &descriptors[usize::from(arr) + usize::from(axis / 2)];
                r!(p) = r!(p).wrapping_add_signed(part.axes[usize::from(axis % 2)].stride);
            }
            Instr::LoadNext { d, p, axis, arr } => {
                let at = r!(p);
                let part = &descriptors[usize::from(arr) + usize::from(axis / 2)];
                r!(p) = at.wrapping_add_signed(part.axes[usize::from(axis % 2)].stride);
                r!(d) = *cell_at!(at);
            }
            Instr::StoreNext { p, s, axis, arr } => {
                let at = r!(p);
                let part = &descriptors[usize::from(arr) + usize::from(axis / 2)];
                r!(p) = at.wrapping_add_signed(part.axes[usize::from(axis % 2)].stride);
                *cell_at!(at) = r!(s);
            }
            Instr::IncNext { p, s, axis, arr } => {
                let at = r!(p);
                let part = &descriptors[usize::from(arr) + usize::from(axis / 2)];
                r!(p) = at.wrapping_add_signed(part.axes[usize::from(axis % 2)].stride);
                let cell = cell_at!(at);
                *cell = real2(f64::from_bits(*cell) + f!(s), *cell, r!(s));
            }
            Instr::Rewind { p, axis, arr } => {
                let part = &descriptors[usize::from(arr) + usize::from(axis / 2)];
                let axis = &part.axes[usize::from(axis % 2)];
                r!(p) = r!(p).wrapping_sub((axis.stride as u64).wrapping_mul(axis.extent as u64));
            }
            Instr::Extent { d, axis, arr } => {
                let part = &descriptors[usize::from(arr) + usize::from(axis / 2)];
                r!(d) = part.axes[usize::from(axis % 2)].extent as u64;
            }
            Instr::LoopInit { q, index, first, t } => {
                let n = ok!(trips_needed(r!(first), r!(q), r!(q.wrapping_add(1))));
                r!(q) = n;
                r!(index) = r!(first);
                enter_loop!(n, t);
            }
            Instr::LoopInit1 { q, index, first, t } => {
                let n = ok!(trips_needed(r!(first), r!(q), 1));
                r!(q) = n;
                r!(index) = r!(first);
                enter_loop!(n, t);
            }
            Instr::LoopNext1 { q, index, t } => {
                let i = r!(index);
                // After the last pass only the index behind the loop can overflow.
                let Some(next) = (i as i64).checked_add(1) else {
                    leave!(Err(Box::new(Fault::Overflow(format!("{} + 1", i as i64)))));
                };
                r!(index) = next as u64;
                // In a general graph, a jump into the body can make the counter negative.
                r!(q) = r!(q).wrapping_sub(1);
                if r!(q) as i64 > 0 {
                    jump!(t);
                }
            }
            Instr::LoopNext { q, index, t } => {
                let i = r!(index) as i64;
                let step = r!(q.wrapping_add(1)) as i64;
                let Some(next) = i.checked_add(step) else {
                    leave!(Err(Box::new(Fault::Overflow(format!("{i} + {step}")))));
                };
                r!(index) = next as u64;
                // In a general graph, a jump into the body can make the counter negative.
                r!(q) = r!(q).wrapping_sub(1);
                if r!(q) as i64 > 0 {
                    jump!(t);
                }
            }
            Instr::CountDown { c, t } => {
                r!(c) = r!(c).wrapping_sub(1);
                if r!(c) != 0 {
                    hop!(t);
                }
            }
            Instr::PushReal { h, s } => taped!(tape!(h).push_real(r!(s), meter)),
            Instr::PopReal { h, d } => r!(d) = taped!(tape!(h).pop_real(meter)),
            Instr::PushReal32 { h, s } => taped!(tape!(h).push_real32(r!(s), meter)),
            Instr::PopReal32 { h, d } => r!(d) = taped!(tape!(h).pop_real32(meter)),
            Instr::PushInt { h, s } => taped!(tape!(h).push_integer(r!(s), meter)),
            Instr::PopInt { h, d } => r!(d) = taped!(tape!(h).pop_integer(meter)),
            Instr::PushBits { h, s, bits } => {
                let cell = ok!(control_value(r!(s), bits));
                taped!(tape!(h).push_bits(cell, u32::from(bits), ScalarType::Integer, meter));
            }
            Instr::PopBits { h, d, bits } => {
                r!(d) = taped!(tape!(h).pop_bits(u32::from(bits), ScalarType::Integer, meter));
            }
            Instr::PushLogical { h, s } => {
                taped!(tape!(h).push_bits(r!(s), 1, ScalarType::Logical, meter));
            }
            Instr::PopLogical { h, d } => {
                r!(d) = taped!(tape!(h).pop_bits(1, ScalarType::Logical, meter));
            }
            Instr::PushCount { h, s } => {
                let n = ok!(control_count(r!(s)));
                taped!(tape!(h).push_count(n, meter));
            }
            Instr::PopCount { h, d } => r!(d) = taped!(tape!(h).pop_count(meter)),
            Instr::Visit { v } => {
                // A `Visit` is no step of the program.
                end += 1;
                let visits = trace.len() + 1;
                if held.make_room(trace, visits, max_memory).is_err() {
                    leave!(Err(Box::new(Fault::Memory { limit: max_memory })));
                }
                trace.push(Visit {
                    routine: cfg_core::entity::RoutineId::new(now.routine),
                    activation: now.number,
                    vertex: v,
                });
            }
            Instr::Ext { k } => {
                within_fuel!();
                leave!(Ok(Leave::Ext(k)));
            }
            Instr::Return => {
                within_fuel!();
                leave!(Ok(Leave::Return));
            }
        }
    }
}
