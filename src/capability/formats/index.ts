import { date } from './date.js';
import { decimal } from './decimal.js';
import { duration } from './duration.js';
import { email } from './email.js';
import type { Format, SortKey } from './format.js';
import { id } from './id.js';
import { language } from './language.js';
import { localDate } from './local-date.js';
import { localDateTime } from './local-date-time.js';
import { signedDuration } from './signed-duration.js';
import { timeZone } from './time-zone.js';
import { uri } from './uri.js';
import { utcDate } from './utc-date.js';
import { uuid } from './uuid.js';

export type { Format, FormatSource, SortKey } from './format.js';

/** Every format of a string, by its name in descriptors. A new one is a file and a row here. */
export const FORMATS = Object.freeze({
  'utc-date': utcDate,
  date,
  'local-date-time': localDateTime,
  'local-date': localDate,
  duration,
  'signed-duration': signedDuration,
  'time-zone': timeZone,
  decimal,
  email,
  uri,
  language,
  uuid,
  id,
});

/** A format as descriptors name it. */
export type FormatName = keyof typeof FORMATS;

/** The formats of properties that are stored as text. A `utc-date` is a kind of its own. */
export type StringFormat = {
  [Name in FormatName]: (typeof FORMATS)[Name]['kind'] extends 'string' ? Name : never;
}[FormatName];

/** The names of the keys that formats are sorted by. */
export type SortKeyName = Exclude<(typeof FORMATS)[FormatName]['order'], string>['name'];

export const FORMAT_NAMES = Object.freeze(Object.keys(FORMATS)) as readonly FormatName[];

/** Returns the format of that name; undefined for a word that names none. */
export function formatNamed(name: string | undefined): Format | undefined {
  return name !== undefined && Object.hasOwn(FORMATS, name)
    ? FORMATS[name as FormatName]
    : undefined;
}

/** The parts of a property's definition that choose its format. */
interface Formatted {
  readonly kind: string;
  readonly format?: StringFormat;
}

/** Returns the format of a property's values; undefined where it has none. */
export function formatOf({ kind, format }: Formatted): Format | undefined {
  if (kind === 'date') return FORMATS['utc-date'];
  return format === undefined ? undefined : FORMATS[format];
}

/** Returns the key by which a property's texts are in order; undefined where it has none. */
export function sortKeyOf({ format }: Pick<Formatted, 'format'>): SortKey<SortKeyName> | undefined {
  const order = format === undefined ? 'none' : FORMATS[format].order;
  return typeof order === 'string' ? undefined : order;
}
