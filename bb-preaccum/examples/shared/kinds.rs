//! Random graphs of the kinds that programs give: 20 to 200 intermediates, 3 to 30 inputs and outputs.

use bb_preaccum::lcg::{Kind, Lcg, LcgError, NewEdge};

use crate::numbers::Numbers;

/// The kinds, by name.
pub(crate) const KINDS: [&str; 6] = [
    "chain",
    "reduction",
    "layers",
    "stencil",
    "product",
    "straight",
];

/// A program of operations with one or two operands.
struct Code {
    numbers: Numbers,
    vertices: i64,
    edges: Vec<NewEdge>,
}

impl Code {
    fn input(&mut self) -> i64 {
        self.vertices += 1;
        self.vertices - 1
    }

    fn pick(&mut self, list: &[i64]) -> i64 {
        list[self.numbers.below(list.len() as u64) as usize]
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.numbers.below(high - low + 1)
    }

    /// A new vertex that reads these (once each).
    fn read(&mut self, operands: &[i64], kind: Kind) -> i64 {
        let new = self.input();
        for (at, &operand) in operands.iter().enumerate() {
            if !operands[..at].contains(&operand) {
                self.edges.push(NewEdge::new(operand, new, kind));
            }
        }
        new
    }

    /// A sum or difference, a product or quotient, or a multiple.
    fn binary(&mut self, a: i64, b: i64) -> i64 {
        let kind = match self.numbers.below(10) {
            _ if a == b => Kind::Variable,
            0..=3 => Kind::Unit,
            4 => Kind::Constant,
            _ => Kind::Variable,
        };
        self.read(&[a, b], kind)
    }

    fn unary(&mut self, a: i64) -> i64 {
        let kind = match self.numbers.below(5) {
            0 => Kind::Constant,
            _ => Kind::Variable,
        };
        self.read(&[a], kind)
    }

    /// An expression over some values with so many operations, each value near the end of the list
    /// or anywhere.
    fn expression(&mut self, values: &mut Vec<i64>, operations: u64, near: usize) {
        for _ in 0..operations {
            let recent = &values[values.len().saturating_sub(near)..].to_vec();
            let a = self.pick(recent);
            let new = match self.numbers.below(4) {
                0 => self.unary(a),
                1 => {
                    let b = self.pick(&values.clone());
                    self.binary(a, b)
                }
                _ => {
                    let b = self.pick(recent);
                    self.binary(a, b)
                }
            };
            values.push(new);
        }
    }
}

/// The graph of a kind by its seed.
pub(crate) fn graph(kind: usize, seed: u64) -> Result<Lcg, LcgError> {
    let mut numbers = Numbers(seed.wrapping_mul(1_000_003).wrapping_add(kind as u64));
    for _ in 0..8 {
        numbers.below(2);
    }
    let mut code = Code {
        numbers,
        vertices: 0,
        edges: Vec::new(),
    };
    let inputs = code.between(3, 30);
    let inputs: Vec<i64> = (0..inputs).map(|_| code.input()).collect();
    let size = code.between(20, 190);
    let wanted = match kind {
        0 => chain(&mut code, &inputs, size),
        1 => reduction(&mut code, &inputs, size),
        2 => layers(&mut code, &inputs, size),
        3 => stencil(&mut code, &inputs, size),
        4 => product(&mut code, &inputs, size),
        _ => straight(&mut code, &inputs, size),
    };
    finish(code, &inputs, wanted, KINDS[kind.min(5)], seed)
}

/// Every value is computed from the last few, with common subexpressions from further back.
fn chain(code: &mut Code, inputs: &[i64], size: u64) -> Vec<i64> {
    let mut values = inputs.to_vec();
    let near = code.between(2, 6) as usize;
    while (values.len() - inputs.len()) < size as usize {
        code.expression(&mut values, 6, near);
        // An input comes in.
        let (last, input) = (values[values.len() - 1], code.pick(inputs));
        let new = code.binary(last, input);
        values.push(new);
    }
    let outputs = code.between(3, 8) as usize;
    values.split_off(values.len() - outputs)
}

/// Inner products and norms of vectors, which the next ones are scaled with.
fn reduction(code: &mut Code, inputs: &[i64], size: u64) -> Vec<i64> {
    let mut values = inputs.to_vec();
    let mut results = Vec::new();
    while code.vertices < size as i64 + inputs.len() as i64 {
        let length = code.between(2, 10);
        let mut sum = None;
        for _ in 0..length {
            let (a, b) = (code.pick(&values), code.pick(&values));
            let term = if code.numbers.below(3) == 0 {
                code.unary(a)
            } else {
                code.read(&[a, b], Kind::Variable)
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => code.read(&[sum, term], Kind::Unit),
            });
        }
        if let Some(sum) = sum {
            let root = code.unary(sum);
            values.push(root);
            results.push(root);
        }
    }
    let outputs = (code.between(3, 12) as usize).min(results.len());
    results.split_off(results.len() - outputs)
}

