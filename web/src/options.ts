// What the part of the address behind "#" asks for: #t=1.5&paused=1&overlay=colliders,contacts&speed=0.5&theme=dark

export interface Options {
  time: number | null;
  paused: boolean;
  colliders: boolean;
  contacts: boolean;
  overlays: string[]; // all that are asked for, by name
  grid: boolean;
  speed: number | null;
  theme: "light" | "dark" | null;
  bare: boolean; // without controls, for pictures
}

export function readOptions(hash: string): Options {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (key: string) => {
    const value = Number.parseFloat(given.get(key) ?? "");
    return Number.isFinite(value) ? value : null;
  };
  const on = (key: string) => given.has(key) && given.get(key) !== "0" && given.get(key) !== "false";
  const overlays = (given.get("overlay") ?? "").split(",");
  const theme = given.get("theme");
  const speed = number("speed");
  return {
    time: number("t"),
    paused: on("paused"),
    colliders: overlays.includes("colliders"),
    contacts: overlays.includes("contacts"),
    overlays,
    grid: given.get("grid") !== "0",
    speed: speed !== null && speed > 0 ? speed : null,
    theme: theme === "dark" || theme === "light" ? theme : null,
    bare: on("bare"),
  };
}
