use super::*;
use crate::memory::effects::Effects;
use crate::testing::{Rng, nested, random_nesting};

#[test]
fn nested_graphs_come_back() {
    let mut rng = Rng::new(21);
    for _ in 0..500 {
        let size = 1 + rng.below(40);
        let text = random_nesting(&mut rng, size);
        let cfg = nested(&text);
        let routine = Routine {
            body: Some(cfg),
            ..Routine::default()
        };
        let program = Program::default();
        for flat in [
            flatten(&program, &Effects::of(&program), &routine),
            flatten_dense(&program, &Effects::of(&program), &routine),
        ] {
            let (cfg, structured) = shape(flat.body.unwrap(), true).unwrap();
            let problem = Structure::of(&cfg).err();
            assert!(structured, "{text}: {}", problem.unwrap_or_default());
        }
    }
}
