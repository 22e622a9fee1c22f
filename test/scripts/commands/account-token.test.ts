import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../../src/accounts/index.js';
import { openPrismaStandalone, type PrismaClient } from '../../../src/database/sqlite/prisma.js';
import { BUILD_TIMEOUT, buildTools, type ToolResult, Workplace } from './tool.js';

const TODOS = 'urn:example:todos';

let place: Workplace;
/** Made by the first test's command; alice's. */
let account: string;

beforeAll(async () => {
  buildTools();
  place = new Workplace();
  [account = ''] = await place.lines(
    'account',
    'create',
    '--name',
    'Alice’s own',
    '--user',
    'alice',
  );
}, BUILD_TIMEOUT);

afterAll(() => place.remove());

async function withPrisma<T>(work: (prisma: PrismaClient) => Promise<T>): Promise<T> {
  const prisma = openPrismaStandalone(place.file);
  try {
    return await work(prisma);
  } finally {
    await prisma.$disconnect();
  }
}

/** `id:rw` or `id:ro` for all that a token reaches; null where it is good for nothing. */
async function reach(token: string): Promise<readonly string[] | null> {
  const principal = await withPrisma(async (prisma) =>
    createAuthenticator(prisma).authenticate(token),
  );
  if (principal === null) return null;
  const reached = [...principal.accounts.values()];
  return reached.map(({ id, isReadOnly }) => `${id}:${isReadOnly ? 'ro' : 'rw'}`);
}

/** An argument was wrong: exit code 2, why on stderr, nothing on stdout, and no stack. */
function expectUsage(result: ToolResult, reason: RegExp): void {
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr).toMatch(reason);
  expect(result.stderr).not.toMatch(/\n\s+at /);
}

/** The same for calls of a tool in one process: a process for each costs half a second. */
async function expectUsages(
  name: string,
  calls: readonly (readonly [args: readonly string[], reason: RegExp])[],
): Promise<void> {
  const results = await place.runEach(
    name,
    calls.map(([args]) => args),
  );
  expect(results).toHaveLength(calls.length);
  for (const [at, [, reason]] of calls.entries()) expectUsage(results[at] as ToolResult, reason);
}

describe('account', () => {
  it('create works before the first start, prints the id alone, and starts no first token', () => {
    expect(account).toMatch(/^a[0-9a-z]{26}$/);
    expect(existsSync(join(place.dataDir, 'first-token'))).toBe(false);
  });

  it('list has a line for each account, aligned, the id first and the name last', async () => {
    const [id] = await place.lines(
      'account',
      'create',
      '--name',
      'Shared  two',
      '--user',
      'bob',
      '--capability',
      TODOS,
    );
    await place.lines('account', 'grant', id ?? '', '--user', 'alice', '--read-only');
    // No hook of this project seeds accounts.
    expect((await place.run('tasks', [])).stdout).toBe('');
    const lines = await place.lines('account', 'list');
    expect(lines.map((line) => line.split(/\s+/)[0])).toEqual([account, id]);
    expect(lines[0]).toMatch(/^\S+ {2}alice {2}alice:rw +all +Alice’s own$/);
    expect(lines[1]).toBe(`${id}  bob    alice:ro,bob:rw  ${TODOS}  Shared  two`);
    expect(lines[0]?.indexOf('Alice’s own')).toBe(lines[1]?.indexOf('Shared  two'));
    await place.lines('account', 'delete', id ?? '', '--yes');
  });

  it('rename, grant and revoke do what they say, in silence', async () => {
    const [id = ''] = await place.lines('account', 'create', '--name', 'Old', '--user', 'carol');
    const dan = [id, '--user', 'dan'];
    const changes = [
      ['rename', id, 'A new name'],
      ['grant', ...dan, '--read-only'],
      ['grant', ...dan],
      ['revoke', ...dan],
      ['delete', id, '--yes'],
    ];
    const calls = changes.flatMap((args) => [args, ['list']]);
    const results = await place.runEach('account', calls);
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(calls.map(() => [0, '']));
    const outputs = results.map(({ stdout }) => stdout);
    expect(outputs.filter((_, at) => at % 2 === 0)).toEqual(changes.map(() => ''));
    const listed = outputs
      .filter((_, at) => at % 2 === 1)
      .map((text) => text.split('\n').find((line) => line.startsWith(id)));
    expect(listed.map((line) => line?.split(/ {2,}/).slice(1))).toEqual([
      ['carol', 'carol:rw', 'all', 'A new name'],
      ['carol', 'carol:rw,dan:ro', 'all', 'A new name'],
      ['carol', 'carol:rw,dan:rw', 'all', 'A new name'],
      ['carol', 'carol:rw', 'all', 'A new name'],
      undefined,
    ]);
  });

  it('delete removes the files of the account and of no other', async () => {
    const [id = ''] = await place.lines('account', 'create', '--name', 'Gone', '--user', 'alice');
    const blobs = join(place.dataDir, 'blobs');
    for (const owner of [id, account]) {
      await mkdir(join(blobs, owner, 'b1'), { recursive: true });
      await writeFile(join(blobs, owner, 'b1', 'b1'), 'octets');
    }
    expectUsage(await place.run('account', ['delete', id]), /--yes/);
    expect(existsSync(join(blobs, id))).toBe(true);
    await place.lines('account', 'delete', id, '--yes');
    expect(readdirSync(blobs).filter((name) => !name.startsWith('.'))).toEqual([account]);
  });

  it('reset-states raises the state of every registered type, changed before or not', async () => {
    await place.lines('account', 'reset-states');
    const states = await withPrisma((prisma) =>
      prisma.jmapState.findMany({ where: { accountId: account } }),
    );
    expect(states.map(({ type }) => type)).toEqual(expect.arrayContaining(['Note', 'Todo']));
    for (const { number } of states) expect(number).toBeGreaterThanOrEqual(1_000_000_000n);
  });

  it('says what is wrong with exit code 2', async () => {
    await expectUsages('account', [
      [[], /create, list/],
      [['create'], /--name/],
      [['create', '--name', 'A', '--capability', 'urn:none'], /urn:none[\s\S]*urn:example:todos/],
      [['create', '--name', 'A', '--colour', 'red'], /--colour/],
      [['rename', 'a-none', 'two', 'words'], /quotes/],
      [['grant', 'a-none'], /--user/],
      [['delete', 'a-none', '--yes'], /no account/],
    ]);
  });
});

