/** The vocabulary between generated code (and hook files) and the engine: `jmapsmith/capability`. */
export type { SetError } from '../protocol/errors.js';
export type { JsonObject, JsonValue } from '../protocol/json.js';
export {
  type DataTypeSource,
  dataType,
  type FilterSource,
  type SortSource,
} from './build-data-type.js';
export {
  builtInMethod,
  type FurtherMembers,
  type MethodSource,
  ownMethod,
  type StandardMethodOptions,
  type StandardValidators,
  standardMethods,
} from './build-methods.js';
export {
  boolean,
  created,
  date,
  id,
  integer,
  json,
  number,
  type PropertyOptions,
  type PropertySource,
  string,
  updated,
} from './build-property.js';
export type * from './capability-definition.js';
export type * from './definition.js';
export type { Format, FormatName } from './formats/index.js';
export type * from './hooks.js';
export { HookRefusal, type RefusedObjects, RefusedObjectsError } from './refusal.js';
export {
  codePointLength,
  compilePattern,
  FORMATS,
  frozen,
  isInexact,
  jsonEqual,
  keepsIssue,
} from './runtime.js';
export type * from './standard.js';
export type { ValidationIssue, Validator } from './validation.js';
