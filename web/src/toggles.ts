// What recordings and live pages share: toggles of overlays, places of the camera, pictures of the canvas.
import { addToggle } from "./controls.ts";
import { shortNames } from "./names.ts";
import type { Stage } from "./stage.ts";
import type { Looks } from "./view.ts";

/** Toggles for what a model is made of; the keys that flip them. */
export function addOverlayToggles(parent: HTMLElement, stage: Stage, wanted: string[], redraw: () => void): Record<string, () => void> {
  const { overlays } = stage;
  if (!overlays) return {};
  const keys: Record<string, () => void> = {};
  const add = (text: string, name: string, key: string, show: (on: boolean) => void) => {
    keys[key] = addToggle(parent, text, key, wanted.includes(name), (on) => {
      show(on);
      redraw();
    }).flip;
  };
  add("Mass", "com", "m", (on) => (overlays.centres.visible = on));
  add("Inertia", "inertia", "i", (on) => (overlays.inertias.visible = on));
  add("Joints", "joints", "j", (on) => (overlays.joints.visible = on));
  add("Names", "names", "n", (on) => (overlays.names.hidden = !on));
  return keys;
}

/** What the stage brings of its own: its lights, on at the start, and its cameras. */
export function addAuthored(parent: HTMLElement, stage: Stage, looks: Looks | undefined, redraw: () => void): Record<string, () => void> {
  const keys: Record<string, () => void> = {};
  if (stage.authored)
    keys.a = addToggle(parent, "Lights", "a", true, (on) => {
      stage.showAuthored(on);
      redraw();
    }).flip;
  const cameras = looks?.cameras ?? [];
  if (cameras.length === 0) return keys;
  const choice = document.createElement("select");
  choice.setAttribute("aria-label", "Camera");
  choice.title = "Camera (v)";
  choice.add(new Option("Free camera", "-1"));
  shortNames(cameras.map((camera) => camera.label)).forEach((name, i) => choice.add(new Option(name, String(i))));
  const take = () => {
    stage.lookThrough(cameras[choice.selectedIndex - 1] ?? null);
    redraw();
  };
  choice.addEventListener("change", take);
  parent.append(choice);
  keys.v = () => {
    choice.selectedIndex = (choice.selectedIndex + 1) % choice.options.length;
    take();
  };
  // Who turns the camera by hand has one of their own again.
  keys.r = () => {
    choice.selectedIndex = 0;
    stage.lookThrough(null);
    stage.frame();
  };
  return keys;
}

/** Saves what is drawn now as a picture. */
export function savePicture(stage: Stage, title: string, draw: () => void): void {
  draw();
  stage.renderer.domElement.toBlob((picture) => {
    if (!picture) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(picture);
    link.download = `${title.replace(/[^\w.-]+/g, "_") || "mechane"}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}

/** Shift and a digit remember the camera's place, the digit alone goes there; s saves a picture. */
export function addLookKeys(stage: Stage, title: string, draw: () => void, redraw: () => void): void {
  const key = `mechane.cameras.${title}`;
  const load = (): Record<string, number[]> => {
    try {
      return JSON.parse(localStorage.getItem(key) ?? "{}") as Record<string, number[]>;
    } catch {
      return {}; // pages from disk may have no storage
    }
  };
  const places = load();
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
    if (digit && event.shiftKey) {
      places[digit] = stage.place;
      try {
        localStorage.setItem(key, JSON.stringify(places));
      } catch {
        // they last as long as the page
      }
    } else if (digit && places[digit]) {
      stage.place = places[digit];
      redraw();
    } else if (event.key === "s") savePicture(stage, title, draw);
  });
}
