//! The faults that end a run of a program, and how they are told.

use std::sync::Arc;

use crate::cell::POISON_INT;
use cfg_core::{
    diagnostic::Diagnostic,
    entity::GlobalId,
    ir::{Astray, NameRole},
};

cfg_core::diagnostic_codes! {
    /// Every code of this crate.
    pub CODES of pub(crate) codes;
    BOUNDS "X201" "index out of bounds"
        "A subscript lies between the lower and the upper bound of its dimension."
        "A program read or wrote an element that the array does not have. The message gives the subscript and the bounds. Check the loop that computes the subscript, or the extent that the array is declared with.";
    UNINITIALISED "X202" "an uninitialised value decides"
        "A value that decides a branch, a loop, a subscript or an extent, or that is a result, has been assigned before."
        "Uninitialised values may be copied, saved on the tape and computed with, because reversed programs save variables that have no value yet. They may not decide anything. Assign the variable on every path that leads here. (The integer -6674804268309651741 is how the executor marks an uninitialised integer; a program that computes exactly this number gets this error too.)";
    OVERFLOW "X203" "integer overflow"
        "The result of an integer operation, and of a conversion to an integer type, fits into the bits of its type."
        "Integers wrap where the operation says so only: `+% -% *% neg% <<%`, and the conversion `wrap`. Use these, a wider type, or reals where numbers of this size are meant.";
    DIVISION "X204" "integer division by zero"
        "The divisor of an integer division or remainder is not 0."
        "Dividing reals by zero gives infinity or NaN, but for integers there is no such value. Guard the division with a branch.";
    CONVERSION "X205" "real is not representable as an integer"
        "The operand of a conversion to an integer type is finite and within the range of the type, of int() within that of 64-bit integers."
        "A NaN, an infinity or a number of magnitude 2^63 or more has no integer value, and types of fewer bits have fewer values. Check the operand before it is converted.";
    STEP "X206" "step is 0"
        "The step of a counted loop, of trips() or of a section is not 0."
        "With step 0 a loop would never end. Check the expression that computes it.";
    CASE "X207" "no case matches"
        "The selector of a multi-way branch is in one of its cases, or an arm is marked as default."
        "The branch has no default arm and the selector's value is in none of the cases. Add a default arm, or the missing case.";
    FUEL "X208" "out of fuel"
        "A run takes no more steps than its fuel allows."
        "A step is an instruction of the executor's that is run, on every machine the same: an operation of an expression is about one, a test or jump one, a call and each element of an array operation at least one. What is jumped over costs nothing. So every pass of every loop costs something, and the limit ends runaway loops: the message names the innermost LOOP that was running and how many passes it had made, and the one around it that had made most, if that is more. (In general control flow it is the vertex that was jumped back to.) Look at its condition. If the program is meant to run this long, raise the limit: --fuel N on the command line, RunOptions::fuel in the library.";
    TAPE "X209" "out of tape memory"
        "All stacks of all tapes together take no more bytes than allowed."
        "The forward sweep saves what the reverse sweep needs; long loops save much, and one that does not end saves until the limit is reached: the message names the innermost LOOP that was running. Raise the limit with --max-tape BYTES (RunOptions::max_tape), or reverse the program in smaller pieces.";
    MEMORY "X210" "out of memory"
        "Everything that the runs of a command take together is no more than allowed: globals, arguments, variables, call frames, tapes, traces, values that are read, and results."
        "The limit is tested before memory is taken, with sizes that are checked products. If a LOOP was running the message names it: it may be one that does not end. Raise it with --max-memory BYTES (RunOptions::max_memory) if the machine has more, or check the extents of the arrays.";
    DEPTH "X211" "calls nest too deep"
        "Calls nest no deeper than allowed."
        "Recursion is legal and does not use the machine's stack; the limit finds recursion that does not end. Raise it with --max-depth N (RunOptions::max_depth).";
    SHAPE "X212" "shapes do not conform"
        "Arrays in one operation, an argument and its parameter, and both sides of an assignment have the same shape; a parameter of explicit shape is no larger than what it is bound to."
        "Extents are compared when the statement runs. The message gives both shapes.";
    ABSENT "X213" "absent optional argument is used"
        "An optional parameter that was not given is not read, written or inquired about, except by present()."
        "Guard the use with a branch on present(), or pass the argument.";
    OVERLAP "X214" "arguments overlap and one is written"
        "An argument shares no storage with another one, or with a global that the routine or what it calls uses, if the routine writes one of them, unless it is marked aliased."
        "The routine was written in the belief that its parameters and globals are different cells; its derivative certainly relies on it. Pass a copy, or mark the routine as aliased.";
    UNALLOCATED "X215" "array is not allocated"
        "An array of deferred extent is assigned as a whole before its elements or its shape are used."
        "A local array without extents has no elements until an assignment to the whole array gives it a shape.";
    EMPTY "X216" "pop from an empty tape"
        "Every pop finds what a push of the same class has left."
        "The reverse sweep took more from a stack of the tape than the forward sweep had put there, or the sweeps were called in the wrong order.";
    CONTROL "X217" "control value does not fit"
        "A value pushed on the control stack is between 0 and 2^bits - 1; a count is not negative and is initialised."
        "Markers and counts are packed into as few bits as were declared. Declare more bits.";
    EXTERNAL "X218" "external routine cannot be run"
        "A routine without a body that is called has a value expression or a callback."
        "The program declares the routine as external. Give it a value expression in the program, or a callback in CompileOptions. Emitted C calls it by its name, so that it can be linked with the file that defines it; a function of a C file is given a value with --external 'g(x) value(...)'.";
    ARGUMENT "X219" "argument does not fit its parameter"
        "Arguments have the number, type and shape that the routine declares."
        "The values given to a run are checked against the declaration before it starts.";
    TOO_LARGE "X220" "routine is too large for the executor"
        "A routine has at most 65000 array descriptors, a statement needs at most 120 temporaries, and shapes of parameters ask about others in chains of at most 64."
        "Split the statement into several that assign to temporaries, or the routine into several.";
    UNSUPPORTED "X221" "not supported by the executor"
        "The executor runs every valid program, except for the forms that it names here."
        "The message says which form and what to write instead.";
    MARK "X222" "integer that the executor cannot hold"
        "No operation modulo 2^64, over bits or over uint64 gives -6674804268309651741 (of uint64 11771939805399899875)."
        "Of all integers of 64 bits this one is how the executor marks an integer without a value. Rather than to go on with a wrong value it stops. Compiled C has all integers.";
    STOP "X223" "the program stopped"
        "A run reaches EXIT without coming to a statement that stops the program."
        "The program ends itself here, by a statement `stop`: in C a call of exit or abort, or an assertion that does not hold. The message is the program's own. There is no derivative at this point: choose arguments for which the program runs through.";
    POINTER "X224" "a pointer leads nowhere"
        "A pointer that is used leads to cells of its type, in an object that has not ended; pointers that are subtracted or ordered lead to one object; what is freed is the beginning of an object on the heap."
        "A null pointer was used, one that leads behind the end or before the beginning of its object or to a field of another type, or one to an object that was freed or whose routine has returned. The place is that of the use; notes say where the object was made, and where it ended.";
    HEAP "X225" "out of heap"
        "The objects that pointers lead to have room in their pool, and sizes that are not negative."
        "Before a program with pointers is run, what they lead to becomes cells of global arrays of fixed size, its pools. Raise it with --heap CELLS (the last argument of cfg_transform::pools::lower). An object that is freed makes room for those of its size; for all if it was allocated last.";
    DISK "X226" "the disk cannot be used"
        "States that a program keeps on disk can be written into a file and read again."
        "A loop with a checkpoint keeps some of its states in a file, which was refused: the folder does not exist or must not be written, or the disk is full. Nothing that was kept is lost; the run ends here. Name another folder: --disk FOLDER on the command line, RunOptions::disk in the library; or keep fewer states on disk.";
    CHECKSUM "X227" "what lies on disk is not what was pushed"
        "A pop from the stack of a tape that lies in a file finds the type, the number of elements and the checksum of what was pushed last."
        "Either the file was changed, by a defect of the disk or by another program, or a pop takes another type or another number of elements than the push has left: arrays are popped as a whole. Run the program again.";
    RESTART "X228" "the progress of a loop cannot be kept or taken"
        "The progress of a loop with a checkpoint can be written into its file, and what the file has is the progress of the same run."
        "Progress is kept in files so that a run that was killed goes on from there. A file that is damaged, or that belongs to another program or other values, is not used, and stays as it is. Name other files (--restart FILE on the command line, RunOptions::restart in the library), or remove these: the run then begins anew.";
    NATIVE "X229" "machine code is not made"
        "What runs for long becomes machine code in memory that the system makes executable, in functions that are not too large."
        "Without machine code the executor runs the program: results are the same, and take several times as long. The message says what is in the way: a system that refuses executable memory (SELinux, a service with MemoryDenyWriteExecute), a processor that no machine code is made for, or a routine that is too large, which can be split.";
}

