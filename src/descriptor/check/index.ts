import type { Member } from '../located.js';
import type { Location, Problem } from '../model.js';
import { MAX_PROBLEMS } from '../parse.js';
import type { CapabilityView } from '../view.js';
import { accountCapabilities } from './account-capabilities.js';
import { aggregates } from './aggregate-sources.js';
import { answeredProperties } from './answered-properties.js';
import { capabilityNames } from './capability-names.js';
import { computed } from './computed-sources.js';
import { conditionNames } from './condition-names.js';
import { constants } from './constants.js';
import { defaultValues } from './default-values.js';
import { definitions } from './definitions.js';
import { duplicateCapabilities } from './duplicate-capabilities.js';
import { duplicateMethods } from './duplicate-methods.js';
import { duplicateTypes } from './duplicate-types.js';
import { enumValues } from './enum-values.js';
import { filters } from './filters.js';
import { fittingKeys } from './fitting-keys.js';
import { withoutSpoiled } from './follow-ons.js';
import { hiddenProperties } from './hidden-properties.js';
import { hiddenSources } from './hidden-sources.js';
import { immutableWhen } from './immutable-when.js';
import { methodNames } from './method-names.js';
import { methodSchemas } from './method-schemas.js';
import { missingDefaults } from './missing-defaults.js';
import { normalForms } from './normal-forms.js';
import { nullableDefaults } from './nullable-defaults.js';
import { oauthScopes } from './oauth-scopes.js';
import { optionals } from './optionals.js';
import { ownErrors } from './own-errors.js';
import { patterns } from './patterns.js';
import { perUser } from './per-user.js';
import { principals } from './principals.js';
import { propertyNames } from './property-names.js';
import { queryShapes } from './query-shapes.js';
import { quotas } from './quotas.js';
import { ranges } from './ranges.js';
import { readers } from './readers.js';
import { references } from './reference-targets.js';
import { renames } from './renames.js';
import { requiredProperties } from './required-properties.js';
import { requiredWhen } from './required-when.js';
import type { Report, Rule } from './rule.js';
import { sessionEntries } from './session-entries.js';
import { shapes } from './shapes.js';
import { shares } from './shares.js';
import { singletons } from './singletons.js';
import { sorts } from './sorts.js';
import { standardMethods } from './standard-method-uses.js';
import { structure } from './structure.js';
import { transitions } from './transitions.js';
import { accessRules } from './type-access.js';
import { typeNames } from './type-names.js';
import { unindexed } from './unindexed.js';
import { unions } from './unions.js';
import { uniques } from './unique-keys.js';
import { unmarkedBlobs } from './unmarked-blobs.js';

/** Rules about names, which hold whatever is wrong with what has the name. */
const NAMES: readonly Rule[] = Object.freeze([
  capabilityNames,
  typeNames,
  propertyNames,
  conditionNames,
  methodNames,
  duplicateCapabilities,
  duplicateTypes,
  duplicateMethods,
]);

/** Rules about meaning: what they say of something whose structure is wrong is left out. */
const MEANINGS: readonly Rule[] = Object.freeze([
  requiredProperties,
  missingDefaults,
  nullableDefaults,
  defaultValues,
  enumValues,
  constants,
  unions,
  optionals,
  normalForms,
  fittingKeys,
  shapes,
  ranges,
  patterns,
  filters,
  sorts,
  methodSchemas,
  accountCapabilities,
  sessionEntries,
  oauthScopes,
  quotas,
  definitions,
  references,
  computed,
  aggregates,
  hiddenSources,
  uniques,
  answeredProperties,
  readers,
  perUser,
  queryShapes,
  transitions,
  immutableWhen,
  requiredWhen,
  principals,
  accessRules,
  shares,
  ownErrors,
  singletons,
  standardMethods,
  hiddenProperties,
  renames,
  unindexed,
  unmarkedBlobs,
]);

/** Of a message: it may name what the descriptor's author made very long. */
const MAX_LENGTH = 4000;

/**
 * Returns the errors of the descriptors, at most a thousand, or the warnings where there is no
 * error. Problems that `isLegal` accepts aren't counted: a thousand of them would hide what is
 * wrong.
 */
export function checkDescriptors(
  views: readonly CapabilityView[],
  isLegal: (code: string, at: Location) => boolean = () => false,
): readonly Problem[] {
  const warnings: Problem[] = [];
  const errors: Problem[] = [];
  const spoiled: Member[] = [];
  const report: Report = (code, at, message, { spoils, ...details } = {}) => {
    if (isLegal(code, at)) return;
    const list = details.severity === 'warning' ? warnings : errors;
    list.push({ code, at, message: shorten(message), ...details });
    if (errors.length >= MAX_PROBLEMS) throw new Enough();
    spoiled.push(...(spoils ?? []));
  };
  try {
    structure(views, report);
    for (const rule of NAMES) rule(views, report);
    const { sound, isSpoiled } = withoutSpoiled(views, spoiled);
    const reportSound: Report = (code, at, ...more) => {
      if (!isSpoiled(at)) report(code, at, ...more);
    };
    for (const rule of MEANINGS) rule(sound, reportSound);
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  // Errors come first: a warning tells how to make a right descriptor faster.
  return errors.length > 0 ? errors : warnings;
}

/** Ends a rule that would go on about thousands of places. */
class Enough extends Error {}

/** Returns a message of at most MAX_LENGTH characters: a descriptor may hold any text. */
function shorten(message: string): string {
  return message.length <= MAX_LENGTH ? message : `${message.slice(0, MAX_LENGTH)} …`;
}
