//! Vertex orders from cuts: the vertices stand in a line, in topological order, and each stretch of the line is
//! eliminated as two shorter ones and the vertex between them last, as in the best bracketing of a product
//! of matrices.
//!
//! What a vertex costs when exactly the rest of its stretch is gone is a product of two numbers: predecessors
//! depend on what is in front of it only, successors on what is behind. So all costs come from two tables, and the
//! best tree of stretches from a recurrence. (Edges that pass over the vertex between two stretches are
//! ignored by the recurrence, not by the cost of the order that comes out.) Products of small
//! Jacobians, where greedy choices go wrong, are the case it is meant for.

use super::bits::{BitGraph, Near, Row, has, items, minus, set, size, step, unset};
use super::rng::Rng;
use crate::cost::CostModel;

/// Larger graphs would take too long: the recurrence takes the third power of this.
pub(crate) const MOST: usize = 256;

/// Neighbours that count, and those of them that count less where both sides are constant.
type Width = (u32, u32);

/// The vertices to be eliminated in a random topological order that goes deep before it goes wide, from
/// the outputs or from the inputs.
pub(crate) fn line<const W: usize>(graph: &BitGraph<W>, back: bool, rng: &mut Rng) -> Vec<usize> {
    let (near, far) = if back {
        (&graph.pred.all, &graph.succ.all)
    } else {
        (&graph.succ.all, &graph.pred.all)
    };
    let n = graph.vertices.len();
    let mut seen: Row<W> = [0; W];
    let mut line = Vec::new();
    let mut ends: Vec<usize> = (0..n).filter(|&v| far[v] == [0; W]).collect();
    shuffle(&mut ends, rng);
    // Each vertex twice: to go on from it, and to be left.
    let mut stack: Vec<(usize, bool)> = ends.into_iter().map(|v| (v, false)).collect();
    while let Some((v, leave)) = stack.pop() {
        if leave {
            if has(&graph.eliminable, v) {
                line.push(v);
            }
            continue;
        }
        if has(&seen, v) {
            continue;
        }
        set(&mut seen, v);
        stack.push((v, true));
        let mut next: Vec<usize> = items(&minus(&near[v], &seen)).collect();
        shuffle(&mut next, rng);
        stack.extend(next.into_iter().map(|w| (w, false)));
    }
    if !back {
        line.reverse();
    }
    line
}

fn shuffle(list: &mut [usize], rng: &mut Rng) {
    for at in 1..list.len() {
        let other = rng.below(at + 1);
        list.swap(at, other);
    }
}

/// The order of the best tree for a line, its stretches from the front or from the back; and the work done.
pub(crate) fn order<const W: usize>(
    graph: &BitGraph<W>,
    line: &[usize],
    from_front: bool,
) -> (Vec<usize>, u64) {
    let n = line.len();
    let before = widths(graph, line, true);
    let behind = widths(graph, line, false);
    // Least cost of the stretch from `low` to before `high`, and who is last in it.
    let width = n + 1;
    let mut least = vec![0u32; width * width];
    // The same by `high` first, so that both are read in order.
    let mut mirror = vec![0u32; width * width];
    let mut last = vec![0u16; width * width];
    for low in (0..n).rev() {
        for high in low + 1..=n {
            let (mut cost, mut who) = (u32::MAX, low);
            for at in low..high {
                let (i, o) = (before[at * n + low], behind[at * width + high]);
                let own = i.0 * o.0 - i.1 * o.1;
                let sum = least[low * width + at] + mirror[high * width + at + 1] + own;
                if sum < cost {
                    (cost, who) = (sum, at);
                }
            }
            least[low * width + high] = cost;
            mirror[high * width + low] = cost;
            last[low * width + high] = who as u16;
        }
    }
    let mut order = Vec::with_capacity(n);
    let mut stack = vec![(0, n)];
    while let Some((low, high)) = stack.pop() {
        if low >= high {
            continue;
        }
        let at = usize::from(last[low * width + high]);
        order.push(line[at]);
        // From the last to the first.
        if from_front {
            stack.extend([(low, at), (at + 1, high)]);
        } else {
            stack.extend([(at + 1, high), (low, at)]);
        }
    }
    order.reverse();
    let n = n as u64;
    (order, n * n * n / 12 + 8 * n * n)
}

/// For each vertex of the line and each beginning (or end) of a stretch, the neighbours on that side after what
/// is between is gone.
fn widths<const W: usize>(graph: &BitGraph<W>, line: &[usize], front: bool) -> Vec<Width> {
    let n = line.len();
    let side = if front { &graph.pred } else { &graph.succ };
    let columns = if front { n } else { n + 1 };
    let mut table = vec![(0, 0); n * columns];
    for (at, &v) in line.iter().enumerate() {
        let mut near = Near {
            all: side.all[v],
            strong: side.strong[v],
            variable: side.variable[v],
            through: [0; W],
        };
        let mut between = 0;
        loop {
            let column = if front {
                at - between
            } else {
                at + 1 + between
            };
            table[at * columns + column] = width(graph.model, &near);
            between += 1;
            let next = if front {
                at.checked_sub(between)
            } else {
                Some(at + between).filter(|&next| next < n)
            };
            let Some(next) = next else { break };
            let w = line[next];
            if has(&near.all, w) {
                step(side, w, &mut near);
                if front || !has(&graph.stays, w) {
                    unset(&mut near.all, w);
                }
            }
        }
    }
    table
}

fn width<const W: usize>(model: CostModel, near: &Near<W>) -> Width {
    if model == CostModel::Plain {
        return (size(&near.all), 0);
    }
    let strong = super::bits::meet(&near.all, &near.strong);
    let variable = super::bits::meet(&strong, &near.variable);
    match model {
        CostModel::ConstantAware => (size(&strong), size(&strong) - size(&variable)),
        CostModel::Plain | CostModel::UnitFree => (size(&strong), 0),
    }
}
