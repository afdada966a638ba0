//! Variables of the routine that is being made, and what is known of them.

use super::call::{Formal, Shape, Signature};
use super::{Arithmetic, Options};
use crate::rng::Rng;
use crate::tree::{Node, Region};
use cfg_core::entity::{GlobalId, RoutineId, VarId};
use cfg_core::ir::{
    Dim, Expr, Extent, External, Global, Intent, Op, Order, Overlay, Partial, Place, Program, Role,
    Routine, ScalarType, Selector, Stmt, Variable,
};
use std::collections::BTreeSet;

/// Index variables hold 1 to this; every array has at least as many elements along each dimension.
pub(super) const INDEX_MAX: i64 = 4;
/// What other integer variables hold.
const INTEGER_RANGE: (i64, i64) = (-40, 40);
/// What a loop index may hold outside its loop.
const LOOP_RANGE: (i64, i64) = (-40, 40);

/// What the point needs to know of a parameter of the main routine.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) extents: Vec<usize>,
    pub(super) range: (i64, i64),
}

/// Who may assign a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Any statement.
    Free,
    /// Nobody: `in` parameters, sizes.
    Fixed,
    /// Counted loops.
    LoopIndex,
    /// The loop that it counts or controls.
    Counter,
}

/// A variable and what is known of it throughout.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub(super) id: VarId,
    pub(super) ty: ScalarType,
    /// Lower bound and extent of each dimension.
    pub(super) dims: Vec<(i64, i64)>,
    pub(super) column: bool,
    pub(super) usage: Use,
    /// An integer variable never holds anything else.
    pub(super) range: (i64, i64),
    /// Its cells are consecutive.
    pub(super) dense: bool,
    /// The global that owns its storage.
    pub(super) global: Option<usize>,
}

impl Var {
    pub(super) fn is_scalar(&self) -> bool {
        self.dims.is_empty()
    }

    pub(super) fn len(&self) -> i64 {
        self.dims.iter().map(|d| d.1).product()
    }
}

/// What is known at the current place of the program.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// By variable: certainly (wholly) initialised.
    pub(super) init: Vec<bool>,
    /// By variable: the range here, within [`Var::range`].
    pub(super) range: Vec<(i64, i64)>,
}

/// The making of one routine.
pub(super) struct Builder<'a> {
    pub(super) rng: &'a mut Rng,
    pub(super) options: &'a Options,
    pub(super) signatures: &'a [Signature],
    pub(super) globals: &'a [Global],
    pub(super) routine: Routine,
    pub(super) vars: Vec<Var>,
    pub(super) state: State,
    /// Locks of running loops, by variable.
    pub(super) locked: Vec<bool>,
    /// Bound on how often the current place is executed in one call.
    pub(super) times: u64,
    /// Bound on the steps of one call so far.
    pub(super) cost: u64,
    /// Bound on the steps of one call.
    pub(super) limit: u64,
    pub(super) reads: BTreeSet<usize>,
    pub(super) writes: BTreeSet<usize>,
    /// The routine's own signature, while it may call itself.
    pub(super) own: Option<Signature>,
    pub(super) self_calls: u32,
    pub(super) formals: Vec<Formal>,
}

