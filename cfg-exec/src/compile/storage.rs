//! The place of each variable: registers for the scalars that are used most, counted with a weight for
//! each loop around the use; frame memory for the rest and for those whose address is passed on.

use cfg_core::{
    entity::VarId,
    ir::{
        Expr, Extent, Intent, LoopTest, Place, Role, Stmt, StmtKind,
        visit::{PlaceRole, Visit, walk_place, walk_statement, walk_vertex},
    },
    structure::Structure,
};

use cfg_transform::lower::Pass;

use super::{
    Compiling,
    emit::{CONSTANTS, Emitter, Home, LoopState, REGISTERS},
};
use crate::{
    cell,
    code::{ParameterHome, Reg},
    descriptor,
};

/// Registers for variables and loops: all but those for temporaries and constants.
const LASTING: usize = REGISTERS - 120 - CONSTANTS;
/// The deepest nesting at which loops keep their state in registers.
const DEEPEST_IN_REGISTERS: u32 = 14;

/// The number of uses of each variable, with a factor of 8 per loop.
fn weights(emitter: &Emitter<'_>, depths: &[u32]) -> Vec<u64> {
    let routine = emitter.routine;
    let mut weights = vec![0u64; routine.variables.len()];
    let Some(cfg) = &routine.body else {
        return weights;
    };
    for (v, vertex) in cfg.vertices() {
        let weight = |inner: u32| 1u64 << (3 * (depths[v.index()] + inner).min(5));
        // The condition of a LOOP is evaluated on each pass, the bounds of a counted one once before.
        let (once, index) = match vertex.kind.test() {
            Some(LoopTest::Pre(_) | LoopTest::Post(_)) => (weight(1), weight(1)),
            Some(LoopTest::Counted { .. }) => (weight(0), weight(1)),
            None => (weight(0), weight(0)),
        };
        let weights = &mut weights;
        walk_vertex(
            &mut Uses {
                weights,
                once,
                index,
            },
            vertex,
        );
    }
    weights
}

/// Adds to the weights of variables.
struct Uses<'a> {
    weights: &'a mut [u64],
    /// The weight of a use.
    once: u64,
    /// The weight of a definition, which differs for the index of a counted loop.
    index: u64,
}

impl Uses<'_> {
    fn add(&mut self, v: VarId, role: PlaceRole) {
        let weight = match role {
            PlaceRole::Clobber => return,
            PlaceRole::Define { .. } => self.index,
            PlaceRole::Read
            | PlaceRole::Shape
            | PlaceRole::Address
            | PlaceRole::AddressTaken
            | PlaceRole::Renew { .. }
            | PlaceRole::Bind { .. }
            | PlaceRole::Push
            | PlaceRole::Pop { .. }
            | PlaceRole::Tape => self.once,
        };
        let w = &mut self.weights[v.index()];
        *w = w.saturating_add(weight);
    }
}

impl<'ir> Visit<'ir> for Uses<'_> {
    fn visit_statement(&mut self, statement: &'ir Stmt) {
        // Opaque statements only make variables uninitialised.
        if !matches!(statement.kind, StmtKind::Opaque { .. }) {
            walk_statement(self, statement);
        }
    }

    fn visit_place(&mut self, place: &'ir Place, role: PlaceRole) {
        walk_place(self, place);
        self.add(place.var, role);
    }

    fn visit_variable(&mut self, v: &'ir VarId, role: PlaceRole) {
        self.add(*v, role);
    }
}

/// Loops around each vertex; 1 everywhere if the graph is not structured.
pub(super) fn depths(emitter: &Emitter<'_>, structure: Option<&Structure>) -> Vec<u32> {
    let n = emitter
        .routine
        .body
        .as_ref()
        .map_or(0, |g| g.vertex_count());
    structure.map_or_else(|| vec![1; n], |s| s.loop_depth.clone())
}

