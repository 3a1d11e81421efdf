// Surfaces of pressure contact as one coloured mesh: blue where bodies barely press, red where they press deepest.
import * as THREE from "three";

const MOST = 20_000; // faces, as src/viewer/live_frame.cpp sends

export class Patches {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  private readonly positions: THREE.BufferAttribute;
  private readonly colors: THREE.BufferAttribute;
  private readonly color = new THREE.Color();

  constructor() {
    const geometry = new THREE.BufferGeometry();
    this.positions = new THREE.BufferAttribute(new Float32Array(9 * MOST), 3);
    this.colors = new THREE.BufferAttribute(new Float32Array(9 * MOST), 3);
    geometry.setAttribute("position", this.positions);
    geometry.setAttribute("color", this.colors);
    this.mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ vertexColors: true, side: THREE.DoubleSide, depthTest: false, transparent: true, opacity: 0.85 }));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 3;
    this.mesh.visible = false;
  }

  /** @param corners  nine numbers a face; @param depths  how deep both bodies are in each other there */
  update(corners: Float32Array, depths: Float32Array): void {
    const deepest = depths.reduce((most, d) => Math.max(most, d), 1e-12);
    const places = this.positions.array as Float32Array;
    let count = 0;
    for (let i = 0; i < depths.length && count < MOST; i++) {
      if (!(depths[i] > 0)) continue; // they are near, and do not press
      places.set(corners.subarray(9 * i, 9 * i + 9), 9 * count);
      this.color.setHSL((1 - depths[i] / deepest) * 0.66, 0.9, 0.5);
      for (let k = 0; k < 3; k++) this.color.toArray(this.colors.array as Float32Array, 9 * count + 3 * k);
      count++;
    }
    this.positions.needsUpdate = this.colors.needsUpdate = true;
    this.mesh.geometry.setDrawRange(0, 3 * count);
  }
}