/// A whole program, its bodies, and the parameters of its last routine, which is the main one.
pub(super) fn program(
    rng: &mut Rng,
    options: &Options,
) -> (Program, Vec<Option<Region>>, Vec<Parameter>) {
    let mut program = Program::default();
    let mut trees = Vec::new();
    let mut signatures = Vec::new();
    if rng.percent(options.globals) {
        program.globals = globals(rng, options);
    }
    if rng.percent(options.externals) {
        let (routine, signature) = external(rng, options);
        program.routines.push(routine);
        trees.push(None);
        signatures.push(signature);
    }
    let helpers = match rng.below(100) {
        0..25 => 0,
        _ => 1 + rng.below(options.helpers),
    };
    let narrow = rng.percent(options.real32);
    for k in 0..helpers {
        let recursive = rng.percent(options.recursion);
        let function = !recursive && rng.percent(40);
        let limit = options.steps / 40;
        let id = RoutineId::new(program.routines.len());
        let mut b = Builder::new(rng, options, &signatures, &program.globals, limit);
        let name = if recursive {
            format!("again{k}")
        } else if function {
            format!("value{k}")
        } else {
            format!("part{k}")
        };
        b.routine.name = name;
        let (signature, tree) = b.helper(id, recursive, function, narrow);
        let routine = b.routine;
        program.routines.push(routine);
        trees.push(Some(tree));
        signatures.push(signature);
    }
    let mut b = Builder::new(rng, options, &signatures, &program.globals, options.steps);
    b.routine.name = "main".to_owned();
    let (tree, parameters) = b.main(narrow);
    let routine = b.routine;
    program.routines.push(routine);
    trees.push(Some(tree));
    (program, trees, parameters)
}

fn globals(rng: &mut Rng, options: &Options) -> Vec<Global> {
    let value = |rng: &mut Rng| match options.arithmetic {
        Arithmetic::Exact => Expr::Real(rng.between(-2, 2) as f64),
        Arithmetic::Smooth => Expr::Real((rng.real(-1.0, 1.0) * 64.0).round() / 64.0),
    };
    let mut globals = Vec::new();
    let mut add = |name: &str, ty, shape, initial, overlay| {
        let id = GlobalId::new(globals.len());
        globals.push(Global {
            variable: Variable::new(name, ty, shape, Role::Global(id)),
            initial,
            overlay,
        });
        id
    };
    let first = Box::new([value(rng)]);
    add("gs", ScalarType::Real, vec![], Some(first), None);
    let vector = |n| vec![Dim::of(Expr::Int(n))];
    if rng.percent(60) {
        let values = (0..6).map(|_| value(rng)).collect();
        let base = add("ga", ScalarType::Real, vector(6), Some(values), None);
        if rng.percent(options.overlays) {
            let offset = rng.between(0, 2);
            let overlay = Some(Overlay { base, offset });
            add("go", ScalarType::Real, vector(4), None, overlay);
        }
    }
    if rng.percent(60) {
        let first = Expr::Int(rng.between(1, INDEX_MAX));
        add(
            "gi",
            ScalarType::Integer,
            vec![],
            Some(Box::new([first])),
            None,
        );
    }
    globals
}

/// An external function of two reals, given by value and partials.
fn external(rng: &mut Rng, options: &Options) -> (Routine, Signature) {
    let mut routine = Routine {
        name: "given".to_owned(),
        parameters: 2,
        ..Routine::default()
    };
    for name in ["u", "v"] {
        let role = Role::Parameter {
            intent: Intent::In,
            optional: false,
        };
        routine.add_variable(Variable::new(name, ScalarType::Real, vec![], role));
    }
    let (u, v) = (VarId::new(0), VarId::new(1));
    let result = routine.add_variable(Variable::new("w", ScalarType::Real, vec![], Role::Local));
    routine.result = Some(result);
    let (value, du, dv) = match options.arithmetic {
        // u*v + c*u
        Arithmetic::Exact => {
            let c = Expr::Real(rng.between(1, 3) as f64);
            let product = Expr::op(Op::Mul, [u.into(), v.into()]);
            let scaled = Expr::op(Op::Mul, [c.clone(), u.into()]);
            (
                Expr::op(Op::Add, [product, scaled]),
                Expr::op(Op::Add, [v.into(), c]),
                u.into(),
            )
        }
        // sin(u) * cos(v)
        Arithmetic::Smooth => {
            let f = |op, x: VarId| Expr::op(op, [x.into()]);
            let times = |a, b| Expr::op(Op::Mul, [a, b]);
            (
                times(f(Op::Sin, u), f(Op::Cos, v)),
                times(f(Op::Cos, u), f(Op::Cos, v)),
                Expr::op(Op::Neg, [times(f(Op::Sin, u), f(Op::Sin, v))]),
            )
        }
    };
    routine.external = Some(Box::new(External {
        value: Some(value),
        partials: vec![
            Partial {
                parameter: u,
                value: du,
            },
            Partial {
                parameter: v,
                value: dv,
            },
        ],
    }));
    let formal = || Formal {
        ty: ScalarType::Real,
        intent: Intent::In,
        shape: Shape::Scalar,
        range: (0, 0),
        optional: false,
    };
    let signature = Signature {
        id: RoutineId::new(0),
        formals: vec![formal(), formal()],
        result: true,
        cost: 1,
        reads: BTreeSet::new(),
        writes: BTreeSet::new(),
        aliased: false,
    };
    (routine, signature)
}

