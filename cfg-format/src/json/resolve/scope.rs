//! Names of one routine: its table of variables, its graph.

use super::{Routines, Types, duplicate_name, unknown_global};
use crate::json::{
    codes,
    context::{Context, Cure, Seg},
    token::quote,
    wire::{EdgeDraft, RoutineDraft},
};
use cfg_core::{
    entity::{EdgeId, GlobalId, RoutineId, VarId, VertexId},
    ir::{Cfg, Edge, Expr, Extent, Global, Role, Routine, Variable, Vertex},
};
use std::collections::{HashMap, HashSet};

/// The meaning of a variable's name in a routine.
#[derive(Clone, Copy)]
enum Meaning {
    /// The name has not been looked up yet.
    Open,
    Known(VarId),
    /// The name was reported as unknown.
    Unknown,
}

/// One routine while its names are resolved.
pub(super) struct Scope<'p, 'c> {
    pub(super) routine: Routine,
    vertices: Option<Vec<Vertex>>,
    edges: Vec<EdgeDraft>,
    symbols: Vec<Box<str>>,
    meanings: Vec<Meaning>,
    table: HashMap<String, VarId>,
    globals: &'p [Global],
    global_ids: &'p HashMap<&'p str, GlobalId>,
    pub(super) routines: &'p Routines<'p>,
    pub(super) types: &'p Types,
    /// The end of the locals in the table.
    first_result: usize,
    /// The only tape.
    pub(super) tape: Option<VarId>,
    /// Name of a local in `result`.
    named_result: Option<VarId>,
    pub(super) in_labels: Vec<(EdgeId, i64)>,
    /// True if a part of the graph could not be read.
    pub(super) broken: bool,
    /// True if a declaration could not be read.
    names_lost: bool,
    pub(super) cx: &'c mut Context,
}

impl<'p, 'c> Scope<'p, 'c> {
    pub(super) fn new(
        mut draft: RoutineDraft,
        globals: &'p [Global],
        global_ids: &'p HashMap<&'p str, GlobalId>,
        routines: &'p Routines<'p>,
        types: &'p Types,
        cx: &'c mut Context,
    ) -> Self {
        let named_result = draft.routine.result.take();
        let mut scope = Self {
            named_result,
            routine: draft.routine,
            vertices: draft.vertices,
            edges: draft.edges,
            meanings: vec![Meaning::Open; draft.symbols.len()],
            symbols: draft.symbols,
            table: HashMap::new(),
            globals,
            global_ids,
            routines,
            types,
            first_result: 0,
            tape: None,
            in_labels: Vec::new(),
            broken: draft.broken,
            names_lost: draft.names_lost,
            cx,
        };
        scope.resolve_types(draft.result.as_mut());
        scope.declare(draft.global_names, draft.result);
        scope
    }

    /// Resolves the types of declarations.
    fn resolve_types(&mut self, result: Option<&mut Variable>) {
        let types = self.types;
        let parameters = self.routine.parameters.len();
        for (v, variable) in self.routine.variables.iter_mut().enumerate() {
            let path = match v.checked_sub(parameters) {
                None => [Seg::Key("parameters"), Seg::Index(v)],
                Some(local) => [Seg::Key("locals"), Seg::Index(local)],
            };
            types.resolve(&mut variable.ty, &path, self.cx);
        }
        if let Some(result) = result {
            types.resolve(&mut result.ty, &[Seg::Key("result")], self.cx);
        }
    }

    /// Completes the table of variables.
    fn declare(&mut self, global_names: Vec<usize>, result: Option<Variable>) {
        let parameters = self.routine.parameters.len();
        for v in global_names {
            let name = std::mem::take(&mut self.routine.variables[v].name);
            match self.global_ids.get(name.as_str()) {
                Some(g) => self.routine.variables[v] = self.globals[g.index()].variable.clone(),
                None => {
                    let length = self.cx.path.len();
                    self.cx
                        .path
                        .extend([Seg::Key("locals"), Seg::Index(v - parameters)]);
                    let known = self.globals.iter().map(|g| g.variable.name.as_str());
                    unknown_global("global", &name, known, self.cx);
                    self.cx.path.truncate(length);
                }
            }
        }
        let locals = self.routine.variables.len();
        self.first_result = locals;
        if let Some(result) = result {
            self.routine.result = Some(self.routine.add_variable(result));
        }
        for (v, variable) in self.routine.variables.iter().enumerate() {
            let id = VarId::new(v);
            if let Some(first) = self.table.insert(variable.name.clone(), id) {
                self.table.insert(variable.name.clone(), first);
                if !variable.name.is_empty() {
                    let path = if v < parameters {
                        vec![Seg::Key("parameters"), Seg::Index(v)]
                    } else if v < locals {
                        vec![Seg::Key("locals"), Seg::Index(v - parameters)]
                    } else {
                        vec![Seg::Key("result")]
                    };
                    duplicate_name("variable", &variable.name, &path, self.cx);
                }
            }
        }
        self.tape = super::only_tape(&self.routine);
    }

