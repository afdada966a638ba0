//! Full Jacobians, by rows or by columns. For sparse ones, several rows or columns share a run.

use crate::absolute::absolute;
use crate::codes;
use crate::colouring::{self, Pattern};
use crate::mode::{Adjoint, Named, Primal, Tangent};
use crate::options::Options;
use crate::point::{Point, zeros_like};
use crate::slot::Slot;
use crate::sparsity::Blocks;
use cfg_core::diagnostic::Diagnostics;
use cfg_core::elemental::Scalar;
use cfg_core::entity::{RoutineId, VarId};
use cfg_core::flat::{Flat, FlatType};
use cfg_exec::{Lease, Value};
use std::collections::HashMap;

/// The mode in which a Jacobian is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The adjoint mode: one reverse sweep per row.
    Adjoint,
    /// The tangent mode: one tangent run per column.
    Tangent,
}

/// The derivatives of all dependents with respect to all independents.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobian {
    /// The values of the dependents.
    pub value: Named,
    /// Name and number of elements of each dependent: the rows, in storage order.
    pub rows: Vec<(String, usize)>,
    /// Name and number of elements of each independent: the columns, in storage order.
    pub columns: Vec<(String, usize)>,
    /// All rows, one after the other, each with all columns.
    pub entries: Vec<f64>,
    /// The mode in which the Jacobian was computed.
    pub mode: Mode,
    /// The number of reverse sweeps or tangent runs.
    pub sweeps: usize,
    /// Tangent runs that found the sparsity pattern; 0 unless compressed.
    pub probes: usize,
    /// The lease that pays for the entries.
    held: Lease,
}

impl Jacobian {
    /// The entry of an element of a dependent and one of an independent, both counted over all rows and
    /// columns.
    pub fn entry(&self, row: usize, column: usize) -> Option<f64> {
        let width: usize = self.columns.iter().map(|c| c.1).sum();
        if column >= width {
            return None;
        }
        self.entries.get(row.checked_mul(width)? + column).copied()
    }
}

/// Computes a Jacobian at a point; without a mode, in the one that needs fewer runs, or the other one if the
/// program has no derivative in that. Optional parameters that the point leaves out are neither rows nor
/// columns.
///
/// # Errors
/// The program cannot be differentiated; a run fails; the matrix does not fit into the memory that a run may use.
pub fn jacobian(
    program: &Flat,
    routine: RoutineId,
    options: &Options,
    read_point: impl FnOnce(&Primal) -> Result<Point, Diagnostics>,
    mode: Option<Mode>,
) -> Result<Jacobian, Diagnostics> {
    let work = Work::new(program, routine, options, read_point)?;
    let all = |mode| {
        let count = match mode {
            Mode::Adjoint => work.height,
            Mode::Tangent => work.width,
        };
        ((0..count).collect(), count)
    };
    let (mut sweeps, (colour, count)) = match mode {
        Some(mode) => (work.sweeps(mode)?, all(mode)),
        None if work.height < work.width => {
            work.either(Mode::Adjoint, all(Mode::Adjoint), all(Mode::Tangent))?
        }
        None => work.either(Mode::Tangent, all(Mode::Tangent), all(Mode::Adjoint))?,
    };
    work.run(&mut sweeps, &colour, count, None)
}