impl<'a> Builder<'a> {
    fn new(
        rng: &'a mut Rng,
        options: &'a Options,
        signatures: &'a [Signature],
        globals: &'a [Global],
        limit: u64,
    ) -> Self {
        Self {
            rng,
            options,
            signatures,
            globals,
            routine: Routine::default(),
            vars: Vec::new(),
            state: State::default(),
            locked: Vec::new(),
            times: 1,
            cost: 0,
            limit,
            reads: BTreeSet::new(),
            writes: BTreeSet::new(),
            own: None,
            self_calls: 0,
            formals: Vec::new(),
        }
    }

    pub(super) fn exact(&self) -> bool {
        self.options.arithmetic == Arithmetic::Exact
    }

    fn add(&mut self, variable: Variable, var: impl FnOnce(VarId) -> Var, init: bool) -> usize {
        let id = self.routine.add_variable(variable);
        let var = var(id);
        self.state.init.push(init);
        self.state.range.push(var.range);
        self.locked.push(false);
        self.vars.push(var);
        self.vars.len() - 1
    }

    /// Adds a parameter as the formal says.
    fn parameter(&mut self, name: &str, formal: Formal) -> usize {
        let size = self
            .vars
            .iter()
            .position(|v| v.is_scalar() && v.ty == ScalarType::Integer && v.range.0 == v.range.1);
        let (shape, dims, dense) = match &formal.shape {
            Shape::Scalar => (vec![], vec![], true),
            Shape::Explicit(extents) => {
                let shape = extents.iter().map(|&n| match size {
                    Some(s) if self.vars[s].range.0 == n => Dim::of(self.vars[s].id.into()),
                    _ => Dim::of(Expr::Int(n)),
                });
                (
                    shape.collect(),
                    extents.iter().map(|&n| (1, n)).collect(),
                    true,
                )
            }
            Shape::Assumed(n) => {
                let lower = self.rng.between(0, 1);
                let dim = Dim {
                    lower: Expr::Int(lower),
                    extent: Extent::Deferred,
                };
                (vec![dim], vec![(lower, *n)], false)
            }
        };
        let (intent, optional) = (formal.intent, formal.optional);
        let role = Role::Parameter { intent, optional };
        let (ty, range) = (formal.ty, formal.range);
        self.formals.push(formal);
        self.routine.parameters += 1;
        let variable = Variable::new(name, ty, shape, role);
        let make = |id| Var {
            id,
            ty,
            dims,
            column: false,
            usage: if optional || intent == Intent::In {
                Use::Fixed
            } else {
                Use::Free
            },
            range,
            dense,
            global: None,
        };
        self.add(variable, make, intent != Intent::Out && !optional)
    }