    /// The variable for a provisional id, or a report at the place of its first use.
    pub(super) fn lookup_variable(&mut self, provisional: VarId) -> Option<VarId> {
        let symbol = provisional.index();
        match self.meanings.get(symbol).copied() {
            Some(Meaning::Known(v)) => return Some(v),
            Some(Meaning::Unknown) | None => return None,
            Some(Meaning::Open) => {}
        }
        let name = &*self.symbols[symbol];
        let found = match (self.table.get(name), self.global_ids.get(name)) {
            (Some(&v), _) => Some(v),
            (None, Some(g)) => {
                let variable = self.globals[g.index()].variable.clone();
                Some(self.routine.add_variable(variable))
            }
            // The unreadable declaration may be the one of this name.
            (None, None) if self.names_lost => None,
            (None, None) => {
                let table = self.routine.variables.iter().map(|v| v.name.as_str());
                let globals = self.globals.iter().map(|g| g.variable.name.as_str());
                let otherwise = "declare it in `parameters` or `locals` of the routine, or in the program's `globals`";
                let help = self.cx.suggest(name, table.chain(globals), otherwise);
                self.cx.report(
                    &codes::UNKNOWN_VARIABLE,
                    format!("unknown variable {}", quote(name)),
                    help,
                );
                self.cx.cure(Cure::Expression, 0);
                None
            }
        };
        self.meanings[symbol] = found.map_or(Meaning::Unknown, Meaning::Known);
        found
    }

    pub(super) fn at_segment<R>(&mut self, seg: Seg, work: impl FnOnce(&mut Self) -> R) -> R {
        self.cx.path.push(seg);
        let result = work(self);
        self.cx.path.pop();
        result
    }

    /// Resolves all names, in the order in which the writer writes them, since this order determines the positions of
    /// globals in the table of variables.
    pub(super) fn resolve_routine(&mut self) {
        let declared = self.routine.variables.len();
        for v in 0..declared {
            self.resolve_shape(v);
        }
        if let Some(result) = self.named_result {
            self.routine.result =
                self.at_segment(Seg::Key("result"), |s| s.lookup_variable(result));
        }
        let independents = std::mem::take(&mut self.routine.independents);
        self.routine.independents = self.resolve_list("independents", independents);
        let dependents = std::mem::take(&mut self.routine.dependents);
        self.routine.dependents = self.resolve_list("dependents", dependents);
        self.resolve_external();
        if let Some(mut derivatives) = self.routine.derivatives.take() {
            let (routines, cx) = (self.routines, &mut *self.cx);
            cx.path.push(Seg::Key("derivatives"));
            let mut resolve = |key, routine: Option<RoutineId>| {
                routine.and_then(|r| cx.at_segment(Seg::Key(key), |cx| routines.resolve(r, cx)))
            };
            derivatives.tangent = resolve("tangent", derivatives.tangent);
            derivatives.adjoint = resolve("adjoint", derivatives.adjoint);
            cx.path.pop();
            self.routine.derivatives = Some(derivatives);
        }
        self.resolve_graph();
    }

    /// Names of variables in a list.
    fn resolve_list(&mut self, key: &'static str, provisional: Vec<VarId>) -> Vec<VarId> {
        self.at_segment(Seg::Key(key), |s| {
            let resolve = |(i, v)| s.at_segment(Seg::Index(i), |s| s.lookup_variable(v));
            provisional
                .into_iter()
                .enumerate()
                .filter_map(resolve)
                .collect()
        })
    }

    /// Bounds of a variable.
    fn resolve_shape(&mut self, v: usize) {
        let parameters = self.routine.parameters.len();
        let variable = &mut self.routine.variables[v];
        if matches!(variable.role, Role::Global(_)) {
            return; // constants
        }
        let mut shape = std::mem::take(&mut variable.shape);
        let length = self.cx.path.len();
        if v < parameters {
            self.cx.path.extend([Seg::Key("parameters"), Seg::Index(v)]);
        } else if v < self.first_result {
            self.cx
                .path
                .extend([Seg::Key("locals"), Seg::Index(v - parameters)]);
        } else {
            self.cx.path.push(Seg::Key("result"));
        }
        self.cx.path.push(Seg::Key("shape"));
        for (k, dim) in shape.iter_mut().enumerate() {
            self.at_segment(Seg::Index(k), |s| {
                // In an object, a bound is one step further down than an extent alone.
                if dim.lower != Expr::Int(1) && !s.resolve_expr(&mut dim.lower) {
                    dim.lower = Expr::Int(1);
                }
                if let Extent::Fixed(extent) = &mut dim.extent
                    && !s.resolve_expr(extent)
                {
                    dim.extent = Extent::Deferred;
                }
            });
        }
        self.cx.path.truncate(length);
        self.routine.variables[v].shape = shape;
    }

