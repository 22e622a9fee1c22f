import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resetStates } from '../../scripts/backup/reset-states.js';
import { changeAccess } from '../../src/accounts/change.js';
import {
  type AuditEntry,
  bootstrap,
  createAccount,
  createToken,
  deleteAccount,
  grantAccess,
  listActs,
  pruneAudit,
  renameAccount,
  revokeAccess,
  revokeToken,
  rotateVapidKey,
} from '../../src/accounts/index.js';
import type { PrismaClient } from '../../src/database/sqlite/prisma.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { usePostgresql } from '../support/postgresql.js';
import { KINDS, type OpenedDatabase, openKind } from './two-databases.js';

const ids = createIdGenerator();
const postgresql = usePostgresql();

const SEALER = {
  seal: (text: string) => text,
  open: (text: string) => text,
  isCurrent: () => true,
};

describe.each(KINDS)('the audit on %s', (kind) => {
  let database: OpenedDatabase;
  let prisma: PrismaClient;

  beforeEach(async () => {
    database = await openKind(kind, postgresql, 'audit');
    ({ prisma } = database);
  });

  afterEach(() => database.close());

  async function acts(since = 0): Promise<readonly AuditEntry[]> {
    const entries: AuditEntry[] = [];
    for await (const entry of listActs(prisma, since)) entries.push(entry);
    return entries;
  }

  /** The rest of the acts behind the first `count`: action, object, detail. */
  async function actsBehind(count: number): Promise<readonly unknown[]> {
    const behind = (await acts()).slice(count);
    return behind.map(({ action, objectId, detail }) => [action, objectId, detail]);
  }

  async function userId(name: string): Promise<string> {
    return (await prisma.jmapUser.findUniqueOrThrow({ where: { name } })).id;
  }

  it('has a row for each act on an account, in the order of the acts', async () => {
    const id = await createAccount(prisma, ids, {
      name: 'A',
      user: 'alice',
      capabilities: ['u:x'],
    });
    await renameAccount(prisma, id, 'B');
    await grantAccess(prisma, ids, { accountId: id, user: 'bob', readOnly: true });
    await grantAccess(prisma, ids, { accountId: id, user: 'bob', readOnly: false });
    await revokeAccess(prisma, id, 'bob');
    const data = { tables: [], database: kind === 'SQLite' ? 'sqlite' : 'postgresql' } as const;
    await deleteAccount(prisma, { id, ...data, deleteBlobs: async () => undefined });
    const [alice, bob] = [await userId('alice'), await userId('bob')];
    expect(await actsBehind(0)).toEqual([
      ['user/create', alice, { name: 'alice' }],
      ['account/create', id, { name: 'A', owner: 'alice', ownerId: alice, capabilities: ['u:x'] }],
      ['account/rename', id, { name: 'B' }],
      ['user/create', bob, { name: 'bob' }],
      ['account/grant', id, { user: 'bob', userId: bob, readOnly: true }],
      ['account/grant', id, { user: 'bob', userId: bob, readOnly: false }],
      ['account/revoke', id, { user: 'bob', userId: bob }],
      ['account/delete', id, { name: 'B' }],
      ['account/erase', id, null],
    ]);
    expect((await acts()).every(({ actor }) => actor === null)).toBe(true);
  });

  it('has no secret of a token', async () => {
    const id = await createAccount(prisma, ids, { name: 'A', user: 'alice' });
    const alice = await userId('alice');
    const token = await createToken(prisma, ids, { user: 'alice' });
    const scope = { accountId: id, readOnly: true };
    const narrow = await createToken(prisma, ids, {
      ...{ user: 'alice', accounts: [scope], readOnly: true, lifetime: 60_000 },
    });
    // The secret may have an underscore, too.
    const [, tokenId = '', ...parts] = token.split('_');
    const secret = parts.join('_');
    expect(secret.length).toBeGreaterThan(20);
    const narrowId = narrow.split('_')[1] ?? '';
    await revokeToken(prisma, token);
    const wide = { user: 'alice', userId: alice, readOnly: false, accounts: null, expires: null };
    expect(await actsBehind(2)).toMatchObject([
      ['token/create', tokenId, wide],
      [
        'token/create',
        narrowId,
        { readOnly: true, accounts: { [id]: true }, expires: expect.any(Number) },
      ],
      ['token/revoke', tokenId, { userId: alice }],
    ]);
    expect(JSON.stringify(await acts())).not.toContain(secret);
  });

  it('tells of the first start, of another VAPID key and of a reset of states', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'audit-'));
    await bootstrap(prisma, { dataDir, enabled: true, ids });
    rmSync(dataDir, { recursive: true });
    const key = { privateText: 'a', publicText: 'b' };
    const rotation = { sealer: SEALER, makeKey: () => key, now: 1, keep: 1 };
    expect(await rotateVapidKey(prisma, { ...rotation, id: 'k1' })).toEqual(key);
    expect(await rotateVapidKey(prisma, { ...rotation, id: 'k2' })).toBeNull();
    await resetStates(prisma, []);
    expect((await acts()).map(({ action, objectId }) => `${action} ${objectId}`)).toEqual([
      'server/bootstrap server',
      `user/create ${await userId('owner')}`,
      expect.stringMatching(/^account\/create a/),
      expect.stringMatching(/^token\/create t/),
      'push/rotate-key k1',
      'server/reset-states server',
    ]);
  });

  it('names the user who did an act, and has no row of an act that failed', async () => {
    await createAccount(prisma, ids, { name: 'A', user: 'alice' });
    const [alice, before] = [await userId('alice'), await acts()];
    const act = { action: 'user/roles', objectId: alice, detail: { roles: ['admin'] } } as const;
    await changeAccess(prisma, async (change) => change.note(act), alice);
    await expect(revokeAccess(prisma, 'none', 'alice')).rejects.toThrow(/no account/);
    await expect(
      changeAccess(prisma, async (change) => {
        await change.note(act);
        throw new Error('It fails.');
      }),
    ).rejects.toThrow('It fails.');
    const after = (await acts()).slice(before.length);
    expect(after).toMatchObject([{ actor: 'alice', ...act }]);
  });

  it('is never without a row where access changes', async () => {
    const silent = changeAccess(prisma, async ({ transaction }) => {
      await transaction.jmapUser.create({ data: { id: 'u', name: 'silent', created: 0n } });
    });
    await expect(silent).rejects.toThrow(/not in the audit/);
    expect(await prisma.jmapUser.count()).toBe(0);
  });

  it('keeps the acts since a time, in more pages than one, and forgets older ones', async () => {
    await changeAccess(prisma, async (change) => {
      for (let number = 0; number < 501; number += 1)
        await change.note({ action: 'user/disable', objectId: `u${number}` });
    });
    await changeAccess(prisma, (change) => change.note({ action: 'user/enable', objectId: 'u' }));
    expect((await acts()).map(({ objectId }) => objectId)).toEqual([
      ...Array.from({ length: 501 }, (_, number) => `u${number}`),
      'u',
    ]);
    const first = await prisma.jmapAudit.findFirstOrThrow({ where: { objectId: 'u0' } });
    const { version } = first;
    await prisma.jmapAudit.updateMany({ where: { version }, data: { at: 1000n } });
    expect(await acts(1001)).toHaveLength(1);
    expect(await pruneAudit(prisma, 999, 10)).toBe(0);
    expect(await pruneAudit(prisma, 1000, 500)).toBe(500);
    expect(await pruneAudit(prisma, 1000, 500)).toBe(1);
    expect(await acts()).toMatchObject([{ action: 'user/enable' }]);
  });
});
