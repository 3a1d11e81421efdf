// What a server says of a running simulation, and what the page answers. `src/viewer/live_frame.cpp` writes the frames,
// `src/viewer/live_page.cpp` reads the answers.
import type { View } from "./view.ts";

/** A moment of the simulation. */
export interface LiveFrame {
  bytes: number; // that it took
  playing: boolean;
  recording: boolean;
  diverged: boolean;
  time: number; // [s]
  realtime: number; // simulated seconds per second
  kinetic: number; // [J]
  potential: number; // [J]
  contacts: number; // all of them; points are those that were sent
  firstDof: number;
  q: Float32Array; // of dofs from firstDof on; NaN where a dof has no coordinate of its own
  qd: Float32Array;
  target: Float32Array;
  particles: Float32Array; // of the model, in order
  positions: Float32Array;
  rotations: Float32Array;
  bits: Uint8Array; // which bodies were sent; empty: all
  bodies: number;
  points: Float32Array;
  forces: Float32Array;
  normals: Float32Array;
  patchCorners: Float32Array; // nine numbers a face
  patchDepths: Float32Array;
}

const MAGIC = 0x334d4c4d;
const HEADER = 60;

function unit(from: Int16Array): Float32Array {
  const out = new Float32Array(from.length);
  for (let i = 0; i < from.length; i++) out[i] = from[i] / 32767;
  return out;
}

/** Reads a frame; throws where the bytes are none. */
export function decodeFrame(bytes: ArrayBuffer): LiveFrame {
  if (bytes.byteLength < HEADER) throw new Error("a frame is shorter than its head");
  const head = new DataView(bytes);
  const u32 = (at: number) => head.getUint32(at, true);
  if (u32(0) !== MAGIC) throw new Error("these bytes are no frame");
  const [bodies, sent, contacts, firstDof, dofs, soft, faces, standing] = [u32(28), u32(32), u32(36), u32(40), u32(44), u32(48), u32(52), u32(56)];
  const mask = standing < bodies ? Math.ceil(bodies / 8) : 0;
  if (bytes.byteLength !== HEADER + 12 * soft + 20 * standing + 30 * sent + 40 * faces + 12 * dofs + mask) throw new Error("a frame has another length than its head says");
  let at = HEADER;
  const floats = (count: number) => {
    const out = new Float32Array(bytes, at, count);
    at += 4 * count;
    return out;
  };
  const shorts = (count: number) => {
    const out = new Int16Array(bytes, at, count);
    at += 2 * count;
    return out;
  };
  const flags = u32(4);
  const particles = floats(3 * soft);
  const [positions, points, forces] = [floats(3 * standing), floats(3 * sent), floats(3 * sent)];
  const [patchCorners, patchDepths] = [floats(9 * faces), floats(faces)];
  const [q, qd, target] = [floats(dofs), floats(dofs), floats(dofs)];
  const [rotations, normals] = [unit(shorts(4 * standing)), unit(shorts(3 * sent))];
  const bits = new Uint8Array(bytes, at, mask);
  return {
    bytes: bytes.byteLength,
    playing: (flags & 1) !== 0, recording: (flags & 2) !== 0, diverged: (flags & 4) !== 0,
    time: head.getFloat64(8, true), realtime: head.getFloat32(16, true), kinetic: head.getFloat32(20, true), potential: head.getFloat32(24, true),
    contacts, firstDof, q, qd, target, particles, positions, rotations, bits, bodies, points, forces, normals, patchCorners, patchDepths,
  };
}

