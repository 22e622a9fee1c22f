import { errors } from 'jose';
import { describe, expect, it } from 'vitest';
import { DiscoveryError } from '../../../src/accounts/oidc/discovery.js';
import { openProvider, type Provider } from '../../../src/accounts/oidc/open-provider.js';
import { type ProviderSettings, usualSettings } from '../../../src/accounts/oidc/settings.js';
import {
  type ProviderRecord,
  type ProviderStore,
  StoredProviders,
} from '../../../src/accounts/oidc/stored-keys.js';
import { UnavailableError } from '../../../src/protocol/errors.js';
import { eventually } from '../../support/poll.js';
import { usePostgresql } from '../../support/postgresql.js';
import { type FakeProvider, openLocalClient, startFakeProvider } from './fake-provider.js';
import { ENGINES, openEngineDatabase } from './two-engines.js';

const postgresql = usePostgresql();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OAUTH = '/.well-known/oauth-authorization-server/team';
const OPENID = '/team/.well-known/openid-configuration';

class MemoryStore implements ProviderStore {
  record: ProviderRecord | null = null;

  async read(): Promise<ProviderRecord | null> {
    return this.record;
  }

  async write(_: string, record: ProviderRecord): Promise<void> {
    this.record = record;
  }
}

/** A server of the test's own clock, which may start again. */
class World {
  readonly fake: FakeProvider;
  readonly store: ProviderStore;
  readonly errors: unknown[] = [];
  readonly storeErrors: unknown[] = [];
  now = Date.UTC(2026, 10, 28);
  /** How far the wall clock is set ahead, ms. */
  ahead = 0;
  readonly #client = openLocalClient();

  constructor(fake: FakeProvider, store: ProviderStore = new MemoryStore()) {
    this.fake = fake;
    this.store = store;
  }

  start(more: Partial<ProviderSettings> = {}): Promise<Provider> {
    const settings = usualSettings(this.fake.issuer, ['https://jmap.example.com']);
    return openProvider(
      { ...settings, ...more },
      {
        readJson: (url) => this.#client.readJson(url),
        store: this.store,
        onError: (issuer, error) => {
          expect(issuer).toBe(this.fake.issuer);
          this.errors.push(error);
        },
        onStoreError: (_, error) => this.storeErrors.push(error),
        clocks: { wall: () => this.now + this.ahead, passed: () => this.now },
      },
    );
  }
}

/** Asks for a key; resolves to `known`, `unknown` or `away`. */
async function ask(provider: Provider, kid: string): Promise<string> {
  try {
    await provider.keyOf({ alg: 'ES256', kid }, { payload: '', signature: '' });
    return 'known';
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'unknown';
    if (error instanceof UnavailableError) return 'away';
    throw error;
  }
}

const open = async (...names: readonly string[]) => new World(await startFakeProvider(...names));

describe('A provider', () => {
  it('is asked at its first token, once for all that come at that time', async () => {
    const world = await open('a');
    const provider = await world.start();
    expect(world.fake.takeAsked()).toEqual([]);
    expect(await Promise.all([ask(provider, 'a'), ask(provider, 'a')])).toEqual(['known', 'known']);
    expect(world.fake.takeAsked()).toEqual([OAUTH, OPENID, '/team/keys']);
    expect(await ask(provider, 'a')).toBe('known');
    expect(world.fake.takeAsked()).toEqual([]);
    expect(world.errors).toEqual([]);
  });

  it('has a key that it takes after the first at its first token', async () => {
    const world = await open('a');
    const provider = await world.start();
    await ask(provider, 'a');
    world.fake.names = ['b'];
    expect(await ask(provider, 'b')).toBe('known');
    expect(await ask(provider, 'a')).toBe('unknown');
  });

  it('is asked for its document again after an hour, since its keys may move', async () => {
    const world = await open('a');
    const provider = await world.start();
    await ask(provider, 'a');
    world.fake.keysPath = '/moved';
    world.fake.names = ['b'];
    world.now += HOUR;
    world.fake.takeAsked();
    expect(await ask(provider, 'b')).toBe('known');
    expect(world.fake.takeAsked()).toEqual([OAUTH, OPENID, '/team/moved']);
    expect(world.errors).toEqual([]);
  });

  it('is asked for its document after an hour, also where the clock is set back', async () => {
    const world = await open('a');
    const provider = await world.start();
    await ask(provider, 'a');
    world.fake.keysPath = '/moved';
    world.fake.names = ['b'];
    world.ahead = -2 * HOUR;
    world.now += HOUR;
    world.fake.takeAsked();
    expect(await ask(provider, 'b')).toBe('known');
    expect(world.fake.takeAsked()).toEqual([OAUTH, OPENID, '/team/moved']);
  });

  it('is asked for its document at once where its keys are gone', async () => {
    const world = await open('a');
    const provider = await world.start();
    await ask(provider, 'a');
    world.fake.keysPath = '/moved';
    world.fake.names = ['b'];
    expect(await ask(provider, 'b')).toBe('away');
    expect(world.errors).toEqual([new Error(`There are no keys at ${world.fake.issuer}/keys.`)]);
    world.now += MINUTE;
    expect(await ask(provider, 'b')).toBe('known');
  });

  it('that is away from the beginning is asked again after 30 seconds', async () => {
    const world = await open('a');
    world.fake.isAway = true;
    const provider = await world.start();
    expect(await ask(provider, 'a')).toBe('away');
    expect(world.errors).toEqual([expect.any(DiscoveryError)]);
    expect(String(world.errors[0])).toContain('answers 503');
    world.fake.isAway = false;
    world.fake.takeAsked();
    world.now += 29_000;
    expect(await ask(provider, 'a')).toBe('away');
    expect(world.fake.takeAsked()).toEqual([]);
    world.now += 2000;
    expect(await ask(provider, 'a')).toBe('known');
    expect(world.errors).toHaveLength(1);
  });

  it('is asked for its keys alone where their place is configured', async () => {
    const world = await open('a');
    const provider = await world.start({ jwks: new URL(`${world.fake.issuer}/keys`) });
    expect(await ask(provider, 'a')).toBe('known');
    expect(world.fake.takeAsked()).toEqual(['/team/keys']);
  });
});

