//! Diagnostics of points, seeds and directions.

use cfg_core::diagnostic::{CodeInfo, Diagnostic, Diagnostics};

cfg_core::diagnostic_codes! {
    /// Every code of this crate.
    pub CODES of pub(crate) codes;
    UNKNOWN "P412" "unknown name"
        "POINT names parameters of the routine and global variables of the program; SEED names dependents, a direction independents."
        "Locals have no value at entry, so they cannot be given. A function's result is called \"return\" in SEED.";
    MISSING "P414" "a value is missing"
        "Every parameter has a value in POINT, unless it is optional, or has intent out and a shape that can be computed from the others."
        "An out parameter of assumed shape needs its extents only: {\"y\": {\"size\": 5}}, or {\"y\": {\"size\": [2, 3]}} for a matrix. So can the values of any output array be left out. Global variables start with the values that the program gives them.";
    TYPE "P415" "wrong type of value"
        "A real takes a number or \"NaN\", \"inf\", \"-inf\"; an integer takes a number without fraction and exponent, within 64 bits; a logical takes true or false, or 1 or 0."
        "Numbers for integers are read exactly, so 3.0 and 3e0 are refused: write 3. Tapes cannot be given; they start empty.";
    SHAPE "P416" "wrong shape"
        "An array is nested as deeply as it has dimensions, the first subscript outermost; all rows of a dimension have the same length; the lengths are those that the routine declares."
        "A matrix with 2 rows and 3 columns is [[1, 2, 3], [4, 5, 6]], whatever its storage order. Extents that depend on parameters are computed from their values in the same POINT.";
    SEED "P417" "a seed is needed"
        "Without SEED there is exactly one dependent, a scalar or an array of one element; its adjoint is 1."
        "A gradient is of one number. Optional dependents that POINT leaves out do not count, nor do arrays without elements, as null pointers are. Of several dependents name one, --dependent y, or say which combination of them, as of an array: --seed '{\"y\": [0, 0, 1]}' gives the gradient of y(3).";
    NOTHING "P418" "nothing to differentiate"
        "The routine has at least one independent and one dependent variable, of real type, and POINT does not leave all of them out."
        "Declare them in the file (lines `independent x` and `dependent y` in the text form, members \"independents\" and \"dependents\" in JSON), or name them with --independent and --dependent.";
    TOO_LARGE "P419" "too large"
        "Each value fits into the memory that a run may use."
        "Extents of out parameters are computed from the others; a wrong one can ask for more memory than there is. The limit is --max-memory.";
    VARIABLE "P420" "cannot be differentiated"
        "Independents and dependents are real parameters or global variables of the routine; the result of a function is a dependent."
        "Independents need a value at entry, dependents one at exit. Integers and logicals have no derivatives.";
    FOLDER "P421" "folder cannot be run"
        "A corpus is a folder of .xaif files, with expected.jsonl beside them or without."
        "The folder does not exist or cannot be read, has no .xaif file, or a line of its expected.jsonl is not an object with name, n, m and jacobian.";
    DERIVATIVES "P422" "derivatives that do not fit"
        "A seed has one value for each dependent that the point has, a direction one for each independent, in the order of the declarations and in their types and shapes."
        "An optional parameter that POINT leaves out has no derivative. Only programs that use the library get to see this.";
    SIZE "P423" "an extent that cannot be given"
        "--size NAME=EXPR gives an array parameter of the routine the extents that its declaration leaves open, as integers over parameters that the routine does not assign."
        "Of an array with several dimensions all stand in brackets, `:` for one that the declaration has: --size 'x=[n, :]'. The expression may name in parameters and the sizes of other arrays; it has the value that it has at entry.";
    SAME_AS "P424" "a pointer that is the same as another"
        "In POINT {\"same_as\": NAME, \"offset\": k} stands for a parameter that is a pointer: it leads to the k-th element of what NAME leads to, a pointer of the same type that is given by an array; k counts from 0 and lies within the object, or is its end."
        "Without an offset it is 0. NAME is not given by same_as itself. Arrays of scalars in one dimension with an open extent, as front ends make of pointers, may be parts of each other in the same way. In results and gradients such a parameter is left out: what is there is in those of NAME. Pointers within what others lead to have objects of their own, or the numbers of records that lead to their like. Programs that use the library make the program for it first: cfg_drive::prepare.";
    CROSSED "P430" "differences cross a branch or a kink"
        "Divided differences say something about a derivative only if the function is smooth between the two points."
        "The perturbed runs took another path through the program, or the point itself is at a kink (such as abs at 0). The comparison with differences has been left out; the dot-product test does not need it. Move the point a little to have it made. If nothing at all could be compared, `check` ends with exit code 3 (P434).";
    KINK "P431" "a kink or singular point was met"
        "At a kink, the derivative is that of the branch taken; at a singular point, partials follow IEEE arithmetic."
        "Reported because --report-kinks asks for it. The table of elemental functions (`cfgrev explain elementals`) says for each function what happens where.";
    DISAGREE "P432" "derivatives disagree"
        "Adjoint and tangent agree to rounding, and the tangent agrees with divided differences."
        "The two are computed by different programs, so a gap means a defect of cfgrev, a wrong derivative given with an external routine, a program that reads what an out parameter held before, or numbers so large or small that one of the two leaves the range of its type on the way. Programs with anything of 32 bits are held to what 32 bits can do, and derivatives that are infinite or NaN in both only to that (P433). Please report a gap if your program gives no derivatives of its own.";
    NOT_FINITE "P433" "derivatives that are not finite"
        "Infinite and NaN derivatives are compared as such: the same infinity, or NaN twice, in adjoint and tangent."
        "At this point some derivatives are infinite or NaN, because of a singular point (such as sqrt at 0) or an overflow. Such values are no evidence that the program around them is differentiated rightly. Choose another point to have it checked.";
    NOTHING_COMPARED "P434" "no difference could be compared"
        "A check says that derivatives agree only if divided differences could be compared for at least one element of the dependents."
        "Every difference crossed a branch or a kink (P430), drowned in rounding, or was not finite, so `agrees` is null and the exit code 3: adjoint and tangent agree with each other, but a mistake that both share, such as a wrong partial of an external routine, would not be seen. Choose another point: away from kinks, with dependents that are not much larger than what the independents contribute, and with numbers far from overflow and underflow.";
    NOT_RUN "P435" "a run for differences was stopped by a limit"
        "Divided differences need runs of the program itself that record the vertices visited, within the same limits."
        "Such a run takes more memory than one without a record, so it may be stopped where tangent and adjoint were not. What it was needed for is not compared: if that is everything, `agrees` is null and the exit code 3. Raise the limit that the message names.";
    NOT_DIFFERENTIABLE "P436" "not differentiable here"
        "A derivative is finite where the value is."
        "At a singular point, such as sqrt or a power below 1 at 0, a norm of zeros, acos at 1, there is no derivative, or it is infinite; partials follow IEEE arithmetic, so that infinities and NaN come out. Where the tangent is 0 times infinity, adjoint and tangent may differ. `check` cannot say anything then (exit code 3). Guard the operation: `s > 0.0 ? sqrt(s) : 0.0` has the derivative 0 at 0. Or choose another point. If no operation is named, a derivative overflows on the way.";
}

/// One problem that has no place in a text.
pub(crate) fn general(
    info: &CodeInfo,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Diagnostics {
    Diagnostic::error(info, message, help).into()
}

/// One problem at a place of a POINT, SEED or direction; the empty pointer is the whole text.
pub(crate) fn problem(
    info: &CodeInfo,
    message: impl Into<String>,
    help: impl Into<String>,
    pointer: impl Into<String>,
) -> Diagnostics {
    Diagnostic::error(info, message, help)
        .at_pointer(pointer)
        .into()
}

/// The value of a record is no object.
pub(crate) fn no_record(place: impl Into<String>) -> Diagnostics {
    let help = "write an object with its fields";
    problem(&TYPE, "a record is expected here", help, place)
}

/// The value of a record lacks a field.
pub(crate) fn no_field(field: &str, place: impl Into<String>) -> Diagnostics {
    let message = format!("a record has no value for its field {field}");
    problem(&MISSING, message, format!("add \"{field}\""), place)
}
