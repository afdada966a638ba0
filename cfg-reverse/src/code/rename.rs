//! Renumbers the variables of a routine.

use cfg_core::{
    entity::VarId,
    ir::{
        Cfg, Extent, LoopTest, Place, Routine, Stmt, VertexKind,
        visit::{PlaceRole, VisitMut, walk_place_mut, walk_vertex_mut},
    },
};

/// New numbers of variables: the parameters first, then the others as they were.
pub(crate) struct Rename {
    parameters: usize,
    map: Vec<VarId>,
}

impl Rename {
    /// New numbers for a routine that has so many variables by now; those that it gets later keep their numbers.
    pub(crate) fn parameters_first(variables: usize, parameters: &[VarId]) -> Self {
        let mut new = vec![None; variables];
        for (k, &v) in parameters.iter().enumerate() {
            new[v.index()] = Some(VarId::new(k));
        }
        let mut next = parameters.len();
        let number = |slot: Option<VarId>| {
            slot.unwrap_or_else(|| {
                next += 1;
                VarId::new(next - 1)
            })
        };
        Self {
            parameters: parameters.len(),
            map: new.into_iter().map(number).collect(),
        }
    }

    /// Everything but the graph. The roles of the parameters are set already.
    pub(crate) fn declarations(&self, routine: &mut Routine) {
        routine.parameters = self.parameters;
        let old = std::mem::take(&mut routine.variables);
        let mut variables: Vec<_> = (old.into_iter().enumerate())
            .map(|(v, variable)| (self.of(VarId::new(v)), variable))
            .collect();
        variables.sort_by_key(|(v, _)| *v);
        let variables = variables.into_iter().map(|(_, variable)| variable);
        routine.variables = variables.collect();
        for variable in &mut routine.variables {
            for dim in &mut variable.shape {
                let mut renaming = Renaming(self);
                renaming.expr(&mut dim.lower, PlaceRole::Address);
                if let Extent::Fixed(e) = &mut dim.extent {
                    renaming.expr(e, PlaceRole::Address);
                }
            }
        }
        let lists = routine.independents.iter_mut();
        let lists = lists.chain(&mut routine.dependents);
        for v in lists.chain(&mut routine.result) {
            self.var(v);
        }
    }

    pub(crate) fn graph(&self, cfg: &mut Cfg) {
        for vertex in cfg.vertices_mut() {
            walk_vertex_mut(&mut Renaming(self), vertex);
        }
    }

    fn of(&self, v: VarId) -> VarId {
        self.map.get(v.index()).copied().unwrap_or(v)
    }

    fn var(&self, v: &mut VarId) {
        *v = self.of(*v);
    }

    pub(crate) fn decision(&self, kind: &mut VertexKind) {
        Renaming(self).decision(kind);
    }

    pub(crate) fn test(&self, test: &mut LoopTest) {
        Renaming(self).test(test);
    }

    pub(crate) fn stmt(&self, statement: &mut Stmt) {
        Renaming(self).statement(statement);
    }
}

struct Renaming<'a>(&'a Rename);

impl VisitMut for Renaming<'_> {
    fn place(&mut self, place: &mut Place, _: PlaceRole) {
        self.0.var(&mut place.var);
        walk_place_mut(self, place);
    }

    fn variable(&mut self, v: &mut VarId, _: PlaceRole) {
        self.0.var(v);
    }
}
