import type { Hints } from './hub.js';

/**
 * The messages of hubs, as texts that PostgreSQL's NOTIFY takes. Each is a JSON object: `o`,
 * the process that says it, `g`, the epoch of the database, and one of these:
 *
 * - `c`: commits, account id to type name to state number, or to null: any types
 * - `s`: ids of push subscriptions that were created or changed
 * - `b`: a beat, with its number
 * - `h`: a beat that says: what I have told you so far may be incomplete
 * - `d`: 1: I had to drop hints
 * - `q`: 1: good-bye
 */

/** PostgreSQL takes payloads below 8,000 octets. */
export const LONGEST_PAYLOAD = 7900;

export type Message =
  | { readonly kind: 'hints'; readonly hints: Hints }
  | { readonly kind: 'subscriptions'; readonly ids: readonly string[] }
  | { readonly kind: 'beat' | 'hello'; readonly number: number }
  | { readonly kind: 'shed' | 'bye' };

export interface Envelope {
  readonly origin: string;
  readonly epoch: string;
  readonly message: Message;
}

/** Writes the members that all payloads of a process begin with: the open object. */
export function payloadHead(origin: string, epoch: string): string {
  return `${originHead(origin)}${JSON.stringify(epoch)},`;
}

/** Writes what all payloads of a process begin with, whatever the epoch. */
export function originHead(origin: string): string {
  return `{"o":${JSON.stringify(origin)},"g":`;
}

export function beatPayload(head: string, kind: 'beat' | 'hello', number: number): string {
  return `${head}"${kind === 'beat' ? 'b' : 'h'}":${number}}`;
}

export function shedPayload(head: string): string {
  return `${head}"d":1}`;
}

export function byePayload(head: string): string {
  return `${head}"q":1}`;
}

/**
 * Moves as many accounts as one payload has room for from `hints` into one. An account whose types
 * would fill a payload alone is told without them. Returns null where there are none.
 */
export function takeHints(
  head: string,
  hints: Map<string, ReadonlyMap<string, number> | null>,
): { readonly text: string; readonly accounts: number } | null {
  const room = LONGEST_PAYLOAD - Buffer.byteLength(head) - '"c":{}}'.length;
  const entries = takeEntries(hints, room, ([account, types]) => {
    const entry = `${JSON.stringify(account)}:${typesText(types)}`;
    return Buffer.byteLength(entry) <= room ? entry : `${JSON.stringify(account)}:null`;
  });
  for (const [account] of entries.items) hints.delete(account);
  if (entries.items.length === 0) return null;
  return { text: `${head}"c":{${entries.texts.join()}}}`, accounts: entries.items.length };
}

/** Moves as many ids of subscriptions into a payload as it has room for; null: there are none. */
export function takeSubscriptions(head: string, ids: Set<string>): string | null {
  const room = LONGEST_PAYLOAD - Buffer.byteLength(head) - '"s":[]}'.length;
  const entries = takeEntries(ids, room, (id) => JSON.stringify(id));
  for (const id of entries.items) ids.delete(id);
  return entries.items.length === 0 ? null : `${head}"s":[${entries.texts.join()}]}`;
}

/** Returns the first items whose texts, with commas between them, fit into `room` octets. */
function takeEntries<T>(
  from: Iterable<T>,
  room: number,
  write: (item: T) => string,
): { readonly items: readonly T[]; readonly texts: readonly string[] } {
  const items: T[] = [];
  const texts: string[] = [];
  let octets = -1;
  for (const item of from) {
    const text = write(item);
    octets += Buffer.byteLength(text) + 1;
    if (octets > room) break;
    items.push(item);
    texts.push(text);
  }
  return { items, texts };
}

function typesText(types: ReadonlyMap<string, number> | null): string {
  if (types === null) return 'null';
  const members = Array.from(types, ([name, state]) => `${JSON.stringify(name)}:${state}`);
  return `{${members.join()}}`;
}

/**
 * Reads a payload; null where it isn't one of ours in every detail. Any client that may connect
 * to the database may send some.
 */
export function readPayload(text: string): Envelope | null {
  if (text.length >= 8000) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value)) return null;
  const { o: origin, g: epoch, ...rest } = value;
  if (!isId(origin) || typeof epoch !== 'string') return null;
  const [member, ...others] = Object.entries(rest);
  if (member === undefined || others.length > 0) return null;
  const message = readMessage(...member);
  return message === null ? null : { origin, epoch, message };
}

function readMessage(member: string, value: unknown): Message | null {
  switch (member) {
    case 'c':
      return readHints(value);
    case 's':
      return Array.isArray(value) && value.every(isId)
        ? { kind: 'subscriptions', ids: value }
        : null;
    case 'b':
    case 'h':
      return isNumber(value) ? { kind: member === 'b' ? 'beat' : 'hello', number: value } : null;
    case 'd':
    case 'q':
      return value === 1 ? { kind: member === 'd' ? 'shed' : 'bye' } : null;
    default:
      return null;
  }
}

function readHints(value: unknown): Message | null {
  if (!isObject(value)) return null;
  const hints = new Map<string, ReadonlyMap<string, number> | null>();
  for (const [account, types] of Object.entries(value)) {
    if (!isId(account)) return null;
    if (types === null) {
      hints.set(account, null);
      continue;
    }
    if (!isObject(types)) return null;
    const states = new Map<string, number>();
    for (const [name, state] of Object.entries(types)) {
      if (!isNumber(state)) return null;
      states.set(name, state);
    }
    hints.set(account, states);
  }
  return { kind: 'hints', hints };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** RFC 8620 1.2. */
function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 255 && /^[A-Za-z0-9_-]+$/.test(value);
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
