import { expect, test } from "vitest";
import { csv, missing, pairOf } from "../../src/series";

test("contacts have one name, whichever body comes first", () => {
  expect([pairOf(7, 3), pairOf(3, 7), pairOf(-1, 4), pairOf(4, -1)]).toEqual(["3-7", "3-7", "4-world", "4-world"]);
});

test("tables say which frame a row is of, and what is missing", () => {
  const rows = [[0, 0, 5], [1, 0.5, 6], [4, 2, 7]];
  expect(csv({ kind: "cable", index: "0", name: "rope" }, rows, 0.5)).toBe("frame,time [s],tension [N]\n0,0,5\n1,0.5,6\n4,2,7");
  expect(csv(null, [], 1).split(",").slice(0, 3)).toEqual(["frame", "time [s]", "step_ms"]);
  expect([missing(rows), missing(rows.slice(0, 2)), missing([])]).toEqual([2, 0, 0]);
});

test("tables have times of double precision, no more digits than are known, and no NaN", () => {
  const rows = [[0, 0, NaN], [1, Math.fround(1 / 60), Math.fround(0.1)], [7, Math.fround(0.07), Math.fround(1 / 3)]];
  const lines = csv({ kind: "cable", index: "0", name: "rope" }, rows, 1 / 60).split("\n");
  expect(lines.slice(1)).toEqual(["0,0,", `1,${1 / 60},0.1`, "7,0.07,0.33333334"]);
});
