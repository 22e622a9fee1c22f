import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createAccount,
  createAuthenticator,
  createToken,
  grantAccess,
  listTokens,
  renameAccount,
  revokeAccess,
  revokeToken,
} from '../../src/accounts/index.js';
import { tokenCredential } from '../../src/accounts/token-text.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { openTestDatabase, type TestDatabase } from './database.js';

const ids = createIdGenerator();
let database: TestDatabase;

beforeEach(() => {
  database = openTestDatabase();
});

afterEach(() => database.close());

function authenticator(options: { now?: () => number; maxCached?: number } = {}) {
  return createAuthenticator(database.prisma, {
    accessVersion: database.accessVersion,
    ...options,
  });
}

/** `id:rw` or `id:ro` of each account that a token reaches, in the principal's order. */
async function reach(token: string, by = authenticator()): Promise<readonly string[] | null> {
  const principal = await by.authenticate(token);
  if (principal === null) return null;
  return [...principal.accounts].map(([id, { isReadOnly }]) => `${id}:${isReadOnly ? 'ro' : 'rw'}`);
}

const account = (name: string, user: string): Promise<string> =>
  createAccount(database.prisma, ids, { name, user });

describe('a token', () => {
  it('is the secret of its user alone: its text is kept nowhere in the database', async () => {
    await account('A', 'alice');
    const token = await createToken(database.prisma, ids, { user: 'alice' });
    expect(token).toMatch(/^jms_t[0-9a-z]{26}_[A-Za-z0-9_-]{43}$/);
    const secret = token.slice(-43);
    const row = database.db.prepare('SELECT * FROM "JmapToken"').get() as Record<string, unknown>;
    expect(row['secretHash']).toEqual(crypto.createHash('sha256').update(secret).digest());
    expect(Object.values(row).some((value) => String(value).includes(secret))).toBe(false);
    expect(JSON.stringify(await listTokens(database.prisma))).not.toContain(secret);
  });

  it('authenticates its user; a wrong, cut, longer or foreign one does not', async () => {
    await account('A', 'alice');
    await account('B', 'bob');
    const token = await createToken(database.prisma, ids, { user: 'alice' });
    const other = await createToken(database.prisma, ids, { user: 'bob' });
    const by = authenticator();
    expect(await by.authenticate(token)).toMatchObject({ username: 'alice', expires: null });
    const swapped = token.slice(0, -43) + other.slice(-43);
    const flipped = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
    const wrong = [
      '',
      'jms_',
      token.slice(0, -1),
      `${token}A`,
      ` ${token}`,
      `${token}\n`,
      token.toUpperCase(),
      swapped,
      flipped,
    ];
    for (const text of wrong) expect(await by.authenticate(text), text).toBeNull();
    expect(await by.authenticate(token)).not.toBeNull();
  });

  it('costs one constant-time comparison, if known, wrong, unknown or remembered', async () => {
    await account('A', 'alice');
    const token = await createToken(database.prisma, ids, { user: 'alice' });
    const by = authenticator();
    const unknown = `jms_${ids.next('t').id}_${token.slice(-43)}`;
    const wrong = token.slice(0, -43) + 'A'.repeat(43);
    const compare = vi.spyOn(crypto, 'timingSafeEqual');
    // A function imported by name is the spy from here on.
    syncBuiltinESMExports();
    try {
      for (const text of [unknown, wrong, token, token, wrong, unknown]) {
        compare.mockClear();
        await by.authenticate(text);
        const which = text === token ? 'the token' : 'another';
        expect(compare, which).toHaveBeenCalledTimes(1);
      }
    } finally {
      compare.mockRestore();
      syncBuiltinESMExports();
    }
  });

  it('passes the gate before it is looked up, until it has proved good', async () => {
    const id = await account('A', 'alice');
    const token = await createToken(database.prisma, ids, { user: 'alice' });
    const by = authenticator();
    const gate = vi.fn(async () => undefined);
    const wrong = token.slice(0, -43) + 'A'.repeat(43);
    expect(await by.authenticate(token, gate)).not.toBeNull();
    expect(gate).toHaveBeenCalledTimes(1);
    await renameAccount(database.prisma, id, 'B');
    expect(await by.authenticate(token, gate)).not.toBeNull();
    expect(gate, 'another access version').toHaveBeenCalledTimes(1);
    expect(await by.authenticate(wrong, gate)).toBeNull();
    expect(gate, 'a wrong secret').toHaveBeenCalledTimes(2);
    const closed = authenticator().authenticate(token, () => Promise.reject(new Error('closed')));
    await expect(closed).rejects.toThrow('closed');
  });

  it('is legal for a user without accounts, and reaches nothing', async () => {
    const id = await account('A', 'alice');
    const token = await createToken(database.prisma, ids, { user: 'alice' });
    await revokeAccess(database.prisma, id, 'alice');
    expect(await reach(token)).toEqual([]);
  });

  it('ends at the moment it expires, remembered or not', async () => {
    await account('A', 'alice');
    const token = await createToken(database.prisma, ids, { user: 'alice', lifetime: 5000 });
    const expires = (await listTokens(database.prisma))[0]?.expires ?? 0;
    let now = expires - 1;
    const by = authenticator({ now: () => now });
    const principal = await by.authenticate(token);
    expect(principal?.expires).toBe(expires);
    now = expires;
    expect(await by.authenticate(token)).toBeNull();
    expect(await by.refresh(principal?.credential ?? tokenCredential(''))).toBeNull();
    expect(await authenticator({ now: () => now }).authenticate(token)).toBeNull();
  });

  it('is made for a known user, reachable accounts and a legal time, or not at all', async () => {
    await account('A', 'alice');
    const foreign = await account('B', 'bob');
    const make = (wanted: object) =>
      createToken(database.prisma, ids, { user: 'alice', ...wanted });
    const version = database.accessVersion();
    await expect(make({ user: 'nobody' })).rejects.toThrow('no user "nobody"');
    for (const accountId of [foreign, 'a-none', '']) {
      await expect(make({ accounts: [{ accountId, readOnly: true }] })).rejects.toThrow(
        'no access',
      );
    }
    await expect(make({ lifetime: 1e17 })).rejects.toThrow('end of time');
    expect(await listTokens(database.prisma)).toEqual([]);
    expect(database.accessVersion()).toBe(version);
  });
});

