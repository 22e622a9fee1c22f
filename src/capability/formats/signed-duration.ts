import { durationKey, isDuration } from './duration-texts.js';
import { defineFormat } from './format.js';

/** RFC 8984 1.4.7's SignedDuration. */
export const signedDuration = defineFormat({
  kind: 'string',
  notation: 'SignedDuration',
  description: 'a Duration with or without a sign (RFC 8984 1.4.7).',
  otherNames: ['signedduration', 'offset'],
  message: 'must be a SignedDuration, for instance -PT15M',
  isLegal: isDuration,
  canonical: null,
  order: { name: 'durationkey', kind: 'string', of: durationKey, isEquality: false },
  length: 64,
  present: null,
  legal: ['-PT15M', 'PT1H30M', '+P1D', '-P1W', '-PT0.25S', 'PT0S'],
  illegal: ['', '-', '-P', '--PT1S', 'P-1D', '- PT1S', 'PT1.0S', '-P1Y'],
  numbered: (n) => `PT${n}S`,
});
