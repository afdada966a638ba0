//! Problems of programs that just break a rule, and none of programs that just keep it.

use cfg_core::{
    diagnostic::site::Step,
    entity::{GlobalId, RecordId, RoutineId, VarId},
    flat::refuse_pointers,
    ir::{
        Expr, LoopTest, NameOrigin, NameRole, Op, Order, Program, Role, ScalarType, StmtKind,
        VertexKind,
    },
    validate::validate,
};
use cfg_testkit::golden::golden;

use crate::rules::{found, read};

/// The codes of all problems of a program.
fn codes(source: &str) -> Vec<&'static str> {
    let found = found(&read(source));
    found.iter().map(|problem| problem.code).collect()
}

/// The problems of a program, each as its code and its message.
fn said(source: &str) -> Vec<String> {
    messages(&read(source))
}

fn messages(program: &Program) -> Vec<String> {
    let found = found(program);
    let said = found.iter().map(|p| format!("{} {}", p.code, p.message));
    said.collect()
}

/// A result is assigned to a place of its type and rank, a scalar to all elements of an array.
#[test]
fn what_results_of_calls_are_assigned_to() {
    let source = |part: &str| {
        format!(
            "function scalar() result real r
  r := 1.0
end
function list() result real r[3]
  r := 1.0
end
function table() result real r[2, 2]
  r := 1.0
end
function number() result integer r
  r := 1
end
main subroutine f(inout real x, inout real v[3], inout real m[2, 2], inout integer n, in real k)
  {part}
end
"
        )
    };
    for (part, expected) in [
        ("x := call scalar()", &[][..]),
        ("v := call scalar()", &[]),
        ("m := call scalar()", &[]),
        ("n := call scalar()", &["V149"]),
        ("v[1] := call scalar()", &[]),
        ("v[1:2] := call scalar()", &[]),
        ("x := call list()", &["V149"]),
        ("v := call list()", &[]),
        ("m := call list()", &["V149"]),
        ("n := call list()", &["V149"]),
        ("v[1] := call list()", &["V149"]),
        ("v[1:2] := call list()", &[]),
        ("x := call table()", &["V149"]),
        ("v := call table()", &["V149"]),
        ("m := call table()", &[]),
        ("n := call table()", &["V149"]),
        ("v[1] := call table()", &["V149"]),
        ("v[1:2] := call table()", &["V149"]),
        ("x := call number()", &["V149"]),
        ("v := call number()", &["V149"]),
        ("m := call number()", &["V149"]),
        ("n := call number()", &[]),
        ("v[1] := call number()", &["V149"]),
        ("v[1:2] := call number()", &["V149"]),
        ("k := call scalar()", &["V140"]),
    ] {
        assert_eq!(codes(&source(part)), expected, "{part}");
    }
}

/// A tape that is only read takes one that is only read; elements and sections are not counted.
#[test]
fn what_formals_of_tapes_and_smaller_arrays_take() {
    let source = |part: &str| {
        format!(
            "subroutine reads(in tape a)
end
subroutine writes(inout tape a)
end
subroutine four(in real a[4])
end
main subroutine f(inout real x, inout real v[3], in tape t, inout tape u)
  call {part}
end
"
        )
    };
    for (part, expected) in [
        ("reads(t)", &[][..]),
        ("reads(u)", &[]),
        ("reads(1.0)", &["V148"]),
        ("writes(t)", &["V140"]),
        ("writes(u)", &[]),
        ("four(v)", &["V147"]),
        ("four(v[2])", &[]),
        ("four(v[1:2])", &[]),
    ] {
        assert_eq!(codes(&source(part)), expected, "{part}");
    }
}

/// The index of a counted loop is an integer scalar that may be written.
#[test]
fn indices_are_integer_scalars() {
    let source = |part: &str| {
        format!(
            "main subroutine f(in integer n, inout integer is[2], in real r, inout real y)
  local integer k
  local int8 s
  local real t
  {part}
    y := 2.0*y
  end
end
"
        )
    };
    for (part, expected) in [
        ("for k = 1, 3", &[][..]),
        (
            "for is = 1, 3",
            &["V142 the index is is an integer array of rank 1"],
        ),
        ("for s = 1, 3", &["V142 the index s is an int8 scalar"]),
        ("for t = 1, 3", &["V142 the index t is a real scalar"]),
        ("for n = 1, 3", &["V140 the in parameter n is written"]),
        ("forloop k = 3, 1, -1", &[]),
        ("for k = 1, 3, 0", &["V143 the step of the loop is 0"]),
        ("for k = 3, 1, -1", &[]),
    ] {
        assert_eq!(said(&source(part)), expected, "{part}");
    }
}

/// For ranges that overlap, the message has the arms and the values that both cover.
#[test]
fn cases_that_overlap() {
    let source = |part: &str| {
        format!(
            "main subroutine f(in integer k, inout real y)
  select k
  case default
    y := 0.0
  {part}
    y := 1.0
  end
end
"
        )
    };
    for (part, expected) in [
        ("case 3", &[][..]),
        ("case 3..3", &[]),
        ("case 4..3", &["V110 arm 2 has the empty range 4..3"]),
        ("case 1, 1", &["V110 value 1 chooses arm 2 and arm 2"]),
        (
            "case 1..3\n y := 2.0\n case 3..5",
            &["V110 value 3 chooses arm 2 and arm 3"],
        ),
        ("case 1..3\n y := 2.0\n case 4..5", &[]),
        (
            "case 1..5\n y := 2.0\n case 2..7",
            &["V110 each of 2..5 chooses arm 2 and arm 3"],
        ),
        (
            "case 1..9\n y := 2.0\n case 2..3\n y := 3.0\n case 5..6",
            &[
                "V110 each of 2..3 chooses arm 2 and arm 3",
                "V110 each of 5..6 chooses arm 2 and arm 4",
            ],
        ),
        (
            "case 1..5\n y := 2.0\n case 2..5\n y := 3.0\n case 3..5",
            &[
                "V110 each of 2..5 chooses arm 2 and arm 3",
                "V110 each of 3..5 chooses arm 2 and arm 4",
            ],
        ),
        ("case ..0\n y := 2.0\n case 1..", &[]),
        (
            "case ..0\n y := 2.0\n case 0..",
            &["V110 value 0 chooses arm 2 and arm 3"],
        ),
        (
            "case 1..4\n y := 2.0\n case 2\n y := 3.0\n case 4..5",
            &[
                "V110 value 2 chooses arm 2 and arm 3",
                "V110 value 4 chooses arm 2 and arm 4",
            ],
        ),
        (
            "case 2\n y := 2.0\n case 2..4",
            &["V110 value 2 chooses arm 2 and arm 3"],
        ),
        (
            "case 5..6\n y := 2.0\n case 1..9",
            &["V110 each of 5..6 chooses arm 3 and arm 2"],
        ),
        (
            "case default",
            &["V111 arm 2 is the default, and arm 1 is too"],
        ),
    ] {
        assert_eq!(said(&source(part)), expected, "{part}");
    }
}

/// A tangent has the parameters of its original and the result, then the derivatives of reals and tapes, and may write
/// every variable that the original writes.
#[test]
fn routines_that_are_tangents() {
    let source = |part: &str| {
        format!(
            "main function f(in real x, in integer n, inout tape t, in real v[2]) result real y
  tangent d
  y := x
end
subroutine d({part})
end
"
        )
    };
    for (part, expected) in [
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, in real xd, inout tape td, in real vd[2], inout real yd",
            &[][..],
        ),
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, inout real xd, inout tape td, in real vd[3], inout real yd",
            &[],
        ),
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, in real xd, inout tape td, in real vd[2], in real yd",
            &[
                "V153 parameter yd of d, which stands for the derivative of y, has another type, rank or intent",
            ],
        ),
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, in real xd, in tape td, in real vd[2], inout real yd",
            &[
                "V153 parameter td of d, which stands for the derivative of t, has another type, rank or intent",
            ],
        ),
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, in real xd, in real vd[2], inout real yd",
            &["V153 d has 8 parameters, it must have 9"],
        ),
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, in real xd, inout tape td, in real vd[2], inout real yd, in real z",
            &["V153 d has 10 parameters, it must have 9"],
        ),
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, in real32 xd, inout tape td, in real vd[2], inout real yd",
            &[
                "V153 parameter xd of d, which stands for the derivative of x, has another type, rank or intent",
            ],
        ),
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, in real xd, inout tape td, in real vd, inout real yd",
            &[
                "V153 parameter vd of d, which stands for the derivative of v, has another type, rank or intent",
            ],
        ),
        (
            "in real x, in integer n, inout tape t, in real v[2], in real y, in real xd, inout tape td, in real vd[2], inout real yd",
            &["V153 parameter y of d, which stands for y, has another type, rank or intent"],
        ),
        (
            "inout real x, inout integer n, inout tape t, inout real v[2], inout real y, in real xd, inout tape td, in real vd[2], inout real yd",
            &[],
        ),
        (
            "in real x, in integer n, in tape t, in real v[2], inout real y, in real xd, inout tape td, in real vd[2], inout real yd",
            &["V153 parameter t of d, which stands for t, has another type, rank or intent"],
        ),
    ] {
        assert_eq!(said(&source(part)), expected, "{part}");
    }
}

