import type { ModelProperty, ModelType } from '../model.js';

/**
 * Returns the properties that a pure function of the hook file computes from others of the same
 * object.
 */
export function fromProperties({ properties }: ModelType): readonly ModelProperty[] {
  return properties.filter(({ computed }) => computed?.kind === 'from');
}

/** Returns the properties that a function of the hook file computes from other objects. */
export function onProperties({ properties }: ModelType): readonly ModelProperty[] {
  return properties.filter(({ computed }) => computed?.kind === 'on');
}
