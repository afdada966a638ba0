//! Activity: the variables that have derivatives, and the statements at which they do.
//!
//! A variable is *varied* if it depends differentiably on an independent, *useful* if a dependent depends
//! differentiably on it, and *active* if both (Hascoët & Pascual, RR-7957, section 5.2). Two analyses decide this.
//!
//! *Anywhere*: insensitive to flow and context. In a graph with one node per variable, and an edge u -> v where v may
//! be computed from u, the independents reach the varied variables, and the useful ones reach the dependents. Linear
//! in the size of the program, through calls and recursion. A variable that is active anywhere gets a derivative
//! variable.
//!
//! *At a point*: `varied` and `useful` follow the flow of each routine that has active variables, with facts about
//! parameters that go from call to routine and back until none changes. The result decides which statements have a
//! derivative, and which operands contribute.

use cfg_core::{
    dataflow::{
        Analysis as _, FLOW_LIMIT, Position, Set, Solution, Wake, solve_across_calls, solve_within,
    },
    entity::{GlobalId, RoutineId, VarId},
    ir::{Expr, Place, Program, Role, Routine},
    memory::{effects::Effects, locations::Locations},
};
use fixedbitset::FixedBitSet;
use std::{collections::HashMap, sync::Arc};

use crate::{
    dependence::dependence_graph,
    differentiable::differentiable_places,
    exceptions::Exceptions,
    facts::{Facts, Interface},
    flow::{End, Flow},
    reach::{Numbering, Reach},
    useful::Useful,
    varied::Varied,
};

/// The ends between which derivatives are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The independents and the dependents alone. The derivatives of other parameters and globals count as 0 at ENTRY
    /// and as unused at EXIT.
    Declared,
    /// All parameters and globals that are active anywhere: a caller of the derivative routine may give their
    /// derivatives, and read the resulting ones.
    Visible,
}

/// The activity of all variables of a program, for the independents and dependents of one routine.
#[derive(Clone, Debug)]
pub struct Activity {
    facts: Facts,
    active: FixedBitSet,
    /// The exceptions of each routine that was analysed.
    exceptions: Vec<Arc<Exceptions>>,
}

impl Activity {
    /// Analyses a program for one routine's independents and dependents. `reachable` has the routines that it calls,
    /// directly or not, and itself.
    pub fn analyse(
        program: &Program,
        effects: &Effects,
        main: RoutineId,
        reachable: &[RoutineId],
        ends: Ends,
    ) -> Self {
        Self::within(program, effects, main, reachable, ends, FLOW_LIMIT)
    }

    /// Like [`Self::analyse`], for routines whose states may take `most` bits; see [`solve_within`].
    pub fn within(
        program: &Program,
        effects: &Effects,
        main: RoutineId,
        reachable: &[RoutineId],
        ends: Ends,
        most: usize,
    ) -> Self {
        let nodes = Numbering::new(program);
        let graph = dependence_graph(program, &nodes);
        let routine = program.routine(main);
        let set = |variables: &[VarId]| {
            let mut s = FixedBitSet::with_capacity(nodes.len());
            for &v in variables {
                s.insert(nodes.node(main, routine, v));
            }
            s
        };
        let varied = graph.forward(nodes.len(), &set(&routine.independents));
        let useful = graph.backward(nodes.len(), &set(&routine.dependents));
        let mut active = varied.clone();
        active.intersect_with(&useful);
        // A formal that only gets passive values still overwrites an active actual, whose adjoint must be set to 0: it
        // is active, too.
        let active = overwrites(program, effects, &nodes).forward(nodes.len(), &active);
        let interfaces = program.routines.iter().map(Interface::empty).collect();
        let mut activity = Self {
            facts: Facts {
                useful_globals: (program.globals.iter().enumerate())
                    .map(|(g, _)| GlobalId::new(g))
                    .filter(|&g| useful.contains(nodes.global(g)))
                    .collect(),
                nodes,
                varied,
                useful,
                interfaces,
            },
            active,
            exceptions: vec![Arc::default(); program.routines.len()],
        };
        activity.follow(program, effects, main, reachable, ends, most);
        activity
    }

    /// The numbers of all variables.
    pub fn nodes(&self) -> &Numbering {
        &self.facts.nodes
    }

    /// True if a variable is active anywhere.
    pub fn is_active(&self, id: RoutineId, routine: &Routine, v: VarId) -> bool {
        self.active.contains(self.facts.nodes.node(id, routine, v))
    }

