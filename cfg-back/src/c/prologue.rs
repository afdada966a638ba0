//! What stands in a function before its body, and what it ends with: tapes, bounds, work arrays, what is held.

use super::{
    Emitted,
    lines::{Lines, identifiers},
    variable::{Array, Bound, Cells, Kind, zero},
    writer::Writer,
};
use cfg_core::{
    entity::VarId,
    ir::{Role, ScalarType},
};
use std::collections::HashSet;

/// Writes what stands before the body: bounds, tapes, work arrays. The lines of the writer become those behind the body.
pub(super) fn prologue(writer: &mut Writer<'_>, body: &str) -> Emitted<String> {
    let named: HashSet<&str> = identifiers(body).collect();
    let mut named: HashSet<String> = named.into_iter().map(str::to_owned).collect();
    let mut after: Vec<String> = Vec::new();
    let memory = writer.memory.clone();
    if writer.recursive {
        writer
            .lines
            .line(format_args!("if (++{memory}->depth > CFGREV_DEEPEST)"));
        writer.lines.line("    return 2;");
        after.push(format!("--{memory}->depth;"));
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
        let tape = writer.tape(v)?;
        writer
            .lines
            .line(format_args!("struct cfgrev_top {top} = {tape}->top;"));
        after.push(format!("{tape}->top = {top};"));
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
    if writer.checked() {
        writer.check_entry(&mut named)?;
    }
    kept_bounds(writer, &mut named)?;
    if !writer.checked() {
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
        ("arrays", writer.allocates && allocatable),
        ("work", !works.is_empty()),
    ];
    for (arena, wanted) in marks {
        if arena == "work" {
            // Behind the work arrays, which are given back, and before the array that the result is in.
            after.extend(writer.leave_result().into_iter().rev());
        }
        if wanted {
            writer.made.needs_memory = true;
            let mark = writer.fresh("entry");
            writer.lines.line(format_args!(
                "const struct cfgrev_mark {mark} = cfgrev_mark_of(&{memory}->{arena});"
            ));
            after.push(format!("cfgrev_release(&{memory}->{arena}, {mark});"));
        }
    }
    for (v, array) in works {
        work_array(writer, v, array);
    }
    if writer.checked() {
        writer.forget_at_entry()?;
    }
    let (loads, stores) = writer.held();
    after.extend(stores);
    after.reverse();
    let mut epilogue = Lines::new(1);
    for line in after {
        epilogue.line(line);
    }
    let mut first = Lines::new(1);
    for line in loads {
        first.line(line);
    }
    let rest = std::mem::replace(&mut writer.lines, epilogue).into_text();
    Ok(first.into_text() + &rest)
}

/// Tapes of its own are cut back to where they were.
fn own_tapes(writer: &mut Writer<'_>, after: &mut Vec<String>) {
    let memory = writer.memory.clone();
    let mut tapes = Vec::new();
    for (v, variable) in writer.variables.numbered() {
        let local = writer.routine.variable(v).role == Role::Local;
        if let (Kind::Tape(name), true, true) = (&variable.kind, local, variable.used) {
            tapes.push((v, name.clone()));
        }
    }
    for (v, name) in tapes {
        writer.made.needs_memory = true;
        let level = writer.fresh("level");
        let number = writer.file.tape_number(writer.id, v);
        if number == 0 {
            writer
                .lines
                .line(format_args!("struct cfgrev_tape *const {name} = {memory};"));
        } else {
            writer.lines.line(format_args!(
                "struct cfgrev_tape *const {name} = cfgrev_inner({memory}, {number});"
            ));
        }
        if number > 0 {
            writer.made.can_fail = true;
            writer.lines.line(format_args!("if (!{name})"));
            writer.lines.line("    return 1;");
        }
        writer.lines.line(format_args!(
            "const struct cfgrev_level {level} = cfgrev_level_of({name});"
        ));
        after.push(format!("cfgrev_cut({name}, {level});"));
    }
}

/// The bounds that what `named` has needs; a bound may name bounds before it.
fn kept_bounds(writer: &mut Writer<'_>, named: &mut HashSet<String>) -> Emitted<()> {
    let mut bounds = Vec::new();
    let unchecked = if writer.checked() {
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
            let code = writer.scalar(&e)?;
            named.extend(identifiers(&code.text).map(str::to_owned));
            bounds.push(format!("const int64_t {name} = {};", code.text));
        }
    }
    bounds.reverse();
    for line in bounds {
        writer.lines.line(line);
    }
    Ok(())
}

/// Memory for a work array, of a size that is known on entry.
fn work_array(writer: &mut Writer<'_>, v: VarId, array: Array) {
    let ty = writer.variables.all[v.index()].ty;
    let extents = writer.variables.extents(&array.axes);
    let name = array.pointer;
    let size = writer.size_of(&extents).code().text;
    writer.allocate_work(&name, &size, ty);
    if writer.checked() {
        let line = writer.forget_cells(&name, &size, ty);
        writer.lines.line(line);
        return;
    }
    zero_cells(writer, &name, &size, ty);
}

/// Cells that nothing was assigned to may be copied; of these types not every bit pattern is a value.
pub(super) fn zero_cells(writer: &mut Writer<'_>, name: &str, size: &str, ty: ScalarType) {
    if matches!(ty, ScalarType::Integer | ScalarType::Logical) {
        let k = writer.loop_name(0);
        writer
            .lines
            .line(format_args!("for (int64_t {k} = 0; {k} < {size}; ++{k})"));
        writer
            .lines
            .line(format_args!("    {name}[{k}] = {};", zero(ty)));
    }
}
