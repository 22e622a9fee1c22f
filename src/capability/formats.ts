import {
  canonicalDate,
  formatUtcDate,
  isLocalDateTime,
  parseDate,
  parseUtcDate,
} from '../protocol/dates.js';
import { isId } from '../protocol/ids.js';

/** A format as its row describes it. The engine, the generator and the pages read the row. */
interface FormatSource {
  /** The kind of its column: `string` holds the text, `date` milliseconds since 1970. */
  readonly kind: 'string' | 'date';
  /** Its name in the notation of RFC 8620 1.1. */
  readonly notation: string;
  /** Describes its texts, for editors and for the table in docs/reference/descriptors.md. */
  readonly description: string;
  /** Names in other schema languages, in lower case: messages answer them with the name here. */
  readonly otherNames: readonly string[];
  /** Tells of a wrong text. The name of the property stands in front of it. */
  readonly message: string;
  readonly isLegal: (text: string) => boolean;
  /** Returns the stored form of a legal text. Absent: a text is stored as it comes. */
  readonly canonical?: (text: string) => string;
  /**
   * The comparison of two texts in conditions and sorts. `identity`: they are the same or not, and
   * a sort goes by their octets. `octets`: one comes before the other by its octets. `instant`: one
   * comes before the other by the moment that it names as a Date (RFC 8620 1.4).
   */
  readonly compares: 'identity' | 'octets' | 'instant';
  /** Characters that most texts have at most: tables and indexes are laid out by it. */
  readonly length: number;
  /** Texts that are legal; the first is the example on pages. */
  readonly legal: readonly [string, ...string[]];
  /** Texts that are not. */
  readonly illegal: readonly string[];
  /** Returns another legal text for each number; that of 0 is the least. */
  readonly numbered: (n: number) => string;
}

export interface Format extends FormatSource {
  /** Returns whether a text is legal and in its stored form. Within a JSON value it has to be. */
  readonly isCanonical: (text: string) => boolean;
}

/** Every format of a string. A new one is a row here. */
export const FORMATS = Object.freeze({
  /** RFC 8620 1.4's UTCDate. */
  'utc-date': format({
    kind: 'date',
    notation: 'UTCDate',
    description: 'a moment in UTC (RFC 3339 with `Z`), cut to milliseconds.',
    otherNames: [
      ...['date-time', 'datetime', 'timestamp', 'timestamptz', 'instant'],
      ...['iso8601', 'utcdate'],
    ],
    message: 'must be a UTCDate, for instance 2026-01-31T12:00:00Z',
    isLegal: (text) => parseUtcDate(text) !== null,
    canonical: (text) => formatUtcDate(parseUtcDate(text) ?? Number.NaN),
    compares: 'instant',
    length: 32,
    legal: ['2026-01-31T12:00:00Z', '1969-12-31T23:59:59.999Z', '2026-01-02T03:04:05.5Z'],
    illegal: ['2026-01-02', 'soon', '', '2026-13-01T00:00:00Z', '2026-01-02T03:04:05+02:00'],
    numbered: (n) => formatUtcDate(n * 1000),
  }),
  /** RFC 8620 1.4's Date. JSON Schema's `date` is another thing: a day. */
  date: format({
    kind: 'string',
    notation: 'Date',
    description:
      'a moment with its offset, which is kept (RFC 3339 with `Z` or an offset). ' +
      String.raw`A day without a time is no Date: write it with pattern: '^\d{4}-\d{2}-\d{2}$'.`,
    otherNames: [],
    message: 'must be a Date (a day, a time and an offset), for instance 2026-01-31T14:00:00+02:00',
    isLegal: (text) => parseDate(text) !== null,
    canonical: canonicalDate,
    compares: 'instant',
    length: 32,
    legal: [
      ...(['2026-01-31T14:00:00+02:00', '1969-12-31T23:59:59.999Z'] as const),
      '2026-01-02T03:04:05.5-01:30',
    ],
    illegal: ['2026-01-02', 'soon', '', '2026-13-01T00:00:00Z', '2026-01-02T03:04:05'],
    numbered: (n) => formatUtcDate(n * 1000),
  }),
  /** RFC 8984 1.4.4's LocalDateTime. */
  'local-date-time': format({
    kind: 'string',
    notation: 'LocalDateTime',
    description:
      'a day and a time without an offset (RFC 8984 1.4.4), at most nine digits of a fraction ' +
      'that does not end with 0.',
    otherNames: ['local-datetime', 'localdatetime'],
    message: 'must be a LocalDateTime, for instance 2026-01-31T14:00:00',
    isLegal: isLocalDateTime,
    compares: 'octets',
    length: 32,
    legal: ['2026-01-31T14:00:00', '1969-12-31T23:59:59.999', '2026-01-02T03:04:05.5'],
    illegal: ['2026-01-02', 'soon', '', '2026-13-01T00:00:00', '2026-01-02T03:04:05Z'],
    numbered: (n) => formatUtcDate(n * 1000).slice(0, -1),
  }),
  /** RFC 8620 1.2's Id. */
  id: format({
    kind: 'string',
    notation: 'Id',
    description: 'an Id (RFC 8620 1.2), 1 to 255 of A-Z, a-z, 0-9, `-` and `_`.',
    otherNames: ['uuid', 'guid'],
    message: 'must be an Id: 1 to 255 of A-Z, a-z, 0-9, - and _',
    isLegal: isId,
    compares: 'identity',
    length: 32,
    legal: ['r01kgb0f3m07q2v9n4x8c1h5d60', 'a', '-_9', 'Z'.repeat(255)],
    illegal: ['', 'a b', 'é', 'Z'.repeat(256)],
    numbered: String,
  }),
});

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

/** Returns whether the property's texts compare by the moments in its shadow column. */
export function isInstant({ format }: Pick<Formatted, 'format'>): boolean {
  return format !== undefined && FORMATS[format].compares === 'instant';
}

/** Returns a format, with the member that follows from the others. */
function format<Kind extends FormatSource['kind']>(
  source: FormatSource & { readonly kind: Kind },
): Format & { readonly kind: Kind } {
  const { isLegal, canonical } = source;
  return Object.freeze({
    ...source,
    isCanonical:
      canonical === undefined
        ? isLegal
        : (text: string) => isLegal(text) && canonical(text) === text,
  });
}