    /// True if a variable may be varied anywhere.
    pub fn is_varied(&self, id: RoutineId, routine: &Routine, v: VarId) -> bool {
        self.facts.is_varied(id, routine, v)
    }

    /// True if a variable may be useful anywhere.
    pub fn is_useful(&self, id: RoutineId, routine: &Routine, v: VarId) -> bool {
        self.facts.is_useful(id, routine, v)
    }

    /// The statements of a routine at which fewer variables are active than anywhere.
    pub fn exceptions(&self, id: RoutineId) -> &Arc<Exceptions> {
        &self.exceptions[id.index()]
    }

    /// Follows the flow of the routines that have active variables.
    fn follow(
        &mut self,
        program: &Program,
        effects: &Effects,
        main: RoutineId,
        reachable: &[RoutineId],
        ends: Ends,
        most: usize,
    ) {
        let mut order = Vec::new();
        let mut locations = HashMap::new();
        for &r in reachable.iter().rev() {
            let routine = program.routine(r);
            let any =
                (0..routine.variables.len()).any(|v| self.is_active(r, routine, VarId::new(v)));
            if routine.body.is_some() && (any || r == main) {
                order.push(r);
                locations.insert(r, Locations::divide(program, routine));
            } else {
                self.take_from_anywhere(r, routine);
            }
        }
        let [given, wanted] = self.boundary(program, main, ends);
        let is_called = (reachable.iter()).any(|&r| effects.calls.callees(r).contains(&main));
        let flow = Followed {
            program,
            effects,
            main,
            locations,
            callers: effects.calls.callers(&order),
            most,
            given: given.filter(|_| !is_called),
            wanted: wanted.filter(|_| !is_called),
        };
        // The last visit of a routine gives its exceptions: no fact on which they depend changes afterwards.
        let mut exceptions = vec![Exceptions::default(); program.routines.len()];
        solve_across_calls(&order, |r, wake| {
            flow.varied(&mut self.facts, &mut exceptions[r.index()], r, wake);
        });
        solve_across_calls(&order, |r, wake| {
            flow.useful(&mut self.facts, &mut exceptions[r.index()], r, wake);
        });
        self.exceptions = exceptions.into_iter().map(Arc::new).collect();
    }

    /// Gives a routine that is not followed the facts that hold anywhere.
    fn take_from_anywhere(&mut self, r: RoutineId, routine: &Routine) {
        for p in routine.parameter_ids().chain(routine.result) {
            let (varied, useful) = (self.is_varied(r, routine, p), self.is_useful(r, routine, p));
            let interface = &mut self.facts.interfaces[r.index()];
            interface.varied_at_entry.set(p.index(), varied);
            interface.varied_at_exit.set(p.index(), varied);
            interface.useful_at_entry.set(p.index(), useful);
            interface.useful_at_exit.set(p.index(), useful);
        }
    }

    /// Puts the parameters of the main routine that are varied at its ENTRY and useful at its EXIT into its interface,
    /// and returns the globals that are; `None` stands for all globals that are anywhere.
    fn boundary(
        &mut self,
        program: &Program,
        main: RoutineId,
        ends: Ends,
    ) -> [Option<Vec<VarId>>; 2] {
        let routine = program.routine(main);
        let all = || (0..routine.variables.len()).map(VarId::new);
        let visible = |v: &VarId| {
            !matches!(routine.variable(*v).role, Role::Local) || routine.result == Some(*v)
        };
        let mut lists = match ends {
            Ends::Declared => [routine.independents.clone(), routine.dependents.clone()],
            Ends::Visible => {
                let active = all().filter(visible);
                let active = active.filter(|&v| self.is_active(main, routine, v));
                let active: Vec<VarId> = active.collect();
                [active.clone(), active]
            }
        };
        let interface = &mut self.facts.interfaces[main.index()];
        let is_global = |v: &VarId| matches!(routine.variable(*v).role, Role::Global(_));
        for v in lists[0].iter().filter(|v| !is_global(v)) {
            interface.varied_at_entry.insert(v.index());
        }
        for v in lists[1].iter().filter(|v| !is_global(v)) {
            interface.useful_at_exit.insert(v.index());
        }
        lists.iter_mut().for_each(|list| list.retain(is_global));
        lists.map(Some)
    }
}

/// Selects one set of parameters from the facts about a routine.
type Formals = fn(&mut Interface) -> &mut FixedBitSet;

