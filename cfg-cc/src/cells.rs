//! Values in the machine's own form of numbers.

use cfg_core::{
    elemental::Scalar,
    ir::{Order, ScalarType},
};
use cfg_exec::Value;
use std::io::{Error, ErrorKind, Read};

/// Adds the elements of a value in storage order; uninitialised ones are 0.
pub(crate) fn write_value(bytes: &mut Vec<u8>, value: &Value, order: Order) {
    let value = value.in_order(order);
    for k in 0..value.len() {
        match (value.get(k), value.ty()) {
            (Some(Scalar::Real(x)), _) => bytes.extend_from_slice(&x.to_ne_bytes()),
            (Some(Scalar::Real32(x)), _) => bytes.extend_from_slice(&x.to_ne_bytes()),
            (Some(Scalar::Integer(n)), _) => bytes.extend_from_slice(&n.to_ne_bytes()),
            (Some(Scalar::Logical(b)), _) => bytes.push(b.into()),
            (None, ScalarType::Real | ScalarType::Integer | ScalarType::Tape) => {
                bytes.extend_from_slice(&[0; 8]);
            }
            (None, ScalarType::Real32) => bytes.extend_from_slice(&[0; 4]),
            (None, ScalarType::Logical) => bytes.push(0),
        }
    }
}

/// Reads a value of this type and shape, whose elements come in storage order.
pub(crate) fn read_value(
    from: &mut (impl Read + ?Sized),
    ty: ScalarType,
    shape: &[usize],
    order: Order,
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
            ScalarType::Integer | ScalarType::Tape => {
                from.read_exact(&mut bytes)?;
                Scalar::Integer(i64::from_ne_bytes(bytes))
            }
            ScalarType::Logical => {
                from.read_exact(&mut bytes[..1])?;
                Scalar::Logical(bytes[0] != 0)
            }
        };
        value.set(k, x);
    }
    Ok(value)
}
