//! The pools of a program, and the variables that live in them.

use super::{
    arithmetic::add,
    cells,
    classes::{Classes, Node},
    layout::{Fit, Fits, Limits},
    whole::whole_parameters,
};
use crate::names::fresh_name;
use cfg_core::{
    entity::{GlobalId, RecordId, RoutineId, VarId},
    ir::{
        Dim, Expr, Extent, Field, Global, NameOrigin, NameRole, Op, PointerType, Program, Record,
        Role, ScalarType, Variable,
    },
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The objects of a class: arrays of cells, one for each type, under one numbering, and a table of the objects.
pub(super) struct Pool {
    /// The array of the cells of each type; pointers have one array, under [`Kind::Pointer`].
    pub(super) arrays: BTreeMap<Kind, GlobalId>,
    /// The first cell of each object; object 0 is null.
    pub(super) first: GlobalId,
    /// The last cell of each object. For an object that has ended, it is the first cell minus the size minus 2. For
    /// null, and for objects that were never made, first and last are cell 0, which no pool has.
    pub(super) last: GlobalId,
    /// The number of objects that were allocated, numbered from 1.
    pub(super) objects: GlobalId,
    /// The first cell that was never allocated.
    pub(super) top: GlobalId,
    /// The least number of an object that is a variable; these are numbered from the largest number down.
    pub(super) variables: GlobalId,
    /// The least cell of variables, which lie at the end of the pool.
    pub(super) bottom: GlobalId,
    /// The objects that were freed, if some are.
    pub(super) freed: Option<Freed>,
    /// The checks for types whose pointers may lead to cells of other types.
    pub(super) fits: BTreeMap<ScalarType, Fitting>,
    /// The tables of layouts, if pointers of a type that may not fit lead into objects of several layouts.
    pub(super) layouts: Option<Layouts>,
    /// The class, by its representative.
    class: Node,
}

/// The objects of a pool that were freed, in lists: list 0 has objects whose cells were returned to the pool, the
/// others have objects by their size.
pub(super) struct Freed {
    /// The last object freed in each list; 0 for an empty list.
    pub(super) lists: GlobalId,
    /// The object behind each object in its list; 0 for the last one.
    pub(super) next: GlobalId,
}

impl Freed {
    /// Number of lists by size: a prime, so that sizes that are powers of 2 are in different lists.
    const LISTS: i64 = 1021;

    /// The list of the objects of a size.
    pub(super) fn list(size: &Expr) -> Expr {
        if let Expr::Int(size) = size {
            return Expr::Int(1 + size.rem_euclid(Self::LISTS));
        }
        let rest = Expr::op(Op::Modulo, [size.clone(), Expr::Int(Self::LISTS)]);
        add(rest, Expr::Int(1))
    }
}

/// The check whether a type fits at a cell, by its distance from the beginning of an element.
#[derive(Clone, Debug)]
pub(super) enum Fitting {
    /// Elements have `size` cells, and the type fits in these ranges.
    At { size: i64, ranges: Vec<(i64, i64)> },
    /// Elements have `size` cells, and a table has the answer for each.
    Each { size: i64, table: GlobalId },
    /// A table has the answer for each cell of all layouts, one layout behind the other.
    EachOfAll(GlobalId),
}

/// The layouts of the objects of a pool.
pub(super) struct Layouts {
    /// For each layout that is checked, the number of cells of the layouts before it.
    pub(super) starts: BTreeMap<ScalarType, i64>,
    /// The entry for other layouts: the number of cells of all checked ones.
    pub(super) other: i64,
    /// The table of the objects: for each, the number of cells of the layouts before its own.
    pub(super) of: GlobalId,
    /// The table of sizes: the number of cells of the layout that begins at each of these numbers.
    pub(super) sizes: GlobalId,
}

/// The kind of an array of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Number(ScalarType),
    Pointer,
}

impl Kind {
    pub(super) fn from_type(ty: ScalarType) -> Self {
        match ty.pointer() {
            Some(_) => Self::Pointer,
            None => Self::Number(ty),
        }
    }
}

/// The pools of a program.
pub(super) struct Plan<'p> {
    pub(super) program: &'p Program,
    pub(super) classes: Classes<'p>,
    pub(super) pools: Vec<Pool>,
    /// The pool of each class that has cells, by its representative.
    of_class: BTreeMap<Node, usize>,
    /// The record that pointers become: an object and a cell.
    pub(super) pointer: RecordId,
    /// The types with that record in place of pointers.
    pub(super) records: Vec<Record>,
    /// All globals: those of the program that stay, and the pools'.
    pub(super) globals: Vec<Global>,
    /// Number of cells of each pool, and of its objects.
    pub(super) size: i64,
    /// The table entries of each global that lives in a pool: object and first cell, both constants.
    pub(super) fixed: BTreeMap<GlobalId, (i64, i64)>,
    /// Parameters whose number of rows follows from the end of the object.
    pub(super) whole: HashSet<(RoutineId, VarId)>,
}