describe('The place of introspection', () => {
  const opaque = { endpoint: null, clientId: 'jmap', secret: 's', cache: 1000 };

  it('is what the document says, unless it is configured', async () => {
    const world = await open('a');
    world.fake.introspection = `${world.fake.issuer}/introspect`;
    const provider = await world.start({ opaque });
    expect(await provider.introspectionUrl()).toEqual(new URL(world.fake.introspection));
    const endpoint = new URL('https://id.example.com/introspect');
    const other = await world.start({ opaque: { ...opaque, endpoint } });
    expect(await other.introspectionUrl()).toBe(endpoint);
  });

  it('that no document says is told, and makes tokens nobody can judge', async () => {
    const world = await open('a');
    const provider = await world.start({ opaque });
    await expect(provider.introspectionUrl()).rejects.toThrow(UnavailableError);
    expect(String(world.errors)).toContain('"introspection_endpoint"');
  });
});

describe.each(ENGINES)('A restart on %s while the provider is away', (engine) => {
  const restart = async () => {
    const prisma = await openEngineDatabase(engine, postgresql);
    const world = new World(await startFakeProvider('a'), new StoredProviders(prisma));
    world.fake.introspection = `${world.fake.issuer}/introspect`;
    expect(await ask(await world.start(), 'a')).toBe('known');
    const isStored = async () => {
      const record = await world.store.read(world.fake.issuer);
      expect(record?.keys?.keys).toHaveLength(1);
    };
    await eventually(isStored);
    world.fake.isAway = true;
    return { world, prisma };
  };

  it('leaves its keys and places for a day', async () => {
    const { world } = await restart();
    world.now += 23 * HOUR;
    const provider = await world.start();
    expect(await ask(provider, 'a')).toBe('known');
    expect(await ask(provider, 'b')).toBe('away');
    expect((await provider.introspectionUrl()).href).toBe(world.fake.introspection);
    world.now += HOUR;
    expect(await ask(provider, 'a')).toBe('away');
    world.now += MINUTE;
    world.fake.isAway = false;
    expect(await ask(provider, 'a')).toBe('known');
  });

  it('leaves no keys of another place or another issuer', async () => {
    const { world } = await restart();
    const jwks = new URL(`${world.fake.issuer}/keys`);
    expect(await ask(await world.start({ jwks }), 'a')).toBe('away');
    expect(await world.store.read(`${world.fake.issuer}/`)).toBeNull();
  });

  it('takes what it can not read for nothing', async () => {
    const { world, prisma } = await restart();
    const { count } = await prisma.jmapMeta.updateMany({
      where: { key: { startsWith: 'oidc:' } },
      data: { value: '{"keys":[]' },
    });
    expect(count).toBe(1);
    expect(await world.store.read(world.fake.issuer)).toBeNull();
    expect(await ask(await world.start(), 'a')).toBe('away');
  });
});

it('A database that is away keeps no provider from being asked', async () => {
  const fail = async (): Promise<never> => {
    throw new Error('the database is away');
  };
  const world = new World(await startFakeProvider('a'), { read: fail, write: fail });
  expect(await ask(await world.start(), 'a')).toBe('known');
  await eventually(async () => {
    // Read once, written twice: the places and the keys.
    expect(world.storeErrors.map(String)).toEqual(Array(3).fill('Error: the database is away'));
  });
});
