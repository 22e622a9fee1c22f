import type { JSONSchema7 } from 'json-schema';
import type { AccountUse } from '../capability/capability-definition.js';
import type { StandardMethodName } from '../capability/definition.js';
import { BOUNDS } from './bounds.js';

/** One of the six methods that every data type has. */
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
const integer = (minimum: number): JSONSchema7 => ({
  type: 'integer',
  minimum,
  maximum: BOUNDS.maxInteger,
});
const integerOrNull = (minimum: number): JSONSchema7 => ({
  ...integer(minimum),
  type: ['integer', 'null'],
});
/** Objects by id or creation id; each object is judged by itself later. */
const anyByName: JSONSchema7 = { type: ['object', 'null'], additionalProperties: true };
const anyByCreationId: JSONSchema7 = { ...anyByName, propertyNames: { format: 'id' } };

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

const query: Record<string, JSONSchema7> = {
  accountId: text,
  filter: { type: ['object', 'null'], additionalProperties: true },
  sort: comparators,
};

function row(
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
  row('get', '5.1', { accountId: text, ids: texts, properties: texts }, ['accountId']),
  row('changes', '5.2', { accountId: text, sinceState: text, maxChanges: integerOrNull(1) }, [
    'accountId',
    'sinceState',
  ]),
  row(
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
  row(
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
  row(
    'query',
    '5.5',
    {
      ...query,
      position: integer(BOUNDS.minInteger),
      anchor: textOrNull,
      anchorOffset: integer(BOUNDS.minInteger),
      limit: integerOrNull(0),
      calculateTotal: boolean,
    },
    ['accountId'],
  ),
  row(
    'queryChanges',
    '5.6',
    {
      ...query,
      sinceQueryState: text,
      maxChanges: integerOrNull(0),
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
