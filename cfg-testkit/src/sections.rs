//! Random sections passed to parameters of explicit shape, with the cells that they are by enumeration.

use crate::rng::Rng;
use cfg_core::ir::Program;
use std::fmt::Write as _;

/// A program in which `main(x, v)` passes a section of `x` to `take(a, v)`, which may pass all of `a` on to
/// `again(b, v)`. The routine at the end writes a polynomial of the k-th element of its parameter into `v(k)`,
/// and, if it writes its parameter, changes the element. Elements are numbered with the last subscript fastest.
#[derive(Clone, Debug)]
pub struct Passed {
    /// The program; `main` is the routine to run.
    pub program: Program,
    /// Extents of `x`.
    pub extents: Vec<usize>,
    /// Whether the first subscript of `x` varies fastest in storage.
    pub column: bool,
    /// By element of the last parameter: the element of `x` (the last subscript fastest).
    pub elements: Vec<usize>,
    /// Whether the last routine writes its parameter.
    pub written: bool,
}

/// Number of elements.
fn size(extents: &[usize]) -> usize {
    extents.iter().product()
}

/// All subscripts from 0, in storage order.
fn subscripts(extents: &[usize], column: bool) -> Vec<Vec<usize>> {
    (0..size(extents))
        .map(|mut at| {
            let mut found = vec![0; extents.len()];
            let mut digit = |k: usize| {
                found[k] = at % extents[k];
                at /= extents[k];
            };
            if column {
                (0..extents.len()).for_each(&mut digit);
            } else {
                (0..extents.len()).rev().for_each(&mut digit);
            }
            found
        })
        .collect()
}

/// The number of an element, the last subscript fastest.
fn number(extents: &[usize], subscripts: &[usize]) -> usize {
    subscripts
        .iter()
        .zip(extents)
        .fold(0, |n, (s, extent)| n * extent + s)
}

/// A random section of an array with lower bounds 1: its text, the subscripts from 0 of each dimension, and whether a
/// dimension is left.
fn section(rng: &mut Rng, extents: &[usize]) -> (String, Vec<Vec<usize>>, bool) {
    let mut subscripts = Vec::new();
    let (mut chosen, mut ranged) = (Vec::new(), false);
    for &extent in extents {
        let n = extent as i64;
        if rng.percent(15) {
            let i = rng.between(1, n);
            subscripts.push(i.to_string());
            chosen.push(vec![i as usize - 1]);
            continue;
        }
        ranged = true;
        let stride = [1, 1, 2, 3, -1, -2][rng.below(6)];
        if stride == 1 && rng.percent(40) {
            subscripts.push(":".to_owned());
            chosen.push((0..extent).collect());
            continue;
        }
        let (a, b) = (rng.between(1, n), rng.between(1, n));
        let (first, last) = if stride > 0 {
            (a.min(b), a.max(b))
        } else {
            (a.max(b), a.min(b))
        };
        subscripts.push(format!("{first}:{last}:{stride}"));
        let mut list = Vec::new();
        let mut i = first;
        while if stride > 0 { i <= last } else { i >= last } {
            list.push(i as usize - 1);
            i += stride;
        }
        chosen.push(list);
    }
    (format!("x[{}]", subscripts.join(", ")), chosen, ranged)
}

/// Random extents of so many elements at most.
fn shape(rng: &mut Rng, most: usize) -> Vec<usize> {
    let mut left = most;
    let mut extents = Vec::new();
    for _ in 0..rng.between(1, 3) {
        // Divisors often, so that shapes fit exactly.
        let divisors: Vec<usize> = (1..=left).filter(|d| left.is_multiple_of(*d)).collect();
        let extent = if rng.percent(70) {
            divisors[rng.below(divisors.len())]
        } else {
            1 + rng.below(left)
        };
        left /= extent;
        extents.push(extent);
    }
    if rng.percent(50) && extents.len() < 3 {
        extents.push(left);
    }
    rng.shuffle(&mut extents);
    extents
}

/// The declaration of a parameter that is an array.
fn array(name: &str, extents: &[usize], column: bool, intent: &str) -> String {
    let order = if column { " column" } else { "" };
    format!("{intent} real {name}{extents:?}{order}")
}

/// A random program.
pub fn passed(seed: u64) -> Passed {
    let rng = &mut Rng::new(seed);
    let extents: Vec<usize> = (0..rng.between(1, 3)).map(|_| 1 + rng.below(5)).collect();
    let column = rng.percent(50);
    let (text, chosen) = loop {
        let (text, chosen, ranged) = section(rng, &extents);
        if ranged {
            break (text, chosen);
        }
    };
    // The section's elements in the storage order of x.
    let shape_of_section: Vec<usize> = chosen.iter().map(Vec::len).collect();
    let mut stored: Vec<usize> = subscripts(&shape_of_section, column)
        .iter()
        .map(|at| {
            let of_x: Vec<usize> = at.iter().zip(&chosen).map(|(&s, c)| c[s]).collect();
            number(&extents, &of_x)
        })
        .collect();
    let written = rng.percent(50);
    let intent = if written { "inout" } else { "in" };
    let deep = rng.percent(50);
    let mut formals = Vec::new();
    for (name, parameter) in [("take", "a"), ("again", "b")]
        .into_iter()
        .take(1 + usize::from(deep))
    {
        let formal = shape(rng, stored.len());
        stored.truncate(size(&formal));
        formals.push((name, parameter, formal, rng.percent(50)));
    }
    let (_, parameter, formal, formal_column) = formals.last().cloned().expect("there is one");
    let n = size(&formal);
    // By element, the last subscript fastest.
    let mut elements = vec![0; n];
    for (k, at) in subscripts(&formal, formal_column).iter().enumerate() {
        elements[number(&formal, at)] = stored[k];
    }
    let mut body = String::new();
    for (k, at) in subscripts(&formal, false).iter().enumerate() {
        let from_one: Vec<usize> = at.iter().map(|s| s + 1).collect();
        let (weight, place) = (k + 1, format!("{parameter}{from_one:?}"));
        let _ = writeln!(body, "  v[{weight}] := {weight}.0*{place}*{place}");
        if written {
            let _ = writeln!(body, "  {place} := {place} + {weight}.0");
        }
    }
    let mut source = format!(
        "main subroutine main({}, inout real v[{n}])\n  independent x\n  dependent v\n  call take({text}, v)\nend\n",
        array("x", &extents, column, intent)
    );
    for (name, parameter, extents, column) in &formals {
        let statements = match deep && *name == "take" {
            true => "  call again(a, v)\n",
            false => &*body,
        };
        let declared = array(parameter, extents, *column, intent);
        let _ = writeln!(
            source,
            "\nsubroutine {name}({declared}, inout real v[{n}])\n{statements}end"
        );
    }
    let parsed = cfg_format::text::parse(&source);
    let program = parsed.program;
    let program = program.unwrap_or_else(|| panic!("{}\n{source}", parsed.problems));
    Passed {
        program,
        extents,
        column,
        elements,
        written,
    }
}

impl Passed {
    /// Storage position in `x` of an element that is numbered with the last subscript fastest.
    pub fn stored(&self, element: usize) -> usize {
        let of = subscripts(&self.extents, self.column);
        let found = of.iter().position(|s| number(&self.extents, s) == element);
        found.expect("an element of x")
    }
}