    /// Adds a local.
    fn local(&mut self, name: &str, ty: ScalarType, dims: Vec<(i64, i64)>, usage: Use) -> usize {
        let column = dims.len() > 1 && self.rng.percent(30);
        let size = self
            .vars
            .iter()
            .find(|v| v.is_scalar() && v.usage == Use::Fixed && v.range.0 == v.range.1);
        let size = size.map(|v| (v.id, v.range.0));
        let shape = dims.iter().map(|&(lower, n)| {
            let extent = match size {
                Some((v, value)) if value == n => v.into(),
                Some((v, value)) if value == n - 1 => Expr::op(Op::Add, [v.into(), Expr::Int(1)]),
                _ => Expr::Int(n),
            };
            Dim {
                lower: Expr::Int(lower),
                extent: Extent::Fixed(extent),
            }
        });
        let mut variable = Variable::new(name, ty, shape.collect(), Role::Local);
        if column {
            variable.order = Order::Column;
        }
        let range = match (ty, usage) {
            (ScalarType::Integer, Use::LoopIndex) => LOOP_RANGE,
            (ScalarType::Integer, Use::Counter) => (-8, 8),
            (ScalarType::Integer, _) if name.starts_with('i') => (1, INDEX_MAX),
            _ => INTEGER_RANGE,
        };
        let make = |id| Var {
            id,
            ty,
            dims,
            column,
            usage,
            range,
            dense: true,
            global: None,
        };
        self.add(variable, make, false)
    }

    /// Adds the locals of a routine; `much` for the main one.
    fn locals(&mut self, much: bool, narrow: bool) {
        let few = |b: &mut Self, low: usize, high: usize| low + b.rng.below(high - low + 1);
        let n = few(self, 2, if much { 5 } else { 3 });
        for k in 0..n {
            self.local(&format!("t{k}"), ScalarType::Real, vec![], Use::Free);
        }
        let arrays = if much {
            few(self, 1, 3)
        } else {
            few(self, 0, 1)
        };
        for k in 0..arrays {
            let lower = *self.rng.pick(&[1, 1, 1, 0, -2, 2]).unwrap_or(&1);
            let extent = *self.rng.pick(&[4, 4, 5, 6, 8]).unwrap_or(&4);
            self.local(
                &format!("w{k}"),
                ScalarType::Real,
                vec![(lower, extent)],
                Use::Free,
            );
        }
        if much && self.rng.percent(35) {
            let rows = self.rng.between(4, 5);
            let lower = self.rng.between(0, 1);
            self.local(
                "m",
                ScalarType::Real,
                vec![(lower, rows), (1, 4)],
                Use::Free,
            );
        }
        if much && self.rng.percent(self.options.allocatables) {
            let k = self.local("h", ScalarType::Real, vec![(1, 4)], Use::Free);
            self.routine.variables[self.vars[k].id.index()].shape = vec![Dim {
                lower: Expr::Int(1),
                extent: Extent::Deferred,
            }];
        }
        if narrow {
            self.local("r0", ScalarType::Real32, vec![], Use::Free);
            self.local("r1", ScalarType::Real32, vec![(1, 4)], Use::Free);
        }
        for k in 0..few(self, 1, 3) {
            self.local(&format!("i{k}"), ScalarType::Integer, vec![], Use::Free);
        }
        if self.rng.percent(30) {
            self.local("ip", ScalarType::Integer, vec![(1, 4)], Use::Free);
        }
        for k in 0..few(self, 0, 2) {
            self.local(&format!("k{k}"), ScalarType::Integer, vec![], Use::Free);
        }
        for k in 0..few(self, 0, 2) {
            self.local(&format!("b{k}"), ScalarType::Logical, vec![], Use::Free);
        }
        let depth = self.options.nesting;
        for k in 0..depth {
            self.local(
                &format!("l{k}"),
                ScalarType::Integer,
                vec![],
                Use::LoopIndex,
            );
        }
        for k in 0..depth {
            self.local(&format!("c{k}"), ScalarType::Integer, vec![], Use::Counter);
        }
        for k in 0..2 {
            self.local(
                &format!("more{k}"),
                ScalarType::Logical,
                vec![],
                Use::Counter,
            );
        }
        self.use_globals();
    }

