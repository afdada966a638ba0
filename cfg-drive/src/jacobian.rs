//! Full Jacobians, by rows or by columns; of sparse ones, several at a time.

use crate::absolute::absolute;
use crate::codes;
use crate::colouring::{self, Pattern};
use crate::mode::{Adjoint, Named, Options, Tangent};
use crate::point::Point;
use crate::sparsity::Blocks;
use cfg_core::diagnostic::Diagnostics;
use cfg_core::elemental::Scalar;
use cfg_core::entity::RoutineId;
use cfg_core::ir::ScalarType;
use cfg_core::validate::ValidProgram;
use cfg_exec::{Lease, Value};

/// How a Jacobian is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One reverse sweep per row.
    Adjoint,
    /// One tangent run per column.
    Tangent,
}

/// The derivatives of all dependents with respect to all independents.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobian {
    /// The dependents.
    pub value: Named,
    /// Name and number of elements of each dependent: the rows, in storage order.
    pub rows: Vec<(String, usize)>,
    /// Name and number of elements of each independent: the columns, in storage order.
    pub columns: Vec<(String, usize)>,
    /// All rows, one after the other, each with all columns.
    pub entries: Vec<f64>,
    /// How it was computed.
    pub mode: Mode,
    /// Reverse sweeps or tangent runs that it took.
    pub sweeps: usize,
    /// Tangent runs that found the sparsity pattern; 0 unless compressed.
    pub probes: usize,
    /// What pays for the entries.
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

/// Computes a Jacobian at a point; without a mode, in the one that needs fewer runs.
///
/// # Errors
/// What cannot be differentiated; what goes wrong in a run; a matrix that does not fit into the memory
/// that a run may use.
pub fn jacobian(
    program: &ValidProgram,
    routine: RoutineId,
    options: &Options,
    read_point: impl FnOnce(&Tangent) -> Result<Point, Diagnostics>,
    mode: Option<Mode>,
) -> Result<Jacobian, Diagnostics> {
    let mut work = Work::new(program, routine, options, read_point)?;
    let mode = mode.unwrap_or(if work.height < work.width {
        Mode::Adjoint
    } else {
        Mode::Tangent
    });
    let count = match mode {
        Mode::Adjoint => work.height,
        Mode::Tangent => work.width,
    };
    work.run(mode, &(0..count).collect::<Vec<_>>(), count, None)
}

/// Computes a Jacobian at a point with fewer runs where it is sparse: columns (or rows) that share no row
/// (column) share a run. Without a mode, in the one that needs fewer runs.
///
/// # Errors
/// As [`jacobian`].
pub fn compressed_jacobian(
    program: &ValidProgram,
    routine: RoutineId,
    options: &Options,
    read_point: impl FnOnce(&Tangent) -> Result<Point, Diagnostics>,
    mode: Option<Mode>,
) -> Result<Jacobian, Diagnostics> {
    let mut work = Work::new(program, routine, options, read_point)?;
    let (height, width) = (work.height, work.width);
    let most = match mode {
        Some(Mode::Adjoint) => height,
        Some(Mode::Tangent) => width,
        None => height.min(width),
    };
    let (rows, probes) = work.pattern(program, routine, options, most)?;
    // Each entry by row and by column, in half a word, and a list for each.
    let entries: usize = rows.iter().map(Vec::len).sum();
    let words = entries as u64 + 3 * (height as u64 + width as u64);
    let room = options.lease(words, program.routine(routine))?;
    work.held.join(room);
    let columns = colouring::transposed(&rows, width);
    let by_columns = || colouring::columns(&rows, width, |_| true, width);
    let by_rows = || colouring::columns(&columns, height, |_| true, height);
    let (mode, coloured) = match mode {
        Some(Mode::Adjoint) => (Mode::Adjoint, by_rows()),
        Some(Mode::Tangent) => (Mode::Tangent, by_columns()),
        None => match (by_rows(), by_columns()) {
            (Some(r), Some(c)) if r.1 < c.1 => (Mode::Adjoint, Some(r)),
            (r, None) => (Mode::Adjoint, r),
            (_, c) => (Mode::Tangent, c),
        },
    };
    // There is a colour for each row and each column.
    let (colour, count) = coloured.unwrap_or_default();
    let entries = match mode {
        Mode::Adjoint => &columns,
        Mode::Tangent => &rows,
    };
    let mut found = work.run(mode, &colour, count, Some(entries))?;
    found.probes = probes;
    Ok(found)
}

