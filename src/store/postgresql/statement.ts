import type pg from 'pg';
import { engineTypes } from '../../database/postgresql/values.js';

export type Parameter = string | number | null | readonly string[];

/** Statements that connections keep prepared, at most: those of a large project's types fit. */
const KEPT = 2000;

const names = new Map<string, string>();

/**
 * A statement whose text is fixed: prepared by name once per connection, so that it is parsed and
 * planned once. Beyond `KEPT` texts it is as a composed one.
 */
export function prepared(
  text: string,
  parameters: readonly Parameter[],
): pg.QueryArrayConfig<Value[]> {
  let name = names.get(text);
  if (name === undefined) {
    if (names.size >= KEPT) return config(text, parameters);
    name = `jmapsmith_${names.size}`;
    names.set(text, name);
  }
  return { name, ...config(text, parameters) };
}

/** A statement that is parsed and planned each time. */
export function config(
  text: string,
  parameters: readonly Parameter[],
): pg.QueryArrayConfig<Value[]> {
  return { text, values: parameters.map(storable), types: engineTypes, rowMode: 'array' };
}

type Value = string | number | null | string[];

/**
 * No stored text has a U+0000 (D4), and none can be sent: what is stored nowhere either stands for
 * it.
 */
function storable(parameter: Parameter): Value {
  if (parameter === null || typeof parameter === 'number') return parameter;
  return typeof parameter === 'string' ? withoutNul(parameter) : parameter.map(withoutNul);
}

function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uffff') : text;
}