    fn use_globals(&mut self) {
        for g in 0..self.globals.len() {
            if self.rng.percent(30) {
                continue;
            }
            let variable = self.globals[g].variable.clone();
            let dims: Vec<(i64, i64)> = (variable.shape.iter())
                .filter_map(|d| match d.extent {
                    Extent::Fixed(Expr::Int(n)) => Some((1, n)),
                    _ => None,
                })
                .collect();
            let storage = self.globals[g].overlay.map_or(g, |o| o.base.index());
            let ty = variable.ty;
            let make = |id| Var {
                id,
                ty,
                dims,
                column: false,
                usage: Use::Free,
                range: (1, INDEX_MAX),
                dense: true,
                global: Some(storage),
            };
            self.add(variable, make, true);
        }
    }

    /// Statements that give most locals a first value.
    pub(super) fn first_values(&mut self) -> Vec<Stmt> {
        let mut statements = Vec::new();
        for v in 0..self.vars.len() {
            let var = &self.vars[v];
            let needed = !var.is_scalar() || var.ty != ScalarType::Real || self.rng.percent(70);
            if self.state.init[v] || var.usage != Use::Free || !needed {
                continue;
            }
            let var = self.vars[v].clone();
            let value = match var.ty {
                ScalarType::Real => {
                    let allocatable = (self.routine.variable(var.id).shape.iter())
                        .any(|d| d.extent == Extent::Deferred);
                    if allocatable {
                        match self.four_of(ScalarType::Real) {
                            Some(place) => Expr::Place(place),
                            None => continue,
                        }
                    } else {
                        self.real(1)
                    }
                }
                ScalarType::Real32 => self.narrow(0),
                ScalarType::Integer => self.integer_in(var.range.0, var.range.1, 1),
                ScalarType::Logical => self.condition(1),
                ScalarType::Tape => continue,
            };
            self.spend(1);
            statements.push(Stmt::assign(Place::whole(var.id), value));
            self.state.init[v] = true;
        }
        statements
    }

    /// Counts statements or vertices.
    pub(super) fn spend(&mut self, n: u64) {
        self.cost += n * self.times;
    }

    pub(super) fn affordable(&self, n: u64) -> bool {
        self.cost + n * self.times <= self.limit
    }

    fn main(&mut self, narrow: bool) -> (Region, Vec<Parameter>) {
        let real = |intent, shape| Formal {
            ty: ScalarType::Real,
            intent,
            shape,
            range: (0, 0),
            optional: false,
        };
        let size = self.rng.between(4, 6);
        if self.rng.percent(80) {
            self.parameter(
                "n",
                Formal {
                    ty: ScalarType::Integer,
                    intent: Intent::In,
                    shape: Shape::Scalar,
                    range: (size, size),
                    optional: false,
                },
            );
        }
        self.parameter("x", real(Intent::In, Shape::Explicit(vec![size])));
        if self.rng.percent(60) {
            self.parameter("s", real(Intent::In, Shape::Scalar));
        }
        if self.rng.percent(50) {
            self.parameter("z", real(Intent::InOut, Shape::Explicit(vec![size])));
        }
        if self.rng.percent(30) {
            self.parameter("q", real(Intent::InOut, Shape::Scalar));
        }
        if self.rng.percent(30) {
            let written = self.rng.percent(50);
            self.parameter(
                "i9",
                Formal {
                    ty: ScalarType::Integer,
                    intent: if !written { Intent::In } else { Intent::InOut },
                    shape: Shape::Scalar,
                    range: (1, INDEX_MAX),
                    optional: false,
                },
            );
        }
        if self.rng.percent(15) {
            self.parameter(
                "flag",
                Formal {
                    ty: ScalarType::Logical,
                    ..real(Intent::In, Shape::Scalar)
                },
            );
        }
        if narrow {
            self.parameter(
                "r9",
                Formal {
                    ty: ScalarType::Real32,
                    ..real(Intent::In, Shape::Scalar)
                },
            );
        }
        let function = self.rng.percent(25);
        if !function || self.rng.percent(30) {
            self.parameter("y", real(Intent::Out, Shape::Scalar));
        }
        if self.rng.percent(50) {
            self.parameter("v", real(Intent::Out, Shape::Explicit(vec![size])));
        }
        if function {
            let k = self.local("f", ScalarType::Real, vec![], Use::Free);
            self.routine.result = Some(self.vars[k].id);
        }
        self.locals(true, narrow);
        let size = self.rng.between(
            self.options.statements.0 as i64,
            self.options.statements.1 as i64,
        );
        let mut region = vec![Node::Block(self.first_values())];
        region.extend(self.planned(size as usize));
        region.extend(self.last_values());
        for p in self.routine.parameter_ids() {
            let variable = self.routine.variable(p);
            if !variable.ty.is_real() {
                continue;
            }
            let intent = variable.intent();
            if intent != Some(Intent::Out) {
                self.routine.independents.push(p);
            }
            if intent != Some(Intent::In) {
                self.routine.dependents.push(p);
            }
        }
        self.routine.dependents.extend(self.routine.result);
        let parameters = (self.vars[..self.routine.parameters].iter())
            .map(|v| Parameter {
                extents: v.dims.iter().map(|d| d.1 as usize).collect(),
                range: v.range,
            })
            .collect();
        (region, parameters)
    }

