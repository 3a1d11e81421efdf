// The panel beside the model: joints, curves, what was picked, findings. Every text of a file is set as text, never as markup.
import type { Facts } from "./live.ts";
import { Driver, PAIRS, type DrivenDof } from "./drive.ts";
import { shortNames } from "./names.ts";
import { color, Plot } from "./plot.ts";
import type { LiveFrame } from "./live.ts";
import type { LiveDocument, Parts } from "./view.ts";

const DEGREES = 180 / Math.PI;
const VELOCITY = 2; // drive mode

export function make<K extends keyof HTMLElementTagNameMap>(parent: HTMLElement, tag: K, text = "", className = ""): HTMLElementTagNameMap[K] {
  const out = document.createElement(tag);
  if (text) out.textContent = text;
  if (className) out.className = className;
  parent.append(out);
  return out;
}

export interface PanelEvents {
  joint(dof: number, value: number): void;
  target(dof: number, value: number): void;
  focus(articulation: number): void;
  show(prim: string): void;
  body(body: number): void; // chosen from the list of parts
  drives(on: boolean): void;
  curves(): void; // others are drawn than before
}

/** A value of a frame that can be drawn as a curve. */
interface Quantity {
  name: string;
  unit: string;
  of(frame: LiveFrame): number;
  forces?: boolean; // it needs those of the contacts
}

/** One dof: its coordinate and its target, each with a slider. */
class DofRow {
  private readonly coordinate: HTMLInputElement | null = null;
  private readonly target: HTMLInputElement | null = null;
  private readonly value: HTMLOutputElement;
  private readonly scale: number;
  private readonly unit: string;
  private readonly speaks = new Map<HTMLInputElement, () => void>();

  constructor(parent: HTMLElement, name: string, dof: number, parts: Parts, canMove: boolean, events: PanelEvents) {
    const info = parts.dofs[dof];
    this.scale = info.linear ? 1000 : DEGREES;
    this.unit = info.linear ? "mm" : "°";
    const row = make(parent, "div", "", "dof");
    const head = make(row, "div", "", "head");
    make(head, "span", name).title = parts.joints[info.joint].label;
    this.value = make(head, "output");
    const reach = info.linear ? 1 : Math.PI;
    const [lower, upper] = [info.lower ?? -reach, info.upper ?? reach];
    const slider = (label: string, low: number, high: number, changed: (value: number) => void, rate = false) => {
      const input = make(row, "input");
      input.type = "range";
      [input.min, input.max, input.step] = [String(low), String(high), "any"];
      input.title = label;
      input.setAttribute("aria-label", `${label} of ${name}`);
      // The number of the input is in radians or metres; who listens gets what stands on the page.
      const speak = () => input.setAttribute("aria-valuetext", this.spoken(Number(input.value), rate));
      this.speaks.set(input, speak);
      input.addEventListener("input", () => {
        speak();
        changed(Number(input.value));
      });
      return input;
    };
    if (info.slider && canMove) this.coordinate = slider("Position", lower, upper, (v) => events.joint(dof, v));
    if (info.mode !== 0 && info.mode !== 4 && (info.slider || info.mode === VELOCITY)) {
      const rate = info.mode === VELOCITY;
      this.target = slider(rate ? "Target velocity" : "Target", rate ? -10 : lower, rate ? 10 : upper, (v) => events.target(dof, v), rate);
      this.target.classList.add("target");
    }
  }

  update(q: number, target: number): void {
    this.value.textContent = Number.isFinite(q) ? `${(q * this.scale).toFixed(1)} ${this.unit}` : "";
    if (this.coordinate && document.activeElement !== this.coordinate) this.show(this.coordinate, q);
    if (this.target && document.activeElement !== this.target && Number.isFinite(target)) this.show(this.target, target);
  }

  private show(input: HTMLInputElement, value: number): void {
    if (Number(input.value) === value && input.hasAttribute("aria-valuetext")) return;
    input.value = String(value);
    this.speaks.get(input)?.();
  }

