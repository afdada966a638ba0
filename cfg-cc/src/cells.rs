//! Values in the machine's own form of numbers.

use cfg_core::{
    elemental::Scalar,
    ir::{Order, ScalarType},
};
use cfg_exec::Value;
use std::io::{Error, ErrorKind, Read};

/// The NaN that stands for an uninitialised real in files with checks.
const UNSET_REAL: u64 = 0x7FF8_756E_696E_6974;
const UNSET_REAL32: u32 = 0x7FC0_756E;
const UNSET_INTEGER: i64 = -6_674_804_268_309_651_741;
const UNSET_LOGICAL: u8 = 2;

/// Adds the elements of a value in storage order. An uninitialised one is written as 0, or with checks as the bits
/// that mark it.
pub(crate) fn write_value(bytes: &mut Vec<u8>, value: &Value, order: Order, checks: bool) {
    let value = value.in_order(order);
    for k in 0..value.len() {
        match value.get(k) {
            Some(Scalar::Real(x)) => bytes.extend_from_slice(&x.to_ne_bytes()),
            Some(Scalar::Real32(x)) => bytes.extend_from_slice(&x.to_ne_bytes()),
            Some(Scalar::Integer(n)) => bytes.extend_from_slice(&n.to_ne_bytes()),
            Some(Scalar::Sized(_, cell)) if checks => bytes.extend_from_slice(&cell.to_ne_bytes()),
            Some(Scalar::Sized(ty, cell)) => match ty.bits() {
                8 => bytes.push(cell as u8),
                16 => bytes.extend_from_slice(&(cell as u16).to_ne_bytes()),
                32 => bytes.extend_from_slice(&(cell as u32).to_ne_bytes()),
                _ => bytes.extend_from_slice(&cell.to_ne_bytes()),
            },
            Some(Scalar::Logical(b)) => bytes.push(b.into()),
            None => write_unset(bytes, value.ty(), checks),
        }
    }
}

/// Adds an uninitialised element.
fn write_unset(bytes: &mut Vec<u8>, ty: ScalarType, checks: bool) {
    let from = bytes.len();
    match ty {
        ScalarType::Real => bytes.extend_from_slice(&UNSET_REAL.to_ne_bytes()),
        ScalarType::Real32 => bytes.extend_from_slice(&UNSET_REAL32.to_ne_bytes()),
        ScalarType::Sized(_) if checks => bytes.extend_from_slice(&UNSET_INTEGER.to_ne_bytes()),
        ScalarType::Integer | ScalarType::Tape | ScalarType::Record(_) | ScalarType::Pointer(_) => {
            bytes.extend_from_slice(&UNSET_INTEGER.to_ne_bytes());
        }
        ScalarType::Sized(ty) => bytes.resize(from + (ty.bits() / 8) as usize, 0),
        ScalarType::Logical => bytes.push(UNSET_LOGICAL),
    }
    if !checks {
        bytes[from..].fill(0);
    }
}

/// Reads a value of this type and shape, whose elements come in storage order.
pub(crate) fn read_value(
    from: &mut (impl Read + ?Sized),
    ty: ScalarType,
    shape: &[usize],
    order: Order,
    checks: bool,
) -> Result<Value, Error> {
    let value = Value::uninitialised(ty, shape, order);
    let mut value = value.ok_or_else(|| Error::from(ErrorKind::OutOfMemory))?;
    for k in 0..value.len() {
        let mut bytes = [0; 8];
        let x = match ty {
            ScalarType::Real => {
                from.read_exact(&mut bytes)?;
                Scalar::Real(f64::from_ne_bytes(bytes))
            }
            ScalarType::Real32 => {
                let mut bytes = [0; 4];
                from.read_exact(&mut bytes)?;
                Scalar::Real32(f32::from_ne_bytes(bytes))
            }
            ScalarType::Integer
            | ScalarType::Tape
            | ScalarType::Record(_)
            | ScalarType::Pointer(_) => {
                from.read_exact(&mut bytes)?;
                Scalar::Integer(i64::from_ne_bytes(bytes))
            }
            ScalarType::Sized(ty) if checks => {
                from.read_exact(&mut bytes)?;
                Scalar::Sized(ty, i64::from_ne_bytes(bytes))
            }
            ScalarType::Sized(ty) => {
                let n = match ty.bits() {
                    8 => {
                        from.read_exact(&mut bytes[..1])?;
                        i128::from(bytes[0])
                    }
                    16 => {
                        let mut bytes = [0; 2];
                        from.read_exact(&mut bytes)?;
                        u16::from_ne_bytes(bytes).into()
                    }
                    32 => {
                        let mut bytes = [0; 4];
                        from.read_exact(&mut bytes)?;
                        u32::from_ne_bytes(bytes).into()
                    }
                    _ => {
                        from.read_exact(&mut bytes)?;
                        u64::from_ne_bytes(bytes).into()
                    }
                };
                Scalar::Sized(ty, ty.wrap(n))
            }
            ScalarType::Logical => {
                from.read_exact(&mut bytes[..1])?;
                Scalar::Logical(bytes[0] != 0)
            }
        };
        let unset = checks
            && match x {
                Scalar::Real(x) => x.to_bits() == UNSET_REAL,
                Scalar::Real32(x) => x.to_bits() == UNSET_REAL32,
                Scalar::Integer(n) => n == UNSET_INTEGER,
                Scalar::Sized(_, cell) => cell == UNSET_INTEGER,
                Scalar::Logical(_) => bytes[0] == UNSET_LOGICAL,
            };
        if !unset {
            value.set(k, x);
        }
    }
    Ok(value)
}
