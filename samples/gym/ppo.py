#!/usr/bin/env python3
"""Proximal policy optimisation (Schulman et al. 2017) in one file, over worlds of one task. Needs torch.

    python3 samples/gym/ppo.py                                   # cartpole, until it balances
    python3 samples/gym/ppo.py --task Ant --steps 3000000 --save ant.pt --curve ant.csv
    python3 samples/gym/ppo.py --play ant.pt --task Ant --record ant.html
    python3 samples/gym/ppo.py --task Go2Walk --terrain rough --save walker.pt
"""
import argparse
import time

import numpy as np

try:
    import torch
    from torch import nn
except ImportError:
    raise SystemExit("ppo.py learns with torch, which is not installed: apt-get install python3-torch, or pip install torch") from None

import mechane.gym
import mechane.record

#: task -> (worlds, steps of a rollout, learning rate, discount, entropy bonus, scale of rewards)
SETTINGS = {
    "Cartpole": (64, 32, 3e-3, 0.98, 0.0, 0.1),
    "Ant": (128, 32, 1e-3, 0.99, 0.0, 0.1),
    "Humanoid": (128, 32, 5e-4, 0.99, 0.0, 0.05),
    "Go2Walk": (256, 24, 1e-3, 0.99, 0.003, 10.0),
    "PandaReach": (128, 25, 1e-3, 0.97, 0.0, 1.0),
}


class RunningMean:
    """Mean and variance of observations so far (Chan, Golub, LeVeque 1979)."""

    def __init__(self, size):
        self.mean, self.variance, self.count = torch.zeros(size), torch.ones(size), 1e-4

    def update(self, x):
        mean, variance, n = x.mean(0), x.var(0, unbiased=False), len(x)
        delta, total = mean - self.mean, self.count + n
        self.variance = (self.variance * self.count + variance * n + delta**2 * self.count * n / total) / total
        self.mean, self.count = self.mean + delta * n / total, total

    def __call__(self, x):
        return ((x - self.mean) / torch.sqrt(self.variance + 1e-8)).clamp(-10, 10)


def network(inputs, outputs, last_gain, width=64):
    layers = [nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, outputs)]
    for layer in layers[::2]:
        nn.init.orthogonal_(layer.weight, np.sqrt(2) if layer is not layers[-1] else last_gain)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(*layers)


class Agent(nn.Module):
    def __init__(self, observations, actions):
        super().__init__()
        self.actor, self.critic = network(observations, actions, 0.01), network(observations, 1, 1.0)
        self.log_std = nn.Parameter(torch.full((actions,), -0.5))

    def policy(self, x):
        return torch.distributions.Normal(self.actor(x), self.log_std.exp())


