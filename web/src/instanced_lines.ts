// Lines that are drawn many times at once. three.js has instances of meshes only, but asks any object for the marks of one.
import * as THREE from "three";

export class InstancedLines extends THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial> {
  readonly isInstancedMesh = true;
  readonly instanceMatrix: THREE.InstancedBufferAttribute;
  readonly instanceColor = null;
  readonly morphTexture = null;
  count: number;

  constructor(geometry: THREE.BufferGeometry, material: THREE.LineBasicMaterial, matrices: THREE.InstancedBufferAttribute) {
    super(geometry, material);
    this.instanceMatrix = matrices;
    this.count = matrices.count;
    this.frustumCulled = false;
  }
}
