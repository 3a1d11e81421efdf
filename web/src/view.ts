// What a page holds: the scene and the frames of one recording, as `viewer::write_html` wrote them ("mechane.view/1").
// Arrays are base64 of little-endian numbers; lengths are metres, quaternions x y z w.

/** The document as it is embedded. */
export interface ViewDocument {
  schema: "mechane.view/1";
  title: string;
  solver: string;
  up: 0 | 1 | 2;
  bodies: number;
  meshes: MeshDocument[];
  items: Item[];
  grounds: Ground[];
  pictures?: string[]; // data URIs
  times: string; // f32 [frames]
  positions: string; // f32 [frames, bodies, 3]
  rotations: string; // i16 [frames, bodies, 4], 32767 is 1
  contacts: {
    start: string; // u32 [frames + 1]
    points: string; // f32 [contacts, 3]
    normals: string; // i16 [contacts, 3]
    forces: string; // f32 [contacts, 3], newton, on the second shape
  };
  softs?: SoftDocument[];
  balls?: { particles: string; radii: string; color: number[] }; // u32 and f32 [balls]
  particles?: {
    count: number; // that are drawn
    lower: number[]; // corner of the box that places are fractions of
    extent: number[];
    places: string; // u16 [frames, count, 3], 65535 is lower + extent
    drawn?: string; // u32 [count], which of the model's; on live pages
  };
  parts?: Parts;
  looks?: Looks;
  live?: LiveDocument;
}

/** Lights and cameras of the stage: `src/viewer/authored_looks.cpp`. Places are in the frame of the body; -1 is the world. */
export interface Looks {
  lights: StageLight[];
  cameras: StageCamera[];
}

export interface StageLight {
  label: string;
  kind: "distant" | "dome" | "point" | "spot";
  body: number;
  position: number[];
  direction: number[];
  color: number[]; // linear, largest part 1
  strength: number; // irradiance; of points and spots intensity
  cone: number; // [rad]
  softness: number; // 0..1
}

export interface StageCamera {
  label: string;
  body: number;
  pose: number[]; // px py pz qx qy qz qw, looking along -z
  fov: number; // vertical [rad]
}

/** A surface whose vertices are particles. */
export interface SoftDocument {
  label: string;
  particles: string; // u32 [vertices], rows of the places
  triangles: string; // u32 [triangles, 3], vertices
  color: number[];
  opacity: number;
}

/** The same, decoded. */
export interface Soft {
  label: string;
  particles: Uint32Array;
  triangles: Uint32Array<ArrayBuffer>;
  color: number[];
  opacity: number;
}

/** What the model is made of: `src/viewer/parts.cpp`. Lengths in metres, masses in kilograms, angles in radians. */
export interface Parts {
  bodies: { label: string; mass: number; com: number[]; box?: number[]; axes?: number[] }[];
  joints: { label: string; type: string; parent: number; child: number; frame: number[]; dof: number; count: number; articulation: number }[];
  dofs: { joint: number; linear: boolean; axis: number[]; mode: number; slider: boolean; lower?: number; upper?: number }[];
  articulations: string[];
}

/** What a page needs that a server feeds. */
export interface LiveDocument {
  dt: number; // [s]
  focus: number; // the articulation whose joints are shown first
  reset: boolean; // the server can begin again, and move joints
  record: boolean;
  fixed?: number[][]; // body, parent, and where it is in its frame: px py pz qx qy qz qw; parents first
  patches?: boolean; // some shapes press over a patch
  controllers: { path: string; linear: number; angular: number; dofs: number[] }[]; // what keys and sticks drive, with its largest speeds
  findings: { id: string; severity: string; message: string; prim: string; place: string; hint: string }[];
}

export interface MeshDocument {
  lower: number[]; // corner of the box that positions are fractions of
  extent: number[];
  positions: string; // u16 [vertices, 3], 65535 is lower + extent
  normals: string; // i8 [vertices, 3], 127 is 1
  triangles: string; // u16 or u32 [triangles, 3]
  lines: string; // u16 or u32 [lines, 2]
  wide: boolean; // indices are u32
  uvs?: string; // f32 [vertices, 2], v upwards
}

/** A shape as it is drawn; `pose` is px py pz qx qy qz qw in its body, or in the world when `body` is -1. */
export interface Item {
  label: string;
  shape: number; // in the model
  body: number;
  mesh: number;
  pose: number[];
  color: number[]; // display RGB, 0..1
  opacity: number;
  solid: boolean;
  collider: boolean;
  picture?: number; // in `pictures`; its colours are multiplied with `color`
  wrap?: [Wrap, Wrap]; // along u and v
}

