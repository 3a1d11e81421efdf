// Curves of quantities over the last seconds, drawn by uPlot.
import uPlot from "uplot";

const COLORS = ["#2f6fde", "#e5484d", "#1fa97c", "#f5a524", "#a855f7", "#0ea5b7"];
const SECONDS = 10;
const MOST = 1200; // samples
const HEIGHT = 190; // [px]

type Row = (number | null)[];

/** Values of several quantities at the same moments, oldest first. What is no number is a gap. */
export class History {
  readonly times: number[] = [];
  readonly rows: Row[] = [];

  /** A further quantity, unknown until now. */
  open(): void {
    this.rows.push(this.times.map(() => null));
  }

  close(row: number): void {
    this.rows.splice(row, 1);
  }

  /** Adds a moment; time that goes back begins anew. */
  add(time: number, values: readonly number[]): void {
    const last = this.times[this.times.length - 1];
    if (time < last) this.clear();
    if (time === last) return;
    this.times.push(time);
    this.rows.forEach((row, i) => row.push(Number.isFinite(values[i]) ? values[i] : null));
    let old = Math.max(0, this.times.length - MOST);
    while (this.times[old] < time - SECONDS) old++;
    for (const row of [this.times, ...this.rows]) row.splice(0, old);
  }

  clear(): void {
    for (const row of [this.times, ...this.rows]) row.length = 0;
  }
}

/** The seconds that are shown: the last ten. */
export function windowOf(times: readonly number[]): [number, number] {
  const end = Math.max(SECONDS, times[times.length - 1] ?? 0);
  return [end - SECONDS, end];
}

/** A range around the values, never empty. */
export function rangeOf(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !(low <= high)) return [0, 1];
  const room = Math.max(0.05 * (high - low), 1e-3 * Math.max(Math.abs(low), Math.abs(high)), 1e-9);
  return [low - room, high + room];
}

export function color(index: number): string {
  return COLORS[index % COLORS.length];
}

export interface Curve {
  name: string;
  unit: string;
}

function themed(name: string): () => string {
  return () => getComputedStyle(document.documentElement).getPropertyValue(name);
}

function axis(scale: string, side: uPlot.Axis.Side, label: string): uPlot.Axis {
  const vertical = side === 1 || side === 3;
  return {
    scale, side, stroke: themed("--quiet"), font: "11px system-ui, sans-serif", size: vertical ? 46 : 28, gap: 3, ticks: { size: 4, stroke: themed("--edge") },
    grid: { show: side !== 1, stroke: themed("--edge"), width: 1 }, label, labelSize: label ? 15 : 0, labelFont: "11px system-ui, sans-serif", labelGap: 0,
    ...(vertical ? { values: (_: uPlot, marks: number[]) => marks.map((v) => (v !== 0 && (Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3) ? v.toExponential(0) : String(Number(v.toPrecision(4))))) } : {}),
  };
}

/** Curves with an axis for each of the first two units. */
export class Plot {
  readonly element = document.createElement("div");
  readonly history = new History();
  /** Called with the values under the pointer, or the newest ones; null where a curve has none. */
  onValues: (values: (number | null)[]) => void = () => {};
  private curves: Curve[] = [];
  private chart: uPlot | null = null;

  constructor() {
    this.element.className = "plot";
  }

  open(curve: Curve): void {
    this.curves.push(curve);
    this.history.open();
    this.renew();
  }

  close(index: number): void {
    this.curves.splice(index, 1);
    this.history.close(index);
    this.renew();
  }

  /** Another theme: axes have other colours. */
  restyle(): void {
    this.chart?.redraw(false, true);
  }

  private renew(): void {
    this.chart?.destroy();
    this.chart = null;
    this.draw();
  }

  private make(width: number): uPlot {
    const units = [...new Set(this.curves.map((c) => c.unit))];
    const range: uPlot.Range.Function = (_, low, high) => rangeOf(low, high);
    return new uPlot(
      {
        width, height: HEIGHT, legend: { show: false }, cursor: { drag: { x: false, y: false }, points: { size: 6 } },
        scales: { x: { time: false, range: () => windowOf(this.history.times) }, ...Object.fromEntries(units.map((unit) => [`y ${unit}`, { range }])) },
        axes: [axis("x", 2, ""), ...units.slice(0, 2).map((unit, i) => axis(`y ${unit}`, i === 0 ? 3 : 1, unit))],
        series: [{}, ...this.curves.map((c, i): uPlot.Series => ({ label: c.name, scale: `y ${c.unit}`, stroke: color(i), width: 1.5, points: { show: false } }))],
        hooks: { setCursor: [() => this.tell()] },
      },
      this.data,
      this.element,
    );
  }

  private get data(): uPlot.AlignedData {
    return [this.history.times, ...this.history.rows];
  }

  private tell(): void {
    const at = this.chart?.cursor.idx ?? this.history.times.length - 1;
    this.onValues(this.history.rows.map((row) => row[at] ?? null));
  }

  /** Draws what the history holds, as wide as the panel is. */
  draw(): void {
    const width = this.element.clientWidth;
    if (width === 0 || this.curves.length === 0) return;
    if (!this.chart) {
      this.chart = this.make(width);
      this.chart.ctx.canvas.setAttribute("role", "img");
      this.chart.ctx.canvas.setAttribute("aria-label", "Curves of the chosen quantities over the last ten seconds");
    }
    if (this.chart.width !== width) this.chart.setSize({ width, height: HEIGHT });
    this.chart.setData(this.data);
    this.tell();
  }
}
