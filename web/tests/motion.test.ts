import assert from "node:assert/strict";
import test from "node:test";
import { bodyPose, lengthPercentile, locate } from "../src/motion.ts";
import type { View } from "../src/view.ts";

test("times between frames are fractions, times outside are held", () => {
  assert.deepEqual(locate([0, 1, 3], 2), { index: 1, fraction: 0.5 });
  assert.deepEqual(locate([0, 1, 3], -1), { index: 0, fraction: 0 });
  assert.deepEqual(locate([0, 1, 3], 9), { index: 2, fraction: 0 });
  assert.deepEqual(locate([0, 1, 3], 1), { index: 1, fraction: 0 });
  assert.deepEqual(locate([], 1), { index: 0, fraction: 0 });
});

test("half way between two poses the rotation takes the shorter way", () => {
  const s = Math.SQRT1_2;
  // The second quaternion is a quarter turn about z with its sign flipped.
  const view = { bodies: 1, positions: new Float32Array([0, 0, 0, 2, 0, 0]), rotations: new Float32Array([0, 0, 0, 1, 0, 0, -s, -s]) } as unknown as View;
  const pose = bodyPose(view, 0, { index: 0, fraction: 0.5 }, new Float64Array(7));
  assert.equal(pose[0], 1);
  // An eighth of a turn: sin and cos of 22.5 degrees.
  assert.ok(Math.abs(pose[5] - Math.sin(Math.PI / 8)) < 1e-6);
  assert.ok(Math.abs(pose[6] - Math.cos(Math.PI / 8)) < 1e-6);
});

test("the percentile leaves out zeros and what is not finite", () => {
  assert.equal(lengthPercentile([0, 0, 0, 3, 4, 0, Number.NaN, 0, 0, 0, 0, 1], 0.9), 5);
  assert.equal(lengthPercentile([], 0.9), 0);
});
