import type { Ask } from '../../database/postgresql/batch.js';
import { type Fragment, render } from '../sql/fragment.js';
import { postgresql } from './dialect.js';

/** Parameters are texts on the wire; null is null. */
export type Parameter = string | number | null | readonly string[];

/** A statement as it is sent. */
export type Statement = Pick<Ask, 'text' | 'lifetime' | 'values'>;

/** A longer one takes long to plan anyway, and many of them take much memory. */
const SHORT = 4000;

/** Returns a statement whose text is fixed: each connection parses and plans it once. */
export function prepared(text: string, parameters: readonly Parameter[]): Statement {
  return { text, lifetime: 'fixed', values: parameters.map(storable) };
}

/**
 * Returns a composed statement; clients decide how many exist. A connection prepares it at its
 * second use and forgets it for others (prepared.ts). The database still plans it with its values,
 * unless a plan for any values is as good. Scans are planned for their account each time: after a
 * few large accounts, PostgreSQL would read the whole table for the smallest, too.
 */
export function recurring(fragment: Fragment): Statement {
  const text = render(fragment, postgresql.placeholder);
  const parameters = fragment.values as readonly Parameter[];
  if (fragment.scans === true || text.length > SHORT) return composed(text, parameters);
  return { text, lifetime: 'recurring', values: parameters.map(storable) };
}

/** Returns a statement that is parsed and planned each time. */
export function composed(text: string, parameters: readonly Parameter[]): Statement {
  return { text, values: parameters.map(storable) };
}

/**
 * Puts U+FFFF in the place of U+0000, which PostgreSQL takes in no text. No stored text has either.
 */
function storable(parameter: Parameter): string | null {
  if (typeof parameter === 'string') return withoutNul(parameter);
  if (typeof parameter === 'number') return String(parameter);
  return parameter === null ? null : `{${parameter.map(item).join(',')}}`;
}

/** Of an array. */
function item(text: string): string {
  const escaped = /["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text;
  return `"${withoutNul(escaped)}"`;
}

function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uffff') : text;
}
