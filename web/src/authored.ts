// Lights and cameras that the stage authors. Colours, directions and shares of lights are those of the stage; how bright all of them together
// are is the page's choice, as exposure is of a camera.
import * as THREE from "three";
import { type Bodies, poseMatrix } from "./bodies.ts";
import type { Looks, StageCamera, StageLight } from "./view.ts";

/** What falls on the middle of the picture from lights with a direction, and from all around. */
const DIRECT = 2.6;
const AROUND = 1.3;
/** Without light from somewhere nothing is seen of the far side. */
const LEAST_AROUND = 0.35;
/** Lights that the strongest so many are drawn of. */
const MOST = 8;

/** How a light reaches a point: irradiance there, for one of the strength that it has. */
export function reaches(light: StageLight, place: THREE.Vector3, direction: THREE.Vector3, point: THREE.Vector3): number {
  if (light.kind === "dome" || light.kind === "distant") return light.strength;
  const way = point.clone().sub(place);
  const far = Math.max(1e-6, way.lengthSq());
  if (light.kind === "spot" && way.angleTo(direction) > light.cone) return 0;
  return light.strength / far;
}

/** Factors that make the page as bright as it is by its own lights. */
export function exposure(direct: number, around: number): { direct: number; around: number } {
  const whole = direct + around;
  if (!(whole > 0)) return { direct: 0, around: 0 };
  // A sky alone leaves no shadows, and without any the far sides are black: each keeps a part.
  const sky = Math.min(0.6, Math.max(0.12, around / whole));
  return { direct: direct > 0 ? ((1 - sky) * (DIRECT + AROUND)) / direct : 0, around: around > 0 ? (sky * (DIRECT + AROUND)) / around : 0 };
}

interface Lamp {
  light: StageLight;
  lamp: THREE.DirectionalLight | THREE.PointLight | THREE.SpotLight;
}

export class AuthoredLights {
  readonly group = new THREE.Group();
  private readonly lamps: Lamp[] = [];
  private readonly sky: THREE.HemisphereLight | null = null;
  private readonly radius: number;
  private readonly bodies: Bodies;

  /** @param middle  of what is looked at, when the page opens */
  constructor(looks: Looks, bodies: Bodies, middle: THREE.Vector3, radius: number, up: THREE.Vector3) {
    [this.bodies, this.radius] = [bodies, radius];
    const arrival = (light: StageLight) => reaches(light, this.place(light), this.direction(light), middle);
    const ranked = looks.lights.map((light) => ({ light, here: arrival(light) })).sort((a, b) => b.here - a.here);
    const domes = ranked.filter(({ light }) => light.kind === "dome");
    const others = ranked.filter(({ light }) => light.kind !== "dome").slice(0, MOST);
    const sum = (of: { here: number }[]) => of.reduce((s, { here }) => s + here, 0);
    const factors = exposure(sum(others), sum(domes));
    const around = new THREE.Color(0, 0, 0);
    for (const { light, here } of domes) around.add(new THREE.Color(...(light.color as [number, number, number])).multiplyScalar(here * factors.around));
    const least = new THREE.Color(LEAST_AROUND, LEAST_AROUND, LEAST_AROUND);
    const above = domes.length > 0 ? around : least;
    this.sky = new THREE.HemisphereLight(above, above.clone().multiplyScalar(0.6), 1);
    this.sky.position.copy(up);
    this.group.add(this.sky);
    // One light casts shadows: the strongest that comes from far away, else the strongest spot.
    const caster = others.find(({ light }) => light.kind === "distant") ?? others.find(({ light }) => light.kind === "spot");
    for (const one of others) {
      if (!(one.here > 0) && one.light.kind === "distant") continue;
      const lamp = this.lampOf(one.light, one.light.strength * factors.direct);
      if (one === caster && !(lamp instanceof THREE.PointLight)) this.castShadow(lamp);
      this.lamps.push({ light: one.light, lamp });
      this.group.add(lamp);
      if (!(lamp instanceof THREE.PointLight)) this.group.add(lamp.target);
    }
    this.group.visible = false;
  }

  private lampOf(light: StageLight, strength: number): Lamp["lamp"] {
    const color = new THREE.Color(...(light.color as [number, number, number]));
    if (light.kind === "distant") return new THREE.DirectionalLight(color, strength);
    if (light.kind === "spot") return new THREE.SpotLight(color, strength, 0, Math.min(light.cone, 0.49 * Math.PI), light.softness, 2);
    return new THREE.PointLight(color, strength, 0, 2);
  }

  private castShadow(lamp: THREE.DirectionalLight | THREE.SpotLight): void {
    lamp.castShadow = true;
    lamp.shadow.mapSize.set(2048, 2048);
    lamp.shadow.radius = 4;
    lamp.shadow.normalBias = 0.012 * this.radius;
    const box = lamp.shadow.camera;
    [box.near, box.far] = [0.05 * this.radius, 40 * this.radius];
    if (box instanceof THREE.OrthographicCamera) {
      box.left = box.bottom = -2.2 * this.radius;
      box.right = box.top = 2.2 * this.radius;
    }
  }

  private direction(light: StageLight): THREE.Vector3 {
    const out = new THREE.Vector3().fromArray(light.direction);
    return light.body < 0 ? out : out.transformDirection(this.bodies.matrices[light.body]);
  }

  private place(light: StageLight): THREE.Vector3 {
    const out = new THREE.Vector3().fromArray(light.position);
    return light.body < 0 ? out : out.applyMatrix4(this.bodies.matrices[light.body]);
  }

  /** Moves lights with their bodies; those from far away shine at what is looked at. */
  update(focus: THREE.Vector3): void {
    for (const { light, lamp } of this.lamps) {
      const direction = this.direction(light);
      if (light.kind === "distant") lamp.position.copy(focus).addScaledVector(direction, -7 * this.radius);
      else lamp.position.copy(this.place(light));
      if (lamp instanceof THREE.PointLight) continue;
      if (light.kind === "distant") lamp.target.position.copy(focus);
      else lamp.target.position.copy(lamp.position).add(direction);
    }
  }
}

/** Where a camera of the stage is now. */
export function cameraPose(camera: StageCamera, bodies: Bodies): THREE.Matrix4 {
  const out = poseMatrix(camera.pose);
  return camera.body < 0 ? out : out.premultiply(bodies.matrices[camera.body]);
}
