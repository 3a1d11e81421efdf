// The page of a running simulation.
import * as THREE from "three";
import { addToggle, button, icon, NEXT, PAUSE, PLAY, pressesButton, type Toggle } from "./controls.ts";
import { Driver, readStick } from "./drive.ts";
import { coveredByControls } from "./framing.ts";
import { Help, type KeyList } from "./help.ts";
import { Link, showFrame, type LiveFrame } from "./live.ts";
import { Mouse } from "./mouse.ts";
import { readOptions } from "./options.ts";
import { make, Panel } from "./panel.ts";
import { SPEEDS } from "./player.ts";
import { Stage } from "./stage.ts";
import { addAuthored, addLookKeys, addOverlayToggles, savePicture } from "./toggles.ts";
import type { Item, Parts, View } from "./view.ts";

const RESET = icon("M8 2.5a5.5 5.5 0 1 1-5.2 3.7l1.6.6A3.8 3.8 0 1 0 8 4.2V7L4 3.5 8 0z");
const RECORD = icon("M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3z");
const CAMERA = icon("M2 4.5h3l1-1.5h4l1 1.5h3v8H2zM8 6a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z");
const MOST_CONTACTS = 4096;
const DRIVE_PERIOD = 50; // [ms]
const READING = 8000; // how long a sentence stays at least [ms]
const ORBIT = Math.PI / 24;
const KEYS: KeyList = [
  ["Space", "play or pause"], ["→", "one step"], ["Home", "begin again"], ["↑ ↓", "faster, slower"],
  ["click, Picked", "explain a part"], ["Shift + drag", "pull a body with a spring"], ["p", "plain drags pull"],
  ["l", "lift the picked body; then Shift with arrows, Page Up and Page Down moves it"],
  ["k", "drive by keys and gamepad; Esc ends it"],
  [", . ; '", "turn the camera"], ["+ −", "nearer, farther"], ["r", "show all again"], ["o", "follow the bodies"],
  ["Shift + 1…9, 1…9", "remember the camera's place, go there"],
  ["c f g m i j n", "colliders, contacts, ground, mass, inertia, joints, names"],
  ["h", "patches of hydroelastic contact, where there are such shapes"], ["a v", "lights and cameras of the stage, where it has some"],
  ["d", "dark"], ["s", "save a picture"], ["?", "this list"],
];
const NO_PARTS: Parts = { bodies: [], joints: [], dofs: [], articulations: [] };

/** A bar of what can be done to the simulation. */
class LiveBar {
  readonly speed: HTMLSelectElement;
  private readonly play: HTMLButtonElement;
  private readonly record: HTMLButtonElement | null = null;
  private readonly clock: HTMLOutputElement;
  private readonly status: HTMLSpanElement;
  playing = false;
  recording = false;

  constructor(parent: HTMLElement, link: Link, view: View, picture: () => void) {
    this.play = button(parent, "Play or pause (space)", PAUSE, () => this.toggle(link));
    button(parent, "One step (right arrow)", NEXT, () => link.send({ do: "step" }));
    if (view.live?.reset) button(parent, "Begin again (Home)", RESET, () => link.send({ do: "reset" }));
    if (view.live?.record) this.record = button(parent, "Record or stop", RECORD, () => link.send({ do: "record", value: this.recording ? 0 : 1 }));
    button(parent, "Save a picture (s)", CAMERA, picture);
    this.clock = make(parent, "output");
    this.status = make(parent, "span", "", "wide");
    this.speed = make(parent, "select");
    this.speed.title = "Speed (up and down arrows)";
    this.speed.setAttribute("aria-label", "Speed");
    for (const s of SPEEDS) this.speed.add(new Option(`${s}×`, String(s), s === 1, s === 1));
    this.speed.addEventListener("change", () => link.send({ do: "speed", value: Number(this.speed.value) }));
  }

  toggle(link: Link): void {
    link.send({ do: this.playing ? "pause" : "play" });
  }

  changeSpeed(direction: 1 | -1, link: Link): void {
    this.speed.selectedIndex = Math.min(SPEEDS.length - 1, Math.max(0, this.speed.selectedIndex + direction));
    link.send({ do: "speed", value: Number(this.speed.value) });
  }

  update(frame: LiveFrame): void {
    [this.playing, this.recording] = [frame.playing, frame.recording];
    const label = frame.playing ? PAUSE : PLAY;
    if (this.play.innerHTML !== label) this.play.innerHTML = label;
    this.record?.setAttribute("aria-pressed", String(frame.recording));
    this.clock.textContent = `${frame.time.toFixed(2)} s`;
    const rate = frame.playing ? ` · ${frame.realtime.toFixed(2)}× real time` : "";
    this.status.textContent = `${frame.contacts} contact${frame.contacts === 1 ? "" : "s"}${rate}${frame.recording ? " · recording" : ""}`;
  }
}

/** The shapes that stand for something, shown as if lit. */
class Highlight {
  private readonly group = new THREE.Group();
  private readonly stage: Stage;
  private readonly material = new THREE.MeshBasicMaterial({ color: "#2f6fde", transparent: true, opacity: 0.35, depthTest: false, depthWrite: false });

