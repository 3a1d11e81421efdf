// The mouse on the model: a click picks, a drag with Shift or Control (or with the toggle) pulls a body.
import * as THREE from "three";
import type { Stage } from "./stage.ts";
import type { Item } from "./view.ts";

const CLICK = 4; // [px] that a click may move

export interface MouseEvents {
  pick(item: Item | null): void;
  grab(body: number, point: number[], target: number[]): void;
  drag(target: number[]): void;
  release(): void;
}

export class Mouse {
  /** A plain drag on a body pulls it. */
  pulls = false;
  private readonly stage: Stage;
  private readonly events: MouseEvents;
  private readonly line: THREE.Line;
  private held: { body: number; local: THREE.Vector3; plane: THREE.Plane; target: THREE.Vector3 } | null = null;
  private lifted = false;
  private down: { x: number; y: number } | null = null;

  constructor(stage: Stage, events: MouseEvents) {
    this.stage = stage;
    this.events = events;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6), 3));
    this.line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: "#f5a524", depthTest: false, transparent: true }));
    this.line.frustumCulled = this.line.visible = false;
    this.line.renderOrder = 7;
    stage.scene.add(this.line);
    const canvas = stage.renderer.domElement;
    canvas.addEventListener("pointerdown", (event) => this.press(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, (event) => this.lift(event), { capture: true });
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.drop();
    this.down = { x: event.clientX, y: event.clientY };
    if (!(this.pulls || event.shiftKey || event.ctrlKey)) return;
    const hit = this.stage.bodies.hit(this.stage.ray(event.clientX, event.clientY));
    if (!hit || hit.item.body < 0) return;
    const local = hit.point.clone().applyMatrix4(this.stage.bodies.matrices[hit.item.body].clone().invert());
    const away = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.held = { body: hit.item.body, local, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(away, hit.point), target: hit.point.clone() };
    this.stage.controls.enabled = false;
    this.stage.renderer.domElement.setPointerCapture(event.pointerId);
    this.events.grab(hit.item.body, local.toArray(), hit.point.toArray());
  }

  private move(event: PointerEvent): void {
    if (!this.held || this.lifted) return;
    const target = this.stage.ray(event.clientX, event.clientY).ray.intersectPlane(this.held.plane, new THREE.Vector3());
    if (!target) return;
    this.held.target.copy(target);
    this.events.drag(target.toArray());
  }

  private lift(event: PointerEvent): void {
    const { down } = this;
    this.down = null;
    if (this.held) {
      this.held = null;
      this.stage.controls.enabled = true;
      this.events.release();
    }
    if (down && event.type === "pointerup" && Math.hypot(event.clientX - down.x, event.clientY - down.y) < CLICK)
      this.events.pick(this.stage.bodies.hit(this.stage.ray(event.clientX, event.clientY))?.item ?? null);
  }

  /** A body hangs on the mouse's spring without a mouse. */
  get lifts(): boolean {
    return this.lifted;
  }

  /** Takes a body by its origin; keys move the spring's end. */
  liftBody(item: Item | null): void {
    if (!item || item.body < 0 || this.held) return;
    const point = new THREE.Vector3().setFromMatrixPosition(this.stage.bodies.matrices[item.body]);
    this.lifted = true;
    this.held = { body: item.body, local: new THREE.Vector3(), plane: new THREE.Plane(), target: point };
    this.events.grab(item.body, [0, 0, 0], point.toArray());
  }

  /** Moves the end of the spring by an arrow or page key, as the picture shows it; false for other keys. */
  nudge(key: string): boolean {
    const ways: Record<string, [number, number, number]> = { ArrowRight: [1, 0, 0], ArrowLeft: [-1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageUp: [0, 0, 1], PageDown: [0, 0, -1] };
    const way = ways[key];
    if (!way || !this.held || !this.lifted) return false;
    const { camera } = this.stage;
    const forward = camera.getWorldDirection(new THREE.Vector3()).addScaledVector(camera.up, -camera.getWorldDirection(new THREE.Vector3()).dot(camera.up)).normalize();
    const step = 0.08 * this.stage.radius;
    this.held.target.addScaledVector(forward.clone().cross(camera.up), step * way[0]).addScaledVector(forward, step * way[1]).addScaledVector(camera.up, step * way[2]);
    this.events.drag(this.held.target.toArray());
    return true;
  }

  drop(): void {
    if (!this.lifted) return;
    this.lifted = false;
    this.held = null;
    this.events.release();
  }

  /** Draws the spring from the body to the mouse. */
  update(): void {
    this.line.visible = this.held !== null;
    if (!this.held) return;
    const from = this.held.local.clone().applyMatrix4(this.stage.bodies.matrices[this.held.body]);
    const ends = this.line.geometry.getAttribute("position") as THREE.BufferAttribute;
    ends.setXYZ(0, from.x, from.y, from.z);
    ends.setXYZ(1, this.held.target.x, this.held.target.y, this.held.target.z);
    ends.needsUpdate = true;
  }
}
