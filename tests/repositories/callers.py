#!/usr/bin/env python3
"""Links emitted C into programs of public repositories in place of the function (--replace), and beside it, and compares what the program prints.

usage: callers.py --binary CFGREV --repos FOLDER --points points.jsonl --results callers.tsv [--work FOLDER] [--gcc FLAGS] [NUMBER ...]

The program is a driver that calls the function of the repository's own file at the point (harness.py), or `program` of the point: a shell
command that builds `$OUT` from the repository's main, in which `$OBJECTS` is linked. Three times:
original: as it is. replaced: the function is a weak symbol, and the emitted file defines it. beside: the emitted file (without --replace) is
linked too. The linker's trace says that the emitted definition is the one that is used. Sizes of arrays are those of the point.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import harness

C = ['-O0', '-fno-builtin', '-ffp-contract=off']
LINK = ['-no-pie', '-Wl,--unresolved-symbols=ignore-all', '-Wl,-z,lazy']


def sh(command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors='replace', **more)


def reverse(arguments, path, options, routine, sizes, more):
    command = [arguments.binary, 'reverse', path, *options, '--routine', routine, '--emit', 'c', *more]
    for name, size in sizes.items():
        command += ['--size', f'{name}={size}']
    return sh(command)


def emitted(arguments, path, options, point, more):
    """The emitted file, with a size for each array that has none; or the first error."""
    sizes = {}
    routine = point.get('symbol', point['function'])
    wanted = {k: extents(v) for k, v in point['at'].items() if isinstance(v, list)}
    wanted = {k: f'[{", ".join(map(str, v))}]' if len(v) > 1 else str(v[0]) for k, v in wanted.items() if v}
    ran = reverse(arguments, path, options, routine, {}, more)
    if ran.returncode and 'B808' in ran.stderr and 'size' in ran.stderr:
        for name in wanted:
            if re.search(r'parameter `' + name + r'`|\b' + name + r'\b', ran.stderr):
                sizes[name] = wanted[name]
        ran = reverse(arguments, path, options, routine, sizes, more)
    if ran.returncode:
        errors = [line for line in ran.stderr.splitlines() if line.startswith('error')]
        return None, (errors or ran.stderr.splitlines() or ['?'])[0]
    return ran.stdout, sizes


def extents(value):
    if not isinstance(value, list):
        return []
    inner = extents(value[0]) if value else []
    return [len(value), *inner]


def unstatic(text, function):
    """The file, in which the function is not static."""
    def head(found):
        return re.sub(r'\b(static|inline|__inline__|__inline|extern)\b\s*|__attribute__\s*\(\(\s*(__always_inline__|always_inline)\s*\)\)', '', found.group(0))
    return re.sub(r'\b(?:static|inline|extern)\b[^;{}()#]*(?:__attribute__\s*\(\(.*?\)\)[^;{}()#]*)?\b' + re.escape(function) + r'\s*\(', head, text)


class Program:
    def __init__(self, point, folder, gcc, repo, path):
        self.folder, self.repo, self.point = folder, repo, point
        self.flags = [*gcc, *(f.replace('{repo}', repo).replace('{here}', harness.HERE) for f in point.get('gcc', []))]
        self.compiler = ['gcc', '-std=gnu11', '-w', *[f for f in self.flags if not f.startswith('-l')]]
        self.function = point.get('symbol', point['function'])
        self.path = point.get('original', path)

    def compile(self, source, name, strict=True):
        out = os.path.join(self.folder, name)
        made = sh([*self.compiler, *C, '-fcommon', '-fgnu89-inline', '-c', source, '-o', out])
        if made.returncode:
            raise RuntimeError(next((l for l in made.stderr.splitlines() if 'error' in l), '?')[-200:])
        return out

    def driver(self, arguments, answer):
        """The object file of the driver, which includes the repository's file."""
        source = self.path
        text = open(source, errors='replace').read()
        changed = unstatic(text, self.function)
        if changed != text:   # a static function is nobody else's: a copy of the file in which it is not
            source = os.path.join(self.folder, 'original.c')
            open(source, 'w').write(changed)
            self.compiler += ['-iquote', os.path.dirname(os.path.abspath(self.path))]
        point = dict(self.point)
        made = harness.Driver(point, {'gradient': {}, 'value': answer['value']}, None, self.path, self.repo, [f for f in self.flags if f not in self.point.get('gcc', [])])
        made.path = source
        made.leaves, made.lines = [], []
        for name, value in point['at'].items():
            made.fill(made.root(name), value, None)
        values = []
        for name, value in answer['value'].items():
            made.outputs('R' if name == 'return' else made.root(name), value, None, [], values)
        call = f'{self.function}({", ".join("A->" + n for n in made.arguments)});'
        text = harness.DRIVER % {
            'file': os.path.abspath(source), 'declare': point.get('declare', ''), 'members': made.members, 'fill': '\n'.join('    ' + l for l in made.lines), 'before': point.get('before', ''),
            'call': ('__auto_type R = ' if made.returns else '') + call,
            'outputs': '    out[o++] = 0;\n' + '\n'.join(f'    out[o++] = {v};' for v, _ in values),
            'size': 1 + len(values), 'steps': '1', 'leaves': 0, 'at': ''}
        out = os.path.join(self.folder, 'driver.c')
        open(out, 'w').write(text)
        return self.compile(out, 'driver.o')

    def link(self, objects, name, trace=None):
        links = [os.path.join(self.repo, f.replace('{here}', harness.HERE)) for f in self.point.get('link', [])]
        out = os.path.join(self.folder, name)
        made = sh([*self.compiler, *C, '-fcommon', '-fgnu89-inline', *LINK, *([f'-Wl,--trace-symbol={self.function}'] if trace else []), *objects, *links, '-o', out,
                   *[f for f in self.flags if f.startswith('-l')], '-lm'])
        if made.returncode:
            raise RuntimeError(next((l for l in made.stderr.splitlines() if 'error' in l or 'multiple' in l or 'undefined' in l), made.stderr[-200:] or '?')[-200:])
        return out, made.stderr + made.stdout