  constructor(stage: Stage) {
    this.stage = stage;
    stage.scene.add(this.group);
  }

  show(wanted: (item: Item) => boolean): void {
    this.group.clear();
    for (const mesh of this.stage.bodies.copies(wanted, this.material)) this.group.add(mesh);
    this.update();
  }

  update(): void {
    for (const mesh of this.group.children) {
      const { body, local } = mesh.userData as { body: number; local: THREE.Matrix4 };
      mesh.matrix.copy(local);
      if (body >= 0) mesh.matrix.premultiply(this.stage.bodies.matrices[body]);
    }
  }
}

/** Whether a label is of a prim, or of something below it. */
export function isBelow(label: string, prim: string): boolean {
  return prim !== "" && (label === prim || label.startsWith(prim.endsWith("/") ? prim : `${prim}/`));
}

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

export function startLive(view: View): void {
  const options = readOptions(location.hash);
  const { live } = view;
  if (!live) return;
  const parts = view.parts ?? NO_PARTS;
  view.contactCapacity = MOST_CONTACTS;
  view.typicalForce = Math.max(1e-6, (9.81 * parts.bodies.reduce((sum, b) => sum + b.mass, 0)) / Math.max(4, parts.articulations.length * 4));
  document.body.classList.add("live");
  document.body.classList.toggle("bare", options.bare);
  // What the panel covers is no part of the picture's middle.
  const panelElement = byId("panel");
  const panelWidth = () => (panelElement.hidden || matchMedia("(max-width: 720px)").matches ? 0 : panelElement.offsetWidth + 14);
  panelElement.hidden = false;
  const stage = new Stage(byId("canvas") as HTMLCanvasElement, view, () => coveredByControls(options.bare, panelWidth()));
  const highlight = new Highlight(stage);
  let dirty = true;
  const redraw = () => {
    dirty = true;
  };
  stage.bodies.onPictures = redraw;
  stage.controls.addEventListener("change", redraw);
  document.title = `${view.title} · Mechane`;
  byId("title").textContent = view.title;
  const message = byId("message");
  let readUntil = 0;
  const say = (text: string) => {
    readUntil = performance.now() + READING;
    message.hidden = text === "";
    message.textContent = text;
    message.classList.add("toast");
  };

  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const link = new Link(`${scheme}://${location.host}/socket${location.search}`);
  const draw = () => {
    stage.draw(view.times[0] ?? 0);
  };
  let picked: Item | null = null;
  const help = new Help(document.body, "Keys", () => KEYS);
  const bar = new LiveBar(byId("bar"), link, view, () => savePicture(stage, view.title, draw));
  const pick = (item: Item | null) => {
    picked = item;
    highlight.show((i) => item !== null && (item.body < 0 ? i.shape === item.shape : i.body === item.body));
    redraw();
    if (!item) return;
    link.send({ do: "pick", shape: item.shape });
    const joint = parts.joints.find((j) => j.child === item.body);
    if (joint) panel.focus(joint.articulation);
  };
  const driver = new Driver({
    drive: (controller, value, turn) => link.send({ do: "drive", controller, value, turn }),
    target: (dof, value) => link.send({ do: "target", dof, value }),
  });
  driver.controllers = live.controllers ?? [];
  const drives = (on: boolean) => {
    if (!on) driver.release();
    driver.on = on;
    panel.setDriving(on);
    if (on) panel.open("Drive");
    if (on) follow.set(true); // what drives off stays in the picture
    document.body.dataset.drives = String(on);
  };
  const panel = new Panel(panelElement, parts, live, driver, {
    joint: (dof, value) => link.send({ do: "joint", dof, value }),
    target: (dof, value) => link.send({ do: "target", dof, value }),
    focus: (articulation) => link.send({ do: "focus", articulation }),
    show: (prim) => {
      const bodies = new Set(parts.bodies.map((b, i) => (isBelow(b.label, prim) ? i : -1)).filter((i) => i >= 0));
      const joint = parts.joints.find((j) => j.label === prim);
      if (joint) bodies.add(joint.child);
      highlight.show((i) => isBelow(i.label, prim) || bodies.has(i.body));
      redraw();
    },
    curves: () => askForContacts(),
    body: (body) => pick(view.items.find((item) => item.body === body) ?? null),
    drives,
  });
  const mouse = new Mouse(stage, {
    pick,
    grab: (body, point, target) => link.send({ do: "grab", body, point, target }),
    drag: (target) => link.send({ do: "drag", target }),
    release: () => link.send({ do: "release" }),
  });

  const toggles = byId("toggles");
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  const toggle = (text: string, key: string, on: boolean, changed: (on: boolean) => void): Toggle =>
    addToggle(toggles, text, key, on, (state) => {
      changed(state);
      redraw();
    });
  const pull = toggle("Pull", "p", false, (on) => (mouse.pulls = on));
  const follow = toggle("Follow", "o", false, (on) => stage.setFollows(on));
  const colliders = toggle("Colliders", "c", options.colliders, (on) => stage.bodies.showColliders(on));
  // Points and forces are sent while something shows them.
  let sent: boolean | null = null;
  const askForContacts = () => {
    const wanted = stage.contacts.group.visible || panel.drawsForces;
    if (wanted !== sent && link.connected) link.send({ do: "contacts", value: wanted ? 1 : 0 });
    sent = link.connected ? wanted : null;
  };
  const contacts = toggle("Contacts", "f", options.contacts, (on) => {
    stage.contacts.group.visible = on;
    askForContacts();
  });
  // Surfaces of pressure contact are found and sent while a page shows them.
  const askForPatches = () => {
    if (stage.patches && link.connected) link.send({ do: "patches", value: stage.patches.mesh.visible ? 1 : 0 });
  };
  const patches = stage.patches
    ? toggle("Patches", "h", options.overlays.includes("patches"), (on) => {
        if (stage.patches) stage.patches.mesh.visible = on;
        askForPatches();
      })
    : null;
  const ground = toggle("Ground", "g", options.grid, (on) => stage.showGround(on));
  const overlays = addOverlayToggles(toggles, stage, options.overlays, redraw);
  const authored = addAuthored(toggles, stage, view.looks, redraw);
  const dark = toggle("Dark", "d", options.theme ? options.theme === "dark" : preferred.matches, (on) => {
    document.documentElement.dataset.theme = on ? "dark" : "light";
    stage.setTheme(on ? "dark" : "light");
    panel.restyle();
  });

  const keys: Record<string, () => void> = {
    " ": () => bar.toggle(link),
    ArrowRight: () => link.send({ do: "step" }),
    ArrowUp: () => bar.changeSpeed(1, link),
    ArrowDown: () => bar.changeSpeed(-1, link),
    Home: () => link.send({ do: "reset" }),
    c: colliders.flip, f: contacts.flip, g: ground.flip, d: dark.flip, p: pull.flip, o: follow.flip,
    r: () => stage.frame(),
    k: () => drives(true),
    l: () => (mouse.lifts ? mouse.drop() : mouse.liftBody(picked)),
    "?": () => help.show(),
    ",": () => stage.orbit(-ORBIT, 0),
    ".": () => stage.orbit(ORBIT, 0),
    ";": () => stage.orbit(0, -ORBIT),
    "'": () => stage.orbit(0, ORBIT),
    "+": () => stage.zoom(1 / 1.1),
    "=": () => stage.zoom(1 / 1.1),
    "-": () => stage.zoom(1.1),
    ...overlays,
    ...authored,
    ...(patches ? { h: patches.flip } : {}),
  };
  window.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (help.open || pressesButton(event)) return;
    if (event.key === "Escape") {
      if (driver.on) drives(false);
      else if (mouse.lifts) mouse.drop();
      return;
    }
    if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey && driver.press(event.key.length === 1 ? event.key.toLowerCase() : event.key)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (!typing && event.shiftKey && mouse.nudge(event.key)) {
      event.preventDefault();
      return;
    }
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || typing) return;
    event.preventDefault();
    action();
    redraw();
  });
  window.addEventListener("keyup", (event) => driver.lift(event.key.length === 1 ? event.key.toLowerCase() : event.key));
  // Who no longer sees the page holds no key.
  for (const gone of ["blur", "pagehide"]) window.addEventListener(gone, () => driver.release());
  let ticked = performance.now();
  setInterval(() => {
    const now = performance.now();
    const seconds = Math.min(0.2, (now - ticked) / 1000);
    ticked = now;
    driver.tick(seconds, (dof) => panel.targetOf(dof), driver.on ? readStick() : null);
  }, DRIVE_PERIOD);
  addLookKeys(stage, view.title, draw, redraw);
  const keysButton = button(toggles, "Keys (?)", "?", () => help.show());
  keysButton.setAttribute("aria-haspopup", "dialog");
  window.addEventListener("resize", () => {
    stage.resize();
    redraw();
  });

  link.onState = (connected) => {
    document.body.dataset.link = connected ? "open" : "closed";
    sent = null;
    askForContacts();
    askForPatches();
    say(connected ? "" : "The simulation is not reachable. Is `mechane view` still running?");
  };
  link.onTold = (told) => {
    if (told.say) say(told.say);
    if (told.facts) panel.picked(told.facts);
  };
  link.onFrame = (frame) => {
    showFrame(view, frame);
    bar.update(frame);
    panel.update(frame);
    // Frames come many times a second; a sentence stays until it can be read.
    if (!frame.diverged && frame.playing && message.classList.contains("toast") && performance.now() > readUntil) say("");
    document.body.dataset.time = frame.time.toFixed(3);
    document.body.dataset.bytes = String(frame.bytes);
    document.body.dataset.faces = String(frame.patchDepths.length);
    redraw();
  };
  stage.onMoved = () => {
    mouse.update();
    highlight.update();
  };
  link.open();

  const tick = () => {
    if (dirty) {
      dirty = false;
      const before = performance.now();
      draw();
      panel.draw();
      document.body.dataset.calls = String(stage.renderer.info.render.calls);
      document.body.dataset.ms = (performance.now() - before).toFixed(2);
    }
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}
