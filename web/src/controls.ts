// The bar below the picture and the toggles above it.
import { type Player, SPEEDS } from "./player.ts";

/** An icon of a 16 by 16 grid. */
export function icon(path: string): string {
  return `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="${path}" fill="currentColor"/></svg>`;
}
export const PLAY = icon("M4 2.5v11l9-5.5z");
export const PAUSE = icon("M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z");
const BACK = icon("M3 3h2v10H3zM13 3v10L6 8z");
export const NEXT = icon("M11 3h2v10h-2zM3 3v10l7-5z");

export function button(parent: HTMLElement, label: string, content: string, click: () => void): HTMLButtonElement {
  const out = document.createElement("button");
  out.type = "button";
  out.title = label;
  out.setAttribute("aria-label", label);
  out.innerHTML = content;
  out.addEventListener("click", click);
  parent.append(out);
  return out;
}

/** Whether a key presses the button that has the focus; then it is no key of the page. */
export function pressesButton(event: KeyboardEvent): boolean {
  return (event.key === " " || event.key === "Enter") && event.target instanceof HTMLButtonElement;
}

/** A button that stays pressed; `set` changes it without a click. */
export interface Toggle {
  set(on: boolean): void;
  flip(): void;
}
export function addToggle(parent: HTMLElement, text: string, key: string, on: boolean, changed: (on: boolean) => void): Toggle {
  let state = on;
  const set = (value: boolean) => {
    state = value;
    element.setAttribute("aria-pressed", String(value));
    changed(value);
  };
  const flip = () => set(!state);
  const element = button(parent, `${text} (${key})`, text, flip);
  set(on);
  return { set, flip };
}

export class Bar {
  private readonly player: Player;
  private readonly play: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly clock: HTMLOutputElement;
  private readonly speed: HTMLSelectElement;
  private readonly status: HTMLSpanElement;

  constructor(parent: HTMLElement, player: Player, changed: () => void) {
    this.player = player;
    const act = (action: () => void) => () => {
      action();
      changed();
    };
    button(parent, "One frame back (left arrow)", BACK, act(() => player.step(-1)));
    this.play = button(parent, "Play or pause (space)", PAUSE, act(() => player.toggle()));
    button(parent, "One frame on (right arrow)", NEXT, act(() => player.step(1)));

    this.slider = document.createElement("input");
    this.slider.type = "range";
    this.slider.min = String(player.start);
    this.slider.max = String(player.end);
    this.slider.step = "any";
    this.slider.setAttribute("aria-label", "Time in seconds");
    this.slider.addEventListener("input", act(() => {
      player.playing = false;
      player.seek(Number(this.slider.value));
    }));
    this.clock = document.createElement("output");
    this.status = document.createElement("span");
    this.speed = document.createElement("select");
    this.speed.title = "Speed (up and down arrows)";
    this.speed.setAttribute("aria-label", "Speed");
    this.speed.addEventListener("change", act(() => {
      player.speed = Number(this.speed.value);
    }));
    parent.append(this.slider, this.clock, this.status, this.speed);
  }

  update(contacts: number): void {
    const { player } = this;
    const label = player.playing ? PAUSE : PLAY;
    if (this.play.innerHTML !== label) this.play.innerHTML = label;
    this.slider.value = String(player.time);
    this.slider.setAttribute("aria-valuetext", `${player.time.toFixed(2)} seconds`);
    const share = player.end > player.start ? (player.time - player.start) / (player.end - player.start) : 0;
    this.slider.style.setProperty("--share", `${(100 * share).toFixed(2)}%`);
    this.clock.textContent = `${player.time.toFixed(2)} / ${player.end.toFixed(2)} s`;
    this.status.textContent = `${contacts} contact${contacts === 1 ? "" : "s"}`;
    if (Number(this.speed.value) !== player.speed || this.speed.options.length === 0) {
      const speeds = [...new Set([...SPEEDS, player.speed])].sort((a, b) => a - b);
      this.speed.replaceChildren(...speeds.map((s) => new Option(`${s}×`, String(s), s === player.speed, s === player.speed)));
    }
  }
}