/// The fields of the record that a pointer becomes.
pub(super) const OBJECT: &str = "object";
/// The fields of the record that a pointer becomes.
pub(super) const CELL: &str = "cell";

impl<'p> Plan<'p> {
    /// The pools of a program that is entered by `heads`.
    pub(super) fn lay_out(program: &'p Program, heads: &[RoutineId], size: i64) -> Self {
        let mut classes = Classes::partition(program);
        classes.add_arguments(heads);
        let mut records = program.records.clone();
        let pointer = RecordId::new(records.len());
        let mut taken: HashSet<String> = records.iter().map(|r| r.name.clone()).collect();
        records.push(Record {
            name: fresh_name("pointer".to_owned(), &mut taken),
            fields: [OBJECT, CELL].map(integer_field).into(),
        });
        for field in records.iter_mut().flat_map(|r| &mut r.fields) {
            if field.ty.pointer().is_some() {
                field.ty = ScalarType::Record(pointer);
            }
        }
        let mut plan = Self {
            program,
            classes,
            pools: Vec::new(),
            of_class: BTreeMap::new(),
            pointer,
            records,
            globals: program.globals.clone(),
            size,
            fixed: BTreeMap::new(),
            whole: HashSet::new(),
        };
        plan.whole = whole_parameters(program, |r, v| plan.is_moved(r, v));
        for global in &mut plan.globals {
            if global.variable.ty.pointer().is_some() {
                global.variable.ty = ScalarType::Record(pointer);
            }
            // Null is an object and a cell, both 0.
            let values = global.initial.iter().flatten();
            let lowered = values.flat_map(|e| match e {
                Expr::Null(_) => vec![Expr::Int(0), Expr::Int(0)],
                Expr::Int(_)
                | Expr::Real(_)
                | Expr::Real32(_)
                | Expr::Logical(_)
                | Expr::Addr(_)
                | Expr::Place(_)
                | Expr::Op(..) => vec![e.clone()],
            });
            let lowered: Vec<Expr> = lowered.collect();
            if global.initial.is_some() {
                global.initial = Some(lowered.into());
            }
        }
        plan.make();
        plan
    }

    /// The pool of a class; `None` if it has no cells that are used through pointers.
    pub(super) fn pool(&self, node: Node) -> Option<usize> {
        self.of_class.get(&self.classes.find(node)).copied()
    }

    /// The pool to which pointers of a type that are stored in a class lead.
    pub(super) fn pointee(&self, node: Node, ty: PointerType) -> Option<(Node, usize)> {
        let node = self.classes.pointee(node, ty)?;
        Some((node, self.pool(node)?))
    }

    /// The type of a variable after lowering, if it stays a variable.
    pub(super) fn lowered_type(&self, ty: ScalarType) -> ScalarType {
        match ty.pointer() {
            Some(_) => ScalarType::Record(self.pointer),
            None => ty,
        }
    }

    /// True if a variable of a routine lives in a pool.
    pub(super) fn is_moved(&self, r: RoutineId, v: VarId) -> bool {
        self.classes.is_moved(r, v)
    }

    /// Assignments that bring numbers of pools back to their initial values whenever the program is entered by one of
    /// `heads`: a program that an error or a `stop` ended leaves variables in its pools, and one that returned may
    /// leave objects that nobody can use.
    pub(super) fn reset(&self, heads: &HashSet<RoutineId>) -> Vec<(GlobalId, Expr)> {
        let mut variables = BTreeSet::new();
        for (r, routine) in self.program.routines.iter().enumerate() {
            let r = RoutineId::new(r);
            for v in (0..routine.variables.len()).map(VarId::new) {
                let variable = routine.variable(v);
                let class = self.classes.variable(r, v);
                let is_global = matches!(variable.role, Role::Global(_));
                if !is_global && self.is_moved(r, v) {
                    variables.extend(self.pool(class));
                }
                if matches!(variable.role, Role::Parameter { .. }) && heads.contains(&r) {
                    self.reach(class, variable.ty, &mut variables);
                }
            }
        }
        let mut all = Vec::new();
        for (k, pool) in self.pools.iter().enumerate() {
            let mut add = |g: GlobalId| {
                let initial = self.globals[g.index()].initial.iter().flatten().next();
                all.extend(initial.map(|value| (g, value.clone())));
            };
            if self.classes.is_allocated(pool.class) && !self.classes.is_kept(pool.class) {
                add(pool.objects);
                add(pool.top);
                if let Some(freed) = &pool.freed {
                    add(freed.lists);
                }
            }
            if variables.contains(&k) {
                add(pool.variables);
                add(pool.bottom);
            }
        }
        all
    }

