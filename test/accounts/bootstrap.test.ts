import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bootstrap, createAccount, createAuthenticator } from '../../src/accounts/index.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { openTestDatabase, type TestDatabase } from './database.js';

let database: TestDatabase;
let dataDir: string;

beforeEach(() => {
  database = openTestDatabase();
  dataDir = join(database.folder, 'data');
});

afterEach(() => database.close());

const start = (enabled = true): Promise<string | null> =>
  bootstrap(database.prisma, { dataDir, enabled });

async function principalOf(path: string | null) {
  const token = readFileSync(path ?? '', 'utf8').trim();
  return createAuthenticator(database.prisma).authenticate(token);
}

describe('the very first start', () => {
  it('writes a token to a file that its owner alone can read', async () => {
    const path = await start();
    expect(path).toBe(join(dataDir, 'first-token'));
    expect(statSync(path ?? '').mode & 0o777).toBe(0o600);
    expect(readFileSync(path ?? '', 'utf8')).toMatch(/^jms_\w+_[\w-]{43}\n$/);
    const principal = await principalOf(path);
    expect([...(principal?.accounts.values() ?? [])]).toMatchObject([
      { name: 'My account', isPersonal: true, isReadOnly: false, capabilities: null },
    ]);
  });

  it('happens once: the second one changes nothing', async () => {
    const path = await start();
    const text = readFileSync(path ?? '', 'utf8');
    expect(await start()).toBeNull();
    expect(readFileSync(path ?? '', 'utf8')).toBe(text);
    expect(await database.prisma.jmapUser.count()).toBe(1);
    expect(await database.prisma.jmapToken.count()).toBe(1);
  });

  it('makes nothing with BOOTSTRAP_TOKEN=off, or if a command has made a user', async () => {
    expect(await start(false)).toBeNull();
    expect(await database.prisma.jmapUser.count()).toBe(0);
    await createAccount(database.prisma, createIdGenerator(), { name: 'A', user: 'alice' });
    expect(await start()).toBeNull();
    expect(await database.prisma.jmapToken.count()).toBe(0);
  });

  it('ignores the mode and the target of a file that a crashed start left there', async () => {
    const bait = join(database.folder, 'bait');
    writeFileSync(bait, 'bait', { mode: 0o644 });
    await start(false);
    const path = join(database.folder, 'first-token');
    symlinkSync(bait, path);
    expect(await bootstrap(database.prisma, { dataDir: database.folder, enabled: true })).toBe(
      path,
    );
    expect(readFileSync(bait, 'utf8')).toBe('bait');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await principalOf(path)).toMatchObject({ username: 'owner' });
  });

  it('leaves no file if the database takes nothing', async () => {
    database.db.exec(
      `CREATE TRIGGER "full" AFTER INSERT ON "JmapToken" BEGIN SELECT RAISE(ABORT, 'no room'); END`,
    );
    await expect(start()).rejects.toThrow();
    expect(readdirSync(dataDir)).toEqual([]);
    database.db.exec('DROP TRIGGER "full"');
    expect(await principalOf(await start())).toMatchObject({ username: 'owner' });
  });
});
