#!/usr/bin/env python3
"""Runs `cfgrev gradient` on functions of public repositories and checks it against differences of the original as gcc compiles it.

usage: harness.py --binary CFGREV --repos FOLDER --points points.jsonl --results results.tsv [--sources FOLDER] [--gcc FLAGS]
       [NUMBER ...]

A point is a line of JSON: number, file (below FOLDER), function, at, and if needed seed; options: what the command line needs beyond
the file; routine: the name in options' run; original: the file that the C compiler takes instead of it; gcc: flags of the C compiler; link: further files of the original; parameters: declarations that replace those of the
original in the driver; declare: C at file level; before: C in front of the call (state of globals);
steps: of differences, relative; hold: places that are not moved (the function is defined on a line only). `{repo}` in options and flags is the repository's folder, `{here}` that of this program; types: what pointers to void lead to.
With --sources, FOLDER/NUMBER.c is read in place of the file (the compiled original stays).

Classes: plain (right without options), option (right with them), refused, wrong, crash, slow, unchecked (runs; the driver does not),
pointless (read; the point is not complete).
"""
import argparse
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

LIMIT = 150.0   # seconds for a run
HERE = os.path.dirname(os.path.abspath(__file__))
SLOW = float(os.environ.get('SLOW', 2.0))   # seconds that the largest file may take
STEPS = (1e-3, 1e-4, 1e-5, 1e-6)

DRIVER = r'''
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
static void *fresh(size_t n, size_t size) { return calloc(n, size); }
#define main original_main
#include "%(file)s"
#undef main
static int moved; static double step;
/* memory for a pointer; nothing for an array */
#define ROOM(x, n) do { if (__builtin_types_compatible_p(__typeof__(x), __typeof__(&(x)[0]))) { \
    void *room = fresh((n) + 1, sizeof (x)[0]); memcpy((void *)&(x), &room, sizeof(void *)); } } while (0)
#define SET(x, v) do { const __typeof__(x) value = v; memcpy((void *)&(x), &value, sizeof value); } while (0)
#define MOVE(k, x, v) SET(x, (v) + (moved == (k) ? step : 0.0))
%(declare)s
struct arguments { %(members)s };
static void call(double *out)
{
    struct arguments *A = fresh(1, sizeof *A);
    int o = 0;
    (void)A;
%(fill)s
%(before)s
    %(call)s
%(outputs)s
}
static int evaluate(int leaf_, double h, double *out)
{
    int ends[2];
    if (pipe(ends)) return 0;
    fflush(stdout);
    moved = leaf_, step = h;
    pid_t child = fork();
    if (!child) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(3);
        call(out);
        size_t size = sizeof(double) * %(size)d;
        _exit(write(ends[1], out, size) != (ssize_t)size);
    }
    close(ends[1]);
    size_t got = 0, size = sizeof(double) * %(size)d;
    for (ssize_t n; got < size && (n = read(ends[0], (char *)out + got, size - got)) > 0;) got += n;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return got == size;
}
int main(void)
{
    static const double steps[] = {%(steps)s}, at[] = {%(at)s 0};
    static double a[%(size)d], b[%(size)d];
    if (!evaluate(-1, 0, a)) { puts("stopped"); return 0; }
    for (int i = 0; i < %(size)d; i++) printf("value %%.17g\n", a[i]);
    for (int leaf_ = 0; leaf_ < %(leaves)d; leaf_++) {
        printf("leaf");
        for (unsigned s = 0; s < sizeof steps / sizeof steps[0]; s++) {
            double h = steps[s] * fmax(fabs(at[leaf_]), 0.1);
            if (!evaluate(leaf_, h, a) || !evaluate(leaf_, -h, b)) printf(" nan");
            else printf(" %%.17g", (a[0] - b[0]) / (2 * h));
        }
        puts("");
    }
    return 0;
}
'''
FLOAT_NAMES = "acos asin atan atan2 cbrt ceil cos cosh erf erfc exp expm1 fabs floor fma fmax fmin fmod hypot lgamma log log10 log1p log2 " \
    "pow round sin sinh sqrt tan tanh tgamma trunc copysign exp2 fdim ldexp frexp modf lround rint nearbyint".split()