/// An adjoint has the parameters of its original and the result, of any intent, then the derivatives of reals, which
/// are inout.
#[test]
fn routines_that_are_adjoints() {
    let source = |part: &str| {
        format!(
            "main function f(in real x, in integer n, inout tape t, in real v[2]) result real y
  adjoint d
  y := x
end
subroutine d({part})
end
"
        )
    };
    for (part, expected) in [
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, inout real xd, inout real vd[2], inout real yd",
            &[][..],
        ),
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, inout real xd, inout tape td, inout real vd[2], inout real yd",
            &["V153 d has 9 parameters, it must have 8"],
        ),
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, in real xd, inout real vd[2], inout real yd",
            &[
                "V153 parameter xd of d, which stands for the derivative of x, has another type, rank or intent",
            ],
        ),
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, inout real xd, inout real vd[2], in real yd",
            &[
                "V153 parameter yd of d, which stands for the derivative of y, has another type, rank or intent",
            ],
        ),
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, inout real xd, inout real vd, inout real yd",
            &[
                "V153 parameter vd of d, which stands for the derivative of v, has another type, rank or intent",
            ],
        ),
        (
            "in real x, in integer n, inout tape t, in real v[2], inout real y, inout real xd, inout real vd[2], inout integer yd",
            &[
                "V153 parameter yd of d, which stands for the derivative of y, has another type, rank or intent",
            ],
        ),
        (
            "inout real x, inout integer n, in tape t, inout real v[2], in real y, inout real xd, inout real vd[2], inout real yd",
            &[],
        ),
        (
            "in real x, in real n, inout tape t, in real v[2], inout real y, inout real xd, inout real vd[2], inout real yd",
            &["V153 parameter n of d, which stands for n, has another type, rank or intent"],
        ),
    ] {
        assert_eq!(said(&source(part)), expected, "{part}");
    }
}

/// Extents may name variables with a value at entry, and the extents of an out parameter.
#[test]
fn extents_of_what_is_known_at_entry() {
    let source = |part: &str| {
        format!(
            "global integer g
main subroutine f(in integer n, inout integer b, out integer o, in integer iv[3], out real w[n])
  uses g
  local real {part}
  w := 1.0
  o := 1
end
"
        )
    };
    for (part, expected) in [
        ("z[n]", &[][..]),
        ("z[b]", &[]),
        ("z[o]", &["V126"]),
        ("z[g]", &[]),
        ("z[iv[1]]", &[]),
        ("z[iv]", &["V126"]),
        ("z[size(w, 1)]", &[]),
        ("z[3 from n]", &[]),
        ("z[3 from o]", &["V126"]),
        ("z[3 from size(w)]", &[]),
    ] {
        assert_eq!(codes(&source(part)), expected, "{part}");
    }
}

/// Independents bring reals in and dependents bring them out.
#[test]
fn what_is_differentiated() {
    let source = |part: &str| {
        format!(
            "record R
  real a
end
record I
  integer a
end
record L
  ^record L next
  real a
end
global real g
main function f(in real x, inout real xy, out real y, in integer n, in ^real p, in ^integer q, in record R r, in record I i, in record L l) result real z
  {part}
  uses g
  local real t
  local ^real lp
  y := x
  z := x
  xy := x
  t := x
end
"
        )
    };
    for (part, expected) in [
        ("independent x", &[][..]),
        ("independent xy", &[]),
        (
            "independent y",
            &["V128 the independent y is an out parameter"],
        ),
        ("independent n", &["V128 the independent n is integer"]),
        ("independent p", &[]),
        ("independent q", &["V128 the independent q is pointer"]),
        ("independent r", &[]),
        ("independent i", &["V128 the independent i is record"]),
        ("independent l", &[]),
        (
            "independent z",
            &["V128 the independent z is a local variable"],
        ),
        (
            "independent t",
            &["V128 the independent t is a local variable"],
        ),
        (
            "independent lp",
            &["V128 the independent lp is a local variable"],
        ),
        (
            "dependent x",
            &[
                "V128 the dependent x is an in parameter",
                "V154 nothing assigns the dependent x",
            ],
        ),
        ("dependent xy", &[]),
        ("dependent y", &[]),
        (
            "dependent n",
            &[
                "V128 the dependent n is integer",
                "V154 nothing assigns the dependent n",
            ],
        ),
        ("dependent p", &[]),
        ("dependent q", &["V128 the dependent q is pointer"]),
        (
            "dependent r",
            &[
                "V128 the dependent r is an in parameter",
                "V154 nothing assigns the dependent r",
            ],
        ),
        (
            "dependent i",
            &[
                "V128 the dependent i is record",
                "V154 nothing assigns the dependent i",
            ],
        ),
        ("dependent l", &["V154 nothing assigns the dependent l"]),
        ("dependent z", &[]),
        ("dependent t", &["V128 the dependent t is a local variable"]),
        (
            "dependent lp",
            &["V128 the dependent lp is a local variable"],
        ),
        (
            "independent x, x",
            &["V128 the independent x is listed twice"],
        ),
        (
            "dependent y, xy, y",
            &["V128 the dependent y is listed twice"],
        ),
    ] {
        assert_eq!(said(&source(part)), expected, "{part}");
    }
}

