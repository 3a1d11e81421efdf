// The ground: a grid that fades out, on which shadows fall.
import * as THREE from "three";
import type { Ground } from "./view.ts";

const VERTEX = `
  varying vec3 place;
  varying vec2 local;
  void main() {
    local = position.xy;
    vec4 world = modelMatrix * vec4(position, 1.0);
    place = world.xyz;
    gl_Position = projectionMatrix * viewMatrix * world;
  }`;

const FRAGMENT = `
  varying vec3 place;
  varying vec2 local;
  uniform vec3 ink, paper, centre;
  uniform float cell, reach;
  float lines(vec2 p, float width) {
    vec2 w = fwidth(p);
    vec2 d = abs(fract(p - 0.5) - 0.5);
    vec2 a = 1.0 - smoothstep(w * width * 0.5, w * (width * 0.5 + 1.0), d);
    // Lines closer than a pixel melt into their mean.
    a = mix(a, vec2(width * w), smoothstep(0.3, 0.8, w));
    return max(a.x, a.y);
  }
  void main() {
    float fade = 1.0 - smoothstep(0.25, 1.0, distance(place, centre) / reach);
    float line = max(0.3 * lines(local / cell, 0.2), 0.8 * lines(local / (5.0 * cell), 0.4));
    gl_FragColor = vec4(mix(paper, ink, line), fade);
  }`;

/** The nearest of 1, 2 and 5 times a power of ten. */
function roundCell(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  const lead = size / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

export class GroundGrid {
  readonly group = new THREE.Group();
  readonly body: number;
  private readonly pose: THREE.Matrix4;
  private readonly grid: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private readonly shadow: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;
  private readonly cell: number;

  constructor(ground: Ground, radius: number) {
    this.body = ground.body;
    const [px, py, pz, qx, qy, qz, qw] = ground.pose;
    this.pose = new THREE.Matrix4().compose(new THREE.Vector3(px, py, pz), new THREE.Quaternion(qx, qy, qz, qw), new THREE.Vector3(1, 1, 1));
    this.cell = roundCell(radius / 4);
    const reach = 14 * radius;
    const plane = new THREE.PlaneGeometry(2 * reach, 2 * reach);
    this.grid = new THREE.Mesh(plane, new THREE.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, side: THREE.DoubleSide,
      uniforms: { ink: { value: new THREE.Color() }, paper: { value: new THREE.Color() }, centre: { value: new THREE.Vector3() }, cell: { value: this.cell }, reach: { value: reach } },
    }));
    this.shadow = new THREE.Mesh(plane, new THREE.ShadowMaterial({ opacity: 0.3, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1 }));
    this.shadow.receiveShadow = true;
    this.grid.renderOrder = -2;
    this.shadow.renderOrder = -1;
    this.group.matrixAutoUpdate = false;
    this.group.add(this.grid, this.shadow);
  }

  /** Keeps the middle of the finite patch below the centre of attention, moved by whole cells so that lines stand still. */
  update(centre: THREE.Vector3, body: THREE.Matrix4 | null): void {
    const X = body ? body.clone().multiply(this.pose) : this.pose;
    this.group.matrix.copy(X);
    this.group.matrixWorldNeedsUpdate = true;
    const local = centre.clone().applyMatrix4(X.clone().invert());
    const step = 5 * this.cell;
    const x = Math.round(local.x / step) * step;
    const y = Math.round(local.y / step) * step;
    this.grid.position.set(x, y, 0);
    this.shadow.position.set(x, y, 0);
    this.grid.material.uniforms.centre.value.copy(new THREE.Vector3(local.x, local.y, 0).applyMatrix4(X));
  }

  setColors(paper: THREE.Color, ink: THREE.Color, shadow: number): void {
    // The shader writes display values: the grid is flat and takes part in no lighting.
    this.grid.material.uniforms.paper.value.copy(paper).convertLinearToSRGB();
    this.grid.material.uniforms.ink.value.copy(ink).convertLinearToSRGB();
    this.shadow.material.opacity = shadow;
  }
}
