#!/usr/bin/env python3
"""Runs the collision benchmarks of this project and of its peers in alternation and prints one table of ratios.

usage: collide_peers.py FOLDER [--rounds N] [--scenes]     FOLDER holds bench_collide_ours and any of bench_collide_{coal,fcl,bullet};
for --scenes bench_collide_scenes_{ours,bullet}

Every program prints, for each pair of shapes, the processor time of one call [ns], how many of 4000 poses touch, and their mean deepest
distance [m]. The table gives the least of the rounds, which other programs on the machine disturb least; a ratio below 1 means that ours is faster.
"""
import argparse
import pathlib
import subprocess

NAMES = ["ours", "coal", "fcl", "bullet"]


def once(program):
    lines = subprocess.run([program], capture_output=True, text=True, check=True, timeout=600).stdout.splitlines()
    return {name: (float(ns), int(touching), float(mean)) for name, ns, touching, mean in ((line + ",0").split(",")[:4] for line in lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scenes", action="store_true", help="many shapes (a terrain, moving boxes) instead of pairs")
    arguments = parser.parse_args()
    stem = "bench_collide_scenes_" if arguments.scenes else "bench_collide_"
    programs = {name: arguments.folder / f"{stem}{name}" for name in NAMES}
    programs = {name: path for name, path in programs.items() if path.exists()}
    runs = {name: [] for name in programs}
    for _ in range(arguments.rounds):
        for name, path in programs.items():
            runs[name].append(once(path))
    peers = [name for name in programs if name != "ours"]
    if arguments.scenes:
        print("| scene | ours, us | " + " | ".join(f"{peer}, us | ours / {peer}" for peer in peers) + " |\n| --- | --- |" + " --- | --- |" * len(peers))
        for scene in runs["ours"][0]:
            time = {name: min(run[scene][0] for run in runs[name]) for name in programs}
            print(f"| {scene} | {time['ours']:.0f} | " + " | ".join(f"{time[peer]:.0f} | {time['ours'] / time[peer]:.2f}" for peer in peers) + " |")
        return
    print("| pair | ours, ns | " + " | ".join(f"{peer}, ns | ours / {peer} | their mean depth, mm" for peer in peers) + " | our mean depth, mm |")
    print("| --- | --- |" + " --- |" * (3 * len(peers) + 1))
    for pair in runs["ours"][0]:
        time = {name: min(run[pair][0] for run in runs[name]) for name in programs}
        cells = [pair, f"{time['ours']:.0f}"]
        for peer in peers:
            cells += [f"{time[peer]:.0f}", f"{time['ours'] / time[peer]:.2f}", f"{-1e3 * runs[peer][0][pair][2]:.1f}"]
        print("| " + " | ".join(cells) + f" | {-1e3 * runs['ours'][0][pair][2]:.1f} |")


if __name__ == "__main__":
    main()
