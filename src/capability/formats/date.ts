import { canonicalDate, formatUtcDate, parseDate } from '../../protocol/dates.js';
import { defineFormat } from './format.js';

/** RFC 8620 1.4's Date. JSON Schema's `date` is another thing: a day, which is `local-date`. */
export const date = defineFormat({
  kind: 'string',
  notation: 'Date',
  description:
    'a moment with its offset, which is kept (RFC 3339). A day without a time is a `local-date`.',
  otherNames: [],
  message: 'must be a Date (a day, a time and an offset), for instance 2026-01-31T14:00:00+02:00',
  isLegal: (text) => parseDate(text) !== null,
  canonical: canonicalDate,
  order: { name: 'instant', kind: 'integer', of: parseDate, isEquality: true },
  length: 32,
  present: (utcDate) => utcDate,
  legal: [
    ...(['2026-01-31T14:00:00+02:00', '1969-12-31T23:59:59.999Z'] as const),
    '2026-01-02T03:04:05.5-01:30',
  ],
  illegal: ['2026-01-02', 'soon', '', '2026-13-01T00:00:00Z', '2026-01-02T03:04:05'],
  numbered: (n) => formatUtcDate(n * 1000),
});