def train(task="Cartpole", steps=500_000, seed=0, goal=None, terrain=None, randomization=None, worlds=None, say=print):
    """Trains until `steps` of all worlds together, or until the mean return of the last 100 episodes reaches `goal`. Returns (agent, normaliser, curve)."""
    torch.manual_seed(seed)
    n, length, rate, discount, bonus, scale = SETTINGS[task]
    n = worlds or n
    envs = mechane.gym.TaskVectorEnv(n, task, terrain=terrain, randomization=randomization, autoreset_mode="SameStep", arrays="torch")
    size, act = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
    agent, normal = Agent(size, act), RunningMean(size)
    optimizer = torch.optim.Adam(agent.parameters(), lr=rate, eps=1e-5)
    x, _ = envs.reset(seed=seed)
    normal.update(x)
    returns, finished, curve, done_steps, begin = np.zeros(n), [], [], 0, time.perf_counter()
    while done_steps < steps:
        optimizer.param_groups[0]["lr"] = rate * (1 - done_steps / steps)
        seen, acted, log_probs, values, rewards, ends = [], [], [], [], [], []
        for _ in range(length):
            with torch.no_grad():
                y = normal(x)
                policy = agent.policy(y)
                action = policy.sample()
                seen.append(y), acted.append(action), log_probs.append(policy.log_prob(action).sum(-1)), values.append(agent.critic(y)[:, 0])
            x, reward, terminated, truncated, info = envs.step(action)
            returns += reward.numpy()
            worth = reward.float() * scale
            if truncated.any():  # an episode that was cut off would have gone on: its last value stands for the rest
                cut = truncated.numpy()
                last = torch.from_numpy(np.stack(info["final_obs"][cut]))
                with torch.no_grad():
                    worth[truncated] += discount * agent.critic(normal(last))[:, 0]
            over = terminated | truncated
            finished += returns[over.numpy()].tolist()
            returns[over.numpy()] = 0
            rewards.append(worth), ends.append(over.float())
            normal.update(x)
        done_steps += n * length
        with torch.no_grad():  # generalised advantages (Schulman et al. 2016)
            advantages, ahead, value = [], torch.zeros(n), agent.critic(normal(x))[:, 0]
            for t in reversed(range(length)):
                delta = rewards[t] + discount * value * (1 - ends[t]) - values[t]
                ahead = delta + discount * 0.95 * (1 - ends[t]) * ahead
                advantages.append(ahead)
                value = values[t]
            advantage = torch.stack(advantages[::-1]).reshape(-1)
        b_seen, b_acted, b_log, b_value = torch.cat(seen), torch.cat(acted), torch.cat(log_probs), torch.cat(values)
        target = advantage + b_value
        for _ in range(5):
            for rows in torch.randperm(n * length).split(max(64, n * length // 4)):
                policy = agent.policy(b_seen[rows])
                ratio = (policy.log_prob(b_acted[rows]).sum(-1) - b_log[rows]).exp()
                a = advantage[rows]
                a = (a - a.mean()) / (a.std() + 1e-8)
                loss = (torch.max(-a * ratio, -a * ratio.clamp(0.8, 1.2)).mean() + 0.5 * (agent.critic(b_seen[rows])[:, 0] - target[rows]).pow(2).mean()
                        - bonus * policy.entropy().sum(-1).mean())
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        mean = float(np.mean(finished[-100:])) if finished else float("nan")
        curve.append((done_steps, time.perf_counter() - begin, mean))
        if len(curve) % 10 == 1:
            say(f"{done_steps:9d} steps  {curve[-1][1]:6.1f} s  mean return {mean:9.2f}")
        if goal is not None and len(finished) >= 100 and mean >= goal:
            break
    say(f"{curve[-1][0]:9d} steps  {curve[-1][1]:6.1f} s  mean return {curve[-1][2]:9.2f}")
    return agent, normal, curve


def play(task, weights, record=None, steps=300, seed=0, say=print):
    """Acts by the mean of a policy's actions in one world, and returns the sum of rewards; `record` names a page (.html), table or layer of it."""
    kept = torch.load(weights, weights_only=True)
    worlds = mechane.gym.Worlds(mechane.gym.TASKS[task](), 1)
    agent, normal = Agent(worlds.task.observation_size, worlds.task.action_size), RunningMean(worlds.task.observation_size)
    agent.load_state_dict(kept["agent"])
    normal.mean, normal.variance = kept["mean"], kept["variance"]
    recorder = mechane.record.Recorder(worlds.model) if record else None
    x, total = worlds.reset(seed=seed), 0.0
    for _ in range(steps):
        with torch.no_grad():
            action = agent.actor(normal(torch.from_numpy(x)))
        x, reward, terminated, truncated = worlds.step(action.numpy())
        total += float(reward[0])
        if recorder:
            recorder.add(worlds.state)
        if terminated[0] or truncated[0]:
            break
    if recorder:
        recorder.recording.save(record)
    say(f"{task}: {total:.1f} in {steps} steps")
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", choices=SETTINGS, default="Cartpole")
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--goal", type=float, help="stop at this mean return; 475 for cartpole")
    parser.add_argument("--terrain", choices=("flat", "rough", "waves", "slope", "stairs"))
    parser.add_argument("--randomize", action="store_true", help="masses, friction, gains, delays and pushes differ from world to world")
    parser.add_argument("--save", help="file for the weights")
    parser.add_argument("--curve", help="file for the curve: steps, seconds, mean return of the last 100 episodes (CSV)")
    parser.add_argument("--play", help="do not train: act by the weights of this file")
    parser.add_argument("--record", help="with --play: file for a recording, .html, .csv, .json or .usda")
    a = parser.parse_args()
    if a.play:
        play(a.task, a.play, a.record, seed=a.seed)
        return
    randomization = dict(mass=(0.8, 1.2), friction=(0.5, 1.25), gains=(0.8, 1.2), delay=(0, 1), push_every=250, push_speed=0.5) if a.randomize else None
    goal = 475 if a.goal is None and a.task == "Cartpole" else a.goal
    agent, normal, curve = train(a.task, a.steps, a.seed, goal, a.terrain, randomization)
    if a.curve:
        with open(a.curve, "w", encoding="utf-8") as out:
            out.writelines(["steps,seconds,mean_return\n", *(f"{steps},{seconds:.1f},{mean:.2f}\n" for steps, seconds, mean in curve)])
    if a.save:
        torch.save({"agent": agent.state_dict(), "mean": normal.mean, "variance": normal.variance}, a.save)


if __name__ == "__main__":
    main()
