"""Draws mutants by folder, tests each, and prints the scores. See `run`."""

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
MOST = int(os.environ.get("CFGREV_MUTANTS", "25"))
SEED = os.environ.get("CFGREV_MUTANTS_SEED", "1")
OWN_ONLY = os.environ.get("CFGREV_MUTANTS_OWN", "") not in ("", "0")
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "mutants"
CONFIG = ROOT / ".cargo" / "mutants.toml"
TESTS = ["--lib", "--bins", "--tests"]


def folders(wanted):
    rows = []
    for line in (ROOT / "tests/mutants/folders.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            package, folder = line.split()
            if not wanted or folder in wanted:
                rows.append((package, folder))
    unknown = set(wanted) - {folder for _, folder in rows}
    if unknown:
        sys.exit(f"folders.txt has no {', '.join(sorted(unknown))}")
    return rows


def listed(package):
    """All mutants of a package, in the order of the sources."""
    command = ["cargo", "mutants", "--list", "--json", "--config", str(CONFIG), "-p", package]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def inside(file, folder):
    """A folder has its own files and the file of its name beside it."""
    return file == folder or file == folder + ".rs" or file.startswith(folder + "/")


def sample(mutants, folder):
    mine = [m for m in mutants if inside(m["file"], folder)]
    random.Random(f"{SEED} {folder}").shuffle(mine)
    return mine[:MOST], len(mine)


def state(package, mutant):
    """Changes when the mutant's file or the tests of its crate do."""
    digest = hashlib.sha256(json.dumps([mutant["name"], mutant["diff"]]).encode())
    tests = ROOT / package / "tests"
    for path in [ROOT / mutant["file"], *sorted(tests.rglob("*.rs"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


class Tree:
    """A copy of the sources in which one mutant at a time is made."""

    def __init__(self):
        self.tree = TARGET / "tree"
        self.tree.mkdir(parents=True, exist_ok=True)
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        names = {n for n in names.decode().split("\0") if n and (ROOT / n).is_file()}
        for old in [p for p in self.tree.rglob("*") if p.is_file()]:
            if str(old.relative_to(self.tree)) not in names:
                old.unlink()
        for name in names:
            self.put(name, (ROOT / name).read_bytes())
            (self.tree / name).chmod((ROOT / name).stat().st_mode)

    def put(self, name, content):
        """Files that stay as they are keep their times, so that little is built again."""
        path = self.tree / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def cargo(self, arguments, seconds):
        environment = dict(os.environ)
        environment.update(CARGO_TARGET_DIR=str(TARGET / "build"), CFGREV_SHRINK="0")
        environment["CFGREV_CASES"] = os.environ.get("CFGREV_MUTANTS_CASES", "400")
        command = ["timeout", "--kill-after=10", str(seconds), "cargo", "test", "--locked", "--quiet", *arguments]
        with open(TARGET / "log", "wb") as log:
            return subprocess.run(command, cwd=self.tree, env=environment, stdout=log, stderr=log).returncode

    def attempt(self, scope, patience):
        """`unviable`, `caught` or `missed`. A test that does not end has noticed."""
        built = self.cargo([*scope, *TESTS, "--no-run"], 3600)
        if built != 0:
            return "unviable"
        return "missed" if self.cargo([*scope, *TESTS], patience) == 0 else "caught"

    def mutate(self, mutant):
        """Makes the mutant; gives back what takes it away again."""
        name = mutant["file"]
        original = (ROOT / name).read_text()
        lines = original.splitlines(keepends=True)
        offset = lambda at: sum(map(len, lines[: at["line"] - 1])) + at["column"] - 1
        span = mutant["span"]
        start, end = offset(span["start"]), offset(span["end"])
        self.put(name, (original[:start] + mutant["replacement"] + original[end:]).encode())
        return lambda: self.put(name, original.encode())


def known(path):
    if not path.exists():
        return {}
    rows = (line.split("\t") for line in path.read_text().splitlines())
    return {row[0]: row[1:3] for row in rows if len(row) >= 4}


def one(tree, package, mutant):
    patience = int(os.environ.get("CFGREV_MUTANTS_TIMEOUT", "1200"))
    undo = tree.mutate(mutant)
    try:
        own = tree.attempt(["-p", package], patience)
        if own != "missed":
            return own, own
        return own, "-" if OWN_ONLY else tree.attempt(["--workspace"], 3 * patience)
    finally:
        undo()


def score(rows, column):
    judged = [r[column] for r in rows if r[column] in ("caught", "missed")]
    caught = judged.count("caught")
    return f"{caught}/{len(judged)} ({100 * caught / len(judged):.0f} %)" if judged else "-"


def main():
    (TARGET / SEED).mkdir(parents=True, exist_ok=True)
    tree, lists, everything = Tree(), {}, []
    for package, folder in folders(sys.argv[2:]):
        if package not in lists:
            lists[package] = listed(package)
            if tree.attempt(["-p", package], 3600) != "missed":
                sys.exit(f"the tests of {package} fail without any fault: see {TARGET / 'log'}")
        drawn, all_ = sample(lists[package], folder)
        path = TARGET / SEED / (folder.replace("/", "-") + ".tsv")
        done, rows = known(path), []
        for mutant in drawn:
            key = state(package, mutant)
            result = done.get(key)
            if result is None or (result[1] == "-" and not OWN_ONLY):
                result = one(tree, package, mutant)
                with open(path, "a") as file:
                    file.write("\t".join([key, *result, mutant["name"]]) + "\n")
            rows.append(result)
            if result[0] == "missed":
                print(f"  survives {package}, workspace {result[1]}: {mutant['name']}", flush=True)
        everything += rows
        unviable = sum(r[0] == "unviable" for r in rows)
        print(
            f"{folder}: {len(rows)} of {all_} mutants, {unviable} do not compile; own tests {score(rows, 0)}, "
            f"workspace {score(rows, 1)}",
            flush=True,
        )
    print(f"all: own tests {score(everything, 0)}, workspace {score(everything, 1)}; seed {SEED}")


main()
