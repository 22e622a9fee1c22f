import type { PropertyKind, StringFormat } from '../../../src/capability/definition.js';

/** A format of a descriptor's string. A `utc-date` is a kind of its own to the engine. */
export type FormatName = StringFormat | 'utc-date';

/** A function of `jmapsmith/capability` that judges a text. */
export type TextCheck =
  | 'isId'
  | 'isUtcDate'
  | 'isCanonicalUtcDate'
  | 'isDate'
  | 'isCanonicalDate'
  | 'isLocalDateTime';

export interface FormatRow {
  /** How a property of the format is kept. */
  readonly kind: Extract<PropertyKind, 'string' | 'date'>;
  /** Its name in the notation of RFC 8620 1.1, for pages. */
  readonly type: string;
  /** For the meta-schema: what a text has to be. */
  readonly description: string;
  /** The kind of operand that operators take its texts for; `date` has an order. */
  readonly operand: 'id' | 'date';
  /** A legal text, for examples. */
  readonly sample: string;
  /** How validators judge a text. */
  readonly check: FormatCheck;
}

export interface FormatCheck {
  /** The keyword in compiled validators. */
  readonly keyword: string;
  /** For a text that the engine brings into its canonical form, and for arguments. */
  readonly any: TextCheck;
  /** For a text within a JSON value, which is kept as it comes. */
  readonly canonical: TextCheck;
  /** The message for a wrong text. */
  readonly message: string;
}

/** Every format: a new one is a row here, and a function beside those of `TextCheck`. */
export const FORMATS: Readonly<Record<FormatName, FormatRow>> = Object.freeze({
  'utc-date': {
    kind: 'date',
    type: 'UTCDate',
    description: 'an RFC 3339 date with Z.',
    operand: 'date',
    sample: '2026-01-31T12:00:00Z',
    check: {
      keyword: 'utcDate',
      any: 'isUtcDate',
      canonical: 'isCanonicalUtcDate',
      message: 'must be a UTCDate, for instance 2026-01-31T12:00:00Z',
    },
  },
  date: {
    kind: 'string',
    type: 'Date',
    description: 'one with any offset, kept as it is.',
    operand: 'date',
    sample: '2026-01-31T14:00:00+02:00',
    check: {
      keyword: 'date',
      any: 'isDate',
      canonical: 'isCanonicalDate',
      message: 'must be a Date, for instance 2026-01-31T14:00:00+02:00',
    },
  },
  'local-date-time': {
    kind: 'string',
    type: 'LocalDateTime',
    description: 'without offset (RFC 8984 1.4.4).',
    operand: 'date',
    sample: '2026-01-31T14:00:00',
    check: {
      keyword: 'localDateTime',
      any: 'isLocalDateTime',
      canonical: 'isLocalDateTime',
      message: 'must be a LocalDateTime, for instance 2026-01-31T14:00:00',
    },
  },
  id: {
    kind: 'string',
    type: 'Id',
    description: 'an Id as RFC 8620 1.2 has it.',
    operand: 'id',
    sample: 'x01kgb0f3m07q2v9n4x8c1h5d60',
    check: {
      keyword: 'jmapId',
      any: 'isId',
      canonical: 'isId',
      message: 'must be an Id: 1 to 255 of A-Z, a-z, 0-9, - and _',
    },
  },
});

export const FORMAT_NAMES = Object.freeze(Object.keys(FORMATS)) as readonly FormatName[];

/** Returns the row of a format; undefined for a word that is none. */
export function formatOf(name: string | undefined): FormatRow | undefined {
  return name !== undefined && Object.hasOwn(FORMATS, name)
    ? FORMATS[name as FormatName]
    : undefined;
}
