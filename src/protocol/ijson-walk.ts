import { type InexactNumber, MARK } from './inexact-number.js';
import type { JsonValue } from './json.js';

type Container = JsonValue[] | Record<string, JsonValue>;

/**
 * Code points that I-JSON forbids in text (RFC 7493 2.1). Both sets are the same in every Unicode
 * version.
 */
const FORBIDDEN = /[\p{Surrogate}\p{Noncharacter_Code_Point}]/u;

/** True for text that I-JSON allows: neither lone surrogates nor noncharacters. */
export function isLegalText(text: string): boolean {
  return !FORBIDDEN.test(text);
}

/**
 * How many members the objects of a tree have together. Iterative: the tree may be as deep as the
 * scan let it. `for in` sees own members alone, as Object.prototype has no enumerable ones.
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

/**
 * Changes a fresh tree in place: strings of the mark and an index become that one of `numbers`, and
 * -0 becomes 0. Returns the root, which may itself be such a value.
 */
export function repair(root: JsonValue, numbers: readonly InexactNumber[]): JsonValue {
  const holder = [root];
  const open: Container[] = [holder];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index += 1) {
        const item = value[index] ?? null;
        if (isContainer(item)) open.push(item);
        else value[index] = repaired(item, numbers);
      }
    } else {
      for (const name in value) {
        const member = value[name] ?? null;
        if (isContainer(member)) open.push(member);
        // An own member, even where its name is `__proto__`: assigning sets no prototype.
        else value[name] = repaired(member, numbers);
      }
    }
  }
  return holder[0] ?? null;
}

function repaired(value: JsonValue, numbers: readonly InexactNumber[]): JsonValue {
  if (value === 0) return 0;
  if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
  // The one place where the type looks away: JsonValue does not know of numbers that no double
  // holds.
  return (numbers[Number(value.slice(MARK.length))] ?? value) as JsonValue;
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}
