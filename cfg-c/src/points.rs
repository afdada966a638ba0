//! Points-to analysis: the arrays that each pointer may point into, from all values assigned to it anywhere
//! (flow-insensitive, computed on request by walking back along assignments).

use crate::{
    ast::{Binary, Decl, DeclId, DeclKind, ExprId, ExprKind, Init, Unary, Unit},
    constant,
    math::How,
    types::Type,
};
use std::{cell::Cell, collections::HashSet, rc::Rc};

/// Most arrays that are told apart for one pointer.
pub(crate) const MAX_SHAPES: usize = 8;

/// Most levels of members, and of pointers to members, in one another.
const MAX_DEPTH: usize = 150;

/// Most expressions that are visited for one pointer. Without a limit, pointers to pointers to structures could lead
/// to the same ones exponentially often.
const MAX_LOOKED_AT: usize = 50_000;

/// The origin of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// A variable, or the array that a parameter points to.
    Variable(DeclId),
    /// The memory that a call allocates.
    Heap(ExprId),
}

/// The part of a variable that pointers move in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) root: Root,
    /// Members, and `None` for subscripts, which may differ from one use to the next.
    pub(crate) steps: Vec<Option<Rc<str>>>,
    /// True if the last subscript moves with the pointer.
    pub(crate) moves: bool,
}

/// What a pointer may point to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Targets {
    pub(crate) shapes: Vec<Shape>,
    /// True if the pointer may be null.
    pub(crate) null: bool,
    /// An expression whose target is not known.
    pub(crate) unknown: Option<ExprId>,
    /// The expression at which there were more arrays than are told apart.
    pub(crate) many: Option<ExprId>,
}

impl Targets {
    fn add(&mut self, shape: Shape, e: ExprId) {
        if self.shapes.contains(&shape) {
            return;
        }
        if self.shapes.len() >= MAX_SHAPES {
            self.many.get_or_insert(e);
            return;
        }
        self.shapes.push(shape);
    }
}

/// The function that is called by its name.
fn called(unit: &Unit, e: ExprId) -> Option<&Decl> {
    let ExprKind::Call(f, _) = unit.expr(e).kind else {
        return None;
    };
    let ExprKind::Name(d) = unit.expr(f).kind else {
        return None;
    };
    Some(unit.decl(d))
}

/// The name of the function of the library that is called.
pub(crate) fn library_call(unit: &Unit, e: ExprId) -> Option<&str> {
    called(unit, e).and_then(|decl| decl.how().map(|_| &*decl.name))
}

/// How the function of the library that is called is computed.
pub(crate) fn how_called(unit: &Unit, e: ExprId) -> Option<How> {
    called(unit, e).and_then(Decl::how)
}

/// True of functions of the library that treat their arguments as bytes.
pub(crate) fn takes_bytes(name: &str) -> bool {
    matches!(name, "memcpy" | "memmove" | "memset")
}

/// True of calls that allocate.
pub(crate) fn allocates(unit: &Unit, e: ExprId) -> bool {
    matches!(
        library_call(unit, e),
        Some("malloc" | "calloc" | "alloca" | "aligned_alloc" | "memalign" | "posix_memalign")
    )
}

/// True of calls that change the size of memory.
pub(crate) fn reallocates(unit: &Unit, e: ExprId) -> bool {
    matches!(library_call(unit, e), Some("realloc" | "reallocarray"))
}

/// An expression without the conversions of pointers around it.
pub(crate) fn strip_conversions(unit: &Unit, mut e: ExprId) -> ExprId {
    while let ExprKind::Cast(ty, a) = &unit.expr(e).kind
        && matches!(ty.ty, Type::Pointer(_))
    {
        e = *a;
    }
    e
}

/// True of the null pointer: 0, also as a pointer.
pub(crate) fn is_null(unit: &Unit, e: ExprId) -> bool {
    constant::integer(unit, strip_conversions(unit, e)).is_some_and(|(value, _)| value == 0)
}

/// The values that are assigned to a variable as a whole.
pub(crate) fn assigned_values(unit: &Unit, d: DeclId) -> Vec<ExprId> {
    let decl = unit.decl(d);
    let mut sources = Vec::new();
    if let Some(Init::Expr(e)) = &decl.init {
        sources.push(*e);
    }
    for e in &decl.assigned {
        if let ExprKind::Assign(None, _, value) = unit.expr(*e).kind {
            sources.push(value);
        }
    }
    sources
}

/// The targets of a pointer variable.
pub(crate) fn of_variable(unit: &Unit, d: DeclId) -> Targets {
    let mut found = Targets::default();
    let mut visited = HashSet::new();
    let mut open = Vec::new();
    enter(unit, d, &mut visited, &mut open, &mut found);
    let left = Cell::new(MAX_LOOKED_AT);
    collect(unit, open, visited, found, MAX_DEPTH, &left)
}

/// What a pointer may point to.
pub(crate) fn targets(unit: &Unit, e: ExprId) -> Targets {
    let left = Cell::new(MAX_LOOKED_AT);
    collect(
        unit,
        vec![e],
        HashSet::new(),
        Targets::default(),
        MAX_DEPTH,
        &left,
    )
}

