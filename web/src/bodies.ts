// The recording's shapes as three.js objects, and their poses at a time. Equal shapes are instances of one object, so that
// a hundred robots take as many draw calls as one.
import * as THREE from "three";
import { InstancedLines } from "./instanced_lines.ts";
import { grouped, type Instance, mergedMesh, together } from "./merging.ts";
import { bodyPose, type Place } from "./motion.ts";
import type { Item, Mesh, View, Wrap } from "./view.ts";

const DYNAMIC = new THREE.Color("#1fa97c");
const STATIC = new THREE.Color("#4c8fd6");
const NOWHERE = new THREE.Matrix4().makeScale(0, 0, 0);

function solidGeometry(mesh: Mesh): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(mesh.positions, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(mesh.normals, 3));
  if (mesh.uvs) geometry.setAttribute("uv", new THREE.BufferAttribute(mesh.uvs, 2));
  geometry.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
  geometry.computeBoundingBox();
  geometry.computeBoundingSphere();
  return geometry;
}

function lineGeometry(mesh: Mesh, solid: THREE.BufferGeometry): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", solid.getAttribute("position"));
  geometry.setIndex(new THREE.BufferAttribute(mesh.lines, 1));
  return geometry;
}

// three.js has no border of one colour: "black" shows the picture's own edge there.
const WRAPPING: Record<Wrap, THREE.Wrapping> = {
  black: THREE.ClampToEdgeWrapping,
  clamp: THREE.ClampToEdgeWrapping,
  repeat: THREE.RepeatWrapping,
  mirror: THREE.MirroredRepeatWrapping,
};

function texture(uri: string, wrap: [Wrap, Wrap] | undefined, loaded: () => void): THREE.Texture {
  const out = new THREE.TextureLoader().load(uri, loaded);
  out.colorSpace = THREE.SRGBColorSpace;
  out.anisotropy = 4;
  [out.wrapS, out.wrapT] = [WRAPPING[wrap?.[0] ?? "repeat"], WRAPPING[wrap?.[1] ?? "repeat"]];
  return out;
}

/** The matrix of px py pz qx qy qz qw. */
export function poseMatrix(pose: ArrayLike<number>, out = new THREE.Matrix4()): THREE.Matrix4 {
  return out.compose(
    new THREE.Vector3(pose[0], pose[1], pose[2]),
    new THREE.Quaternion(pose[3], pose[4], pose[5], pose[6]),
    new THREE.Vector3(1, 1, 1),
  );
}

/** What one draw call shows. */
interface Bucket {
  instances: Instance[];
  local: THREE.Matrix4[] | null; // of each instance in its body; null: they stand in the body's frame
  starts: number[]; // first triangle of each item of an instance
  matrices: THREE.InstancedBufferAttribute;
  solid: THREE.InstancedMesh | null; // null: an overlay
}

/** A geometry that several instances share, and where its items begin. */
interface Shared {
  solid: THREE.BufferGeometry;
  line: THREE.BufferGeometry;
  local: THREE.Matrix4[] | null;
  starts: number[];
}

export class Bodies {
  readonly root = new THREE.Group();
  readonly overlay: THREE.Object3D[] = [];
  /** Where each body is; the last one is the world. */
  readonly matrices: THREE.Matrix4[] = [];
  /** Bodies without a finite pose are not. */
  readonly visible: boolean[] = [];
  /** Called when a picture has arrived: what is shown is out of date. */
  onPictures: () => void = () => {};
  private readonly onPicture = () => this.onPictures();
  private readonly view: View;
  private readonly pose = new Float64Array(7);
  private readonly buckets: Bucket[] = [];
  private readonly solids: THREE.BufferGeometry[];
  private readonly shown: Set<number>; // bodies with something to see
  private collidersOn = false;

  constructor(view: View) {
    this.view = view;
    for (let i = 0; i <= view.bodies; i++) {
      this.matrices.push(new THREE.Matrix4());
      this.visible.push(true);
    }
    this.shown = new Set(view.items.filter((i) => i.solid && i.body >= 0).map((i) => i.body));
    this.solids = view.meshes.map(solidGeometry);
    for (const items of grouped(view.items.filter((i) => i.solid), (i) => `${i.opacity} ${i.picture} ${i.wrap}`))
      for (const { merged, instances } of together(items, view.meshes)) this.addSolid(instances, merged);
    const plain = view.items.filter((i) => i.collider).map((i) => ({ ...i, color: [1, 1, 1] }));
    for (const items of grouped(plain, (i) => String(i.body < 0)))
      for (const { merged, instances } of together(items, view.meshes)) this.addCollider(instances, merged);
    this.showColliders(false);
  }

  /** The geometry of instances that look alike. */
  private shared(instances: Instance[], merged: boolean, colored: boolean): Shared {
    const first = instances[0].items;
    if (!merged) {
      const solid = this.solids[first[0].mesh];
      return { solid, line: lineGeometry(this.view.meshes[first[0].mesh], solid), local: instances.map((i) => poseMatrix(i.items[0].pose)), starts: [0] };
    }
    const { mesh, colors, starts } = mergedMesh(first, this.view.meshes);
    const solid = solidGeometry(mesh);
    if (colored) solid.setAttribute("color", new THREE.BufferAttribute(colors, 3));
    return { solid, line: lineGeometry(mesh, solid), local: null, starts };
  }

