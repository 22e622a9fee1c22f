import type { NumberReplacement } from './ijson-scan.js';
import type { JsonValue } from './json.js';

type Container = JsonValue[] | Record<string, JsonValue>;

/** Code points that I-JSON forbids in text (RFC 7493 2.1). Both sets are the same in every Unicode version. */
const FORBIDDEN = /[\p{Surrogate}\p{Noncharacter_Code_Point}]/u;

/** True for text that I-JSON allows: neither lone surrogates nor noncharacters. */
export function isLegalText(text: string): boolean {
  return !FORBIDDEN.test(text);
}

/**
 * How many members the objects of a tree have together. Iterative: the tree may be as deep as the scan let it.
 * `for in` sees own members alone, as Object.prototype has no enumerable ones.
 */
export function countMembers(root: JsonValue): number {
  const open: Container[] = [];
  let members = 0;
  if (isContainer(root)) open.push(root);
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      for (const item of value) if (isContainer(item)) open.push(item);
    } else {
      for (const name in value) {
        members += 1;
        const member = value[name];
        if (isContainer(member)) open.push(member);
      }
    }
  }
  return members;
}

/** True where every string and member name of a tree is legal text. */
export function hasLegalTexts(root: JsonValue): boolean {
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') {
      if (!isLegalText(value)) return false;
    } else if (Array.isArray(value)) {
      for (const item of value) open.push(item);
    } else if (isContainer(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (!isLegalText(name)) return false;
        open.push(member);
      }
    }
  }
  return true;
}

/** Starts the strings that stand for replaced numbers: a lone surrogate, which no client can get this far. */
const MARK = '\uDC00';

/**
 * Parses a text again with some number tokens replaced. The text must have been found to be I-JSON, so that no
 * string of it starts with the mark.
 */
export function parseReplaced(text: string, replacements: readonly NumberReplacement[]): JsonValue {
  const parts: string[] = [];
  let done = 0;
  for (const [index, { start, end }] of replacements.entries()) {
    parts.push(text.slice(done, start), `"${MARK}${index}"`);
    done = end;
  }
  parts.push(text.slice(done));
  const holder = [JSON.parse(parts.join('')) as JsonValue];
  const open: Container[] = [holder];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    for (const [name, member] of Object.entries(value)) {
      if (isContainer(member)) open.push(member);
      else if (typeof member === 'string' && member.startsWith(MARK)) {
        const replacement = replacements[Number(member.slice(1))]?.value;
        // Defined, not assigned: the name may be `__proto__`.
        Object.defineProperty(value, name, { value: replacement });
      }
    }
  }
  return holder[0] ?? null;
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}
