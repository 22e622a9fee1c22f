import { execFile, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { makeUser } from '../../test/support/fixtures.js';
import { eventually } from '../../test/support/poll.js';
import { ROOT, useServer } from '../../test/support/server.js';
import { conform as inProcess } from '../src/command.js';
import type { Results } from '../src/outcome.js';
import { REPORTS } from '../src/report/index.js';
import { onCalls, onResponses, withBody } from './faults/makers.js';
import { type Ended, runHere } from './program.js';
import { FaultyProxy } from './proxy.js';

// `npm run conform` as a user runs it, against a real server, and against what is none.

/** The command in a process of its own. */
function conform(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', 'tsx/esm', 'conform/src/main.ts', ...args],
      { cwd: ROOT, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.code ?? null), stdout, stderr }),
    );
  });
}

const server = useServer();
// Each command compiles the runner first.
vi.setConfig({ testTimeout: 120_000 });

it('learns the types of the server, tells each section, and leaves nothing behind', async () => {
  const { client, token, accountId } = await makeUser(server(), 'learn');
  const { code, stdout, stderr } = await conform(
    ...['--url', server().url, '--token', token, '--section', '5.2', '--section', '4'],
  );
  expect(stderr).toMatch(/^\d+ checks\n/);
  expect(stdout).toMatch(/^ok {6}RFC 8620 4: \d+ passed, 0 failed$/m);
  expect(stdout).toMatch(/^ok {6}RFC 8620 5\.2: \d+ passed, 0 failed/m);
  expect(stdout).toMatch(/^\d+ passed, 0 failed, \d+ not applicable$/m);
  expect(code).toBe(0);
  for (const type of ['Todo', 'Note']) {
    const using = ['urn:ietf:params:jmap:core', 'urn:example:todos', 'urn:service:notes'];
    expect((await client.with(using).get(type, { accountId, ids: null })).list).toEqual([]);
  }
});

it('runs beside objects that an account has already, and leaves them as they were', async () => {
  const { client, token, accountId } = await makeUser(server(), 'has');
  await client.set('Todo', { accountId, create: { k: { text: 'of theirs' } } });
  const before = await client.get('Todo', { accountId, ids: null });
  const args = ['--url', server().url, '--token', token, '--type', 'Todo', '--section', '5.2'];
  const { code, stdout } = await runHere(...args);
  expect(stdout).toMatch(/^ok {6}RFC 8620 5\.2: [1-9]\d+ passed, 0 failed/m);
  expect(code).toBe(0);
  expect((await client.get('Todo', { accountId, ids: null })).list).toEqual(before.list);
});

it('tells what failed: the rule, the request and the answer; exit code 1', async () => {
  const { token } = await makeUser(server(), 'wrong');
  const broken = createServer((req, res) => {
    const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
    res.setHeader('content-type', 'application/json');
    if (req.method === 'GET')
      res.end(JSON.stringify({ apiUrl: `${url}/api`, capabilities: {}, accounts: {} }));
    else res.end('{"methodResponses":[["Core/echo",{"other":1},"b3ff"]],"sessionState":"0"}');
  });
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    broken.close();
  });
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  const options = ['--url', url, '--token', token, '--check', 'echo'];
  const { code, stdout, stderr } = await runHere(...options);
  expect(code).toBe(1);
  expect(stderr).toContain('FAILED echo');
  expect(stdout).toContain('RFC 8620 4, must');
  expect(stdout).toContain('"methodCalls":[["Core/echo"');
  expect(stdout).toContain('"other":1');
  expect(stdout).not.toContain('asymmetricMatch');
  expect(stdout).not.toContain(token);

  const reported = async (report: string): Promise<string> => {
    const given = { url, token, check: ['echo'], transport: 'http', report };
    return (await inProcess(given, {}, () => undefined)).report;
  };
  const json = JSON.parse(await reported('json')) as {
    counts: object;
    outcomes: { id: string; failure: { exchanges: unknown[] } }[];
  };
  expect(json.counts).toEqual({ passed: 0, failed: 1, notApplicable: 0, defect: 0 });
  expect(json.outcomes).toMatchObject([{ id: 'echo', status: 'failed' }]);
  expect(json.outcomes[0]?.failure.exchanges).toHaveLength(1);
  expect(await reported('junit')).toMatch(/<testsuite name="RFC 8620 4"[^>]*failures="1"/);
  const page = await reported('html');
  expect(page).toContain('&#34;other&#34;:1');
  expect(page).not.toContain('<script');
});

