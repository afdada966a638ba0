//! Structural changes of XAIF documents, and of their attributes.

use cfg_testkit::rng::Rng;

/// Elements: from where to where, with their name.
fn elements(text: &str) -> Vec<(usize, usize, &str)> {
    let bytes = text.as_bytes();
    let (mut open, mut found, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(start) = text[at..].find('<').map(|i| i + at) {
        let Some(end) = text[start..].find('>').map(|i| i + start + 1) else {
            break;
        };
        let name = text[start + 1..end - 1].split([' ', '/', '\n']).next();
        match bytes.get(start + 1) {
            Some(b'?' | b'!') => {}
            Some(b'/') => {
                if let Some((begin, name)) = open.pop() {
                    found.push((begin, end, name));
                }
            }
            _ if bytes[end - 2] == b'/' => found.push((start, end, name.unwrap_or_default())),
            _ => open.push((start, name.unwrap_or_default())),
        }
        at = end;
    }
    found
}

/// Attributes: from where to where their values are, with their name.
fn attributes(text: &str) -> Vec<(usize, usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(quote) = text[at..].find("=\"").map(|i| i + at) {
        let from = quote + 2;
        let Some(to) = text[from..].find('"').map(|i| i + from) else {
            break;
        };
        let name = text[..quote].rsplit([' ', '<', '"', '\n']).next();
        found.push((from, to, name.unwrap_or_default()));
        at = to + 1;
    }
    found
}

/// What attributes are set to: numbers, types, shapes, names of operations.
const VALUES: [&str; 32] = [
    "",
    "0",
    "1",
    "2",
    "3",
    "-1",
    "9223372036854775807",
    "-9223372036854775808",
    "1e400",
    "0.5",
    "true",
    "real",
    "integer",
    "bool",
    "F4",
    "scalar",
    "vector",
    "matrix",
    "out",
    "explicit",
    "maxval_arr",
    "mul_scal_scal",
    "cfgrev_if",
    "present",
    "sum_arr",
    "matmul_arr_arr",
    "spread",
    "cshift_arr_scal",
    "eoshift_arr_scal",
    "pack_arr_arr",
    "unpack_arr_arr_arr",
    "allocated_arr",
];

/// One change: an element is removed, repeated, moved, replaced or exchanged, or an attribute set.
pub(crate) fn change(text: &str, rng: &mut Rng) -> String {
    let replaced = |from: usize, to: usize, by: &str| [&text[..from], by, &text[to..]].concat();
    if rng.below(2) == 0 {
        let list = elements(text);
        if list.is_empty() {
            return text.to_owned();
        }
        let (a, b, name) = list[rng.below(list.len())];
        // Mostly with its own kind, else anything is refused at once.
        let kin: Vec<_> = list.iter().filter(|e| e.2 == name).collect();
        let (c, d, _) = match rng.below(4) {
            0 => list[rng.below(list.len())],
            _ => *kin[rng.below(kin.len())],
        };
        return match rng.below(5) {
            0 => replaced(a, b, ""),
            1 => replaced(b, b, &text[a..b]),
            2 => replaced(c, c, &text[a..b]),
            3 => replaced(c, d, &text[a..b]),
            _ if b <= c => [
                &text[..a],
                &text[c..d],
                &text[b..c],
                &text[a..b],
                &text[d..],
            ]
            .concat(),
            _ if d <= a => [
                &text[..c],
                &text[a..b],
                &text[d..a],
                &text[c..d],
                &text[b..],
            ]
            .concat(),
            _ => replaced(c, d, &text[a..b]),
        };
    }
    let list = attributes(text);
    if list.is_empty() {
        return text.to_owned();
    }
    let (a, b, name) = list[rng.below(list.len())];
    let kin: Vec<_> = list.iter().filter(|e| e.2 == name).collect();
    match rng.below(8) {
        0 => {
            let (c, d, _) = list[rng.below(list.len())];
            replaced(a, b, &text[c..d])
        }
        1 => replaced(a, b, VALUES[rng.below(VALUES.len())]),
        // The attribute goes.
        2 => {
            let from = text[..a].rfind(' ').unwrap_or(a);
            replaced(from, b + 1, "")
        }
        // All of one value become another: ids that stay consistent.
        3 => {
            let (c, d, _) = *kin[rng.below(kin.len())];
            let old = format!("{name}=\"{}\"", &text[a..b]);
            text.replace(&old, &format!("{name}=\"{}\"", &text[c..d]))
        }
        4 => {
            let graph = "<xaif:ControlFlowGraph ";
            text.replacen(graph, &format!("{graph}structured=\"0\" "), 1)
        }
        _ => {
            let (c, d, _) = *kin[rng.below(kin.len())];
            replaced(a, b, &text[c..d])
        }
    }
}