  private spoken(value: number, rate: boolean): string {
    const unit = this.unit === "°" ? "degrees" : "millimetres";
    return `${(value * this.scale).toFixed(1)} ${unit}${rate ? " per second" : ""}`;
  }
}

export class Panel {
  private readonly parts: Parts;
  private readonly events: PanelEvents;
  private readonly live: LiveDocument;
  private readonly pages = new Map<string, HTMLElement>();
  private readonly tabs = new Map<string, HTMLButtonElement>();
  private readonly rows = new Map<number, DofRow>();
  private readonly plot = new Plot();
  private readonly curves: Quantity[] = [];
  private readonly readings: HTMLElement[] = []; // a value beside the name of each curve
  private readonly legend: HTMLElement;
  private readonly choice: HTMLSelectElement;
  private readonly jointList: HTMLElement;
  private articulation = 0;
  private last: LiveFrame | null = null;

  private ready = false;
  private readonly driver: Driver;
  private readonly jointNames: string[];
  private readonly bodyNames: string[];
  private drivingList!: HTMLElement;
  private drivingToggle!: HTMLButtonElement;
  private pickedFacts!: HTMLElement;

  constructor(parent: HTMLElement, parts: Parts, live: LiveDocument, driver: Driver, events: PanelEvents) {
    [this.parts, this.live, this.events] = [parts, live, events];
    parent.hidden = false;
    this.driver = driver;
    this.jointNames = shortNames(parts.joints.map((joint) => joint.label));
    this.bodyNames = shortNames(parts.bodies.map((body) => body.label));
    this.articulation = live.focus;
    const bar = make(parent, "div", "", "tabs");
    bar.setAttribute("role", "tablist");
    for (const name of ["Joints", "Drive", "Curves", "Picked", "Findings"]) this.addTab(parent, bar, name, name === "Findings" && live.findings.length > 0 ? `Findings ${live.findings.length}` : name);
    const joints = this.page("Joints");
    if (parts.articulations.length > 1) this.addChoice(joints);
    const legend = make(joints, "p", "", "quiet keys");
    make(legend, "span", "position", "swatch position");
    if (parts.dofs.some((dof) => dof.mode !== 0 && dof.mode !== 4)) make(legend, "span", "target of the drive", "swatch target");
    this.jointList = make(joints, "div");
    this.addDriving();
    this.fillJoints();
    const curves = this.page("Curves");
    this.choice = make(curves, "select");
    this.choice.setAttribute("aria-label", "Quantity to draw");
    this.choice.addEventListener("change", () => this.addCurve(this.choice.selectedIndex - 1));
    curves.append(this.plot.element);
    this.plot.onValues = (values) => this.readings.forEach((at, i) => (at.textContent = reading(values[i], this.curves[i]?.unit ?? "")));
    this.legend = make(curves, "div", "", "legend");
    this.fillChoice();
    this.addCurve(2);
    this.addParts();
    this.fillFindings();
    this.open("Joints");
    this.ready = true;
  }

  /** Whether a curve needs the forces of contacts. */
  get drawsForces(): boolean {
    return this.curves.some((quantity) => quantity.forces);
  }

  /** A tab; arrow keys go from one to the next, as in any list of tabs. */
  private addTab(parent: HTMLElement, bar: HTMLElement, name: string, text: string): void {
    const tab = make(bar, "button", text);
    tab.type = "button";
    tab.id = `tab-${name}`;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", `page-${name}`);
    tab.addEventListener("click", () => this.open(name));
    tab.addEventListener("keydown", (event) => {
      const names = [...this.tabs.keys()];
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (step === 0) return;
      event.preventDefault();
      event.stopPropagation();
      const next = names[(names.indexOf(name) + step + names.length) % names.length];
      this.open(next);
      this.tabs.get(next)?.focus();
    });
    const page = make(parent, "section");
    page.id = `page-${name}`;
    page.setAttribute("role", "tabpanel");
    page.setAttribute("aria-labelledby", tab.id);
    this.tabs.set(name, tab);
    this.pages.set(name, page);
  }

