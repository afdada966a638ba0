//! Array descriptors, which map the elements of an array or view to cells of memory.

use cfg_core::ir::Order;

use crate::fault::Fault;

/// One dimension of an array or view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    /// The first subscript.
    pub lower: i64,
    /// Number of subscripts.
    pub extent: i64,
    /// Cells from an element to the next one.
    pub stride: i64,
}

/// The state of a descriptor: whether it describes anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    Bound,
    /// An optional argument that was not given.
    Absent,
    /// A local of deferred extents before its first assignment.
    Unallocated,
    /// An array in an arm of a conditional expression that is not chosen.
    Untaken,
}

/// Two dimensions of an array; the first part also has its base. Extents of an array that is absent or not allocated
/// are 0, so that the bounds test of an element access fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// Cell address of the first element, in the first part.
    pub base: u64,
    /// The two dimensions.
    pub axes: [Axis; 2],
    pub(crate) state: State,
    /// Cells reserved for a local of deferred extents.
    pub(crate) capacity: u64,
}

impl Descriptor {
    /// An array of at most two dimensions.
    pub fn new(base: u64, axes: [Axis; 2]) -> Self {
        Self {
            base,
            axes,
            ..Self::default()
        }
    }
}

/// An array argument on its way into the callee's frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Staged {
    pub(crate) base: u64,
    pub(crate) state: State,
    /// Number of elements.
    pub(crate) cells: u64,
    /// The order in which a parameter of explicit shape takes the elements.
    pub(crate) order: Order,
    /// The position of the array's dimensions among the machine's staged axes.
    pub(crate) axes: usize,
    pub(crate) rank: usize,
}

/// Number of descriptor positions for a rank.
pub(crate) fn position_count(rank: usize) -> usize {
    rank.div_ceil(2).max(1)
}

/// One dimension of the array at the start of `parts`.
pub(crate) fn axis(parts: &[Descriptor], k: usize) -> Axis {
    parts[k / 2].axes[k % 2]
}

/// One dimension of the array at the start of `parts`, to be changed.
pub(crate) fn axis_mut(parts: &mut [Descriptor], k: usize) -> &mut Axis {
    &mut parts[k / 2].axes[k % 2]
}

/// The dimensions of an array, first to last.
pub(crate) fn axes(parts: &[Descriptor], rank: usize) -> Vec<Axis> {
    (0..rank).map(|k| axis(parts, k)).collect()
}

/// Number of elements; `None` if it does not fit.
pub(crate) fn element_count(axes: &[Axis]) -> Option<u64> {
    if axes.iter().any(|a| a.extent <= 0) {
        return Some(0);
    }
    axes.iter()
        .try_fold(1u64, |n, a| n.checked_mul(a.extent as u64))
}

/// Sets the strides of a contiguous array in place; returns its size.
pub(crate) fn lay_out_parts(parts: &mut [Descriptor], rank: usize, order: Order) -> Option<u64> {
    let empty = (0..rank).any(|k| axis(parts, k).extent <= 0);
    let mut stride = 1i64;
    for n in 0..rank {
        let k = match order {
            Order::Row => rank - 1 - n,
            Order::Column => n,
        };
        let a = axis_mut(parts, k);
        a.stride = stride;
        if !empty {
            stride = stride.checked_mul(a.extent)?;
        }
    }
    Some(if empty { 0 } else { stride as u64 })
}

/// Sets the strides of a contiguous array; returns its size.
pub(crate) fn lay_out(axes: &mut [Axis], order: Order) -> Option<u64> {
    let mut stride = 1i64;
    let empty = axes.iter().any(|a| a.extent <= 0);
    let mut set = |a: &mut Axis| {
        a.extent = a.extent.max(0);
        a.stride = stride;
        if !empty {
            stride = stride.checked_mul(a.extent)?;
        }
        Some(())
    };
    match order {
        Order::Row => axes.iter_mut().rev().try_for_each(&mut set)?,
        Order::Column => axes.iter_mut().try_for_each(&mut set)?,
    }
    Some(if empty { 0 } else { stride as u64 })
}

/// True if the elements follow each other in memory in this storage order.
pub(crate) fn is_contiguous(axes: &[Axis], order: Order) -> bool {
    if axes.iter().any(|a| a.extent <= 0) {
        return true;
    }
    let mut stride = 1i64;
    let mut follows = |a: &Axis| {
        let follows = a.extent == 1 || a.stride == stride;
        stride = stride.wrapping_mul(a.extent);
        follows
    };
    match order {
        Order::Row => axes.iter().rev().all(&mut follows),
        Order::Column => axes.iter().all(&mut follows),
    }
}

