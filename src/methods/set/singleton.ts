import { formatUtcDate } from '../../protocol/dates.js';
import { type SetError, setError } from '../../protocol/errors.js';
import type { StoredObject } from '../../store/port.js';
import type { TypeIndex } from '../type-index.js';
import { newObject } from './draft.js';

export const SINGLETON_ID = 'singleton';

/** The one object of a singleton type as it is before anything was written: its defaults, since ever. */
export function unwrittenSingleton(index: TypeIndex): StoredObject {
  const object = newObject(index, {}, { id: SINGLETON_ID, time: 0 });
  return { ...object, [index.roles.updated.name]: formatUtcDate(0) };
}

export function singletonError(index: TypeIndex): SetError {
  const why = `There is exactly one ${index.type.name}; it has the id "${SINGLETON_ID}".`;
  return setError('singleton', why);
}