/// The value has the type of the result, a partial that of the result and the rank of the parameter or the result;
/// both name parameters.
#[test]
fn values_and_partials_of_external_routines() {
    let source = |part: &str| {
        format!(
            "global real g
main subroutine f(in real x, out real y)
  y := x
end
external {part}
end
"
        )
    };
    for (part, expected) in [
        ("subroutine h(in real a)", &[][..]),
        (
            "subroutine h(in real a)\n  value a",
            &["V131 a routine without result has a value or partials"],
        ),
        (
            "subroutine h(in real a)\n  partial a: 1.0",
            &["V131 a routine without result has a value or partials"],
        ),
        (
            "subroutine h(in real a)\n  partials 0",
            &["V131 a routine without result has a value or partials"],
        ),
        (
            "function h(in real a, in integer n, in real v[3]) result real r\n  value a\n  partial a: 1.0",
            &[],
        ),
        (
            "function h(in real a, in integer n, in real v[3]) result real r\n  value v",
            &["V131 the value is a real array of rank 1, it must be a real scalar"],
        ),
        (
            "function h(in real a, in integer n, in real v[3]) result real r\n  value n",
            &["V131 the value is an integer scalar, it must be a real scalar"],
        ),
        (
            "function h(in real a, in integer n, in real v[3]) result real r\n  value r",
            &["V131 the expression uses r, which is not a parameter"],
        ),
        (
            "function h(in real a, in integer n, in real v[3]) result real r\n  partial n: 1.0",
            &["V131 n is not a real parameter, or has two partials"],
        ),
        (
            "function h(in real a, in integer n, in real v[3]) result real r\n  partial r: 1.0",
            &["V131 r is not a real parameter, or has two partials"],
        ),
        (
            "function h(in real a, in integer n, in real v[3]) result real r\n  partial v: v",
            &[],
        ),
        (
            "function h(in real a, in integer n, in real v[3]) result real r\n  partial v: 1.0",
            &[],
        ),
        (
            "function h(in real a, in integer n, in real v[3]) result real r\n  partial a: v",
            &[
                "V131 the partial with respect to a is a real array of rank 1, it must be a real scalar",
            ],
        ),
        (
            "function h(in real a, in integer n, in real v[3]) result real r\n  partial a: n",
            &["V131 the partial with respect to a is an integer scalar, it must be a real scalar"],
        ),
        (
            "function h(in real a, in integer n, in real v[3]) result real r\n  partial a: r",
            &["V131 the expression uses r, which is not a parameter"],
        ),
        (
            "function h(in real a, in integer n, in real v[3]) result real r\n  partial a: 1.0\n  partial v: v",
            &[],
        ),
        (
            "function h(in real a, in integer n, in real v[3]) result real r\n  partial a: 1.0\n  partial a: 1.0",
            &["V131 a is not a real parameter, or has two partials"],
        ),
        (
            "function h(in real a, in real m[3, 3]) result real r[3]\n  value a",
            &[],
        ),
        (
            "function h(in real a, in real m[3, 3]) result real r[3]\n  value m[1, :]",
            &[],
        ),
        (
            "function h(in real a, in real m[3, 3]) result real r[3]\n  value m",
            &["V131 the value is a real array of rank 2, it must be a real array of rank 1"],
        ),
        (
            "function h(in real a, in real m[3, 3]) result real r[3]\n  partial a: 1.0",
            &[],
        ),
        (
            "function h(in real a, in real m[3, 3]) result real r[3]\n  partial a: m[1, :]",
            &[],
        ),
        (
            "function h(in real a, in real m[3, 3]) result real r[3]\n  partial m: m",
            &["V131 m of rank 2 has no partial of a result of rank 1"],
        ),
        (
            "function h(in real a, in real m[3, 3]) result real r[3]\n  partial m: m[1, :]",
            &["V131 m of rank 2 has no partial of a result of rank 1"],
        ),
        (
            "function h(in real a, in real v[4]) result real r[3]\n  value v[1:3]\n  partial a: v[2:4]",
            &[],
        ),
        (
            "function h(in real a, in real v[4]) result real r[3]\n  value v",
            &["V135 the value has extent 4 where the extent must be 3"],
        ),
        (
            "function h(in real a, in real v[4]) result real r[3]\n  partial a: v",
            &["V135 the partial with respect to a has extent 4 where the extent must be 3"],
        ),
        (
            "function h(in real a, in real v[4]) result real r\n  partial v: v[1:3]",
            &["V135 the partial with respect to v has extent 3 where the extent must be 4"],
        ),
        (
            "function h(in real a, in real v[4]) result real r[3]\n  partial v: 1.0",
            &[
                "V131 v has extent 4 where the result has 3: there is no partial of elements that have no like",
            ],
        ),
        (
            "function h(in real a, in real v[4]) result real r[3]\n  partial v: v",
            &[
                "V131 v has extent 4 where the result has 3: there is no partial of elements that have no like",
            ],
        ),
    ] {
        assert_eq!(said(&source(part)), expected, "{part}");
    }
}

/// Globals have one value, or one for each element; only who owns a storage has values.
#[test]
fn globals_and_their_values() {
    let source = |part: &str| {
        format!(
            "record R
  real x
  ^real p
  uint8 k[2]
end
global {part}
main subroutine f(in real x, out real y)
  y := x
end
"
        )
    };
    for (part, expected) in [
        ("real g[3] = 1.0", &[][..]),
        ("real g[3] = 1.0, 2.0, 3.0", &[]),
        (
            "real g[3] = 1.0, 2.0",
            &["V129 there are 2 initial values for 3 elements"],
        ),
        (
            "real g = 1.0, 2.0",
            &["V129 there are 2 initial values for 1 elements"],
        ),
        ("real g = -1.0", &[]),
        ("integer g = -1", &[]),
        ("real32 g = -1.0f", &[]),
        (
            "real g = 1",
            &["V129 an initial value is not a constant of type real"],
        ),
        (
            "integer g = 1.0",
            &["V129 an initial value is not a constant of type integer"],
        ),
        (
            "real32 g = 1.0",
            &["V129 an initial value is not a constant of type real32"],
        ),
        ("logical g = true", &[]),
        (
            "logical g = 1",
            &["V129 an initial value is not a constant of type logical"],
        ),
        ("uint8 g = uint8(3)", &[]),
        (
            "uint8 g = 3",
            &["V129 an initial value is not a constant of type uint8"],
        ),
        (
            "int8 g = uint8(3)",
            &["V129 an initial value is not a constant of type int8"],
        ),
        (
            "integer g = uint8(3)",
            &["V129 an initial value is not a constant of type integer"],
        ),
        ("^real g = null(real)", &[]),
        (
            "^real g = null(integer)",
            &["V129 an initial value is not a constant of type pointer"],
        ),
        ("tape g", &["V125 a global is a tape"]),
        ("record R g", &[]),
        ("record R g = 1.0, null(real), uint8(1), uint8(2)", &[]),
        ("record R g = 1.0, null(real), uint8(1)", &[]),
        (
            "record R g = 1.0, 2.0, uint8(1), uint8(2)",
            &["V129 an initial value is not a constant of the type of its field"],
        ),
        ("record R g[2] = 1.0, null(real), uint8(1)", &[]),
        (
            "record R g = 1.0",
            &["V129 there are 1 initial values for a record of 3 fields"],
        ),
        ("real a[4]\nglobal real b[2] overlays a at 2", &[]),
        (
            "real a[4]\nglobal real b[2] overlays a at 3",
            &["V130 from offset 3 on it does not fit into a with 4 elements"],
        ),
        (
            "real a[4]\nglobal real b[2] overlays a at 1\nglobal real c overlays b at 0",
            &["V130 b does not own its storage"],
        ),
        (
            "real a overlays a at 0",
            &["V130 a does not own its storage"],
        ),
        ("real a[4] = 1.0\nglobal real b[2] overlays a at 2", &[]),
        ("real a[4]\nglobal real b[2] = 1.0 overlays a at 2", &[]),
        (
            "real a[4] = 1.0\nglobal real b[2] = 1.0 overlays a at 2",
            &["V129 both it and a, whose storage it shares, have initial values"],
        ),
        (
            "real a[4]\nglobal real32 b[2] overlays a at 0",
            &["V130 it is real32 but lies over a, which is real"],
        ),
        ("real a[2*2]", &[]),
        ("real a[3 from 0]", &[]),
    ] {
        assert_eq!(said(&source(part)), expected, "{part}");
    }
}

/// Records with array fields lie in rows, have extents where they are local, and are assigned one by one.
#[test]
fn what_records_are_used_for() {
    let source = |part: &str| {
        format!(
            "record P
  real x
  real w
end
record Q
  real x
  real v[2]
end
{part}
"
        )
    };
    for (part, expected) in [
        (
            "function f(in record P p) result record P r\n  r := p\nend",
            &[][..],
        ),
        (
            "function f(in record P p) result record P r[2]\n  r[1] := p\n  r[2] := p\nend",
            &["V160 the result r is an array of records"],
        ),
        ("subroutine f(in record P p column)\nend", &[]),
        ("subroutine f(in record P p[3] column)\nend", &[]),
        ("subroutine f(in record Q p column)\nend", &[]),
        (
            "subroutine f(in record Q p[3] column)\nend",
            &["V160 p is an array of records in column order, and they have array fields"],
        ),
        ("subroutine f(in record Q p[3])\nend", &[]),
        ("subroutine f(in record Q p[:])\nend", &[]),
        (
            "subroutine f(in record Q q[2])\n  local record Q p[2]\n  p := q\nend",
            &[],
        ),
        (
            "subroutine f(in record Q q[2])\n  local record Q p[:]\n  p := q\nend",
            &["V160 p has deferred extents, and is an array of records with array fields"],
        ),
        (
            "subroutine f(in record P q[2])\n  local record P p[:]\n  p := q\nend",
            &[],
        ),
        (
            "subroutine f(in record Q q, out record Q p)\n  p := q\nend",
            &[],
        ),
        (
            "subroutine f(in record Q q, out record Q p[2])\n  p := q\nend",
            &["V160 a record scalar with array fields is assigned to a record array of rank 1"],
        ),
        (
            "subroutine f(in record P q, out record P p[2])\n  p := q\nend",
            &[],
        ),
        (
            "subroutine f(in record Q q[2], out record Q p[2])\n  p := q\nend",
            &[],
        ),
        (
            "subroutine f(in record P p, in real \"p.x\")\nend",
            &["V160 \"p.x\" is called like a field of the record p"],
        ),
        ("subroutine f(in record P p, in real \"q.x\")\nend", &[]),
        (
            "subroutine f(in record P p, in real \"p.z\")\nend",
            &["V160 \"p.z\" is called like a field of the record p"],
        ),
        ("subroutine f(in real p, in real \"p.x\")\nend", &[]),
        (
            "global record P p\nsubroutine f(in real \"p.x\")\nend",
            &["V160 \"p.x\" is called like a field of the record p"],
        ),
        ("global record P p\nglobal real q\nglobal real \"q.x\"", &[]),
        (
            "global record P p\nglobal real \"p.x\"",
            &["V160 \"p.x\" is called like a field of the record p"],
        ),
        (
            "external function f(in real x) result record P r\nend",
            &["V160 r is a record, in a routine that is external or has given derivatives"],
        ),
        (
            "subroutine f(in record P p)\n  adjoint g\nend\nsubroutine g(in record P p)\nend",
            &["V160 p is a record, in a routine that is external or has given derivatives"],
        ),
        ("record O\n  record Z z\nend\nrecord Z\n  real x\nend", &[]),
        (
            "record O\n  record Z z\nend\nrecord Z\n  record O o\nend",
            &["V158 the record O contains itself through its field o"],
        ),
    ] {
        assert_eq!(said(&source(part)), expected, "{part}");
    }
}

