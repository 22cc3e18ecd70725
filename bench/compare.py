#!/usr/bin/env python3
"""taut beside other engines, in one table: docs/COMPARISON.md.

    python3 bench/compare.py [--taut target/release/taut] [--scenes A,B] [--engines taut,mujoco] [--minutes 30]
    python3 bench/compare.py --page                      # writes the page of the results that there are; measures nothing

Installs the others into target/compare (MuJoCo, PyBullet and Drake with pip, Rapier with npm, ODE from Debian's packages with
a small program around it), runs every scene of bench/compare/scenes.py in each, three times with different settings, and
writes the page. Results are kept in bench/compare/results.json, each with the commit and the machine it was measured at: with
--scenes or --engines only those are run anew, and the page has the others as they were. A test compares page and results. What does
not install is said, and keeps its results. Nothing else on the machine is changed.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "bench" / "compare"
RESULTS = HERE / "results.json"
ENGINES = ["taut", "rapier", "mujoco", "bullet", "ode", "drake"]
TITLES = {"taut": "taut", "rapier": "Rapier", "mujoco": "MuJoCo", "bullet": "Bullet", "ode": "ODE", "drake": "Drake"}
PACKAGES = {"mujoco": "mujoco==4.0.0", "bullet": "pybullet==3.2.7", "drake": "drake==1.51.1"}
RAPIER = "@dimforge/rapier3d-compat@0.21.0"
# The step that each takes if it is not told, or the nearest that divides a frame: MuJoCo has 2 ms, Drake 1 ms. ODE has none;
# its examples take 10 ms.
OWN_STEP = {"taut": 1 / 60, "rapier": 1 / 60, "mujoco": 1 / 480, "bullet": 1 / 240, "ode": 1 / 120, "drake": 1 / 1020}
# Most steps in a frame where equal time is given: beyond that a run would take longer than this page may.
MOST_STEPS = 64
LARGE = {"boxes": 6, "ragdolls": 6}
# Times of a frame below that are lost in the ticks of the clock, ms.
LEAST_MS = 0.01
# A run may take this much of the processor, in s: all of them together then stay below half an hour on two cores.
MOST_CPU = 60


def folder():
    target = os.environ.get("CARGO_TARGET_DIR")
    return (pathlib.Path(target) if target else ROOT / "target") / "compare"


def command(line, **more):
    return subprocess.run([str(word) for word in line], capture_output=True, text=True, **more)


def install(engine, home):
    """Empty, or why it could not be installed."""
    python = home / "venv" / "bin" / "python"
    if engine in PACKAGES or engine == "judge":
        done = command([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", PACKAGES.get(engine, PACKAGES["mujoco"])])
        return done.stderr.strip().splitlines()[-1] if done.returncode else ""
    if engine == "rapier":
        if not shutil.which("npm"):
            return "Node.js is missing"
        done = command(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", home, RAPIER])
        return done.stderr.strip().splitlines()[-1] if done.returncode else ""
    if engine == "ode":
        return install_ode(home)
    return ""


def install_ode(home):
    if (home / "ode").exists():
        return ""
    if not shutil.which("apt-get"):
        return "no apt-get to fetch libode8 and libode-dev with"
    place = home / "debian"
    place.mkdir(exist_ok=True)
    done = command(["apt-get", "download", "libode8", "libode-dev", "libccd2"], cwd=place)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    for package in place.glob("*.deb"):
        command(["dpkg", "-x", package, place])
    libraries = next(place.glob("usr/lib/*-linux-gnu"))
    line = ["c++", "-O2", "-I", place / "usr/include", HERE / "ode.cpp", "-o", home / "ode"]
    line += [libraries / "libode.so.8", libraries / "libccd.so.2", f"-Wl,--disable-new-dtags,-rpath,{libraries}"]
    done = command(line)
    version = next(place.glob("libode8_*.deb")).name.split("_")[1].replace("%3a", ":")
    (home / "ode.version").write_text(version.split(":")[-1].split("-")[0])
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""


def prepare(engines):
    home = folder()
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "venv").exists():
        subprocess.run([sys.executable, "-m", "venv", str(home / "venv")], check=True)
    missing = {}
    for engine in ["judge", *engines]:
        reason = install(engine, home)
        if reason:
            missing[engine] = reason
    if "judge" in missing:
        sys.exit(f"the judge of overlaps needs MuJoCo's collision detection: {missing['judge']}")
    return home, missing


def worker(question):
    """In the environment with the engines: one run, measured."""
    sys.path.insert(0, str(HERE))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU, MOST_CPU))
    # Some print greetings, which are not the answer.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import importlib

    import numpy

    from judge import measure
    from scenes import SCENES

    name, engine, mode, place = question["scene"], question["engine"], question["mode"], question["place"]
    scene = SCENES[name]()
    every = LARGE.get(name, 1)
    reference = None
    if name == "arm":
        import engine_mujoco

        # Its own steps of 0.1 ms, which agree with those of 0.05 ms to a micrometre.
        fine = engine_mujoco.run(scene, {"h": 1 / 60 / 167, "tuned": False}, 1, "")
        reference = numpy.array(fine["samples"])[:, -1, :3]
    module = importlib.import_module(f"engine_{engine}")
    found = module.run(scene, mode, every, place)
    figures = measure(name, scene, found["samples"], reference)
    json.dump({"cpu_ms": found["cpu_ms"], "figures": figures, "note": found["note"], "version": module.version(place)}, answer)
    answer.flush()


def one(name, engine, mode, home, taut, limit):
    place = str(taut) if engine == "taut" else str(home)
    question = json.dumps({"scene": name, "engine": engine, "mode": mode, "place": place})
    single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = command([home / "venv/bin/python", __file__, "--worker", question], timeout=limit, cwd=home, env=os.environ | single)
    except subprocess.TimeoutExpired:
        return {"failed": "not done in time"}
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {"failed": f"not done in {MOST_CPU} s of the processor"}
    if done.returncode < 0:
        return {"failed": f"crashed (signal {-done.returncode})"}
    if done.returncode:
        return {"failed": complaint(done.stderr)}
    return json.loads(done.stdout)


def complaint(said):
    """The error that ended a run, in a line; some go on with advice for many."""
    lines = [line.strip() for line in said.strip().splitlines()] or ["died"]
    named = [line for line in lines if re.match(r"[\w.]*(Error|Exception|error)\b", line)]
    return (named or lines)[-1][:90]


def modes(name, engine, first):
    """What is run: at its own defaults, at the step of the others, tuned with the time that taut takes."""
    yield "defaults", {"h": OWN_STEP[engine], "tuned": False}
    if engine == "taut":
        return
    if OWN_STEP[engine] != 1 / 60:
        yield "1/60 s", {"h": 1 / 60, "tuned": False}
    yield "tuned, 1/60 s", {"h": 1 / 60, "tuned": True} | extra(name, engine)
    # Minutes of the processor on the large ones.
    if name not in LARGE:
        yield "tuned, 1/960 s", {"h": 1 / 960, "tuned": True} | extra(name, engine)
    # The heaviest load, for those that do not stretch a chain: whether it is the step that fails them.
    if name == "chain-50000" and engine in ("mujoco", "bullet", "drake"):
        yield "tuned, 1/3840 s", {"h": 1 / 3840, "tuned": True}
    # A step's time is that of a frame of many: one of few is lost in the ticks of the clock, and has what a frame costs besides.
    fine, coarse = (first.get((name, engine, f"tuned, 1/{n} s"), {}).get("cpu_ms") for n in (960, 60))
    tuned = fine / 16 if fine else coarse
    ours = first.get((name, "taut", "defaults"), {}).get("cpu_ms")
    if tuned and ours:
        steps = min(MOST_STEPS, round(ours / tuned))
        if steps >= 2:
            yield "tuned, equal time", {"h": 1 / 60 / steps, "tuned": True, "steps": steps} | extra(name, engine)


def extra(name, engine):
    """Settings that suit some scenes and not others, each tried and the better taken."""
    if engine == "rapier" and name in ("chain-100", "chain-2000", "chain-50000"):
        return {"multibody": True, "iterations": 4}
    if engine == "drake" and name == "capstan":
        return {"points": True}
    if engine == "ode" and name in ("boxes", "ragdolls"):
        return {"quick": True}
    return {}


def number(value):
    if value is True:
        return "yes"
    if value == 0:
        return "0"
    return f"{value:.2g}" if abs(value) < 1e-2 or abs(value) >= 1e4 else f"{value:.3g}"


def table(name, runs, engines):
    columns = []
    for (scene, _, _), run in runs.items():
        if scene == name:
            columns += [c for c in run.get("figures", {}) if c not in columns and c != "exploded"]
    lines = ["| engine | settings | step ms | " + " | ".join(columns) + " | CPU ms per frame |", "|---" * (len(columns) + 4) + "|"]
    for engine in engines:
        if not any(k[:2] == (name, engine) for k in runs):
            lines.append(f"| {TITLES[engine]} | not measured | |" + " |" * (len(columns) + 1))
        for (scene, who, label), run in runs.items():
            if (scene, who) != (name, engine):
                continue
            if "failed" in run:
                lines.append(f"| {TITLES[engine]} | {label} | | {run['failed']} |" + " |" * len(columns))
                continue
            step = number(1e3 * run["mode"]["h"])
            if run["figures"].get("exploded") or "unstable" in run["note"]:
                cells = ["unstable"] + [""] * (len(columns) - 1)
            else:
                cells = [number(run["figures"][c]) for c in columns]
            note = f" ({run['note']})" if run["note"].startswith("exit") else ""
            # What a row is, not what it was meant to be: its time stands at its end.
            label = label.replace("equal time", f"{run['mode'].get('steps')} steps")
            spent = number(run["cpu_ms"]) if run["cpu_ms"] >= LEAST_MS else f"below {LEAST_MS}"
            lines.append(f"| {TITLES[engine]} | {label}{note} | {step} | " + " | ".join(cells) + f" | {spent} |")
    return "\n".join(lines)


def here_and_now():
    """Where and when a run is measured."""
    commit = command(["git", "-C", ROOT, "rev-parse", "--short=8", "HEAD"]).stdout.strip()
    cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.processor())
    return f"commit {commit} ({datetime.date.today()}), {cpu}"


def stamp(runs, engines):
    """Versions, and where which runs were measured: those of most runs first, others by name."""
    places = {}
    for (scene, engine, _), run in runs.items():
        named = places.setdefault(run["at"], {}).setdefault(engine, [])
        if scene not in named:
            named.append(scene)
    first, *rest = sorted(places, key=lambda at: -sum(len(names) for names in places[at].values()))
    says = f"Measured at {first}, one thread"
    for at in rest:
        who = "; ".join(f"{TITLES[e]} on {', '.join(f'`{s}`' for s in places[at][e])}" for e in engines if e in places[at])
        says += f"; at {at}: {who}"
    versions = {e: next((r["version"] for k, r in runs.items() if k[1] == e and "version" in r), None) for e in engines}
    return says + ". " + ", ".join(f"{TITLES[e]} {v}" for e, v in versions.items() if v) + "."


def page(runs):
    sys.path.insert(0, str(HERE))
    from scenes import HARD, SCENES

    engines = [e for e in ENGINES if any(k[1] == e for k in runs)]
    text = (HERE / "head.md").read_text().replace("{{stamp}}", stamp(runs, engines))
    for title, chosen in (("Hard scenes", HARD), ("Ordinary scenes", [s for s in SCENES if s not in HARD])):
        text += f"\n## {title}\n"
        for name in chosen:
            if any(k[0] == name for k in runs):
                says = " ".join((SCENES[name].__doc__ or SAYS[name]).split())
                text += f"\n### {name}\n\n{says}\n\n{table(name, runs, engines)}\n"
    return text


def kept():
    """Results by scene, engine and settings, in the order of the page."""
    sys.path.insert(0, str(HERE))
    from scenes import SCENES

    runs = {tuple(k): v for k, v in json.loads(RESULTS.read_text())} if RESULTS.exists() else {}
    order = lambda key: (list(SCENES).index(key[0]), ENGINES.index(key[1]))
    return {key: runs[key] for key in sorted(runs, key=order)}


def keep(runs):
    """A run a line, so that changes can be read."""
    lines = ",\n".join(json.dumps([k, v]) for k, v in runs.items())
    RESULTS.write_text(f"[\n{lines}\n]\n")


def rounded(run):
    """More digits than the page has would be noise."""
    short = lambda v: float(f"{v:.6g}") if isinstance(v, float) else v
    figures = {k: short(v) for k, v in run.get("figures", {}).items()}
    return run | ({"figures": figures, "cpu_ms": short(run["cpu_ms"])} if "figures" in run else {})


SAYS = {
    "chain-100": "20 links of 1 kg and 0.5 m with 100 kg at the end start horizontally and swing for 5 s. Energy is in shares of what the load has to fall.",
    "chain-2000": "The same with 2,000 kg.",
    "chain-50000": "The same with 50,000 kg.",
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--taut", type=pathlib.Path, default=ROOT / "target/release/taut")
    parser.add_argument("--scenes", default="")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/COMPARISON.md")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--worker")
    args = parser.parse_args()
    if args.worker:
        return worker(json.loads(args.worker))
    runs = kept()
    if not args.page:
        runs = measure(args, runs)
    args.out.write_text(page(runs))


def measure(args, runs):
    """Runs what was asked for anew."""
    from scenes import SCENES

    began = time.time()
    engines = args.engines.split(",")
    home, missing = prepare([e for e in engines if e != "taut"])
    for engine, reason in missing.items():
        print(f"{TITLES[engine]} could not be installed: {reason}")
    engines = [e for e in engines if e not in missing]
    at = here_and_now()
    chosen = args.scenes.split(",") if args.scenes else list(SCENES)
    runs = {k: v for k, v in runs.items() if not (k[0] in chosen and k[1] in engines)}
    for name in chosen:
        for engine in engines:
            for label, mode in modes(name, engine, runs):
                left = 60 * args.minutes - (time.time() - began)
                run = one(name, engine, mode, home, args.taut.resolve(), max(5, left))
                runs[name, engine, label] = rounded(run) | {"mode": mode, "at": at}
                print(name, engine, label, json.dumps({k: v for k, v in run.items() if k != "version"}), f"{time.time() - began:.0f} s", flush=True)
                keep(runs)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{(used.ru_utime + used.ru_stime) / 60:.1f} minutes of the processor")
    keep(runs)
    return kept()


if __name__ == "__main__":
    main()
