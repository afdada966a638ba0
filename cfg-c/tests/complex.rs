//! Random functions of complex numbers against the compiled functions: values bit for bit, gradients against divided
//! differences.
//!
//! `CFGREV_COMPLEX_SEEDS=FIRST..LAST` chooses the seeds.

use cfg_core::{diagnostic::Diagnostics, validate::validate};
use cfg_drive::{Adjoint, Options};
use cfg_testkit::{
    c_oracle::{printed, seeds},
    needs,
};
use std::fmt::Write as _;

/// The number of expressions of a function.
const STATEMENTS: usize = 6;

/// Draws numbers (Marsaglia, Xorshift RNGs, 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % n
    }
}

/// A complex expression of variables `z[0]` to `z[2]` and real ones.
fn expression(random: &mut Random, depth: usize) -> String {
    let real = |random: &mut Random| match random.below(4) {
        0 => "x".to_owned(),
        1 => "y".to_owned(),
        2 => format!("{}", random.below(5) as f64 * 0.75 + 0.5),
        _ => format!("cabs(z[{}])", random.below(3)),
    };
    if depth == 0 {
        return match random.below(4) {
            0 => format!("({} + {} * I)", real(random), real(random)),
            _ => format!("z[{}]", random.below(3)),
        };
    }
    let inner = |random: &mut Random| expression(random, depth - 1);
    let (a, b) = (inner(random), inner(random));
    match random.below(14) {
        0 | 1 => format!("({a} + {b})"),
        2 => format!("({a} - {b} / 2)"),
        3 | 4 => format!("({a} * {b})"),
        5 | 6 => format!("({a} / ({b} + 3))"),
        7 => format!(
            "({a} {} {})",
            ["+", "-", "*", "/"][random.below(4)],
            real(random)
        ),
        8 => format!(
            "({} {} ({a}))",
            real(random),
            ["+", "-", "*"][random.below(3)]
        ),
        9 => format!("({} / (4.5 - {a}))", real(random)),
        10 => format!("-conj({a})"),
        11 => format!("cpow({a} + 2, {b} / 8)"),
        12 => {
            let functions = [
                "csqrt", "cexp", "csin", "ccos", "csinh", "ccosh", "ctanh", "ctan",
            ];
            format!("{}({a} / (2 + cabs({b})))", functions[random.below(8)])
        }
        _ => format!("clog({a} + carg({b}) - 2.5 * I)"),
    }
}

/// A function `f`, whose values stay small.
fn function(seed: u64, name: &str) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text = format!(
        "static double {name}(double x, double y)\n{{\n    double complex z[3] = {{x + y * I, 0.5 - x * I, y}};\n"
    );
    for _ in 0..STATEMENTS {
        let k = random.below(3);
        let value = expression(&mut random, 2);
        let operator = ["=", "+=", "-=", "*="][random.below(4)];
        let _ = writeln!(
            text,
            "    z[{k}] {operator} {value};\n    z[{k}] /= 1 + cabs(z[{k}]) / 4;"
        );
    }
    text + "    return creal(z[0]) + 2 * cimag(z[1]) + cabs(z[2] + 9);\n}\n"
}

/// The value at x = 0.8, y = -1.3, and the derivatives.
fn ours(text: &str) -> Result<[f64; 3], Diagnostics> {
    let options = cfg_c::Options {
        routine: Some("f".to_owned()),
        ..cfg_c::Options::default()
    };
    let file = cfg_c::SourceFile::new("f.c", text.as_bytes());
    let read = cfg_c::read_c(&[file], &options, &mut cfg_c::NoFiles);
    let Some(program) = read.program else {
        return Err(read.problems);
    };
    let program = validate(program)?;
    let f = program.find_routine("f").expect("it is there");
    let made = cfg_transform::flatten(program, &[f], &cfg_transform::flat::Options::default())?;
    let mut adjoint = Adjoint::new(&made.program, made.heads[0], &Options::default())?;
    let point = adjoint.read_point(br#"{"x":0.8,"y":-1.3}"#)?;
    let seed = adjoint.default_seed(&point)?;
    let found = adjoint.gradient(&point, &seed)?;
    let all = found.value.iter().chain(&found.gradient);
    let numbers = all.filter_map(|(_, value)| value.to_f64s()).flatten();
    let numbers: Vec<f64> = numbers.collect();
    Ok(numbers.try_into().expect("a value and two derivatives"))
}

#[test]
fn random_functions_of_complex_numbers_have_values_and_gradients_of_c() {
    let Some(cc) = needs::tool("cc") else { return };
    let place = tempfile::tempdir().expect("a folder");
    let seeds = seeds("CFGREV_COMPLEX_SEEDS").unwrap_or(0..40);
    const HEAD: &str = "#include <complex.h>\n#include <stdio.h>\n";
    let mut text = HEAD.to_owned();
    let mut calls = String::new();
    for seed in seeds.clone() {
        text += &function(seed, &format!("f{seed}"));
        let _ = writeln!(
            calls,
            "    printf(\"%.17g %.17g %.17g\\n\", f{seed}(x, y), (f{seed}(x + h, y) - f{seed}(x - h, y)) / (2 * h), (f{seed}(x, y + h) - f{seed}(x, y - h)) / (2 * h));"
        );
    }
    text += &format!(
        "int main(void)\n{{\n    double x = 0.8, y = -1.3, h = 1e-6;\n{calls}    return 0;\n}}\n"
    );
    let expected = printed(&cc, place.path(), &text, &["-fno-builtin"]);
    let mut wrong = String::new();
    for (seed, line) in seeds.zip(expected.lines()) {
        let text = HEAD.to_owned() + &function(seed, "f");
        let numbers = line.split(' ').map(|n| n.parse().expect("a number"));
        let expected: Vec<f64> = numbers.collect();
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + a.abs());
        match ours(&text) {
            Ok([value, dx, dy])
                if value.to_bits() == expected[0].to_bits()
                    && near(dx, expected[1])
                    && near(dy, expected[2]) => {}
            found => wrong += &format!("seed {seed}: {found:?}, not {expected:?}\n{text}\n"),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
