//! What stands in a function before its body, and what it ends with: tapes, bounds, work arrays, what is held.

use super::{
    Emitted,
    lines::{Lines, Statement},
    operators::{Code, Infix, Name, Prefix},
    variable::{Array, Bound, Cells, Kind, zero},
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    ir::{Role, ScalarType},
};
use std::collections::HashSet;

/// The statements before the body (bounds, tapes, work arrays) and those behind it; the body names `named`.
pub(super) fn prologue(
    writer: &mut Writer<'_>,
    mut named: HashSet<Name>,
) -> Emitted<(Lines, Lines)> {
    let mut after: Vec<Statement> = Vec::new();
    if writer.recursive {
        let depth = Code::from(writer.memory.clone()).member("->depth");
        let deeper = depth.clone().prefix(Prefix::Increment);
        writer.fail_if(
            deeper.is(Infix::Gt, Code::from(Name::from("CFGREV_DEEPEST"))),
            2,
        );
        after.push(depth.prefix(Prefix::Decrement).into());
    }
    own_tapes(writer, &mut after);
    let of_cells = |writer: &Writer<'_>, cells: Cells| -> Vec<(VarId, Array)> {
        let all = writer.variables.arrays();
        let all = all.filter(|(_, variable, array)| variable.used && array.cells == cells);
        all.map(|(v, _, array)| (v, array.clone())).collect()
    };
    let works = of_cells(writer, Cells::Work);
    let returned = of_cells(writer, Cells::Returned);
    for (v, top) in writer.tops.clone() {
        let tape = writer.tape_pointer(v)?.member("->top");
        let top = Code::name(top, ScalarType::Tape);
        writer.set(&top.clone().declared("struct cfgrev_top"), tape.clone());
        after.push(tape.set(top).into());
    }
    let views = writer.laid_over();
    let given = views.iter().map(|(_, array)| array);
    let own = works.iter().chain(&returned).map(|(_, array)| array);
    for array in own.chain(given) {
        for axis in &array.axes {
            if let Bound::Kept(k) = axis.extent {
                named.insert(writer.variables.bounds[k].name.clone());
            }
        }
    }
    if writer.is_checked() {
        writer.check_entry(&mut named)?;
    }
    kept_bounds(writer, &mut named)?;
    if !writer.is_checked() {
        for (_, array) in &views {
            writer.lay_over(array);
        }
    }
    // The caller finds it behind its own mark.
    for (v, array) in returned {
        work_array(writer, v, array);
    }
    writer.begin_result();
    let is_allocatable = |(_, _, array): (_, _, &Array)| array.cells == Cells::Allocatable;
    let allocatable = writer.variables.arrays().any(is_allocatable);
    let marks = [
        ("->arrays", writer.allocates && allocatable),
        ("->work", !works.is_empty()),
    ];
    for (arena, wanted) in marks {
        if arena == "->work" {
            // Behind the work arrays, which are given back, and before the array that the result is in.
            after.extend(writer.leave_result().into_iter().rev());
        }
        if wanted {
            let [mark, release] = writer.mark(arena, "entry");
            writer.add(mark);
            after.push(release.into());
        }
    }
    for (v, array) in works {
        work_array(writer, v, array);
    }
    if writer.is_checked() {
        writer.forget_at_entry()?;
    }
    let (loads, stores) = writer.held_lines();
    after.extend(stores);
    after.reverse();
    let mut epilogue = Lines::new(1);
    epilogue.extend(after);
    let mut first = Lines::new(1);
    first.extend(loads);
    first.append(std::mem::take(&mut writer.lines));
    Ok((first, epilogue))
}

/// Tapes of its own are cut back to where they were.
fn own_tapes(writer: &mut Writer<'_>, after: &mut Vec<Statement>) {
    let memory = Code::from(writer.memory.clone());
    let mut tapes = Vec::new();
    for (v, variable) in writer.variables.numbered() {
        let local = writer.routine.variable(v).role == Role::Local;
        if let (Kind::Tape(name), true, true) = (&variable.kind, local, variable.used) {
            tapes.push((v, name.clone()));
        }
    }
    for (v, name) in tapes {
        writer.made.needs_memory = true;
        let level = Code::from(Name::from(writer.fresh_name("level")));
        let number = writer.file.tape_number(writer.id, v);
        let call = |name: &str, arguments: Vec<Code>| Code::call(name, arguments, ScalarType::Tape);
        let tape = Code::name(name, ScalarType::Tape);
        let declared = tape.clone().declared("struct cfgrev_tape *const");
        if number == 0 {
            writer.set(&declared, memory.clone());
        } else {
            let inner = vec![memory.clone(), (number as i64).into()];
            writer.set(&declared, call("cfgrev_inner", inner));
            writer.out_of_memory_if(tape.clone().prefix(Prefix::Not));
        }
        let declared = level.clone().declared("const struct cfgrev_level");
        writer.set(&declared, call("cfgrev_level_of", vec![tape.clone()]));
        after.push(call("cfgrev_cut", vec![tape, level]).into());
    }
}

/// The bounds that what `named` has needs; a bound may name bounds before it.
fn kept_bounds(writer: &mut Writer<'_>, named: &mut HashSet<Name>) -> Emitted<()> {
    let mut bounds = Vec::new();
    let unchecked = if writer.is_checked() {
        0
    } else {
        writer.variables.bounds.len()
    };
    for k in (0..unchecked).rev() {
        let kept = &writer.variables.bounds[k];
        let (name, value) = (kept.name.clone(), kept.value.clone());
        let used = named.contains(&name);
        writer.variables.bounds[k].used = used;
        if let (true, Some(e)) = (used, value) {
            let code = writer.emit_scalar(&e)?;
            named.extend(code.names().cloned());
            bounds.push(Code::from(name).declared("const int64_t").set(code));
        }
    }
    bounds.reverse();
    bounds.into_iter().for_each(|bound| writer.add(bound));
    Ok(())
}

/// Memory for a work array, of a size that is known on entry.
fn work_array(writer: &mut Writer<'_>, v: VarId, array: Array) {
    let ty = writer.variables.all[v.index()].ty;
    let extents = writer.variables.extents(&array.axes);
    let name = Code::name(array.pointer, ty);
    let size = writer.size_of(&extents).to_code();
    writer.allocate_work(&name, &size);
    if writer.is_checked() {
        let forget = writer.cells_forgotten(name, size);
        writer.add(forget);
        return;
    }
    zero_cells(writer, &name, size);
}

/// Cells that nothing was assigned to may be copied; of these types not every bit pattern is a value.
pub(super) fn zero_cells(writer: &mut Writer<'_>, cells: &Code, size: Code) {
    if matches!(cells.ty, ScalarType::Integer | ScalarType::Logical) {
        let k = writer.loop_name(0);
        writer.count_up(&k, size, true);
        writer.set(&cells.clone().at(k), zero(cells.ty));
    }
}
