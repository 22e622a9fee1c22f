import type { CapabilityView } from '../descriptor/view.js';
import type { Problem } from '../model.js';
import { accountCapabilities } from './account-capabilities.js';
import { capabilityNames } from './capability-names.js';
import { computed } from './computed.js';
import { conditionNames } from './condition-names.js';
import { defaultValues } from './default-values.js';
import { definitions } from './definitions.js';
import { duplicateCapabilities } from './duplicate-capabilities.js';
import { duplicateMethods } from './duplicate-methods.js';
import { duplicateTypes } from './duplicate-types.js';
import { enumValues } from './enum-values.js';
import { filters } from './filters.js';
import { fittingKeys } from './fitting-keys.js';
import { hiddenProperties } from './hidden-properties.js';
import { methodNames } from './method-names.js';
import { methodSchemas } from './method-schemas.js';
import { missingDefaults } from './missing-defaults.js';
import { nullableDefaults } from './nullable-defaults.js';
import { patterns } from './patterns.js';
import { propertyClashes } from './property-clashes.js';
import { propertyNames } from './property-names.js';
import { ranges } from './ranges.js';
import { references } from './references.js';
import { renames } from './renames.js';
import { requiredProperties } from './required-properties.js';
import type { Rule } from './rule.js';
import { sessionEntries } from './session-entries.js';
import { shapes } from './shapes.js';
import { singletons } from './singletons.js';
import { sorts } from './sorts.js';
import { standardMethods } from './standard-methods.js';
import { structure } from './structure.js';
import { typeNames } from './type-names.js';
import { unindexed } from './unindexed.js';
import { uniques } from './uniques.js';

/** Every rule of the descriptor language: each reports, none throws, all are run. */
export const RULES: readonly Rule[] = Object.freeze([
  structure,
  capabilityNames,
  typeNames,
  propertyNames,
  propertyClashes,
  conditionNames,
  methodNames,
  duplicateCapabilities,
  duplicateTypes,
  duplicateMethods,
  requiredProperties,
  missingDefaults,
  nullableDefaults,
  defaultValues,
  enumValues,
  fittingKeys,
  shapes,
  ranges,
  patterns,
  filters,
  sorts,
  methodSchemas,
  accountCapabilities,
  sessionEntries,
  definitions,
  references,
  computed,
  uniques,
  singletons,
  standardMethods,
  hiddenProperties,
  renames,
  unindexed,
]);

/** What is wrong with the descriptors, all of it. */
export function checkDescriptors(views: readonly CapabilityView[]): readonly Problem[] {
  const problems: Problem[] = [];
  for (const rule of RULES) {
    rule(views, (code, at, message, details) => {
      problems.push({ code, at, message, ...details });
    });
  }
  // What is wrong comes first: how to make it faster is told of what is right.
  const errors = problems.filter(({ severity }) => severity === undefined);
  return errors.length > 0 ? errors : problems;
}
