import { PASSING } from '../../database/postgresql/batch.js';
import type { Fragment } from '../sql/fragment.js';

/** Parameters are texts on the wire; null is null. */
export type Parameter = string | number | null | readonly string[];

/** A statement as it is sent. */
export interface Statement {
  readonly text: string;
  /** It is prepared by this name. */
  readonly name?: string;
  readonly values: readonly (string | null)[];
}

/** Statements that connections keep prepared, at most: those of a large project's types fit. */
const KEPT = 2000;

const names = new Map<string, string>();

/**
 * A statement whose text is fixed: prepared by name once per connection, so that it is parsed and
 * planned once. Beyond `KEPT` texts it is as a composed one.
 */
export function prepared(text: string, parameters: readonly Parameter[]): Statement {
  let name = names.get(text);
  if (name === undefined) {
    if (names.size >= KEPT) return composed(text, parameters);
    name = `jmapsmith_${names.size}`;
    names.set(text, name);
  }
  return { name, text, values: parameters.map(storable) };
}

/** Composed texts that are remembered, each with the name that it has or would have. */
const REMEMBERED = 500;
/** A longer one takes long to plan anyway, and long lists of them much memory. */
const SHORT = 4000;

/** In order of last use. Null: it was asked for once. */
const composedNames = new Map<string, string | null>();
let composedCount = 0;

/**
 * A composed statement, of which clients decide how many there are: prepared from the second time on that it
 * is asked for, and forgotten where others are asked for more (batch.ts). The database plans it with its values
 * still, unless it has found a plan that is as good for any. What scans is planned for its account each time:
 * after a few large accounts, PostgreSQL would read the whole table for the smallest, too.
 */
export function recurring(text: string, { values, scans }: Fragment): Statement {
  const parameters = values as readonly Parameter[];
  if (scans === true || text.length > SHORT) return composed(text, parameters);
  const known = composedNames.get(text);
  const name = known === null ? `${PASSING}${composedCount++}` : (known ?? null);
  composedNames.delete(text);
  composedNames.set(text, name);
  if (composedNames.size > REMEMBERED) {
    for (const oldest of composedNames.keys()) {
      composedNames.delete(oldest);
      break;
    }
  }
  const kept = parameters.map(storable);
  return name === null ? { text, values: kept } : { name, text, values: kept };
}

/** A statement that is parsed and planned each time. */
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