WIDEN = "".join(f"#include <{h}.h>\n" for h in "ctype errno float limits math signal stdarg stdint stdio stdlib string time sys/wait unistd".split()) \
    + "#define float double\n" + "".join(f"#define {n}f {n}\n" for n in FLOAT_NAMES)


def parameters_of(text, function):
    """Declarations of the parameters in the definition of a function, and whether it returns something."""
    bare = re.sub(r'/\*.*?\*/|//[^\n]*', lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text, flags=re.S)
    for found in re.finditer(r'\b' + re.escape(function) + r'\s*\(', bare):
        depth, i = 1, found.end()
        while i < len(bare) and depth:
            depth += {'(': 1, ')': -1}.get(bare[i], 0)
            i += 1
        inside = bare[found.end():i - 1]
        behind = re.match(r'((?:\s|__attribute__\s*\(\(.*?\)\)|[A-Za-z_][\w\s,*\[\]]*;)*)\{', bare[i:])
        if not behind:
            continue
        start = max(bare.rfind(c, 0, found.start()) for c in ';}#/')
        head = bare[start + 1:found.start()]
        head = re.sub(r'^[^\n]*\n', '', head) if bare[start] == '#' else head
        parts, depth, current = [], 0, ''
        for c in inside:
            depth += {'(': 1, '[': 1, ')': -1, ']': -1}.get(c, 0)
            if c == ',' and depth == 0:
                parts.append(current)
                current = ''
            else:
                current += c
        parts.append(current)
        parts = [' '.join(p.split()) for p in parts]
        if ';' in behind.group(1):   # parameters that are declared behind the parentheses
            types = {}
            for declaration in behind.group(1).split(';'):
                m = re.match(r'\s*((?:const |struct |unsigned )*\w+)\s+(.*)', declaration.strip(), re.S)
                for one in m.group(2).split(',') if m else []:
                    types[re.search(r'\w+', one).group(0)] = m.group(1) + ' ' + one.strip()
            parts = [types.get(p, 'int ' + p) for p in parts]
        return [p for p in parts if p and p != 'void'], not re.search(r'\bvoid\b[^*]*$', head)
    raise ValueError('no definition of ' + function)


def name_of(declaration, names):
    declaration = re.sub(r'__attribute__\s*\(\(.*?\)\)', '', declaration)
    m = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", declaration)
    if m:   # a function: names of its own parameters are others
        return m.group(1)
    for word in re.findall(r'[A-Za-z_]\w*', declaration):
        if word in names:
            return word
    m = re.search(r'\(\s*\*\s*(\w+)', declaration)
    return m.group(1) if m else re.findall(r'[A-Za-z_]\w*', re.sub(r'\[[^\]]*\]', '', declaration))[-1]


def member(declaration, name):
    """A parameter as a member of a structure: arrays become pointers, as they are."""
    declaration = re.sub(r'\b(register|restrict|__restrict__|__restrict)\b|__attribute__\s*\(\(.*?\)\)', '', declaration)
    m = re.search(r'\b' + name + r'\s*\[[^\]]*\](.*)$', declaration)
    if m and '(' not in declaration:
        rest = m.group(1).strip()
        declaration = declaration[:m.start()] + (f'(*{name}){rest}' if rest else f'*{name}')
    return declaration