  /** Driving by keys and by a gamepad. */
  private addDriving(): void {
    const page = this.page("Drive");
    this.drivingToggle = make(page, "button", "Drive by keys and gamepad (k)", "wide-button");
    this.drivingToggle.type = "button";
    this.drivingToggle.addEventListener("click", () => this.events.drives(!this.driver.on));
    const { controllers } = this.driver;
    if (controllers.length > 1) {
      const choice = make(page, "select");
      choice.setAttribute("aria-label", "Controller that the arrows drive");
      controllers.forEach((one, i) => choice.add(new Option(one.path, String(i))));
      choice.addEventListener("change", () => {
        this.driver.release();
        this.driver.controller = Number(choice.value);
        choice.blur();
      });
    }
    this.drivingList = make(page, "div");
    this.setDriving(false);
  }

  setDriving(on: boolean): void {
    this.drivingToggle.setAttribute("aria-pressed", String(on));
  }

  private fillDriving(): void {
    const { driver } = this;
    driver.release();
    const taken = new Set(driver.controllers.flatMap((one) => one.dofs ?? []));
    const free = this.dofs(true).filter(({ dof }) => !taken.has(dof));
    const dofs: (DrivenDof & { name: string })[] = free.map(({ dof, name }) => {
      const info = this.parts.dofs[dof];
      const reach = info.linear ? 1 : Math.PI;
      return { dof, name, rate: info.mode === VELOCITY, lower: info.lower ?? -reach, upper: info.upper ?? reach };
    });
    driver.dofs = dofs;
    driver.chosen = 0;
    this.drivingList.replaceChildren();
    const table = make(this.drivingList, "table");
    const row = (keys: string[], what: string, title = "") => {
      const line = make(table, "tr");
      const cell = make(line, "th");
      for (const key of keys) make(cell, "kbd", key);
      make(line, "td", what).title = title;
    };
    for (const base of driver.controllers.slice(0, 1)) {
      row(["↑", "↓"], "forward, back", base.path);
      row(["←", "→"], "turn left, right", base.path);
    }
    dofs.slice(0, PAIRS.length).forEach(({ name, rate }, i) => row([PAIRS[i][0].toUpperCase(), PAIRS[i][1].toUpperCase()], rate ? `${name}, turns` : name));
    if (driver.controllers.length + dofs.length === 0) make(this.drivingList, "p", "There is no controller of wheels and no joint with a drive.", "quiet");
    else make(this.drivingList, "p", "A gamepad's left stick drives, its cross chooses a joint, and its right stick moves it.", "quiet");
    make(this.drivingList, "p", "", "quiet chosen");
  }

  /** A list of bodies, for those who use no mouse. */
  private addParts(): void {
    const page = this.page("Picked");
    if (this.bodyNames.length > 0) {
      const choice = make(page, "select");
      choice.setAttribute("aria-label", "Part");
      choice.add(new Option("Choose a part…", ""));
      this.bodyNames.slice(0, 1000).forEach((name, i) => choice.add(new Option(name, String(i))));
      choice.addEventListener("change", () => {
        if (choice.value !== "") this.events.body(Number(choice.value));
      });
    }
    this.pickedFacts = make(page, "div");
    make(this.pickedFacts, "p", "Or click on one in the picture.", "quiet");
  }

  private page(name: string): HTMLElement {
    return this.pages.get(name) as HTMLElement;
  }

  open(name: string): void {
    for (const [key, page] of this.pages) {
      page.hidden = key !== name;
      const tab = this.tabs.get(key);
      tab?.setAttribute("aria-selected", String(key === name));
      if (tab) tab.tabIndex = key === name ? 0 : -1;
    }
    if (name === "Curves") this.plot.draw();
  }

  private addChoice(parent: HTMLElement): void {
    const choice = make(parent, "select");
    choice.setAttribute("aria-label", "Articulation");
    const { articulations } = this.parts;
    const copies = new Map<string, number>();
    for (const label of articulations) copies.set(label, (copies.get(label) ?? 0) + 1);
    const seen = new Map<string, number>();
    articulations.slice(0, 1000).forEach((label, i) => {
      const copy = seen.get(label) ?? 0;
      seen.set(label, copy + 1);
      choice.add(new Option((copies.get(label) ?? 1) > 1 ? `${label} · world ${copy}` : label, String(i)));
    });
    choice.value = String(this.articulation);
    choice.addEventListener("change", () => this.focus(Number(choice.value)));
  }

