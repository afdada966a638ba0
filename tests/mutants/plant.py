"""Writes many mutants into one copy of a source file, of which a run chooses one by its number."""

import re

# What a body is chosen by; in each crate that has mutants, since a crate below all of them is not certain to exist.
CHOICE = """
/// The number of the mutant that is to be made, 0 for none.
pub(crate) fn planted() -> u32 {
    static CHOSEN: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *CHOSEN.get_or_init(|| match std::env::var("CFGREV_PLANTED") {
        Ok(number) => number.parse().expect("CFGREV_PLANTED is a number"),
        Err(_) => 0,
    })
}
"""

# Comments, strings and characters of Rust: braces in them are text. A lifetime is no character.
TEXT = re.compile(
    r"""//[^\n]*|/\*|"(?:\\.|[^"\\])*"|r(?P<hashes>#*)".*?"(?P=hashes)|'(?:\\(?:u\{[0-9a-fA-F_]+\}|x..|.)|[^'\\])'|[{}]""",
    re.S,
)


class Unplantable(Exception):
    """The mutant cannot stand beside the original; it has to be made alone."""


def braces(text, start, end):
    """Pairs of offsets of the braces in a piece of a source, inner ones before outer ones."""
    pairs, opened, at = [], [], start
    while (found := TEXT.search(text, at, end)) is not None:
        at = found.end()
        token = found.group()
        if token == "/*":
            depth = 1
            while depth:
                step = re.compile(r"/\*|\*/").search(text, at, end)
                if step is None:
                    raise Unplantable("a comment that does not end")
                depth += 1 if step.group() == "/*" else -1
                at = step.end()
        elif token == "{":
            opened.append(found.start())
        elif token == "}":
            if not opened:
                raise Unplantable("braces that do not match")
            pairs.append((opened.pop(), found.start()))
    return pairs


def offset(lines, at):
    return sum(map(len, lines[: at["line"] - 1])) + at["column"] - 1


def span(lines, pair):
    return offset(lines, pair["start"]), offset(lines, pair["end"])


def body(text, start, end):
    """The braces around the body of the function in a piece of a source: the pair that ends last."""
    pairs = braces(text, start, end)
    if not pairs:
        raise Unplantable("no body")
    return max(pairs, key=lambda pair: pair[1])


def alone(text, mutant):
    """The source with the mutant in place of the original."""
    start, end = span(text.splitlines(keepends=True), mutant["span"])
    return text[:start] + mutant["replacement"] + text[end:]


def plant(text, mutants):
    """The source with each body that has mutants as a choice among them, by number.

    `mutants` are pairs of a number and a mutant. Given back are the source, the ranges of lines in it as
    (first, last, numbers), inner ones first, and the numbers of those that have to be made alone.
    """
    lines = text.splitlines(keepends=True)
    functions, left = {}, []
    for number, mutant in mutants:
        if mutant["function"] is None:
            left.append(number)
            continue
        whole = span(lines, mutant["function"]["span"])
        functions.setdefault(whole, []).append((number, mutant))
    chosen = []
    for whole in sorted(functions):
        try:
            open_, close = body(text, *whole)
            head = text[whole[0] : open_]
            # A constant function calls none that is not; arms that are an `impl` are of different types.
            if re.search(r"\bconst\s+(unsafe\s+)?fn\b", head) or re.search(r"->.*\bimpl\b", head, re.S):
                raise Unplantable("const or impl")
            # Of functions in each other, the outer one is taken: two choices in one body would be counted twice.
            if chosen and open_ < chosen[-1][1]:
                raise Unplantable("in another function")
        except Unplantable:
            left += [number for number, _ in functions[whole]]
            continue
        chosen.append((open_, close, functions[whole]))
    out, at, line, ranges = [], 0, 1, []

    def put(piece):
        nonlocal line
        out.append(piece)
        line += piece.count("\n")

    for open_, close, inside in chosen:
        put(text[at : open_ + 1])
        first = line
        arms = []
        put("\nmatch crate::planted() {\n")
        for number, mutant in inside:
            start, end = span(lines, mutant["span"])
            begun = line
            put(f"{number}u32 => {{{text[open_ + 1 : start]}{mutant['replacement']}{text[end:close]}\n}}\n")
            arms.append((begun, line - 1, [number]))
        put(f"_ => {{{text[open_ + 1 : close]}\n}}\n}}\n")
        ranges += arms + [(first, line, [number for number, _ in inside])]
        at = close
    put(text[at:])
    return "".join(out), ranges, left
