// The overlay of contacts: points, normals and forces.
import * as THREE from "three";
import { lengthPercentile } from "./motion.ts";
import type { View } from "./view.ts";

const UP = new THREE.Vector3(0, 1, 0);

export class Contacts {
  readonly group = new THREE.Group();
  private readonly view: View;
  private readonly size: number;
  private readonly forceScale: number; // metres of arrow per newton
  private readonly points: THREE.InstancedMesh;
  private readonly shafts: THREE.InstancedMesh;
  private readonly heads: THREE.InstancedMesh;
  private readonly normals: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;

  constructor(view: View, radius: number) {
    this.view = view;
    this.size = radius;
    const typical = view.typicalForce ?? lengthPercentile(view.contactForces, 0.9);
    this.forceScale = typical > 0 ? (0.55 * radius) / typical : 0;
    let most = view.contactCapacity ?? 1;
    for (let i = 0; i + 1 < view.contactStart.length; i++) most = Math.max(most, view.contactStart[i + 1] - view.contactStart[i]);

    const instances = (geometry: THREE.BufferGeometry, color: string) => {
      const mesh = new THREE.InstancedMesh(geometry, new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true }), most);
      mesh.frustumCulled = false;
      mesh.renderOrder = 4;
      this.group.add(mesh);
      return mesh;
    };
    const thick = 0.008 * radius;
    this.shafts = instances(new THREE.CylinderGeometry(thick, thick, 1, 10).translate(0, 0.5, 0), "#e5484d");
    this.heads = instances(new THREE.ConeGeometry(3 * thick, 9 * thick, 14).translate(0, -4.5 * thick, 0), "#e5484d");
    this.points = instances(new THREE.SphereGeometry(0.016 * radius, 14, 10), "#f5a524");
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6 * most), 3));
    this.normals = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: "#3b82f6", depthTest: false, transparent: true }));
    this.normals.frustumCulled = false;
    this.normals.renderOrder = 3;
    this.group.add(this.normals);
    this.group.visible = false;
  }

  /** Number of contacts shown: those of the frame. */
  update(frame: number): number {
    const view = this.view;
    const first = view.contactStart[frame];
    const count = view.contactStart[frame + 1] - first;
    const point = new THREE.Vector3();
    const force = new THREE.Vector3();
    const direction = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const matrix = new THREE.Matrix4();
    const one = new THREE.Vector3(1, 1, 1);
    const stretch = new THREE.Vector3();
    const ends = this.normals.geometry.getAttribute("position") as THREE.BufferAttribute;
    let arrows = 0;
    for (let i = 0; i < count; i++) {
      point.fromArray(view.contactPoints, 3 * (first + i));
      force.fromArray(view.contactForces, 3 * (first + i));
      const length = Math.min(1.1 * this.size, force.length() * this.forceScale);
      const active = length > 0.01 * this.size;
      // Contacts that were made early, while the shapes are still apart, carry nothing: they are half as large.
      const size = active ? 1 : 0.5;
      this.points.setMatrixAt(i, matrix.makeScale(size, size, size).setPosition(point));
      direction.fromArray(view.contactNormals, 3 * (first + i)).multiplyScalar(0.16 * this.size);
      ends.setXYZ(2 * i, point.x, point.y, point.z);
      ends.setXYZ(2 * i + 1, point.x + direction.x, point.y + direction.y, point.z + direction.z);
      if (!active) continue;
      turn.setFromUnitVectors(UP, direction.copy(force).normalize());
      this.shafts.setMatrixAt(arrows, matrix.compose(point, turn, stretch.set(1, length, 1)));
      this.heads.setMatrixAt(arrows, matrix.compose(direction.multiplyScalar(length).add(point), turn, one));
      arrows++;
    }
    this.points.count = count;
    this.shafts.count = this.heads.count = arrows;
    for (const mesh of [this.points, this.shafts, this.heads]) mesh.instanceMatrix.needsUpdate = true;
    ends.needsUpdate = true;
    this.normals.geometry.setDrawRange(0, 2 * count);
    return count;
  }
}