fn enter(
    unit: &Unit,
    d: DeclId,
    visited: &mut HashSet<DeclId>,
    open: &mut Vec<ExprId>,
    found: &mut Targets,
) {
    if !visited.insert(d) {
        return;
    }
    open.extend(assigned_values(unit, d));
    if unit.decl(d).kind == DeclKind::Parameter {
        let shape = Shape {
            root: Root::Variable(d),
            steps: Vec::new(),
            moves: true,
        };
        found.add(shape, ExprId(0));
    }
}

fn collect(
    unit: &Unit,
    mut open: Vec<ExprId>,
    mut visited: HashSet<DeclId>,
    mut found: Targets,
    depth: usize,
    left: &Cell<usize>,
) -> Targets {
    let mut resized = Vec::new();
    while let Some(e) = open.pop() {
        let Some(rest) = left.get().checked_sub(1) else {
            found.unknown = Some(e);
            break;
        };
        left.set(rest);
        let node = unit.expr(e);
        if unit.is_array(e) {
            let moving = lvalue(unit, e, depth, left);
            merge(&mut found, moving, true, e);
            continue;
        }
        match &node.kind {
            ExprKind::Name(d) => enter(unit, *d, &mut visited, &mut open, &mut found),
            ExprKind::Unary(Unary::Address, a) => match &unit.expr(*a).kind {
                ExprKind::Index(p, i) => open.push(if unit.is_pointer(*p) { *p } else { *i }),
                ExprKind::Unary(Unary::Deref, p) => open.push(*p),
                ExprKind::Member(..) => merge(&mut found, lvalue(unit, *a, depth, left), false, e),
                ExprKind::Name(d) | ExprKind::Literal(d) => {
                    let shape = Shape {
                        root: Root::Variable(*d),
                        steps: Vec::new(),
                        moves: true,
                    };
                    found.add(shape, e);
                }
                _ => found.unknown = Some(e),
            },
            ExprKind::Binary(Binary::Add | Binary::Sub, a, b) => {
                open.push(if unit.is_pointer(*a) { *a } else { *b });
            }
            ExprKind::Binary(Binary::Comma, _, b) => open.push(*b),
            ExprKind::Cast(..) if strip_conversions(unit, e) != e => {
                open.push(strip_conversions(unit, e));
            }
            ExprKind::Assign(None, _, value) => open.push(*value),
            ExprKind::Assign(Some(_), a, _) | ExprKind::Step { of: a, .. } => open.push(*a),
            ExprKind::Conditional(_, a, b) => open.extend([*a, *b]),
            ExprKind::Call(..) if allocates(unit, e) => {
                let shape = Shape {
                    root: Root::Heap(e),
                    steps: Vec::new(),
                    moves: true,
                };
                found.add(shape, e);
            }
            // realloc keeps the array of its argument, unless that is null.
            ExprKind::Call(_, arguments) if reallocates(unit, e) => {
                open.extend(arguments.first());
                resized.push(e);
            }
            // A row behind a pointer to rows: the targets are those of the pointers in the table.
            ExprKind::Index(..) | ExprKind::Unary(Unary::Deref, _) => {
                merge(&mut found, lvalue(unit, e, depth, left), true, e);
            }
            ExprKind::Inlined(inlined) if inlined.value.is_some() => open.extend(inlined.value),
            _ if is_null(unit, e) => found.null = true,
            _ => found.unknown = Some(e),
        }
    }
    let resized = if found.null { resized } else { Vec::new() };
    for e in resized {
        let shape = Shape {
            root: Root::Heap(e),
            steps: Vec::new(),
            moves: true,
        };
        found.add(shape, e);
    }
    found
}

fn merge(found: &mut Targets, new: Targets, moves: bool, e: ExprId) {
    found.null |= new.null;
    found.unknown = found.unknown.or(new.unknown);
    found.many = found.many.or(new.many);
    for shape in new.shapes {
        found.add(Shape { moves, ..shape }, e);
    }
}

/// The places of a variable, an element or a member.
fn lvalue(unit: &Unit, e: ExprId, depth: usize, left: &Cell<usize>) -> Targets {
    let unknown = Targets {
        unknown: Some(e),
        ..Targets::default()
    };
    let Some(depth) = depth.checked_sub(1) else {
        return unknown;
    };
    // The places that a pointer points to: its moving subscript becomes an ordinary one, before the steps that
    // follow.
    let target = |p: ExprId| {
        let mut found = collect(
            unit,
            vec![p],
            HashSet::new(),
            Targets::default(),
            depth,
            left,
        );
        for shape in &mut found.shapes {
            if shape.moves {
                shape.steps.push(None);
            }
        }
        found
    };
    match &unit.expr(e).kind {
        ExprKind::Name(d) | ExprKind::Literal(d) => {
            let decl = unit.decl(*d);
            let cell = decl.address && !matches!(decl.ty.ty, Type::Array(..));
            let mut found = Targets::default();
            let shape = Shape {
                root: Root::Variable(*d),
                steps: if cell { vec![None] } else { Vec::new() },
                moves: false,
            };
            found.add(shape, e);
            found
        }
        ExprKind::Index(p, i) => target(if unit.is_pointer(*p) { *p } else { *i }),
        ExprKind::Unary(Unary::Deref, p) => target(*p),
        ExprKind::Member(a, name, arrow) => {
            let mut found = if *arrow {
                target(*a)
            } else {
                lvalue(unit, *a, depth, left)
            };
            for shape in &mut found.shapes {
                shape.steps.push(Some(Rc::clone(name)));
            }
            found
        }
        _ => unknown,
    }
}
