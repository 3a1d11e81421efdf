// Renderer, camera and light around the recording's objects.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { AuthoredLights, cameraPose } from "./authored.ts";
import { Bodies } from "./bodies.ts";
import { Softs } from "./softs.ts";
import { Contacts } from "./contacts.ts";
import { type Covered, fitFrame } from "./framing.ts";
import { GroundGrid } from "./ground.ts";
import { locate } from "./motion.ts";
import { Overlays } from "./overlays.ts";
import { Patches } from "./patches.ts";
import type { StageCamera, View } from "./view.ts";

interface Theme {
  background: string;
  ink: string;
  shadow: number;
  sky: string;
  soil: string;
}
const THEMES: Record<"light" | "dark", Theme> = {
  light: { background: "#eceef1", ink: "#bfc5ce", shadow: 0.34, sky: "#ffffff", soil: "#b9bdc6" },
  dark: { background: "#1b1e24", ink: "#3d434f", shadow: 0.42, sky: "#dfe6f2", soil: "#4a4f5c" },
};

const NOTHING = new Float32Array(0);
const FOV = 36; // vertical [degrees]

export class Stage {
  readonly bodies: Bodies;
  readonly softs: Softs;
  readonly contacts: Contacts;
  readonly grounds: GroundGrid[];
  readonly controls: OrbitControls;
  readonly radius: number;
  readonly overlays: Overlays | null;
  readonly patches: Patches | null;
  /** Lights of the stage; null where it has none. */
  readonly authored: AuthoredLights | null;
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera: THREE.PerspectiveCamera;
  /** The camera moves with the bodies. */
  follows: boolean;
  /** Called when the bodies are in their places, before they are drawn. */
  onMoved: () => void = () => {};
  private readonly view: View;
  private readonly covered: () => Covered;
  private readonly sun = new THREE.DirectionalLight("#fffaf3", 2.15);
  private readonly fill = new THREE.HemisphereLight("#ffffff", "#b9bdc6", 1.4);
  private readonly up: THREE.Vector3;
  private readonly sunDirection: THREE.Vector3;
  private readonly centroid = new THREE.Vector3();
  private readonly moved = new THREE.Vector3();
  private through: StageCamera | null = null;

  /** @param covered  what lies over the picture now */
  constructor(canvas: HTMLCanvasElement, view: View, covered: () => Covered) {
    this.view = view;
    this.covered = covered;
    this.up = new THREE.Vector3().setComponent(view.up, 1);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.camera = new THREE.PerspectiveCamera(FOV, 1, 0.01, 100);
    this.camera.up.copy(this.up);

    this.bodies = new Bodies(view);
    this.softs = new Softs(view);
    this.scene.add(this.bodies.root, this.softs.root, this.fill, this.sun, this.sun.target);

    // What moves little is framed as a whole; what travels is followed.
    this.placeAll({ index: 0, fraction: 0 });
    const first = new THREE.Sphere().setFromPoints(this.corners());
    const whole = new THREE.Sphere().setFromPoints(this.everywhere());
    this.follows = !(whole.radius < 1.35 * first.radius);
    this.radius = Math.max(1e-3, Math.min(whole.radius, 1.35 * first.radius) || 1);

    this.contacts = new Contacts(view, Math.max(1e-3, first.radius || 1));
    // Copies of a world stand on the same ground: it is drawn once.
    const known = new Map(view.grounds.map((ground) => [`${ground.body} ${ground.pose}`, ground]));
    this.grounds = [...known.values()].map((ground) => new GroundGrid(ground, this.radius));
    this.scene.add(this.contacts.group, ...this.grounds.map((g) => g.group));
    this.overlays = view.parts ? new Overlays(view.parts, this.bodies, this.radius) : null;
    if (this.overlays) {
      this.scene.add(this.overlays.centres, this.overlays.inertias, this.overlays.joints);
      canvas.after(this.overlays.names);
    }

    this.patches = view.live?.patches ? new Patches() : null;
    if (this.patches) this.scene.add(this.patches.mesh);
    this.authored = view.looks && view.looks.lights.length > 0 ? new AuthoredLights(view.looks, this.bodies, first.center, this.radius, this.up) : null;
    if (this.authored) this.scene.add(this.authored.group);

    const side = this.basis();
    this.sunDirection = side.x.clone().multiplyScalar(0.55).addScaledVector(side.y, -0.35).add(this.up).normalize();
    this.fill.position.copy(this.up);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.normalBias = 0.012 * this.radius;
    const box = this.sun.shadow.camera;
    box.left = box.bottom = -2.2 * this.radius;
    box.right = box.top = 2.2 * this.radius;
    box.near = 0.1 * this.radius;
    box.far = 14 * this.radius;

    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.minDistance = 0.02 * this.radius;
    this.controls.maxDistance = 60 * this.radius;
    this.resize();
    this.frame();
  }

