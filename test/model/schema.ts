import type { JSONSchema7, JSONSchema7Definition } from 'json-schema';
import type { ModelProperty } from '../../src/descriptor/model.js';
import type { Json } from '../support/json.js';

const DATE = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?Z$/;

/** RFC 8620 1.4: milliseconds of a UTCDate, further digits cut; undefined where it is none. */
export function readDate(text: string): number | undefined {
  const [, year, month, day, hour, minute, second, fraction = ''] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), h, m, s);
  const read = new Date(ms);
  const exists =
    read.getUTCMonth() === Number(month) - 1 && read.getUTCDate() === Number(day) && h < 24;
  if (!exists || m > 59 || s > 59) return undefined;
  return ms + Number(fraction.padEnd(3, '0').slice(0, 3));
}

/** 1.4: no fraction where it is zero, else the shortest. */
export function canonicalDate(text: string): string {
  const ms = readDate(text);
  if (ms === undefined) return text;
  return new Date(ms).toISOString().replace(/0*Z$/, 'Z').replace(/\.Z$/, 'Z');
}

const length = (text: string): number => [...text].length;

export function isMap(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a property may have this value. */
export function fits({ schema, nullable }: ModelProperty, value: Json): boolean {
  return value === null ? nullable : valid(schema, value);
}

/** As much of JSON Schema as descriptors have. */
export function valid(definition: JSONSchema7Definition | undefined, value: Json): boolean {
  if (typeof definition !== 'object') return definition !== false;
  const { type, enum: words } = definition;
  const kinds = type === undefined ? undefined : [type].flat();
  if (kinds !== undefined && !kinds.some((kind) => isOf(kind, value))) return false;
  if (words !== undefined && value !== null && !words.includes(value as never)) return false;
  if (typeof value === 'string') return validText(definition, value);
  if (typeof value === 'number')
    return value >= (definition.minimum ?? -Infinity) && value <= (definition.maximum ?? Infinity);
  if (Array.isArray(value)) {
    const items = definition.items as JSONSchema7Definition | undefined;
    return (
      value.length <= (definition.maxItems ?? Infinity) && value.every((one) => valid(items, one))
    );
  }
  return value === null || typeof value === 'boolean' || validMembers(definition, value);
}

function isOf(kind: string, value: Json): boolean {
  if (kind === 'null') return value === null;
  if (kind === 'array') return Array.isArray(value);
  if (kind === 'object') return isMap(value);
  if (kind === 'integer') return Number.isInteger(value);
  return typeof value === kind;
}

function validText({ maxLength = Infinity, format }: JSONSchema7, text: string): boolean {
  // U+0000 is in no stored string.
  if (length(text) > maxLength || text.includes('\u0000')) return false;
  if (format === 'utc-date') return readDate(text) !== undefined;
  return format !== 'id' || /^[A-Za-z0-9_-]{1,255}$/.test(text);
}

function validMembers(schema: JSONSchema7, value: Record<string, Json>): boolean {
  const { properties = {}, additionalProperties, propertyNames, maxProperties, required } = schema;
  const names = Object.keys(value);
  if (required?.some((name) => !Object.hasOwn(value, name)) === true) return false;
  if (names.length > (maxProperties ?? Infinity)) return false;
  return names.every((name) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known !== undefined) return valid(known, value[name] ?? null);
    return (
      additionalProperties !== false &&
      valid(propertyNames, name) &&
      valid(additionalProperties, value[name] ?? null)
    );
  });
}
