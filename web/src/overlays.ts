// Overlays of what a model is made of: centres of mass, boxes of equal inertia, joint frames, names.
import * as THREE from "three";
import { type Bodies, poseMatrix } from "./bodies.ts";
import { InstancedLines } from "./instanced_lines.ts";
import { shortNames } from "./names.ts";
import type { Parts } from "./view.ts";

const MOST_NAMES = 80;

function matricesOf(count: number): THREE.InstancedBufferAttribute {
  return new THREE.InstancedBufferAttribute(new Float32Array(16 * Math.max(1, count)), 16);
}

function boxEdges(): THREE.BufferGeometry {
  return new THREE.EdgesGeometry(new THREE.BoxGeometry(2, 2, 2));
}

/** Three coloured lines of length one. */
function axes(): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1], 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute([0.9, 0.2, 0.2, 0.9, 0.2, 0.2, 0.2, 0.65, 0.25, 0.2, 0.65, 0.25, 0.25, 0.45, 0.95, 0.25, 0.45, 0.95], 3));
  return geometry;
}

export class Overlays {
  readonly centres = new THREE.Group();
  readonly inertias = new THREE.Group();
  readonly joints = new THREE.Group();
  readonly names = document.createElement("div");
  private readonly parts: Parts;
  private readonly bodies: Bodies;
  private readonly massive: number[]; // bodies with a mass
  private readonly points: THREE.InstancedMesh;
  private readonly whole: THREE.Mesh;
  private readonly boxes: InstancedLines;
  private readonly frames: InstancedLines;
  private readonly size: number;
  private readonly labels: HTMLElement[];
  private readonly byMass: number[]; // bodies with a label, the heaviest first

  constructor(parts: Parts, bodies: Bodies, radius: number) {
    this.parts = parts;
    this.bodies = bodies;
    this.size = radius;
    this.massive = parts.bodies.map((_, i) => i).filter((i) => parts.bodies[i].mass > 0);
    const material = new THREE.MeshBasicMaterial({ color: "#d946ef", depthTest: false, transparent: true, opacity: 0.85 });
    this.points = new THREE.InstancedMesh(new THREE.SphereGeometry(0.014 * radius, 12, 8), material, Math.max(1, this.massive.length));
    this.points.frustumCulled = false;
    this.points.renderOrder = 5;
    this.whole = new THREE.Mesh(new THREE.SphereGeometry(0.03 * radius, 20, 14), new THREE.MeshBasicMaterial({ color: "#f59e0b", depthTest: false, transparent: true, opacity: 0.9 }));
    this.whole.renderOrder = 6;
    this.centres.add(this.points, this.whole);
    this.boxes = new InstancedLines(boxEdges(), new THREE.LineBasicMaterial({ color: "#d946ef", depthTest: false, transparent: true }), matricesOf(this.massive.length));
    this.inertias.add(this.boxes);
    this.frames = new InstancedLines(axes(), new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }), matricesOf(parts.joints.length));
    this.frames.renderOrder = this.boxes.renderOrder = 5;
    this.joints.add(this.frames);
    this.names.className = "names";
    this.labels = shortNames(parts.bodies.slice(0, MOST_NAMES).map((body) => body.label)).map((name) => {
      const label = document.createElement("span");
      label.textContent = name;
      this.names.append(label);
      return label;
    });
    this.byMass = this.labels.map((_, i) => i).sort((a, b) => parts.bodies[b].mass - parts.bodies[a].mass);
    for (const group of [this.centres, this.inertias, this.joints]) group.visible = false;
    this.names.hidden = true;
  }

  update(camera: THREE.PerspectiveCamera): void {
    if (this.centres.visible) this.updateCentres();
    if (this.inertias.visible) this.updateInertias();
    if (this.joints.visible) this.updateJoints();
    if (!this.names.hidden) this.updateNames(camera);
  }

  private updateCentres(): void {
    const at = new THREE.Vector3();
    const sum = new THREE.Vector3();
    const matrix = new THREE.Matrix4();
    let mass = 0;
    this.massive.forEach((body, i) => {
      const part = this.parts.bodies[body];
      at.fromArray(part.com).applyMatrix4(this.bodies.matrices[body]);
      this.points.setMatrixAt(i, this.bodies.visible[body] ? matrix.makeTranslation(at) : matrix.makeScale(0, 0, 0));
      if (!this.bodies.visible[body]) return;
      sum.addScaledVector(at, part.mass);
      mass += part.mass;
    });
    this.points.count = this.massive.length;
    this.points.instanceMatrix.needsUpdate = true;
    this.whole.visible = mass > 0;
    if (mass > 0) this.whole.position.copy(sum.divideScalar(mass));
  }

  private updateInertias(): void {
    const matrix = new THREE.Matrix4();
    const out = this.boxes.instanceMatrix.array as Float32Array;
    this.massive.forEach((body, i) => {
      const part = this.parts.bodies[body];
      if (!part.box || !part.axes || !this.bodies.visible[body]) return matrix.makeScale(0, 0, 0).toArray(out, 16 * i);
      matrix.compose(new THREE.Vector3().fromArray(part.com), new THREE.Quaternion().fromArray(part.axes), new THREE.Vector3().fromArray(part.box));
      return matrix.premultiply(this.bodies.matrices[body]).toArray(out, 16 * i);
    });
    this.boxes.count = this.massive.length;
    this.boxes.instanceMatrix.needsUpdate = true;
  }

  private updateJoints(): void {
    const matrix = new THREE.Matrix4();
    const scale = new THREE.Matrix4().makeScale(0.14 * this.size, 0.14 * this.size, 0.14 * this.size);
    const out = this.frames.instanceMatrix.array as Float32Array;
    this.parts.joints.forEach((joint, i) => {
      poseMatrix(joint.frame, matrix).multiply(scale);
      if (joint.parent >= 0) matrix.premultiply(this.bodies.matrices[joint.parent]);
      matrix.toArray(out, 16 * i);
    });
    this.frames.count = this.parts.joints.length;
    this.frames.instanceMatrix.needsUpdate = true;
  }

  private updateNames(camera: THREE.PerspectiveCamera): void {
    const at = new THREE.Vector3();
    const taken: [number, number, number][] = []; // middle and half width [px]
    for (const body of this.byMass) {
      const label = this.labels[body];
      at.fromArray(this.parts.bodies[body].com).applyMatrix4(this.bodies.matrices[body]).project(camera);
      const [x, y] = [(window.innerWidth * (at.x + 1)) / 2, (window.innerHeight * (1 - at.y)) / 2];
      const half = 4 + 3.2 * (label.textContent?.length ?? 0);
      // A name that would cover another one is left out; heavy parts have theirs first.
      const seen = this.bodies.visible[body] && at.z > -1 && at.z < 1 && !taken.some(([tx, ty, th]) => Math.abs(tx - x) < th + half && Math.abs(ty - y) < 16);
      label.hidden = !seen;
      if (!seen) continue;
      taken.push([x, y, half]);
      label.style.left = `${(50 * (at.x + 1)).toFixed(2)}%`;
      label.style.top = `${(50 * (1 - at.y)).toFixed(2)}%`;
    }
  }
}