/// The dimensions with more than one element, the fastest in storage first, as extent and stride.
fn by_speed(axes: &[Axis], order: Order) -> Vec<(u64, i64)> {
    let mut found: Vec<(u64, i64)> = axes
        .iter()
        .filter(|a| a.extent > 1)
        .map(|a| (a.extent as u64, a.stride))
        .collect();
    if order == Order::Row {
        found.reverse();
    }
    found
}

/// Lays a parameter's dimensions over the cells of an argument, so that the k-th elements of both, each in its own
/// storage order, are one cell. Sets the strides; false if no strides do that. Assumes that the argument has at least
/// as many elements.
pub(crate) fn lay_over(
    parts: &mut [Descriptor],
    rank: usize,
    order: Order,
    (actual, actual_order): (&[Axis], Order),
) -> bool {
    let mut rest: u64 = match element_count(&axes(parts, rank)) {
        Some(0) => return true,
        Some(n) => n,
        None => return false,
    };
    // Neighbours without a gap between them are one dimension.
    let mut dense: Vec<(u64, i64)> = Vec::new();
    for (extent, stride) in by_speed(actual, actual_order) {
        match dense.last_mut() {
            Some(last) if i128::from(last.1) * i128::from(last.0) == i128::from(stride) => {
                last.0 *= extent;
            }
            _ => dense.push((extent, stride)),
        }
    }
    let mut dense = dense.into_iter();
    // The remaining extent and the stride of the argument's dimension that is being divided.
    let (mut left, mut step) = dense.next().unwrap_or((1, 1));
    for n in 0..rank {
        let k = match order {
            Order::Row => rank - 1 - n,
            Order::Column => n,
        };
        let a = axis_mut(parts, k);
        let extent = a.extent as u64;
        if extent == 1 {
            a.stride = 0;
            continue;
        }
        if left == 1 {
            (left, step) = dense.next().unwrap_or((1, 1));
        }
        a.stride = step;
        // Only the last dimensions may end before the argument's dimension does.
        if rest > left && left % extent != 0 {
            return false;
        }
        rest /= extent;
        left /= extent;
        step = step.wrapping_mul(a.extent);
    }
    true
}

/// First dimension in which the extents differ.
pub(crate) fn conform(a: &[Axis], b: &[Axis]) -> Result<(), Fault> {
    if a.iter().zip(b).all(|(x, y)| x.extent == y.extent) {
        return Ok(());
    }
    Err(Fault::Shape(format!(
        "an array of shape {} meets one of shape {}",
        shape(a),
        shape(b)
    )))
}

/// The extents as text, such as `[2, 3]`.
pub(crate) fn shape(axes: &[Axis]) -> String {
    let extents: Vec<_> = axes.iter().map(|a| a.extent).collect();
    format!("{extents:?}")
}

/// Calls `run(first cell, stride, number)` for each innermost row of an array, in storage order.
pub(crate) fn for_each_run(
    base: u64,
    axes: &[Axis],
    order: Order,
    mut run: impl FnMut(u64, i64, u64) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if axes.iter().any(|a| a.extent <= 0) {
        return Ok(());
    }
    let mut dims: Vec<(i64, i64)> = axes.iter().map(|a| (a.extent, a.stride)).collect();
    if order == Order::Column {
        dims.reverse();
    }
    let Some((n, stride)) = dims.pop() else {
        return run(base, 1, 1);
    };
    let mut at = vec![0i64; dims.len()];
    let mut start = base;
    loop {
        run(start, stride, n as u64)?;
        let mut k = dims.len();
        loop {
            let Some(outer) = k.checked_sub(1) else {
                return Ok(());
            };
            k = outer;
            let (extent, stride) = dims[k];
            at[k] += 1;
            start = start.wrapping_add_signed(stride);
            if at[k] < extent {
                break;
            }
            start = start.wrapping_add_signed(stride.wrapping_mul(extent).wrapping_neg());
            at[k] = 0;
        }
    }
}

/// Calls `visit` for the cell of each element in storage order.
pub(crate) fn for_each_cell(
    base: u64,
    axes: &[Axis],
    order: Order,
    mut visit: impl FnMut(u64) -> Result<(), Fault>,
) -> Result<(), Fault> {
    for_each_run(base, axes, order, |mut at, stride, n| {
        for _ in 0..n {
            visit(at)?;
            at = at.wrapping_add_signed(stride);
        }
        Ok(())
    })
}