/// Each class of values on a tape takes the types that it has room for.
#[test]
fn what_classes_of_tapes_take() {
    let source = |part: &str| {
        format!(
            "main subroutine f(inout tape t, in tape c, inout real r, inout real32 q, inout integer i, inout int8 s, inout logical l, in real v[3])
  {part}
end
"
        )
    };
    for (part, expected) in [
        ("push[real] r on t", &[][..]),
        ("push[real] q on t", &["V151"]),
        ("push[real] i on t", &["V151"]),
        ("push[real] s on t", &["V151"]),
        ("push[real] l on t", &["V151"]),
        ("push[real] v on t", &[]),
        ("push[real32] r on t", &["V151"]),
        ("push[real32] q on t", &[]),
        ("push[real32] i on t", &["V151"]),
        ("push[real32] s on t", &["V151"]),
        ("push[real32] l on t", &["V151"]),
        ("push[real32] v on t", &["V151"]),
        ("push[integer] r on t", &["V151"]),
        ("push[integer] q on t", &["V151"]),
        ("push[integer] i on t", &[]),
        ("push[integer] s on t", &[]),
        ("push[integer] l on t", &["V151"]),
        ("push[integer] v on t", &["V151"]),
        ("push[control 1] r on t", &["V151"]),
        ("push[control 1] q on t", &["V151"]),
        ("push[control 1] i on t", &[]),
        ("push[control 1] s on t", &["V151"]),
        ("push[control 1] l on t", &[]),
        ("push[control 1] v on t", &["V151"]),
        ("push[control 2] r on t", &["V151"]),
        ("push[control 2] q on t", &["V151"]),
        ("push[control 2] i on t", &[]),
        ("push[control 2] s on t", &["V151"]),
        ("push[control 2] l on t", &["V151"]),
        ("push[control 2] v on t", &["V151"]),
        ("push[control 63] r on t", &["V151"]),
        ("push[control 63] q on t", &["V151"]),
        ("push[control 63] i on t", &[]),
        ("push[control 63] s on t", &["V151"]),
        ("push[control 63] l on t", &["V151"]),
        ("push[control 63] v on t", &["V151"]),
        ("push[control 64] r on t", &["V151", "V151"]),
        ("push[control 64] q on t", &["V151", "V151"]),
        ("push[control 64] i on t", &["V151"]),
        ("push[control 64] s on t", &["V151", "V151"]),
        ("push[control 64] l on t", &["V151", "V151"]),
        ("push[control 64] v on t", &["V151", "V151"]),
        ("push[control count] r on t", &["V151"]),
        ("push[control count] q on t", &["V151"]),
        ("push[control count] i on t", &[]),
        ("push[control count] s on t", &["V151"]),
        ("push[control count] l on t", &["V151"]),
        ("push[control count] v on t", &["V151"]),
        ("push[control 0] i on t", &["V151"]),
        ("r := pop[real] from t", &[]),
        ("i := pop[real] from t", &["V151"]),
        ("s := pop[integer] from t", &[]),
        ("v := pop[real] from t", &["V140"]),
        ("push[real] r on c", &["V140"]),
        ("r := pop[real] from c", &["V140"]),
        ("push[real] r on r", &["V125"]),
    ] {
        assert_eq!(codes(&source(part)), expected, "{part}");
    }
}

/// Addresses are those of scalars, and of arrays whose elements stand one behind the other.
#[test]
fn addresses_that_may_be_taken() {
    let source = |part: &str| {
        format!(
            "record P
  real x
  real v[3]
end
main subroutine f(inout real s, inout real a[:], inout real b[3], inout real m[2, 2] column, inout record P r, inout record P rr[3], inout record P rc column)
  local real d[:]
  local real e[3]
  local ^real p
  local ^record P q
  local integer i
  {part}
end
"
        )
    };
    for (part, expected) in [
        ("p := addr(s)", &[][..]),
        ("p := addr(a)", &[]),
        ("p := addr(a[2])", &[]),
        ("p := addr(a[1:2])", &["V163 `addr` of a part of an array"]),
        ("p := addr(b)", &[]),
        ("p := addr(b[:])", &["V163 `addr` of a part of an array"]),
        ("p := addr(e)", &[]),
        ("p := addr(e[1])", &[]),
        (
            "d := b\n p := addr(d)",
            &["V163 `addr` of d, which has deferred extents"],
        ),
        (
            "d := b\n p := addr(d[1])",
            &["V163 `addr` of d, which has deferred extents"],
        ),
        ("p := addr(m)", &[]),
        ("p := addr(m[1, 1])", &[]),
        ("p := addr(m[1, :])", &["V163 `addr` of a part of an array"]),
        ("p := addr(r.x)", &[]),
        ("p := addr(r.v)", &[]),
        ("p := addr(r.v[2])", &[]),
        (
            "p := addr(r.v[1:2])",
            &["V163 `addr` of a part of an array"],
        ),
        ("p := addr(rr[2].x)", &[]),
        ("p := addr(rr[2].v)", &[]),
        ("p := addr(rr.v)", &["V163 `addr` of a part of an array"]),
        ("p := addr(rr.x)", &["V163 `addr` of a part of an array"]),
        ("p := addr(rc.x)", &[]),
        ("q := addr(r)", &[]),
        ("q := addr(rr)", &[]),
        ("q := addr(rr[2])", &[]),
        ("q := addr(rr[1:2])", &["V163 `addr` of a part of an array"]),
        ("p := addr(s)\n for i = 1, 3\n s := real(i)\n end", &[]),
        (
            "q := addr(r)\n p := addr(q^.x)\n for i = 1, 3\n s := q^.v[i]\n end",
            &[],
        ),
    ] {
        assert_eq!(said(&source(part)), expected, "{part}");
    }
}

/// Pointers are no parameters of routines that are external or have derivatives that are given; globals may be
/// pointers.
#[test]
fn pointers_of_routines_without_a_graph() {
    let source = |part: &str| {
        format!(
            "global ^real g
main subroutine f(inout real s)
end
subroutine d(in real a, inout real b)
end
{part}
end
"
        )
    };
    for (part, expected) in [
        ("external subroutine h(in real a)\n  uses g", &[][..]),
        ("external subroutine h(in ^real a)", &["V163"]),
        ("subroutine h(in real a)\n  uses g\n  adjoint d", &[]),
        ("subroutine h(in ^real a)\n  adjoint d", &["V153", "V163"]),
    ] {
        assert_eq!(codes(&source(part)), expected, "{part}");
    }
}

