import { durationKey, isUnsignedDuration } from './duration-texts.js';
import { defineFormat } from './format.js';

/** RFC 8984 1.4.6's Duration. */
export const duration = defineFormat({
  kind: 'string',
  notation: 'Duration',
  description:
    'a length of time (RFC 8984 1.4.6), each part with at most ten digits. In order a day is ' +
    '24 hours, a week seven days. `PT60M` and `PT1H` sort alike, but are not equal.',
  otherNames: ['interval', 'timespan', 'period'],
  message: 'must be a Duration, for instance PT1H30M',
  isLegal: isUnsignedDuration,
  canonical: null,
  order: { name: 'durationkey', kind: 'string', of: durationKey, isEquality: false },
  length: 64,
  present: null,
  legal: ['PT1H30M', 'P1D', 'P2W3DT0H0M0.5S', 'PT0S', 'PT90M', 'P0D'],
  illegal: ['', 'P', 'PT', 'P1DT', 'PT1H5S', '-PT1H', 'PT1.50S', 'P1Y', 'P1M', '1H', 'pt1h'],
  numbered: (n) => `PT${n}S`,
});