describe('narrowing: an account is read-only if the grant, the token or its entry says so', () => {
  // grant, token, entry for the account: what the token may do.
  const matrix = [
    ['rw', 'rw', 'none', 'rw'],
    ['rw', 'rw', 'rw', 'rw'],
    ['rw', 'rw', 'ro', 'ro'],
    ['rw', 'ro', 'none', 'ro'],
    ['rw', 'ro', 'rw', 'ro'],
    ['rw', 'ro', 'ro', 'ro'],
    ['ro', 'rw', 'none', 'ro'],
    ['ro', 'rw', 'rw', 'ro'],
    ['ro', 'rw', 'ro', 'ro'],
    ['ro', 'ro', 'none', 'ro'],
    ['ro', 'ro', 'rw', 'ro'],
    ['ro', 'ro', 'ro', 'ro'],
  ] as const;

  it.each(matrix)('grant %s, token %s, entry %s: %s', async (grant, mode, entry, expected) => {
    const own = await account('Own', 'alice');
    const shared = await account('Shared', 'bob');
    await grantAccess(database.prisma, ids, {
      accountId: shared,
      user: 'alice',
      readOnly: grant === 'ro',
    });
    const token = await createToken(database.prisma, ids, {
      user: 'alice',
      readOnly: mode === 'ro',
      accounts: entry === 'none' ? [] : [{ accountId: shared, readOnly: entry === 'ro' }],
    });
    const unscoped = [`${own}:${mode}`, `${shared}:${expected}`];
    expect(await reach(token)).toEqual(entry === 'none' ? unscoped : [`${shared}:${expected}`]);
  });

  it('takes the narrower mode of an account that is named twice', async () => {
    const accountId = await account('A', 'alice');
    for (const modes of [
      [true, false],
      [false, true],
    ]) {
      const accounts = modes.map((readOnly) => ({ accountId, readOnly }));
      const token = await createToken(database.prisma, ids, { user: 'alice', accounts });
      expect(await reach(token)).toEqual([`${accountId}:ro`]);
    }
  });

  it('never widens: a scoped token gains neither a new account nor a wider mode', async () => {
    const first = await account('First', 'bob');
    await grantAccess(database.prisma, ids, { accountId: first, user: 'alice', readOnly: true });
    const make = (readOnly: boolean) =>
      createToken(database.prisma, ids, {
        user: 'alice',
        accounts: [{ accountId: first, readOnly }],
      });
    const reading = await make(true);
    const writing = await make(false);
    const following = await createToken(database.prisma, ids, { user: 'alice' });

    const second = await account('Second', 'alice');
    await grantAccess(database.prisma, ids, { accountId: first, user: 'alice', readOnly: false });
    expect(await reach(reading)).toEqual([`${first}:ro`]);
    expect(await reach(writing)).toEqual([`${first}:rw`]);
    expect(await reach(following)).toEqual([`${first}:rw`, `${second}:rw`]);

    await revokeAccess(database.prisma, first, 'alice');
    expect(await reach(reading)).toEqual([]);
    expect(await reach(following)).toEqual([`${second}:rw`]);
  });
});