/// Arguments overlap where one is written and both have a cell in common for certain.
#[test]
fn parts_of_records_and_pointers_that_overlap() {
    let source = |part: &str| {
        format!(
            "record R
  real v[3]
  real w
end
global real G[4]
global real H[2] overlays G at 0
subroutine read(in real a, in real b)
end
subroutine first(inout real a, in real b)
end
subroutine second(in real a, inout real b)
end
subroutine arrays(in real a[1], inout real b[1])
end
subroutine element(in record R a, inout real b[:])
end
subroutine fields(inout real b[:], in record R a)
end
subroutine pointer(inout ^real a, inout real b)
end
main subroutine f(inout real x, inout real a[4], inout record R r[3], inout ^real p, in integer i, in integer j)
  uses G, H
  call {part}
end
"
        )
    };
    for (part, expected) in [
        ("read(x, x)", &[][..]),
        ("first(x, x)", &["V150"]),
        ("second(x, x)", &["V150"]),
        ("read(a[1], a[1])", &[]),
        ("first(a[1], a[1])", &["V150"]),
        ("second(a[1], a[2])", &[]),
        ("arrays(a[:], a[i:j])", &["V150"]),
        ("arrays(a[i:j], a[:])", &["V150"]),
        ("arrays(a[i:j], a[i:j])", &["V150"]),
        ("arrays(a[i:j], a[j:i])", &[]),
        ("arrays(G[1:2], H)", &[]),
        ("arrays(G, H[1:2])", &[]),
        ("arrays(H, G[3:4])", &[]),
        ("element(r[1], r.w)", &["V150"]),
        ("element(r[1], r[2:3].w)", &[]),
        ("element(r[1], r[1:3].w)", &["V150"]),
        ("fields(r.w, r[1])", &["V150"]),
        ("fields(r[2:3].w, r[1])", &[]),
        ("second(r[1].w, r[1].w)", &["V150"]),
        ("second(r[i].w, r[i].w)", &["V150"]),
        ("second(r[i].w, r[j].w)", &[]),
        ("second(r[1].w, r[1].v[1])", &[]),
        ("pointer(p, p^)", &[]),
    ] {
        assert_eq!(codes(&source(part)), expected, "{part}");
    }
}

/// Quotients of constants that are not whole are warned of where they become part of a real, once.
#[test]
fn quotients_that_are_not_whole() {
    let source = |part: &str| {
        format!(
            "main subroutine f(inout real x, inout real v[4], inout integer i, inout real y)
  {part}
end
"
        )
    };
    for (part, expected) in [
        (
            "x := x*(y + 1/2)",
            &["V155 1/2 is the integer 0, and part of a real expression"][..],
        ),
        (
            "x := 1/2 + x",
            &["V155 1/2 is the integer 0, and part of a real expression"],
        ),
        ("x := x**(6/3)", &[]),
        (
            "x := x**(1/2)",
            &["V155 1/2 is the integer 0, and part of a real expression"],
        ),
        ("i := 1/2", &[]),
        ("i := i + 1/2", &[]),
        ("x := x + real(i/2)", &[]),
        (
            "x := real(7/2)",
            &["V155 7/2 is the integer 3, and part of a real expression"],
        ),
        ("x := real(0/3)", &[]),
        ("x := real(1/0)", &[]),
        ("v := fill(1.0, 9/2)", &[]),
        (
            "x := sum(v)*(3/2)",
            &["V155 3/2 is the integer 1, and part of a real expression"],
        ),
        (
            "if x > 1/2\n x := y\n end",
            &["V155 1/2 is the integer 0, and part of a real expression"],
        ),
        ("x := v[7/2]", &[]),
        (
            "x := x + real(abs(-(7/2)))",
            &["V155 7/2 is the integer 3, and part of a real expression"],
        ),
        (
            "x := real(min(7/2, i))",
            &["V155 7/2 is the integer 3, and part of a real expression"],
        ),
        ("x := real(mod(7/2, i))", &[]),
        (
            "x := if(x > y, x, real(3/2))",
            &["V155 3/2 is the integer 1, and part of a real expression"],
        ),
        (
            "x := real(i*(3/2))",
            &["V155 3/2 is the integer 1, and part of a real expression"],
        ),
        (
            "x := real(-7/2)",
            &["V155 -7/2 is the integer -3, and part of a real expression"],
        ),
    ] {
        assert_eq!(said(&source(part)), expected, "{part}");
    }
}

/// Constant subscripts are compared with the bounds that are known, in each dimension and each record.
#[test]
fn constant_subscripts_and_bounds() {
    let source = |part: &str| {
        format!(
            "record P
  real x
  real v[3]
end
main subroutine f(inout real a[3], inout real z[3 from 0], inout real b[n], in integer n, inout real m[2, 3], inout record P r[2], inout real e[3 from n], inout real h[3 from -1], inout ^record P p, inout real y)
  {part}
end
"
        )
    };
    for (part, expected) in [
        ("y := a[0]", &["V137 subscript 0 of a is outside 1..3"][..]),
        ("y := a[1]", &[]),
        ("y := a[3]", &[]),
        ("y := a[4]", &["V137 subscript 4 of a is outside 1..3"]),
        ("y := z[-1]", &["V137 subscript -1 of z is outside 0..2"]),
        ("y := z[0]", &[]),
        ("y := z[2]", &[]),
        ("y := z[3]", &["V137 subscript 3 of z is outside 0..2"]),
        ("y := b[0]", &["V137 subscript 0 of b is outside 1..?"]),
        ("y := b[1]", &[]),
        ("y := b[9]", &[]),
        ("y := e[0]", &[]),
        ("y := e[9]", &[]),
        ("y := h[-2]", &["V137 subscript -2 of h is outside -1..1"]),
        ("y := h[-1]", &[]),
        ("y := h[1]", &[]),
        ("y := h[2]", &["V137 subscript 2 of h is outside -1..1"]),
        ("y := m[2, 3]", &[]),
        ("y := m[3, 2]", &["V137 subscript 3 of m is outside 1..2"]),
        ("y := m[2, 4]", &["V137 subscript 4 of m is outside 1..3"]),
        ("y := m[0, 1]", &["V137 subscript 0 of m is outside 1..2"]),
        (
            "y := sum(m[3, :])",
            &["V137 subscript 3 of m is outside 1..2"],
        ),
        ("y := r[2].v[3]", &[]),
        ("y := r[3].v[3]", &["V137 subscript 3 of r is outside 1..2"]),
        ("y := r[2].v[4]", &["V137 subscript 4 of v is outside 1..3"]),
        ("y := r[2].v[0]", &["V137 subscript 0 of v is outside 1..3"]),
        ("a := r[3].v", &["V137 subscript 3 of r is outside 1..2"]),
        ("y := p^.v[4]", &["V137 subscript 4 of v is outside 1..3"]),
        ("y := p^[9].v[3]", &[]),
    ] {
        assert_eq!(said(&source(part)), expected, "{part}");
    }
}

