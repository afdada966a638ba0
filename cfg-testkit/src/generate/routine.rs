//! The main routine and helper routines: parameters, body, final values of outputs.

use super::build::{Builder, INDEX_MAX, Parameter, Use};
use super::signature::{Formal, Returns, Shape, Signature};
use crate::tree::{Node, Region};
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::ir::{Expr, Extent, IntType, Intent, Op, Place, ScalarType, Selector, Stmt};
use std::collections::BTreeSet;

impl Builder<'_> {
    pub(super) fn main(&mut self, narrow: bool) -> (Region, Vec<Parameter>) {
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
        let mut optionals = Vec::new();
        if self.rng.percent(self.options.main_optionals) {
            let optional = |intent, shape| Formal {
                optional: true,
                ..real(intent, shape)
            };
            for k in 0..1 + self.rng.below(3) {
                let intents = [Intent::In, Intent::InOut, Intent::Out];
                let intent = *self.rng.pick(&intents).unwrap_or(&Intent::In);
                let shape = match self.rng.below(3) {
                    0 => Shape::Explicit(vec![size]),
                    _ => Shape::Scalar,
                };
                optionals.push(self.parameter(&format!("u{k}"), optional(intent, shape)));
            }
        }
        self.more_parameters(size, narrow);
        let function = self.rng.percent(25);
        if !function || self.rng.percent(30) {
            self.parameter("y", real(Intent::Out, Shape::Scalar));
        }
        if self.rng.percent(50) {
            self.parameter("v", real(Intent::Out, Shape::Explicit(vec![size])));
        }
        if function {
            self.function_result(self.options.declarations / 4, false);
            // The shape of a function's result must be known before the call.
            if let Some(f) = self.routine.result {
                for dim in &mut self.routine.variables[f.index()].shape {
                    dim.extent = Extent::Fixed(Expr::Int(4));
                }
            }
        }
        self.locals(true, narrow);
        let size = self.rng.between(
            self.options.statements.0 as i64,
            self.options.statements.1 as i64,
        );
        let mut region = vec![Node::Block(self.first_values())];
        for &u in &optionals {
            region.push(self.if_present(u));
        }
        region.extend(self.planned(size as usize));
        for &u in &optionals {
            region.push(self.if_present(u));
        }
        region.extend(self.last_values());
        self.lists();
        let parameters = (self.vars[..self.routine.parameters.len()].iter())
            .map(|v| Parameter {
                extents: v.dims.iter().map(|d| d.1 as usize).collect(),
                range: v.range,
            })
            .collect();
        (region, parameters)
    }

    /// Parameters of the main routine that few programs have.
    fn more_parameters(&mut self, size: i64, narrow: bool) {
        let odd = self.options.declarations;
        let formal = |ty, intent, shape, range| Formal {
            ty,
            intent,
            shape,
            range,
            optional: false,
        };
        let intent = |b: &mut Self| match b.rng.percent(50) {
            true => Intent::In,
            false => Intent::InOut,
        };
        if self.rng.percent(odd / 4) {
            let intent = intent(self);
            let shape = Shape::Explicit(vec![size, 4]);
            self.parameter("xm", formal(ScalarType::Real, intent, shape, (0, 0)));
        }
        if self.rng.percent(odd / 5) {
            let intent = intent(self);
            let shape = Shape::Assumed(size);
            self.parameter("xd", formal(ScalarType::Real, intent, shape, (0, 0)));
        }
        if self.rng.percent(odd / 8) {
            let intent = intent(self);
            let shape = Shape::Explicit(vec![4]);
            let range = (1, INDEX_MAX);
            self.parameter("ix", formal(ScalarType::Integer, intent, shape, range));
        }
        if self.rng.percent(odd / 8) {
            let intent = intent(self);
            let shape = Shape::Explicit(vec![4]);
            self.parameter("bx", formal(ScalarType::Logical, intent, shape, (0, 0)));
        }
        if self.options.operators && self.rng.percent(odd / 5) {
            let intent = intent(self);
            let ty = *self.rng.pick(&IntType::ALL).unwrap_or(&IntType::Int8);
            let shape = if self.rng.percent(50) {
                Shape::Explicit(vec![4])
            } else {
                Shape::Scalar
            };
            self.parameter("sx", formal(ScalarType::Sized(ty), intent, shape, (0, 0)));
        }
        if narrow && self.rng.percent(odd / 2) {
            let intent = intent(self);
            let shape = Shape::Explicit(vec![4]);
            self.parameter("rx", formal(ScalarType::Real32, intent, shape, (0, 0)));
        }
    }

    /// Declares the result of a function, a real scalar unless it is `odd`.
    fn function_result(&mut self, odd: usize, any: bool) -> Returns {
        let record = self.record.filter(|_| any && self.rng.percent(35));
        let returns = match self.rng.below(5) {
            _ if record.is_some() => record.map_or(Returns::Nothing, Returns::Scalar),
            _ if !self.rng.percent(odd) => Returns::Scalar(ScalarType::Real),
            0 if any => Returns::Scalar(ScalarType::Integer),
            2 if any && self.options.operators => {
                let ty = *self.rng.pick(&IntType::ALL).unwrap_or(&IntType::Int8);
                Returns::Scalar(ScalarType::Sized(ty))
            }
            1 if any => Returns::Scalar(ScalarType::Logical),
            _ => Returns::Four,
        };
        let k = match returns {
            Returns::Four => self.array_of_result(),
            // Its name says that it is good as an index.
            Returns::Scalar(ScalarType::Integer) => {
                self.local("if", ScalarType::Integer, vec![], Use::Free)
            }
            Returns::Scalar(ty) => self.local("f", ty, vec![], Use::Free),
            Returns::Nothing => return returns,
        };
        self.routine.result = Some(self.vars[k].id);
        returns
    }

    /// Four reals; the extent is that of an argument with four elements, if there is one. No random number is drawn.
    fn array_of_result(&mut self) -> usize {
        let which = self.vars.len();
        let lower = [1, 1, 0, -2][which % 4];
        let k = self.local("f", ScalarType::Real, vec![(lower, 4)], Use::Free);
        let four = |formal: &Formal| formal.shape == Shape::Assumed(4) && !formal.optional;
        if let Some(a) = self
            .formals
            .iter()
            .position(four)
            .filter(|_| which.is_multiple_of(2))
        {
            let size = Expr::op(Op::Size, [self.vars[a].value(), Expr::Int(1)]);
            let f = self.vars[k].id;
            self.routine.variables[f.index()].shape[0].extent = Extent::Fixed(size);
        }
        k
    }

    /// The independents and dependents of the main routine.
    fn lists(&mut self) {
        for p in self.routine.parameters.clone() {
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
        if self.rng.percent(self.options.global_lists) {
            let initialised = |v: &usize| {
                let owner = self.vars[*v].global;
                self.vars[*v].is_plain() && owner.is_some_and(|g| self.globals[g].initial.is_some())
            };
            let globals: Vec<usize> = (0..self.vars.len())
                .filter(|v| initialised(v) && self.vars[*v].ty.is_real())
                .collect();
            let mut owners = BTreeSet::new();
            for v in globals {
                let id = self.vars[v].id;
                // Independents that share cells are refused.
                let alone = !owners.contains(&self.vars[v].global);
                if self.rng.percent(if alone { 60 } else { 8 }) {
                    self.routine.independents.push(id);
                    owners.insert(self.vars[v].global);
                }
                if self.rng.percent(60) {
                    self.routine.dependents.push(id);
                }
            }
        }
        if self.rng.percent(self.options.declarations / 2) {
            for k in 0..2 {
                let mut list = match k {
                    0 => std::mem::take(&mut self.routine.independents),
                    _ => std::mem::take(&mut self.routine.dependents),
                };
                self.rng.shuffle(&mut list);
                if list.len() > 1 && self.rng.percent(40) {
                    list.pop();
                }
                match k {
                    0 => self.routine.independents = list,
                    _ => self.routine.dependents = list,
                }
            }
        }
    }

    pub(super) fn helper(
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
        // Parameters of a function are written if it is an unusual one.
        let writes = !function || self.is_odd();
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
                2 if writes => Intent::Out,
                _ if writes => Intent::InOut,
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
        if writes {
            let intent = if self.rng.percent(50) {
                Intent::Out
            } else {
                Intent::InOut
            };
            self.parameter("o", scalar(real, intent, (0, 0)));
            if self.rng.percent(30) {
                let intent = match self.is_odd() {
                    true => Intent::Out,
                    false => Intent::InOut,
                };
                self.parameter("e", scalar(real, intent, (0, 0)));
            }
        }
        if self.rng.percent(40) {
            let intent = if writes && self.rng.percent(50) {
                Intent::InOut
            } else {
                Intent::In
            };
            self.parameter("i9", scalar(integer, intent, (1, INDEX_MAX)));
            if self.is_odd() {
                self.parameter("i8", scalar(integer, intent, (1, INDEX_MAX)));
            }
        }
        let optional = self.rng.percent(self.options.optionals).then(|| {
            let intent = if writes && self.rng.percent(50) {
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
        let mut optionals: Vec<usize> = optional.into_iter().collect();
        if self.rng.percent(self.options.main_optionals / 2) {
            let intents = [Intent::In, Intent::InOut, Intent::Out];
            let intent = match writes {
                true => *self.rng.pick(&intents).unwrap_or(&Intent::In),
                false => Intent::In,
            };
            let formal = Formal {
                optional: true,
                shape: match self.rng.percent(30) {
                    true => Shape::Explicit(vec![4]),
                    false => Shape::Scalar,
                },
                ..scalar(real, intent, (0, 0))
            };
            optionals.push(self.parameter("uu", formal));
        }
        if let Some(record) = self.record {
            for (name, chance, shape, optional) in [
                ("ra", 50, Shape::Scalar, false),
                ("rb", 25, Shape::Scalar, false),
                ("rc", 30, Shape::Explicit(vec![4]), false),
                ("rd", 20, Shape::Assumed(4), false),
                ("re", 25, Shape::Scalar, true),
            ] {
                if self.rng.percent(chance) {
                    let intent = match writes && self.rng.percent(60) {
                        true => Intent::InOut,
                        false => Intent::In,
                    };
                    let formal = Formal {
                        shape,
                        optional,
                        ..scalar(record, intent, (0, 0))
                    };
                    let v = self.parameter(name, formal);
                    optionals.extend(optional.then_some(v));
                }
            }
        }
        let may = (!function && !recursive) || self.is_odd();
        self.routine.aliased = may && self.rng.percent(self.options.aliased);
        let returns = match function {
            true => self.function_result(self.options.declarations / 2, true),
            false => Returns::Nothing,
        };
        let returns = match returns {
            Returns::Scalar(ScalarType::Logical) if narrow => {
                let f = self.routine.result.map_or(0, VarId::index);
                self.routine.variables[f].ty = ScalarType::Real32;
                self.vars[f].ty = ScalarType::Real32;
                Returns::Scalar(ScalarType::Real32)
            }
            other => other,
        };
        let narrow = narrow && self.rng.percent(30);
        self.locals(false, narrow);
        let size = 3 + self.rng.below(self.options.statements.1.min(10));
        let mut region = vec![Node::Block(self.first_values())];
        for &u in &optionals {
            region.push(self.if_present(u));
        }
        let formals = self.formals.clone();
        // A recursive routine may touch any global that it uses before its own signature is complete.
        let used: BTreeSet<usize> = self.vars.iter().filter_map(|v| v.global).collect();
        if recursive {
            self.own = Some(Signature {
                id,
                formals: formals.clone(),
                result: returns,
                cost: 1,
                reads: used.clone(),
                writes: used.clone(),
                aliased: self.routine.aliased,
            });
            region.extend(self.recursive_body(size));
        } else {
            region.extend(self.region(0, size));
        }
        for &u in &optionals {
            region.push(self.if_present(u));
        }
        region.extend(self.last_values());
        let k = u64::from(self.self_calls);
        let signature = Signature {
            id,
            formals,
            result: returns,
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
        let written = self.formals[u].intent.writes();
        let mut statements = Vec::new();
        if self.formals[u].intent == Intent::Out {
            let value = self.real(1);
            statements.push(Stmt::assign(Place::whole(id), value));
        }
        let parts = self.with_fields(u);
        for &part in &parts {
            self.state.init[part] = true;
            if written {
                self.vars[part].usage = Use::Free;
            }
        }
        let n = 1 + self.rng.below(3);
        statements.extend(self.statements(n));
        let mut targets = self.writable(ScalarType::Real, false);
        targets.retain(|v| !parts.contains(v) && self.state.init[*v]);
        if let Some(&v) = self.rng.pick(&targets) {
            self.note_write(v);
            let real = parts.iter().find(|&&part| self.vars[part].ty.is_real());
            let part = real.copied().unwrap_or(u);
            let given = match self.vars[part].is_scalar() {
                true => self.vars[part].value(),
                false => Expr::Place(self.element(part)),
            };
            let sum = Expr::op(Op::Add, [self.vars[v].value(), given]);
            statements.push(Stmt::assign(self.vars[v].whole(), sum));
        }
        if written && self.vars[u].ty.is_real() && self.rng.percent(60) {
            let e = self.real(2);
            statements.push(Stmt::assign(Place::whole(id), e));
        }
        for part in parts {
            self.vars[part].usage = Use::Fixed;
        }
        self.state = before;
        Node::Branch {
            selector: Selector::Condition(given()),
            arms: vec![(1, vec![Node::Block(statements)]), (0, vec![])],
        }
    }

    /// Statements at the end of the routine: values for outputs that have none yet, and outputs that depend on
    /// computed values.
    fn last_values(&mut self) -> Region {
        let mut statements = Vec::new();
        for v in 0..self.vars.len() {
            let var = self.vars[v].clone();
            let output = self.routine.result == Some(var.id)
                || (self.formals.get(v)).is_some_and(|f| f.intent != Intent::In && !f.optional);
            if !output || (self.state.init[v] && self.rng.percent(40)) {
                continue;
            }
            if var.ty != ScalarType::Real {
                if !self.state.init[v] {
                    let value = match var.ty {
                        ScalarType::Integer => self.integer_in(1, INDEX_MAX, 1),
                        ScalarType::Real32 => self.narrow(1),
                        ScalarType::Sized(ty) => self.sized(ty, 1),
                        _ => self.condition(1),
                    };
                    self.spend(1);
                    statements.push(Stmt::assign(var.whole(), value));
                    self.state.init[v] = true;
                }
                continue;
            }
            let mut value = self.real(2);
            if self.state.init[v] && var.is_scalar() {
                value = Expr::op(Op::Add, [var.value(), value]);
            }
            if self.state.init[v] && !var.is_scalar() {
                continue;
            }
            self.spend(1);
            statements.push(Stmt::assign(var.whole(), value));
            self.note_write(v);
            self.state.init[v] = true;
        }
        if statements.is_empty() {
            vec![]
        } else {
            vec![Node::Block(statements)]
        }
    }
}
