import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, decodeFrame, showFrame } from "../src/live.ts";
import { History, rangeOf, windowOf } from "../src/plot.ts";
import type { View } from "../src/view.ts";

/** One particle, one body, two contacts of which one was sent, one face of a patch, one dof: as src/viewer/live_frame.cpp writes it. */
function frame(): ArrayBuffer {
  const out = new DataView(new ArrayBuffer(60 + 12 + 20 + 30 + 40 + 12));
  out.setUint32(0, 0x334d4c4d, true);
  out.setUint32(4, 1 | 4, true);
  out.setFloat64(8, 1.5, true);
  [0.5, 2, -3].forEach((v, i) => out.setFloat32(16 + 4 * i, v, true));
  [1, 1, 2, 7, 1, 1, 1, 1].forEach((v, i) => out.setUint32(28 + 4 * i, v, true));
  [7, 8, 9, 1, 2, 3, 4, 5, 6, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.125, 0.25, -1, 0.5].forEach((v, i) => out.setFloat32(60 + 4 * i, v, true));
  [0, 0, 0, 32767, 0, 0, -32767].forEach((v, i) => out.setInt16(160 + 2 * i, v, true));
  return out.buffer;
}

test("a frame is read as it was written", () => {
  const f = decodeFrame(frame());
  assert.deepEqual([f.playing, f.recording, f.diverged], [true, false, true]);
  assert.deepEqual([f.time, f.realtime, f.kinetic, f.potential, f.contacts, f.firstDof], [1.5, 0.5, 2, -3, 2, 7]);
  assert.deepEqual([...f.particles], [7, 8, 9]);
  assert.deepEqual([...f.positions, ...f.points, ...f.forces], [1, 2, 3, 4, 5, 6, 0, 0, 10]);
  assert.deepEqual([[...f.patchCorners], [...f.patchDepths]], [[0, 0, 0, 1, 0, 0, 0, 1, 0], [0.125]]);
  assert.deepEqual([f.q[0], f.qd[0], f.target[0]], [0.25, -1, 0.5]);
  assert.deepEqual([...f.rotations, ...f.normals], [0, 0, 0, 1, 0, 0, -1]);
});

test("bodies that were left out stand where their joints hold them", () => {
  const half = Math.SQRT1_2;
  const f = { ...decodeFrame(frame()), bodies: 3, bits: new Uint8Array([0b001]), positions: new Float32Array([1, 0, 0]), rotations: new Float32Array([0, 0, half, half]) };
  // A quarter about z: x of the parent is y of the world. The third is fixed to the second.
  complete(f, [[1, 0, 2, 0, 0, 0, 0, 0, 1], [2, 1, 0, 1, 0, 0, 0, half, half]]);
  [1, 0, 0, 1, 2, 0, 0, 2, 0].forEach((v, i) => assert.ok(Math.abs(f.positions[i] - v) < 1e-6, `${i}: ${f.positions[i]}`));
  [0, 0, half, half, 0, 0, half, half, 0, 0, 1, 0].forEach((v, i) => assert.ok(Math.abs(f.rotations[i] - v) < 1e-6));
  assert.equal(f.bits.length, 0);
});

test("bytes that are no frame are refused", () => {
  assert.throws(() => decodeFrame(new ArrayBuffer(10)));
  assert.throws(() => decodeFrame(new ArrayBuffer(174)));
  assert.throws(() => decodeFrame(frame().slice(0, 172)));
});

test("the frame becomes the only one of the view", () => {
  const view = { drawn: new Uint32Array([0]) } as View;
  showFrame(view, decodeFrame(frame()));
  assert.deepEqual([...view.places], [7, 8, 9]);
  assert.deepEqual([...view.times], [1.5]);
  assert.deepEqual([...view.contactStart], [0, 1]);
});

test("curves forget what is older than ten seconds, and begin anew when time goes back", () => {
  const history = new History();
  history.open();
  for (let t = 0; t <= 20; t += 0.5) history.add(t, [t]);
  assert.equal(history.times[0], 10);
  history.add(20, [5]); // the same moment once more
  assert.equal(history.rows[0][history.times.length - 1], 20);
  assert.deepEqual(windowOf(history.times), [10, 20]);
  history.add(0, [3]);
  assert.deepEqual([history.times, history.rows], [[0], [[3]]]);
  assert.deepEqual(windowOf(history.times), [0, 10]);
});

test("a curve that is added later has a gap before, and what is no number is one", () => {
  const history = new History();
  history.open();
  history.add(0, [1]);
  history.open();
  history.add(1, [NaN, 5]);
  assert.deepEqual(history.rows, [[1, null], [null, 5]]);
  history.close(0);
  history.add(2, [6]);
  assert.deepEqual(history.rows, [[null, 5, 6]]);
});

test("the range of curves is never empty", () => {
  assert.deepEqual(rangeOf(null, null), [0, 1]);
  const [low, high] = rangeOf(2, 2);
  assert.ok(low < 2 && 2 < high);
});