/// Computes a Jacobian at a point with fewer runs where it is sparse: columns (or rows) that share no row
/// (column) share a run. Without a mode, in the one that needs fewer runs, or the other one if the program
/// has no derivative in that.
///
/// # Errors
/// The errors are those of [`jacobian`].
pub fn compressed_jacobian(
    program: &Flat,
    routine: RoutineId,
    options: &Options,
    read_point: impl FnOnce(&Primal) -> Result<Point, Diagnostics>,
    mode: Option<Mode>,
) -> Result<Jacobian, Diagnostics> {
    let mut work = Work::new(program, routine, options, read_point)?;
    let (height, width) = (work.height, work.width);
    let most = match mode {
        Some(Mode::Adjoint) => height,
        Some(Mode::Tangent) => width,
        None => height.min(width),
    };
    let (rows, probes) = work.pattern(most)?;
    // Memory for the pattern: each entry by row and by column, in half a word, and a list for each row and column.
    let entries: usize = rows.iter().map(Vec::len).sum();
    let words = entries as u64 + 3 * (height as u64 + width as u64);
    let room = options.lease(words, program.routine(routine))?;
    work.held.join(room);
    let columns = colouring::transposed(&rows, width);
    // The limit is the width, so there is always a colouring.
    let by_columns = || colouring::columns(&rows, width, |_| true, width).unwrap_or_default();
    let by_rows = || colouring::columns(&columns, height, |_| true, height).unwrap_or_default();
    let (mut sweeps, (colour, count)) = match mode {
        Some(Mode::Adjoint) => (work.sweeps(Mode::Adjoint)?, by_rows()),
        Some(Mode::Tangent) => (work.sweeps(Mode::Tangent)?, by_columns()),
        None => match (by_rows(), by_columns()) {
            (r, c) if r.1 < c.1 => work.either(Mode::Adjoint, r, c)?,
            (r, c) => work.either(Mode::Tangent, c, r)?,
        },
    };
    let entries = match sweeps {
        Sweeps::Adjoint(_) => &columns,
        Sweeps::Tangent(_) => &rows,
    };
    let mut found = work.run(&mut sweeps, &colour, count, Some(entries))?;
    found.probes = probes;
    Ok(found)
}

/// A Jacobian to be computed: the data that both modes need.
struct Work<'p> {
    program: &'p Flat,
    routine: RoutineId,
    options: &'p Options,
    point: Point,
    value: Named,
    /// Zeros in the shapes of the independents that the point has.
    zeros: Vec<Value>,
    /// Positions of rows and columns among the dependents and the independents that are declared.
    declared: [Vec<usize>; 2],
    rows: Vec<(String, usize)>,
    columns: Vec<(String, usize)>,
    height: usize,
    width: usize,
    held: Lease,
}

/// The program that computes rows, or the one that computes columns.
enum Sweeps {
    Adjoint(Box<Adjoint>),
    Tangent(Box<Tangent>),
}

/// A colour for each row or column, and the number of colours.
type Colours = (Vec<usize>, usize);

impl<'p> Work<'p> {
    fn new(
        program: &'p Flat,
        routine: RoutineId,
        options: &'p Options,
        read_point: impl FnOnce(&Primal) -> Result<Point, Diagnostics>,
    ) -> Result<Self, Diagnostics> {
        let plain = Options {
            trace: false,
            events: false,
            ..options.clone()
        };
        // Values and shapes come from the program itself, so that only the derivative of the chosen mode is needed.
        let mut primal = Primal::new(program, routine, &plain)?;
        let point = read_point(&primal)?;
        let (independents, _held) = primal.independents_at(&point)?;
        let dependents = primal.dependents_at(&point)?;
        let value = primal.values(&point, &dependents)?.0;
        let rows = sizes(&value);
        let columns: Vec<(String, usize)> = independents
            .iter()
            .map(|(slot, v)| (primal.key(*slot).to_owned(), v.len()))
            .collect();
        let height: usize = rows.iter().map(|r| r.1).sum();
        let width: usize = columns.iter().map(|c| c.1).sum();
        // The entries; rows and columns of values, seeds and colours.
        let entries = (height as u64).saturating_mul(width as u64);
        let both = height as u64 + width as u64;
        let words = entries.saturating_add(both.saturating_mul(8));
        let Ok(held) = options.lease(words, program.routine(routine)) else {
            return Err(codes::general(
                &codes::TOO_LARGE,
                format!(
                    "a Jacobian of {height} rows and {width} columns takes more than {} bytes",
                    options.run.max_memory
                ),
                "choose fewer independents and dependents, or raise --max-memory",
            ));
        };
        let declared = program.routine(routine);
        let positions = |list: &[VarId], present: &[Slot]| {
            let all = list.iter().enumerate().rev();
            let all = all.filter_map(|(k, &v)| Some((Slot::from_variable(declared, v)?, k)));
            let places: HashMap<Slot, usize> = all.collect();
            let at = |slot: &Slot| places.get(slot).copied();
            present.iter().filter_map(at).collect::<Vec<usize>>()
        };
        let slots: Vec<Slot> = independents.iter().map(|(slot, _)| *slot).collect();
        Ok(Self {
            program,
            routine,
            options,
            point,
            value,
            zeros: independents.iter().map(|(_, v)| zeros_like(v)).collect(),
            declared: [
                positions(&declared.dependents, &dependents),
                positions(&declared.independents, &slots),
            ],
            rows,
            columns,
            height,
            width,
            held,
        })
    }

