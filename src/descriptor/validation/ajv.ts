import { Ajv } from 'ajv';
import * as runtime from '../../capability/runtime.js';
import { addKeywords } from './keywords.js';

/**
 * Returns an ajv that knows our keywords. Each file gets a new one, so that the names that ajv
 * makes up depend on nothing else.
 */
export function createAjv(): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    // These schemas are made here, from descriptors that were checked: the meta-schema costs
    // milliseconds a file.
    meta: false,
    validateSchema: false,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    code: { source: true, esm: true, lines: true },
    // `create` calls `update` instead of repeating it.
    inlineRefs: false,
  });
  addKeywords(ajv, runtime);
  return ajv;
}