/// The variable of a descriptor, as messages name it.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) name: String,
    /// The role of the variable in the pools of pointers, if it has one.
    pub(crate) role: Option<NameRole>,
    /// The global, if it is one.
    pub(crate) global: Option<GlobalId>,
}

/// The object of a pointer that stopped a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointed {
    /// The accessed array of the object's pool, the cells or a table.
    pub array: GlobalId,
    /// The number of the object.
    pub object: i64,
    /// True if the pointer leads into the object, to cells of another type.
    pub of_other_type: bool,
}

/// A variable that an argument of a call may overlap.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Party {
    Argument(usize),
    /// A global of this name.
    Global(Arc<str>),
}

/// A fault while running; turned into a [`Diagnostic`] once, where the place is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fault {
    Bounds {
        array: Option<u16>,
        axis: usize,
        index: i64,
        lower: i64,
        extent: i64,
    },
    Uninitialised(&'static str),
    Overflow(String),
    /// A number outside of the range of its type.
    Range(String),
    /// A number that is the mark of an uninitialised integer.
    Mark,
    Division,
    /// A real that does not fit the integer type of this name.
    Conversion(f64, &'static str),
    Step,
    Case(i64),
    Fuel(u64),
    Tape(u64),
    /// A file in this folder cannot be written or read, and why.
    Disk {
        folder: String,
        error: String,
    },
    /// A block of a file that is not as it was pushed.
    Checksum,
    /// The progress of a loop cannot be kept or taken, and why.
    Restart(String),
    Memory {
        limit: u64,
    },
    Depth(usize),
    Shape(String),
    Absent(Option<u16>),
    Overlap(usize, Party),
    Unallocated(Option<u16>),
    Empty(&'static str),
    Control(String),
    External(String),
    /// The message with which the program ends.
    Stop(Box<str>),
}

impl Fault {
    /// True if more steps, memory, tape or calls would have been needed.
    pub(crate) fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::Fuel(_) | Self::Tape(_) | Self::Memory { .. } | Self::Depth(_)
        )
    }

    /// The diagnostic, without its place. `name` gives the variable of an array by its descriptor.
    #[allow(
        clippy::too_many_lines,
        reason = "one arm per fault: code, message and help"
    )]
    pub(crate) fn diagnostic(&self, name: &dyn Fn(u16) -> Option<Named>) -> Diagnostic {
        let of = |array: &Option<u16>| {
            array
                .and_then(name)
                .map_or_else(|| "an array".to_owned(), |n| format!("'{}'", n.name))
        };
        match self {
            Self::Bounds {
                array,
                axis,
                index,
                lower,
                extent,
            } => {
                let role = array.and_then(name).and_then(|named| named.role);
                if let Some(problem) = role.and_then(|role| of_pointer(&role, *index, *extent)) {
                    return problem;
                }
                let bounds = bounds(*lower, *extent);
                Diagnostic::error(
                    &BOUNDS,
                    format!(
                        "subscript {} of {} is {index}, but the dimension {bounds}",
                        axis + 1,
                        of(array)
                    ),
                    "correct the subscript, or the extent of the array; an array of a point has as many elements as the \
                     point gives",
                )
            }
            Self::Uninitialised(what) => Diagnostic::error(
                &UNINITIALISED,
                format!("{what} depends on an uninitialised value"),
                "assign the variables it is computed from on every path to this place",
            ),
            Self::Overflow(what) => Diagnostic::error(
                &OVERFLOW,
                format!("{what} does not fit into 64 bits"),
                "compute with reals, or keep the operands smaller",
            ),
            Self::Range(what) => Diagnostic::error(
                &OVERFLOW,
                format!("{what} does not fit"),
                "use a wider type, or an operation that wraps",
            ),
            Self::Mark => Diagnostic::error(
                &MARK,
                format!(
                    "an operation gives {POISON_INT}, which is how the executor marks an integer without a value"
                ),
                "compute with other numbers, or run the program as compiled C (--engine cc)",
            ),
            Self::Division => Diagnostic::error(
                &DIVISION,
                "an integer is divided by 0",
                "guard the division with a branch",
            ),
            Self::Conversion(x, "integer") => Diagnostic::error(
                &CONVERSION,
                format!("{x:?} has no 64-bit integer value"),
                "check the operand of int() before the conversion",
            ),
            Self::Conversion(x, ty) => Diagnostic::error(
                &CONVERSION,
                format!("{x:?} has no {ty} value"),
                "check the operand before the conversion",
            ),
            Self::Step => Diagnostic::error(&STEP, "a step is 0", "give a step that is not 0"),
            Self::Case(value) => Diagnostic::error(
                &CASE,
                format!("no case contains {value} and there is no default arm"),
                "add the case or a default arm",
            ),
            Self::Fuel(limit) => Diagnostic::error(
                &FUEL,
                format!("the run was stopped after {limit} steps"),
                "if it is meant to take longer, raise the limit: --fuel N",
            ),
            Self::Tape(limit) => Diagnostic::error(
                &TAPE,
                format!("the tape needs more than {limit} bytes"),
                "raise the limit: --max-tape BYTES",
            ),
            Self::Disk { folder, error } => Diagnostic::error(
                &DISK,
                format!("a file in {folder}: {error}"),
                "name a folder with enough room: --disk FOLDER",
            ),
            Self::Checksum => Diagnostic::error(
                &CHECKSUM,
                "what is popped from disk is not what was pushed last",
                "pop the type and the number of elements that were pushed; if so, the file was changed",
            ),
            Self::Restart(message) => Diagnostic::error(
                &RESTART,
                message.clone(),
                "name other files: --restart FILE; or remove these, and the run begins anew",
            ),
            Self::Memory { limit } => Diagnostic::error(
                &MEMORY,
                format!("the run needs more than {limit} bytes of memory"),
                "raise the limit: --max-memory BYTES",
            ),
            Self::Depth(limit) => Diagnostic::error(
                &DEPTH,
                format!("more than {limit} calls are nested"),
                "if the recursion ends, raise the limit: --max-depth N",
            ),
            Self::Shape(message) => Diagnostic::error(
                &SHAPE,
                message.clone(),
                "make the extents equal, or use a section",
            ),
            Self::Absent(array) => Diagnostic::error(
                &ABSENT,
                array.and_then(name).map_or_else(
                    || "an optional argument is used but was not given".to_owned(),
                    |n| {
                        format!(
                            "the optional argument '{}' is used but was not given",
                            n.name
                        )
                    },
                ),
                "test present() first, or pass the argument",
            ),
            Self::Overlap(i, party) => overlap(*i, party),
            Self::Unallocated(array) => Diagnostic::error(
                &UNALLOCATED,
                format!("{} is used but has no shape yet", of(array)),
                "assign to the whole array first",
            ),
            Self::Empty(stack) => Diagnostic::error(
                &EMPTY,
                format!("the {stack} stack of the tape is empty"),
                "run the forward sweep that fills the tape first",
            ),
            Self::Control(message) => Diagnostic::error(
                &CONTROL,
                message.clone(),
                "declare more bits for this control value",
            ),
            Self::External(routine) => Diagnostic::error(
                &EXTERNAL,
                format!("the external routine '{routine}' has neither a value nor a callback"),
                "give it a value expression, or a callback in CompileOptions; or emit C, which calls it by its name",
            ),
            Self::Stop(text) => Diagnostic::error(
                &STOP,
                format!("the program stopped: {text}"),
                "choose arguments for which the program runs through, or mend what the message says",
            ),
        }
    }
}

