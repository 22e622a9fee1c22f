import { formatUtcDate, parseUtcDate } from '../../protocol/dates.js';
import { defineFormat } from './format.js';

/** RFC 8620 1.4's UTCDate. */
export const utcDate = defineFormat({
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
  order: 'octets',
  length: 32,
  present: (utcDate) => utcDate,
  legal: ['2026-01-31T12:00:00Z', '1969-12-31T23:59:59.999Z', '2026-01-02T03:04:05.5Z'],
  illegal: ['2026-01-02', 'soon', '', '2026-13-01T00:00:00Z', '2026-01-02T03:04:05+02:00'],
  numbered: (n) => formatUtcDate(n * 1000),
});