export type Wrap = "black" | "clamp" | "repeat" | "mirror";

export interface Ground {
  body: number;
  pose: number[];
  color: number[];
}

export interface Mesh {
  positions: Float32Array<ArrayBuffer>;
  normals: Float32Array<ArrayBuffer>;
  triangles: Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;
  lines: Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;
  uvs?: Float32Array<ArrayBuffer>;
}

/** The decoded recording. */
export interface View {
  title: string;
  solver: string;
  up: 0 | 1 | 2;
  bodies: number;
  meshes: Mesh[];
  items: Item[];
  grounds: Ground[];
  pictures: string[];
  times: Float32Array;
  positions: Float32Array;
  rotations: Float32Array;
  softs: Soft[];
  balls: { particles: Uint32Array; radii: Float32Array; color: number[] };
  particles: number; // that are drawn
  places: Float32Array; // [frames, particles, 3]
  drawn: Uint32Array; // on live pages: which of the model's particles they are
  contactStart: Uint32Array;
  contactPoints: Float32Array;
  contactNormals: Float32Array;
  contactForces: Float32Array;
  contactCapacity?: number; // most contacts of a frame, where later ones may have more
  typicalForce?: number; // [N], where the forces are not known yet
  patchCorners?: Float32Array; // of pressure contact, on live pages that show it
  patchDepths?: Float32Array;
  parts?: Parts;
  looks?: Looks;
  live?: LiveDocument;
}

/** Bytes of a base64 text, in a buffer of their own so that wider arrays may be laid over it. */
export function bytes(base64: string): ArrayBuffer {
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out.buffer;
}

function scaled(from: ArrayLike<number>, factor: number): Float32Array<ArrayBuffer> {
  const out = new Float32Array(from.length);
  for (let i = 0; i < from.length; i++) out[i] = from[i] * factor;
  return out;
}

export function decodeMesh(mesh: MeshDocument): Mesh {
  const quantised = new Uint16Array(bytes(mesh.positions));
  const positions = new Float32Array(quantised.length);
  for (let i = 0; i < quantised.length; i++) positions[i] = mesh.lower[i % 3] + (mesh.extent[i % 3] * quantised[i]) / 65535;
  const indices = (text: string) => (mesh.wide ? new Uint32Array(bytes(text)) : new Uint16Array(bytes(text)));
  return {
    positions,
    normals: scaled(new Int8Array(bytes(mesh.normals)), 1 / 127),
    triangles: indices(mesh.triangles),
    lines: indices(mesh.lines),
    ...(mesh.uvs === undefined ? {} : { uvs: new Float32Array(bytes(mesh.uvs)) }),
  };
}

function decodePlaces(document: ViewDocument): Float32Array {
  const p = document.particles;
  if (p === undefined) return new Float32Array(0);
  const quantised = new Uint16Array(bytes(p.places));
  const out = new Float32Array(quantised.length);
  for (let i = 0; i < quantised.length; i++) out[i] = p.lower[i % 3] + (p.extent[i % 3] * quantised[i]) / 65535;
  return out;
}

export function decode(document: ViewDocument): View {
  if (document?.schema !== "mechane.view/1") throw new Error("this page holds no recording");
  const c = document.contacts;
  return {
    title: document.title,
    solver: document.solver,
    up: document.up,
    bodies: document.bodies,
    meshes: document.meshes.map(decodeMesh),
    items: document.items,
    grounds: document.grounds,
    pictures: document.pictures ?? [],
    times: new Float32Array(bytes(document.times)),
    positions: new Float32Array(bytes(document.positions)),
    rotations: scaled(new Int16Array(bytes(document.rotations)), 1 / 32767),
    softs: (document.softs ?? []).map((s) => ({ ...s, particles: new Uint32Array(bytes(s.particles)), triangles: new Uint32Array(bytes(s.triangles)) })),
    balls: {
      particles: new Uint32Array(bytes(document.balls?.particles ?? "")), radii: new Float32Array(bytes(document.balls?.radii ?? "")),
      color: document.balls?.color ?? [0.7, 0.55, 0.35],
    },
    particles: document.particles?.count ?? 0,
    places: decodePlaces(document),
    drawn: new Uint32Array(bytes(document.particles?.drawn ?? "")),
    contactStart: new Uint32Array(bytes(c.start)),
    contactPoints: new Float32Array(bytes(c.points)),
    contactNormals: scaled(new Int16Array(bytes(c.normals)), 1 / 32767),
    contactForces: new Float32Array(bytes(c.forces)),
    parts: document.parts,
    looks: document.looks,
    live: document.live,
  };
}