/// Small dense or nearly dense blocks, one behind the other, with elementwise functions in between.
fn layers(code: &mut Code, inputs: &[i64], size: u64) -> Vec<i64> {
    let mut values = inputs.to_vec();
    let chance = code.between(40, 100);
    loop {
        let width = code.between(2, 8);
        let mut next = Vec::new();
        for _ in 0..width {
            let sure = code.pick(&values);
            let mut operands = Vec::new();
            for &value in &values {
                if value == sure || code.numbers.below(100) < chance {
                    operands.push(value);
                }
            }
            let kind = [Kind::Variable, Kind::Variable, Kind::Constant];
            let kind = kind[code.numbers.below(3) as usize];
            let sum = code.read(&operands, kind);
            next.push(code.unary(sum));
        }
        values = next;
        if code.vertices > size as i64 + inputs.len() as i64 {
            return values;
        }
    }
}

/// Cells of a few unknowns; a flux per face from both neighbours, and what it makes of the cells.
fn stencil(code: &mut Code, inputs: &[i64], size: u64) -> Vec<i64> {
    let unknowns = code.between(1, 3) as usize;
    let mut cells: Vec<Vec<i64>> = inputs.chunks(unknowns).map(<[i64]>::to_vec).collect();
    let operations = code.between(3, 10);
    loop {
        let mut fluxes: Vec<Vec<i64>> = Vec::new();
        for pair in cells.windows(2) {
            let mut values: Vec<i64> = pair.concat();
            let count = values.len();
            code.expression(&mut values, operations, 4);
            fluxes.push(values.split_off(values.len().saturating_sub(unknowns).max(count)));
        }
        let mut next = Vec::new();
        for (at, cell) in cells.iter().enumerate() {
            let mut new = Vec::new();
            for (which, &value) in cell.iter().enumerate() {
                let mut operands = vec![value];
                for face in [at.checked_sub(1), Some(at)].into_iter().flatten() {
                    operands.extend(fluxes.get(face).and_then(|flux| flux.get(which)));
                }
                new.push(code.read(&operands, Kind::Unit));
            }
            next.push(new);
        }
        cells = next;
        if code.vertices > size as i64 + inputs.len() as i64 {
            return cells.concat();
        }
    }
}

/// Functions of a few values, one after the other.
fn product(code: &mut Code, inputs: &[i64], size: u64) -> Vec<i64> {
    let mut values = inputs.to_vec();
    loop {
        let (operations, width) = (code.between(6, 25), code.between(2, 7) as usize);
        let near = values.len().max(4);
        code.expression(&mut values, operations, near);
        values = values.split_off(values.len() - width);
        if code.vertices > size as i64 + inputs.len() as i64 {
            return values;
        }
    }
}

/// Operands from anywhere, the nearer the more likely.
fn straight(code: &mut Code, inputs: &[i64], size: u64) -> Vec<i64> {
    let mut values = inputs.to_vec();
    for _ in 0..size {
        let back = |code: &mut Code| {
            let reach = code.between(1, values.len() as u64);
            values[values.len() - code.between(1, reach) as usize]
        };
        let (a, b) = (back(code), back(code));
        let new = if code.numbers.below(4) == 0 {
            code.unary(a)
        } else {
            code.binary(a, b)
        };
        values.push(new);
    }
    let outputs = code.between(3, 30) as usize;
    values.split_off(values.len() - outputs.min(size as usize))
}

/// The graph with up to 30 outputs: the wanted ones, and values that no operation reads. Vertices that reach no
/// output, or that no input reaches, are left out.
fn finish(
    code: Code,
    inputs: &[i64],
    wanted: Vec<i64>,
    name: &str,
    seed: u64,
) -> Result<Lcg, LcgError> {
    let count = code.vertices as usize;
    let mut used = vec![false; count];
    let mut is_output = vec![false; count];
    for &output in wanted.iter().filter(|output| !inputs.contains(output)) {
        is_output[output as usize] = true;
    }
    let mut read = vec![false; count];
    for edge in &code.edges {
        read[edge.source as usize] = true;
    }
    let mut outputs = is_output.iter().filter(|is| **is).count();
    for v in (inputs.len()..count).rev() {
        if !read[v] && !is_output[v] && outputs < 30 {
            is_output[v] = true;
            outputs += 1;
        }
    }
    used[..count].copy_from_slice(&is_output[..count]);
    // Edges come in the order of their targets.
    for edge in code.edges.iter().rev() {
        if used[edge.target as usize] {
            used[edge.source as usize] = true;
        }
    }
    let kept = |edge: &NewEdge| used[edge.target as usize];
    let edges: Vec<NewEdge> = code.edges.into_iter().filter(kept).collect();
    let inputs: Vec<i64> = inputs.to_vec();
    let outputs: Vec<i64> = (0..count as i64)
        .filter(|&v| is_output[v as usize])
        .collect();
    Lcg::new(&format!("{name}-{seed}"), &inputs, &outputs, edges)
}
