import { calculateJwkThumbprint, errors, exportJWK, generateKeyPair, type JWK } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { KeyRing, type ReadKeys } from '../../../src/accounts/oidc/key-ring.js';
import { thumbprintOfJwk } from '../../../src/accounts/oidc/thumbprint.js';
import { UnavailableError } from '../../../src/protocol/errors.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
let key: JWK;
beforeAll(async () => {
  key = await exportJWK((await generateKeyPair('ES256', { extractable: true })).publicKey);
});

/** A provider with the keys of the names, which a test takes away or stops. */
class Provider {
  names: readonly string[];
  readings = 0;
  isAway = false;
  /** Makes what it answers in the place of its keys. */
  answer: (() => unknown) | null = null;
  stored: ReadKeys | null = null;
  readonly errors: unknown[] = [];
  now = Date.UTC(2026, 10, 27);
  /** How far the wall clock is set ahead, ms. */
  ahead = 0;

  constructor(...names: readonly string[]) {
    this.names = names;
  }

  ring(): KeyRing {
    return new KeyRing({
      read: async () => {
        this.readings += 1;
        if (this.isAway) throw new Error('away');
        if (this.answer !== null) return this.answer();
        return { keys: this.names.map((kid) => ({ ...key, kid, alg: 'ES256' })) };
      },
      stored: this.stored,
      store: (keys) => {
        this.stored = keys;
      },
      onError: (error) => this.errors.push(error),
      clocks: { wall: () => this.now + this.ahead, passed: () => this.now },
    });
  }
}

/** Asks for a key; resolves to `known`, `unknown` or `away`. */
async function ask(ring: KeyRing, kid: string): Promise<string> {
  const token = { payload: '', signature: '' };
  try {
    await ring.keyOf({ alg: 'ES256', kid }, token);
    return 'known';
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'unknown';
    if (error instanceof UnavailableError) return 'away';
    throw error;
  }
}

/** The answers of a ring that `ms` have passed for. */
async function askLater(ms: number, provider: Provider, ring: KeyRing, ...kids: readonly string[]) {
  provider.now += ms;
  const answers: string[] = [];
  for (const kid of kids) answers.push(await ask(ring, kid));
  return answers;
}

describe('A new key', () => {
  it('is known at its first token, also a second after the first reading', async () => {
    const provider = new Provider('k1');
    const ring = provider.ring();
    expect(await askLater(0, provider, ring, 'k1')).toEqual(['known']);
    provider.names = ['k2'];
    expect(await askLater(1000, provider, ring, 'k2', 'k1')).toEqual(['known', 'unknown']);
    expect(provider.readings).toBe(2);
  });

  it('is known at its first token after an ordinary reading, too', async () => {
    const provider = new Provider('k1');
    const ring = provider.ring();
    await askLater(0, provider, ring, 'k1');
    await askLater(11 * MINUTE, provider, ring, 'k1');
    provider.names = ['k1', 'k2'];
    expect(await askLater(1000, provider, ring, 'k2')).toEqual(['known']);
  });
});

describe('Made-up keys', () => {
  it('cause one reading in 30 seconds, together or one after the other', async () => {
    const provider = new Provider('k1');
    const ring = provider.ring();
    const many = Array.from({ length: 1000 }, (_, index) => `x${index}`);
    const cold = await Promise.all(many.map((kid) => ask(ring, kid)));
    expect([new Set(cold), provider.readings]).toEqual([new Set(['unknown']), 1]);
    await askLater(MINUTE, provider, ring, ...many);
    expect(provider.readings).toBe(2);
    await askLater(29_000, provider, ring, ...many);
    expect(provider.readings).toBe(2);
    expect(await askLater(1000, provider, ring, 'x1', 'k1')).toEqual(['unknown', 'known']);
    expect(provider.readings).toBe(3);
  });

  it('cause one reading in 30 seconds while the provider is away', async () => {
    const provider = new Provider('k1');
    const ring = provider.ring();
    await askLater(0, provider, ring, 'k1');
    provider.isAway = true;
    const many = Array.from({ length: 100 }, (_, index) => `x${index}`);
    expect(new Set(await askLater(MINUTE, provider, ring, ...many))).toEqual(new Set(['away']));
    expect([provider.readings, provider.errors.length]).toEqual([2, 1]);
  });
});