def output(program):
    ran = sh([program], timeout=60)
    return ran.stdout


def one(point, arguments):
    owner = point['file'].split('/')[0]
    repo = os.path.join(arguments.repos, owner)
    path = os.path.join(arguments.repos, point['file'])
    gcc = arguments.gcc.split()
    options = [o.replace('{repo}', repo).replace('{here}', harness.HERE) for o in point.get('options', [])]
    tail = ['--routine', point['function'], '--diagnostics', 'json', '--at', json.dumps(point['at'])] + (['--seed', json.dumps(point['seed'])] if point.get('seed') else [])
    status, answer, message, _ = harness.run([arguments.binary, 'gradient', path, *tail])
    if status != 'ran':
        tail[1] = point.get('routine', tail[1])
        status, answer, message, _ = harness.run([arguments.binary, 'gradient', path, *options, *tail])
    else:
        options = []
    if status != 'ran':
        return 'refused', message
    with tempfile.TemporaryDirectory() as folder:
        if arguments.work:
            folder = os.path.join(arguments.work, str(point['number']))
            os.makedirs(folder, exist_ok=True)
        program = Program(point, folder, gcc, repo, path)
        driver = program.driver(arguments, answer)
        plain, _ = program.link([driver], 'original')
        first = output(plain)
        if not first.startswith('value'):
            return 'no driver', first[:60].strip() or 'prints nothing'
        results = []
        for kind, more in (('replaced', ['--replace']), ('beside', [])):
            text, said = emitted(arguments, path, options, point, more)
            if text is None:
                results.append((kind, 'refused', said))
                continue
            source = os.path.join(folder, kind + '.c')
            open(source, 'w').write(text)
            made = sh(['gcc', '-std=c99', '-Wall', '-Wextra', '-Werror', *C, '-c', source, '-o', source[:-1] + 'o'])
            if made.returncode:
                results.append((kind, 'wrong', 'the emitted file does not compile: ' + next((l for l in made.stderr.splitlines() if 'error' in l), '?')[-150:]))
                continue
            weak = os.path.join(folder, 'weak.o')
            sh(['objcopy'] + (['--weaken-symbol=' + program.function] if kind == 'replaced' else []) + [driver, weak])
            try:
                linked, trace = program.link([weak, source[:-1] + 'o'], kind, trace=kind == 'replaced')
            except RuntimeError as problem:
                results.append((kind, 'wrong', 'link: ' + str(problem)))
                continue
            if kind == 'replaced' and not re.search(r'replaced\.o: definition of', trace):
                results.append((kind, 'wrong', 'the emitted definition is not used: ' + trace[:80]))
                continue
            second = output(linked)
            if second == first:
                results.append((kind, 'same', ' '.join(f'--size {k}={v}' for k, v in said.items())))
            else:
                differ = next(((a, b) for a, b in zip(first.split('\n'), second.split('\n')) if a != b), (first[:40], second[:40]))
                results.append((kind, 'wrong', f'prints {differ[1]!r}, original {differ[0]!r}'))
        states = dict((k, s) for k, s, _ in results)
        why = '; '.join(f'{k}: {w}' for k, _, w in results if w)
        if 'wrong' in states.values():
            return 'wrong', why
        if states['replaced'] == 'same':
            return 'replaced', why
        if states['beside'] == 'same':
            return 'beside', why
        return 'refused', why


