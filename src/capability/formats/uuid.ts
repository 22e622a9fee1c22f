import { defineFormat } from './format.js';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** RFC 9562's UUID, of any version. */
export const uuid = defineFormat({
  kind: 'string',
  notation: 'UUID',
  description: 'a UUID (RFC 9562) of any version, stored in lower case.',
  otherNames: ['guid', 'uniqueidentifier'],
  message: 'must be a UUID, for instance 018f2f6e-7d3a-7c31-9b1e-2f4a5c6d7e8f',
  isLegal: (text) => UUID.test(text),
  canonical: (text) => text.toLowerCase(),
  order: 'none',
  length: 36,
  present: null,
  legal: [
    '018f2f6e-7d3a-7c31-9b1e-2f4a5c6d7e8f',
    'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6',
    '00000000-0000-0000-0000-000000000000',
  ],
  illegal: [
    ...['', '018f2f6e7d3a7c319b1e2f4a5c6d7e8f', '{018f2f6e-7d3a-7c31-9b1e-2f4a5c6d7e8f}'],
    ...['urn:uuid:018f2f6e-7d3a-7c31-9b1e-2f4a5c6d7e8f', '018f2f6e-7d3a-7c31-9b1e-2f4a5c6d7e8g'],
  ],
  numbered: (n) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
});
