import { randomFillSync } from 'node:crypto';

/**
 * Record ids (RFC 8620 1.2): a prefix letter, 10 digits of time and 16 of randomness in
 * lower-case Crockford base32. They sort by creation time, never differ by case alone and look like
 * no number, dash or "NIL".
 */
export interface IdGenerator {
  /**
   * Returns a new id and the time in ms that it embeds. Ids of one generator and prefix ascend
   * strictly, also when the clock steps back: then the time is the last one given out.
   */
  next(prefix: string): { readonly id: string; readonly time: number };
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const PAIRS: readonly string[] = Array.from(
  { length: 1024 },
  (_, index) => ALPHABET.charAt(index >> 5) + ALPHABET.charAt(index & 31),
);
const MAX_TIME = 2 ** 48 - 1;
const HALF = 2 ** 40;
const TWENTY_BITS = 2 ** 20;
const POOL_OCTETS = 4096;

const ID = /^[A-Za-z0-9_-]{1,255}$/;

/** Returns true for what RFC 8620 1.2 calls an Id; also the form of creation ids. */
export function isId(text: string): boolean {
  return ID.test(text);
}

export function createIdGenerator(options: { now?: () => number } = {}): IdGenerator {
  const now = options.now ?? Date.now;
  const random = createRandomPool();
  let time = -1;
  let timeText = '';
  let high = 0;
  let low = 0;
  /** The start of all ids of a millisecond: all but the last eight digits. */
  let head = '';
  let headPrefix = '';

  function startTime(next: number): void {
    time = next;
    timeText = encode(next);
    // The top bit stays clear, so that adding within one millisecond has room.
    high = random(5) % (HALF / 2);
    low = random(5);
    head = '';
  }

  return {
    next(prefix) {
      const clock = Math.min(Math.max(Math.floor(now()), 0), MAX_TIME);
      if (clock > time) {
        startTime(clock);
      } else {
        // A random step: a neighbour's id can't be guessed from an id.
        low += 1 + random(4);
        if (low >= HALF) {
          low -= HALF;
          high += 1;
          head = '';
        }
        if (high >= HALF) startTime(time + 1);
      }
      if (head === '' || prefix !== headPrefix) {
        head = `${prefix}${timeText}${digits(high)}`;
        headPrefix = prefix;
      }
      return { id: head + digits(low), time };
    },
  };
}

/** 50 bits as base32, most significant first. */
function encode(value: number): string {
  const high = Math.floor(value / HALF);
  return pair(high) + digits(value - high * HALF);
}

/** 40 bits as base32: two halves, since with integers of 32 bits the rest is done by shifts. */
function digits(value: number): string {
  const high = Math.floor(value / TWENTY_BITS);
  const low = value - high * TWENTY_BITS;
  return pair(high >> 10) + pair(high) + pair(low >> 10) + pair(low);
}

/** Ten bits. */
function pair(value: number): string {
  return PAIRS[value & 1023] ?? '';
}

/** Random unsigned integers of up to 6 octets; asks the system for a page of octets at a time. */
function createRandomPool(): (octets: number) => number {
  const pool = Buffer.alloc(POOL_OCTETS);
  let used = POOL_OCTETS;
  return (octets) => {
    if (used + octets > POOL_OCTETS) {
      randomFillSync(pool);
      used = 0;
    }
    used += octets;
    return pool.readUIntBE(used - octets, octets);
  };
}