  private addSolid(instances: Instance[], merged: boolean): void {
    const first = instances[0].items[0];
    const { solid, local, starts } = this.shared(instances, merged, true);
    const material = new THREE.MeshStandardMaterial({
      roughness: 0.55, metalness: 0.05, transparent: first.opacity < 1, opacity: first.opacity, side: THREE.DoubleSide, vertexColors: merged,
      shadowSide: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    });
    if (first.picture !== undefined) material.map = texture(this.view.pictures[first.picture], first.wrap, this.onPicture);
    const mesh = new THREE.InstancedMesh(solid, material, instances.length);
    if (!merged)
      instances.forEach(({ items: [item] }, i) => mesh.setColorAt(i, new THREE.Color().setRGB(item.color[0], item.color[1], item.color[2], THREE.SRGBColorSpace)));
    mesh.frustumCulled = false;
    mesh.castShadow = first.opacity > 0.5;
    mesh.receiveShadow = true;
    this.root.add(mesh);
    this.buckets.push({ instances, local, starts, matrices: mesh.instanceMatrix, solid: mesh });
  }

  /** A veil, its lines, and the same lines faintly through what lies in front. */
  private addCollider(instances: Instance[], merged: boolean): void {
    const color = instances[0].body < 0 ? STATIC : DYNAMIC;
    const { solid, line, local, starts } = this.shared(instances, merged, false);
    const veil = new THREE.InstancedMesh(solid, new THREE.MeshBasicMaterial({ color, transparent: true, opacity: 0.16, depthWrite: false }), instances.length);
    veil.frustumCulled = false;
    const near = new InstancedLines(line, new THREE.LineBasicMaterial({ color }), veil.instanceMatrix);
    const far = new InstancedLines(line, new THREE.LineBasicMaterial({ color, transparent: true, opacity: 0.28, depthTest: false, depthWrite: false }), veil.instanceMatrix);
    far.renderOrder = 2;
    for (const object of [veil, near, far]) {
      this.root.add(object);
      this.overlay.push(object);
    }
    this.buckets.push({ instances, local, starts, matrices: veil.instanceMatrix, solid: null });
  }

  showColliders(on: boolean): void {
    this.collidersOn = on;
    for (const object of this.overlay) object.visible = on;
    this.place();
  }

  /** Moves every body to where it is at this place of the recording; one without a finite pose is hidden. */
  update(at: Place): void {
    for (let body = 0; body < this.view.bodies; body++) {
      const pose = bodyPose(this.view, body, at, this.pose);
      this.visible[body] = Number.isFinite(pose[0] + pose[1] + pose[2]);
      if (this.visible[body]) poseMatrix(pose, this.matrices[body]);
    }
    this.place();
  }

  private place(): void {
    const matrix = new THREE.Matrix4();
    for (const bucket of this.buckets) {
      if (!bucket.solid && !this.collidersOn) continue;
      const out = bucket.matrices.array as Float32Array;
      bucket.instances.forEach(({ body }, i) => {
        const local = bucket.local?.[i];
        if (body >= 0 && !this.visible[body]) NOWHERE.toArray(out, 16 * i);
        else if (body < 0) (local ?? matrix.identity()).toArray(out, 16 * i);
        else if (local) matrix.multiplyMatrices(this.matrices[body], local).toArray(out, 16 * i);
        else this.matrices[body].toArray(out, 16 * i);
      });
      bucket.matrices.needsUpdate = true;
    }
  }

  /** Whether a body is seen. */
  get moves(): boolean {
    return this.shown.size > 0;
  }

  /** The bodies' mean position, over those with something to see. */
  centroid(out: THREE.Vector3): THREE.Vector3 {
    out.set(0, 0, 0);
    const position = new THREE.Vector3();
    let count = 0;
    for (const body of this.shown)
      if (this.visible[body]) {
        out.add(position.setFromMatrixPosition(this.matrices[body]));
        count++;
      }
    return count > 0 ? out.divideScalar(count) : out;
  }

  /** Corners of the boxes around what moves, in the world; around everything when nothing moves. */
  corners(): THREE.Vector3[] {
    const solids = this.view.items.filter((i) => i.solid && (i.body < 0 || this.visible[i.body]));
    const moving = solids.filter((i) => i.body >= 0);
    const out: THREE.Vector3[] = [];
    const matrix = new THREE.Matrix4();
    for (const item of moving.length > 0 ? moving : solids) {
      const box = this.solids[item.mesh].boundingBox;
      if (!box) continue;
      poseMatrix(item.pose, matrix);
      if (item.body >= 0) matrix.premultiply(this.matrices[item.body]);
      for (let i = 0; i < 8; i++)
        out.push(new THREE.Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).applyMatrix4(matrix));
    }
    return out;
  }

  /** The shape that a ray meets first, and where. */
  hit(ray: THREE.Raycaster): { item: Item; point: THREE.Vector3 } | null {
    let best: { item: Item; point: THREE.Vector3; distance: number } | null = null;
    for (const bucket of this.buckets) {
      if (!bucket.solid) continue;
      bucket.solid.boundingSphere = null; // instances have moved since it was computed
      for (const found of ray.intersectObject(bucket.solid, false))
        if (found.instanceId !== undefined && (!best || found.distance < best.distance)) {
          const face = found.faceIndex ?? 0;
          const at = bucket.starts.findLastIndex((start) => start <= face);
          best = { item: bucket.instances[found.instanceId].items[at], point: found.point, distance: found.distance };
        }
    }
    return best;
  }

  /** Meshes over what a test picks, to show it; they lie in their places as the bodies are now. */
  copies(wanted: (item: Item) => boolean, material: THREE.Material): THREE.Mesh[] {
    return this.view.items
      .filter((i) => wanted(i) && i.solid)
      .map((item) => {
        const mesh = new THREE.Mesh(this.solids[item.mesh], material);
        mesh.matrixAutoUpdate = false;
        mesh.userData = { body: item.body, local: poseMatrix(item.pose) };
        return mesh;
      });
  }
}
