import type { PropertyDefinition } from '../../src/capability/definition.js';
import type { JsonValue } from '../../src/protocol/json.js';
import type { FilterNode, QueryPlan, SortKey, StoredObject } from '../../src/store/port.js';
import { asciiNumericKey, casemapKey, fold } from '../../src/text/index.js';

/**
 * Returns the ids that a query must answer, said in plain JavaScript: engines are compared with it.
 */

export function referenceIds(objects: readonly StoredObject[], plan: QueryPlan): readonly string[] {
  return objects
    .filter((object) => matches(object, plan.filter))
    .sort((a, b) => compare(a, b, plan.sort))
    .map((object) => object.id);
}

function matches(object: StoredObject, node: FilterNode): boolean {
  switch (node.kind) {
    case 'all':
      return true;
    case 'none':
      return false;
    case 'operator':
      if (node.operator === 'AND') return node.conditions.every((child) => matches(object, child));
      if (node.operator === 'OR') return node.conditions.some((child) => matches(object, child));
      return !node.conditions.some((child) => matches(object, child));
    case 'visible':
      throw new Error('Objects here have no scopes.');
    case 'condition': {
      const { property, operator } = node.filter;
      if (operator === 'text') return hasWords(object, String(node.value));
      const stored = comparable(property, object[property.name] ?? null);
      if (operator === 'hasKey')
        return isObject(stored) && Object.hasOwn(stored, String(node.value));
      if (operator === 'hasItem') return Array.isArray(stored) && stored.includes(node.value);
      const value = Array.isArray(node.value)
        ? node.value.map((element) => comparable(property, element as JsonValue))
        : comparable(property, node.value);
      if (operator === 'isNull') return (stored === null) === (value !== false);
      if (operator === 'equals') return stored === value;
      if (operator === 'in') return (value as readonly JsonValue[]).includes(stored);
      if (stored === null || value === null) return false;
      if (operator === 'contains') return fold(String(stored)).includes(fold(String(value)));
      if (operator === 'startsWith') return fold(String(stored)).startsWith(fold(String(value)));
      if (operator === 'before') return stored < value;
      if (operator === 'atMost') return stored <= value;
      return stored >= value;
    }
  }
}

/** Each word of the text in the title or in the code. */
function hasWords({ title, code }: StoredObject, text: string): boolean {
  const texts = [title, code].map((value) => (typeof value === 'string' ? fold(value) : ''));
  const words = fold(text)
    .split(/\s/u)
    .filter((word) => word.length > 0);
  return words.every((word) => texts.some((candidate) => candidate.includes(word)));
}

function isObject(value: JsonValue): value is { readonly [name: string]: JsonValue } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** A UTCDate or Date as its time: JavaScript reads both. */
function comparable({ kind, format }: PropertyDefinition, value: JsonValue): JsonValue {
  return (kind === 'date' || format === 'date') && typeof value === 'string'
    ? Date.parse(value)
    : value;
}

function compare(a: StoredObject, b: StoredObject, sort: readonly SortKey[]): number {
  for (const key of sort) {
    const order = compareKeys(keyOf(a, key), keyOf(b, key));
    if (order !== 0) return key.ascending ? order : -order;
  }
  const order = compareKeys(a.id, b.id);
  return (sort.at(-1)?.ascending ?? true) ? order : -order;
}

function keyOf(object: StoredObject, key: SortKey): string | number | null {
  const { property } = key.sort;
  const value = comparable(property, object[property.name] ?? null);
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return value as number | null;
  if (key.sort.casemapColumn !== undefined && key.collation === 'i;unicode-casemap')
    return casemapKey(value);
  if (key.collation === 'i;ascii-casemap') return capitals(value);
  if (key.collation === 'i;ascii-numeric') return asciiNumericKey(value);
  return value;
}

/**
 * The key of `i;ascii-casemap` (RFC 4790 9.2): the letters a to z become capitals, nothing else
 * changes.
 */
function capitals(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function compareKeys(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  return a - Number(b);
}
