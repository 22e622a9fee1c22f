import { isId } from '../../protocol/ids.js';
import { defineFormat } from './format.js';

/** RFC 8620 1.2's Id. */
export const id = defineFormat({
  kind: 'string',
  notation: 'Id',
  description: 'an Id (RFC 8620 1.2), 1 to 255 of A-Z, a-z, 0-9, `-` and `_`.',
  otherNames: [],
  message: 'must be an Id: 1 to 255 of A-Z, a-z, 0-9, - and _',
  isLegal: isId,
  canonical: null,
  order: 'none',
  length: 32,
  present: null,
  legal: ['r01kgb0f3m07q2v9n4x8c1h5d60', 'a', '-_9', 'Z'.repeat(255)],
  illegal: ['', 'a b', 'é', 'Z'.repeat(256)],
  numbered: String,
});