def number(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        return {'NaN': 'NAN', 'inf': 'INFINITY', '-inf': '-INFINITY'}[value]
    return repr(value)


class Driver:
    """Writes and runs a C program that calls the original at a point."""

    def __init__(self, point, answer, seed, path, repo, gcc):
        self.point, self.answer, self.seed, self.path, self.repo = point, answer, seed, path, repo
        flags = [*gcc, *(f.replace('{repo}', repo).replace('{here}', HERE) for f in point.get('gcc', []))]
        self.compiler = ['gcc', '-std=gnu11', '-w', *[f for f in flags if not f.startswith('-l')]]
        self.libraries = [f for f in flags if f.startswith('-l')] + ['-lm']
        text = subprocess.run([*self.compiler, '-E', '-P', '-x', 'c', path], capture_output=True, text=True, errors='replace').stdout
        declared, self.returns = parameters_of(text, point.get('symbol', point['function']))
        replaced = point.get('parameters', {})
        names = [name_of(d, point['at']) for d in declared]
        self.arguments = names
        self.members = ' '.join(member(replaced.get(n, d), n) + ';' for n, d in zip(names, declared))
        self.leaves, self.lines = [], []

    def root(self, name):
        return f'A->{name}' if name in self.arguments else name

    def fill(self, expression, value, gradient):
        if isinstance(value, dict) and 'same_as' in value:
            self.lines.append(f'SET({expression}, {self.root(value["same_as"])});')
        elif isinstance(value, dict) and 'size' in value and len(value) == 1:
            self.lines.append(f'ROOM({expression}, {value["size"]});')
        elif isinstance(value, list):
            if expression in self.point.get('types', {}):   # a pointer to void
                cast = f'(({self.point["types"][expression]} *){expression})'
                self.lines.append(f'SET({expression}, fresh({len(value) + 1}, sizeof *{cast}));')
                expression = cast
            else:
                self.lines.append(f'ROOM({expression}, {len(value)});')
            for i, v in enumerate(value):
                self.fill(f'{expression}[{i}]', v, gradient[i] if isinstance(gradient, list) and i < len(gradient) else None)
        elif isinstance(value, dict):
            for k, v in value.items():
                self.fill(f'{expression}.{k}', v, gradient.get(k) if isinstance(gradient, dict) else None)
        elif value is None:
            self.lines.append(f'SET({expression}, 0);')
        elif isinstance(gradient, (int, float, str)) and not isinstance(value, str) and expression not in self.point.get('hold', []):
            self.lines.append(f'MOVE({len(self.leaves)}, {expression}, {number(value)});')
            self.leaves.append((expression, float(value), float(gradient)))
        else:
            self.lines.append(f'SET({expression}, {number(value)});')

    def outputs(self, expression, value, seed, sums, values):
        if isinstance(value, dict):
            for k, v in value.items():
                self.outputs(f'{expression}.{k}', v, seed.get(k) if isinstance(seed, dict) else seed, sums, values)
        elif isinstance(value, list):
            if expression in self.point.get('types', {}):
                expression = f'(({self.point["types"][expression]} *){expression})'
            for i, v in enumerate(value):
                self.outputs(f'{expression}[{i}]', v, (seed[i] if i < len(seed) else None) if isinstance(seed, list) else seed, sums, values)
        elif value is not None:
            values.append((expression, value))
            if isinstance(seed, (int, float)):
                sums.append(f'{seed!r} * {expression}')

    def write(self, folder, widen):
        gradient = self.answer['gradient']
        self.leaves, self.lines = [], []
        for name, value in self.point['at'].items():
            self.fill(self.root(name), value, gradient.get(name))
        sums, values = [], []
        for name, value in self.answer['value'].items():
            self.outputs('R' if name == 'return' else self.root(name), value, self.seed.get(name) if self.seed else 1, sums, values)
        call = f'{self.point.get("symbol", self.point["function"])}({", ".join("A->" + n for n in self.arguments)});'
        text = DRIVER % {
            'file': os.path.abspath(self.path), 'declare': self.point.get('declare', ''), 'members': self.members,
            'fill': '\n'.join('    ' + line for line in self.lines), 'before': self.point.get('before', ''),
            'call': ('__auto_type R = ' if self.returns else '') + call,
            'outputs': f'    out[o++] = {" + ".join(sums) or "0"};\n' + '\n'.join(f'    out[o++] = {v};' for v, _ in values),
            'size': 1 + len(values), 'steps': ', '.join(map(repr, self.point.get('steps', STEPS))), 'leaves': len(self.leaves),
            'at': ''.join(f'{v!r}, ' for _, v, _ in self.leaves)}
        source = os.path.join(folder, 'driver.c')
        open(source, 'w').write(text)
        header = os.path.join(folder, 'widen.h')   # float is double in all files: differences of float say little
        open(header, 'w').write(WIDEN if widen else '')
        link = [os.path.join(self.repo, f.replace('{repo}', self.repo).replace('{here}', HERE)) for f in self.point.get('link', [])]
        program = os.path.join(folder, 'driver')
        made = subprocess.run([*self.compiler, '-O0', '-fno-builtin', '-ffp-contract=off', '-fcommon', '-fgnu89-inline',
                               '-no-pie', '-Wl,--unresolved-symbols=ignore-all', '-Wl,-z,lazy', '-include', header, source, *link, '-o', program, *self.libraries],
                              capture_output=True, text=True, errors='replace')
        if made.returncode:
            raise RuntimeError('driver: ' + next((line for line in made.stderr.splitlines() if 'error' in line or 'undefined' in line), '?')[-160:])
        ran = subprocess.run([program], capture_output=True, text=True, timeout=LIMIT)
        lines = ran.stdout.split('\n')
        if not lines or not lines[0].startswith('value'):
            raise RuntimeError('driver: the original stops')
        got = [float(line.split()[1]) for line in lines if line.startswith('value')]
        differences = [[float(x) for x in line.split()[1:]] for line in lines if line.startswith('leaf')]
        return values, got, differences

    def verdict(self, keep=None):
        """None, or what differs."""
        with tempfile.TemporaryDirectory() as folder:
            values, (total, *got), exact = self.write(folder, False)
            try:
                _, _, wide = self.write(folder, True)
            except (RuntimeError, subprocess.TimeoutExpired):
                wide = exact
        for (name, told), original in zip(values, got):
            told = float(told)
            if not (same(told, original) or abs(told - original) <= (4e-7 if single(told) else 1e-13) * abs(original)):
                return f'value of {name}: {told!r}, compiled {original!r}'
        largest = max([abs(g) for _, _, g in self.leaves if math.isfinite(g)] or [0.0])
        if not math.isfinite(total):
            raise RuntimeError('the value is not finite here')
        unsure = []
        for (name, at, told), one, two in zip(self.leaves, exact, wide):
            noise = [1e-7 * largest + 1e-15 * abs(total) / (s * max(abs(at), 0.1)) for s in self.point.get('steps', STEPS)]
            if not agrees(told, one, 1e-5, noise) and not agrees(told, two, 1e-5, noise):
                if agrees(told, two, 1e-3, [1e-5 * max(largest, abs(total)) + n for n in noise]):
                    unsure.append(name)
                else:
                    return f'derivative by {name}: {told!r}, differences {[float(f"{d:.6g}") for d in two]}'
        return None

    def moves(self):
        return any(g != 0 for _, _, g in self.leaves)


def single(told):
    """Printed as a float is: its functions of the library are rounded from those for double, and may differ from the C library's."""
    return len(repr(told).replace('.', '').strip('-0')) <= 9


def same(told, original):
    """Equal, as double or as the float that was printed."""
    if math.isnan(told) or math.isnan(original):
        return math.isnan(told) and math.isnan(original)
    return told == original or (abs(original) < 3e38 and struct.pack('f', told) == struct.pack('f', original) and original == struct.unpack('f', struct.pack('f', original))[0])


def agrees(told, differences, relative, absolute):
    if not math.isfinite(told):
        return not any(math.isfinite(d) for d in differences)
    return any(abs(told - d) <= relative * max(abs(told), abs(d)) + a for d, a in zip(differences, absolute) if math.isfinite(d))


def spent():
    """Processor time of what has been run."""
    times = os.times()
    return times.children_user + times.children_system


def run(command):
    begin = spent()
    try:
        ran = subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return 'slow', None, 'no answer', spent() - begin
    seconds = spent() - begin
    if ran.returncode == 0:
        return 'ran', json.loads(ran.stdout), '', seconds
    if ran.returncode not in (1, 2, 3) or 'panicked' in ran.stderr:
        return 'crash', None, ran.stderr[-200:], seconds
    for line in ran.stderr.splitlines():
        if line.startswith('{'):
            told = json.loads(line)
            if told.get('severity') == 'error':
                return 'refused', None, f'{told["code"]} {told["message"]}', seconds
    return 'refused', None, ran.stderr.strip().split('\n')[0], seconds


def judge(point, arguments):
    with tempfile.NamedTemporaryFile('w', suffix='.json') as at:   # a point may be longer than an argument
        json.dump(point['at'], at)
        at.flush()
        return judged(point, at.name, arguments)


def judged(point, at, arguments):
    owner = point['file'].split('/')[0]
    repo = os.path.join(arguments.repos, owner)
    path = os.path.join(arguments.repos, point['file'])
    read = os.path.join(arguments.sources, f'{point["number"]}.c') if arguments.sources else path
    tail = ['--routine', point['function'], '--diagnostics', 'json', '--at', at]
    if point.get('seed'):
        tail += ['--seed', json.dumps(point['seed'])]
    options = [o.replace('{repo}', repo).replace('{here}', HERE) for o in point.get('options', [])]
    status, answer, message, seconds = run([arguments.binary, 'gradient', read, *tail])
    kind = 'plain'
    if status == 'refused' and options:
        first = message
        tail[1] = point.get('routine', tail[1])
        status, answer, message, seconds = run([arguments.binary, 'gradient', read, *options, *tail])
        kind, message = 'option', message if status == 'refused' and re.match('[A-Z]\\d', message) else first
    if status != 'ran':
        return 'pointless' if re.match('P4(?!10)|J041', message) else status, message, seconds
    if seconds > SLOW:
        return 'slow', f'{seconds:.1f} s', seconds
    try:
        driver = Driver(point, answer, point.get('seed'), point.get('original', path).replace('{repo}', repo), repo, arguments.gcc.split())
        wrong = driver.verdict()
    except (RuntimeError, ValueError, OSError, subprocess.TimeoutExpired) as problem:
        return 'unchecked', f'{kind}; {problem}', seconds
    if wrong:
        return 'wrong', f'{kind}; {wrong}', seconds
    return kind, message if driver.moves() else 'all derivatives are 0', seconds


def main():
    parser = argparse.ArgumentParser()
    for name in ('binary', 'repos', 'points', 'results'):
        parser.add_argument('--' + name, required=True)
    parser.add_argument('--sources')
    parser.add_argument('--gcc', default='', help='flags for every file of the original, as folders of headers that are installed')
    parser.add_argument('numbers', nargs='*', type=int)
    arguments = parser.parse_args()
    points = [json.loads(line) for line in open(arguments.points) if line.strip()]
    counts = {}
    with open(arguments.results, 'w') as results:
        results.write('number\tfunction\tclass\treason\tseconds\n')
        for point in points:
            if arguments.numbers and point['number'] not in arguments.numbers:
                continue
            kind, reason, seconds = judge(point, arguments)
            counts[kind] = counts.get(kind, 0) + 1
            results.write(f'{point["number"]}\t{point["function"]}\t{kind}\t{" ".join(reason.split())}\t{seconds:.2f}\n')
            results.flush()
    print(' '.join(f'{k} {v}' for k, v in sorted(counts.items())))
    sys.exit(bool(counts.get('wrong') or counts.get('crash')))


if __name__ == '__main__':
    main()
