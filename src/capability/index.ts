/** The terms that generated code and hook files share with the engine: `jmapsmith/capability`. */
export type { SetError, StandardSetError } from '../protocol/errors.js';
export type { JsonObject, JsonValue } from '../protocol/json.js';
export { searchWords } from '../text/index.js';
export { type CapabilitySource, capability } from './build-capability.js';
export {
  type DataTypeSource,
  dataType,
  type PropertySource,
  type StandardMethod,
  type StandardMethods,
  standardMethods,
} from './build-type.js';
export type * from './calls.js';
export type * from './capability-definition.js';
export type * from './capability-hooks.js';
export type * from './definition.js';
export type { Convert, ConvertCall, EvolutionDefinition } from './evolution.js';
export type { Format, FormatName } from './formats/index.js';
export type * from './hooks.js';
export { HookRefusal, type RefusedObjects, RefusedObjectsError } from './refusal.js';
export {
  addIssue,
  addIssues,
  codePointLength,
  compilePattern,
  FORMATS,
  frozen,
  isInexact,
  jsonEqual,
  noteBranch,
} from './runtime.js';
export type * from './standard.js';
export type * from './typed-arguments.js';
export type { ValidationIssue, Validator } from './validation.js';
