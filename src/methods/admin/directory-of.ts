import { DIRECTORY_TYPES, type Directory, type DirectoryType } from '../../accounts/admin-port.js';
import type { DataTypeDefinition } from '../../capability/definition.js';
import type { CallContext } from '../context.js';
import { ADMIN_TYPES } from './admin-types.js';

/** The directory, and the type that a call is about. */
export interface Addressed {
  readonly directory: Directory;
  readonly name: DirectoryType;
  readonly type: DataTypeDefinition;
}

/** Returns what a call addresses: no account but that of the directory offers its capability. */
export function addressedBy(context: CallContext): Addressed {
  const { directory } = context.services;
  const [typeName] = context.method.name.split('/');
  const name = DIRECTORY_TYPES.find((one) => one === typeName);
  const type = name && ADMIN_TYPES.get(name);
  if (directory === undefined || name === undefined || type === undefined)
    throw new Error(`${context.method.name} is not served.`);
  return { directory, name, type };
}
