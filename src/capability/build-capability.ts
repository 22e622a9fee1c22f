import { canonicalJson } from '../protocol/canonical-json.js';
import type { JsonObject } from '../protocol/json.js';
import type { CapabilityDefinition } from './capability-definition.js';
import type { DataTypeDefinition } from './definition.js';
import { frozen } from './runtime.js';

/** The members that most capabilities have as they are here. */
const USUAL = { session: {}, accountSession: {}, bareSession: false, accountLevel: true };

/** A capability as it is generated: without the members in which it is like most others. */
export interface CapabilitySource
  extends Omit<CapabilityDefinition, keyof typeof USUAL | 'dataTypes' | 'reference'>,
    Partial<Pick<CapabilityDefinition, keyof typeof USUAL>> {
  /** With `[]` the compiler takes a list for a tuple: it doesn't compare each type with each. */
  readonly dataTypes: readonly [] | readonly DataTypeDefinition[];
  /** The part of the descriptor that clients may read. */
  readonly reference: JsonObject;
}

/** Returns the definition of a capability, frozen but for the functions, which are the team's. */
export function capability(source: CapabilitySource): CapabilityDefinition {
  const { reference, hooks, evolutions, ...own } = source;
  const definition = frozen({ ...USUAL, ...own, reference: canonicalJson(reference) });
  if (hooks === undefined && evolutions === undefined) return definition;
  return Object.freeze({
    ...definition,
    ...(hooks === undefined ? {} : { hooks }),
    ...(evolutions === undefined ? {} : { evolutions }),
  });
}
