import { date } from './date.js';
import type { Format } from './format.js';
import { id } from './id.js';
import { localDateTime } from './local-date-time.js';
import { utcDate } from './utc-date.js';

export type { Format } from './format.js';

/** Every format of a string. A new one is a file in this folder, and a row here. */
export const FORMATS = Object.freeze({
  'utc-date': utcDate,
  date,
  'local-date-time': localDateTime,
  id,
} satisfies Readonly<Record<string, Format>>);

/** A format as descriptors name it. */
export type FormatName = keyof typeof FORMATS;

/** The formats of properties that are stored as text. A `utc-date` is a kind of its own. */
export type StringFormat = {
  [Name in FormatName]: (typeof FORMATS)[Name]['kind'] extends 'string' ? Name : never;
}[FormatName];

export const FORMAT_NAMES = Object.freeze(Object.keys(FORMATS)) as readonly FormatName[];

/** Returns the format of that name; undefined for a word that names none. */
export function formatNamed(name: string | undefined): Format | undefined {
  return name !== undefined && Object.hasOwn(FORMATS, name)
    ? FORMATS[name as FormatName]
    : undefined;
}

/** What a property's definition says of its format. */
interface Formatted {
  readonly kind: string;
  readonly format?: StringFormat;
}

/** Returns the format of a property's values; undefined where it has none. */
export function formatOf({ kind, format }: Formatted): Format | undefined {
  if (kind === 'date') return FORMATS['utc-date'];
  return format === undefined ? undefined : FORMATS[format];
}
