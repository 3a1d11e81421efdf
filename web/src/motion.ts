// Poses between frames, without three.js so that node can test them.
import type { View } from "./view.ts";

/** Where a time lies: frame `index`, and how far towards the next one. */
export interface Place {
  index: number;
  fraction: number;
}

/** Frames are in order of time; times outside are held at the ends. */
export function locate(times: ArrayLike<number>, t: number): Place {
  const last = times.length - 1;
  if (last < 1 || !(t > times[0])) return { index: 0, fraction: 0 };
  if (t >= times[last]) return { index: last, fraction: 0 };
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return { index: low, fraction: (t - times[low]) / (times[high] - times[low]) };
}

/** Writes px py pz qx qy qz qw of a body; rotations take the shorter way and stay unit. */
export function bodyPose(view: View, body: number, place: Place, out: Float64Array): Float64Array {
  const a = place.index * view.bodies + body;
  const b = place.fraction > 0 ? a + view.bodies : a;
  const f = place.fraction;
  for (let k = 0; k < 3; k++) out[k] = (1 - f) * view.positions[3 * a + k] + f * view.positions[3 * b + k];
  const q = view.rotations;
  let dot = 0;
  for (let k = 0; k < 4; k++) dot += q[4 * a + k] * q[4 * b + k];
  const sign = dot < 0 ? -1 : 1;
  let norm = 0;
  for (let k = 0; k < 4; k++) {
    out[3 + k] = (1 - f) * q[4 * a + k] + f * sign * q[4 * b + k];
    norm += out[3 + k] * out[3 + k];
  }
  norm = Math.sqrt(norm) || 1;
  for (let k = 0; k < 4; k++) out[3 + k] /= norm;
  return out;
}

/** Writes x y z of every particle that is drawn. */
export function particlePlaces(view: View, place: Place, out: Float32Array): Float32Array {
  const a = 3 * view.particles * place.index;
  const b = place.fraction > 0 ? a + 3 * view.particles : a;
  const f = place.fraction;
  for (let i = 0; i < out.length; i++) out[i] = (1 - f) * view.places[a + i] + f * view.places[b + i];
  return out;
}

/** The value below which this share of the lengths of the vectors lies; 0 when there are none. */
export function lengthPercentile(vectors: ArrayLike<number>, share: number): number {
  const lengths: number[] = [];
  for (let i = 0; i + 2 < vectors.length; i += 3) {
    const length = Math.hypot(vectors[i], vectors[i + 1], vectors[i + 2]);
    if (length > 0 && Number.isFinite(length)) lengths.push(length);
  }
  lengths.sort((a, b) => a - b);
  return lengths.length === 0 ? 0 : lengths[Math.min(lengths.length - 1, Math.floor(share * lengths.length))];
}