/// Lowest and highest cell; `None` if there are no elements.
pub(crate) fn span(base: u64, axes: &[Axis]) -> Option<(u64, u64)> {
    let (mut low, mut high) = (base, base);
    for a in axes {
        if a.extent <= 0 {
            return None;
        }
        let reach = (a.extent - 1).wrapping_mul(a.stride);
        if reach < 0 {
            low = low.wrapping_add_signed(reach);
        } else {
            high = high.wrapping_add_signed(reach);
        }
    }
    Some((low, high))
}

/// True if two arrays share a cell. `room(n)` must grant memory before a list of n cells is made.
pub(crate) fn overlap<L>(
    a: (u64, &[Axis]),
    b: (u64, &[Axis]),
    room: impl FnOnce(u64) -> Result<L, Fault>,
) -> Result<bool, Fault> {
    let (Some((a0, a1)), Some((b0, b1))) = (span(a.0, a.1), span(b.0, b.1)) else {
        return Ok(false);
    };
    if a1 < b0 || b1 < a0 {
        return Ok(false);
    }
    // Interleaved rows, even and odd elements: the same stride and different remainders.
    let step = |axes: &[Axis]| {
        axes.iter()
            .filter(|a| a.extent > 1)
            .map(|a| a.stride.unsigned_abs())
            .fold(0, gcd)
    };
    let common = gcd(step(a.1), step(b.1));
    if common > 1 && a0 % common != b0 % common {
        return Ok(false);
    }
    // The cells of one array are listed and sorted; those of the other one are looked up.
    let n = element_count(a.1).unwrap_or(u64::MAX);
    let _room = room(n)?;
    let mut cells = Vec::with_capacity(n as usize);
    let collect = |cells: &mut Vec<u64>, base, axes: &[Axis]| {
        for_each_cell(base, axes, Order::Row, |at| {
            cells.push(at);
            Ok(())
        })
    };
    collect(&mut cells, a.0, a.1)?;
    cells.sort_unstable();
    Ok(meets(&cells, b.0, b.1))
}

/// True if an array has one of these cells, which are sorted.
pub(crate) fn meets(cells: &[u64], base: u64, axes: &[Axis]) -> bool {
    let mut shared = false;
    let walked = for_each_cell(base, axes, Order::Row, |at| {
        shared |= cells.binary_search(&at).is_ok();
        Ok(())
    });
    shared || walked.is_err()
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes_of(extents: &[i64], order: Order) -> Vec<Axis> {
        let mut axes: Vec<_> = extents
            .iter()
            .map(|&extent| Axis {
                lower: 1,
                extent,
                stride: 0,
            })
            .collect();
        lay_out(&mut axes, order).unwrap();
        axes
    }

    fn cells(base: u64, axes: &[Axis], order: Order) -> Vec<u64> {
        let mut all = Vec::new();
        for_each_cell(base, axes, order, |c| {
            all.push(c);
            Ok(())
        })
        .unwrap();
        all
    }

    #[test]
    fn storage_order_visits_a_contiguous_array_in_sequence() {
        for order in [Order::Row, Order::Column] {
            let axes = axes_of(&[2, 3, 4], order);
            assert_eq!(cells(10, &axes, order), (10..34).collect::<Vec<_>>());
            assert!(is_contiguous(&axes, order));
        }
        let row = axes_of(&[2, 3], Order::Row);
        assert_eq!(cells(0, &row, Order::Column), [0, 3, 1, 4, 2, 5]);
        assert!(!is_contiguous(&row, Order::Column));
    }

    #[test]
    fn sizes_that_overflow_are_refused() {
        let mut axes = [Axis {
            lower: 1,
            extent: i64::MAX,
            stride: 0,
        }; 2];
        assert_eq!(lay_out(&mut axes, Order::Row), None);
        axes[1].extent = 0;
        assert_eq!(lay_out(&mut axes, Order::Row), Some(0));
    }

    #[test]
    fn overlap_sees_interleaved_sections() {
        let stride = |extent, stride| {
            [Axis {
                lower: 1,
                extent,
                stride,
            }]
        };
        let overlap = |a: (u64, &[Axis]), b: (u64, &[Axis])| overlap(a, b, |_| Ok(())).unwrap();
        assert!(!overlap((0, &stride(5, 2)), (1, &stride(5, 2))));
        assert!(overlap((0, &stride(5, 2)), (2, &stride(5, 2))));
        assert!(overlap((0, &stride(5, 2)), (1, &stride(5, 3))));
        assert!(!overlap((0, &stride(3, 1)), (3, &stride(3, 1))));
        assert!(overlap((8, &stride(5, -2)), (0, &[])));
        assert!(!overlap((8, &stride(0, 1)), (8, &[])));
    }
}
