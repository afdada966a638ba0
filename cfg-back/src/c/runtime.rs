//! The tape of emitted files, which is the same in every file: a part of the file, or a header beside it.

use super::operators::{Piece, Pieces};

/// The name of the header beside files that include the tape.
pub const TAPE_HEADER: &str = "cfgrev_tape.h";

/// The declarations of a tape for callers, under a guard.
pub(super) const TAPE: &str = include_str!("pieces/tape.c");

const TITLE: &str = "\
/* The tape of derivatives written by cfgrev, and functions that they call. The header is the same for all files of a
   version; C++ sees what callers use. */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

";

/// The text of [`TAPE_HEADER`]: the tape and all helper functions that do not depend on the program. Functions for
/// files stand behind macros that emitted files define, because they need more of the C library.
pub fn tape_header() -> String {
    let mut text = format!("{TITLE}{TAPE}\n#ifndef __cplusplus\n");
    for piece in Piece::in_header() {
        let guarded = piece.guarded();
        match piece.switch() {
            None => text += &format!("\n{guarded}"),
            Some(switch) => {
                let headers = Pieces::headers_of(piece);
                let headers = headers.iter().map(|name| format!("#include <{name}>\n"));
                let headers: String = headers.collect();
                text += &format!("\n#ifdef {switch}\n{headers}\n{guarded}#endif\n");
            }
        }
    }
    text += "\n#endif\n";
    text
}
