import type { DataTypeDefinition } from '../../capability/definition.js';
import type { CallOptions } from '../../store/port.js';
import type { CallContext } from '../context.js';

/** A call with hooks that wait for other things has its transaction to itself. */
export function writeOptions(type: DataTypeDefinition, context: CallContext): CallOptions {
  const { deadline, services } = context;
  return services.setHooks?.isExclusive(type) === true
    ? { deadline, exclusive: true }
    : { deadline };
}
