import assert from "node:assert/strict";
import test from "node:test";
import { readOptions } from "../src/options.ts";
import { Player } from "../src/player.ts";

test("time runs with the speed, rests at the end and begins anew", () => {
  const player = new Player([0, 0.5, 1]);
  player.speed = 0.5;
  assert.equal(player.advance(1), true);
  assert.equal(player.time, 0.5);
  player.advance(2);
  assert.equal(player.time, 1);
  assert.equal(player.advance(0.5), false);
  player.advance(0.2);
  assert.equal(player.time, 0);
});

test("a step stops the clock and goes to a frame", () => {
  const player = new Player([0, 0.5, 1]);
  player.seek(0.6);
  player.step(1);
  assert.equal(player.time, 1);
  assert.equal(player.playing, false);
  player.step(-5);
  assert.equal(player.time, 0);
});

test("seeking stays within the recording", () => {
  const player = new Player([1, 2]);
  player.seek(9);
  assert.equal(player.time, 2);
  player.seek(Number.NaN);
  assert.equal(player.time, 1);
});

test("a recording of one frame does not run", () => {
  const player = new Player([0]);
  assert.equal(player.advance(1), false);
});

test("speeds go up and down a list and stop at its ends", () => {
  const player = new Player([0, 1]);
  player.changeSpeed(1);
  assert.equal(player.speed, 2);
  for (let i = 0; i < 9; i++) player.changeSpeed(-1);
  assert.equal(player.speed, 0.1);
});

test("the address asks for time, pause and overlays", () => {
  const options = readOptions("#t=1.5&paused=1&overlay=colliders,contacts&theme=dark");
  assert.equal(options.time, 1.5);
  assert.equal(options.paused, true);
  assert.equal(options.colliders && options.contacts, true);
  assert.equal(options.theme, "dark");
  assert.deepEqual(readOptions("#t=x&paused=0&speed=-2"), { ...readOptions(""), time: null, paused: false, speed: null });
});