    fn helper(
        &mut self,
        id: RoutineId,
        recursive: bool,
        function: bool,
        narrow: bool,
    ) -> (Signature, Region) {
        let scalar = |ty, intent, range| Formal {
            ty,
            intent,
            shape: Shape::Scalar,
            range,
            optional: false,
        };
        if recursive {
            self.parameter("d", scalar(ScalarType::Integer, Intent::In, (0, 3)));
        }
        let array = self.rng.percent(65);
        if array && self.rng.percent(40) {
            self.parameter("n", scalar(ScalarType::Integer, Intent::In, (4, 4)));
        }
        let (real, integer) = (ScalarType::Real, ScalarType::Integer);
        self.parameter("p", scalar(real, Intent::In, (0, 0)));
        if array {
            let shape = match self.rng.below(5) {
                0..2 => Shape::Explicit(vec![4]),
                2 if !function => Shape::Explicit(vec![4, 4]),
                _ => Shape::Assumed(4),
            };
            let intent = match self.rng.below(5) {
                0..2 => Intent::In,
                2 if !function => Intent::Out,
                _ if !function => Intent::InOut,
                _ => Intent::In,
            };
            self.parameter(
                "a",
                Formal {
                    ty: real,
                    intent,
                    shape,
                    range: (0, 0),
                    optional: false,
                },
            );
        }
        if !function {
            let intent = if self.rng.percent(50) {
                Intent::Out
            } else {
                Intent::InOut
            };
            self.parameter("o", scalar(real, intent, (0, 0)));
            if self.rng.percent(30) {
                self.parameter("e", scalar(real, Intent::InOut, (0, 0)));
            }
        }
        if self.rng.percent(40) {
            let intent = if !function && self.rng.percent(50) {
                Intent::InOut
            } else {
                Intent::In
            };
            self.parameter("i9", scalar(integer, intent, (1, INDEX_MAX)));
        }
        let optional = self.rng.percent(self.options.optionals).then(|| {
            let intent = if !function && self.rng.percent(50) {
                Intent::InOut
            } else {
                Intent::In
            };
            let formal = Formal {
                optional: true,
                ..scalar(real, intent, (0, 0))
            };
            self.parameter("u", formal)
        });
        self.routine.aliased = !function && !recursive && self.rng.percent(self.options.aliased);
        if function {
            let k = self.local("f", real, vec![], Use::Free);
            self.routine.result = Some(self.vars[k].id);
        }
        let narrow = narrow && self.rng.percent(30);
        self.locals(false, narrow);
        let size = 3 + self.rng.below(10);
        let mut region = vec![Node::Block(self.first_values())];
        if let Some(u) = optional {
            region.push(self.if_present(u));
        }
        let formals = self.formals.clone();
        // A recursive routine may touch any global that it uses before its own signature is complete.
        let used: BTreeSet<usize> = self.vars.iter().filter_map(|v| v.global).collect();
        if recursive {
            self.own = Some(Signature {
                id,
                formals: formals.clone(),
                result: false,
                cost: 1,
                reads: used.clone(),
                writes: used.clone(),
                aliased: false,
            });
            region.extend(self.recursive_body(size));
        } else {
            region.extend(self.region(0, size));
        }
        if let Some(u) = optional {
            region.push(self.if_present(u));
        }
        region.extend(self.last_values());
        let k = u64::from(self.self_calls);
        let signature = Signature {
            id,
            formals,
            result: function,
            cost: self.cost * (1 + k + k * k + k * k * k),
            reads: self.reads.clone(),
            writes: self.writes.clone(),
            aliased: self.routine.aliased,
        };
        (signature, region)
    }

