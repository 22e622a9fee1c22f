import { createHash, hash } from 'node:crypto';

/**
 * State vectors as text: the states that a receiver was told. Event ids (RFC 8620 7.3), `pushState`
 * (RFC 8887 4.3.5) and what a PushSubscription was told are the same text, in base64url:
 *
 *     form (1 octet) | epoch (8) | list of types (4) | body
 *
 * The body of a whole vector has three parts for each account:
 *
 *     hash of its id (8) | bitmap of types with a state | states (variable-length integers)
 *
 * A vector that would be too long has a hash of its body instead. The hash tells whether anything
 * has changed, not what.
 */

/** Characters of the longest text. */
const MAX_LENGTH = 3000;
const WHOLE = 1;
const HASHED = 2;
const EPOCH_OCTETS = 8;
const TYPES_OCTETS = 4;
const HEADER_OCTETS = 1 + EPOCH_OCTETS + TYPES_OCTETS;
const KEY_OCTETS = 8;
const BODY_HASH_OCTETS = 16;
const MAX_OCTETS = Math.floor((MAX_LENGTH * 3) / 4);
/** Octets of the longest integer: seven bits each, up to 2^53. */
const MAX_INTEGER_OCTETS = 8;

/** The present states of an account, as far as a receiver sees them. */
export interface AccountVector {
  readonly id: string;
  /** `accountKey` of the id. */
  readonly key: string;
  /** Each type that the receiver sees, 0 included. */
  readonly states: readonly (readonly [type: string, number: number])[];
}

/** Key of an account to index of a type to state number. */
type KnownNumbers = Map<string, Map<number, number>>;

/** Account id to type name to state number. */
export type ChangedNumbers = Map<string, Map<string, number>>;

/** Returns the hash by which vectors name an account. */
export function accountKey(accountId: string): string {
  return hash('sha256', accountId, 'buffer').toString('latin1', 0, KEY_OCTETS);
}

/** Returns the octets that stand for an epoch. */
function epochOctets(text: string): Buffer {
  return hash('sha256', text, 'buffer').subarray(0, EPOCH_OCTETS);
}

/** Writes and reads the vectors of one epoch of states, of one list of types. */
export class Vectors {
  readonly #header: Buffer;
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #bitmapOctets: number;

  /** `epoch` changes where states begin anew: after a restore, for example. */
  constructor(epoch: string, types: readonly string[]) {
    this.#indexes = new Map(types.map((name, index) => [name, index]));
    this.#bitmapOctets = Math.ceil(types.length / 8);
    const typesHash = hash('sha256', JSON.stringify(types), 'buffer').subarray(0, TYPES_OCTETS);
    this.#header = Buffer.concat([epochOctets(epoch), typesHash]);
  }

