//! The structures in which derivatives of globals come: one for each way in which a derivative of a derivative has them.
//!
//! A first derivative takes one structure, of the adjoints or tangents of globals. It is a parameter like others, so of the
//! derivative of that one it is followed by its own derivative; and the derivatives of the program's own globals come last.
//! Of the tangent of f_grad these are f_globals_b, f_globals_b_t, f_grad_globals_t: the adjoints, their tangents, and the
//! tangents of what f_grad finds in globals.
//!
//! Derivatives of cells that nobody can use after the program has ended are no parameters: they have structures of their own, of
//! which callers do not know. They are 0 before each call, but for tangents of the cells themselves: these get one with each
//! value, and have no values before.

use super::{
    names::Names,
    sweep::{Sweep, ancestors},
};
use cfg_core::{
    entity::{GlobalId, RoutineId},
    ir::{NameRole, Program},
};
use std::collections::{HashMap, HashSet};

/// A derivative in a chain of them: the routine that is differentiated, and how.
#[derive(Clone, Debug)]
pub(super) struct Level {
    base: String,
    suffix: &'static str,
    role: NameRole,
}

/// A structure of derivatives.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// The levels at which its members are differentiated, in order.
    path: Vec<usize>,
    /// The tag of the structure, and of the one in several directions.
    pub(super) tag: String,
    pub(super) several_tag: String,
    /// The variable in which its members lie.
    pub(super) variable: String,
    /// True of the derivatives that the last transformation has brought: what is a parameter before is none.
    pub(super) is_last: bool,
    /// True of the derivatives of cells that nobody can use after the program has ended.
    pub(super) is_scratch: bool,
    /// True of the tangents of such cells, which are written before they are read.
    pub(super) is_unset: bool,
}

/// The structures of a program's derivatives of globals, in the order of the parameters, and what each global is in.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes {
    pub(super) all: Vec<Class>,
    of: Vec<Option<usize>>,
    /// Whether each global is cells, or derivatives of cells, that nobody can use after the program has ended.
    is_scratch: Vec<bool>,
    levels: Vec<Level>,
}

fn level(program: &Program, r: RoutineId, sweep: Sweep) -> Level {
    let (suffix, role) = match sweep {
        Sweep::Tangent => ("_t", NameRole::Tangent),
        Sweep::Gradient | Sweep::Forward | Sweep::Reverse => ("_b", NameRole::Adjoint),
    };
    Level {
        base: program.routine(r).name.clone(),
        suffix,
        role,
    }
}

/// The derivatives at whose end a routine is differentiated in this way, the first one first.
fn levels(program: &Program, original: RoutineId, sweep: Sweep) -> Vec<Level> {
    let before = ancestors(program, original).into_iter().rev();
    let all = before.chain([(original, sweep)]);
    all.map(|(r, sweep)| level(program, r, sweep)).collect()
}

/// The levels at which each global is a derivative, none of the program's own, and whether it is cells, or derivatives of cells,
/// that nobody can use after the program has ended. Transformations add derivatives behind all globals that there are, so of two
/// tangents of one global the second is that of the later level.
fn paths(program: &Program, levels: &[Level]) -> Vec<(Vec<usize>, bool)> {
    let names: HashMap<&str, usize> = (program.globals.iter())
        .enumerate()
        .map(|(g, global)| (&*global.variable.name, g))
        .collect();
    let mut taken: HashSet<(usize, usize)> = HashSet::new();
    let mut paths: Vec<(Vec<usize>, bool)> = Vec::with_capacity(program.globals.len());
    for (g, global) in program.globals.iter().enumerate() {
        let of = |origin: &cfg_core::ir::NameOrigin| {
            let base = names.get(&*origin.of).copied().filter(|base| *base < g)?;
            let path: &Vec<usize> = &paths[base].0;
            let from = path.last().map_or(0, |last| last + 1);
            let level = (from..levels.len())
                .find(|&k| levels[k].role == origin.role && !taken.contains(&(base, k)));
            // A second one at the last level is the first one in several directions.
            let is_last = path.last() == Some(&levels.len().checked_sub(1)?);
            (level.is_some() || is_last).then_some((base, level))
        };
        let found = global.variable.origin.as_deref().and_then(of);
        paths.push(match found {
            Some((base, level)) => {
                let (mut path, is_scratch) = paths[base].clone();
                if let Some(level) = level {
                    taken.insert((base, level));
                    path.push(level);
                }
                (path, is_scratch)
            }
            None => {
                let origin = global.variable.origin.as_deref();
                let is_scratch = origin.is_some_and(|o| o.role == NameRole::ScratchCells);
                (Vec::new(), is_scratch)
            }
        });
    }
    paths
}

