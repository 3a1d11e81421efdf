// Surfaces and balls of particles as three.js objects, and their places at a time.
import * as THREE from "three";
import { particlePlaces, type Place } from "./motion.ts";
import type { View } from "./view.ts";

interface Surface {
  particles: Uint32Array;
  positions: THREE.BufferAttribute;
  geometry: THREE.BufferGeometry;
}

export class Softs {
  readonly root = new THREE.Group();
  private readonly view: View;
  private readonly surfaces: Surface[] = [];
  private readonly balls: THREE.InstancedMesh | null = null;
  private readonly places: Float32Array;

  constructor(view: View) {
    this.view = view;
    this.places = new Float32Array(3 * view.particles);
    for (const soft of view.softs) {
      const geometry = new THREE.BufferGeometry();
      const positions = new THREE.BufferAttribute(new Float32Array(3 * soft.particles.length), 3);
      positions.setUsage(THREE.DynamicDrawUsage);
      geometry.setAttribute("position", positions);
      geometry.setIndex(new THREE.BufferAttribute(soft.triangles, 1));
      const material = new THREE.MeshStandardMaterial({
        roughness: 0.8, metalness: 0, transparent: soft.opacity < 1, opacity: soft.opacity, side: THREE.DoubleSide, shadowSide: THREE.DoubleSide,
        color: new THREE.Color().setRGB(soft.color[0], soft.color[1], soft.color[2], THREE.SRGBColorSpace),
      });
      const mesh = new THREE.Mesh(geometry, material);
      mesh.name = soft.label;
      mesh.frustumCulled = false;
      mesh.castShadow = soft.opacity > 0.5;
      mesh.receiveShadow = true;
      this.root.add(mesh);
      this.surfaces.push({ particles: soft.particles, positions, geometry });
    }
    const count = view.balls.particles.length;
    if (count === 0) return;
    const color = new THREE.Color().setRGB(view.balls.color[0], view.balls.color[1], view.balls.color[2], THREE.SRGBColorSpace);
    this.balls = new THREE.InstancedMesh(new THREE.IcosahedronGeometry(1, count > 500 ? 0 : 2), new THREE.MeshStandardMaterial({ roughness: 0.6, color }), count);
    this.balls.frustumCulled = false;
    this.balls.castShadow = true;
    this.balls.receiveShadow = true;
    this.root.add(this.balls);
  }

  /** Moves every vertex and ball to where it is at this place of the recording. */
  update(at: Place): void {
    if (this.view.particles === 0) return;
    particlePlaces(this.view, at, this.places);
    for (const surface of this.surfaces) {
      const out = surface.positions.array as Float32Array;
      surface.particles.forEach((p, i) => {
        for (let k = 0; k < 3; k++) out[3 * i + k] = this.places[3 * p + k];
      });
      surface.positions.needsUpdate = true;
      surface.geometry.computeVertexNormals();
    }
    if (!this.balls) return;
    const matrix = new THREE.Matrix4();
    this.view.balls.particles.forEach((p, i) => {
      const r = this.view.balls.radii[i];
      matrix.makeScale(r, r, r).setPosition(this.places[3 * p], this.places[3 * p + 1], this.places[3 * p + 2]);
      this.balls?.setMatrixAt(i, matrix);
    });
    this.balls.instanceMatrix.needsUpdate = true;
  }

  /** Places of everything, for the camera. */
  corners(): THREE.Vector3[] {
    const out: THREE.Vector3[] = [];
    const step = Math.max(1, Math.floor(this.view.particles / 512));
    for (let i = 0; i < this.view.particles; i += step) out.push(new THREE.Vector3(this.places[3 * i], this.places[3 * i + 1], this.places[3 * i + 2]));
    return out;
  }
}