impl Emitter<'_> {
    /// Gives every variable its home.
    pub(super) fn assign_homes(&mut self, depths: &[u32]) -> Compiling<()> {
        let routine = self.routine;
        let convention = self.convention();
        let weights = weights(self, depths);
        let n = routine.variables.len();

        // Scalars that may be in a register, which holds the value or the address.
        let mut wanted: Vec<usize> = Vec::new();
        let addressed = |k: usize| convention.addressed[k];
        let positions = routine.parameter_positions();
        let pass_of = |k: usize| positions[k].map(|position: usize| convention.passes[position]);
        for (k, variable) in routine.variables.iter().enumerate() {
            let register = variable.rank() == 0
                && match (variable.role, pass_of(k)) {
                    (_, Some(Pass::Address | Pass::Copied | Pass::Tape)) => true,
                    (_, Some(Pass::Array)) | (Role::Global(_), _) => false,
                    (_, Some(Pass::Value)) | (Role::Parameter { .. } | Role::Local, None) => {
                        !addressed(k)
                    }
                };
            if register {
                wanted.push(k);
            }
        }
        let loops = self.reserve_loops(depths);
        let room = LASTING - loops;
        wanted.sort_by_key(|&k| (std::cmp::Reverse(weights[k]), k));
        wanted.truncate(room);
        let mut in_register = vec![false; n];
        for &k in &wanted {
            in_register[k] = true;
        }

        self.homes = vec![Home::Frame(0); n];
        let mut next = 0usize;
        let mut frame: Vec<u64> = Vec::new();
        let mut template: Vec<u64> = Vec::new();
        let mut staged = 0usize;
        self.code.homes = (convention.passes.iter())
            .map(|pass| match pass {
                // Each array takes a descriptor, of which there are at most 65 000.
                Pass::Array => {
                    staged += 1;
                    ParameterHome::Staged((staged - 1) as u16)
                }
                Pass::Value | Pass::Address | Pass::Copied | Pass::Tape => ParameterHome::Frame(0),
            })
            .collect();
        for (k, variable) in routine.variables.iter().enumerate() {
            let poison = cell::poison(variable.ty);
            let v = VarId::new(k);
            if variable.rank() > 0 {
                let arr = self.temporary_array(variable.rank())?;
                self.homes[k] = Home::Array(arr);
                self.code.array_names.push((arr, v));
                continue;
            }
            if let Role::Global(g) = variable.role {
                self.homes[k] = Home::Global(self.globals.address(g));
                continue;
            }
            let register = in_register[k].then(|| {
                template.push(poison);
                next += 1;
                (next - 1) as Reg
            });
            let mut take_frame = || {
                frame.push(poison);
                (frame.len() - 1) as u32
            };
            self.homes[k] = match positions[k] {
                Some(position) => {
                    let (home, argument) =
                        parameter_home(convention.passes[position], register, take_frame);
                    self.code.homes[position] = argument;
                    home
                }
                None => register.map_or_else(|| Home::Frame(take_frame()), Home::Register),
            };
        }
        self.arrays_at = self.code.array_names.last().map_or(0, |&(arr, v)| {
            usize::from(arr) + descriptor::position_count(routine.variable(v).rank())
        });
        self.code.staged = staged;
        self.code.template = template;
        self.constants_at = next;
        // Loop states follow the constants.
        let loops_at = next + CONSTANTS;
        for state in self.loop_states.values_mut() {
            match state {
                LoopState::Registers(r) => *r += loops_at as Reg,
                LoopState::Frame(at) => *at += frame.len() as u32,
            }
        }
        let frame_loops = self
            .loop_states
            .values()
            .filter(|s| matches!(s, LoopState::Frame(_)))
            .count();
        frame.resize(frame.len() + 2 * frame_loops, 0);
        self.code.frame = frame;
        self.temporaries_at = loops_at + loops;
        Ok(())
    }

    /// Reserves state for counted loops, one per depth (loops of one depth never run at the same time)
    /// or, in graphs without nesting, one per loop. Returns the number of registers.
    fn reserve_loops(&mut self, depths: &[u32]) -> usize {
        let mut registers = 0;
        let mut frames = 0;
        let Some(cfg) = &self.routine.body else {
            return 0;
        };
        let mut keys: Vec<u32> = cfg
            .vertices()
            .filter(|(_, vertex)| vertex.kind.index().is_some())
            .map(|(v, _)| self.loop_key(v.index(), depths))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        for (nth, key) in keys.into_iter().enumerate() {
            let state = if nth < DEEPEST_IN_REGISTERS as usize {
                registers += 3;
                LoopState::Registers((registers - 3) as Reg)
            } else {
                frames += 2;
                LoopState::Frame(frames - 2)
            };
            self.loop_states.insert(key, state);
        }
        registers
    }

    /// The key of a loop's state.
    pub(super) fn loop_key(&self, vertex: usize, depths: &[u32]) -> u32 {
        if self.nested {
            depths[vertex]
        } else {
            vertex as u32
        }
    }

    /// Parameters that live in a register and are stored at the end: parameter, frame cell of the
    /// address, register.
    pub(super) fn copied(&self) -> Vec<(VarId, u32, Reg)> {
        let passes = &self.convention().passes;
        let formals = self
            .routine
            .parameter_ids()
            .zip(passes)
            .zip(&self.code.homes);
        formals
            .filter(|((_, pass), _)| **pass == Pass::Copied)
            .filter_map(|((p, _), argument)| match (*argument, self.home(p)) {
                (ParameterHome::Frame(at), Home::Register(r)) => Some((p, at, r)),
                _ => None,
            })
            .collect()
    }

    /// Expressions of the shape of a variable.
    pub(super) fn extents(&self, v: VarId) -> impl Iterator<Item = &'_ Expr> {
        self.routine
            .variable(v)
            .shape
            .iter()
            .flat_map(|dim| match &dim.extent {
                Extent::Fixed(e) => vec![&dim.lower, e],
                Extent::Deferred => vec![&dim.lower],
            })
    }

    /// The intent of a parameter that must be given.
    pub(super) fn intent(&self, v: VarId) -> Option<(Intent, bool)> {
        match self.routine.variable(v).role {
            Role::Parameter { intent, optional } => Some((intent, optional)),
            Role::Local | Role::Global(_) => None,
        }
    }
}