    fn sweeps(&self, mode: Mode) -> Result<Sweeps, Diagnostics> {
        let (program, routine, options) = (self.program, self.routine, self.options);
        Ok(match mode {
            Mode::Adjoint => Sweeps::Adjoint(Box::new(Adjoint::new(program, routine, options)?)),
            Mode::Tangent => Sweeps::Tangent(Box::new(Tangent::new(program, routine, options)?)),
        })
    }

    /// The wanted mode with its colours or, if the program has no derivative in it, the other mode with its own: a
    /// derivative routine given by the user may serve one mode only.
    fn either(
        &self,
        wanted: Mode,
        colours: Colours,
        others: Colours,
    ) -> Result<(Sweeps, Colours), Diagnostics> {
        let other = match wanted {
            Mode::Adjoint => Mode::Tangent,
            Mode::Tangent => Mode::Adjoint,
        };
        match self.sweeps(wanted) {
            Ok(sweeps) => Ok((sweeps, colours)),
            Err(refused) => match self.sweeps(other) {
                Ok(sweeps) => Ok((sweeps, others)),
                Err(_) => Err(refused),
            },
        }
    }

    /// Makes one run for each colour of the columns (or rows). Without a pattern every row has an entry in every
    /// column; with one, for each row its columns in the tangent mode, for each column its rows in the
    /// adjoint mode.
    fn run(
        self,
        sweeps: &mut Sweeps,
        colour: &[usize],
        count: usize,
        pattern: Option<&Pattern>,
    ) -> Result<Jacobian, Diagnostics> {
        let width = self.width;
        let mut entries = vec![0.0; self.height * width];
        let mut groups = vec![Vec::new(); count];
        for (i, &c) in colour.iter().enumerate() {
            groups[c].push(i);
        }
        let mode = match sweeps {
            Sweeps::Adjoint(_) => Mode::Adjoint,
            Sweeps::Tangent(_) => Mode::Tangent,
        };
        let mut units = Units::new(match &sweeps {
            Sweeps::Adjoint(adjoint) => adjoint.dependents_at(&self.point)?,
            Sweeps::Tangent(_) => self.zeros.clone(),
        });
        for (c, group) in groups.iter().enumerate() {
            for &i in group {
                units.set(i, true);
            }
            let found = match sweeps {
                Sweeps::Adjoint(adjoint) => adjoint.gradient(&self.point, &units.values)?.gradient,
                Sweeps::Tangent(tangent) => tangent.tangent(&self.point, &units.values)?.tangent,
            };
            for &i in group {
                units.set(i, false);
            }
            for (across, x) in elements(&found).enumerate() {
                // The only column (or row) of the group that has an entry here.
                let along = match pattern {
                    None => group.first().copied(),
                    Some(pattern) => pattern.get(across).and_then(|list| {
                        let mut list = list.iter().map(|&i| i as usize);
                        list.find(|&i| colour[i] == c)
                    }),
                };
                let Some(along) = along else { continue };
                let at = match mode {
                    Mode::Adjoint => along * width + across,
                    Mode::Tangent => across * width + along,
                };
                if let Some(entry) = entries.get_mut(at) {
                    *entry = x;
                }
            }
        }
        Ok(Jacobian {
            value: self.value,
            rows: self.rows,
            columns: self.columns,
            entries,
            mode,
            sweeps: count,
            probes: 0,
            held: self.held,
        })
    }

