"""Draws mutants by folder, tests each, and prints the scores. See `run`."""

import hashlib
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from plant import CHOICE, alone, plant

ROOT = Path(sys.argv[1])
MOST = int(os.environ.get("CFGREV_MUTANTS", "25"))
SEED = os.environ.get("CFGREV_MUTANTS_SEED", "1")
JOBS = int(os.environ.get("CFGREV_MUTANTS_JOBS", "1"))
LINES = re.compile(os.environ.get("CFGREV_MUTANTS_LINES", ""))
OWN_ONLY = os.environ.get("CFGREV_MUTANTS_OWN", "") not in ("", "0")
OTHERS = os.environ.get("CFGREV_MUTANTS_OTHERS", "").split()
# What the workspace says of a mutant that no test of it sees; of some crates of it, others might.
MISSED = " ".join(["missed by", *OTHERS]) if OTHERS else "missed"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "mutants"
CONFIG = ROOT / ".cargo" / "mutants.toml"
TESTS = ["--lib", "--bins", "--tests"]
# A test may take so many times the processor time that it takes without a mutant, and some seconds.
PATIENCE, GRACE = 4, 20
# Threads that wait for each other take no processor time; by the clock a test may take so many times as long.
CLOCK = 20
# A mutant that asks for ever more memory is stopped here.
MEMORY = 6 << 30

# `near` are the packages whose tests count as the folder's own: its package first.
Mutant = namedtuple("Mutant", "number package near folder key mutant")
Binary = namedtuple("Binary", "package name path")