/// Variables that are used before they have values, the same with loops and branches and as any graph.
#[test]
fn variables_without_values() {
    for (part, expected) in [
        ("y := a\n y := a", "copied a"),
        ("y := a + 1.0\n y := a", "used a"),
        ("y := a\n y := a + 1.0", "copied a, used a"),
        ("y := if(x > 1.0, a, 2.0)", ""),
        ("y := if(a > 1.0, x, 2.0)", "used a"),
        ("y := if(x > 1.0 and a > 2.0, x, 2.0)", ""),
        ("y := if(a > 1.0 or x > 2.0, x, 2.0)", "used a"),
        ("y := real(size(c, 1))", ""),
        ("y := v[k]", "used k"),
        ("v[k] := x\n y := x", "used k"),
        ("y := x\n call s(v[k])", "used k"),
        ("y := x\n call s(a)", ""),
        ("y := x\n call s(a + 1.0)", "used a"),
        ("y := x\n call s(p^)", "used p"),
        ("call w(y)", ""),
        ("call w(a)\n y := a*2.0", ""),
        ("call ww(y, a)", ""),
        ("call ww(a, a*2.0)\n y := a", "used a"),
        ("y := call fn(a)", ""),
        ("y := call fn(a*2.0)", "used a"),
        ("call w(p^)\n y := x", "used p"),
        ("y := x\n p^ := 1.0", "used p"),
        ("y := p^", "used p"),
        ("y := x\n p := q", "copied q"),
        ("y := x\n push[real] a", ""),
        ("y := x\n push[real] v[k]", "used k"),
        ("y := x\n push[real] a*2.0", "used a"),
        ("y := x\n push[real] p^", "used p"),
        ("a := pop[real]\n y := a + 1.0", ""),
        ("v[k] := pop[real]\n y := x", "used k"),
        ("opaque \"z\" writes a\n y := a + 1.0", ""),
        ("opaque \"z\" reads a\n y := x", ""),
        ("y := x\n allocate p, k\n free p", "used k"),
        ("y := x\n allocate p, 3\n resize p, k\n free p", "used k"),
        ("y := x\n free p", "used p"),
        ("y := x\n resize p, 3", "used p"),
        ("p := addr(a)\n y := a + 1.0", ""),
        ("p := addr(c[k])\n y := x", "used k"),
        ("p := addr(q^)\n y := x", "used q"),
        ("p := addr(c[1])\n y := c[2]*2.0", ""),
        ("y := l^.a", "used l"),
        ("y := x\n allocate l^.next, 1", "used l"),
        ("y := x\n free l^.next", "used l"),
        ("y := x\n l^.a := 2.0", "used l"),
        ("y := x\n for k = 1, int(a)\n y := x\n end", "used a"),
        ("y := x\n for k = k, 3\n y := x\n end", "copied k"),
        ("y := x\n for k = 1, 3\n y := real(k)\n end", ""),
        ("y := x\n for k = 1, 3, n*k\n y := x\n end", "used k"),
        (
            "y := x\n select k\n case 1\n y := 2.0\n case default\n end",
            "used k",
        ),
        ("y := y + 1.0", "used y"),
        ("y := x\n c[k] := 1.0", "used k"),
        ("c[1] := 1.0\n y := c[2]*3.0", ""),
        (
            "y := x\n if n > 1\n a := 1.0\n else\n while n > 2\n y := a*2.0\n end\n end",
            "used a",
        ),
        (
            "y := x\n if n > 1\n a := 1.0\n else\n y := a*2.0\n end",
            "used a",
        ),
        ("y := x\n do\n y := a*2.0\n a := x\n end while a > 1.0", ""),
        ("y := x\n while a > 1.0\n a := x\n end", "later a"),
        ("y := x\n do\n stop \"no\"\n end while b > 1.0", ""),
        ("stop \"no\"\n a := 1.0\n y := a*2.0", ""),
        (
            "y := x\n if n > 1\n stop \"a\"\n a := 1.0\n end\n y := a*2.0",
            "",
        ),
        (
            "y := x\n for k = 1, 3\n if n > 1\n y := a*1.0\n else\n a := x\n end\n end",
            "",
        ),
    ] {
        for head in ["", "general "] {
            let source = format!(
                "record R
  real a
  ^record R next
end
subroutine s(in real a)
end
subroutine w(out real a)
  a := 1.0
end
subroutine ww(out real a, in real b)
  a := b
end
function fn(in real a) result real r
  r := a
end
{head}subroutine f(in real x, in integer n, out real y, inout tape t, inout real v[3])
  local real a, b, c[3]
  local integer k
  local ^real p, q
  local ^record R l
  {part}
end
"
            );
            let words = said(&source).into_iter().map(|problem| {
                let message = problem.strip_prefix("V152 ").unwrap_or(&problem).to_owned();
                match message.split_once(" is ") {
                    Some((name, "used here, but nothing before assigns it")) => {
                        format!("used {name}")
                    }
                    Some((name, "copied here, but nothing before assigns it")) => {
                        format!("copied {name}")
                    }
                    Some((name, "used here the first time before anything assigns it")) => {
                        format!("later {name}")
                    }
                    _ => problem,
                }
            });
            let words: Vec<String> = words.collect();
            assert_eq!(words.join(", "), expected, "{head}{part}");
        }
    }
}

/// Results, `out` parameters and dependents that nothing assigns are told once; who calls may have globals assigned.
#[test]
fn results_that_nothing_assigns() {
    for (part, expected) in [
        (
            "subroutine f(in real x, out real y)",
            &["V154 nothing assigns the out parameter y"][..],
        ),
        (
            "subroutine f(in real x, out real y)\n  dependent y",
            &["V154 nothing assigns the out parameter y"],
        ),
        (
            "subroutine f(in real x, inout real y)\n  dependent y",
            &["V154 nothing assigns the dependent y"],
        ),
        ("subroutine f(in real x, inout real y)", &[]),
        (
            "subroutine f(in real x)\n  uses G\n  dependent G",
            &["V154 nothing assigns the dependent G"],
        ),
        (
            "subroutine f(in real x)\n  uses G\n  dependent G\n  G := x",
            &[],
        ),
        (
            "subroutine f(in real x)\n  uses G\n  dependent G\n  call s()",
            &[],
        ),
        (
            "subroutine f(in real x)\n  uses G\n  dependent G\n  call s()\n  call s()",
            &[],
        ),
        (
            "subroutine f(in real x, inout real y)\n  dependent y\n  call s()",
            &["V154 nothing assigns the dependent y"],
        ),
        ("aliased subroutine f(in real x, out real y)", &[]),
        ("subroutine f(out ^real p)", &[]),
        (
            "function f(in real x) result ^real p",
            &["V154 nothing assigns p, the result of the function"],
        ),
        (
            "function f(in real x) result real p",
            &["V154 nothing assigns p, the result of the function"],
        ),
        ("subroutine f(out tape t)", &[]),
        ("subroutine f(out integer k)\n  for k = 1, 3\n  end", &[]),
        (
            "subroutine f(inout tape t, out real y)\n  y := pop[real]",
            &[],
        ),
        ("subroutine f(out real y)\n  opaque \"z\" writes y", &[]),
        ("subroutine f(out real y[3])\n  y[1] := 1.0", &[]),
    ] {
        let source = format!(
            "global real G
subroutine s()
  uses G
  G := 1.0
end
{part}
end
"
        );
        assert_eq!(said(&source), expected, "{part}");
    }
    let generated = |is_generated: bool| {
        let mut program = read("subroutine f(in real x, out real y)\nend\n");
        if is_generated {
            program.routines[0].origin = Some(Box::new(NameOrigin::new(NameRole::Adjoint, "g")));
        }
        messages(&program).len()
    };
    assert_eq!([generated(false), generated(true)], [1, 0]);
}

/// A routine without a graph is external, or has derivatives that are given.
#[test]
fn routines_without_a_graph() {
    for (head, is_told) in [
        ("", true),
        ("  tangent d\n", false),
        ("  adjoint d\n", false),
    ] {
        let mut program = read(&format!(
            "subroutine f(in integer n)\n{head}end\nsubroutine d(in integer n)\nend\n"
        ));
        program.routines[0].body = None;
        let expected: &[&str] = match is_told {
            true => &["V124 the routine has no graph"],
            false => &[],
        };
        assert_eq!(messages(&program), expected, "{head}");
    }
}

/// The next value of an index is computed from none where only jumps into the body enter the loop.
#[test]
fn indices_of_loops_that_only_jumps_enter() {
    for (before, value, is_told) in [
        ("goto inside", "", true),
        ("i := 1\n  goto inside", "", true),
        ("if x > 1.0\n    goto inside\n  end", "", false),
        ("y := 2.0*x", "", false),
        ("goto inside", " + real(i)", true),
    ] {
        let source = format!(
            "general subroutine f(in real x, out real y)
  local integer i
  y := x
  {before}
  for i = 1, 3
    label inside
    y := y*x{value}
  end
end
"
        );
        let expected: &[&str] = match is_told {
            true => &["V152 i is used here, but nothing before assigns it"],
            false => &[],
        };
        assert_eq!(said(&source), expected, "{before}{value}");
    }
}

/// Levels of places count as those of operations do: around subscripts, fields and pointers that are followed.
#[test]
fn levels_of_places_with_fields_and_pointers() {
    let declared = "record Node
  real v[3]
  record In s
  ^record Node next
end
record In
  real w[3]
end
main subroutine f(in ^record Node l, in record Node a[3], in integer k, out real y)
";
    for place in [
        "a[k].v[1]",
        "a[1].v[k]",
        "a[k].s.w[k]",
        "l^.v[k]",
        "l^[k].v[1]",
        "l^.next^.s.w[k]",
        "l^.next^[k].next^.s.w[2]",
    ] {
        let mut program = read(&format!("{declared}  y := {place}\nend\n"));
        let mut sides = [0, 0];
        for _ in 0..=Expr::MAX_DEPTH {
            let cfg = program.routines[0].body.as_mut().expect("it has one");
            let statements = cfg.vertices_mut().find_map(|v| v.kind.statements_mut());
            let kind = &mut statements.expect("there is a block")[0].kind;
            let StmtKind::Assign { value, .. } = kind else {
                panic!("it is an assignment")
            };
            if let Expr::Place(place) = value {
                *place = place.map_subscripts(&mut |e| Expr::op(Op::Neg, [e.clone()]));
            }
            let depth = value.depth();
            let is_too_deep = found(&program).iter().any(|d| d.code == "V132");
            assert_eq!(is_too_deep, depth > Expr::MAX_DEPTH, "{place}, {depth}");
            sides[usize::from(is_too_deep)] += 1;
        }
        assert!(sides.iter().all(|&side| side > 0), "{place}");
    }
}

