import type { JSONSchema7 } from 'json-schema';
import type { AccountUse } from '../capability/capability-definition.js';
import type { StandardMethodName } from '../capability/definition.js';
import { BOUNDS } from './bounds.js';

/** One of the six methods that a data type can have. */
export interface StandardMethodRow {
  /** The part of the method's name behind the slash, and the engine's function. */
  readonly verb: StandardMethodName;
  /** `Get` of GetArguments and GetResponse in src/capability/standard.ts. */
  readonly stem: string;
  readonly account: AccountUse;
  readonly section: string;
  readonly arguments: JSONSchema7;
}

const text: JSONSchema7 = { type: 'string' };
const textOrNull: JSONSchema7 = { type: ['string', 'null'] };
const boolean: JSONSchema7 = { type: 'boolean' };
const texts: JSONSchema7 = { type: ['array', 'null'], items: text };
/** Returns the schema of an Int from `minimum` up. */
const integerFrom = (minimum: number): JSONSchema7 => ({
  type: 'integer',
  minimum,
  maximum: BOUNDS.maxInteger,
});
/** Returns the schema of an Int from `minimum` up, or null. */
const integerOrNullFrom = (minimum: number): JSONSchema7 => ({
  ...integerFrom(minimum),
  type: ['integer', 'null'],
});
/** Objects by id or creation id; each object is judged by itself later. */
const anyByName: JSONSchema7 = { type: ['object', 'null'], additionalProperties: true };
const anyByCreationId: JSONSchema7 = { ...anyByName, propertyNames: { format: 'id' } };

/** The schema of `sort` (RFC 8620 5.5). */
const comparators: JSONSchema7 = {
  type: ['array', 'null'],
  items: {
    type: 'object',
    properties: { property: text, isAscending: boolean, collation: text },
    required: ['property'],
    // A member that the type doesn't know is `unsupportedSort`, which is the engine's to say.
    additionalProperties: true,
  },
};

/** Arguments that /query and /queryChanges share. */
const query: Record<string, JSONSchema7> = {
  accountId: text,
  filter: { type: ['object', 'null'], additionalProperties: true },
  sort: comparators,
};

/**
 * Returns a frozen row. `section` is the one of RFC 8620; /set and /copy write, the others read.
 */
function makeRow(
  verb: StandardMethodRow['verb'],
  section: string,
  properties: Record<string, JSONSchema7>,
  required: readonly string[],
): StandardMethodRow {
  return Object.freeze({
    verb,
    stem: verb.charAt(0).toUpperCase() + verb.slice(1),
    account: verb === 'set' || verb === 'copy' ? 'write' : 'read',
    section,
    arguments: {
      type: 'object',
      properties,
      required: [...required],
      additionalProperties: false,
    } satisfies JSONSchema7,
  });
}

/**
 * The arguments of the standard methods (RFC 8620 5.1 to 5.6), the same for every type: only what
 * makes a call `invalidArguments`. Ids are strings here, since one that can't be an id is
 * `notFound` (docs/reference/protocol.md#get-ids).
 */
export const STANDARD_METHODS: readonly StandardMethodRow[] = Object.freeze([
  makeRow('get', '5.1', { accountId: text, ids: texts, properties: texts }, ['accountId']),
  makeRow(
    'changes',
    '5.2',
    { accountId: text, sinceState: text, maxChanges: integerOrNullFrom(1) },
    ['accountId', 'sinceState'],
  ),
  makeRow(
    'set',
    '5.3',
    {
      accountId: text,
      ifInState: textOrNull,
      create: anyByCreationId,
      update: anyByName,
      destroy: texts,
    },
    ['accountId'],
  ),
  makeRow(
    'copy',
    '5.4',
    {
      fromAccountId: text,
      ifFromInState: textOrNull,
      accountId: text,
      ifInState: textOrNull,
      create: { ...anyByCreationId, type: 'object' },
      onSuccessDestroyOriginal: boolean,
      destroyFromIfInState: textOrNull,
    },
    ['fromAccountId', 'accountId', 'create'],
  ),
  makeRow(
    'query',
    '5.5',
    {
      ...query,
      position: integerFrom(BOUNDS.minInteger),
      anchor: textOrNull,
      anchorOffset: integerFrom(BOUNDS.minInteger),
      limit: integerOrNullFrom(0),
      calculateTotal: boolean,
    },
    ['accountId'],
  ),
  makeRow(
    'queryChanges',
    '5.6',
    {
      ...query,
      sinceQueryState: text,
      maxChanges: integerOrNullFrom(0),
      upToId: textOrNull,
      calculateTotal: boolean,
    },
    ['accountId', 'sinceQueryState'],
  ),
]);

/** The names of all standard methods, in the RFC's order. */
export const METHOD_NAMES: readonly StandardMethodName[] = STANDARD_METHODS.map(({ verb }) => verb);

/** The methods that a singleton can have: no call creates, destroys or looks for one. */
export const SINGLETON_METHODS: readonly StandardMethodName[] = ['get', 'changes', 'set'];