    /// Collects the pools to which the pointers in a value of a type, stored in a class, lead, directly or through
    /// others.
    fn reach(&self, class: Node, ty: ScalarType, pools: &mut BTreeSet<usize>) {
        let mut open = vec![(class, ty)];
        let mut seen = BTreeSet::new();
        while let Some((class, ty)) = open.pop() {
            if !seen.insert((class, ty)) {
                continue;
            }
            for leaf in cells::cell_types(self.program, ty) {
                if let Some(pointer) = leaf.pointer()
                    && let Some(class) = self.classes.pointee(class, pointer)
                {
                    pools.extend(self.pool(class));
                    open.push((class, pointer.pointee()));
                }
            }
        }
    }

    /// The names of all variables of the program, which new globals must avoid since routines name them beside their
    /// own.
    pub(super) fn names(&self) -> HashSet<String> {
        let globals = self.globals.iter().map(|g| &g.variable);
        let routines = self.program.routines.iter();
        let variables = routines.flat_map(|r| &r.variables);
        globals.chain(variables).map(|v| v.name.clone()).collect()
    }

    fn make(&mut self) {
        let mut taken = self.names();
        let mut pointees: BTreeMap<Node, BTreeSet<ScalarType>> = BTreeMap::new();
        for (node, ty) in self.classes.pointees() {
            pointees.entry(node).or_default().insert(ty);
        }
        let mut fits = Fits::new(self.program, Limits::default());
        for node in 0..self.classes.len() {
            let class = self.classes.find(node);
            if self.of_class.contains_key(&class) || self.classes.types(class).is_empty() {
                continue;
            }
            let kinds = self
                .classes
                .types(class)
                .iter()
                .map(|&ty| Kind::from_type(ty));
            let kinds: BTreeSet<Kind> = kinds.collect();
            let number = self.pools.len() + 1;
            let base = fresh_name(format!("pool{number}"), &mut taken);
            let mut arrays = BTreeMap::new();
            let [role, first, last, freed] = match self.classes.is_kept(class) {
                true => [
                    NameRole::Cells,
                    NameRole::FirstCells,
                    NameRole::LastCells,
                    NameRole::Freed,
                ],
                false => [
                    NameRole::ScratchCells,
                    NameRole::ScratchFirstCells,
                    NameRole::ScratchLastCells,
                    NameRole::ScratchFreed,
                ],
            };
            for kind in kinds {
                let (name, ty) = match kind {
                    Kind::Number(ty) => (ty.name(), ty),
                    Kind::Pointer => ("pointer", ScalarType::Record(self.pointer)),
                };
                let name = fresh_name(format!("{base}.{name}"), &mut taken);
                let shape = vec![Dim::with_extent(Expr::Int(self.size))];
                let origin = NameOrigin::new(role.clone(), &*base);
                arrays.insert(kind, self.global(name, ty, shape, None, Some(origin)));
            }
            // Object 0 is null, so the tables of objects begin at 0.
            let table = Dim {
                lower: Expr::Int(0),
                extent: Extent::Fixed(Expr::Int(self.size + 1)),
            };
            let is_freed = self.classes.is_freed(class);
            let mut integer = |name: &str, shape: &[Dim], initial: i64, role: Option<NameRole>| {
                let name = fresh_name(format!("{base}.{name}"), &mut taken);
                let shape = shape.to_vec();
                let origin = role.map(|role| NameOrigin::new(role, &*base));
                self.global(name, ScalarType::Integer, shape, Some(initial), origin)
            };
            let tables = [table];
            let lists = [Dim {
                lower: Expr::Int(0),
                extent: Extent::Fixed(Expr::Int(Freed::LISTS + 1)),
            }];
            let pool = Pool {
                arrays,
                first: integer("first", &tables, 0, Some(first)),
                last: integer("last", &tables, 0, Some(last)),
                objects: integer("objects", &[], 0, None),
                top: integer("top", &[], 1, Some(NameRole::FreeCell)),
                variables: integer("variables", &[], 0, None),
                bottom: integer("bottom", &[], 0, Some(NameRole::LeastVariable)),
                freed: is_freed.then(|| Freed {
                    lists: integer("freed", &lists, 0, Some(freed.clone())),
                    next: integer("next", &tables, 0, Some(freed)),
                }),
                fits: BTreeMap::new(),
                layouts: None,
                class,
            };
            let pool = match pointees.get(&class) {
                Some(pointees) => self.fitting(pool, &base, pointees, &mut fits, &mut taken),
                None => pool,
            };
            self.of_class.insert(class, self.pools.len());
            self.pools.push(pool);
        }
        self.place_globals();
    }

