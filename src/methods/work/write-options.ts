import type { DataTypeDefinition } from '../../capability/definition.js';
import type { CallOptions } from '../../store/port.js';
import type { CallContext } from '../context.js';

/** More are worth a read of their own. */
const FEW = 8;

const NONE: readonly never[] = Object.freeze([]);

/** A call with hooks that wait for other things has its transaction to itself. */
export function writeOptions(
  type: DataTypeDefinition,
  context: CallContext,
  updates: readonly { readonly key: string }[] = NONE,
  isLong = false,
): CallOptions {
  const { deadline, services } = context;
  if (services.hooks?.isExclusive(type) === true) return { deadline, exclusive: true };
  if (isLong) return { deadline, isLong };
  if (updates.length === 0 || updates.length > FEW) return { deadline };
  // A creation id's object is most often of the same call.
  const ids = updates.flatMap(({ key }) => (key.startsWith('#') ? [] : [key]));
  return { deadline, expects: { type, ids } };
}
