import type { PropertyDefinition } from './definition.js';

/** The column of properties that a type keeps without declaring them; its name is reserved. */
export const UNKNOWN_COLUMN = 'unknown_properties';

/** Bounds on the undeclared properties of an object. */
export const UNKNOWN_BOUNDS = Object.freeze({
  count: 100,
  /** Of the JSON of all of them together. */
  octets: 65_536,
  /** Characters of a name. */
  name: 128,
});

/** Stands for all of them. It has no name of its own: the object has their members. */
export const UNKNOWN_PROPERTIES: PropertyDefinition = Object.freeze({
  name: '',
  column: UNKNOWN_COLUMN,
  kind: 'json',
  nullable: true,
  required: false,
  default: null,
  access: 'mutable',
  role: 'unknown',
});