    /// Statements that use an optional parameter where it is given.
    fn if_present(&mut self, u: usize) -> Node {
        let id = self.vars[u].id;
        let given = || Expr::op(Op::Present, [id.into()]);
        self.spend(2);
        let before = self.state.clone();
        self.state.init[u] = true;
        let written = self.formals[u].intent.writes();
        if written {
            self.vars[u].usage = Use::Free;
        }
        let n = 1 + self.rng.below(3);
        let mut statements = self.statements(n);
        let mut targets = self.writable(ScalarType::Real, false);
        targets.retain(|&v| v != u && self.state.init[v]);
        if let Some(&v) = self.rng.pick(&targets) {
            let target = self.vars[v].id;
            self.note_write(v);
            let sum = Expr::op(Op::Add, [target.into(), id.into()]);
            statements.push(Stmt::assign(Place::whole(target), sum));
        }
        if written && self.rng.percent(60) {
            let e = self.real(2);
            statements.push(Stmt::assign(Place::whole(id), e));
        }
        self.vars[u].usage = Use::Fixed;
        self.state = before;
        Node::Branch {
            selector: Selector::Condition(given()),
            arms: vec![(1, vec![Node::Block(statements)]), (0, vec![])],
        }
    }

    /// Statements at the end of the routine: a value for what must have one, and outputs that depend on
    /// what was computed.
    fn last_values(&mut self) -> Region {
        let mut statements = Vec::new();
        for v in 0..self.vars.len() {
            let var = self.vars[v].clone();
            let output = self.routine.result == Some(var.id)
                || (self.formals.get(v)).is_some_and(|f| f.intent != Intent::In && !f.optional);
            if !output || var.ty != ScalarType::Real || (self.state.init[v] && self.rng.percent(40))
            {
                continue;
            }
            let mut value = self.real(2);
            if self.state.init[v] && var.is_scalar() {
                value = Expr::op(Op::Add, [Expr::var(var.id), value]);
            }
            if self.state.init[v] && !var.is_scalar() {
                continue;
            }
            self.spend(1);
            statements.push(Stmt::assign(Place::whole(var.id), value));
            self.note_write(v);
            self.state.init[v] = true;
        }
        if statements.is_empty() {
            vec![]
        } else {
            vec![Node::Block(statements)]
        }
    }

    pub(super) fn note_read(&mut self, v: usize) {
        self.reads.extend(self.vars[v].global);
    }

    pub(super) fn note_write(&mut self, v: usize) {
        self.writes.extend(self.vars[v].global);
    }

    /// Variables of a type that may be read here.
    pub(super) fn readable(&self, ty: ScalarType, arrays: bool) -> Vec<usize> {
        (0..self.vars.len())
            .filter(|&v| {
                self.vars[v].ty == ty && self.vars[v].is_scalar() != arrays && self.state.init[v]
            })
            .collect()
    }

    /// Variables of a type that a statement may assign here.
    pub(super) fn writable(&self, ty: ScalarType, arrays: bool) -> Vec<usize> {
        (0..self.vars.len())
            .filter(|&v| {
                let var = &self.vars[v];
                var.ty == ty
                    && var.is_scalar() != arrays
                    && var.usage == Use::Free
                    && !self.locked[v]
            })
            .collect()
    }
}