  /** The world's axes on the ground: x to the front, y to the left. */
  private basis(): { x: THREE.Vector3; y: THREE.Vector3 } {
    const x = new THREE.Vector3().setComponent(this.view.up === 0 ? 1 : 0, 1);
    return { x, y: this.up.clone().cross(x) };
  }

  private placeAll(at: { index: number; fraction: number }): void {
    this.bodies.update(at);
    this.softs.update(at);
  }

  /** Corners of what moves. */
  private corners(): THREE.Vector3[] {
    const soft = this.softs.corners();
    return soft.length > 0 && !this.bodies.moves ? soft : [...this.bodies.corners(), ...soft];
  }

  /** Corners of what moves, at a few times of the recording. */
  private everywhere(): THREE.Vector3[] {
    const out: THREE.Vector3[] = [];
    const frames = this.view.times.length;
    for (let i = 0; i < 12; i++) {
      this.placeAll({ index: Math.round((i * (frames - 1)) / 11), fraction: 0 });
      out.push(...this.corners());
    }
    this.placeAll({ index: 0, fraction: 0 });
    return out;
  }

  /** Frames what moves, from the front and a little above. */
  frame(): void {
    this.placeAll({ index: 0, fraction: 0 });
    const points = this.follows ? this.corners() : this.everywhere();
    const { x, y } = this.basis();
    const back = x.clone().multiplyScalar(0.72).addScaledVector(y, -0.95).addScaledVector(this.up, 0.52).normalize();
    const height = Math.max(1, window.innerHeight);
    const { top, bottom } = this.covered();
    const free = Math.max(0.3, 0.92 * (1 - (top + bottom) / height));
    const { target, distance } = fitFrame(points, back.clone().negate(), this.up, this.camera.fov, this.freeAspect, 0.84, free);
    // The bar covers more of the picture than the buttons above: look a little lower, so that all is seen between them.
    target.addScaledVector(this.up, -((bottom - top) / height) * distance * Math.tan((FOV * Math.PI) / 360));
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(back, Math.max(distance, 0.1 * this.radius));
    this.bodies.centroid(this.centroid);
    this.controls.update();
  }

  /** Turns the camera around what it looks at [rad]. */
  orbit(sideways: number, upwards: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    const across = this.up.clone().cross(arm).normalize();
    const angle = arm.angleTo(this.up);
    // It stays off the poles, where it would turn over.
    arm.applyAxisAngle(across, Math.max(0.05, Math.min(Math.PI - 0.05, angle - upwards)) - angle).applyAxisAngle(this.up, sideways);
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
  }

