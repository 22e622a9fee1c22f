import type { DataTypeDefinition } from '../../capability/definition.js';
import type { StoredObject } from '../../store/port.js';
import type { CallContext } from '../context.js';
import { recognisedObjects } from '../quota/recognised.js';

/** Resolves to the objects of a type as a /get shows them to whoever asks. */
export async function shownObjects(
  type: DataTypeDefinition,
  objects: readonly StoredObject[],
  context: CallContext,
): Promise<readonly StoredObject[]> {
  const { principals } = context.services;
  if (principals !== undefined && type === principals.types.principal)
    return principals.show(objects, context.request.principal);
  return recognisedObjects(type, objects, context);
}
