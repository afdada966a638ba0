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

/// An array as the list of the elements of `x` that it has, in storage order.
struct Listed {
    storage: Vec<usize>,
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

/// A random section of an array with lower bounds 1: its text and the subscripts from 0 of each dimension.
fn section(rng: &mut Rng, extents: &[usize]) -> (String, Vec<Vec<usize>>, Vec<bool>) {
    let mut text = String::from("[\"[]\",\"x\"");
    let (mut chosen, mut ranged) = (Vec::new(), Vec::new());
    for &extent in extents {
        let n = extent as i64;
        if rng.percent(15) {
            let i = rng.between(1, n);
            write!(text, ",{i}").unwrap();
            chosen.push(vec![i as usize - 1]);
            ranged.push(false);
            continue;
        }
        ranged.push(true);
        let stride = [1, 1, 2, 3, -1, -2][rng.below(6)];
        if stride == 1 && rng.percent(40) {
            text.push_str(",[\":\"]");
            chosen.push((0..extent).collect());
            continue;
        }
        let (a, b) = (rng.between(1, n), rng.between(1, n));
        let (first, last) = if stride > 0 {
            (a.min(b), a.max(b))
        } else {
            (a.max(b), a.min(b))
        };
        write!(text, ",[\":\",{first},{last},{stride}]").unwrap();
        let mut list = Vec::new();
        let mut i = first;
        while if stride > 0 { i <= last } else { i >= last } {
            list.push(i as usize - 1);
            i += stride;
        }
        chosen.push(list);
    }
    text.push(']');
    (text, chosen, ranged)
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

fn order(column: bool) -> &'static str {
    if column { "column" } else { "row" }
}

/// Text of a routine.
fn routine(name: &str, parameters: &str, statements: &str, rest: &str) -> String {
    format!(
        "{{\"name\":\"{name}\",\"parameters\":[{parameters}]{rest},\"vertices\":[{{\"id\":1,\"type\":\"ENTRY\"}},\
         {{\"id\":2,\"type\":\"BASICBLOCK\",\"statements\":[{statements}]}},{{\"id\":3,\"type\":\"EXIT\"}}],\
         \"edges\":[{{\"from\":1,\"to\":2}},{{\"from\":2,\"to\":3}}]}}"
    )
}

fn array(name: &str, extents: &[usize], column: bool, intent: &str) -> String {
    format!(
        "{{\"name\":\"{name}\",\"type\":\"real\",\"shape\":{extents:?},\"order\":\"{}\",\"intent\":\"{intent}\"}}",
        order(column)
    )
}

/// A random program.
pub fn passed(seed: u64) -> Passed {
    let rng = &mut Rng::new(seed);
    let extents: Vec<usize> = (0..rng.between(1, 3)).map(|_| 1 + rng.below(5)).collect();
    let column = rng.percent(50);
    let (text, chosen, ranged) = loop {
        let found = section(rng, &extents);
        if found.2.contains(&true) {
            break found;
        }
    };
    // The section's elements in the storage order of x.
    let shape_of_section: Vec<usize> = chosen.iter().map(Vec::len).collect();
    let mut list = Listed {
        storage: subscripts(&shape_of_section, column)
            .iter()
            .map(|at| {
                let of_x: Vec<usize> = at.iter().zip(&chosen).map(|(&s, c)| c[s]).collect();
                number(&extents, &of_x)
            })
            .collect(),
    };
    debug_assert!(ranged.contains(&true));
    let written = rng.percent(50);
    let intent = if written { "inout" } else { "in" };
    let deep = rng.percent(50);
    let mut routines = Vec::new();
    let mut names = vec![("take", "a")];
    if deep {
        names.push(("again", "b"));
    }
    let mut calls = vec![format!("[\"call\",\"take\",[{text},\"v\"]]")];
    let mut last = (Vec::new(), false);
    let mut headers = Vec::new();
    for &(name, parameter) in &names {
        let formal = shape(rng, list.storage.len());
        let formal_column = rng.percent(50);
        list.storage.truncate(size(&formal));
        headers.push((name, parameter, formal.clone(), formal_column));
        if name == "take" && deep {
            calls.push("[\"call\",\"again\",[\"a\",\"v\"]]".to_owned());
        }
        last = (formal, formal_column);
    }
    let (formal, formal_column) = last;
    let n = size(&formal);
    // By element, the last subscript fastest.
    let mut elements = vec![0; n];
    for (k, at) in subscripts(&formal, formal_column).iter().enumerate() {
        elements[number(&formal, at)] = list.storage[k];
    }
    let parameter = headers.last().map_or("a", |h| h.1);
    let mut body = String::new();
    for (k, at) in subscripts(&formal, false).iter().enumerate() {
        let from_one: Vec<String> = at.iter().map(|s| (s + 1).to_string()).collect();
        let place = format!("[\"[]\",\"{parameter}\",{}]", from_one.join(","));
        if k > 0 {
            body.push(',');
        }
        let weight = k + 1;
        write!(
            body,
            "[\"=\",[\"[]\",\"v\",{weight}],[\"*\",{weight}.0,{place},{place}]]"
        )
        .unwrap();
        if written {
            write!(body, ",[\"=\",{place},[\"+\",{place},{weight}.0]]").unwrap();
        }
    }
    let v = format!("{{\"name\":\"v\",\"type\":\"real\",\"shape\":[{n}],\"intent\":\"inout\"}}");
    let x = array("x", &extents, column, intent);
    let active = ",\"independents\":[\"x\"],\"dependents\":[\"v\"]";
    routines.push(routine("main", &format!("{x},{v}"), &calls[0], active));
    for (i, (name, parameter, extents, column)) in headers.iter().enumerate() {
        let a = array(parameter, extents, *column, intent);
        let statements = calls.get(i + 1).map_or(body.as_str(), String::as_str);
        routines.push(routine(name, &format!("{a},{v}"), statements, ""));
    }
    let json = format!(
        "{{\"format\":\"cfgrev/1\",\"main\":\"main\",\"routines\":[{}]}}",
        routines.join(",")
    );
    let program = cfg_format::json::read(json.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{json}"));
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