/** Puts bodies that were left out, because they are fixed to others, in their places. `fixed` has parents first. */
export function complete(frame: LiveFrame, fixed: readonly number[][]): void {
  if (frame.bits.length === 0) return;
  const [positions, rotations] = [new Float32Array(3 * frame.bodies), new Float32Array(4 * frame.bodies)];
  let from = 0;
  for (let body = 0; body < frame.bodies; body++) {
    if (((frame.bits[body >> 3] >> (body & 7)) & 1) === 0) continue;
    positions.set(frame.positions.subarray(3 * from, 3 * from + 3), 3 * body);
    rotations.set(frame.rotations.subarray(4 * from, 4 * from + 4), 4 * body);
    from++;
  }
  for (const [body, parent, px, py, pz, qx, qy, qz, qw] of fixed) {
    if (((frame.bits[body >> 3] >> (body & 7)) & 1) !== 0) continue;
    const [x, y, z, w] = rotations.subarray(4 * parent, 4 * parent + 4);
    // p + q v q*, with t = 2 (q x v): v + w t + q x t; and the product of both turns.
    const [tx, ty, tz] = [2 * (y * pz - z * py), 2 * (z * px - x * pz), 2 * (x * py - y * px)];
    positions[3 * body] = positions[3 * parent] + px + w * tx + y * tz - z * ty;
    positions[3 * body + 1] = positions[3 * parent + 1] + py + w * ty + z * tx - x * tz;
    positions[3 * body + 2] = positions[3 * parent + 2] + pz + w * tz + x * ty - y * tx;
    rotations[4 * body] = w * qx + x * qw + y * qz - z * qy;
    rotations[4 * body + 1] = w * qy - x * qz + y * qw + z * qx;
    rotations[4 * body + 2] = w * qz + x * qy - y * qx + z * qw;
    rotations[4 * body + 3] = w * qw - x * qx - y * qy - z * qz;
  }
  [frame.positions, frame.rotations, frame.bits] = [positions, rotations, new Uint8Array(0)];
}

/** Makes the frame the only one of a view. */
export function showFrame(view: View, frame: LiveFrame): void {
  complete(frame, view.live?.fixed ?? []);
  view.times = new Float32Array([frame.time]);
  if (view.drawn.length > 0) {
    const places = new Float32Array(3 * view.drawn.length);
    view.drawn.forEach((p, i) => places.set(frame.particles.subarray(3 * p, 3 * p + 3), 3 * i));
    view.places = places;
  }
  view.positions = frame.positions;
  view.rotations = frame.rotations;
  view.contactStart = new Uint32Array([0, frame.points.length / 3]);
  view.contactPoints = frame.points;
  view.contactForces = frame.forces;
  view.contactNormals = frame.normals;
  view.patchCorners = frame.patchCorners;
  view.patchDepths = frame.patchDepths;
}

/** Answers of the page. */
export type Command =
  | { do: "play" | "pause" | "step" | "reset" | "release" }
  | { do: "speed" | "record" | "contacts" | "patches"; value: number }
  | { do: "target" | "joint"; dof: number; value: number }
  | { do: "pick"; shape: number }
  | { do: "focus"; articulation: number }
  | { do: "drive"; controller: number; value: number; turn: number }
  | { do: "grab"; body: number; point: number[]; target: number[] }
  | { do: "drag"; target: number[] };

/** What is known of an entity, and where each number comes from. */
export interface Facts {
  kind: string;
  label: string;
  values: { field: string; value: string; unit: string; from: string }[];
  ledger: { property: string; value: string; verdict: string; note: string; place: string }[];
}

export interface Told {
  say?: string;
  shape?: number;
  facts?: Facts[];
}

/** The connection; it is made again when it is lost, as a server may pause. */
export class Link {
  private socket: WebSocket | null = null;
  private readonly address: string;
  onFrame: (frame: LiveFrame) => void = () => {};
  onTold: (told: Told) => void = () => {};
  onState: (connected: boolean) => void = () => {};

  constructor(address: string) {
    this.address = address;
  }

  open(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.addEventListener("open", () => this.onState(true));
    socket.addEventListener("message", (event) => {
      if (typeof event.data === "string") this.onTold(JSON.parse(event.data) as Told);
      else this.onFrame(decodeFrame(event.data as ArrayBuffer));
    });
    socket.addEventListener("close", () => {
      this.onState(false);
      setTimeout(() => this.open(), 1000);
    });
  }

  get connected(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(command: Command): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }
}
