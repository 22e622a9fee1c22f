import type { PropertyDefinition } from '../../capability/definition.js';
import { formatUtcDate, parseUtcDate } from '../../protocol/dates.js';
import type { JsonValue } from '../../protocol/json.js';
import { resolveId } from '../creation-ids.js';
import type { Problems } from './problems.js';

/**
 * The value as it is stored: a UTCDate in its one form (D10), a "#" blob id resolved, 0 for -0
 * (D4). What can't be so is noted and left as it is.
 */
export function canonicalValue(
  property: PropertyDefinition,
  value: JsonValue,
  createdIds: ReadonlyMap<string, string>,
  problems: Problems,
): JsonValue {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value !== 'string') return value;
  if (property.kind === 'date') {
    const time = parseUtcDate(value);
    if (time !== null) return formatUtcDate(time);
    problems.add(property.name, 'must be a UTCDate such as "2026-01-31T09:30:00Z"');
  }
  if (property.blob) {
    const id = resolveId(value, createdIds);
    if (id !== null) return id;
    problems.add(property.name, 'refers to a creation id under which no blob was created');
  }
  return value;
}
