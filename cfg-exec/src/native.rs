//! The interface of compilers that turn the register code into machine code.
//!
//! All state of a run lies in the machine: registers, descriptors, cells, tapes, steps that are left, and the program
//! counter. Machine code may therefore replace the loop that runs instructions from any place to any other. It stops
//! in front of each instruction that fails, that needs the rest of the machine ([`Instr::Ext`], [`Instr::Return`]), or
//! that it does not do, with the state that the loop would have there. Routines that it has called by itself, and stops
//! in, it enters then ([`State::enter`]). The loop goes on: errors, their places, steps
//! and the use of tapes are those of the executor in every case.
//!
//! A [`Native`] belongs to one [`Compiled`](crate::Compiled), which asks it at the start of stretches of instructions.
//! [`CompileOptions::engine`](crate::CompileOptions::engine) makes it.

pub use crate::{
    cell::{POISON_INT, POISON_LOGICAL, POISON_REAL, poison},
    code::{
        Arr, CallInfo, Cmp, Code, Extent, Instr, MayOverlap, Operation, ParameterHome, Passed, Reg,
        Switch, Target, View,
    },
    descriptor::{Axis, Descriptor},
    machine::{Callee, Engine, Native, Program, State, WINDOW, operator, pure, refused},
};