def folders(wanted):
    rows = []
    for line in (ROOT / "tests/mutants/folders.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            package, folder, *others = line.split()
            if not wanted or folder in wanted:
                rows.append((package, folder, (package, *others)))
    for folder in sorted(set(wanted) - {folder for _, folder, _ in rows}):
        package = Path(folder).parts[0]
        if not (ROOT / package / "Cargo.toml").is_file() or not (ROOT / folder).exists():
            sys.exit(f"there is no folder {folder} of a crate")
        rows.append((package, folder, (package,)))
    return rows


def listed(package):
    """All mutants of a package, in the order of the sources."""
    command = ["cargo", "mutants", "--list", "--json", "--config", str(CONFIG), "-p", package]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def inside(file, folder):
    """A folder has its own files and the file of its name beside it."""
    return file == folder or file == folder + ".rs" or file.startswith(folder + "/")


def lines(mutant):
    """The lines of a mutant's file that it changes."""
    all_ = (ROOT / mutant["file"]).read_text().splitlines()
    return "\n".join(all_[mutant["span"]["start"]["line"] - 1 : mutant["span"]["end"]["line"]])


def is_asked(mutant):
    """Of mutants by what is in their lines those are left out that replace a whole function, whatever is in it."""
    if not LINES.pattern:
        return True
    return mutant["genre"] != "FnValue" and LINES.search(lines(mutant).splitlines()[0]) is not None


def unseen():
    """The mutants of unseen.txt, as (file, what is replaced, the line in which it is)."""
    found, parts = {}, []
    for line in (ROOT / "tests/mutants/unseen.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        key, _, value = line.partition(": ")
        parts.append(value.strip())
        if key == "why":
            found[tuple(parts[:3])] = parts[3]
            parts = []
    return found


def identity(mutant):
    """A mutant without the numbers of its line and column, which other changes move."""
    what = mutant["name"].split(": ", 1)[1]
    return mutant["file"], what, lines(mutant).splitlines()[0].strip()


def sample(mutants, folder):
    excluded = unseen()
    mine = [m for m in mutants if inside(m["file"], folder) and is_asked(m) and identity(m) not in excluded]
    random.Random(f"{SEED} {folder}").shuffle(mine)
    return mine[:MOST], len(mine)


def state(near, mutant):
    """Changes when the mutant's file or the tests of the packages near it do."""
    digest = hashlib.sha256(json.dumps([mutant["name"], mutant["diff"]]).encode())
    tests = [path for package in near for path in sorted((ROOT / package / "tests").rglob("*.rs"))]
    for path in [ROOT / mutant["file"], *tests]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def watched(process, seconds):
    """Ends a process that takes too much memory, or too long. A limit of its address space would end compiled C with sanitizers."""
    page = resource.getpagesize()
    end = time.monotonic() + CLOCK * seconds
    while process.poll() is None:
        try:
            resident = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * page
            if resident > MEMORY or time.monotonic() > end:
                return os.killpg(process.pid, signal.SIGKILL)
        except (OSError, IndexError):
            # It has ended.
            return
        time.sleep(0.2)


class Tree:
    """A copy of the sources in which mutants are made."""

    def __init__(self):
        self.tree = TARGET / "tree"
        self.tree.mkdir(parents=True, exist_ok=True)
        self.scope = []
        if not OWN_ONLY:
            self.scope = [word for package in OTHERS for word in ("-p", package)] or ["--workspace"]
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        self.names = {n for n in names.decode().split("\0") if n and (ROOT / n).is_file()}

    def restore(self, but):
        """The sources as they are, but for some files whose text is given."""
        for old in [p for p in self.tree.rglob("*") if p.is_file()]:
            if str(old.relative_to(self.tree)) not in self.names:
                old.unlink()
        for name in self.names:
            self.put(name, but[name].encode() if name in but else (ROOT / name).read_bytes())
            (self.tree / name).chmod((ROOT / name).stat().st_mode)

    def put(self, name, content):
        """Files that stay as they are keep their times, so that little is built again."""
        path = self.tree / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def cargo(self, arguments):
        """The messages of a run of cargo, and whether it ended well."""
        environment = dict(os.environ)
        environment.update(CARGO_TARGET_DIR=str(TARGET / "build"), RUSTFLAGS="--cap-lints warn")
        command = ["cargo", *arguments, "--locked", "--quiet", "--message-format=json"]
        with open(TARGET / "log", "wb") as log:
            done = subprocess.run(command, cwd=self.tree, env=environment, stdout=subprocess.PIPE, stderr=log)
        messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
        return done.returncode == 0, messages

    def build(self, packages):
        """The test binaries of the packages, or of the workspace too; none if they do not compile."""
        own = [word for package in packages for word in ("-p", package)]
        scope = self.scope if self.scope == ["--workspace"] else [*own, *self.scope]
        good, messages = self.cargo(["test", *scope, *TESTS, "--no-run"])
        if not good:
            return None
        return [
            Binary(Path(m["manifest_path"]).parent.name, m["target"]["name"], m["executable"])
            for m in messages
            if m["reason"] == "compiler-artifact" and m["executable"] and m["profile"]["test"]
        ]

    def run(self, binary, number, seconds):
        """True if all tests of a binary pass with a mutant; ended with the first one that does not."""
        package = self.tree / binary.package
        environment = dict(os.environ)
        environment.update(CARGO_MANIFEST_DIR=str(package), CFGREV_SHRINK="0", CFGREV_PLANTED=str(number))
        environment["CFGREV_CASES"] = os.environ.get("CFGREV_MUTANTS_CASES", "400")
        environment["CARGO_TARGET_DIR"] = str(TARGET / "build")

        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

        process = subprocess.Popen(
            [binary.path], cwd=package, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            preexec_fn=limit, start_new_session=True,
        )  # fmt: skip
        watch = threading.Thread(target=watched, args=(process, seconds), daemon=True)
        watch.start()
        failed = False
        self.said = b""
        for line in process.stdout:
            self.said = line.strip() or self.said
            if line.startswith(b"test ") and line.rstrip().endswith(b"FAILED"):
                failed = True
                os.killpg(process.pid, signal.SIGKILL)
                break
        process.stdout.close()
        failed |= process.wait() != 0
        watch.join()
        return not failed


def planted(tree, drawn):
    """Plants what can be; the binaries, the numbers that do not compile, and those that are to be made alone."""
    packages = sorted({m.package for m in drawn})
    unviable, apart = set(), set()
    while True:
        texts, ranges = {}, {}
        for name in sorted({m.mutant["file"] for m in drawn}):
            here = [m for m in drawn if m.mutant["file"] == name and m.number not in unviable | apart]
            texts[name], ranges[name], left = plant((ROOT / name).read_text(), [(m.number, m.mutant) for m in here])
            apart |= set(left)
        for package in packages:
            lib = f"{package}/src/lib.rs"
            texts[lib] = texts.get(lib, (ROOT / lib).read_text()) + CHOICE
        tree.restore(texts)
        again = False
        for package in packages:
            good, messages = tree.cargo(["check", "-p", package, "--lib"])
            if good:
                continue
            dropped = set()
            for message in messages:
                if message["reason"] != "compiler-message" or message["message"]["level"] != "error":
                    continue
                for place in message["message"]["spans"]:
                    if not place["is_primary"]:
                        continue
                    # What a macro makes is where the macro is used.
                    while place["expansion"] is not None:
                        place = place["expansion"]["span"]
                    found = [
                        numbers
                        for first, last, numbers in ranges.get(place["file_name"], [])
                        if first <= place["line_start"] <= last
                    ]
                    if found:
                        # An error in the arm of a mutant is that mutant's; elsewhere in the body it may be any one's.
                        (unviable if len(found[0]) == 1 and len(found) > 1 else apart).update(found[0])
                        dropped.update(found[0])
            if not dropped:
                sys.exit(f"{package} does not compile, and no mutant is the reason: see {TARGET / 'log'}")
            again = True
            print(f"  {package}: {len(dropped)} do not compile beside the others", flush=True)
        if not again:
            break
    apart -= unviable
    binaries = tree.build(sorted({package for m in drawn for package in m.near}))
    if binaries is None:
        sys.exit(f"the tests do not compile with the mutants: see {TARGET / 'log'}")
    return binaries, unviable, apart


class Judge:
    """Runs the tests of binaries that were built together, and knows how long each takes without a mutant."""

    def __init__(self, tree, binaries, fixed=None):
        """`fixed` seconds for each binary, where nothing runs without the mutant."""
        self.tree = tree
        self.binaries = binaries
        self.fixed = fixed
        self.times = {}

    def patience(self, binary):
        if self.fixed is not None:
            return self.fixed
        if binary not in self.times:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            if not self.tree.run(binary, 0, 3600):
                said = self.tree.said.decode(errors="replace")
                sys.exit(f"{binary.package} {binary.name}: tests fail without a mutant; last was: {said}")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.times[binary] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return int(PATIENCE * self.times[binary]) + GRACE

    def own(self, near):
        return [b for b in self.binaries if b.package in near]

    def others(self, near):
        """The binaries of the workspace, or of what was chosen from it, but for those of some packages."""
        chosen = lambda b: not OTHERS or b.package in OTHERS
        return [] if OWN_ONLY else [b for b in self.binaries if b.package not in near and chosen(b)]

    def measure(self, nears):
        """Times all binaries that mutants near these packages may need, one after the other."""
        needed = {b for near in nears for b in self.own(near) + self.others(near)}
        for binary in sorted(needed):
            self.patience(binary)

    def passes(self, binaries, number):
        # The quick ones first: most mutants are seen by them.
        limits = {binary: self.patience(binary) for binary in binaries}
        return all(self.tree.run(b, number, limits[b]) for b in sorted(binaries, key=lambda b: (limits[b], b)))

    def judge(self, near, number, survived=False):
        """What the tests near by say, unless it is known that the mutant `survived` them, and what the workspace's."""
        if not survived and not self.passes(self.own(near), number):
            return "caught", "caught"
        if OWN_ONLY:
            return "missed", "-"
        return "missed", MISSED if self.passes(self.others(near), number) else "caught"


def apart(tree, mutant, survived):
    """Makes one mutant alone; it may be known that it `survived` the tests of its crate."""
    name = mutant.mutant["file"]
    tree.restore({name: alone((ROOT / name).read_text(), mutant.mutant)})
    if not tree.cargo(["check", "-p", mutant.package, "--lib"])[0]:
        return "unviable", "unviable"
    binaries = tree.build(mutant.near)
    if binaries is None:
        return "unviable", "unviable"
    return Judge(tree, binaries, fixed=1200).judge(mutant.near, 0, survived)


def known(path):
    if not path.exists():
        return {}
    rows = (line.split("\t") for line in path.read_text().splitlines())
    return {row[0]: tuple(row[1:3]) for row in rows if len(row) >= 4}


def score(rows, column):
    judged = [r[column] for r in rows if r[column].startswith(("caught", "missed"))]
    caught = judged.count("caught")
    return f"{caught}/{len(judged)} ({100 * caught / len(judged):.0f} %)" if judged else "-"


def main():
    (TARGET / SEED).mkdir(parents=True, exist_ok=True)
    lists, counts, drawn = {}, {}, []
    rows = folders(sys.argv[2:])
    for package, folder, near in rows:
        if package not in lists:
            lists[package] = listed(package)
        mutants, counts[folder] = sample(lists[package], folder)
        for mutant in mutants:
            drawn.append(Mutant(len(drawn) + 1, package, near, folder, state(near, mutant), mutant))
    store = lambda folder: TARGET / SEED / (folder.replace("/", "-") + ".tsv")
    results = {m.number: known(store(m.folder)).get(m.key) for m in drawn}

    def is_open(result):
        if result is None:
            return True
        return not OWN_ONLY and result[1] not in ("caught", "missed", "unviable", MISSED)

    open_ = [m for m in drawn if is_open(results[m.number])]

    def found(mutant, result):
        results[mutant.number] = result
        with open(store(mutant.folder), "a") as file:
            file.write("\t".join([mutant.key, *result, mutant.mutant["name"]]) + "\n")
        if result[0] == "missed":
            name = mutant.mutant["name"]
            print(f"  survives {mutant.package}, workspace {result[1]}: {name}", flush=True)

    if open_:
        tree, started = Tree(), time.time()
        # All are planted, those that are known too: so a run that goes on builds nothing again.
        binaries, unviable, left = planted(tree, drawn)
        print(f"{len(drawn)} mutants, {len(left)} to be made alone; built in {time.time() - started:.0f} s", flush=True)
        judge = Judge(tree, binaries)
        survived = {m.number for m in open_ if results[m.number] is not None}
        together = [m for m in open_ if m.number not in left | unviable]
        for mutant in open_:
            if mutant.number in unviable:
                found(mutant, ("unviable", "unviable"))
        judge.measure({m.near for m in together})
        one = lambda m: (m, judge.judge(m.near, m.number, m.number in survived))
        with ThreadPoolExecutor(JOBS) as pool:
            for mutant, result in pool.map(one, together):
                found(mutant, result)
        for mutant in open_:
            if mutant.number in left:
                found(mutant, apart(tree, mutant, mutant.number in survived))
    for _, folder, _ in rows:
        mine = [results[m.number] for m in drawn if m.folder == folder]
        print(
            f"{folder}: {len(mine)} of {counts[folder]} mutants, {sum(r[0] == 'unviable' for r in mine)} do not compile; "
            f"own tests {score(mine, 0)}, workspace {score(mine, 1)}"
        )
    everything = list(results.values())
    print(f"all: own tests {score(everything, 0)}, workspace {score(everything, 1)}; seed {SEED}")


main()
