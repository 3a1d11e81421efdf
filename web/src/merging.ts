// Which shapes become one draw call: equal meshes as instances, or all that a body shows as one mesh that bodies alike share.
import * as THREE from "three";
import type { Item, Mesh } from "./view.ts";

/** More vertices are not copied together: their meshes stay shared. */
const MOST_VERTICES = 1_000_000;

/** Items that move together; all instances of a bucket look alike. */
export interface Instance {
  body: number;
  items: Item[];
}

/** Shapes that one draw call shows. */
export interface Together {
  merged: boolean; // each instance is a body's items in its frame; otherwise one item in its own
  instances: Instance[];
}

export function grouped<T>(items: readonly T[], key: (item: T) => string): T[][] {
  const out = new Map<string, T[]>();
  for (const item of items) {
    const list = out.get(key(item));
    if (list) list.push(item);
    else out.set(key(item), [item]);
  }
  return [...out.values()];
}

/**
 * The fewest draw calls for items of one material: one for each mesh, or one for each kind of body. A hundred robots of
 * many small meshes take as many as they have links.
 */
export function together(items: readonly Item[], meshes: readonly Mesh[]): Together[] {
  const byMesh = grouped(items, (i) => String(i.mesh));
  const bodies = grouped(items, (i) => String(i.body));
  const alike = grouped(bodies, (of) => JSON.stringify([of[0].body < 0, of.map((i) => [i.mesh, i.pose, i.color])]));
  const copied = alike.reduce((sum, [first]) => sum + first.reduce((s, i) => s + meshes[i.mesh].positions.length / 3, 0), 0);
  if (alike.length < byMesh.length && copied <= MOST_VERTICES)
    return alike.map((of) => ({ merged: true, instances: of.map((its) => ({ body: its[0].body, items: its })) }));
  return byMesh.map((of) => ({ merged: false, instances: of.map((item) => ({ body: item.body, items: [item] })) }));
}

/** What a body shows, as one mesh in its frame; `starts` is the first triangle of each item. */
export function mergedMesh(items: readonly Item[], meshes: readonly Mesh[]): { mesh: Mesh; colors: Float32Array<ArrayBuffer>; starts: number[] } {
  const sum = (of: (mesh: Mesh) => number) => items.reduce((n, i) => n + of(meshes[i.mesh]), 0);
  const vertices = sum((m) => m.positions.length / 3);
  const mesh: Mesh = {
    positions: new Float32Array(3 * vertices),
    normals: new Float32Array(3 * vertices),
    triangles: new Uint32Array(sum((m) => m.triangles.length)),
    lines: new Uint32Array(sum((m) => m.lines.length)),
    ...(items.every((i) => meshes[i.mesh].uvs) ? { uvs: new Float32Array(2 * vertices) } : {}),
  };
  const colors = new Float32Array(3 * vertices);
  const starts: number[] = [];
  let [vertex, corner, end] = [0, 0, 0];
  const at = new THREE.Vector3();
  for (const item of items) {
    const from = meshes[item.mesh];
    const [shift, turn] = [new THREE.Vector3().fromArray(item.pose), new THREE.Quaternion().fromArray(item.pose, 3)];
    const color = new THREE.Color().setRGB(item.color[0], item.color[1], item.color[2], THREE.SRGBColorSpace);
    starts.push(corner / 3);
    const count = from.positions.length / 3;
    for (let i = 0; i < count; i++) {
      at.fromArray(from.positions, 3 * i).applyQuaternion(turn).add(shift).toArray(mesh.positions, 3 * (vertex + i));
      at.fromArray(from.normals, 3 * i).applyQuaternion(turn).toArray(mesh.normals, 3 * (vertex + i));
      color.toArray(colors, 3 * (vertex + i));
    }
    if (mesh.uvs && from.uvs) mesh.uvs.set(from.uvs, 2 * vertex);
    from.triangles.forEach((v, i) => (mesh.triangles[corner + i] = v + vertex));
    from.lines.forEach((v, i) => (mesh.lines[end + i] = v + vertex));
    vertex += count;
    corner += from.triangles.length;
    end += from.lines.length;
  }
  return { mesh, colors, starts };
}
