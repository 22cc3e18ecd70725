/** The editor of scene files without a page: places, schema, mistakes, links. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compact, whereOf } from "../../src/editor";
import { named } from "../../src/files";
import { offsetOf, placeAt } from "../../src/json";
import { advise, type Schema } from "../../src/schema";
import { decodeLink, encodeLink } from "../../src/share";
import { mistake } from "../../src/settings";

const schema = JSON.parse(readFileSync(new URL("../../../schemas/scene.v1.json", import.meta.url), "utf8")) as Schema;

/** The place of the bar in a text. */
const at = (text: string) => placeAt(text.replace("|", ""), text.indexOf("|"));

test("places in text that is being typed", () => {
  expect(at('{"bodies": [{"name": "a"}, {|')).toEqual({ path: ["bodies", 1], key: true });
  expect(at('{"bodies": [{"name": "a", "ma|ss": 1}]}')).toEqual({ path: ["bodies", 0], key: true });
  expect(at('{"bodies": [{"name": "a", "mass": |1}]}')).toEqual({ path: ["bodies", 0, "mass"], key: false });
  expect(at('{"gravity": [0, 0, |')).toEqual({ path: ["gravity", 2], key: false });
  expect(at('{"name": "a, b: {", |}')).toEqual({ path: [], key: true });
  expect(at("|")).toEqual({ path: [], key: false });
});

test("the schema helps at a place", () => {
  const body = advise(schema, ["bodies", 0]);
  expect(body.fields.map((f) => f.name)).toEqual(expect.arrayContaining(["name", "mass", "shape", "position"]));
  expect(body.fields.find((f) => f.name === "name")?.required).toBe(true);
  expect(advise(schema, ["bodies", 0, "mass"]).about).toMatch(/kg/);
  expect(advise(schema, ["bodies", 0, "shape"]).fields.map((f) => f.name)).toContain("box");
  expect(advise(schema, ["bodies", 0, "kind"]).values).toContain('"fixed"');
  expect(advise(schema, ["no", "such", 3]).fields).toEqual([]);
});

test("mistakes are found in the text", () => {
  const text = '{\n  "version": 1,\n  "bodies": [{"name": "a"}, {"name": "b", "mass": -1}]\n}';
  expect(whereOf("bodies[0].mass: expected a number (line 3, column 5)", text)).toBe(text.indexOf('"bodies"') + 2);
  expect(whereOf("bodies[1].mass: expected at least 0", text)).toBe(text.indexOf("-1"));
  expect(offsetOf(text, "bodies[1].shape.box"), "the nearest that is there").toBe(text.indexOf('{"name": "b"'));
  expect(whereOf("something else", text)).toBe(null);
});

test("lists of numbers stand on one line, and nothing else changes", () => {
  const scene = { name: "[ 1, 2 ]", gravity: [0, 0, -9.81], empty: [], names: ["a", "b"], keys: [[0, 1e-3], [1, 2]] };
  const text = compact(JSON.stringify(scene, null, 2));
  expect(text).toContain('"gravity": [0, 0, -9.81]');
  expect(JSON.parse(text)).toEqual(scene);
});

test("links carry names, settings and files", async () => {
  const named = { scene: "loaded-chain", size: 30, solver: { pgs: { max_iterations: 10 } }, settings: { dt: 0.01 } };
  expect(await decodeLink(`#${await encodeLink(named)}`)).toEqual(named);
  const text = JSON.stringify({ version: 1, name: "größer & kleiner", bodies: Array.from({ length: 50 }, (_, i) => ({ name: `b${i}` })) });
  const link = await encodeLink({ text });
  expect(link.length).toBeLessThan(text.length / 2);
  expect(link).toMatch(/^file=[\w-]+$/);
  expect(await decodeLink(`#${link}`)).toEqual({ text });
  expect(await decodeLink("")).toEqual({});
  await expect(decodeLink("#settings=7")).rejects.toThrow(/no object/);
  for (const damaged of ["#file=AAAA", "#file=%%%", `#${link.slice(0, -20)}`, `#${link.slice(0, 30)}`]) {
    await expect(decodeLink(damaged), damaged).rejects.toThrow(/^the scene in it is damaged/);
  }
  await expect(decodeLink("#solver=%7B")).rejects.toThrow(/^its settings are damaged/);
  for (const unknown of ["#foo=bar", "#%%%%"]) await expect(decodeLink(unknown)).rejects.toThrow(/no scene/);
});

test("files without a name get that of the file, and keep their lines", () => {
  expect(JSON.parse(named('{\n "version": 1}', "mine.json"))).toEqual({ name: "mine", version: 1 });
  expect(named('{\n "version": 1}', 'a"$&.JSON').split("\n")).toEqual(['{"name": "a\\"$&", ', ' "version": 1}']);
  for (const text of ['{"version": 1, "name": "x"}', '{"version": 1', "{}", "[1]", "null"]) expect(named(text, "mine.json")).toBe(text);
});

test("fields of numbers refuse what is none", () => {
  for (const text of ["", " ", "1", "-2.5e-3", " 7 "]) expect(mistake("gravity", text)).toBeNull();
  for (const text of ["abc", "nan", "1,5", "Infinity"]) expect(mistake("joint_correction", text)).toBe(`joint correction: expected a number, found "${text}"`);
});