it('removes what it made where it is interrupted; exit code 1', async () => {
  const { client, token, accountId } = await makeUser(server(), 'interrupted');
  // Of sections whose checks make objects from the first on.
  const some = ['--section', '8620:5'];
  const options = ['--url', server().url, '--token', token, ...some];
  const args = ['--import', 'tsx/esm', 'conform/src/main.ts', ...options];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const made = async (): Promise<number> =>
    (await client.get('Todo', { accountId, ids: null })).list.length;
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await eventually(async () => expect(await made()).toBeGreaterThan(0), 60_000);
  child.kill('SIGINT');
  expect(await ended).toBe(1);
  expect(told).toContain('Interrupted');
  expect(await made()).toBe(0);
});

it.each([
  [[], '--url is missing'],
  [['--url', 'nowhere', '--token', 't'], '--url nowhere is no URL'],
  [['--url', 'http://127.0.0.1:1'], '--token is missing'],
  [['--url', 'http://127.0.0.1:1', '--basic', 'nobody'], '--basic is a user'],
  [['--url', 'http://127.0.0.1:1', '--basic', ':x'], '--basic is a user'],
  [['--url', 'http://127.0.0.1:1', '--token', 't', '--basic', 'u:p'], 'it can be one of them'],
  [['--url', 'http://127.0.0.1:1', '--token', 't', '--other-basic', 'u'], '--other-basic is'],
  [['--url', 'http://127.0.0.1:1', '--token', 't'], 'ECONNREFUSED'],
  [['--url', 'http://127.0.0.1:1', '--token', 't', '--report', 'pdf'], 'text, json, junit, html'],
  [['--url', 'http://127.0.0.1:1', '--token', 't', '--section', '99'], '--section "99"'],
  [['--url', 'http://127.0.0.1:1', '--token', 't', '--check', 'no'], '--check no'],
  [['--url', 'http://127.0.0.1:1', '--token', 't', '--level', 'may'], 'must, should'],
  [['--url', 'http://127.0.0.1:1', '--token', 't', '--transport', 'x'], 'http, websocket'],
  [['--url', 'http://127.0.0.1:1', '--token', 't', '--seed=-1'], '--seed is a whole number'],
])('%j is refused by name: exit code 2', async (args, words) => {
  const { parseOptions } = await import('../../src/descriptor/command-line.js');
  const { OPTIONS } = await import('../src/options.js');
  const { values } = parseOptions(args, { options: OPTIONS });
  await expect(inProcess(values, {}, () => undefined)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining(words),
  });
});

