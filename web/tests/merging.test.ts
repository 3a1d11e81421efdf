import assert from "node:assert/strict";
import { test } from "node:test";
import { exposure, reaches } from "../src/authored.ts";
import * as THREE from "three";
import { mergedMesh, together } from "../src/merging.ts";
import type { Item, Mesh, StageLight } from "../src/view.ts";

/** One triangle with its three edges. */
const triangle = (): Mesh => ({
  positions: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), normals: new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1]),
  triangles: new Uint16Array([0, 1, 2]), lines: new Uint16Array([0, 1, 1, 2, 2, 0]),
});
const item = (body: number, mesh: number, x = 0, color = [1, 1, 1]): Item => ({
  label: "", shape: 0, body, mesh, pose: [x, 0, 0, 0, 0, 0, 1], color, opacity: 1, solid: true, collider: false,
});

test("robots of many meshes take one draw call for each kind of link", () => {
  const meshes = [triangle(), triangle(), triangle()];
  const robot = (first: number) => [item(first, 0), item(first, 1, 2), item(first + 1, 2)];
  const parts = together([...robot(0), ...robot(2), ...robot(4)], meshes);
  assert.deepEqual(parts.map((p) => [p.merged, p.instances.map((i) => i.body)]), [[true, [0, 2, 4]], [true, [1, 3, 5]]]);
});

test("bodies that share a mesh take one, whatever their colours", () => {
  const parts = together([item(0, 0, 0, [1, 0, 0]), item(1, 0, 1, [0, 1, 0]), item(2, 0, 2, [0, 0, 1])], [triangle()]);
  assert.deepEqual(parts.map((p) => [p.merged, p.instances.length]), [[false, 3]]);
});

test("what does not move is one, and is not one with what does", () => {
  const meshes = [triangle(), triangle(), triangle()];
  const parts = together([item(-1, 0), item(-1, 1), item(0, 0), item(0, 2)], meshes);
  assert.deepEqual(parts.map((p) => [p.merged, p.instances.map((i) => i.body)]), [[true, [-1]], [true, [0]]]);
});

test("a merged mesh has each item in its place, with its colour, and says where each begins", () => {
  const turned: Item = { ...item(0, 0, 0, [1, 0, 0]), pose: [5, 0, 0, 0, 0, Math.SQRT1_2, Math.SQRT1_2] }; // a quarter about z
  const { mesh, colors, starts } = mergedMesh([item(0, 0), turned], [triangle()]);
  assert.deepEqual(starts, [0, 1]);
  assert.deepEqual([...mesh.triangles], [0, 1, 2, 3, 4, 5]);
  assert.deepEqual([...mesh.lines].slice(6), [3, 4, 4, 5, 5, 3]);
  [5, 0, 0, 5, 1, 0, 4, 0, 0].forEach((v, i) => assert.ok(Math.abs(mesh.positions[9 + i] - v) < 1e-6));
  assert.deepEqual([...colors].slice(9, 12), [1, 0, 0]);
});

const lamp = (kind: StageLight["kind"], strength: number): StageLight => ({
  label: "", kind, body: -1, position: [0, 0, 0], direction: [0, 0, -1], color: [1, 1, 1], strength, cone: 0.5, softness: 0,
});

test("light grows less with the square of the distance, and a spot lights its cone alone", () => {
  const [place, down] = [new THREE.Vector3(0, 0, 2), new THREE.Vector3(0, 0, -1)];
  assert.equal(reaches(lamp("point", 8), place, down, new THREE.Vector3()), 2);
  assert.equal(reaches(lamp("spot", 8), place, down, new THREE.Vector3(2, 0, 0)), 0);
  assert.equal(reaches(lamp("distant", 8), place, down, new THREE.Vector3()), 8);
});

test("however strong the lights are, the page is as bright, and both kinds of light are there", () => {
  for (const [direct, around] of [[1e-3, 1e-3], [5e4, 1], [1, 5e4], [7, 0], [0, 7]]) {
    const f = exposure(direct, around);
    const [d, a] = [f.direct * direct, f.around * around];
    assert.ok(d + a > 0 && d + a < 4);
    if (direct > 0 && around > 0) assert.ok(d > 1 && a > 0.4 && Math.abs(d + a - 3.9) < 1e-9);
  }
  assert.deepEqual(exposure(0, 0), { direct: 0, around: 0 });
});