describe('While the provider is away', () => {
  it('known keys count for a day, and unknown ones can not be judged', async () => {
    const provider = new Provider('k1');
    const ring = provider.ring();
    await askLater(0, provider, ring, 'k1');
    provider.isAway = true;
    expect(await askLater(11 * MINUTE, provider, ring, 'k1', 'k2')).toEqual(['known', 'away']);
    expect(await askLater(DAY - 12 * MINUTE, provider, ring, 'k1')).toEqual(['known']);
    expect(await askLater(MINUTE, provider, ring, 'k1')).toEqual(['away']);
    provider.isAway = false;
    expect(await askLater(MINUTE, provider, ring, 'k1', 'k2')).toEqual(['known', 'unknown']);
  });

  it('keys that were stored count at a start, as long as those that were read', async () => {
    const provider = new Provider('k1');
    await askLater(0, provider, provider.ring(), 'k1');
    provider.isAway = true;
    expect(await askLater(DAY / 2, provider, provider.ring(), 'k1', 'k2')).toEqual([
      'known',
      'away',
    ]);
    expect(await askLater(DAY / 2, provider, provider.ring(), 'k1')).toEqual(['away']);
  });

  it('a start without stored keys knows none', async () => {
    const provider = new Provider('k1');
    provider.isAway = true;
    const ring = provider.ring();
    expect(await askLater(0, provider, ring, 'k1', 'k1')).toEqual(['away', 'away']);
    expect(provider.readings).toBe(1);
    provider.isAway = false;
    expect(await askLater(30_000, provider, ring, 'k1')).toEqual(['known']);
  });

  it('stored keys of a time to come count from now on', async () => {
    const provider = new Provider('k1');
    await askLater(0, provider, provider.ring(), 'k1');
    provider.ahead = -30 * DAY;
    provider.isAway = true;
    const ring = provider.ring();
    expect(await askLater(DAY - 1, provider, ring, 'k1')).toEqual(['known']);
    expect(await askLater(1, provider, ring, 'k1')).toEqual(['away']);
  });
});

describe('A clock that is set back', () => {
  it('delays no look for a new key, and makes known keys no younger', async () => {
    const provider = new Provider('k1');
    const ring = provider.ring();
    await askLater(0, provider, ring, 'k1', 'x');
    provider.ahead = -60 * MINUTE;
    provider.names = ['k2'];
    expect(await askLater(MINUTE, provider, ring, 'k2')).toEqual(['known']);
    provider.isAway = true;
    expect(await askLater(DAY - 1, provider, ring, 'k2')).toEqual(['known']);
    expect(await askLater(1, provider, ring, 'k2')).toEqual(['away']);
  });
});

describe('Keys', () => {
  it('are known by their thumbprints until they are gone, whatever else they say', async () => {
    const provider = new Provider();
    const made = await Promise.all(
      ['ES256', 'EdDSA', 'RS256'].map(async (alg) => {
        const { publicKey } = await generateKeyPair(alg, { extractable: true });
        return exportJWK(publicKey);
      }),
    );
    const prints = await Promise.all(made.map((each) => calculateJwkThumbprint(each)));
    const known = () => prints.map((print) => ring.hasKey(print));
    provider.answer = () => ({ keys: made.map((each) => ({ ...each, kid: 'a' })) });
    const ring = provider.ring();
    expect(known()).toEqual([false, false, false]);
    await askLater(0, provider, ring, 'a');
    expect(known()).toEqual([true, true, true]);
    // Members in another order, and further ones.
    provider.answer = () => ({
      keys: made.slice(1).map((each) => ({
        ...{ use: 'sig', kid: 'b' },
        ...Object.fromEntries(Object.entries(each).reverse()),
      })),
    });
    await askLater(MINUTE, provider, ring, 'b');
    expect(known()).toEqual([false, true, true]);
    expect(made.map(thumbprintOfJwk)).toEqual(prints);
  });

  it('that nobody can verify with have no thumbprint', () => {
    for (const wrong of [{ kty: 'EC', crv: 'P-1' }, { kty: 'oct', k: 'c2VjcmV0' }, {}])
      expect(thumbprintOfJwk(wrong as JWK)).toBeNull();
  });

  it.each<[string, () => unknown]>([
    ['no set', () => []],
    ['null', () => null],
    ['no keys', () => ({ keys: [] })],
    ['keys that are none', () => ({ keys: [null, 7, 'k1'] })],
    ['symmetric keys', () => ({ keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'k2' }] })],
    ['private keys', () => ({ keys: [{ ...key, d: 'x', kid: 'k2' }] })],
    ['keys for encryption', () => ({ keys: [{ ...key, use: 'enc', kid: 'k2' }] })],
  ])('are kept where the provider answers %s', async (_, answer) => {
    const provider = new Provider('k1');
    const ring = provider.ring();
    await askLater(0, provider, ring, 'k1');
    provider.answer = answer;
    expect(await askLater(MINUTE, provider, ring, 'k2', 'k1')).toEqual(['away', 'known']);
    expect(provider.stored?.keys.map(({ kid }) => kid)).toEqual(['k1']);
  });

  it('are stored when they change, and once an hour', async () => {
    const provider = new Provider('k1');
    const ring = provider.ring();
    const storings: number[] = [];
    for (let minutes = 0; minutes < 150; minutes += 5) {
      if (minutes === 30) provider.names = ['k1', 'k2'];
      await askLater(5 * MINUTE, provider, ring, 'k1');
      await askLater(0, provider, ring, 'k1');
      const at = provider.stored?.readAt ?? 0;
      if (storings.at(-1) !== at) storings.push(at);
    }
    expect(storings.map((at) => (at - (storings[0] ?? 0)) / MINUTE)).toEqual([0, 30, 90]);
  });
});
