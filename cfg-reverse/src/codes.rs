//! Diagnostics of the transformations, R3xx.

use cfg_core::diagnostic::CodeInfo;

/// An expression or statement without a derivative rule.
pub const EXPRESSION: CodeInfo = CodeInfo {
    code: "R301",
    title: "no derivative rule",
    rule: "every statement on the way from an independent to a dependent has a derivative rule",
    explanation: "rewrite the statement as the message says, or take the variable out of the \
                  independents",
};

/// The adjoint of an adjoint.
pub const TAPE: CodeInfo = CodeInfo {
    code: "R302",
    title: "adjoint of a routine with a tape",
    rule: "a routine that pushes or pops can be differentiated in tangent mode only",
    explanation: "for second derivatives take the tangent of the adjoint, or the adjoint of the \
                  tangent",
};

/// An external routine without derivatives.
pub const EXTERNAL: CodeInfo = CodeInfo {
    code: "R303",
    title: "external routine without derivatives",
    rule: "an external routine between independents and dependents gives a value expression, \
           partials, or derivative routines",
    explanation: "give `external.partials`, or `derivatives.adjoint` and `derivatives.tangent`; for a \
                  function of C: --external 'g partial(x: ...)', adjoint(g_b) and tangent(g_t), or --no-diff g",
};

/// A shape that changes while the routine runs.
pub const EXTENT: CodeInfo = CodeInfo {
    code: "R305",
    title: "shape depends on a variable that the routine changes",
    rule: "variables in lower bounds and extents keep their values while the routine runs",
    explanation: "copy the variable to another one and change that",
};

/// Nothing to differentiate.
pub const NOTHING: CodeInfo = CodeInfo {
    code: "R307",
    title: "no independents or no dependents",
    rule: "a routine that is differentiated names at least one real independent and one real \
           dependent",
    explanation: "declare `independents` and `dependents` in the file, or choose them on the command \
                  line",
};

/// A routine without body.
pub const NO_BODY: CodeInfo = CodeInfo {
    code: "R308",
    title: "routine without a body",
    rule: "the routine that is differentiated has a body",
    explanation: "choose another routine",
};

/// A given derivative routine that cannot be called.
pub const GIVEN: CodeInfo = CodeInfo {
    code: "R309",
    title: "given derivative routine that cannot do its work",
    rule: "a routine with a given derivative reaches active variables through its parameters only; \
           what a given derivative routine may write is not an optional parameter of its caller",
    explanation: "pass the global as a parameter, and declare parameters that the given routine does \
                  not write as `in`",
};

/// A function whose result has no shape before the call.
pub const RESULT: CodeInfo = CodeInfo {
    code: "R310",
    title: "result without a known shape",
    rule: "the extents of a function's result are made of constants, scalar parameters and globals, and \
           extents of parameters",
    explanation: "declare the extents of the result, or return the array in an `out` parameter",
};

/// Independents that share cells.
pub const SHARED: CodeInfo = CodeInfo {
    code: "R311",
    title: "independents that share cells",
    rule: "no cell belongs to two independents: globals that lie over each other are not both independent",
    explanation: "name only one of them, or the global that owns the storage",
};

/// A derivative that decides where a program goes on.
pub const DIRECTIONS: CodeInfo = CodeInfo {
    code: "R313",
    title: "control that depends on derivatives",
    rule: "in several directions at once no decision, subscript, extent or integer depends on a derivative, a function whose \
           result is one has no effects, and an array lies in the order of a parameter that takes its extents",
    explanation: "take one direction after the other, or give arrays and parameters the same `order`",
};

/// A state that cannot be kept.
pub const CHECKPOINT: CodeInfo = CodeInfo {
    code: "R314",
    title: "state of a checkpoint that cannot be kept",
    rule: "the part with a checkpoint changes no optional parameter, no tape, and no array that gets its shape by \
           assignment outside of it",
    explanation: "declare the array with extents, pass the parameter always, or take the checkpoint away: the part is \
                  recorded then",
};

/// A promise about a loop that does not hold.
pub const PROMISED: CodeInfo = CodeInfo {
    code: "R315",
    title: "iterations that are not independent",
    rule: "no iteration of a loop with `$AD II-LOOP` reads a cell that another one assigns, but for sums",
    explanation: "take the directive away: cfgrev finds by itself which iterations are independent",
};

/// A transformation has built what it must not build.
pub const DEFECT: CodeInfo = CodeInfo {
    code: "R312",
    title: "defect in a transformation",
    rule: "every graph that a transformation builds keeps the rules of graphs",
    explanation: "this is a defect of cfgrev, not of your program: please report it together with the \
                  input",
};

/// All codes of this crate.
pub const CODES: &[CodeInfo] = &[
    EXPRESSION, TAPE, EXTERNAL, EXTENT, NOTHING, NO_BODY, GIVEN, RESULT, SHARED, DEFECT,
    DIRECTIONS, CHECKPOINT, PROMISED,
];
