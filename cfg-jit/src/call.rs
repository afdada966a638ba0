//! Functions that machine code calls.
#![expect(unsafe_code, reason = "machine code hands on addresses of cells")]
#![expect(
    improper_ctypes_definitions,
    reason = "functions of the executor are passed on as they are, by their addresses"
)]

use cfg_core::elemental::{Binary, Ternary, Unary};
use cfg_exec::native::{Instr, pure};

pub(crate) extern "C" fn unary(f: Unary, x: f64) -> f64 {
    f(x)
}

pub(crate) extern "C" fn binary(f: Binary, x: f64, y: f64) -> f64 {
    f(x, y)
}

pub(crate) extern "C" fn ternary(f: Ternary, x: f64, y: f64, z: f64) -> f64 {
    f(x, y, z)
}

pub(crate) extern "C" fn fma32(f: fn(f32, f32, f32) -> f32, x: f64, y: f64, z: f64) -> f64 {
    f64::from(f(x as f32, y as f32, z as f32))
}

pub(crate) extern "C" fn powi(f: fn(f64, i64) -> f64, x: f64, n: i64) -> f64 {
    f(x, n)
}

pub(crate) extern "C" fn polygamma(f: fn(i64, f64) -> f64, n: i64, x: f64) -> f64 {
    f(n, x)
}

/// The value of an instruction by the executor's function; false if it fails.
pub(crate) extern "C" fn fallback(instr: &Instr, a: u64, b: u64, c: u64, value: &mut u64) -> bool {
    match pure(*instr, [a, b, c]) {
        Some(x) => {
            *value = x;
            true
        }
        None => false,
    }
}

/// Sets cells; returns the address behind them.
pub(crate) extern "C" fn fill(to: *mut u64, n: usize, cell: u64) -> *mut u64 {
    // SAFETY: machine code has tested that the cells lie in memory, to which no reference is in use.
    unsafe { std::slice::from_raw_parts_mut(to, n) }.fill(cell);
    to.wrapping_add(n)
}

/// Copies cells to others; returns the address behind these.
pub(crate) extern "C" fn copy(to: *mut u64, from: *const u64, n: usize) -> *mut u64 {
    // SAFETY: machine code has tested that one of both lies in memory, and the other one on a stack that has the cells,
    // or room for them.
    unsafe { std::ptr::copy_nonoverlapping(from, to, n) };
    to.wrapping_add(n)
}