/// The routines that are followed.
struct Followed<'a> {
    program: &'a Program,
    effects: &'a Effects,
    main: RoutineId,
    locations: HashMap<RoutineId, Locations>,
    callers: Vec<Vec<RoutineId>>,
    /// Most bits that the states of one routine may take.
    most: usize,
    /// The globals that are varied at the main routine's ENTRY; `None` for all that are varied anywhere.
    given: Option<Vec<VarId>>,
    /// The globals that are useful at the main routine's EXIT; `None` for all that are useful anywhere.
    wanted: Option<Vec<VarId>>,
}

impl Followed<'_> {
    fn solve_varied<'f>(
        &'f self,
        facts: &'f Facts,
        r: RoutineId,
    ) -> (Varied<'f>, Option<Solution<Set>>) {
        let globals = self.given.as_deref().filter(|_| r == self.main);
        let locations = &self.locations[&r];
        let varied = Varied::new(self.program, self.effects, r, locations, facts, globals);
        let cfg = self.program.routine(r).body.as_ref();
        let solution = cfg.map(|cfg| solve_within(cfg, &varied, self.most));
        (varied, solution)
    }

    fn solve_useful<'f>(
        &'f self,
        facts: &'f Facts,
        exceptions: &'f Exceptions,
        r: RoutineId,
    ) -> (Useful<'f>, Option<Solution<Set>>) {
        let globals = self.wanted.as_deref().filter(|_| r == self.main);
        let locations = &self.locations[&r];
        let (program, effects) = (self.program, self.effects);
        let useful = Useful::new(program, effects, r, locations, facts, exceptions, globals);
        let cfg = self.program.routine(r).body.as_ref();
        let solution = cfg.map(|cfg| solve_within(cfg, &useful, self.most));
        (useful, solution)
    }

    /// Solves one routine: finds the parameters of callees that are varied at their ENTRY, its own that are varied at
    /// its EXIT, and the operands that are not varied where they are read.
    fn varied(
        &self,
        facts: &mut Facts,
        exceptions: &mut Exceptions,
        r: RoutineId,
        wake: &mut Wake,
    ) {
        let routine = self.program.routine(r);
        let Some(cfg) = &routine.body else { return };
        let mut found: Vec<(RoutineId, VarId)> = Vec::new();
        let mut at_exit = FixedBitSet::with_capacity(routine.variables.len());
        {
            let (varied, Some(solution)) = self.solve_varied(facts, r) else {
                return;
            };
            if let Some(exit) = cfg.exit() {
                let state = solution.state_at_inflow(exit);
                for p in routine.parameter_ids().chain(routine.result) {
                    at_exit.set(p.index(), varied.contains(&state, &Place::whole(p)));
                }
            }
            exceptions.statements.clear();
            solution.each_vertex(cfg, |v, state| {
                for (s, statement) in cfg.vertex(v).statements().iter().enumerate() {
                    let flow = Flow::through_statement(&self.program.routines, statement);
                    if let Flow::Call(call) = &flow {
                        for (formal, argument) in call.inputs() {
                            let entry = &facts.interface(call.callee).varied_at_entry;
                            if !entry.contains(formal.index()) && varied.brings(state, argument) {
                                found.push((call.callee, formal));
                            }
                        }
                    }
                    let constant = self.constants(facts, r, &varied, &flow, state);
                    if !constant.is_empty() {
                        let exception = exceptions.statements.entry(at(v, s)).or_default();
                        exception.constant = constant.into();
                    }
                    varied.statement(at(v, s), statement, state);
                }
            });
        }
        let formals: Formals = |facts| &mut facts.varied_at_entry;
        self.tell_callees(facts, found, formals, wake);
        let results: Formals = |facts| &mut facts.varied_at_exit;
        self.tell_callers(facts, r, at_exit, results, wake);
    }

    /// Solves one routine: finds the parameters of callees that are useful at their EXIT, its own variables that are
    /// useful at its ENTRY, and the statements whose results are not useful.
    fn useful(
        &self,
        facts: &mut Facts,
        exceptions: &mut Exceptions,
        r: RoutineId,
        wake: &mut Wake,
    ) {
        let routine = self.program.routine(r);
        let Some(cfg) = &routine.body else { return };
        let mut found: Vec<(RoutineId, VarId)> = Vec::new();
        let none = FixedBitSet::with_capacity(routine.variables.len());
        let (mut at_entry, mut useful_at_entry) = (none.clone(), none);
        let mut useless = Vec::new();
        {
            let (useful, Some(solution)) = self.solve_useful(facts, exceptions, r) else {
                return;
            };
            if let Some(entry) = cfg.entry() {
                let state = solution.before(cfg, &useful, entry);
                for v in (0..routine.variables.len()).map(VarId::new) {
                    useful_at_entry.set(v.index(), useful.contains(&state, &Place::whole(v)));
                }
                for p in routine.parameter_ids() {
                    at_entry.set(p.index(), useful_at_entry.contains(p.index()));
                }
            }
            solution.each_vertex(cfg, |v, state| {
                for (s, statement) in cfg.vertex(v).statements().iter().enumerate().rev() {
                    let is_useless =
                        match Flow::through_statement(&self.program.routines, statement) {
                            Flow::One(_, End::Place(target)) => {
                                facts.is_useful(r, routine, target.var)
                                    && !useful.contains(state, target)
                            }
                            Flow::Call(call) => {
                                for output in call.outputs() {
                                    let exit = &facts.interface(call.callee).useful_at_exit;
                                    if !exit.contains(output.formal.index())
                                        && useful.contains(state, output.place)
                                    {
                                        found.push((call.callee, output.formal));
                                    }
                                }
                                !useful.is_call_useful(call, state)
                            }
                            Flow::None | Flow::End | Flow::One(..) => false,
                        };
                    if is_useless {
                        useless.push(at(v, s));
                    }
                    useful.statement(at(v, s), statement, state);
                }
            });
        }
        exceptions.statements.retain(|_, exception| {
            exception.useless = false;
            !exception.constant.is_empty()
        });
        for position in useless {
            exceptions.statements.entry(position).or_default().useless = true;
        }
        exceptions.useful_at_entry = useful_at_entry;
        let formals: Formals = |facts| &mut facts.useful_at_exit;
        self.tell_callees(facts, found, formals, wake);
        let results: Formals = |facts| &mut facts.useful_at_entry;
        self.tell_callers(facts, r, at_entry, results, wake);
    }

    /// Adds parameters to one set of facts about callees, and wakes these callees.
    fn tell_callees(
        &self,
        facts: &mut Facts,
        found: Vec<(RoutineId, VarId)>,
        of: Formals,
        wake: &mut Wake,
    ) {
        for (callee, formal) in found {
            if self.locations.contains_key(&callee) {
                of(&mut facts.interfaces[callee.index()]).insert(formal.index());
                wake.wake(callee);
            }
        }
    }

    /// Replaces one set of facts about a routine; wakes its callers if the set has changed.
    fn tell_callers(
        &self,
        facts: &mut Facts,
        r: RoutineId,
        found: FixedBitSet,
        of: Formals,
        wake: &mut Wake,
    ) {
        let known = of(&mut facts.interfaces[r.index()]);
        if *known != found {
            *known = found;
            self.callers[r.index()]
                .iter()
                .for_each(|&caller| wake.wake(caller));
        }
    }

    /// The variables that a statement reads, and that are varied anywhere and not before it, in ascending order.
    fn constants(
        &self,
        facts: &Facts,
        r: RoutineId,
        varied: &Varied<'_>,
        flow: &Flow<'_>,
        state: &Set,
    ) -> Vec<VarId> {
        let routine = self.program.routine(r);
        let mut constant = Vec::new();
        let mut read = |e: &Expr| {
            differentiable_places(routine, e, &mut |place| {
                if facts.is_varied(r, routine, place.var) && !varied.contains(state, place) {
                    constant.push(place.var);
                }
            });
        };
        match flow {
            Flow::One(End::Value(value), End::Place(_)) => read(value),
            Flow::Call(call) => call.arguments().for_each(read),
            Flow::None | Flow::End | Flow::One(..) => {}
        }
        constant.sort_unstable();
        constant.dedup();
        constant
    }
}

fn at(vertex: cfg_core::entity::VertexId, statement: usize) -> Position {
    Position { vertex, statement }
}

/// Edges from every real actual to the formal that may overwrite it.
fn overwrites(program: &Program, effects: &Effects, nodes: &Numbering) -> Reach {
    let mut graph = Reach::default();
    for (i, routine) in program.routines.iter().enumerate() {
        let id = RoutineId::new(i);
        if effects.calls.callees(id).is_empty() {
            continue;
        }
        for statement in routine.statements() {
            let Flow::Call(call) = Flow::through_statement(&program.routines, statement) else {
                continue;
            };
            for output in call.outputs() {
                if routine.variable(output.place.var).ty.is_real() {
                    let actual = nodes.node(id, routine, output.place.var);
                    graph.edge(actual, nodes.node(call.callee, call.called, output.formal));
                }
            }
        }
    }
    graph
}
