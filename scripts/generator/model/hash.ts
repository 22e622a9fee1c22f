import { createHash } from 'node:crypto';
import { byCodeUnit } from '../order.js';

/** JSON with the members of every object in order of their names: equal values have equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => byCodeUnit(a, b));
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
}

/** The SHA-256 of a text's UTF-8 octets, in hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/**
 * Hashes what a descriptor means, as the model has it: neither comments, white space, order nor
 * descriptions count, so that the session's state (decision 2) changes when behaviour does.
 */
export function meaningHash(meaning: unknown): string {
  return `sha256-${sha256(canonicalJson(withoutWords(meaning)))}`;
}

/** Values that are the author's data: every member of them counts. */
const DATA_KEYS: ReadonlySet<string> = new Set(['session', 'accountSession', 'default', 'enum']);

/**
 * Leaves out places and descriptions; lists of named things become objects, so that their order is
 * nothing.
 */
function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) {
    const inner = value.map(withoutWords);
    return value.length > 0 && value.every(isNamed)
      ? Object.fromEntries(value.map(({ name }, index) => [name, inner[index]]))
      : inner;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !isPlace(key, inner) && !(key === 'description' && isText(inner)))
      .map(([key, inner]) => [key, DATA_KEYS.has(key) ? inner : withoutWords(inner)]),
  );
}

function isPlace(key: string, value: unknown): boolean {
  return key === 'at' && typeof value === 'object' && value !== null && 'line' in value
    ? typeof value.line === 'number'
    : false;
}

function isNamed(value: unknown): value is { readonly name: string } {
  return typeof value === 'object' && value !== null && 'name' in value && isText(value.name);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