  /** Shows the joints of an articulation. */
  focus(articulation: number): void {
    if (articulation < 0 || articulation === this.articulation || articulation >= this.parts.articulations.length) return;
    this.articulation = articulation;
    const choice = this.page("Joints").querySelector("select");
    if (choice) choice.value = String(articulation);
    this.events.focus(articulation);
    this.fillJoints();
    this.fillChoice();
  }

  /** Dofs of the articulation that have a coordinate or a drive, with their names. */
  private dofs(driven = false): { dof: number; name: string }[] {
    const out: { dof: number; name: string }[] = [];
    const alone = this.parts.articulations.length === 0;
    this.parts.joints.forEach((joint, j) => {
      for (let k = 0; k < joint.count; k++) {
        const { slider, mode } = this.parts.dofs[joint.dof + k];
        const wanted = driven ? mode !== 0 && mode !== 4 && (slider || mode === VELOCITY) : slider || mode === VELOCITY;
        if ((alone || joint.articulation === this.articulation) && wanted) out.push({ dof: joint.dof + k, name: this.jointNames[j] + (joint.count > 1 ? ` ${k}` : "") });
      }
    });
    return out.slice(0, 256);
  }

  private fillJoints(): void {
    this.rows.clear();
    this.jointList.replaceChildren();
    for (const { dof, name } of this.dofs()) this.rows.set(dof, new DofRow(this.jointList, name, dof, this.parts, this.live.reset, this.events));
    if (this.rows.size === 0) make(this.jointList, "p", "There are no joints to move.", "quiet");
    this.fillDriving();
  }

  private quantities(): Quantity[] {
    const out: Quantity[] = [
      { name: "kinetic energy", unit: "J", of: (f) => f.kinetic },
      { name: "potential energy", unit: "J", of: (f) => f.potential },
      { name: "total energy", unit: "J", of: (f) => f.kinetic + f.potential },
      { name: "contacts", unit: "", of: (f) => f.contacts },
      { name: "contact force, sum of magnitudes", unit: "N", of: (f) => sumOfLengths(f.forces), forces: true },
    ];
    for (const { dof, name } of this.dofs()) {
      const at = (values: (f: LiveFrame) => Float32Array) => (f: LiveFrame) => values(f)[dof - f.firstDof] ?? NaN;
      const { linear, mode } = this.parts.dofs[dof];
      const unit = linear ? "m" : "rad";
      out.push({ name: `${name} position`, unit, of: at((f) => f.q) });
      out.push({ name: `${name} velocity`, unit: `${unit}/s`, of: at((f) => f.qd) });
      out.push({ name: `${name} target`, unit: mode === VELOCITY ? `${unit}/s` : unit, of: at((f) => f.target) });
    }
    this.bodyNames.slice(0, 200).forEach((name, i) => {
      for (const [k, axis] of ["x", "y", "z"].entries()) out.push({ name: `${name} ${axis}`, unit: "m", of: (f) => f.positions[3 * i + k] });
    });
    return out;
  }

  private fillChoice(): void {
    const known = this.quantities();
    this.choice.replaceChildren(new Option("Add a curve…"), ...known.map((q) => new Option(withUnit(q.name, q.unit))));
  }

  private addCurve(index: number): void {
    const quantity = this.quantities()[index];
    this.choice.selectedIndex = 0;
    if (!quantity || this.curves.some((c) => c.name === quantity.name)) return;
    this.curves.push(quantity);
    this.plot.open(quantity);
    this.fillLegend();
    if (this.ready) this.events.curves();
  }

