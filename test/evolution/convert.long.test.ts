import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jmapsmith } from '../package/pack.js';
import { Client, CORE } from '../support/client.js';
import { makeFixtures } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { ROOT, type RunningServer, startServer } from '../support/server.js';
import { commit, git } from './releases.js';

// A team's file in evolve/ converts objects on both databases: it is killed, goes on, and on
// PostgreSQL two servers start at once, while the version before serves.
const CAPABILITY = 'https://example.com/jmap/contacts';
const COUNT = 1_200;
const KILLED_AT = 700;
const BATCH = 500;

const BEFORE = `
capability: ${CAPABILITY}
description: People.
types:
  Contact:
    properties:
      name: { type: string, maxLength: 200 }
      size: { type: string, maxLength: 20, default: '0' }
    required: [name]
    filter: { name: contains }
`;
const AFTER = `
capability: ${CAPABILITY}
description: People.
types:
  Contact:
    properties:
      first: { type: string, maxLength: 200, default: '' }
      last: { type: string, maxLength: 200, minLength: 1 }
      size: { type: integer, minimum: 0 }
    required: [last, size]
    filter: { last: contains }
`;

const EVOLVE = `
import { appendFileSync } from 'node:fs';
import { env, kill, pid } from 'node:process';
import type { Evolution } from '../generated/contacts/evolve-0002.js';
import { apart } from './apart.js';

let calls = 0;

export const evolution = {
  async Contact({ id, name, size }) {
    calls += 1;
    if (calls === Number(env['KILLED_AT'])) kill(pid, 'SIGKILL');
    if (env['CALLS'] !== undefined) appendFileSync(env['CALLS'], \`\${id}\\n\`);
    const [first, last] = apart(name);
    if (last === '' && env['MENDED'] === undefined) throw new Error('one name alone');
    return { first, last: last || first, size: Number(size) };
  },
} satisfies Evolution;
`;

const APART = `
export function apart(name: string): readonly [first: string, last: string] {
  const [first = '', last = ''] = name.split(' ');
  return [first, last];
}
`;

const BIN = 'node_modules/jmapsmith/bin/jmapsmith.mjs';

interface Served {
  old: RunningServer;
  servers: RunningServer[];
  readonly env: Readonly<Record<string, string>>;
  readonly client: Client;
  readonly accountId: string;
  readonly calls: string;
}

const postgresql = usePostgresql();
const served = new Map<string, Served>();
let folder: string;

async function writeProject(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  const { code, stdout, stderr } = await jmapsmith(root, ['generate']);
  if (code !== 0) throw new Error(`generate ended with ${code}:\n${stdout}\n${stderr}`);
  commit(root);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'jmapsmith-convert-'));
  const [before, after] = [join(folder, 'before'), join(folder, 'after')];
  await mkdir(join(before, 'node_modules'), { recursive: true });
  await symlink(ROOT, join(before, 'node_modules', 'jmapsmith'), 'dir');
  await writeFile(join(before, 'package.json'), '{ "type": "module", "private": true }\n');
  await writeFile(join(before, '.gitignore'), 'node_modules\nbuild\n');
  git(before, 'init', '--quiet');
  await writeProject(before, { 'capabilities/contacts.yaml': BEFORE });
  for (const name of ['sqlite', 'postgresql']) {
    const url = name === 'sqlite' ? undefined : await postgresql().createDatabase('convert');
    const calls = join(folder, `${name}.calls`);
    const env = { CALLS: calls, LOG_LEVEL: 'info', ...(url && { DATABASE_URL: url }) };
    const old = await startServer({ project: before, bin: BIN, env });
    const { A1: accountId, u1 } = await makeFixtures(old, []);
    const client = u1.with([CORE, CAPABILITY]);
    for (let from = 0; from < COUNT; from += BATCH) {
      const numbers = Array.from({ length: Math.min(BATCH, COUNT - from) }, (_, n) => from + n);
      const create = Object.fromEntries(
        numbers.map((n) => [`k${n}`, { name: n === 0 ? 'Solo' : `Ann Lee${n}`, size: `${n}` }]),
      );
      const { notCreated } = await client.set('Contact', { accountId, create });
      expect(notCreated).toBeNull();
    }
    served.set(name, { old, servers: [], env, client, accountId, calls });
  }
  await cp(before, after, { recursive: true, verbatimSymlinks: true });
  await writeProject(after, {
    'capabilities/contacts.yaml': AFTER,
    'evolve/0002-split.ts': EVOLVE,
    'evolve/apart.ts': APART,
  });
}, 900_000);

afterAll(async () => {
  for (const { old, servers } of served.values())
    for (const server of [...servers, old]) await server.remove();
  await rm(folder, { recursive: true, force: true });
});

