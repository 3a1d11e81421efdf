// Curves of quantities over the last seconds.

const COLORS = ["#2f6fde", "#e5484d", "#1fa97c", "#f5a524", "#a855f7", "#0ea5b7"];
const SECONDS = 10;
const MOST = 1200; // samples

/** Values of one quantity, oldest first. */
export class Track {
  readonly name: string;
  readonly times: number[] = [];
  readonly values: number[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Adds a sample; time that goes back begins anew. */
  add(time: number, value: number): void {
    if (this.times.length > 0 && time < this.times[this.times.length - 1]) this.clear();
    if (this.times.length > 0 && time === this.times[this.times.length - 1]) return;
    this.times.push(time);
    this.values.push(value);
    let old = Math.max(0, this.times.length - MOST);
    while (this.times[old] < time - SECONDS) old++;
    this.times.splice(0, old);
    this.values.splice(0, old);
  }

  clear(): void {
    this.times.length = this.values.length = 0;
  }
}

/** The range of all finite values, never empty. */
export function rangeOf(tracks: readonly Track[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const track of tracks)
    for (const value of track.values)
      if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (!(low <= high)) return [0, 1];
  const room = Math.max(0.05 * (high - low), 1e-3 * Math.max(Math.abs(low), Math.abs(high)), 1e-9);
  return [low - room, high + room];
}

export function color(index: number): string {
  return COLORS[index % COLORS.length];
}

function draw(context: CanvasRenderingContext2D, width: number, height: number, tracks: readonly Track[]): void {
  const [low, high] = rangeOf(tracks);
  const end = Math.max(0, ...tracks.map((t) => t.times[t.times.length - 1] ?? 0));
  const x = (t: number) => width * (1 + (t - end) / SECONDS);
  const y = (v: number) => height - ((v - low) / (high - low)) * height;
  context.clearRect(0, 0, width, height);
  context.lineWidth = 1.5;
  tracks.forEach((track, i) => {
    context.strokeStyle = color(i);
    context.beginPath();
    let pen = false;
    for (let k = 0; k < track.times.length; k++) {
      const value = track.values[k];
      if (!Number.isFinite(value)) pen = false;
      else if (pen) context.lineTo(x(track.times[k]), y(value));
      else {
        context.moveTo(x(track.times[k]), y(value));
        pen = true;
      }
    }
    context.stroke();
  });
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--quiet");
  context.font = "11px system-ui, sans-serif";
  context.fillText(high.toPrecision(4), 4, 12);
  context.fillText(low.toPrecision(4), 4, height - 4);
}

/** A canvas with curves. */
export class Plot {
  readonly canvas = document.createElement("canvas");

  constructor() {
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Curves of the chosen quantities over the last ten seconds");
  }

  update(tracks: readonly Track[]): void {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (width === 0 || height === 0) return;
    if (this.canvas.width !== Math.round(width * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw(context, width, height, tracks);
  }
}
