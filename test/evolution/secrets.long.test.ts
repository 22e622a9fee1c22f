import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool } from '../../src/database/postgresql/index.js';
import { openDatabase } from '../../src/database/sqlite/index.js';
import { type Client, CORE } from '../support/client.js';
import { makeFixtures } from '../support/fixtures.js';
import { usePostgresql } from '../support/postgresql.js';
import type { ProjectCopy } from '../support/project.js';
import { type RunningServer, startServer } from '../support/server.js';
import { release, releasedProject } from './releases.js';

// Encrypted secrets over HTTP on both databases. The next start binds to its place what an older
// version stored, and a rename of the type and the property leaves them good. A copy gives none of
// the secrets of an account that may only be read.

const CAPABILITY = 'https://example.com/jmap/vaults';
const KEY = randomBytes(32);
const ENV = { SECRETS_KEY: KEY.toString('base64'), LOG_LEVEL: 'info' };

const FIRST = `
capability: ${CAPABILITY}
description: Vaults.
types:
  Vault:
    description: A place for locked things.
    properties:
      name: { type: string, maxLength: 50 }
      code: { type: string, maxLength: 50, access: secret, stored: encrypt }
      pin: { type: [string, 'null'], maxLength: 50, access: secret }
    required: [name, code]
`;
const RENAMED = FIRST.replace('  Vault:', '  Safe:\n    renamedFrom: Vault')
  .replace('      code: {', '      combination: { renamedFrom: code,')
  .replace('[name, code]', '[name, combination]');

interface Row {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  readonly code: string;
  readonly pin: string | null;
}

interface Served {
  server: RunningServer;
  readonly accounts: readonly string[];
  readonly client: Client;
  /** Queries the database. */
  ask(sql: string): Promise<readonly Row[]>;
}

function unbound(text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', KEY, nonce);
  const octets = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return `aes256gcm$${nonce.toString('base64url')}$${octets.toString('base64url')}`;
}

/** The type and the property have the names in the database that they were first given. */
function opened({ accountId, id, code }: Row): string {
  const [form, nonce = '', rest = ''] = code.split('$');
  expect(form).toBe('aes256gcm-bound');
  const octets = Buffer.from(rest, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', KEY, Buffer.from(nonce, 'base64url'), {
    authTagLength: 16,
  });
  decipher.setAAD(Buffer.from(JSON.stringify([accountId, 'Vault', id, 'code'])));
  decipher.setAuthTag(octets.subarray(-16));
  return `${decipher.update(octets.subarray(0, -16), undefined, 'utf8')}${decipher.final('utf8')}`;
}

function asker(server: RunningServer, url: string | undefined): Served['ask'] {
  if (url === undefined) {
    return async (sql) => {
      const db = openDatabase({ file: join(server.dataDir, 'jmap.db') });
      try {
        const statement = db.prepare<[], Row>(sql);
        if (statement.reader) return statement.all();
        statement.run();
        return [];
      } finally {
        db.close();
      }
    };
  }
  return async (sql) => {
    const pool = openPool({ url, size: 1 });
    try {
      return (await pool.query<Row>(sql)).rows;
    } finally {
      await pool.end();
    }
  };
}

const postgresql = usePostgresql();
const served = new Map<string, Served>();
let project: ProjectCopy;

beforeAll(async () => {
  project = await releasedProject();
  await release(project, { 'vault.yaml': FIRST });
  for (const name of ['sqlite', 'postgresql']) {
    const url = name === 'sqlite' ? undefined : await postgresql().createDatabase('vault');
    const env = { ...ENV, ...(url === undefined ? {} : { DATABASE_URL: url }) };
    const server = await startServer({ project: project.root, env });
    const { A1, A2, AR, u1, u3 } = await makeFixtures(server, ['A2', 'AR', 'u3']);
    const create = Object.fromEntries(
      Array.from({ length: 600 }, (_, n) => [`k${n}`, { name: `${n}`, code: `code ${n}` }]),
    );
    for (const [by, accountId] of [
      [u1, A1],
      [u3, AR],
    ] as const) {
      const { notCreated } = await by
        .with([CORE, CAPABILITY])
        .set('Vault', { accountId, create: { ...create, p: { name: 'p', code: 'c', pin: '1' } } });
      expect(notCreated).toBeNull();
    }
    const ask = asker(server, url);
    const client = u1.with([CORE, CAPABILITY]);
    served.set(name, { server, accounts: [A1, A2, AR], client, ask });
  }
}, 600_000);
afterAll(async () => {
  for (const { server } of served.values()) await server.remove();
  await project?.remove();
});

