import type { MethodDefinition } from '../capability/capability-definition.js';
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
import { lastComplaintsOf, quoted, sentence } from './issues.js';
import { declaredMembers } from './type-index.js';

/** Values that the references of one request may visit. */
const MAX_REFERENCE_VISITS = 1_000_000;

/**
 * What result references may still put into the calls of one request: D6, so that 32 calls can't
 * double a value 32 times.
 */
export class ReferenceAllowance {
  readonly visits: ReferenceBudget = { remaining: MAX_REFERENCE_VISITS };
  readonly #maximum: number;
  #octets: number;

  constructor(maxSizeRequest: number) {
    this.#maximum = maxSizeRequest;
    this.#octets = maxSizeRequest;
  }

  /** Whether what was put in so far takes long to work with. */
  get isLong(): boolean {
    return this.#maximum - this.#octets > LONG_REQUEST;
  }

  /** Counts the octets of one call's values; only `keep` takes them. */
  meter(): ReferenceMeter {
    return new ReferenceMeter(this.#octets);
  }

  keep(meter: ReferenceMeter): void {
    this.#octets = meter.remaining;
  }
}

/** Octets of JSON that one call may still put in. */
class ReferenceMeter {
  #remaining: number;

  constructor(octets: number) {
    this.#remaining = octets;
  }

  get remaining(): number {
    return this.#remaining;
  }

  /** Throws `requestTooLarge` where they are not to be had. */
  spend(octets: number): void {
    this.#remaining -= octets;
    if (this.#remaining >= 0) return;
    throw new MethodError(
      'requestTooLarge',
      'The values put in by result references exceed maxSizeRequest.',
    );
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
  if (!hasReferences(args)) return args;
  const references = Object.keys(args).filter((name) => name.startsWith('#'));
  const both = references.filter((name) => Object.hasOwn(args, name.slice(1)));
  if (both.length > 0)
    givenTwice(
      both.map((name) => name.slice(1)),
      'also as a result reference',
    );
  const resolved = emptyObject();
  const meter = allowance.meter();
  for (const [name, value] of Object.entries(args)) {
    if (!name.startsWith('#')) {
      resolved[name] = value;
      continue;
    }
    const found = resolveReference(value, earlier, allowance.visits);
    resolved[name.slice(1)] = detached(found, meter);
  }
  allowance.keep(meter);
  return resolved;
}

const HASH = 0x23;

/** True where the name of an argument begins with "#". */
export function hasReferences(args: JsonObject): boolean {
  for (const name in args) if (name.charCodeAt(0) === HASH) return true;
  return false;
}

/**
 * The arguments as the handler gets them: declared names in camelCase (D19), judged by the
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

function givenTwice(names: readonly string[], how: string): never {
  throw new MethodError(
    'invalidArguments',
    sentence(names.map((name) => `${quoted(name)} is given twice, ${how}`)),
  );
}

/**
 * A copy that shares no array or object with the response: a validator may write into arguments.
 * Counted while it grows: thousands of references of one call may each mean a great value, and
 * what is refused must cost no more than what is taken.
 */
function detached(value: JsonValue, meter: ReferenceMeter): JsonValue {
  if (typeof value === 'string') {
    spendText(value, meter);
    return value;
  }
  if (typeof value !== 'object' || value === null || value instanceof InexactNumber) {
    meter.spend(JSON.stringify(value).length);
    return value;
  }
  // The brackets, and a comma between two.
  meter.spend(2);
  if (isJsonArray(value)) {
    meter.spend(Math.max(0, value.length - 1));
    const items: JsonValue[] = [];
    for (const item of value) items.push(detached(item, meter));
    return items;
  }
  const copy = emptyObject();
  let separator = 1;
  for (const [name, member] of Object.entries(value)) {
    spendText(name, meter);
    meter.spend(separator);
    separator = 2;
    copy[name] = detached(member, meter);
  }
  return copy;
}

function spendText(text: string, meter: ReferenceMeter): void {
  // A text that can't fit is not even written out.
  if (text.length > meter.remaining) meter.spend(text.length);
  else meter.spend(isWrittenAsItIs(text) ? text.length + 2 : octetsOf(text));
}

function octetsOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** Most that is referred to are ids: to look at so few characters takes less than to write them. */
const SHORT = 64;

/** A short text that JSON has as it is: ASCII, with nothing to escape. */
function isWrittenAsItIs(text: string): boolean {
  if (text.length > SHORT) return false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false;
  }
  return true;
}
