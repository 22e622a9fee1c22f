import type { DirectoryType } from '../../accounts/admin-port.js';
import { ADMIN_CAPABILITY, DIRECTORY_TYPES } from '../../accounts/admin-port.js';
import { dataType, type PropertySource } from '../../capability/build-type.js';
import type { DataTypeDefinition } from '../../capability/definition.js';
import { parseUtcDate } from '../../protocol/dates.js';
import { isJsonObject, type JsonValue } from '../../protocol/json.js';
import { type Judge, validatorOf } from '../validator-of.js';

/**
 * The types that the shared parts of /get, /changes and /set know the directory's objects by. They
 * have change records, and no table of data: their rows are accounts/admin/.
 */

interface Shape {
  readonly object: { readonly id: string };
  readonly create: object;
  readonly patch: object;
  readonly filter: object;
}

/** A property of one of the types; without a judge the server sets it. */
interface Declared extends PropertySource {
  readonly judge?: Judge;
}

const ID: Declared = { kind: 'string', role: 'id' };
const CREATED: Declared = { kind: 'date', role: 'created' };
const MAX_ITEMS = 1000;

const text: Judge = (value) => (typeof value === 'string' ? null : 'must be a string');
const flag: Judge = (value) => (typeof value === 'boolean' ? null : 'must be true or false');
const texts: Judge = (value) => {
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (!isList) return 'must be a list of strings';
  return value.length > MAX_ITEMS ? `has more than ${MAX_ITEMS} items` : null;
};
const date: Judge = (value) =>
  typeof value === 'string' && parseUtcDate(value) !== null ? null : 'must be a UTCDate or null';
const modes: Judge = (value) => {
  if (!isJsonObject(value)) return 'must be an object of "read" or "full" by name, or null';
  const entries = Object.values(value);
  if (entries.length > MAX_ITEMS) return `has more than ${MAX_ITEMS} members`;
  if (entries.length === 0) return 'must not be empty: null is for all';
  const isLegal = entries.every((mode) => mode === 'read' || mode === 'full');
  return isLegal ? null : 'has a value that is neither "read" nor "full"';
};
const orNull =
  (judge: Judge): Judge =>
  (value: JsonValue) =>
    value === null ? null : judge(value);

const REFERENCE = { kind: 'string', required: true, access: 'immutable', judge: text } as const;
const NULLABLE = { kind: 'json', nullable: true, default: null, access: 'immutable' } as const;

const PROPERTIES: Readonly<Record<DirectoryType, Readonly<Record<string, Declared>>>> = {
  AdminUser: {
    id: ID,
    name: REFERENCE,
    disabled: { kind: 'boolean', default: false, judge: flag },
    signedOut: { kind: 'date', nullable: true, default: null, judge: orNull(date) },
    roles: { kind: 'json', default: [], judge: texts },
    identities: { kind: 'json', default: [], access: 'serverSet' },
    created: CREATED,
  },
  AdminAccount: {
    id: ID,
    name: { kind: 'string', required: true, judge: text },
    owner: REFERENCE,
    capabilities: { ...NULLABLE, judge: orNull(texts) },
    created: CREATED,
  },
  AdminGrant: {
    id: ID,
    account: REFERENCE,
    user: REFERENCE,
    readOnly: { kind: 'boolean', default: false, judge: flag },
  },
  AdminToken: {
    id: ID,
    user: REFERENCE,
    readOnly: { kind: 'boolean', default: false, access: 'immutable', judge: flag },
    accounts: { ...NULLABLE, judge: orNull(modes) },
    capabilities: { ...NULLABLE, judge: orNull(modes) },
    types: { ...NULLABLE, judge: orNull(modes) },
    expires: {
      ...{ kind: 'date', nullable: true, default: null, access: 'immutable' },
      judge: orNull(date),
    },
    created: CREATED,
  },
};

function typeOf(name: DirectoryType): DataTypeDefinition {
  const judges: Record<string, Judge> = {};
  const properties: Record<string, PropertySource> = {};
  for (const [property, { judge, ...source }] of Object.entries(PROPERTIES[name])) {
    properties[property] = source;
    if (judge !== undefined) judges[property] = judge;
  }
  return dataType<Shape>({
    ...{ name, capability: ADMIN_CAPABILITY, table: name, acceptSnakeCase: false },
    properties: properties as Record<'id', PropertySource>,
    ...{ filters: {}, sorts: [], shadows: [] },
    validate: { update: validatorOf(judges), filter: () => true },
  });
}

/** The types of the directory by their names. */
export const ADMIN_TYPES: ReadonlyMap<string, DataTypeDefinition> = new Map(
  DIRECTORY_TYPES.map((name) => [name, typeOf(name)]),
);