describe('token', () => {
  it('create prints the token alone, which reaches what its user reaches', async () => {
    const lines = await place.lines('token', 'create', '--user', 'alice');
    expect(lines).toHaveLength(1);
    const token = lines[0] ?? '';
    expect(await reach(token)).toEqual([`${account}:rw`]);
    const [more = ''] = await place.lines('account', 'create', '--name', 'More', '--user', 'alice');
    expect(await reach(token)).toEqual([`${account}:rw`, `${more}:rw`]);

    const both = ['--account', `${account}:read`, '--account', more];
    const made = await place.runEach(
      'token',
      [['--account', more], both, ['--read-only']].map((how) => [
        'create',
        '--user',
        'alice',
        ...how,
      ]),
    );
    const [one = '', mixed = '', reading = ''] = made.map(({ stdout }) => stdout.trim());
    expect(await reach(one)).toEqual([`${more}:rw`]);
    expect(await reach(mixed)).toEqual([`${account}:ro`, `${more}:rw`]);
    expect(await reach(reading)).toEqual([`${account}:ro`, `${more}:ro`]);
    await place.lines('account', 'delete', more, '--yes');
    expect(await reach(one)).toEqual([]);
    expect(await reach(token)).toEqual([`${account}:rw`]);
  });

  it('list has a line for each, the id first, and never a token', async () => {
    const made = await place.lines(
      'token',
      'create',
      '--user',
      'alice',
      '--account',
      `${account}:read`,
      '--expires',
      '2h',
    );
    const token = made[0] ?? '';
    const [, id = ''] = token.split('_');
    const lines = await place.lines('token', 'list');
    const line = lines.find((text) => text.startsWith(`${id}  `));
    const [, created = '', expires = '', ...rest] = line?.split(/ +/) ?? [];
    expect(Date.parse(expires) - Date.parse(created)).toBe(2 * 3600 * 1000);
    expect(rest).toEqual(['rw', `${account}:read`, 'all', 'all', 'alice']);
    expect(lines.join('\n')).not.toContain(token.slice(-43));
    expect(lines.join('\n')).not.toContain('jms_');
  });

  it('create takes capabilities and types; of one that comes twice the narrower mode', async () => {
    const notes = 'urn:service:notes';
    const ways = [
      ['--capability', `${TODOS}:read`, '--capability', notes, '--type', 'Todo', '--type', 'Note'],
      ['--capability', TODOS, '--capability', `${TODOS}:read`, '--capability', TODOS],
      ['--type', 'Note', '--type', 'Todo:read'],
      [],
    ];
    const made = await place.runEach(
      'token',
      ways.map((way) => ['create', '--user', 'alice', ...way]),
    );
    expect(made.map(({ code, stderr }) => [code, stderr])).toEqual(ways.map(() => [0, '']));
    const tokens = made.map(({ stdout }) => stdout.trim());
    const lines = await place.lines('token', 'list');
    const listed = tokens.map((token) => {
      const line = lines.find((text) => text.startsWith(`${token.split('_')[1]}  `));
      return line?.split(/ +/).slice(5);
    });
    expect(listed).toEqual([
      [`${TODOS}:read,${notes}`, 'Note,Todo', 'alice'],
      [`${TODOS}:read`, 'all', 'alice'],
      ['all', 'Note,Todo:read', 'alice'],
      ['all', 'all', 'alice'],
    ]);
    const reached = await withPrisma((prisma) =>
      Promise.all(tokens.map((token) => createAuthenticator(prisma).authenticate(token))),
    );
    const modes = reached.map((principal) => [principal?.capabilities, principal?.types]);
    expect(modes).toEqual([
      [
        new Map([
          [TODOS, 'read'],
          [notes, 'full'],
        ]),
        new Map([
          ['Note', 'full'],
          ['Todo', 'full'],
        ]),
      ],
      [new Map([[TODOS, 'read']]), null],
      [
        null,
        new Map([
          ['Note', 'full'],
          ['Todo', 'read'],
        ]),
      ],
      [null, null],
    ]);
  });

  it('revoke takes the token or its id, once', async () => {
    const [one = ''] = await place.lines('token', 'create', '--user', 'alice');
    const [two = ''] = await place.lines('token', 'create', '--user', 'alice');
    expect(await place.lines('token', 'revoke', one)).toEqual([]);
    expect(await reach(one)).toBeNull();
    expect(await reach(two)).not.toBeNull();
    expect(await place.lines('token', 'revoke', two.split('_')[1] ?? '')).toEqual([]);
    expect(await reach(two)).toBeNull();
    const again = await place.run('token', ['revoke', one]);
    expectUsage(again, /no such token/);
    expect(again.stderr).not.toContain(one.slice(-43));
  });

  it('says what is wrong with exit code 2', async () => {
    await expectUsages('token', [
      [[], /create, list, revoke/],
      [['create', '--user', 'nobody'], /no user "nobody"/],
      [['create', '--user', 'alice', '--account', 'a-none'], /no access/],
      [['create', '--user', 'alice', '--expires', '30'], /30d, 12h, 5m or 2s/],
      [['create', '--user', 'alice', '--forever'], /--forever/],
      [
        ['create', '--user', 'alice', '--capability', 'urn:example:todo:read'],
        /No capability urn:example:todo is registered\. Did you mean "urn:example:todos"\?/,
      ],
      [['create', '--user', 'alice', '--capability', `${TODOS}:full`], /urn:example:todos:full is/],
      [['create', '--user', 'alice', '--type', 'Tdo'], /Did you mean "Todo"\?[\s\S]*Note/],
      [
        ['create', '--user', 'alice', '--capability', 'urn:service:notes', '--type', 'Todo:read'],
        /--type Todo is of urn:example:todos: add --capability urn:example:todos/,
      ],
      [['revoke', 'nonsense'], /no such token/],
    ]);
  });
});

describe('every tool', () => {
  it.each(['account', 'token', 'tasks', 'migrate'])('%s has --help on stdout', async (name) => {
    const { code, stdout, stderr } = await place.run(name, ['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: npm run (-s )?${name}\\b[\\s\\S]*Exit codes`));
  });

  it('names a variable that is wrong: exit code 2', async () => {
    const wrong = { DATABASE_URL: 'mysql://x' };
    for (const [name, ...args] of [['account', 'list'], ['token', 'list'], ['migrate']]) {
      expectUsage(await place.run(name ?? '', args, wrong), /DATABASE_URL/);
    }
  });

  it('refuses a file that is no database: exit code 2', async () => {
    const file = join(place.dataDir, 'plain.txt');
    await writeFile(file, 'A letter, and no database at all. '.repeat(100));
    const wrong = { DATABASE_URL: `file:${file}` };
    expectUsage(await place.run('account', ['list'], wrong), /DATABASE_URL/);
  });
});