function servedOn(name: string): Served {
  const found = served.get(name);
  if (found === undefined) throw new Error(`${name} is not served.`);
  return found;
}

describe('secrets as the version before stored them', () => {
  it.each(['sqlite', 'postgresql'])(
    'on %s are bound by a start, states stay good, and a further start finds nothing',
    async (name) => {
      const served = servedOn(name);
      const { ask, server, client, accounts } = served;
      const [accountId = ''] = accounts;
      const { state } = await client.get('Vault', { accountId, ids: [] });
      const first = await ask('SELECT * FROM "Vault"');
      expect(first.map(opened)).toEqual(
        first.map(({ name: told }) => (told === 'p' ? 'c' : `code ${told}`)),
      );
      await server.stop();
      // As the version before left them, all but the first hundreds.
      const cases = first
        .filter(({ name: told }) => Number(told) >= 50)
        .map(({ id, name: told }) => `WHEN '${id}' THEN '${unbound(`code ${told}`)}'`);
      await ask(`UPDATE "Vault" SET "code" = CASE "id" ${cases.join(' ')} ELSE "code" END`);
      served.server = await server.restart();
      const bound = await ask('SELECT * FROM "Vault"');
      expect(bound.map(opened).sort()).toEqual(first.map(opened).sort());
      expect(served.server.stderr()).toContain('secrets bound to their objects');
      expect((await client.get('Vault', { accountId, ids: [] })).state).toBe(state);
      const { created, updated } = await client.changes('Vault', { accountId, sinceState: state });
      expect([created, updated]).toEqual([[], []]);
      served.server = await served.server.restart();
      expect(served.server.stderr()).not.toContain('secrets');
    },
  );
});

describe('secrets whose type and property have new names', () => {
  beforeAll(async () => {
    await release(project, { 'vault.yaml': RENAMED });
    for (const each of served.values()) each.server = await each.server.restart();
  }, 300_000);

  it.each(['sqlite', 'postgresql'])(
    'are good on %s, and /copy gives none that one may only read',
    async (name) => {
      const { ask, client, accounts } = servedOn(name);
      const [fromAccountId, accountId, mayRead] = accounts;
      const { list } = await client.get('Safe', { accountId: fromAccountId ?? '' });
      const id = list.find((one) => one['name'] === 'p')?.['id'];
      const copied = await client.call('Safe/copy', {
        ...{ fromAccountId, accountId },
        create: { k: { id, name: 'copy' } },
      });
      expect(copied[1]).toMatchObject({ notCreated: null });
      const [copy] = await ask(`SELECT * FROM "Vault" WHERE "name" = 'copy'`);
      expect([copy && opened(copy), copy?.pin]).toEqual(['c', expect.stringMatching(/^scrypt\$/)]);
      // Of an account that may only be read: none.
      const read = await client.get('Safe', { accountId: mayRead ?? '' });
      const source = read.list.find((one) => one['name'] === 'p')?.['id'];
      const [, refused] = await client.call('Safe/copy', {
        ...{ fromAccountId: mayRead, accountId },
        create: { bare: { id: source }, own: { id: source, name: 'own', combination: 'own' } },
      });
      expect(refused).toMatchObject({
        notCreated: { bare: { type: 'invalidProperties', properties: ['combination'] } },
      });
      const [own] = await ask(`SELECT * FROM "Vault" WHERE "name" = 'own'`);
      expect([own && opened(own), own?.pin]).toEqual(['own', null]);
    },
  );
});
