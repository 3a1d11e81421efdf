import assert from "node:assert/strict";
import test from "node:test";
import { bytes, decode, decodeMesh, type ViewDocument } from "../src/view.ts";

const base64 = (array: ArrayBufferView) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");

test("base64 text becomes its bytes", () => {
  assert.deepEqual([...new Uint8Array(bytes("AQID/w=="))], [1, 2, 3, 255]);
  assert.equal(bytes("").byteLength, 0);
});

test("positions are fractions of the mesh's box", () => {
  const mesh = decodeMesh({
    lower: [-1, 0, 2], extent: [2, 0, 4], wide: false,
    positions: base64(new Uint16Array([0, 0, 65535, 65535, 0, 0])),
    normals: base64(new Int8Array([127, 0, 0, 0, -127, 0])),
    triangles: base64(new Uint16Array([0, 1, 1])), lines: base64(new Uint16Array([0, 1])),
  });
  assert.deepEqual([...mesh.positions], [-1, 0, 6, 1, 0, 2]);
  assert.deepEqual([...mesh.normals].map(Math.round), [1, 0, 0, 0, -1, 0]);
  assert.deepEqual([...mesh.triangles], [0, 1, 1]);
});

test("texture coordinates are those of the vertices, and missing where there are none", () => {
  const plain = { lower: [0, 0, 0], extent: [1, 1, 1], wide: false, positions: "", normals: "", triangles: "", lines: "" };
  assert.equal(decodeMesh(plain).uvs, undefined);
  assert.deepEqual([...decodeMesh({ ...plain, uvs: base64(new Float32Array([0, 0.5, -1, 2])) }).uvs!], [0, 0.5, -1, 2]);
});

test("wide indices are read as 32 bits", () => {
  const mesh = decodeMesh({
    lower: [0, 0, 0], extent: [1, 1, 1], wide: true, positions: "", normals: "",
    triangles: base64(new Uint32Array([70000, 1, 2])), lines: "",
  });
  assert.deepEqual([...mesh.triangles], [70000, 1, 2]);
});

test("frames and contacts keep their counts", () => {
  const document: ViewDocument = {
    schema: "mechane.view/1", title: "t", solver: "s", up: 2, bodies: 1, meshes: [], items: [], grounds: [],
    times: base64(new Float32Array([0, 0.5])), positions: base64(new Float32Array([0, 0, 1, 0, 0, 2])),
    rotations: base64(new Int16Array([0, 0, 0, 32767, 32767, 0, 0, 0])),
    contacts: {
      start: base64(new Uint32Array([0, 0, 1])), points: base64(new Float32Array([1, 2, 3])),
      normals: base64(new Int16Array([0, 0, 32767])), forces: base64(new Float32Array([0, 0, 9.5])),
    },
  };
  const view = decode(document);
  assert.equal(view.times.length, 2);
  assert.equal(view.positions[5], 2);
  assert.equal(view.rotations[3], 1);
  assert.deepEqual([...view.contactStart], [0, 0, 1]);
  assert.equal(view.contactForces[2], 9.5);
});

test("a page without a recording says so", () => {
  assert.throws(() => decode("--view--" as unknown as ViewDocument), /no recording/);
});