/** A server that speaks JMAP where the credentials are those of HTTP Basic, by relative URLs. */
async function basicServer(authorization: string): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((req, res) => {
    seen.push(req.headers.authorization ?? '');
    res.setHeader('content-type', 'application/json');
    const answers: Record<string, object> = {
      'GET /.well-known/jmap': { apiUrl: '/the/api', capabilities: {}, accounts: {} },
      'POST /the/api': { methodResponses: [['Core/echo', { other: 1 }, 'b3ff']], sessionState: '' },
    };
    const answer = answers[`${req.method} ${req.url}`];
    if (req.headers.authorization !== authorization) res.statusCode = 401;
    else if (answer === undefined) res.statusCode = 404;
    res.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

it.each(['option', 'environment'])('Basic credentials of the %s, never in a report', async (by) => {
  const pair = 'jürgen:se:cret';
  const encoded = 'asO8cmdlbjpzZTpjcmV0';
  const { url, seen } = await basicServer(`Basic ${encoded}`);
  for (const report of Object.keys(REPORTS)) {
    const options = { url, check: ['echo'], transport: 'http', report };
    const told = await (by === 'option'
      ? inProcess({ ...options, basic: pair }, { CONFORM_TOKEN: 'not this' }, () => undefined)
      : inProcess(options, { CONFORM_BASIC: pair }, () => undefined));
    expect(told.failed).toBe(true);
    expect(told.report).toContain('/the/api');
    expect(told.report).not.toContain('se:cret');
    expect(told.report).not.toContain(encoded);
  }
  expect(new Set(seen)).toEqual(new Set([`Basic ${encoded}`]));
});

it('tells what it could not remove, beside what it found', async () => {
  const { client, token, accountId } = await makeUser(server(), 'kept');
  const proxy = await FaultyProxy.start(server().url);
  onTestFinished(() => proxy.close());
  proxy.fault = {
    name: 'destroys nothing',
    checks: [],
    ...onCalls(([name, args, id]) => [
      name,
      Object.fromEntries(Object.entries(args).filter(([argument]) => argument !== 'destroy')),
      id,
    ]),
  };
  const options = { url: proxy.url, token, transport: 'http', report: 'json', type: ['Todo'] };
  const told: string[] = [];
  const { report } = await inProcess({ ...options, check: ['get-all'] }, {}, (line) => {
    told.push(line);
  });
  const { warnings, outcomes } = JSON.parse(report) as Results;
  const left = (await client.get('Todo', { accountId, ids: null })).list.map(({ id }) => id);
  expect(left.length).toBeGreaterThan(0);
  expect(warnings).toEqual([expect.stringContaining(`Todo objects in account ${accountId}`)]);
  for (const id of left) expect(warnings?.[0]).toContain(id);
  expect([told.includes(warnings?.[0] ?? ''), outcomes.length]).toEqual([true, 1]);

  await client.set('Todo', { accountId, destroy: left });
  proxy.fault = {
    name: 'fails where something is destroyed',
    checks: [],
    ...onCalls(([name, args, id]) => ['destroy' in args ? 'no/such' : name, args, id]),
  };
  const failing = await inProcess({ ...options, check: ['get-all'] }, {}, () => undefined);
  expect(JSON.parse(failing.report)).toMatchObject({
    counts: { passed: 1, failed: 0 },
    warnings: [
      expect.stringContaining('Not all that was made for Todo could be removed'),
      expect.stringContaining(`Left behind: Todo objects in account ${accountId}`),
    ],
  });
});

it('another server that can’t calculate changes breaks a SHOULD, no MUST', async () => {
  const { token } = await makeUser(server(), 'no-changes');
  const proxy = await FaultyProxy.start(server().url);
  onTestFinished(() => proxy.close());
  proxy.fault = {
    name: 'calculates no changes, and is none of ours',
    checks: [],
    ...onResponses(([name, args, id]) =>
      name === 'Todo/changes'
        ? ['error', { type: 'cannotCalculateChanges' }, id]
        : [name, args, id],
    ),
  };
  const { answer } = proxy.fault;
  proxy.fault = {
    ...proxy.fault,
    answer: (one, request) => {
      if (request.method !== 'GET') return answer?.(one, request) ?? one;
      const text = one.body.toString('utf8').replaceAll('urn:jmapsmith:reference', 'urn:other:x');
      return withBody(one, text);
    },
  };
  const check = ['changes-kinds', 'changes-pages', 'changes-every-state'];
  const options = { url: proxy.url, token, transport: 'http', report: 'json', check };
  const descriptor = ['capabilities/todos.yaml'];
  const { report } = await inProcess(
    { ...options, descriptor, type: ['Todo'] },
    {},
    () => undefined,
  );
  const { outcomes } = JSON.parse(report) as { outcomes: Record<string, string>[] };
  expect(outcomes.map(({ id, level, status }) => [id, level, status])).toEqual([
    ['changes-kinds', 'must', 'notApplicable'],
    ['changes-pages', 'must', 'notApplicable'],
    ['changes-every-state', 'should', 'failed'],
  ]);
});

it('a wrong token is the input’s fault: exit code 2, in one line', async () => {
  // The report of a run before is no report of this one.
  const output = join(tmpdir(), `report-${process.pid}.xml`);
  await writeFile(output, '<testsuites/>');
  const given = ['--url', server().url, '--token', 'wrong', '--output', output];
  const { code, stderr, stdout } = await runHere(...given);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^conform: .* refuses the credentials \(401\)/);
  expect(await readFile(output, 'utf8')).toBe('');
});

it('sends nothing of a server to the terminal that this would obey', async () => {
  const hostile = '\u001b[2J\u009b31m\u202e';
  const capabilities = { 'urn:example:todos': {}, [`urn:oops${hostile}`]: {} };
  const accounts = { a: { accountCapabilities: capabilities } };
  const session = JSON.stringify({ apiUrl: '/api', capabilities, accounts, state: 's' });
  const broken = createServer((req, res) => {
    if (req.url?.endsWith('jmap') === true) res.end(session);
    else res.writeHead(req.url === '/api' ? 500 : 404).end(`oops${hostile}`);
  });
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    broken.close();
  });
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  const args = ['--url', url, '--token', 't', '--check', 'get-all', '--descriptor'];
  const { code, stderr, stdout } = await runHere(...args, 'capabilities/todos.yaml');
  // The second one has no such capability, which is told with those that it has.
  const foreign = await runHere(...args, 'capabilities/notes.yaml');
  expect([code, foreign.code]).toEqual([1, 2]);
  for (const text of [stderr, stdout, foreign.stderr]) {
    expect(text).toContain('oops\\u{1B}[2J');
    expect(text).not.toMatch(/[^\n\P{C}]/u);
  }
});

it('a report that can’t be written is told before the run', async () => {
  const output = ['--output', 'no/such/folder/report.html'];
  const { code, stderr } = await runHere('--url', 'http://127.0.0.1:1', '--token', 't', ...output);
  expect(stderr).toMatch(/^conform: --output no\/such\/folder\/report\.html can't be written/);
  expect(code).toBe(2);
});

it('lists the checks without a server', async () => {
  const { code, stdout } = await runHere('--list', '--section', '4');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^RFC 8620 4\tmust\techo\t/m);
  expect(Object.keys(REPORTS)).toEqual(['text', 'json', 'junit', 'html']);
});
