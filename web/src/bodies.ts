// The recording's shapes as three.js objects, and their poses at a time.
import * as THREE from "three";
import { bodyPose, type Place } from "./motion.ts";
import type { Item, Mesh, View, Wrap } from "./view.ts";

const DYNAMIC = new THREE.Color("#1fa97c");
const STATIC = new THREE.Color("#4c8fd6");

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

/** Sets an object's pose from px py pz qx qy qz qw. */
function place(object: THREE.Object3D, pose: ArrayLike<number>): void {
  object.position.set(pose[0], pose[1], pose[2]);
  object.quaternion.set(pose[3], pose[4], pose[5], pose[6]);
}

export class Bodies {
  readonly root = new THREE.Group();
  readonly overlay: THREE.Object3D[] = [];
  /** One group per body; the last one is the world's. */
  readonly groups: THREE.Group[] = [];
  /** Called when a picture has arrived: what is shown is out of date. */
  onPictures: () => void = () => {};
  private readonly onPicture = () => this.onPictures();
  private readonly view: View;
  private readonly pose = new Float64Array(7);

  constructor(view: View) {
    this.view = view;
    for (let i = 0; i <= view.bodies; i++) {
      this.groups.push(new THREE.Group());
      this.root.add(this.groups[i]);
    }
    const solids = view.meshes.map(solidGeometry);
    const lines = view.meshes.map((mesh, i) => lineGeometry(mesh, solids[i]));
    const materials = new Map<string, THREE.Material>();
    for (const item of view.items) {
      const group = this.groups[item.body < 0 ? view.bodies : item.body];
      if (item.solid) group.add(this.solid(item, solids[item.mesh], materials));
      if (item.collider) {
        for (const object of this.collider(item, solids[item.mesh], lines[item.mesh])) {
          group.add(object);
          this.overlay.push(object);
        }
      }
    }
    this.showColliders(false);
  }

  private solid(item: Item, geometry: THREE.BufferGeometry, materials: Map<string, THREE.Material>): THREE.Mesh {
    const key = `${item.color} ${item.opacity} ${item.picture} ${item.wrap}`;
    let material = materials.get(key);
    if (!material) {
      const color = new THREE.Color().setRGB(item.color[0], item.color[1], item.color[2], THREE.SRGBColorSpace);
      material = new THREE.MeshStandardMaterial({
        color, roughness: 0.55, metalness: 0.05, transparent: item.opacity < 1, opacity: item.opacity, side: THREE.DoubleSide,
        shadowSide: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
      });
      if (item.picture !== undefined) (material as THREE.MeshStandardMaterial).map = texture(this.view.pictures[item.picture], item.wrap, this.onPicture);
      materials.set(key, material);
    }
    const mesh = new THREE.Mesh(geometry, material);
    mesh.name = item.label;
    mesh.castShadow = item.opacity > 0.5;
    mesh.receiveShadow = true;
    place(mesh, item.pose);
    return mesh;
  }

  /** A veil, its lines, and the same lines faintly through what lies in front. */
  private collider(item: Item, solid: THREE.BufferGeometry, line: THREE.BufferGeometry): THREE.Object3D[] {
    const color = item.body < 0 ? STATIC : DYNAMIC;
    const veil = new THREE.Mesh(solid, new THREE.MeshBasicMaterial({ color, transparent: true, opacity: 0.16, depthWrite: false }));
    const near = new THREE.LineSegments(line, new THREE.LineBasicMaterial({ color }));
    const far = new THREE.LineSegments(line, new THREE.LineBasicMaterial({ color, transparent: true, opacity: 0.28, depthTest: false, depthWrite: false }));
    far.renderOrder = 2;
    const objects = [veil, near, far];
    for (const object of objects) place(object, item.pose);
    return objects;
  }

  showColliders(on: boolean): void {
    for (const object of this.overlay) object.visible = on;
  }

  /** Moves every body to where it is at this place of the recording; one without a finite pose is hidden. */
  update(at: Place): void {
    for (let body = 0; body < this.view.bodies; body++) {
      const pose = bodyPose(this.view, body, at, this.pose);
      const finite = Number.isFinite(pose[0] + pose[1] + pose[2]);
      this.groups[body].visible = finite;
      if (finite) place(this.groups[body], pose);
    }
    this.root.updateMatrixWorld(true);
  }

  /** The bodies' mean position, over those with something to see. */
  centroid(out: THREE.Vector3): THREE.Vector3 {
    out.set(0, 0, 0);
    let count = 0;
    for (let body = 0; body < this.view.bodies; body++)
      if (this.groups[body].visible && this.groups[body].children.length > 0) {
        out.add(this.groups[body].position);
        count++;
      }
    return count > 0 ? out.divideScalar(count) : out;
  }

  /** Corners of the boxes around what moves, in the world; around everything when nothing moves. */
  corners(): THREE.Vector3[] {
    const moving = this.groups.slice(0, this.view.bodies).filter((g) => g.visible && g.children.length > 0);
    const out: THREE.Vector3[] = [];
    for (const group of moving.length > 0 ? moving : this.groups)
      for (const child of group.children) {
        if (!(child instanceof THREE.Mesh) || this.overlay.includes(child)) continue;
        const box: THREE.Box3 = child.geometry.boundingBox;
        for (let i = 0; i < 8; i++)
          out.push(new THREE.Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).applyMatrix4(child.matrixWorld));
      }
    return out;
  }
}