/// Places are as deep as their fields and pointers are many.
#[test]
fn levels_of_long_chains_of_pointers() {
    let mut program = read(
        "record Node
  real v[3]
  ^record Node next
end
main subroutine f(in ^record Node l, out real y)
  y := l^.next^.v[1]
end
",
    );
    let mut sides = [0, 0];
    for _ in 0..=Expr::MAX_DEPTH {
        let cfg = program.routines[0].body.as_mut().expect("it has one");
        let statements = cfg.vertices_mut().find_map(|v| v.kind.statements_mut());
        let kind = &mut statements.expect("there is a block")[0].kind;
        let StmtKind::Assign { value, .. } = kind else {
            panic!("it is an assignment")
        };
        if let Expr::Place(place) = value {
            let mut subscripts = place.subscripts[..2].to_vec();
            subscripts.extend_from_slice(&place.subscripts);
            place.subscripts = subscripts.into();
        }
        let depth = value.depth();
        let is_too_deep = found(&program).iter().any(|d| d.code == "V132");
        assert_eq!(is_too_deep, depth > Expr::MAX_DEPTH, "{depth}");
        sides[usize::from(is_too_deep)] += 1;
    }
    assert!(sides.iter().all(|&side| side > 0));
}

/// Conversions of integers of other types add levels, one for each subscript around.
#[test]
fn levels_of_conversions_in_subscripts() {
    let negated = |times: usize, e: &str| "-(".repeat(times) + e + &")".repeat(times);
    let nested = |times: usize| "a[".repeat(times) + "s" + &"]".repeat(times);
    let chosen = |times: usize| {
        let value = negated(times, "k");
        format!("select wrap_int8({value})\n case 1\n y := 1.0\n case default\n y := 2.0\n end")
    };
    for (line, is_taken) in [
        (format!("y := real({})", nested(48)), true),
        (format!("y := real({})", nested(49)), false),
        (format!("y := {}", negated(96, "b[s]")), true),
        (format!("y := {}", negated(97, "b[s]")), false),
        (format!("y := {}", negated(98, "b[k]")), true),
        (chosen(97), true),
        (chosen(98), false),
    ] {
        let source = format!(
            "main subroutine f(in int8 a[3], in real b[3], in int8 s, in integer k, out real y)
  {line}
end
"
        );
        let expected: &[&str] = match is_taken {
            true => &[],
            false => &["V132 with its conversion the int8 is too deep"],
        };
        assert_eq!(said(&source), expected, "{line}");
    }
}

/// Conversions are written in each routine that wants them, wherever an integer stands that is none of `integer`.
#[test]
fn conversions_in_several_routines() {
    let source = |n: &str, k: &str| {
        format!(
            "subroutine g(in int8 n, inout ^real p, out real y)
  local real z[3 from {n}], w[{n}]
  allocate p, {n}
  resize p, {n}
  z := fill(1.0, {n})
  w := 1.0
  y := p^[{n}]*w[{n}] + sum(z[{n}:{n}:{n}])
end
subroutine f(in uint16 k, in real a[{k}], inout real x)
  select {k}
  case 1
    x := a[{k}]
  case default
  end
end
"
        )
    };
    let valid = |source: &str| validate(read(source)).unwrap_or_else(|d| panic!("{d}"));
    let written = valid(&source("n", "k"));
    assert_eq!(
        written.to_string(),
        read(&source("int(n)", "int(k)")).to_string()
    );
}

/// Spans name a source of the program and end behind their beginnings, wherever they stand; those of globals are told
/// once.
#[test]
fn spans_of_all_parts() {
    let program = read(
        "source \"f.c\"
global real g @[1:1:1-1:2]
global real h @[0:1:1-1:2]
subroutine f(in real x @[1:1:1-1:2], out real y) @[1:1:1-1:2]
  uses g
  local real z @[0:3:1-3:1], w @[0:3:1-2:9], u @[0:3:2-3:1]
  y := x @[1:3:3-3:10]
  if x > 1.0 @[1:3:3-3:10]
    z := y
  end
end
",
    );
    let found = found(&program);
    let said = found.iter().map(|problem| {
        let element = problem.at.element.as_deref().unwrap_or_default();
        format!("{} {}: {}", problem.code, element, problem.message)
    });
    let said: Vec<String> = said.collect();
    let unknown = "the span names source 1 of 1";
    let expected = [
        format!("V156 global g: {unknown}"),
        format!("V156 routine f: {unknown}"),
        format!("V156 routine f, parameter x: {unknown}"),
        "V156 routine f, variable w: the span begins at 3:1 and ends at 2:9".to_owned(),
        "V156 routine f, variable u: the span begins at 3:2 and ends at 3:1".to_owned(),
        format!("V156 routine f, vertex 2, statement 1: {unknown}"),
        format!("V156 routine f, vertex 3: {unknown}"),
    ];
    assert_eq!(said, expected);
}

/// Names of the first entity behind the last one are refused.
#[test]
fn what_is_named_behind_the_last_one() {
    let source = "record R
  real a
  ^record R next
end
global record R g
main subroutine f(in real x, out ^record R p, out real y)
  uses g
  local integer i
  p := null(record R)
  for i = 1, 3
    y := x
  end
end
";
    type Damage = fn(&mut Program);
    let damages: [(Damage, &str); 8] = [
        (
            |p| p.main = Some(RoutineId::new(1)),
            "V120 there is no routine",
        ),
        (
            |p| p.globals[0].variable.ty = ScalarType::Record(RecordId::new(1)),
            "V120 there is no record",
        ),
        (
            |p| p.records[0].fields[0].ty = ScalarType::Record(RecordId::new(1)),
            "V158 the record in the type of the field a does not exist",
        ),
        (
            |p| p.routines[0].variables[3].role = Role::Global(GlobalId::new(1)),
            "V120 there is no global",
        ),
        (
            |p| p.routines[0].result = Some(VarId::new(5)),
            "V120 there is no variable",
        ),
        (
            |p| p.routines[0].dependents.push(VarId::new(5)),
            "V120 there is no variable",
        ),
        (
            |p| p.globals[0].variable.role = Role::Local,
            "V123 the role of a global is not Global(",
        ),
        (
            |p| p.globals[0].variable.order = Order::Column,
            "V123 g differs from the global g in type, shape or storage order",
        ),
    ];
    assert_eq!(messages(&read(source)), Vec::<String>::new());
    for (k, (damage, expected)) in damages.into_iter().enumerate() {
        let mut program = read(source);
        damage(&mut program);
        let said = messages(&program);
        let is_told = said.iter().any(|message| message.starts_with(expected));
        assert!(is_told, "{k}: {said:?}");
    }
}

/// A program with addresses in one routine and a name that is not there in another one is told of that name.
#[test]
fn pointers_beside_names_that_are_not_there() {
    let mut program = read(
        "subroutine g(in real x, out real y)
  local integer i
  y := x
  for i = 1, 3
    y := y*x
  end
end
main subroutine f(in real x, out ^real p)
  local real t
  t := x
  p := addr(t)
end
",
    );
    assert_eq!(messages(&program), Vec::<String>::new());
    let cfg = program.routines[0].body.as_mut().expect("it has one");
    for vertex in cfg.vertices_mut() {
        if let VertexKind::Loop { test, .. } = &mut vertex.kind
            && let LoopTest::Counted { index, .. } = &mut **test
        {
            *index = VarId::new(3);
        }
    }
    let said = messages(&program);
    assert!(
        said.len() == 1 && said[0].starts_with("V120 there is no variable"),
        "{said:?}"
    );
}

/// Two routines that make pointers are as one: a global to which they point is no index.
#[test]
fn pointers_of_two_routines() {
    let source = "global integer i
subroutine g(out ^integer p)
  uses i
  p := addr(i)
end
subroutine h(in real x, out real y)
  y := if(addr(x) == null(real), 1.0, x)
end
main subroutine f(in real x, out real y)
  uses i
  y := x
  for i = 1, 3
    y := y*x
  end
end
";
    assert_eq!(
        said(source),
        ["V163 `addr` of i, the index of a counted loop"]
    );
    let made = "subroutine h(in real x, out real y)
  y := if(addr(x) == null(real), 1.0, x)
end
";
    let twice = format!("{made}{}", made.replace("h(", "k("));
    for source in [made, twice.as_str()] {
        let valid = validate(read(source)).unwrap_or_else(|d| panic!("{d}"));
        assert!(valid.has_pointers() && refuse_pointers(&valid).is_err());
    }
}