/// What every way of computing a Jacobian needs.
struct Work<'p> {
    program: &'p ValidProgram,
    routine: RoutineId,
    options: &'p Options,
    tangent: Tangent,
    point: Point,
    value: Named,
    /// The independents, all 0.
    zeros: Vec<Value>,
    rows: Vec<(String, usize)>,
    columns: Vec<(String, usize)>,
    height: usize,
    width: usize,
    held: Lease,
}

impl<'p> Work<'p> {
    fn new(
        program: &'p ValidProgram,
        routine: RoutineId,
        options: &'p Options,
        read_point: impl FnOnce(&Tangent) -> Result<Point, Diagnostics>,
    ) -> Result<Self, Diagnostics> {
        let mut tangent = Tangent::new(program, routine, options)?;
        let point = read_point(&tangent)?;
        let (independents, _held) = tangent.independents_at(&point)?;
        // One run shows values and shapes, also those of results that are not known before.
        let zeros: Vec<Value> = independents
            .iter()
            .map(|(_, v)| crate::point::zeros_like(v))
            .collect();
        let value = tangent.tangent(&point, &zeros)?.value;
        let rows = sizes(&value);
        let columns: Vec<(String, usize)> = independents
            .iter()
            .map(|(slot, v)| (tangent.key(*slot).to_owned(), v.len()))
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
        Ok(Self {
            program,
            routine,
            options,
            tangent,
            point,
            value,
            zeros,
            rows,
            columns,
            height,
            width,
            held,
        })
    }

    /// One run for each colour of the columns (or rows). Without a pattern every row has an entry in every
    /// column; with one, for each row its columns in the tangent mode, for each column its rows in the
    /// adjoint mode.
    fn run(
        &mut self,
        mode: Mode,
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
        let mut adjoint = match mode {
            Mode::Adjoint => Some(Adjoint::new(self.program, self.routine, self.options)?),
            Mode::Tangent => None,
        };
        let mut units = Units::new(match &adjoint {
            Some(adjoint) => adjoint.dependents_at(&self.point)?,
            None => self.zeros.clone(),
        });
        for (c, group) in groups.iter().enumerate() {
            for &i in group {
                units.set(i, true);
            }
            let found = match &mut adjoint {
                Some(adjoint) => adjoint.gradient(&self.point, &units.values)?.gradient,
                None => self.tangent.tangent(&self.point, &units.values)?.tangent,
            };
            for &i in group {
                units.set(i, false);
            }
            for (across, x) in elements(&found).enumerate() {
                // The one of the group that has an entry here.
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
            value: std::mem::take(&mut self.value),
            rows: std::mem::take(&mut self.rows),
            columns: std::mem::take(&mut self.columns),
            entries,
            mode,
            sweeps: count,
            probes: 0,
            held: std::mem::take(&mut self.held),
        })
    }

    /// The sparsity pattern by rows, found with at most so many runs, and how many it were.
    fn pattern(
        &self,
        program: &ValidProgram,
        routine: RoutineId,
        options: &Options,
        most: usize,
    ) -> Result<(Pattern, usize), Diagnostics> {
        let depends = cfg_reverse::dependence(program, routine);
        let sizes = |list: &[(String, usize)]| list.iter().map(|x| x.1).collect::<Vec<_>>();
        let mut blocks = Blocks::of_variables(&sizes(&self.rows), &sizes(&self.columns), |y, x| {
            depends.get(y).is_none_or(|set| set.contains(x))
        });
        let generated = cfg_reverse::tangent(program, routine)?;
        // Tangents that the user gave are not known to be monotonous: whole variables it is.
        let Some(bounds) = absolute(&generated) else {
            return Ok((blocks.pattern(), 0));
        };
        let bounds = cfg_reverse::Tangent {
            program: bounds,
            ..generated
        };
        let mut bounds = Tangent::of(bounds, options)?;
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
        // The last value that starts there or before: empty ones start where the next does.
        let Some(k) = self
            .first
            .partition_point(|&f| f <= position)
            .checked_sub(1)
        else {
            return;
        };
        let x = f64::from(u8::from(one));
        let element = match self.values[k].ty() {
            ScalarType::Real32 => Scalar::Real32(x as f32),
            _ => Scalar::Real(x),
        };
        self.values[k].set(position - self.first[k], element);
    }
}
