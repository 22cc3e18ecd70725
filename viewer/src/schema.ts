/** What a JSON schema says of a place: enough of it for the schema of scene files. */

import type { Step } from "./json";

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  description?: string;
  type?: string | string[];
  default?: unknown;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema | boolean;
  prefixItems?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
}

/** The schema itself and all that it refers to or chooses from. */
function meanings(root: Schema, schema: Schema | boolean | undefined, depth = 0): Schema[] {
  if (typeof schema !== "object" || depth > 12) return [];
  const name = schema.$ref?.replace("#/$defs/", "");
  const target = schema.$ref === "#" ? root : name === undefined ? undefined : root.$defs?.[name];
  const others = [target, ...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  return [schema, ...others.flatMap((other) => meanings(root, other, depth + 1))];
}

/** All that may be meant at a place. */
export function schemasAt(root: Schema, path: Step[]): Schema[] {
  let found = meanings(root, root);
  for (const step of path) {
    const next = found.map((schema) => {
      if (typeof step === "number") return schema.prefixItems?.[step] ?? schema.items;
      return schema.properties?.[step] ?? schema.additionalProperties;
    });
    found = next.flatMap((schema) => meanings(root, schema));
  }
  return found;
}

/** Help for a place: what it is, which fields it may have, or which values. */
export interface Advice {
  about: string;
  fields: { name: string; about: string; required: boolean; value: string }[];
  values: string[];
}

export function advise(root: Schema, path: Step[]): Advice {
  const found = schemasAt(root, path);
  const fields = new Map<string, Advice["fields"][number]>();
  for (const schema of found) {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const all = meanings(root, field);
      const about = all.find((s) => s.description)?.description ?? schema.description ?? "";
      const required = schema.required?.includes(name) ?? false;
      fields.set(name, { name, about, required, value: blank(all) });
    }
  }
  const values = found.flatMap((s) => [...(s.enum ?? []), ...(s.const === undefined ? [] : [s.const])]);
  return {
    about: found.find((s) => s.description)?.description ?? "",
    fields: [...fields.values()],
    values: [...new Set(values.map((value) => JSON.stringify(value)))],
  };
}

/** A value to begin with. */
function blank(all: Schema[]): string {
  const given = all.find((s) => s.default !== undefined && s.default !== null)?.default;
  if (given !== undefined) return JSON.stringify(given);
  const first = all.find((s) => s.enum?.length)?.enum?.[0] ?? all.find((s) => s.const !== undefined)?.const;
  if (first !== undefined) return JSON.stringify(first);
  const types = all.flatMap((s) => s.type ?? []);
  const blanks: Record<string, string> = { number: "0", integer: "1", string: '""', boolean: "true", array: "[]", object: "{}" };
  return blanks[types.find((type) => type in blanks) ?? "object"] ?? "{}";
}
