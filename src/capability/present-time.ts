import { formatUtcDate } from '../protocol/dates.js';
import type { JsonValue } from '../protocol/json.js';
import type { PropertyDefinition } from './definition.js';
import { FORMATS } from './formats/index.js';

/** Returns the present time as a property of dates has it. `time`: in ms. */
export function presentTime({ kind, format }: PropertyDefinition, time: number): JsonValue {
  const text = formatUtcDate(time);
  const date = kind === 'date' ? FORMATS['utc-date'] : FORMATS[format ?? 'date'];
  return date.present?.(text) ?? text;
}
