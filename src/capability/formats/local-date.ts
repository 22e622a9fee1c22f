import { formatUtcDate, parseUtcDate } from '../../protocol/dates.js';
import { defineFormat } from './format.js';

const DAY = 86_400_000;
/** From 1970 to the end of the year 9999. */
const DAYS = 2_932_897;

/** RFC 3339's full-date. */
export const localDate = defineFormat({
  kind: 'string',
  notation: 'LocalDate',
  description: 'a day without a time (full-date of RFC 3339).',
  otherNames: ['full-date', 'day', 'localdate', 'plaindate', 'dateonly'],
  message: 'must be a day, for instance 2026-01-31',
  isLegal: (text) => parseUtcDate(`${text}T00:00:00Z`) !== null,
  canonical: null,
  order: 'octets',
  length: 10,
  present: (utcDate) => utcDate.slice(0, 10),
  legal: ['2026-01-31', '0000-01-01', '2024-02-29', '9999-12-31'],
  illegal: ['2026-1-31', '2026-02-29', '', '2026-01-31T00:00:00Z', '2026-01-31Z', '26-01-31'],
  numbered: (n) => formatUtcDate((n % DAYS) * DAY).slice(0, 10),
});