describe.each(['sqlite', 'postgresql'])('on %s', (name) => {
  const find = (): Served => {
    const found = served.get(name);
    if (found === undefined) throw new Error(`${name} is not served.`);
    return found;
  };
  const start = async (
    more: Readonly<Record<string, string>> = {},
    project = join(folder, 'after'),
  ): Promise<RunningServer> => {
    const { old, env } = find();
    const dataDir = name === 'sqlite' ? { dataDir: old.dataDir } : {};
    return startServer({ project, bin: BIN, env: { ...env, ...more }, ...dataDir });
  };
  const at = ({ url }: RunningServer): Client => {
    const { client } = find();
    return new Client(url, client.token, client.using);
  };
  const all = async (server: RunningServer) => {
    const { accountId } = find();
    const client = at(server);
    const found: Record<string, unknown>[] = [];
    for (let position = 0; ; position += BATCH) {
      const { ids = [] } = await client.query('Contact', { accountId, position, limit: BATCH });
      if (ids.length === 0) return found;
      found.push(...(await client.get('Contact', { accountId, ids })).list);
    }
  };

  it('a killed conversion goes on, once over all servers, and refuses one object alone', {
    timeout: 600_000,
  }, async () => {
    const each = find();
    if (name === 'sqlite') await each.old.stop();
    await expect(start({ KILLED_AT: String(KILLED_AT) })).rejects.toThrow('did not start');
    const status = await each.old.command('migrate', ['--status']).catch(() => null);
    expect(status).not.toBeNull();
    const number = name === 'sqlite' ? 1 : 2;
    each.servers = await Promise.all(Array.from({ length: number }, () => start()));
    const [server] = each.servers;
    if (server === undefined) throw new Error('no server');
    const told = await server.command('migrate', ['--status']);
    expect(told.stdout).toMatch(/^pending evolve\/0002-split.ts, 1 refused$/m);
    expect(told.stdout).toMatch(/one name alone/);
    expect(told.code).toBe(1);
    const metrics = await fetch(`${server.url}/metrics`);
    expect(await metrics.text()).toMatch(/^jmap_unconverted_objects 1$/m);
    const contacts = await all(server);
    expect(contacts).toHaveLength(COUNT);
    const converted = contacts.filter(({ first }) => first === 'Ann');
    expect(converted).toHaveLength(COUNT - 1);
    for (const { last, size } of converted) expect(last).toBe(`Lee${String(size)}`);
    // Each but those of the batch that was killed.
    const calls = readFileSync(each.calls, 'utf8').trim().split('\n');
    expect(new Set(calls).size).toBe(COUNT);
    expect(calls.length).toBeLessThanOrEqual(COUNT + BATCH);
  });

  it.runIf(name === 'postgresql')('objects that the version before writes follow', async () => {
    const { client, accountId, servers } = find();
    const [server] = servers;
    if (server === undefined) throw new Error('no server');
    const create = { k: { name: 'Bob Ray', size: '7' } };
    const made = await client.set('Contact', { accountId, create });
    const id = String(made.created?.['k']?.['id']);
    const { ids = [] } = await client.query('Contact', { accountId, filter: { name: 'Lee5' } });
    const [other = ''] = ids;
    await client.set('Contact', { accountId, update: { [other]: { name: 'Eve Fox' } } });
    await eventually(async () => {
      const { list } = await at(server).get('Contact', { accountId, ids: [id, other] });
      const names = list.map(({ first, last }) => `${String(first)} ${String(last)}`);
      expect(names.sort()).toEqual(['Bob Ray', 'Eve Fox']);
    }, 60_000);
  });

  it('the next start converts what was refused; then the file may go, and its columns with it', {
    timeout: 600_000,
  }, async () => {
    const each = find();
    await each.old.stop();
    for (const server of each.servers) await server.stop();
    each.servers = [await start({ MENDED: '1' })];
    const [server] = each.servers;
    if (server === undefined) throw new Error('no server');
    expect((await server.command('migrate', ['--status'])).code).toBe(0);
    const solo = (await all(server)).filter(({ last }) => last === 'Solo');
    expect(solo).toHaveLength(1);
    const project = join(folder, `${name}-later`);
    await cp(join(folder, 'after'), project, { recursive: true, verbatimSymlinks: true });
    await rm(join(project, 'evolve/0002-split.ts'));
    await writeProject(project, {});
    await server.stop();
    each.servers = [await start({}, project)];
    const [last] = each.servers;
    const contacts = last === undefined ? [] : await all(last);
    expect(contacts.filter(({ first }) => first === 'Ann').length).toBeGreaterThan(COUNT - 3);
  });
});
