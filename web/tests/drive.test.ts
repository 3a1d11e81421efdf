import assert from "node:assert/strict";
import { test } from "node:test";
import { Driver } from "../src/drive.ts";
import { shortNames } from "../src/names.ts";

type Said = [string, number, number, number?];

function made(): { driver: Driver; said: Said[] } {
  const said: Said[] = [];
  const driver = new Driver({ drive: (c, v, w) => said.push(["drive", c, v, w]), target: (dof, value) => said.push(["target", dof, value]) });
  driver.controllers = [{ path: "/base", linear: 2, angular: 3 }];
  driver.dofs = [{ dof: 7, rate: false, lower: -1, upper: 1 }, { dof: 9, rate: true, lower: 0, upper: 0 }];
  driver.on = true;
  return { driver, said };
}

test("arrows drive at the largest speeds, and letting go says so once", () => {
  const { driver, said } = made();
  assert.ok(driver.press("ArrowUp") && driver.press("ArrowLeft"));
  driver.tick(0.05, () => 0, null);
  driver.lift("ArrowUp");
  driver.lift("ArrowLeft");
  driver.tick(0.05, () => 0, null);
  driver.tick(0.05, () => 0, null);
  assert.deepEqual(said, [["drive", 0, 2, 3], ["drive", 0, 0, 0]]);
});

test("a pair of keys moves a target by a quarter of its range in a second, within the range", () => {
  const { driver, said } = made();
  driver.press("q");
  driver.tick(0.1, () => 0.5, null);
  driver.tick(0.1, () => 0.1, null); // what the simulation says late does not count while the key is held
  for (let i = 0; i < 40; i++) driver.tick(0.1, () => 0, null);
  assert.deepEqual(said.slice(0, 2).map((s) => [s[0], s[1], Number(s[2].toFixed(6))]), [["target", 7, 0.55], ["target", 7, 0.6]]);
  assert.equal(said[said.length - 1][2], 1);
});

test("a drive of velocity turns while its key is held, and stops when the page loses the keys", () => {
  const { driver, said } = made();
  driver.press("s");
  driver.tick(0.05, () => 0, null);
  driver.release();
  assert.deepEqual(said, [["target", 9, -2], ["target", 9, 0]]);
});

test("sticks count beyond their dead zone, and the cross chooses the joint", () => {
  const { driver, said } = made();
  driver.tick(0.05, () => 0, { axes: [0.1, 0.1, 0, 0], pressed: [] });
  assert.deepEqual(said, []);
  driver.tick(0.05, () => 0, { axes: [0, -1, 0, 0], pressed: [] });
  assert.deepEqual(said.pop(), ["drive", 0, 2, 0]);
  const down = [...Array<boolean>(13).fill(false), true];
  driver.tick(0.05, () => 0, { axes: [0, 0, 0, -1], pressed: down });
  assert.equal(driver.chosen, 1);
  assert.deepEqual(said.pop(), ["target", 9, 2]);
  driver.tick(0.05, () => 0, { axes: [0, 0, 0, 0], pressed: down });
  assert.equal(driver.chosen, 1);
});

test("without driving, and for keys that mean nothing, the page keeps its keys", () => {
  const { driver } = made();
  assert.equal(driver.press("z"), false);
  assert.equal(driver.press("e"), false); // there is no third joint
  driver.on = false;
  assert.equal(driver.press("ArrowUp"), false);
});

test("names are as short as tells parts apart", () => {
  assert.deepEqual(shortNames(["/r/left/knee", "/r/right/knee", "/r/hip"]), ["left/knee", "right/knee", "hip"]);
  assert.deepEqual(shortNames(["/a", "/a", ""]), ["a", "a", ""]);
});