  /** Moves the camera to this share of its distance. */
  zoom(share: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target).multiplyScalar(share);
    arm.clampLength(this.controls.minDistance, this.controls.maxDistance);
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
  }

  private get freeAspect(): number {
    return Math.max(0.2, (window.innerWidth - this.covered().right) / Math.max(1, window.innerHeight));
  }

  resize(): void {
    const canvas = this.renderer.domElement;
    const width = Math.max(1, window.innerWidth);
    const height = Math.max(1, window.innerHeight);
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    canvas.style.width = "100%";
    canvas.style.height = "100%";
    this.camera.aspect = width / height;
    const covered = this.covered().right;
    if (covered > 0 && covered < width) this.camera.setViewOffset(width, height, covered / 2, 0, width, height);
    else this.camera.clearViewOffset();
    this.camera.updateProjectionMatrix();
  }

  setTheme(name: "light" | "dark"): void {
    const theme = THEMES[name];
    const background = new THREE.Color(theme.background);
    this.scene.background = background;
    this.fill.color.set(theme.sky);
    this.fill.groundColor.set(theme.soil);
    for (const ground of this.grounds) ground.setColors(background, new THREE.Color(theme.ink), theme.shadow);
  }

  showGround(on: boolean): void {
    for (const ground of this.grounds) ground.group.visible = on;
  }

  /** By the stage's lights, or by those of the page. */
  showAuthored(on: boolean): void {
    if (!this.authored) return;
    this.authored.group.visible = on;
    this.sun.visible = this.fill.visible = !on;
  }

  /** Looks through a camera of the stage, as it moves; null: a camera of the page's own, from there. */
  lookThrough(camera: StageCamera | null): void {
    this.through = camera;
    this.controls.enabled = camera === null;
    if (camera) return;
    this.camera.fov = FOV;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  private goThrough(camera: StageCamera): void {
    const pose = cameraPose(camera, this.bodies);
    if (!pose.elements.every(Number.isFinite)) return;
    const ahead = new THREE.Vector3(0, 0, -1).transformDirection(pose);
    this.camera.position.setFromMatrixPosition(pose);
    this.camera.quaternion.setFromRotationMatrix(pose);
    this.camera.fov = (180 / Math.PI) * camera.fov;
    // Where it looks, so that the page's own camera goes on from there.
    this.controls.target.copy(this.camera.position).addScaledVector(ahead, Math.max(0.2 * this.radius, this.centroid.distanceTo(this.camera.position)));
  }

  /** Begins to follow from where the bodies are now, or stops. */
  setFollows(on: boolean): void {
    this.follows = on;
    this.bodies.centroid(this.centroid);
  }

  /** The ray from the eye through a place of the window [px]. */
  ray(x: number, y: number): THREE.Raycaster {
    const out = new THREE.Raycaster();
    out.setFromCamera(new THREE.Vector2((2 * x) / window.innerWidth - 1, 1 - (2 * y) / window.innerHeight), this.camera);
    return out;
  }

  /** Where the camera is, as numbers that `place` takes back. */
  get place(): number[] {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }
  set place(numbers: number[]) {
    if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return;
    this.camera.position.fromArray(numbers);
    this.controls.target.fromArray(numbers, 3);
    this.controls.update();
  }

  /** Draws the recording at a time; returns the number of contacts then. */
  draw(time: number): number {
    const at = locate(this.view.times, time);
    this.placeAll(at);
    this.bodies.centroid(this.moved).sub(this.centroid);
    if (this.through) {
      this.centroid.add(this.moved);
      this.goThrough(this.through);
    } else if (this.follows && Number.isFinite(this.moved.lengthSq())) {
      this.controls.target.add(this.moved);
      this.camera.position.add(this.moved);
      this.centroid.add(this.moved);
    }
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(0.002 * this.radius, 0.02 * distance);
    this.camera.far = 30 * this.radius + 4 * distance;
    this.camera.updateProjectionMatrix();
    const focus = this.follows ? this.centroid : this.controls.target;
    this.sun.target.position.copy(focus);
    this.sun.position.copy(focus).addScaledVector(this.sunDirection, 7 * this.radius);
    this.authored?.update(focus);
    for (const ground of this.grounds) ground.update(focus, ground.body < 0 ? null : this.bodies.matrices[ground.body]);
    this.camera.updateMatrixWorld();
    this.overlays?.update(this.camera);
    this.onMoved();
    if (this.patches?.mesh.visible) this.patches.update(this.view.patchCorners ?? NOTHING, this.view.patchDepths ?? NOTHING);
    const count = this.contacts.update(Math.min(this.view.times.length - 1, at.index + (at.fraction >= 0.5 ? 1 : 0)));
    this.renderer.render(this.scene, this.camera);
    return count;
  }
}