def built(program, repo, folder, gcc, replaced=None, emitted_object=None):
    """The executable of a repository's own program; `replaced` is (file, function) whose definition the emitted object takes over."""
    import glob
    flags = [*gcc, *(f.replace('{repo}', repo).replace('{here}', harness.HERE) for f in program.get('flags', []))]
    sources = sorted({f for g in program['sources'] for f in glob.glob(os.path.join(repo, g))} - {f for g in program.get('exclude', []) for f in glob.glob(os.path.join(repo, g))})
    objects = []
    for source in sources:
        own = program.get('own', {}).get(os.path.relpath(source, repo), [])
        name = re.sub(r'[^A-Za-z0-9]', '_', os.path.relpath(source, repo)) + '.o'
        out, read = os.path.join(folder, name), source
        changed = replaced and os.path.samefile(source, replaced[0])
        more = []
        if changed:
            text = open(source, errors='replace').read()
            read = os.path.join(folder, 'replaced_' + os.path.basename(source))
            open(read, 'w').write(unstatic(text, replaced[1]))
            out, more = os.path.join(folder, 'replaced_' + name), ['-iquote', os.path.dirname(os.path.abspath(source))]
        if changed or not os.path.exists(out):
            made = sh(['gcc', '-std=gnu11', '-w', *flags, *own, *more, *C, '-fcommon', '-fgnu89-inline', '-ffunction-sections', '-c', read, '-o', out])
            if made.returncode:
                raise RuntimeError(next((l for l in made.stderr.splitlines() if 'error' in l), '?')[-200:])
            if changed:
                sh(['objcopy', '--weaken-symbol=' + replaced[1], out])
        objects.append(out)
    executable = os.path.join(folder, 'replaced' if replaced else 'original')
    trace = [f'-Wl,--trace-symbol={replaced[1]}', emitted_object] if replaced else []
    made = sh(['gcc', '-no-pie', *trace, *objects, '-o', executable, *program.get('libraries', []), '-lm'])
    if made.returncode:
        raise RuntimeError(next((l for l in made.stderr.splitlines() if 'undefined' in l or 'multiple' in l), made.stderr[-150:])[-200:])
    return executable, made.stderr + made.stdout