    /// Adds to the pool the checks of types.
    fn fitting(
        &mut self,
        mut pool: Pool,
        base: &str,
        pointees: &BTreeSet<ScalarType>,
        fits: &mut Fits<'p>,
        taken: &mut HashSet<String>,
    ) -> Pool {
        let (found, layouts) = fits.of_pool(self.classes.layouts(pool.class), pointees);
        let several = (found.values()).any(|fit| matches!(fit, Fit::EachOfAll(_)));
        for (ty, fit) in found {
            let mut table = |each: Vec<bool>| {
                let name = fresh_name(format!("{base}.fits"), taken);
                let values = each.into_iter().map(Expr::Logical).collect();
                self.constants(name, ScalarType::Logical, values)
            };
            let fitting = match fit {
                Fit::At { size, ranges } => Fitting::At { size, ranges },
                Fit::Each(each) => Fitting::Each {
                    size: each.len() as i64,
                    table: table(each),
                },
                Fit::EachOfAll(each) => Fitting::EachOfAll(table(each)),
            };
            pool.fits.insert(ty, fitting);
        }
        if several {
            // One more cell, behind all layouts, stands for objects that are not checked.
            let mut sizes = vec![Expr::Int(1); layouts.total as usize + 1];
            for (ty, start) in &layouts.starts {
                sizes[*start as usize] = Expr::Int(cells::cell_count(self.program, *ty));
            }
            let role = match self.classes.is_kept(pool.class) {
                true => NameRole::Layouts,
                false => NameRole::ScratchLayouts,
            };
            let table = Dim {
                lower: Expr::Int(0),
                extent: Extent::Fixed(Expr::Int(self.size + 1)),
            };
            let name = fresh_name(format!("{base}.layout"), taken);
            let origin = Some(NameOrigin::new(role, base));
            let of = self.global(name, ScalarType::Integer, vec![table], Some(0), origin);
            let name = fresh_name(format!("{base}.sizes"), taken);
            let sizes = self.constants(name, ScalarType::Integer, sizes);
            pool.layouts = Some(Layouts {
                starts: layouts.starts,
                other: layouts.total,
                of,
                sizes,
            });
        }
        pool
    }

    /// A table of constants, with subscripts from 0.
    fn constants(&mut self, name: String, ty: ScalarType, values: Vec<Expr>) -> GlobalId {
        let dim = Dim {
            lower: Expr::Int(0),
            extent: Extent::Fixed(Expr::Int(values.len() as i64)),
        };
        let g = self.global(name, ty, vec![dim], None, None);
        self.globals[g.index()].initial = Some(values.into());
        g
    }

    fn global(
        &mut self,
        name: String,
        ty: ScalarType,
        shape: Vec<Dim>,
        initial: Option<i64>,
        origin: Option<NameOrigin>,
    ) -> GlobalId {
        let g = GlobalId::new(self.globals.len());
        let origin = origin.map(Box::new);
        self.globals.push(Global {
            variable: Variable {
                origin,
                ..Variable::new(name, ty, shape, Role::Global(g))
            },
            initial: initial.map(|value| Box::from([Expr::Int(value)])),
            overlay: None,
        });
        g
    }

    /// Gives the globals that live in pools their cells, and sets the numbers from which other objects begin.
    fn place_globals(&mut self) {
        let mut next: Vec<(i64, i64)> = vec![(self.size + 1, self.size + 1); self.pools.len()];
        // Globals that share the storage of others come behind these.
        let mut moved: Vec<GlobalId> = self.classes.moved_globals().collect();
        moved.sort_by_key(|g| self.program.global(*g).overlay.is_some());
        for g in moved {
            let Some(pool) = self.pool(g.index()) else {
                continue;
            };
            let variable = &self.program.global(g).variable;
            let each = cells::cell_count(self.program, variable.ty);
            let size = each.saturating_mul(cells::elements(variable.shape.iter()));
            let (base, offset) = self.program.storage(g);
            let shared = self.fixed.get(&base).map(|(_, first)| *first);
            let (object, cell) = &mut next[pool];
            *object -= 1;
            let first = match shared {
                Some(first) => first.saturating_add(offset.saturating_mul(each)),
                None => {
                    *cell = cell.saturating_sub(size);
                    *cell
                }
            };
            self.fixed.insert(g, (*object, first));
        }
        for (pool, (object, cell)) in self.pools.iter().zip(next) {
            for (g, value) in [(pool.variables, object), (pool.bottom, cell)] {
                self.globals[g.index()].initial = Some(Box::from([Expr::Int(value)]));
            }
        }
    }
}

fn integer_field(name: &str) -> Field {
    Field {
        name: name.to_owned(),
        ty: ScalarType::Integer,
        shape: Vec::new(),
    }
}
