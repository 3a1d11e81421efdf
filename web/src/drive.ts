// Keys and gamepads that drive: controllers of wheels, and drives of joints. What is held down moves; what is let go of stops.

/** A pair of keys for each of the first joints: one raises the target, the other lowers it. */
export const PAIRS: readonly [string, string][] = [
  ["q", "a"], ["w", "s"], ["e", "d"], ["r", "f"], ["t", "g"], ["y", "h"], ["u", "j"], ["i", "k"], ["o", "l"],
];
const DEAD = 0.15; // of a stick

export interface DrivenDof {
  dof: number;
  rate: boolean; // the drive holds a velocity
  lower: number;
  upper: number;
}

export interface DriveEvents {
  drive(controller: number, value: number, turn: number): void;
  target(dof: number, value: number): void;
}

/** What of a gamepad counts: axes of -1..1, and whether buttons are pressed. */
export interface Stick {
  axes: readonly number[];
  pressed: readonly boolean[];
}

function beyond(value: number | undefined): number {
  const v = value ?? 0;
  return Math.abs(v) < DEAD ? 0 : (Math.sign(v) * (Math.abs(v) - DEAD)) / (1 - DEAD);
}

/** The share of the whole range that a joint passes in a second, and the speed of drives that hold a velocity [rad/s, m/s]. */
const SWEEP = 0.25;
const SPIN = 2;

/** Keys and sticks as commands. It knows no page, so that it can be tested without one. */
export class Driver {
  /** Of which the sticks and arrows drive one, and the pairs of keys all. */
  controllers: { path: string; linear: number; angular: number; dofs?: number[] }[] = [];
  dofs: DrivenDof[] = [];
  controller = 0;
  /** The joint that the gamepad moves. */
  chosen = 0;
  on = false;
  private readonly held = new Set<string>();
  private readonly events: DriveEvents;
  private readonly spinning = new Set<number>();
  private readonly aims = new Map<number, number>();
  private moving = false;
  private wasPressed: readonly boolean[] = [];

  constructor(events: DriveEvents) {
    this.events = events;
  }

  /** Takes a key; false where it means nothing here. */
  press(key: string): boolean {
    if (!this.on || !this.means(key)) return false;
    this.held.add(key);
    return true;
  }
  lift(key: string): void {
    this.held.delete(key);
  }
  private means(key: string): boolean {
    if (key.startsWith("Arrow")) return this.controllers.length > 0;
    return PAIRS.slice(0, this.dofs.length).some((pair) => pair.includes(key));
  }

  /** Stops everything: the page loses the keys, or driving is switched off. */
  release(): void {
    this.held.clear();
    if (this.moving) this.events.drive(this.controller, 0, 0);
    for (const dof of this.spinning) this.events.target(dof, 0);
    this.spinning.clear();
    this.moving = false;
    this.aims.clear();
  }

  /** Says what is commanded now; to be called some twenty times a second. `targetOf` says where a target is. */
  tick(seconds: number, targetOf: (dof: number) => number, stick: Stick | null): void {
    if (!this.on) return;
    this.driveBase(stick);
    this.chooseJoint(stick);
    this.dofs.slice(0, PAIRS.length).forEach((dof, i) => this.driveDof(dof, Number(this.held.has(PAIRS[i][0])) - Number(this.held.has(PAIRS[i][1])), seconds, targetOf, i === this.chosen ? stick : null));
    if (this.chosen >= PAIRS.length && this.dofs[this.chosen]) this.driveDof(this.dofs[this.chosen], 0, seconds, targetOf, stick);
  }

  private driveBase(stick: Stick | null): void {
    const base = this.controllers[this.controller];
    if (!base) return;
    const key = (name: string) => Number(this.held.has(`Arrow${name}`));
    const forward = Math.max(-1, Math.min(1, key("Up") - key("Down") - beyond(stick?.axes[1])));
    const turn = Math.max(-1, Math.min(1, key("Left") - key("Right") - beyond(stick?.axes[0])));
    const moves = forward !== 0 || turn !== 0;
    if (moves || this.moving) this.events.drive(this.controller, forward * base.linear, turn * base.angular);
    this.moving = moves;
  }

  /** The buttons of the cross choose the joint above or below. */
  private chooseJoint(stick: Stick | null): void {
    const pressed = stick?.pressed ?? [];
    const fresh = (button: number) => pressed[button] && !this.wasPressed[button];
    if (fresh(12)) this.chosen = Math.max(0, this.chosen - 1);
    if (fresh(13)) this.chosen = Math.min(Math.max(0, this.dofs.length - 1), this.chosen + 1);
    this.wasPressed = [...pressed];
  }

  private driveDof(dof: DrivenDof, keys: number, seconds: number, targetOf: (dof: number) => number, stick: Stick | null): void {
    const way = Math.max(-1, Math.min(1, keys - beyond(stick?.axes[3])));
    if (dof.rate) {
      if (way !== 0 || this.spinning.has(dof.dof)) this.events.target(dof.dof, way * SPIN);
      if (way !== 0) this.spinning.add(dof.dof);
      else this.spinning.delete(dof.dof);
      return;
    }
    if (way === 0) {
      this.aims.delete(dof.dof);
      return;
    }
    const from = this.aims.get(dof.dof) ?? targetOf(dof.dof);
    if (!Number.isFinite(from)) return;
    const aim = Math.max(dof.lower, Math.min(dof.upper, from + way * SWEEP * (dof.upper - dof.lower) * seconds));
    this.aims.set(dof.dof, aim);
    this.events.target(dof.dof, aim);
  }
}

/** The first gamepad that is there. */
export function readStick(): Stick | null {
  for (const pad of navigator.getGamepads?.() ?? []) if (pad?.connected) return { axes: pad.axes, pressed: pad.buttons.map((b) => b.pressed) };
  return null;
}