  private fillLegend(): void {
    this.legend.replaceChildren();
    this.readings.length = 0;
    this.curves.forEach((curve, i) => {
      const entry = make(this.legend, "button");
      entry.type = "button";
      entry.title = "Remove";
      make(entry, "span", "", "dot").style.background = color(i);
      make(entry, "span", `${curve.name} ×`);
      this.readings.push(make(entry, "span", "", "reading"));
      entry.addEventListener("click", () => {
        const at = this.curves.indexOf(curve);
        this.curves.splice(at, 1);
        this.plot.close(at);
        this.fillLegend();
        this.events.curves();
      });
    });
  }

  private fillFindings(): void {
    const page = this.page("Findings");
    if (this.live.findings.length === 0) make(page, "p", "Nothing was found.", "quiet");
    for (const finding of this.live.findings.slice(0, 500)) {
      const entry = make(page, "button", "", `finding ${finding.severity === "error" || finding.severity === "warning" ? finding.severity : "info"}`);
      entry.type = "button";
      make(entry, "b", finding.id);
      make(entry, "span", finding.message);
      make(entry, "small", [finding.prim, finding.place].filter(Boolean).join("   "));
      if (finding.hint) make(entry, "small", finding.hint);
      entry.addEventListener("click", () => this.events.show(finding.prim));
    }
  }

  /** Shows what is known of what was picked. */
  picked(facts: Facts[]): void {
    const page = this.pickedFacts;
    page.replaceChildren();
    for (const entity of facts) {
      make(page, "h2", `${entity.kind}  ${entity.label}`);
      const table = make(page, "table");
      for (const value of entity.values) {
        const row = make(table, "tr");
        make(row, "th", value.field);
        make(row, "td", `${value.value} ${value.unit}`);
        make(make(table, "tr", "", "from"), "td", value.from).colSpan = 2;
      }
      if (entity.ledger.length > 0) make(page, "h3", "Authored here");
      for (const line of entity.ledger) {
        const entry = make(page, "p", `${line.property} = ${line.value}`, `ledger ${line.verdict === "ignored" ? "ignored" : ""}`);
        make(entry, "small", [line.verdict, line.note, line.place].filter(Boolean).join("   "));
      }
    }
    this.open("Picked");
  }

  update(frame: LiveFrame): void {
    this.last = frame;
    for (const [dof, row] of this.rows) row.update(frame.q[dof - frame.firstDof] ?? NaN, frame.target[dof - frame.firstDof] ?? NaN);
    this.plot.history.add(frame.time, this.curves.map((quantity) => quantity.of(frame)));
    if (!this.page("Drive").hidden) this.showChosen();
  }

  /** Draws the curves: as often as the page draws, which may be less than frames arrive. */
  draw(): void {
    if (!this.page("Curves").hidden) this.plot.draw();
  }

  /** Another theme. */
  restyle(): void {
    this.plot.restyle();
  }

  /** The joint that a gamepad moves, where there is one. */
  private showChosen(): void {
    const line = this.drivingList.querySelector(".chosen");
    const chosen = this.driver.dofs[this.driver.chosen];
    const text = this.driver.on && chosen ? `Right stick: ${this.dofs(true).find(({ dof }) => dof === chosen.dof)?.name ?? ""}` : "";
    if (line && line.textContent !== text) line.textContent = text;
  }

  /** The target of a dof in the last frame; its coordinate where it has no target yet. */
  targetOf(dof: number): number {
    const at = dof - (this.last?.firstDof ?? 0);
    const target = this.last?.target[at] ?? NaN;
    return Number.isFinite(target) ? target : (this.last?.q[at] ?? NaN);
  }

  /** The frame that is shown. */
  get frame(): LiveFrame | null {
    return this.last;
  }
}

function withUnit(name: string, unit: string): string {
  return unit === "" ? name : `${name} [${unit}]`;
}

function reading(value: number | null | undefined, unit: string): string {
  return value === null || value === undefined ? "" : `${Number(value.toPrecision(4))} ${unit}`;
}

function sumOfLengths(vectors: Float32Array): number {
  let sum = 0;
  for (let i = 0; i + 2 < vectors.length; i += 3) sum += Math.hypot(vectors[i], vectors[i + 1], vectors[i + 2]);
  return sum;
}