impl Fault {
    /// The object that the pointer at fault leads to; null leads to none.
    pub(crate) fn pointed(&self, name: &dyn Fn(u16) -> Option<Named>) -> Option<Pointed> {
        let Self::Bounds {
            array,
            index,
            extent,
            ..
        } = self
        else {
            return None;
        };
        let named = array.and_then(name)?;
        let astray = match (named.role?, *index) {
            (NameRole::FirstCells | NameRole::ScratchFirstCells, index) => {
                Astray::said_by(index, *extent)?
            }
            (NameRole::LastCells | NameRole::ScratchLastCells, ..-1) => Astray {
                object: index.checked_neg()? - 1,
                of_other_type: false,
            },
            _ => return None,
        };
        Some(Pointed {
            array: named.global?,
            object: Some(astray.object).filter(|object| *object > 0)?,
            of_other_type: astray.of_other_type,
        })
    }
}

/// The fault of a pointer: `cfg_transform::pools` reads an entry that no table has where a pointer is invalid.
fn of_pointer(role: &NameRole, index: i64, extent: i64) -> Option<Diagnostic> {
    let pointer = |message: &str, help: &str| Some(Diagnostic::error(&POINTER, message, help));
    let null = || {
        pointer(
            "a null pointer is used",
            "test the pointer before it is used, or let it lead somewhere",
        )
    };
    if matches!(role, NameRole::FirstCells | NameRole::ScratchFirstCells)
        && let Some(astray) = Astray::said_by(index, extent)
    {
        return match astray {
            Astray { object: 0, .. } => null(),
            Astray {
                of_other_type: true,
                ..
            } => pointer(
                "a pointer is used that leads to cells of its object that have another type",
                "correct the pointer or the subscript behind it: it leads to another field",
            ),
            Astray { .. } => pointer(
                "a pointer is used that leads outside of its object, or to one that has ended",
                "correct the pointer or the subscript behind it, or end the object later",
            ),
        };
    }
    match (role, index) {
        (NameRole::Cells | NameRole::ScratchCells, 0) => null(),
        (
            NameRole::FirstCells
            | NameRole::LastCells
            | NameRole::ScratchFirstCells
            | NameRole::ScratchLastCells,
            -1,
        ) => Some(Diagnostic::error(
            &HEAP,
            format!(
                "there is no room for an object that is allocated or declared, or its size is negative: pools have {} cells",
                extent - 1
            ),
            "if the size is meant, make the pools larger: --heap CELLS",
        )),
        (NameRole::FirstCells | NameRole::ScratchFirstCells, ..-1) => pointer(
            "pointers to different objects are subtracted or ordered",
            "compare them for equality only, or let both lead into one object",
        ),
        (NameRole::LastCells | NameRole::ScratchLastCells, ..-1) => pointer(
            "what is freed is not the beginning of an object on the heap, or it has ended",
            "free each object that was allocated once, by a pointer to its first element",
        ),
        _ => None,
    }
}

