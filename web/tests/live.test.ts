import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeFrame, showFrame } from "../src/live.ts";
import { rangeOf, Track } from "../src/plot.ts";
import type { View } from "../src/view.ts";

/** One particle, one body, two contacts of which one was sent, one dof: as src/viewer/live_frame.cpp writes it. */
function frame(): ArrayBuffer {
  const out = new DataView(new ArrayBuffer(52 + 12 + 20 + 30 + 12));
  out.setUint32(0, 0x324d4c4d, true);
  out.setUint32(4, 1 | 4, true);
  out.setFloat64(8, 1.5, true);
  [0.5, 2, -3].forEach((v, i) => out.setFloat32(16 + 4 * i, v, true));
  [1, 1, 2, 7, 1, 1].forEach((v, i) => out.setUint32(28 + 4 * i, v, true));
  [7, 8, 9, 1, 2, 3, 4, 5, 6, 0, 0, 10, 0.25, -1, 0.5].forEach((v, i) => out.setFloat32(52 + 4 * i, v, true));
  [0, 0, 0, 32767, 0, 0, -32767].forEach((v, i) => out.setInt16(112 + 2 * i, v, true));
  return out.buffer;
}

test("a frame is read as it was written", () => {
  const f = decodeFrame(frame());
  assert.deepEqual([f.playing, f.recording, f.diverged], [true, false, true]);
  assert.deepEqual([f.time, f.realtime, f.kinetic, f.potential, f.contacts, f.firstDof], [1.5, 0.5, 2, -3, 2, 7]);
  assert.deepEqual([...f.particles], [7, 8, 9]);
  assert.deepEqual([...f.positions, ...f.points, ...f.forces], [1, 2, 3, 4, 5, 6, 0, 0, 10]);
  assert.deepEqual([f.q[0], f.qd[0], f.target[0]], [0.25, -1, 0.5]);
  assert.deepEqual([...f.rotations, ...f.normals], [0, 0, 0, 1, 0, 0, -1]);
});

test("bytes that are no frame are refused", () => {
  assert.throws(() => decodeFrame(new ArrayBuffer(10)));
  assert.throws(() => decodeFrame(new ArrayBuffer(126)));
  assert.throws(() => decodeFrame(frame().slice(0, 124)));
});

test("the frame becomes the only one of the view", () => {
  const view = { drawn: new Uint32Array([0]) } as View;
  showFrame(view, decodeFrame(frame()));
  assert.deepEqual([...view.places], [7, 8, 9]);
  assert.deepEqual([...view.times], [1.5]);
  assert.deepEqual([...view.contactStart], [0, 1]);
});

test("a curve forgets what is older than ten seconds, and begins anew when time goes back", () => {
  const track = new Track("x");
  for (let t = 0; t <= 20; t += 0.5) track.add(t, t);
  assert.equal(track.times[0], 10);
  track.add(20, 5); // the same moment once more
  assert.equal(track.values[track.values.length - 1], 20);
  track.add(0, 3);
  assert.deepEqual(track.values, [3]);
});

test("the range of curves is never empty, and leaves out what is no number", () => {
  const track = new Track("x");
  assert.deepEqual(rangeOf([track]), [0, 1]);
  track.add(0, NaN);
  track.add(1, 2);
  const [low, high] = rangeOf([track]);
  assert.ok(low < 2 && 2 < high);
});
