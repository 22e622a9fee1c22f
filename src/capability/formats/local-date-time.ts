import { formatUtcDate, isLocalDateTime } from '../../protocol/dates.js';
import { defineFormat } from './format.js';

/** RFC 8984 1.4.4's LocalDateTime. */
export const localDateTime = defineFormat({
  kind: 'string',
  notation: 'LocalDateTime',
  description:
    'a day and a time without an offset (RFC 8984 1.4.4), at most nine digits of a fraction ' +
    'that does not end with 0.',
  otherNames: ['local-datetime', 'localdatetime'],
  message: 'must be a LocalDateTime, for instance 2026-01-31T14:00:00',
  isLegal: isLocalDateTime,
  canonical: null,
  order: 'octets',
  length: 32,
  present: (utcDate) => utcDate.slice(0, -1),
  legal: ['2026-01-31T14:00:00', '1969-12-31T23:59:59.999', '2026-01-02T03:04:05.5'],
  illegal: ['2026-01-02', 'soon', '', '2026-13-01T00:00:00', '2026-01-02T03:04:05Z'],
  numbered: (n) => formatUtcDate(n * 1000).slice(0, -1),
});
