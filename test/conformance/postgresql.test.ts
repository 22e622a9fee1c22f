import { describe, expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../src/database/postgresql/index.js';
import { makeToken, useFixtures } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { conformance } from './cases/all.js';
import { describedWorld } from './descriptor.js';
import { Suite } from './suite.js';

const postgresql = usePostgresql();
const { server, fixtures } = useFixtures(async () => ({
  env: { DATABASE_URL: await postgresql().createDatabase('conformance') },
}));

// The same suite, on a server whose DATABASE_URL names a PostgreSQL. Types by databases:
// matrix.long.test.ts.
conformance(new Suite(describedWorld('../../capabilities/notes.yaml'), 'Note', fixtures));

describe('commands on PostgreSQL, beside a running server', () => {
  const accountsOf = async (token: string): Promise<readonly string[]> => {
    const answer = await fetch(`${server().url}/.well-known/jmap`, {
      headers: { authorization: `Bearer ${token}` },
    });
    if (!answer.ok) throw new Error(`${answer.status}`);
    const session = (await answer.json()) as { readonly accounts: object };
    return Object.keys(session.accounts);
  };

  it('take effect soon: accounts, access, and a token that ends', async () => {
    const { tool } = server();
    const id = await tool('scripts/account', ['create', '--name', 'late', '--user', 'u9']);
    const token = await makeToken(server(), ['--user', 'u9']);
    expect(await accountsOf(token)).toEqual([id]);
    const other = await tool('scripts/account', ['create', '--name', 'later', '--user', 'u9']);
    await eventually(async () => expect(await accountsOf(token)).toEqual([id, other]));
    await tool('scripts/account', ['delete', id, '--yes']);
    await eventually(async () => expect(await accountsOf(token)).toEqual([other]));
    await tool('scripts/token', ['revoke', token]);
    await eventually(() => expect(accountsOf(token)).rejects.toThrow('401'));
  });

  it('reset-states makes older states worthless', async () => {
    const { u1, A1 } = fixtures();
    const { state } = await u1.get('Todo', { accountId: A1, ids: [] });
    await server().tool('scripts/account', ['reset-states']);
    const { state: after } = await u1.get('Todo', { accountId: A1, ids: [] });
    expect(Number(after)).toBeGreaterThanOrEqual(Number(state) + 1_000_000_000);
  });

  it('migrate --status says what is applied', async () => {
    const { stdout, code } = await server().command('scripts/migrate', ['--status']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^applied 0001_init\n/);
    expect(stdout).not.toMatch(/pending/);
  });

  it('a server refuses a database that is newer than itself, by name: exit code 1', async () => {
    const pool = openPool({ url: server().env['DATABASE_URL'] ?? '', size: 1 });
    onTestFinished(async () => {
      await pool.query(`DELETE FROM "_prisma_migrations" WHERE "migration_name" = '9999_future'`);
      await pool.end();
    });
    await pool.query(
      `INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name")
       VALUES ('x', 'y', now(), '9999_future')`,
    );
    const { code, stdout, stderr } = await server().command('src/server/main', []);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('The database has the migration 9999_future');
    // The version that is there already goes on.
    expect((await fetch(`${server().url}/readyz`)).status).toBe(200);
  });

  it('objects outlive a restart', async () => {
    const { u1, A1 } = fixtures();
    const { created } = await u1.set('Todo', { accountId: A1, create: { k: { text: 'stays' } } });
    const id = created?.['k']?.['id'] ?? '';
    const next = await server().restart();
    onTestFinished(async () => void (await next.stop()));
    const { list } = await u1.get('Todo', { accountId: A1, ids: [id] });
    expect(list[0]?.['text']).toBe('stays');
  });
});