    /// The sparsity pattern by rows, found with at most `most` runs, and the number of runs.
    fn pattern(&self, most: usize) -> Result<(Pattern, usize), Diagnostics> {
        let depends = cfg_reverse::dependence(self.program, self.routine);
        let sizes = |list: &[(String, usize)]| list.iter().map(|x| x.1).collect::<Vec<_>>();
        let mut blocks = Blocks::of_variables(&sizes(&self.rows), &sizes(&self.columns), |y, x| {
            let [rows, columns] = &self.declared;
            let set = rows.get(y).and_then(|&y| depends.get(y));
            let x = columns.get(x).copied();
            set.zip(x).is_none_or(|(set, x)| set.contains(x))
        });
        // Without a tangent program, or with tangents given by the user, which may cancel, the pattern is that of
        // whole variables.
        let Ok(generated) =
            cfg_reverse::tangent_with(self.program, self.routine, (&self.options.reversal).into())
        else {
            return Ok((blocks.pattern(), 0));
        };
        let Some(bounds) = absolute(&generated) else {
            return Ok((blocks.pattern(), 0));
        };
        let bounds = cfg_reverse::Tangent {
            program: bounds,
            ..generated
        };
        let mut bounds = Tangent::compile(bounds, self.options)?;
        let mut units = Units::new(self.zeros.clone());
        let runs = blocks.refine(most, |ranges| {
            let each = || ranges.iter().flat_map(|&(start, n)| start..start + n);
            each().for_each(|i| units.set(i, true));
            let found = bounds.tangent(&self.point, &units.values)?.tangent;
            each().for_each(|i| units.set(i, false));
            Ok(elements(&found).map(|x| x == 0.0).collect())
        })?;
        Ok((blocks.pattern(), runs))
    }
}

fn sizes(values: &Named) -> Vec<(String, usize)> {
    values.iter().map(|(n, v)| (n.clone(), v.len())).collect()
}

/// All elements of several values, in storage order.
fn elements(values: &Named) -> impl Iterator<Item = f64> + '_ {
    values
        .iter()
        .flat_map(|(_, v)| (0..v.len()).map(|i| v.get_f64(i).unwrap_or(f64::NAN)))
}

/// Sums of unit vectors over several values.
struct Units {
    values: Vec<Value>,
    /// Number of elements before each value.
    first: Vec<usize>,
}

impl Units {
    fn new(values: Vec<Value>) -> Self {
        let mut next = 0;
        let first = values
            .iter()
            .map(|v| {
                next += v.len();
                next - v.len()
            })
            .collect();
        Self { values, first }
    }

    /// Makes the element at a position, counted over all values, 1 or 0.
    fn set(&mut self, position: usize, one: bool) {
        // The last value that starts at the position or before it; empty values start where the next one does.
        let Some(k) = self
            .first
            .partition_point(|&f| f <= position)
            .checked_sub(1)
        else {
            return;
        };
        let x = f64::from(u8::from(one));
        let element = match FlatType::view(self.values[k].ty()) {
            FlatType::Real32 => Scalar::Real32(x as f32),
            FlatType::Real
            | FlatType::Integer
            | FlatType::Sized(_)
            | FlatType::Logical
            | FlatType::Tape => Scalar::Real(x),
        };
        self.values[k].set(position - self.first[k], element);
    }
}
