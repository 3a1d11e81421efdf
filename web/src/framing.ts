// Puts what moves into the frame.
import * as THREE from "three";

/** Distance from `target` against `direction` at which all points lie within `fill` of the frame. */
export function fitDistance(points: THREE.Vector3[], target: THREE.Vector3, direction: THREE.Vector3, up: THREE.Vector3, fovY: number, aspect: number, fill = 0.8): number {
  const forward = direction.clone().normalize();
  const right = forward.clone().cross(up).normalize();
  const above = right.clone().cross(forward);
  const tanY = Math.tan((fovY * Math.PI) / 360) * fill;
  const tanX = tanY * aspect;
  const v = new THREE.Vector3();
  let distance = 0;
  for (const p of points) {
    v.copy(p).sub(target);
    const depth = v.dot(forward);
    distance = Math.max(distance, Math.abs(v.dot(right)) / tanX - depth, Math.abs(v.dot(above)) / tanY - depth);
  }
  return distance;
}