def printed(program, executable, folder):
    where = os.path.join(folder, 'run/x/y')
    os.makedirs(where, exist_ok=True)
    for name, text in program.get('inputs', {}).items():
        path = os.path.normpath(os.path.join(where, name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, 'w').write(text)
    ran = subprocess.run([executable, *program.get('args', [])], capture_output=True, text=True, errors='replace', input=program.get('stdin', ''), cwd=where, timeout=120)
    lines = [re.sub(program['mask'], '', l) if 'mask' in program else l for l in ran.stdout.splitlines() if not re.search(program.get('ignore', '^\\b$'), l)]
    files = [open(os.path.join(where, f), errors='replace').read() for f in program.get('files', [])]
    return [ran.returncode, *lines, *files]


def programs(arguments, points):
    """Functions in the repositories' own programs."""
    for line in open(arguments.programs):
        program = json.loads(line)
        repo = os.path.join(arguments.repos, program['repository'])
        folder = os.path.join(arguments.work or tempfile.mkdtemp(), program['name'])
        os.makedirs(folder, exist_ok=True)
        gcc = arguments.gcc.split()
        try:
            executable, _ = built(program, repo, folder, gcc)
            first = printed(program, executable, folder)
        except (RuntimeError, OSError, subprocess.TimeoutExpired) as problem:
            for number in program['numbers']:
                yield number, points[number]['function'], 'no program', f'{program["name"]}: {problem}'
            continue
        for number in program['numbers']:
            if arguments.numbers and number not in arguments.numbers:
                continue
            point = points[number]
            function, path = point.get('symbol', point['function']), os.path.join(arguments.repos, point['file'])
            status, answer, message, _ = harness.run([arguments.binary, 'gradient', path, '--routine', function, '--diagnostics', 'json', '--at', json.dumps(point['at']),
                                                      *(['--seed', json.dumps(point['seed'])] if point.get('seed') else [])])
            options = [] if status == 'ran' else [o.replace('{repo}', repo).replace('{here}', harness.HERE) for o in point.get('options', [])]
            options += [o.replace('{repo}', repo).replace('{here}', harness.HERE) for o in program.get('options', {}).get(str(number), [])]
            text, said = emitted(arguments, path, options, {**point, 'at': {**point['at'], **program.get('extents', {}).get(str(number), {})}}, ['--replace'])
            if text is None:
                yield number, function, 'refused', said
                continue
            source = os.path.join(folder, f'emitted_{number}.c')
            open(source, 'w').write(text)
            made = sh(['gcc', '-std=c99', '-Wall', '-Wextra', '-Werror', *C, '-c', source, '-o', source[:-1] + 'o'])
            try:
                if made.returncode:
                    raise RuntimeError('the emitted file: ' + next((l for l in made.stderr.splitlines() if 'error' in l), '?')[-150:])
                linked, trace = built(program, repo, folder, gcc, (path, function), source[:-1] + 'o')
                if f'emitted_{number}.o: definition of' not in trace:
                    raise RuntimeError('the emitted definition is not used')
                second = printed(program, linked, folder)
                control = os.path.join(folder, 'control.c')   # a function that ends the program: what is printed must change
                open(control, 'w').write(f'void abort(void);\nvoid {function}(void) {{ abort(); }}\n')
                sh(['gcc', '-w', '-c', control, '-o', control[:-1] + 'o'])
                called = printed(program, built(program, repo, folder, gcc, (path, function), control[:-1] + 'o')[0], folder) != first
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as problem:
                yield number, function, 'wrong', f'{program["name"]}: {problem}'
                continue
            size = ' '.join(f'--size {k}={v}' for k, v in said.items())
            if not called:
                yield number, function, 'not called', program['name']
            elif first == second:
                yield number, function, 'same', f'{program["name"]}: {len(first) - 1} lines {size}'
            else:
                differ = next(((a, b) for a, b in zip(first, second) if a != b), (len(first), len(second)))
                yield number, function, 'wrong', f'{program["name"]}: prints {str(differ[1])[:80]!r}, original {str(differ[0])[:80]!r} {size}'


def main():
    parser = argparse.ArgumentParser()
    for name in ('binary', 'repos', 'points', 'results'):
        parser.add_argument('--' + name, required=True)
    parser.add_argument('--work')
    parser.add_argument('--gcc', default='')
    parser.add_argument('--programs', help='the repositories\' own programs, a line of JSON each')
    parser.add_argument('numbers', nargs='*', type=int)
    arguments = parser.parse_args()
    counts = {}
    with open(arguments.results, 'w') as results:
        results.write('number\tfunction\tclass\treason\n')
        if arguments.programs:
            points = {p['number']: p for p in map(json.loads, open(arguments.points))}
            for number, function, kind, reason in programs(arguments, points):
                counts[kind] = counts.get(kind, 0) + 1
                results.write(f'{number}\t{function}\t{kind}\t{" ".join(reason.split())}\n')
                results.flush()
            print(' '.join(f'{k} {v}' for k, v in sorted(counts.items())))
            sys.exit(bool(counts.get('wrong')))
        for line in open(arguments.points):
            point = json.loads(line)
            if arguments.numbers and point['number'] not in arguments.numbers:
                continue
            try:
                kind, reason = one(point, arguments)
            except (RuntimeError, ValueError, OSError, KeyError, subprocess.TimeoutExpired) as problem:
                kind, reason = 'no driver', str(problem)
            counts[kind] = counts.get(kind, 0) + 1
            results.write(f'{point["number"]}\t{point["function"]}\t{kind}\t{" ".join(reason.split())}\n')
            results.flush()
    print(' '.join(f'{k} {v}' for k, v in sorted(counts.items())))
    sys.exit(bool(counts.get('wrong')))


if __name__ == '__main__':
    main()
