// The clock: which time is shown, and whether it runs.

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  readonly start: number;
  readonly end: number;
  time: number;
  playing = true;
  speed = 1;
  private readonly times: ArrayLike<number>;
  private rest = 0; // seconds that the last frame is still held before playing begins anew

  constructor(times: ArrayLike<number>) {
    this.times = times;
    this.start = times.length > 0 ? times[0] : 0;
    this.end = times.length > 0 ? times[times.length - 1] : 0;
    this.time = this.start;
  }

  /** Lets `seconds` of wall time pass; returns whether another time is shown. */
  advance(seconds: number): boolean {
    if (!this.playing || this.end <= this.start) return false;
    const before = this.time;
    if (this.time >= this.end) {
      this.rest -= seconds;
      if (this.rest <= 0) this.time = this.start;
      return this.time !== before;
    }
    this.time = Math.min(this.end, this.time + seconds * this.speed);
    if (this.time >= this.end) this.rest = 0.6;
    return this.time !== before;
  }

  seek(time: number): void {
    this.time = Math.min(this.end, Math.max(this.start, Number.isFinite(time) ? time : this.start));
    this.rest = 0.6;
  }

  /** Goes this many frames on and stops. */
  step(frames: number): void {
    this.playing = false;
    let nearest = 0;
    for (let i = 1; i < this.times.length; i++)
      if (Math.abs(this.times[i] - this.time) < Math.abs(this.times[nearest] - this.time)) nearest = i;
    this.seek(this.times[Math.min(this.times.length - 1, Math.max(0, nearest + frames))]);
  }

  toggle(): void {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.end) this.seek(this.start);
  }

  /** The next faster or slower speed of the list. */
  changeSpeed(direction: 1 | -1): void {
    const at = SPEEDS.findIndex((s) => s >= this.speed - 1e-9);
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, (at < 0 ? SPEEDS.length - 1 : at) + direction))];
  }
}