/// The bounds of a dimension, in words.
fn bounds(lower: i64, extent: i64) -> String {
    if extent <= 0 {
        return "is empty".to_owned();
    }
    let upper = i128::from(lower) + i128::from(extent) - 1;
    format!("has bounds {lower} to {upper}")
}

fn overlap(i: usize, party: &Party) -> Diagnostic {
    match party {
        Party::Argument(j) => Diagnostic::error(
            &OVERLAP,
            format!(
                "arguments {} and {} of the call overlap, and one of them is written",
                i + 1,
                j + 1
            ),
            "pass a copy of one of them, or mark the routine as aliased",
        ),
        Party::Global(name) => Diagnostic::error(
            &OVERLAP,
            format!(
                "argument {} of the call overlaps the global '{name}', which the routine uses, and one of them is written",
                i + 1
            ),
            "pass a copy, or mark the routine as aliased",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_of_this_area() {
        let mut codes: Vec<_> = CODES.iter().map(|c| c.code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), CODES.len());
        assert!(codes.iter().all(|c| c.starts_with("X2")));
    }

    #[test]
    fn the_reserved_integer_is_named_correctly() {
        assert!(
            UNINITIALISED
                .explanation
                .contains(&crate::cell::POISON_INT.to_string())
        );
    }

    #[test]
    fn upper_bound_is_printed_without_overflow() {
        let fault = Fault::Bounds {
            array: None,
            axis: 0,
            index: 7,
            lower: 3,
            extent: 2,
        };
        let message = fault.diagnostic(&|_| None).message;
        assert!(
            message.contains("is 7") && message.contains("3 to 4"),
            "{message}"
        );
    }
}
