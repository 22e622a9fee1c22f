import { isAggregate } from '../../capability/aggregates.js';
import type { PropertyRole } from '../../capability/definition.js';
import { isOfEngine } from '../../capability/stored-properties.js';
import type { ModelProperty } from '../model.js';

/** Tells who sees and who gives a property: the one place where emitters ask. */

/** The writer of a property, of the model or of a view of a descriptor. */
export interface Written {
  readonly access: string;
  readonly computed?: object | undefined;
  readonly role?: PropertyRole;
}

/** Returns whether /get shows the property: it is neither internal nor secret. */
export function isShown({ access }: Written): boolean {
  return access !== 'internal' && access !== 'secret';
}

/** Returns whether clients give the property, in a create at least. */
export function isGiven({ access, computed }: Written): boolean {
  return access !== 'internal' && access !== 'serverSet' && computed === undefined;
}

/**
 * Returns whether hooks alone give it: the engine sets standard properties and aggregates itself.
 */
export function isGivenByHooks({ access, computed, role }: ModelProperty): boolean {
  if (role !== undefined || isAggregate(computed)) return false;
  return access === 'internal' || access === 'serverSet' || computed !== undefined;
}

/** Returns whether clients may write the property of an object that exists. */
export function isWrittenByClients(property: Written): boolean {
  const { access, computed } = property;
  const isWritten = access === 'mutable' || access === 'secret';
  return isWritten && computed === undefined && !isOfEngine(property);
}
