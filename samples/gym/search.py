#!/usr/bin/env python3
"""Augmented random search (Mania, Guy, Recht 2018) with a linear policy: learning with NumPy alone. Each world tries a policy of its own.

    python3 samples/gym/search.py                      # cartpole
    python3 samples/gym/search.py --task Ant --iterations 100
"""
import argparse

import numpy as np

import mechane.gym


def trial(worlds, weights, steps, seed, shift, spread):
    """Returns of one episode for `weights` [worlds, actions, observations]."""
    seen, total, running = worlds.reset(seed), np.zeros(worlds.count), np.ones(worlds.count, bool)
    for _ in range(steps):
        actions = np.einsum("wao,wo->wa", weights, (seen - shift) / spread)
        seen, rewards, terminated, truncated = worlds.step(actions)
        total[running] += rewards[running]
        running &= ~(terminated | truncated)
        if not running.any():
            break
    return total


def search(task="Cartpole", iterations=30, directions=16, best=8, rate=0.5, noise=0.5, steps=500, seed=0, say=print):
    """Returns (weights [actions, observations], mean return of each iteration)."""
    made, random = mechane.gym.TASKS[task](), np.random.default_rng(seed)
    worlds = mechane.gym.Worlds(made, 2 * directions)
    weights, curve = np.zeros((made.action_size, made.observation_size)), []
    first = worlds.reset(seed)
    shift, spread = np.zeros(made.observation_size), np.maximum(np.abs(first).max(axis=0), 1e-1)
    for k in range(iterations):
        steps_taken = random.standard_normal((directions, *weights.shape))
        both = np.concatenate([weights + noise * steps_taken, weights - noise * steps_taken])
        returns = trial(worlds, both, steps, seed + k, shift, spread)
        plus, minus = returns[:directions], returns[directions:]
        chosen = np.argsort(-np.maximum(plus, minus), kind="stable")[:best]
        scale = np.concatenate([plus[chosen], minus[chosen]]).std() + 1e-6
        weights = weights + rate / (best * scale) * np.einsum("d,dao->ao", plus[chosen] - minus[chosen], steps_taken[chosen])
        curve.append(float(returns.mean()))
        say(f"{k:4d}  mean return {curve[-1]:9.2f}  best {returns.max():9.2f}")
    return weights, curve


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", choices=sorted(mechane.gym.TASKS), default="Cartpole")
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    a = parser.parse_args()
    search(a.task, a.iterations, seed=a.seed)


if __name__ == "__main__":
    main()
