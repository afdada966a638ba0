//! The functions of C that check places and shapes.

use crate::c::{
    operators::checked::{self, type_suffix},
    variable,
};
use cfg_core::{flat::FlatType, ir::ScalarType};

fn c_type(ty: ScalarType) -> &'static str {
    match FlatType::view(ty) {
        FlatType::Logical => "cfgrev_logical",
        FlatType::Real | FlatType::Real32 | FlatType::Integer | FlatType::Tape => {
            variable::c_type(ty)
        }
        FlatType::Sized(_) => variable::c_type(ScalarType::Integer),
    }
}

pub(super) fn given(name: &str, ty: ScalarType) -> String {
    let (c, unset) = (c_type(ty), checked::unset_value(ty));
    format!(
        "static inline {c} {name}(struct cfgrev_check *check, int at, const {c} *x) {{\n    if (!x) {{\n        cfgrev_found(check, at, 213);\n        return {unset};\n    }}\n    return *x;\n}}\n"
    )
}

pub(super) fn give(name: &str, ty: ScalarType) -> String {
    let c = c_type(ty);
    format!(
        "static inline void {name}(struct cfgrev_check *check, int at, {c} *x, {c} value) {{\n    if (x) {{\n        *x = value;\n    }} else {{\n        cfgrev_found(check, at, 213);\n    }}\n}}\n"
    )
}

/// An element whose subscripts are checked up to a number. Where one has failed, what is computed from the value is noted
/// behind it.
pub(super) fn element(name: &str, ty: ScalarType) -> String {
    let (c, unset) = (c_type(ty), checked::unset_value(ty));
    format!(
        "static inline {c} {name}(const struct cfgrev_check *check, int number, const {c} *x, int64_t at) {{\n    return check->at && check->at <= number ? {unset} : x[at];\n}}\n"
    )
}

pub(super) fn store(name: &str, ty: ScalarType, operator: Option<&str>) -> String {
    let c = c_type(ty);
    let value = match operator {
        None => "value".to_owned(),
        Some(operator) => format!("cfgrev_{operator}_{}(x[at], value)", type_suffix(ty)),
    };
    format!(
        "static inline void {name}(const struct cfgrev_check *check, {c} *x, int64_t at, {c} value) {{\n    if (!check->at) {{\n        x[at] = {value};\n    }}\n}}\n"
    )
}

/// What a parameter needs is compared with what its argument has.
pub(super) fn bind(same: bool) -> String {
    let (name, test) = if same {
        ("cfgrev_bind_shape", "count != INT64_MAX && size != count")
    } else {
        ("cfgrev_bind", "size > count")
    };
    format!(
        "static inline void {name}(struct cfgrev_check *check, int at, int64_t count, int64_t size) {{\n    if (count < 0) {{\n        cfgrev_found(check, at, count == -1 ? 213 : 215);\n    }} else if (size == INT64_MAX) {{\n        cfgrev_found(check, at, 210);\n    }} else if ({test}) {{\n        cfgrev_found(check, at, 212);\n    }}\n}}\n"
    )
}

/// The number of elements before the one with this index; 0 if there is none.
pub(super) const INDEX: &str = "\
static inline int64_t cfgrev_index(struct cfgrev_check *check, int at, int64_t i, int64_t lower, int64_t extent) {
    if (i >= lower && extent > 0 && (uint64_t)i - (uint64_t)lower < (uint64_t)extent && i != CFGREV_UNSET_INTEGER) {
        return i - lower;
    }
    cfgrev_found(check, at, i == CFGREV_UNSET_INTEGER ? 202 : 201);
    return 0;
}
";

/// What [`INDEX`] finds where an array is cells that pointers lead to, or a table of objects: there a subscript that no array has
/// says what is wrong with a pointer, and -1 in a table that there is no room.
pub(super) const CELL: &str = "\
static inline int64_t cfgrev_index_cell(struct cfgrev_check *check, int at, bool table, int64_t i, int64_t lower, int64_t extent) {
    if (i < lower && i != CFGREV_UNSET_INTEGER) {
        cfgrev_found(check, at, table && i == -1 ? 225 : 224);
        return 0;
    }
    return cfgrev_index(check, at, i, lower, extent);
}
";

/// What [`RANGE`] finds where an array is cells that pointers lead to.
pub(super) const CELLS: &str = "\
static inline int64_t cfgrev_trips_range_cells(struct cfgrev_check *check, int at, int64_t first, int64_t last, int64_t step,
                                         int64_t lower, int64_t size) {
    if (first < lower && first != CFGREV_UNSET_INTEGER && cfgrev_trips_integer(check, at, first, last, step) > 0) {
        cfgrev_found(check, at, 224);
        return 0;
    }
    return cfgrev_trips_range(check, at, first, last, step, lower, size);
}
";

/// True if elements follow each other without gaps.
pub(super) const FOLLOW: &str = "\
static inline bool cfgrev_follow(const int64_t *lie) {
    int64_t stride = 1;
    for (int64_t k = 0; k < lie[0]; ++k) {
        if (lie[2 * k + 1] <= 0) {
            return true;
        }
    }
    for (int64_t k = 0; k < lie[0]; ++k) {
        if (lie[2 * k + 1] != 1 && lie[2 * k + 2] != stride) {
            return false;
        }
        stride *= lie[2 * k + 1];
    }
    return true;
}
";

pub(super) const INDEX_IF: &str = "\
static inline int64_t cfgrev_index_if(struct cfgrev_check *check, int at, bool there, int code, int64_t i, int64_t lower,
                                      int64_t extent) {
    if (there) {
        return cfgrev_index(check, at, i, lower, extent);
    }
    cfgrev_found(check, at, code);
    return 0;
}
";

pub(super) const IF_THERE: &str = "\
static inline int64_t cfgrev_if_there(struct cfgrev_check *check, int at, bool there, int code, int64_t n) {
    return there ? n : cfgrev_found(check, at, code);
}
";

pub(super) const CONFORM: &str = "\
static inline void cfgrev_conform(struct cfgrev_check *check, int at, int64_t m, int64_t n) {
    if (m != n && (m > 0 || n > 0)) {
        cfgrev_found(check, at, 212);
    }
}
";

pub(super) const BOUNDS_OF: &str = "\
static inline void cfgrev_bounds(struct cfgrev_check *check, int at, int64_t lower, int64_t extent) {
    if (lower == CFGREV_UNSET_INTEGER || extent == CFGREV_UNSET_INTEGER) {
        cfgrev_found(check, at, 202);
    } else if (extent > 0 && lower > INT64_MAX - extent) {
        cfgrev_found(check, at, 203);
    }
}
";

/// The number of elements of a range, which are all there.
pub(super) const RANGE: &str = "\
static inline int64_t cfgrev_trips_range(struct cfgrev_check *check, int at, int64_t first, int64_t last, int64_t step,
                                         int64_t lower, int64_t size) {
    const int64_t count = cfgrev_trips_integer(check, at, first, last, step);
    const uint64_t room = size > 0 ? (uint64_t)size : 0;
    uint64_t start, end;
    if (count == CFGREV_UNSET_INTEGER) {
        cfgrev_found(check, at, 202);
        return 0;
    }
    if (count == 0) {
        return 0;
    }
    start = (uint64_t)first - (uint64_t)lower;
    end = start + (uint64_t)(count - 1) * (uint64_t)step;
    if (first < lower || start >= room || (step > 0 ? end < start : end > start) || end >= room) {
        cfgrev_found(check, at, 201);
        return 0;
    }
    return count;
}
";