describe('a principal', () => {
  it('has its accounts in order of creation, with owner, mode, name and capabilities', async () => {
    const shared = await createAccount(database.prisma, ids, {
      name: 'Zebra',
      user: 'bob',
      capabilities: ['urn:b', 'urn:a', 'urn:b'],
    });
    const own = await account('Ant', 'alice');
    await grantAccess(database.prisma, ids, { accountId: shared, user: 'alice', readOnly: true });
    const token = await createToken(database.prisma, ids, { user: 'alice' });
    const principal = await authenticator().authenticate(token);
    expect([...(principal?.accounts.values() ?? [])]).toEqual([
      {
        id: shared,
        name: 'Zebra',
        isPersonal: false,
        isReadOnly: true,
        isReader: true,
        capabilities: new Set(['urn:b', 'urn:a']),
      },
      { id: own, name: 'Ant', isPersonal: true, isReadOnly: false, capabilities: null },
    ]);
  });

  it('has no directory by a row that names its capability', async () => {
    const id = await account('Ant', 'alice');
    const capabilities = ['urn:a', 'urn:jmapsmith:admin'];
    await database.prisma.jmapAccount.update({ where: { id }, data: { capabilities } });
    const token = await createToken(database.prisma, ids, { user: 'alice' });
    const principal = await authenticator().authenticate(token);
    expect(principal?.accounts.get(id)?.capabilities).toEqual(new Set(['urn:a']));
  });

  it('is the identical object while its access stays the same, whatever else changes', async () => {
    const id = await account('A', 'alice');
    const token = await createToken(database.prisma, ids, { user: 'alice' });
    const by = authenticator();
    const [first, second] = await Promise.all([by.authenticate(token), by.authenticate(token)]);
    expect(first).not.toBeNull();
    expect(second).toBe(first);
    await account('B', 'bob');
    await createToken(database.prisma, ids, { user: 'alice' });
    expect(await by.authenticate(token)).toBe(first);
    expect(await by.refresh(first?.credential ?? tokenCredential(''))).toBe(first);

    await renameAccount(database.prisma, id, 'Another name');
    const renamed = await by.authenticate(token);
    expect(renamed).not.toBe(first);
    expect(renamed?.accounts.get(id)?.name).toBe('Another name');
  });

  it('is another one where a capability or a type of its token is another', async () => {
    await account('A', 'alice');
    const capabilities = new Map([['urn:a', 'read']] as const);
    const types = new Map([['Todo', 'full']] as const);
    const token = await createToken(database.prisma, ids, { user: 'alice', capabilities, types });
    const by = authenticator();
    const first = await by.authenticate(token);
    expect([first?.capabilities, first?.types]).toEqual([capabilities, types]);
    expect(await listTokens(database.prisma)).toMatchObject([{ capabilities, types }]);

    // No command changes a token; an operator's SQL may.
    const change = async (column: string, value: string) => {
      database.db.prepare(`UPDATE "JmapToken" SET "${column}" = ?`).run(value);
      await account(`${column} ${value}`, 'bob');
      return by.authenticate(token);
    };
    const second = await change('capabilities', '{"urn:b":"read"}');
    expect(second?.capabilities).toEqual(new Map([['urn:b', 'read']]));
    const third = await change('types', '{"Note":"full"}');
    expect(third?.types).toEqual(new Map([['Note', 'full']]));
    expect(await change('types', '{"Note":"full"}')).toBe(third);
  });

  it('follows each change of another process at the very next request', async () => {
    const id = await account('A', 'alice');
    const token = await createToken(database.prisma, ids, { user: 'alice' });
    const by = authenticator();
    expect(await reach(token, by)).toEqual([`${id}:rw`]);
    await grantAccess(database.prisma, ids, { accountId: id, user: 'alice', readOnly: true });
    expect(await reach(token, by)).toEqual([`${id}:ro`]);
    await revokeAccess(database.prisma, id, 'alice');
    expect(await reach(token, by)).toEqual([]);
    const credential = (await by.authenticate(token))?.credential ?? tokenCredential('');
    await revokeToken(database.prisma, token);
    expect(await reach(token, by)).toBeNull();
    expect(await by.refresh(credential)).toBeNull();
  });

  it('is read again by a server without a cheap access version', async () => {
    const id = await account('A', 'alice');
    const token = await createToken(database.prisma, ids, { user: 'alice' });
    const by = createAuthenticator(database.prisma);
    expect(await reach(token, by)).toEqual([`${id}:rw`]);
    await revokeToken(database.prisma, token);
    expect(await reach(token, by)).toBeNull();
  });

  it('is right for more tokens than the cache holds', async () => {
    await account('A', 'alice');
    const tokens: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      tokens.push(await createToken(database.prisma, ids, { user: 'alice' }));
    }
    const by = authenticator({ maxCached: 2 });
    const seen = await Promise.all([...tokens, ...tokens].map((token) => by.authenticate(token)));
    const tokenIds = seen.map((principal) => principal?.credential.id);
    expect(tokenIds).toEqual([...tokens, ...tokens].map((token) => token.split('_')[1]));
    await revokeToken(database.prisma, tokens[0] ?? '');
    expect(await by.authenticate(tokens[0] ?? '')).toBeNull();
  });

  it('is read together with many others, in six statements', async () => {
    const tokenIds: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const user = `user${n}`;
      const first = await account('A', user);
      await account('B', user);
      for (const accounts of [[], [{ accountId: first, readOnly: false }]]) {
        const token = await createToken(database.prisma, ids, { user, accounts });
        tokenIds.push(token.split('_')[1] ?? '');
      }
    }
    let statements = 0;
    const counted = database.prisma.$extends({
      query: {
        $allOperations: ({ args, query }) => {
          statements += 1;
          return query(args);
        },
      },
    });
    const by = createAuthenticator(counted as never, { accessVersion: database.accessVersion });
    const credentials = tokenIds.map(tokenCredential);
    const principals = await by.refreshAll(credentials);
    expect(tokenIds.map((id) => principals.get(id)?.accounts.size)).toEqual(
      tokenIds.map((_, at) => (at % 2 === 0 ? 2 : 1)),
    );
    expect(statements).toBe(6);
    await by.refreshAll(credentials);
    expect(statements).toBe(6);
    await revokeToken(database.prisma, tokenIds[0] ?? '');
    expect((await by.refreshAll(credentials)).has(tokenIds[0] ?? '')).toBe(false);
    expect(statements).toBe(12);
  });

  it('is read anew where access changes under it, whatever version is known', async () => {
    await account('A', 'alice');
    const token = await createToken(database.prisma, ids, { user: 'alice' });
    const old = database.accessVersion();
    let changes = 0;
    const changing = database.prisma.$extends({
      query: {
        jmapUser: {
          findMany: async ({ args, query }) => {
            changes += 1;
            if (changes === 1) await revokeToken(database.prisma, token);
            return query(args);
          },
        },
      },
    });
    const by = createAuthenticator(changing as never, { accessVersion: () => old });
    expect(await by.authenticate(token)).toBeNull();
    expect(changes).toBe(1);
  });

  it('is UnavailableError if it can not be read, and a later request works', async () => {
    await account('A', 'alice');
    const token = await createToken(database.prisma, ids, { user: 'alice' });
    let lost = true;
    const by = createAuthenticator(database.prisma, {
      accessVersion: () => {
        if (lost) throw new Error('the disk is gone');
        return database.accessVersion();
      },
    });
    await expect(by.authenticate(token)).rejects.toMatchObject({ name: 'UnavailableError' });
    lost = false;
    expect(await by.authenticate(token)).not.toBeNull();
  });
});

describe('revoking a token', () => {
  it('takes its text or its id, but no unknown one and none with a wrong secret', async () => {
    await account('A', 'alice');
    const one = await createToken(database.prisma, ids, { user: 'alice' });
    const two = await createToken(database.prisma, ids, { user: 'alice' });
    const wrong = one.slice(0, -43) + 'A'.repeat(43);
    for (const text of [wrong, 'nonsense', '', ids.next('t').id]) {
      await expect(revokeToken(database.prisma, text)).rejects.toThrow('no such token');
    }
    expect(await listTokens(database.prisma)).toHaveLength(2);
    await revokeToken(database.prisma, one);
    await revokeToken(database.prisma, two.split('_')[1] ?? '');
    expect(await listTokens(database.prisma)).toEqual([]);
    await expect(revokeToken(database.prisma, one)).rejects.toThrow('no such token');
  });
});
