import type { ModelProperty, ModelType } from '../model.js';

/** The properties that a pure function of the hook file computes from others of the same object. */
export function fromProperties({ properties }: ModelType): readonly ModelProperty[] {
  return properties.filter(({ computed }) => computed?.kind === 'from');
}

/** The properties that a function of the hook file computes from other objects. */
export function onProperties({ properties }: ModelType): readonly ModelProperty[] {
  return properties.filter(({ computed }) => computed?.kind === 'on');
}