impl Classes {
    /// The structures of a derivative of a routine, and the names of what has to do with them.
    pub(super) fn build(
        program: &Program,
        original: RoutineId,
        sweep: Sweep,
        names: &mut Names,
    ) -> Self {
        let levels = levels(program, original, sweep);
        let paths = paths(program, &levels);
        let mut order: Vec<Vec<usize>> = Vec::new();
        for k in 0..levels.len() {
            let mut next = Vec::with_capacity(2 * order.len() + 1);
            for path in order {
                let mut derivative = path.clone();
                derivative.push(k);
                next.extend([path, derivative]);
            }
            next.push(vec![k]);
            order = next;
        }
        let last = levels.len().saturating_sub(1);
        let file = match levels.last() {
            Some(level) if levels.len() > 1 => format!("{}{}_", level.base, level.suffix),
            Some(_) | None => String::new(),
        };
        // Structures that only few programs have come after all others, and only where they have members.
        let scratch = paths.iter().filter(|(path, is)| *is && !path.is_empty());
        let scratch: HashSet<&[usize]> = scratch.map(|(path, _)| &**path).collect();
        let hidden = order.iter().filter(|path| scratch.contains(&***path));
        let hidden: Vec<(Vec<usize>, bool)> = hidden.map(|path| (path.clone(), true)).collect();
        let shown = order.into_iter().map(|path| (path, false));
        let all: Vec<Class> = shown
            .chain(hidden)
            .map(|(path, is_scratch)| {
                let base = path.first().map_or("", |k| &*levels[*k].base);
                let suffixes: String = path.iter().map(|k| levels[*k].suffix).collect();
                let what = if is_scratch { "scratch" } else { "globals" };
                let plain = format!("{base}_{what}{suffixes}");
                let tag = names.fresh(&plain, None);
                let variable = names.fresh(&format!("{file}{plain}_data"), None);
                let several_tag = names.fresh(&format!("{plain}_v"), None);
                let is_tangent = |k: &usize| levels[*k].role == NameRole::Tangent;
                Class {
                    is_last: path.last() == Some(&last),
                    is_scratch,
                    is_unset: is_scratch && path[..] == [last] && path.iter().all(is_tangent),
                    path,
                    tag,
                    several_tag,
                    variable,
                }
            })
            .collect();
        let numbered = all.iter().enumerate();
        let by_path: HashMap<(&[usize], bool), usize> =
            (numbered.map(|(k, class)| ((&*class.path, class.is_scratch), k))).collect();
        let of = paths.iter();
        let of = of.map(|(path, is_scratch)| by_path.get(&(&**path, *is_scratch)).copied());
        Self {
            of: of.collect(),
            is_scratch: paths.iter().map(|(_, is)| *is).collect(),
            all,
            levels,
        }
    }

    /// The structure that a global is in; none of the program's own.
    pub(super) fn class(&self, g: GlobalId) -> Option<usize> {
        self.of.get(g.index()).copied().flatten()
    }

    /// True if there are derivatives of cells that nobody can use after the program has ended.
    pub(super) fn has_scratch(&self) -> bool {
        self.all.iter().any(|class| class.is_scratch)
    }

    /// The structures of derivatives of a second level and above that have a member for this global, and the suffix of its
    /// name. A first derivative has members for what it uses; that all of these have one in what follows depends on no
    /// analysis.
    pub(super) fn derivatives_of(
        &self,
        g: GlobalId,
        differentiated: bool,
    ) -> Vec<(usize, &'static str)> {
        if self.is_scratch.get(g.index()) == Some(&true) {
            return Vec::new();
        }
        let own: &[usize] = self.class(g).map_or(&[], |k| &*self.all[k].path);
        let wanted = |class: &Class| {
            let (level, base) = class.path.split_last()?;
            let is_wanted = *level > 0 && !class.is_scratch && base == own;
            (is_wanted && (differentiated || !own.is_empty())).then_some(*level)
        };
        let all = self.all.iter().enumerate();
        all.filter_map(|(k, class)| Some((k, self.levels[wanted(class)?].suffix)))
            .collect()
    }
}
