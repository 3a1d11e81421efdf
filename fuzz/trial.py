"""Runs a command on a file that may do harm, and says how it ended.

It ends well with a status of the table (docs/cli.md) other than the one of a bug, within the time and the memory that a file of its size may
take. Time counts on the processor, so a busy machine changes no verdict; wall time only stops what waits for ever.
"""
import collections
import os
import resource
import signal
import subprocess
import threading

GOOD = {0, 1, 2, 3, 4, 5, 6}
SECONDS, WALL, MEMORY = 20, 240, 3 << 30
Outcome = collections.namedtuple("Outcome", "good why status seconds memory output")


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (2 * SECONDS, 2 * SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


def trial(command, folder):
    child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limit)
    kept = []

    def drain():
        size = 0
        for part in iter(lambda: child.stdout.read(65536), b""):
            size += len(part)
            if size < 1 << 20:
                kept.append(part)
    reader = threading.Thread(target=drain)
    reader.start()
    late = threading.Event()
    timer = threading.Timer(WALL, lambda: (late.set(), os.kill(child.pid, signal.SIGKILL)))
    timer.start()
    _, status, used = os.wait4(child.pid, 0)
    timer.cancel()
    child.returncode = 0
    reader.join()
    child.stdout.close()
    code = os.waitstatus_to_exitcode(status)
    seconds, memory = used.ru_utime + used.ru_stime, used.ru_maxrss << 10
    why = (f"no end within {WALL} s" if late.is_set() else f"signal {-code}" if code < 0 else f"status {code}" if code not in GOOD else
           f"{seconds:.0f} s of processor time" if seconds > SECONDS else f"{memory >> 20} MiB of memory" if memory > MEMORY else "")
    return Outcome(not why, why, code, seconds, memory, b"".join(kept).decode("utf-8", "replace"))


def commands(mechane, name):
    """What is done with a file, by its suffix."""
    if name.endswith((".usda", ".usdc", ".usd", ".usdz")):
        return {"info": [mechane, "info", name], "cat": [mechane, "cat", name], "check": [mechane, "check", name],
                "fix": [mechane, "fix", name, "--diff"], "sim": [mechane, "sim", name, "--frames", "3", "-o", "/dev/null"]}
    if name.endswith((".urdf", ".xacro", ".xml", ".mjcf", ".sdf")):
        return {"info": [mechane, "info", name], "convert": [mechane, "convert", name, "-o", "converted"], "check": [mechane, "check", name],
                "sim": [mechane, "sim", name, "--frames", "3", "-o", "/dev/null"]}
    if name.startswith("body."):  # a mesh, by the robot that names it
        opened = {} if name.endswith((".gltf", ".glb")) else {"part": [mechane, "convert", name, "-o", "converted"]}
        return {"mesh": [mechane, "convert", f"mesh_{name.rsplit('.', 1)[1]}.urdf", "-o", "converted"],
                "repair": [mechane, "mesh", name, "--repair", "-o", "repaired.usda"], **opened}
    if name.endswith(".mrec"):
        return {"replay": [mechane, "replay", name, "--verify", "-o", "out.usda", "-o", "out.csv"]}
    if name.endswith(".mchk"):
        return {"resume": [mechane, "sim", "seed.usda", "--frames", "2", "--resume", name]}
    if name.endswith(".toml"):
        return {"config": [mechane, "check", "seed.usda", "--config", name]}
    if name.endswith(".csv"):
        return {"control": [mechane, "sim", "seed.usda", "--frames", "3", "--control", name]}
    if name.endswith(".png"):
        return {"texture": [mechane, "check", "textured.usda"], "import": [mechane, "sim", "textured.usda", "--frames", "1"]}
    return {}
