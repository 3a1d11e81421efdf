// Puts what moves into the frame.
import * as THREE from "three";

export interface Frame {
  target: THREE.Vector3;
  distance: number;
}

/** What lies over the edges of the window [px]. */
export interface Covered {
  right: number;
  top: number;
  bottom: number;
}

/** What the page's controls cover: buttons above, the bar below, and `panel` px on the right. Pages without controls cover nothing. */
export function coveredByControls(bare: boolean, panel = 0): Covered {
  return bare ? { right: 0, top: 0, bottom: 0 } : { right: panel, top: 50, bottom: 78 };
}

/** Where to look along `forward`, and from how far, so that all points lie within these shares of the frame and in its middle. */
export function fitFrame(points: THREE.Vector3[], forward: THREE.Vector3, up: THREE.Vector3, fovY: number, aspect: number, fillX: number, fillY: number): Frame {
  const box = new THREE.Box3().setFromPoints(points);
  const target = box.isEmpty() ? new THREE.Vector3() : box.getCenter(new THREE.Vector3());
  const right = forward.clone().cross(up).normalize();
  const above = right.clone().cross(forward);
  const half = Math.tan((fovY * Math.PI) / 360);
  const [tanX, tanY] = [half * aspect * fillX, half * fillY];
  const v = new THREE.Vector3();
  let distance = 0;
  // A box's centre is not its picture's: after a first look the target moves to the middle of what is seen.
  for (let pass = 0; pass < 3; pass++) {
    distance = 0;
    for (const p of points) {
      v.copy(p).sub(target);
      distance = Math.max(distance, Math.abs(v.dot(right)) / tanX - v.dot(forward), Math.abs(v.dot(above)) / tanY - v.dot(forward));
    }
    let [left, most, low, high] = [0, 0, 0, 0];
    for (const p of points) {
      v.copy(p).sub(target);
      const depth = distance + v.dot(forward);
      const x = v.dot(right) / depth;
      const y = v.dot(above) / depth;
      [left, most, low, high] = [Math.min(left, x), Math.max(most, x), Math.min(low, y), Math.max(high, y)];
    }
    target.addScaledVector(right, (distance * (left + most)) / 2).addScaledVector(above, (distance * (low + high)) / 2);
  }
  return { target, distance };
}
