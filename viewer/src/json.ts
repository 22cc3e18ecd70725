/** Where in JSON text one is, as it is being typed: it need not be valid. */

export type Step = string | number;

/** A place in JSON text. */
export interface Place {
  /** Fields and numbers that lead to what the cursor is in. */
  path: Step[];
  /** Whether a name of a field comes here, not a value. */
  key: boolean;
}

interface Level {
  list: boolean;
  /** The field, or the number of the element, that is being read. */
  at: Step;
  /** In objects: whether a name comes next. */
  key: boolean;
}

/** Calls `visit` at the start of every value and name, until it says stop. */
function walk(text: string, visit: (at: number, levels: Level[]) => boolean | void) {
  const levels: Level[] = [];
  const strings = /"(?:[^"\\\n]|\\.)*"?/y;
  for (let i = 0; i < text.length; ) {
    const sign = text[i] ?? "";
    const top = levels.at(-1);
    if (/[\s:]/.test(sign)) i += 1;
    else if (sign === "}" || sign === "]") {
      if (visit(i, levels)) return;
      levels.pop();
      i += 1;
    } else if (sign === ",") {
      if (visit(i, levels)) return;
      if (top?.list) top.at = Number(top.at) + 1;
      else if (top) top.key = true;
      i += 1;
    } else {
      if (visit(i, levels)) return;
      if (sign === "{" || sign === "[") {
        levels.push({ list: sign === "[", at: sign === "[" ? 0 : "", key: sign === "{" });
        i += 1;
      } else {
        strings.lastIndex = i;
        const word = sign === '"' ? (strings.exec(text)?.[0] ?? sign) : (/^[^\s,:{}[\]"]+/.exec(text.slice(i, i + 64))?.[0] ?? sign);
        i += word.length;
        if (top?.key) {
          top.at = word.replace(/^"|"$/g, "");
          top.key = false;
        }
      }
    }
  }
}

/** Where the cursor is. */
export function placeAt(text: string, cursor: number): Place {
  const copy = (levels: Level[]) => levels.map((level) => ({ ...level }));
  let last: Level[] = [];
  const before = text.slice(0, cursor);
  walk(`${before}\u0000`, (at, levels) => {
    // The state before the word that the cursor is in, or at the mark, whichever comes last.
    last = copy(levels);
    return at > cursor;
  });
  const top = last.at(-1);
  const key = top !== undefined && !top.list && top.key;
  return { path: last.flatMap((level, i) => (i === last.length - 1 && key ? [] : [level.at])), key };
}

/** Where the value of `joints[3].anchor_a[1]` begins; the nearest that is there. */
export function offsetOf(text: string, place: string): number | null {
  const path = [...place.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]): Step => (index === undefined ? (name ?? "") : Number(index)));
  let [best, depth] = [null as number | null, 0];
  walk(text, (at, levels) => {
    if (levels.length <= depth || levels.length > path.length || levels.at(-1)?.key) return;
    if (/[,}\]]/.test(text[at] ?? "")) return;
    if (levels.every((level, i) => level.at === path[i])) [best, depth] = [at, levels.length];
  });
  return best;
}
