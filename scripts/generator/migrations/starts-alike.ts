import type { ModelProperty, ModelType } from '../../../src/descriptor/model.js';

/**
 * Returns whether a new property has the same value in all objects that exist: a constant default,
 * null, or nothing. Clients still know these objects, so their states stay, and the session's state
 * tells that there is a new property. Elsewhere the server computes the value, takes it from the
 * object's time, or finds it among undeclared values.
 */
export function startsAlike(
  { computed, defaultNow, role }: Pick<ModelProperty, 'computed' | 'defaultNow' | 'role'>,
  { keepsUnknown }: Pick<ModelType, 'keepsUnknown'>,
): boolean {
  return (
    computed === undefined && defaultNow !== true && role === undefined && keepsUnknown !== true
  );
}