/// The home of a scalar parameter, by how it is passed, and the place to which its argument comes.
fn parameter_home(
    pass: Pass,
    register: Option<Reg>,
    take_frame: impl FnOnce() -> u32,
) -> (Home, ParameterHome) {
    match (pass, register) {
        (Pass::Address, Some(r)) => (Home::Address(r), ParameterHome::Register(r)),
        (Pass::Address, None) => {
            let at = take_frame();
            (Home::AddressFrame(at), ParameterHome::Frame(at))
        }
        (Pass::Copied, register) => {
            // The address is needed at entry and return only, so it lies in the frame.
            let at = take_frame();
            let home = register.map_or(Home::AddressFrame(at), Home::Register);
            (home, ParameterHome::Frame(at))
        }
        (Pass::Value | Pass::Tape | Pass::Array, Some(r)) => {
            (Home::Register(r), ParameterHome::Register(r))
        }
        (Pass::Value | Pass::Tape | Pass::Array, None) => {
            let at = take_frame();
            (Home::Frame(at), ParameterHome::Frame(at))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::emit::tests::in_main;

    /// The weights that are not 0, after the names of their variables.
    fn weighed(source: &str) -> String {
        in_main(source, |emitter, structure| {
            let depths = depths(emitter, structure);
            let weights = weights(emitter, &depths);
            let names = emitter.routine.variables.iter().map(|v| &v.name);
            let all: Vec<String> = names
                .zip(weights)
                .filter(|(_, weight)| *weight > 0)
                .map(|(name, weight)| format!("{name} {weight}"))
                .collect();
            all.join(", ")
        })
    }

    /// A use counts eight times as much for each loop around it, up to five loops; the index of a loop counts as
    /// inside of it.
    #[test]
    fn uses_are_weighed_by_the_loops_around_them() {
        for (lines, weights) in [
            ("x := x*a[n]", "n 1, x 2, a 1"),
            ("a[k] := x", "x 1, k 1, a 1"),
            ("for i = 1, n\n x := x + 1.0\n end", "n 1, x 16, i 8"),
            (
                "for i = 1, n\n for j = i, n, k\n x := 2.0\n end\n end",
                "n 9, x 64, k 8, i 16, j 64",
            ),
            ("while k < n\n k := k + 1\n end", "n 8, k 24"),
            ("do\n k := k + 1\n end while k < n", "n 8, k 24"),
            (
                "for i = 1, n\n while k < n\n k := k + 1\n end\n end",
                "n 65, k 192, i 8",
            ),
            ("push[real] x on t", "x 1, t 1"),
            ("push[real] x on t\n x := pop[real] from t", "x 2, t 2"),
            ("m := size(a, 1)", "a 1, m 1"),
            ("l := x > 0.0\n if l\n k := 1\n end", "x 1, k 1, l 2"),
            (
                "select n\n case 1\n k := 1\n case default\n k := 2\n end",
                "n 1, k 2",
            ),
            ("call g(x, k)", "x 1, k 1"),
            ("opaque \"print\" reads x writes k", ""),
        ] {
            let source = format!(
                "main subroutine f(in integer n, inout real x, inout integer k, inout real a[9], inout tape t)
  local integer i, j, m
  local logical l
  {lines}
end
subroutine g(in real a, inout integer b)
  b := b + int(a)
end
"
            );
            assert_eq!(weighed(&source), weights, "{lines}");
        }
        let (heads, ends) = ("  while k < n\n".repeat(7), "  end\n".repeat(7));
        let source = format!(
            "main subroutine f(in integer n, in integer k, out real x)\n  x := 1.0\n{heads}  x := 2.0\n{ends}end\n"
        );
        assert_eq!(weighed(&source), "n 102984, k 102984, x 32769");
        let jumps = "general main subroutine f(in integer n, out integer k)
  k := 0
  label again
  k := k + 1
  if k < n
    goto again
  end
end
";
        assert_eq!(weighed(jumps), "n 8, k 32");
    }

    /// The home of a variable, by its name.
    fn home_of(emitter: &Emitter<'_>, name: &str) -> Home {
        let found = emitter.routine.find_variable(name);
        emitter.home(found.unwrap_or_else(|| panic!("{name}")))
    }

    #[test]
    fn variables_are_where_they_can_be() {
        let source = "global real w = 1.0
global real v[3]
main subroutine f(in integer n, inout real q, inout integer m, in real a[9], inout real b[n, 2, 3], inout tape t, optional in real o)
  uses w
  uses v
  local real r, s, d[4]
  local integer i
  r := w
  s := r
  d := 1.0
  m := m + 1
  for i = 1, n
    q := q*s
  end
  call scale(s)
end
subroutine scale(inout real x)
  x := 2.0*x
end
";
        in_main(source, |emitter, structure| {
            let depths = depths(emitter, structure);
            emitter
                .assign_homes(&depths)
                .unwrap_or_else(|d| panic!("{d}"));
            for (name, home) in [
                ("n", Home::Register(0)),
                ("q", Home::Address(1)),
                ("m", Home::Register(2)),
                ("a", Home::Array(0)),
                ("b", Home::Array(1)),
                ("t", Home::Register(3)),
                ("o", Home::Address(4)),
                ("w", Home::Global(0)),
                ("v", Home::Array(3)),
                ("r", Home::Register(5)),
                ("s", Home::Frame(1)),
                ("d", Home::Array(4)),
                ("i", Home::Register(6)),
            ] {
                assert_eq!(home_of(emitter, name), home, "{name}");
            }
            assert_eq!(
                format!("{:?}", emitter.code.homes),
                "[Register(0), Register(1), Frame(0), Staged(0), Staged(1), Register(3), Register(4)]"
            );
            assert_eq!((emitter.code.staged, emitter.arrays_at), (2, 5));
            assert_eq!(
                (emitter.code.template.len(), emitter.code.frame.len()),
                (7, 2)
            );
            assert_eq!((emitter.constants_at, emitter.temporaries_at), (7, 42));
            assert_eq!(format!("{:?}", emitter.loop_states), "{0: Registers(39)}");
            let m = emitter.routine.find_variable("m").expect("it is there");
            assert_eq!(emitter.copied(), [(m, 0, 2)]);
        });
    }

    /// Loops up to a nesting depth keep their state in registers, deeper ones in the frame.
    #[test]
    fn loops_on_both_sides_of_the_limit() {
        let most = DEEPEST_IN_REGISTERS as usize;
        for (loops, in_frame) in [(most, 0), (most + 1, 1)] {
            let indices: Vec<String> = (0..loops).map(|k| format!("i{k}")).collect();
            let heads: String = (indices.iter())
                .map(|i| format!("  for {i} = 1, n\n"))
                .collect();
            let source = format!(
                "main subroutine f(in integer n, inout real x)\n  local integer {}\n{heads}  x := 2.0*x\n{}end\n",
                indices.join(", "),
                "  end\n".repeat(loops)
            );
            in_main(&source, |emitter, structure| {
                let depths = depths(emitter, structure);
                emitter
                    .assign_homes(&depths)
                    .unwrap_or_else(|d| panic!("{d}"));
                let states: Vec<bool> = (emitter.loop_states.values())
                    .map(|state| matches!(state, LoopState::Frame(_)))
                    .collect();
                let expected: Vec<bool> = (0..loops).map(|k| k >= most).collect();
                assert_eq!(states, expected);
                // One more cell has the address of `x`.
                assert_eq!(emitter.code.frame.len(), 1 + 2 * in_frame);
                let registers = emitter.temporaries_at - emitter.constants_at;
                assert_eq!(registers, CONSTANTS + 3 * most);
            });
        }
    }

    /// If there are more scalars than registers, those used most get them, such as the index of a loop.
    #[test]
    fn scalars_that_are_used_most_are_in_registers() {
        let names: Vec<String> = (0..120).map(|k| format!("a{k}")).collect();
        let assigned: String = (names.iter())
            .map(|name| format!("  {name} := 1.0\n"))
            .collect();
        let source = format!(
            "main subroutine f(in integer n, inout real x, optional in real o, inout real p, in real q, inout tape t)
  local real {}
  local integer i
{assigned}  for i = 1, n
    x := 2.0*x
  end
end
",
            names.join(", ")
        );
        in_main(&source, |emitter, structure| {
            let depths = depths(emitter, structure);
            emitter
                .assign_homes(&depths)
                .unwrap_or_else(|d| panic!("{d}"));
            // Three registers are for the loop, 98 are left for the others.
            for (name, home) in [
                ("n", Home::Register(0)),
                ("x", Home::Register(1)),
                ("o", Home::AddressFrame(1)),
                ("p", Home::AddressFrame(2)),
                ("q", Home::Frame(3)),
                ("t", Home::Frame(4)),
                ("a0", Home::Register(2)),
                ("a97", Home::Register(99)),
                ("a98", Home::Frame(5)),
                ("a119", Home::Frame(26)),
                ("i", Home::Register(100)),
            ] {
                assert_eq!(home_of(emitter, name), home, "{name}");
            }
            assert_eq!(
                format!("{:?}", emitter.code.homes),
                "[Register(0), Frame(0), Frame(1), Frame(2), Frame(3), Frame(4)]"
            );
            let x = emitter.routine.find_variable("x").expect("it is there");
            assert_eq!(emitter.copied(), [(x, 0, 1)]);
        });
    }
}