  /** Returns the text of present states: at most 3,000 characters. */
  encode(accounts: readonly AccountVector[]): string {
    const body = this.#body(accounts);
    const isWhole = HEADER_OCTETS + body.length <= MAX_OCTETS;
    const form = Buffer.of(isWhole ? WHOLE : HASHED);
    const rest = isWhole ? body : bodyHash(body);
    return Buffer.concat([form, this.#header, rest]).toString('base64url');
  }

  /**
   * Returns the present states that differ from those that `text` says were told. Null: all have to
   * be told, since the text can't be read, is of another epoch, or is a hash of other states.
   */
  difference(text: string, accounts: readonly AccountVector[]): ChangedNumbers | null {
    const known = this.#readNumbers(text, accounts);
    if (known === 'same') return new Map();
    if (typeof known === 'string') return null;
    const changed: ChangedNumbers = new Map();
    for (const account of accounts) {
      const knownNumber = this.#numbersOf(known, account);
      const differing = account.states.filter(([type, number]) => number !== knownNumber(type));
      if (differing.length > 0) changed.set(account.id, new Map(differing));
    }
    return changed;
  }

  /**
   * Returns the ids of accounts of which `text` may tell later states than these: another process
   * has told them, and this one has yet to hear of them.
   */
  ahead(text: string, accounts: readonly AccountVector[]): readonly string[] {
    const known = this.#readNumbers(text, accounts);
    if (known === 'others') return accounts.map(({ id }) => id);
    if (typeof known === 'string') return [];
    const behind = accounts.filter((account) => {
      const knownNumber = this.#numbersOf(known, account);
      return account.states.some(([type, number]) => number < knownNumber(type));
    });
    return behind.map(({ id }) => id);
  }

  /** Returns what the text says; `same`, `others`: it is a hash of these states, or of others. */
  #readNumbers(
    text: string,
    accounts: readonly AccountVector[],
  ): KnownNumbers | 'same' | 'others' | 'unknown' {
    const octets = this.#read(text);
    if (octets === null) return 'unknown';
    const body = octets.subarray(HEADER_OCTETS);
    if (octets[0] === WHOLE) return this.#parse(body) ?? 'unknown';
    return body.equals(bodyHash(this.#body(accounts))) ? 'same' : 'others';
  }

  /** Returns what gives the number that was told of a type of an account. */
  #numbersOf(known: KnownNumbers, { key }: AccountVector): (type: string) => number {
    const numbers = known.get(key);
    return (type) => numbers?.get(this.#indexes.get(type) ?? -1) ?? 0;
  }

  #read(text: string): Buffer | null {
    if (text.length > MAX_LENGTH || !/^[A-Za-z0-9_-]+$/.test(text)) return null;
    const octets = Buffer.from(text, 'base64url');
    const isOurs = octets.subarray(1, HEADER_OCTETS).equals(this.#header);
    return isOurs && (octets[0] === WHOLE || octets[0] === HASHED) ? octets : null;
  }

  #body(accounts: readonly AccountVector[]): Buffer {
    const parts: Buffer[] = [];
    for (const { key, states } of accounts) {
      const bitmap = Buffer.alloc(this.#bitmapOctets);
      const numbers: [index: number, number: number][] = [];
      for (const [type, number] of states) {
        const index = this.#indexes.get(type);
        if (index === undefined || number === 0) continue;
        bitmap[index >> 3] = (bitmap[index >> 3] ?? 0) | (1 << (index & 7));
        numbers.push([index, number]);
      }
      numbers.sort(([a], [b]) => a - b);
      const octets = numbers.flatMap(([, number]) => integerOctets(number));
      parts.push(Buffer.from(key, 'latin1'), bitmap, Buffer.from(octets));
    }
    return Buffer.concat(parts);
  }

  /** Returns, by key of the account, the numbers by index of the type; null for no vector. */
  #parse(body: Buffer): KnownNumbers | null {
    const known: KnownNumbers = new Map();
    let at = 0;
    while (at < body.length) {
      const numbers = new Map<number, number>();
      known.set(body.toString('latin1', at, at + KEY_OCTETS), numbers);
      const bitmap = body.subarray(at + KEY_OCTETS, at + KEY_OCTETS + this.#bitmapOctets);
      at += KEY_OCTETS + this.#bitmapOctets;
      if (at > body.length) return null;
      for (const index of this.#indexes.values()) {
        if (((bitmap[index >> 3] ?? 0) & (1 << (index & 7))) === 0) continue;
        const read = readInteger(body, at);
        if (read === null) return null;
        numbers.set(index, read.number);
        at = read.end;
      }
    }
    return known;
  }
}

/** Returns all present states. */
export function allNumbers(accounts: readonly AccountVector[]): ChangedNumbers {
  const seen = accounts.filter(({ states }) => states.length > 0);
  return new Map(seen.map(({ id, states }) => [id, new Map(states)]));
}

function bodyHash(body: Buffer): Buffer {
  return createHash('sha256').update(body).digest().subarray(0, BODY_HASH_OCTETS);
}

/** Writes seven bits an octet, the lowest first; the highest bit tells that more follow. */
function integerOctets(number: number): number[] {
  const octets: number[] = [];
  let rest = number;
  for (; rest >= 128; rest = Math.floor(rest / 128)) octets.push((rest % 128) | 128);
  octets.push(rest);
  return octets;
}

function readInteger(from: Buffer, start: number): { number: number; end: number } | null {
  let number = 0;
  let factor = 1;
  for (let at = start; at < start + MAX_INTEGER_OCTETS; at += 1) {
    const octet = from[at];
    if (octet === undefined) return null;
    number += (octet & 127) * factor;
    factor *= 128;
    if (octet < 128) return { number, end: at + 1 };
  }
  return null;
}
