import type { MethodDefinition } from '../capability/capability-definition.js';
import { replaceTexts } from '../capability/places.js';
import { MethodError } from '../protocol/errors.js';
import {
  emptyObject,
  InexactNumber,
  isJsonArray,
  type JsonObject,
  type JsonValue,
} from '../protocol/json.js';
import {
  type EarlierResponse,
  type ReferenceBudget,
  resolveReference,
} from '../protocol/result-references.js';
import { LONG_REQUEST } from '../runtime/slices.js';
import { resolveId } from './creation-ids.js';
import { lastComplaintsOf, quoted, sentence } from './issues.js';
import { declaredMembers } from './type-index.js';

/** Values that the references of one request may visit. */
const MAX_REFERENCE_VISITS = 1_000_000;

/** Bounds what result references put into one request: 32 calls can't double a value 32 times. */
export class ReferenceAllowance {
  readonly visits: ReferenceBudget = { remaining: MAX_REFERENCE_VISITS };
  readonly #maximum: number;
  #octets: number;

  constructor(maxSizeRequest: number) {
    this.#maximum = maxSizeRequest;
    this.#octets = maxSizeRequest;
  }

  /** Returns whether what was put in so far takes long to work with. */
  get isLong(): boolean {
    return this.#maximum - this.#octets > LONG_REQUEST;
  }

  /** Takes the octets of what `put` spends; none where it throws. */
  take<T>(put: () => T): T {
    const before = this.#octets;
    try {
      return put();
    } catch (error) {
      this.#octets = before;
      throw error;
    }
  }

  /** Throws `requestTooLarge` where so many octets of JSON are not to be had. */
  spend(octets: number): void {
    this.#octets -= octets;
    if (this.#octets >= 0) return;
    throw new MethodError(
      'requestTooLarge',
      'The values put in by result references exceed maxSizeRequest.',
    );
  }

  /** Spends a text; one that can't fit is not even written out. */
  spendText(text: string): void {
    if (text.length > this.#octets) this.spend(text.length);
    else if (AS_IT_IS.test(text)) this.spend(text.length + 2);
    else this.spend(Buffer.byteLength(JSON.stringify(text)));
  }
}

/** A text that JSON writes unchanged: ASCII, nothing to escape. Most references yield ids. */
const AS_IT_IS = /^[ !#-[\]-~]*$/;

/**
 * Replaces `#name` arguments by what they refer to (RFC 8620 3.7), before anything else looks
 * at them.
 */
export function resolveReferences(
  args: JsonObject,
  earlier: readonly EarlierResponse[],
  allowance: ReferenceAllowance,
): JsonObject {
  if (!hasReferences(args)) return args;
  const references = Object.keys(args).filter((name) => name.startsWith('#'));
  const both = references.filter((name) => Object.hasOwn(args, name.slice(1)));
  if (both.length > 0)
    givenTwice(
      both.map((name) => name.slice(1)),
      'also as a result reference',
    );
  return allowance.take(() => {
    const resolved = emptyObject();
    for (const [name, value] of Object.entries(args)) {
      if (!name.startsWith('#')) resolved[name] = value;
      else {
        const found = resolveReference(value, earlier, allowance.visits);
        resolved[name.slice(1)] = detached(found, allowance);
      }
    }
    return resolved;
  });
}

/** Puts ids in the places of the creation ids that the arguments of an own method name. */
export function resolveOwnIds(
  { idPlaces }: MethodDefinition,
  args: JsonObject,
  createdIds: ReadonlyMap<string, string>,
): JsonObject {
  if (idPlaces === undefined || createdIds.size === 0) return args;
  const replace = (text: string): string => resolveId(text, createdIds) ?? text;
  return replaceTexts(idPlaces, args, replace) as JsonObject;
}

const HASH = 0x23;

/** Returns true where the name of an argument begins with "#". */
export function hasReferences(args: JsonObject): boolean {
  for (const name in args) if (name.charCodeAt(0) === HASH) return true;
  return false;
}

/**
 * Returns the arguments as the handler gets them: declared names in camelCase, judged by the
 * generated validator. Throws `invalidArguments` naming every argument at fault.
 */
export function checkArguments(method: MethodDefinition, args: JsonObject): JsonObject {
  const names = method.argumentNames ?? [];
  const isDeclared = (name: string): boolean => names.includes(name);
  let object = args;
  if (method.acceptSnakeCase) {
    const renamed = declaredMembers(args, { has: isDeclared }, true);
    if (renamed.doubled.length > 0) givenTwice(renamed.doubled, 'in both spellings');
    object = renamed.object;
  }
  const { validateArguments } = method;
  if (validateArguments(object)) return object;
  const complaints = lastComplaintsOf(validateArguments);
  const unknown = complaints.some(({ member }) => member !== '' && !isDeclared(member));
  const legal = method.argumentNames?.join(', ');
  const hint = unknown && legal !== undefined ? ` ${method.name} takes ${legal}.` : '';
  throw new MethodError('invalidArguments', sentence(complaints.map(({ text }) => text)) + hint);
}

const ACCOUNT: ReadonlySet<string> = new Set(['accountId', '#accountId']);

/**
 * Returns `accountId` alone, or the result reference in its place, named as declared. Null where
 * the arguments don't have exactly one of them.
 */
export function accountArgument(method: MethodDefinition, args: JsonObject): JsonObject | null {
  const { object } = declaredMembers(args, ACCOUNT, method.acceptSnakeCase);
  const [name, ...others] = [...ACCOUNT].filter((one) => Object.hasOwn(object, one));
  if (name === undefined || others.length > 0) return null;
  return { [name]: object[name] ?? null };
}

function givenTwice(names: readonly string[], how: string): never {
  throw new MethodError(
    'invalidArguments',
    sentence(names.map((name) => `${quoted(name)} is given twice, ${how}`)),
  );
}

/**
 * Returns a copy that shares no array or object with the response: a validator may write into
 * arguments. Counted while it grows: thousands of references of one call may each mean a great
 * value, and what is refused must cost no more than what is taken.
 */
function detached(value: JsonValue, allowance: ReferenceAllowance): JsonValue {
  if (typeof value === 'string') {
    allowance.spendText(value);
    return value;
  }
  if (typeof value !== 'object' || value === null || value instanceof InexactNumber) {
    allowance.spend(JSON.stringify(value).length);
    return value;
  }
  // The brackets, and a comma between two.
  allowance.spend(2);
  if (isJsonArray(value)) {
    allowance.spend(Math.max(0, value.length - 1));
    const items: JsonValue[] = [];
    for (const item of value) items.push(detached(item, allowance));
    return items;
  }
  const copy = emptyObject();
  let separator = 1;
  for (const [name, member] of Object.entries(value)) {
    allowance.spendText(name);
    allowance.spend(separator);
    separator = 2;
    copy[name] = detached(member, allowance);
  }
  return copy;
}
