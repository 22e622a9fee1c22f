import type { MethodDefinition } from '../capability/definition.js';
import { MethodError } from '../protocol/errors.js';
import { InexactNumber } from '../protocol/inexact-number.js';
import { emptyObject, type JsonObject, type JsonValue } from '../protocol/json.js';
import {
  type EarlierResponse,
  type ReferenceBudget,
  resolveReference,
} from '../protocol/result-references.js';
import { complaintsOf, quoted, sentence } from './issues.js';
import { renameMembers } from './snake-case.js';

/** Values that the references of one request may visit while they are resolved. */
const MAX_REFERENCE_VISITS = 5_000_000;

/**
 * What result references may still put into the calls of one request: D6, so that 32 calls can't
 * double a value 32 times.
 */
export class ReferenceAllowance {
  readonly visits: ReferenceBudget = { remaining: MAX_REFERENCE_VISITS };
  #octets: number;

  constructor(maxSizeRequest: number) {
    this.#octets = maxSizeRequest;
  }

  /** Takes the octets of resolved values, or throws `requestTooLarge` and takes none. */
  take(octets: number): void {
    if (octets > this.#octets) {
      throw new MethodError(
        'requestTooLarge',
        'The values put in by result references exceed maxSizeRequest.',
      );
    }
    this.#octets -= octets;
  }
}

/**
 * Replaces `#name` arguments by what they refer to (RFC 8620 3.7, D18), before anything else looks
 * at them.
 */
export function resolveReferences(
  args: JsonObject,
  earlier: readonly EarlierResponse[],
  allowance: ReferenceAllowance,
): JsonObject {
  const references = Object.keys(args).filter((name) => name.startsWith('#'));
  if (references.length === 0) return args;
  const both = references.filter((name) => Object.hasOwn(args, name.slice(1)));
  if (both.length > 0)
    givenTwice(
      both.map((name) => name.slice(1)),
      'also as a result reference',
    );
  const resolved = emptyObject();
  let octets = 0;
  for (const [name, value] of Object.entries(args)) {
    if (!name.startsWith('#')) {
      resolved[name] = value;
      continue;
    }
    const found = resolveReference(value, earlier, allowance.visits);
    octets += jsonOctets(found);
    resolved[name.slice(1)] = detached(found);
  }
  allowance.take(octets);
  return resolved;
}

/**
 * The arguments as the handler gets them: declared names in camelCase (D19), judged by the
 * generated validator. Throws `invalidArguments` naming every argument at fault.
 */
export function checkArguments(method: MethodDefinition, args: JsonObject): JsonObject {
  const names = new Set(method.argumentNames ?? []);
  const { object, doubled } = renameMembers(args, names, method.acceptSnakeCase);
  if (doubled.length > 0) givenTwice(doubled, 'in both spellings');
  const complaints = complaintsOf(method.validateArguments, object);
  if (complaints.length === 0) return object;
  const legal = method.argumentNames?.join(', ');
  const unknown = complaints.some(({ member }) => member !== '' && !names.has(member));
  const hint = unknown && legal !== undefined ? ` ${method.name} takes ${legal}.` : '';
  throw new MethodError('invalidArguments', sentence(complaints.map(({ text }) => text)) + hint);
}

function givenTwice(names: readonly string[], how: string): never {
  throw new MethodError(
    'invalidArguments',
    sentence(names.map((name) => `${quoted(name)} is given twice, ${how}`)),
  );
}

function jsonOctets(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * A copy that shares no array or object with the response: a validator may write into arguments.
 */
function detached(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || value instanceof InexactNumber) return value;
  if (isArray(value)) return value.map(detached);
  const copy = emptyObject();
  for (const [name, member] of Object.entries(value)) copy[name] = detached(member);
  return copy;
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