    fn resolve_external(&mut self) {
        let Some(mut external) = self.routine.external.take() else {
            return;
        };
        self.cx.path.push(Seg::Key("external"));
        let mut known = true;
        if let Some(value) = &mut external.value {
            known = self.at_segment(Seg::Key("value"), |s| s.resolve_expr(value));
        }
        if !known {
            external.value = None;
        }
        self.cx.path.push(Seg::Key("partials"));
        let partials = external.partials.iter_mut();
        partials.for_each(|partials| {
            partials.retain_mut(|partial| {
                let name = self.symbols.get(partial.parameter.index()).cloned();
                self.at_segment(Seg::Name(name.unwrap_or_default()), |s| {
                    let parameter = s.lookup_variable(partial.parameter);
                    let known = s.resolve_expr(&mut partial.value);
                    partial.parameter = parameter.unwrap_or(partial.parameter);
                    known && parameter.is_some()
                })
            });
        });
        self.cx.path.pop();
        self.cx.path.pop();
        self.routine.external = Some(external);
    }

    /// Vertices and edges.
    fn resolve_graph(&mut self) {
        let Some(mut vertices) = self.vertices.take() else {
            return;
        };
        self.cx.path.push(Seg::Key("vertices"));
        for (i, vertex) in vertices.iter_mut().enumerate() {
            self.at_segment(Seg::Index(i), |s| s.resolve_vertex(vertex));
        }
        let ids = Ids::new(&vertices, self.cx, &mut self.broken);
        self.cx.path.pop();
        self.cx.path.push(Seg::Key("edges"));
        let edges = self.resolve_edges(&vertices, &ids);
        self.cx.path.pop();
        drop(ids);
        self.routine.body = Cfg::new(vertices, edges);
    }

    fn resolve_edges(&mut self, vertices: &[Vertex], ids: &Ids) -> Vec<Edge> {
        let drafts = std::mem::take(&mut self.edges);
        let mut edges = Vec::with_capacity(drafts.len());
        let mut seen = HashSet::new();
        // An edge may lead to a vertex whose id could not be read.
        let ids_lost = vertices.iter().any(|v| v.id == 0);
        for (i, draft) in drafts.into_iter().enumerate() {
            self.cx.path.push(Seg::Index(i));
            let ends = [("from", draft.from), ("to", draft.to)].map(|(key, id)| {
                let id = id?;
                let found = ids.get(id, vertices);
                if found.is_none() && ids_lost {
                    self.broken = true;
                } else if found.is_none() {
                    self.broken = true;
                    self.cx.report_at(
                        Seg::Key(key),
                        &codes::DANGLING_EDGE,
                        format!("there is no vertex {id}"),
                        "add the vertex or correct the id",
                    );
                }
                found
            });
            if let Some(id) = draft.id
                && !seen.insert(id)
            {
                self.cx.report_at(
                    Seg::Key("id"),
                    &codes::DUPLICATE_ID,
                    format!("edge id {id} is given twice"),
                    "number edges differently, or leave `id` out",
                );
            }
            if let [Some(from), Some(to)] = ends {
                if let Some(label) = draft.in_label {
                    self.in_labels.push((EdgeId::new(edges.len()), label));
                }
                edges.push(Edge {
                    from,
                    to,
                    label: draft.label,
                    id: draft.id,
                    annotations: draft.annotations,
                });
            }
            self.cx.path.pop();
        }
        edges
    }
}

/// Vertices by id.
struct Ids {
    /// The vertices by id, if ids do not ascend.
    map: Option<HashMap<i64, VertexId>>,
}

impl Ids {
    /// Reports ids that are given twice.
    fn new(vertices: &[Vertex], cx: &mut Context, broken: &mut bool) -> Self {
        if vertices.windows(2).all(|w| w[0].id < w[1].id) {
            return Self { map: None };
        }
        let mut map = HashMap::with_capacity(vertices.len());
        for (i, vertex) in vertices.iter().enumerate() {
            if vertex.id == 0 {
                continue; // reported
            }
            if let Some(first) = map.insert(vertex.id, VertexId::new(i)) {
                map.insert(vertex.id, first);
                *broken = true;
                cx.at_segment(Seg::Index(i), |cx| {
                    cx.report_at(
                        Seg::Key("id"),
                        &codes::DUPLICATE_ID,
                        format!("vertex id {} is given twice", vertex.id),
                        "give every vertex an id of its own",
                    );
                });
            }
        }
        Self { map: Some(map) }
    }

    fn get(&self, id: i64, vertices: &[Vertex]) -> Option<VertexId> {
        if let Some(map) = &self.map {
            return map.get(&id).copied();
        }
        // Mostly ids are positions plus a constant.
        let guess = usize::try_from(id.checked_sub(vertices.first()?.id)?).ok()?;
        if vertices.get(guess).is_some_and(|v| v.id == id) {
            return Some(VertexId::new(guess));
        }
        let found = vertices.binary_search_by_key(&id, |v| v.id).ok()?;
        Some(VertexId::new(found))
    }
}
