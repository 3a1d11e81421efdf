import { addToggle, Bar, pressesButton } from "./controls.ts";
import { coveredByControls } from "./framing.ts";
import { startLive } from "./live_main.ts";
import { readOptions } from "./options.ts";
import { Player } from "./player.ts";
import { Stage } from "./stage.ts";
import { addAuthored, addLookKeys, addOverlayToggles } from "./toggles.ts";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { decode, type View, type ViewDocument } from "./view.ts";

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

function start(view: View): void {
  const options = readOptions(location.hash);
  const player = new Player(view.times);
  const stage = new Stage(element("canvas") as HTMLCanvasElement, view, () => coveredByControls(options.bare));
  let dirty = true;
  const redraw = () => {
    dirty = true;
  };

  stage.bodies.onPictures = redraw;

  document.title = `${view.title} · Mechane`;
  element("title").textContent = view.title;
  const bar = new Bar(element("bar"), player, redraw);
  const toggles = element("toggles");
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  const colliders = addToggle(toggles, "Colliders", "c", options.colliders, (on) => {
    stage.bodies.showColliders(on);
    redraw();
  });
  const contacts = addToggle(toggles, "Contacts", "f", options.contacts, (on) => {
    stage.contacts.group.visible = on;
    redraw();
  });
  const ground = addToggle(toggles, "Ground", "g", options.grid, (on) => {
    stage.showGround(on);
    redraw();
  });
  const overlays = addOverlayToggles(toggles, stage, options.overlays, redraw);
  const authored = addAuthored(toggles, stage, view.looks, redraw);
  const dark = addToggle(toggles, "Dark", "d", options.theme ? options.theme === "dark" : preferred.matches, (on) => {
    document.documentElement.dataset.theme = on ? "dark" : "light";
    stage.setTheme(on ? "dark" : "light");
    redraw();
  });
  preferred.addEventListener("change", () => dark.set(preferred.matches));
  document.body.classList.toggle("bare", options.bare);

  if (options.speed !== null) player.speed = options.speed;
  if (options.time !== null) player.seek(options.time);
  if (options.paused) player.playing = false;

  const keys: Record<string, () => void> = {
    " ": () => player.toggle(),
    ArrowLeft: () => player.step(-1),
    ArrowRight: () => player.step(1),
    ArrowUp: () => player.changeSpeed(1),
    ArrowDown: () => player.changeSpeed(-1),
    Home: () => player.seek(player.start),
    End: () => player.seek(player.end),
    c: colliders.flip,
    f: contacts.flip,
    g: ground.flip,
    d: dark.flip,
    r: () => stage.frame(),
    ...overlays,
    ...authored,
  };
  addLookKeys(stage, view.title, () => stage.draw(player.time), redraw);
  window.addEventListener("keydown", (event) => {
    const action = pressesButton(event) ? undefined : keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
    event.preventDefault();
    action();
    redraw();
  });
  window.addEventListener("resize", () => {
    stage.resize();
    redraw();
  });
  stage.controls.addEventListener("change", redraw);

  let last: number | null = null;
  const tick = (now: number) => {
    // A page that was hidden does not leap.
    const passed = last === null ? 0 : Math.min(0.1, (now - last) / 1000);
    last = now;
    if (player.advance(passed) || dirty) {
      dirty = false;
      bar.update(stage.draw(player.time));
    }
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

try {
  const view = decode(JSON.parse(element("mechane-view").textContent ?? "null") as ViewDocument);
  if (view.live) startLive(view);
  else start(view);
  document.body.dataset.state = "ready";
} catch (error) {
  const message = element("message");
  message.hidden = false;
  message.textContent = error instanceof Error ? error.message : String(error);
  document.body.dataset.state = "failed";
}