/// Graphs in short: the vertices by letters, `]` for ENDBRANCH and `)` for ENDLOOP, then the edges with their labels.
const GRAPHS: [&str; 61] = [
    "E b X: 1-2 2-3",
    "E b X: 1-2 2-1 2-3",
    "E b c X: 1-2 2-3 3-2=1 3-4=0",
    "E l c ) ) X: 1-2 2-3=1 3-4=1 3-5=0 4-2 5-2 2-6",
    "E l b X: 1-2 2-3=1 3-4 2-4",
    "E c c b b b b X: 1-2 2-3=1 2-4=0 3-5=1 3-6=0 4-7 5-7 6-7 7-8",
    "E c b b b X: 1-2 2-3=1 2-4=0 3-5 4-5 5-6",
    "E c b b ] X: 1-2 2-3=1 2-4=0 3-5 4-6 5-6",
    "E c c b b b b ] ] X: 1-2 2-3=1 2-4=0 3-5=1 3-6=0 4-7 5-8 6-10 7-9 8-10 9-10",
    "E l b ) b X: 1-2 2-3=1 3-4 4-2 2-5 2-5 5-6",
    "E b X b: 1-2 2-3 3-4 4-3",
    "E b b X: 1-2 2-3 2-4 3-4",
    "E l b ) X: 1-2 2-3=1 3-4 4-2",
    "E l ) X: 1-2 3-2 2-4",
    "E c b X: 1-2 2-3=0 3-4",
    "E c b X: 1-2 2-3=1 3-4",
    "E b ] X: 1-2 2-4 3-4",
    "general E b ] X: 1-2 2-4 3-4",
    "E b ) l X: 1-2 2-5 3-4 4-5",
    "E b b X: 1-2 2-4 3-4",
    "general E b b X: 1-2 2-4 3-4",
    "E b b X: 1-2 2-4",
    "E b b b X: 1-2 2-5 3-4 4-3",
    "E l b X: 1-2 2-3=1 3-2 2-4",
    "general E l b X: 1-2 2-3=1 3-2 2-4",
    "E l c b X: 1-2 2-3=1 3-2=1 3-4=0 4-5 2-5",
    "E l b ) ) X: 1-4 4-2 2-3=1 3-5 5-2 2-6",
    "E l b ) X: 1-2 2-3 3-4 4-2 2-5",
    "E l b X: 1-2 2-3 3-2 2-4",
    "E l X: 1-2 2-3 2-3",
    "E l X: 1-2 2-2 2-3",
    "E l X: 1-2 2-2=1 2-3",
    "E l b b X: 1-2 2-3 2-4 3-2 4-2",
    "E l b ) b X: 1-2 2-3=1 3-4 4-5 5-6 2-6",
    "E l b ) l b ) X: 1-2 2-3=1 3-4 2-5 5-6=1 6-7 5-8",
    "E l b ) X: 1-2 2-3=1 3-4 2-5",
    "E b l b ) X: 1-2 3-4=1 4-5 5-3 3-6",
    "E b l b ) X: 1-2 2-6 3-4=1 4-5 5-3 3-6",
    "E b l b ) X: 1-2 2-4 3-4=1 4-5 5-3 3-6",
    "E l b ) l b X: 1-2 2-3=1 3-4 4-5 2-7 5-6=1 6-7",
    "E l b ) l b ) X: 1-2 2-3=1 3-4 4-5 2-8 5-6=1 6-7 7-2 5-8",
    "E l b ) X: 1-2 2-3=1 3-4 4-2 2-5=1",
    "E l b ) X: 1-2 2-3=1 3-4 4-2 2-5=0",
    "E c b b X: 1-2 2-3=1 2-4=1 3-5 4-5",
    "E c b b ] X: 1-2 2-3=1 2-4=2 3-5 4-5 5-6",
    "E c b b ] X: 1-2 2-3=1 2-4 3-5 4-5 5-6",
    "E b X: 1-2 2-3=4",
    "E b b X: 1-2 2-3=1 2-4=0 3-4",
    "E l X: 1-2 2-3=1",
    "E X b b b b b b b b b b: 1-2",
    "E X b b b b b b b b b b b: 1-2",
    "E X b b b b b b b b b b b b: 1-2",
    "E b b X: 1-2 2-3",
    "E c b b X: 1-2 2-3=1 2-4=0 3-5",
    "general E c b b X: 1-2 2-3=1 2-4=0 3-5",
    "E:",
    "E X X: 1-2",
    "b X: 1-2",
    "E c l b ) X: 1-2 2-3=1 2-4=0 3-4=1 4-5 5-3 3-6",
    "E c c ] b b X: 1-2 2-3=1 2-5=0 3-4=1 3-4=0 4-6 5-6 6-7",
    "E c ] ] X: 1-2 2-3=1 2-4=0 3-4 4-5",
];

/// The program of a graph in short.
fn drawn(graph: &str) -> Program {
    let general = graph.strip_prefix("general ");
    let (vertices, edges) = general.unwrap_or(graph).split_once(':').expect("a colon");
    let mut source = String::from(match general {
        Some(_) => "general subroutine",
        None => "subroutine",
    });
    source += " f(in integer n, in logical p, in real x, inout real y)\n  local integer i\n";
    for (v, letter) in vertices.split_whitespace().enumerate() {
        let id = (v + 1).to_string();
        let kind = match letter {
            "E" => "ENTRY",
            "X" => "EXIT",
            "b" => "BASICBLOCK",
            "l" => "LOOP i = 1, n",
            ")" => "ENDLOOP",
            "c" => "BRANCH p",
            _ => "ENDBRANCH",
        };
        let leaves = edges.split_whitespace().filter_map(|edge| {
            let (from, to) = edge.split_once('-')?;
            let way = match to.split_once('=') {
                Some((to, label)) => format!("{to} [{label}]"),
                None => to.to_owned(),
            };
            (from == id).then_some(way)
        });
        let leaves: Vec<String> = leaves.collect();
        let arrow = if leaves.is_empty() { "" } else { " -> " };
        source += &format!("    {id} {kind}{arrow}{}\n", leaves.join(", "));
    }
    read(&(source + "end\n"))
}

/// Messages and cures of graphs that break rules, each in the golden file.
#[test]
fn messages_of_graphs() {
    let mut lines = String::new();
    for graph in GRAPHS {
        lines += &format!("## {graph}\n");
        for problem in found(&drawn(graph)).iter() {
            lines += &format!("{} {}\n  {}\n", problem.code, problem.message, problem.help);
        }
        lines.push('\n');
    }
    golden(
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/graphs.txt"),
        &lines,
    );
}

/// The way to a subscript that is out of bounds, past fields and pointers.
#[test]
fn ways_to_subscripts() {
    for (place, expected) in [
        ("m[1, 9]", &[Step::Subscript(1)][..]),
        ("m[9, 1]", &[Step::Subscript(0)]),
        ("r[2].v[9]", &[Step::Subscript(0)]),
        ("r[9].v[1]", &[Step::Base, Step::Base, Step::Subscript(0)]),
        ("p^.v[9]", &[Step::Subscript(0)]),
        ("p^[7].v[9]", &[Step::Subscript(0)]),
        ("r[1].u[2].v[9]", &[Step::Subscript(0)]),
        (
            "r[1].u[9].v[1]",
            &[Step::Base, Step::Base, Step::Subscript(0)],
        ),
        (
            "p^[7].u[9].v[1]",
            &[Step::Base, Step::Base, Step::Subscript(0)],
        ),
    ] {
        let program = read(&format!(
            "record P
  real v[3]
  record U u[2]
end
record U
  real v[3]
end
main subroutine f(in real m[2, 2], in record P r[2], in ^record P p, out real y)
  y := {place}
end
"
        ));
        let found = found(&program);
        let mut sites = found.iter().map(|d| (d.code, d.at.site.as_deref()));
        let (code, site) = sites.next().expect("it is warned of");
        let path = site.map(|site| &*site.path);
        assert_eq!((code, path), ("V137", Some(expected)), "{place}");
        assert!(sites.next().is_none(), "{place}");
    }
}
