import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { CHECKS } from '../src/checks/index.js';
import { bearer } from '../src/client/credentials.js';
import { Recorder } from '../src/client/exchange.js';
import { describeSilence } from '../src/client/no-answer.js';
import { Secrets } from '../src/client/secrets.js';
import { trustAuthorities, WIRE, type Wire } from '../src/client/watching.js';
import { conform } from '../src/command.js';
import type { Options } from '../src/options.js';
import type { Outcome } from '../src/outcome.js';
import { REPORTS } from '../src/report/index.js';
import { run } from '../src/run.js';
import { readWorld } from '../src/subject/described.js';
import { Server } from '../src/subject/server.js';
import { CERTIFICATE } from './certificate.js';
import { startInFront } from './misbehaving.js';
import { type Habits, OtherServer, THINGS } from './other-server.js';

// Servers that hang, drip, limit, redirect, close connections or tell secrets. The report names
// each fault, the run goes on where it can, and no object stays that can be removed.

const IDLE = { planned: () => undefined, started: () => undefined, ended: () => undefined };

interface Ran {
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly string[];
}

/** Runs checks against a server, the type Thing among them. */
async function ran(url: string, ids: readonly string[], wire: Wire = WIRE): Promise<Ran> {
  const server = await Server.connect({ url, authorization: bearer('a-token'), wire });
  const warnings: string[] = [];
  const outcomes = await run(
    {
      ...{ server, world: readWorld([THINGS]), selection: {} },
      checks: CHECKS.filter(({ id }) => ids.includes(id)),
      warn: (line) => warnings.push(line),
    },
    IDLE,
  );
  server.close();
  return { outcomes, warnings };
}

const statuses = ({ outcomes }: Ran): Record<string, string> =>
  Object.fromEntries(outcomes.map(({ check, status }) => [check.id, status]));
const wordsOf = ({ outcomes }: Ran, id: string): string => {
  const found = outcomes.find(({ check }) => check.id === id);
  return found?.reason ?? found?.failure?.message ?? '';
};

/** Runs checks by the command. Returns the JSON report, and what it told meanwhile. */
async function commanded(url: string, more: Partial<Options> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'conform-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, THINGS.file);
  await writeFile(file, THINGS.text);
  const given = { url, token: 'a-token', transport: 'http', report: 'json', descriptor: [file] };
  const lines: string[] = [];
  const ended = await conform({ ...given, ...more }, {}, (line) => lines.push(line));
  return { ...ended, lines };
}

const TYPED = ['get-not-found', 'set-continues', 'set-update-nothing', 'set-destroy-many'];
const PASSED = Object.fromEntries(TYPED.map((id) => [id, 'passed']));

it('an event source that sends no header fails one check, and the run goes on', async () => {
  const other = await OtherServer.start();
  const url = await startInFront(other, {
    handle: ({ url: path }) => path === '/events',
    session: (one) => ({ ...one, eventSourceUrl: '/events' }),
  });
  const result = await ran(url, ['events-open', 'events-ping', 'events-state', 'get-not-found'], {
    patience: 500,
  });
  expect(statuses(result)).toEqual({
    ...{ 'events-open': 'failed', 'events-ping': 'notApplicable' },
    ...{ 'events-state': 'notApplicable', 'get-not-found': 'passed' },
  });
  expect(wordsOf(result, 'events-open')).toMatch(/events: the server hangs: no whole.* 0\.5 s\.$/);
  expect(wordsOf(result, 'events-state')).toBe('Not run because events-open failed.');
});

it('a check without an answer settles what hangs on it', async () => {
  const other = await OtherServer.start();
  const url = await startInFront(other, {
    handle: (_req, _res, body) => body.includes('Core/echo'),
  });
  const ids = ['echo', 'echo-any-json', 'echo-call-ids'];
  const result = await ran(url, ids, { patience: 300 });
  expect(Object.values(statuses(result))).toEqual(['failed', 'notApplicable', 'notApplicable']);
});

it.each<[string, Wire, RegExp]>([
  ['drips', { patience: 700 }, /the server hangs: no whole answer within 0\.7 s$/],
  ['never ends', { patience: 20_000, most: 100_000 }, /the answer has more than 100000 octets$/],
])('an answer that %s ends', async (way, wire, words) => {
  const other = await OtherServer.start();
  const url = await startInFront(other, {
    handle: (_req, res, body) => {
      if (!body.includes('Core/echo')) return false;
      const more = way === 'drips' ? ' ' : ' '.repeat(10_000);
      const timer = setInterval(() => res.write(more), 50);
      res.on('close', () => clearInterval(timer));
      return true;
    },
  });
  const result = await ran(url, ['echo'], wire);
  expect(wordsOf(result, 'echo')).toMatch(words);
});

it.each([
  ['apiUrl', 'ftp://x/y', 'echo'],
  ['apiUrl', 'http://[', 'echo'],
  ['uploadUrl', 'http://[', 'security-no-credentials'],
  ['downloadUrl', 7, 'security-https'],
  ['eventSourceUrl', undefined, 'events-open'],
])('a session whose %s is %j is told by the name of the member', async (member, value, id) => {
  const other = await OtherServer.start();
  const urls = { uploadUrl: '/up', downloadUrl: '/down', eventSourceUrl: '/events' };
  const url = await startInFront(other, {
    handle: ({ url: path }, res) => {
      if (path !== '/.well-known/jmap' || id !== 'security-no-credentials') return false;
      const isUnknown = res.req.headers.authorization === undefined;
      if (isUnknown) res.writeHead(401).end();
      return isUnknown;
    },
    session: (one) => ({ ...one, ...urls, [member]: value as string }),
  });
  const result = await ran(url, [id]);
  expect(statuses(result)).toEqual({ [id]: 'failed' });
  expect(wordsOf(result, id)).toContain(`The session's ${member} is no URL that begins with`);
  expect(wordsOf(result, id)).toContain(value === undefined ? 'missing' : JSON.stringify(value));
});

it('a WebSocket whose URL is none is the server’s fault', async () => {
  const other = await OtherServer.start();
  const url = await startInFront(other, {
    session: (one) => ({
      ...one,
      capabilities: { 'urn:ietf:params:jmap:websocket': { url: 'nowhere', supportsPush: false } },
    }),
  });
  const result = await ran(url, ['ws-capability', 'ws-request']);
  expect(Object.values(statuses(result))).toEqual(['failed', 'failed']);
  expect(wordsOf(result, 'ws-request')).toContain('urn:ietf:params:jmap:websocket url is no URL');
  await expect(commanded(url, { transport: 'websocket' })).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining('begins with wss:// or ws://: "nowhere"'),
  });
});

it('RFC 8620 5.3: objects of a /set response without accountId are removed', async () => {
  const changeArgs: Habits['changeArgs'] = (name, { accountId, ...rest }) =>
    name === 'Thing/set' ? rest : { accountId: accountId ?? null, ...rest };
  const other = await OtherServer.start({ changeArgs, there: 2 });
  const before = other.ids;
  const { outcomes, warnings } = await ran(other.url, TYPED);
  expect(outcomes.map(({ status }) => status)).toEqual(TYPED.map(() => 'passed'));
  expect([other.ids, warnings]).toEqual([before, []]);
});

it('requests that are limited are sent again after the pause, and fail nothing', async () => {
  const other = await OtherServer.start();
  let count = 0;
  const url = await startInFront(other, {
    handle: (_req, res) => {
      count += 1;
      if (count % 7 !== 0) return false;
      const isUnavailable = count % 2 === 0;
      res.writeHead(isUnavailable ? 503 : 429, isUnavailable ? { 'retry-after': '0' } : {});
      res.end('{"type":"about:blank"}');
      return true;
    },
  });
  expect(statuses(await ran(url, TYPED))).toEqual(PASSED);
  expect(count).toBeGreaterThan(14);
  expect(other.ids).toEqual([]);
});

it('a pause longer than --timeout ends the run, and fails no check', async () => {
  const other = await OtherServer.start();
  let count = 0;
  const url = await startInFront(other, {
    handle: (req, res) => {
      count += 1;
      if (count < 10 || req.method === 'GET') return false;
      res.writeHead(429, { 'retry-after': '3600' }).end();
      return true;
    },
  });
  const { report, failed } = await commanded(url, { check: TYPED, timeout: '2' });
  const { ended, counts } = JSON.parse(report) as { ended: string; counts: object };
  expect([failed, counts]).toMatchObject([true, { failed: 0 }]);
  expect(ended).toMatch(
    /^The server takes no more requests since [a-z-]+: POST .* answers 429 with Retry-After 3600/,
  );
  expect(ended).toMatch(/\(--timeout\)\. Of 4 checks \d were left\.$/);
});

it('a limit of the session, and a refusal without Retry-After, are answers', async () => {
  const { readPauseMs: pauseOf } = await import('../src/client/pause.js');
  const limit = { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxConcurrentRequests' };
  expect(pauseOf({ status: 429, retryAfter: '1', json: limit })).toBe(null);
  expect(pauseOf({ status: 503, retryAfter: null, json: null })).toBe(null);
  expect(pauseOf({ status: 200, retryAfter: '1', json: null })).toBe(null);
  expect(pauseOf({ status: 429, retryAfter: '2', json: null })).toBe(2000);
  expect(pauseOf({ status: 429, retryAfter: 'soon', json: null })).toBe(1000);
  const date = new Date(Date.now() + 60_000).toUTCString();
  expect(pauseOf({ status: 503, retryAfter: date, json: null })).toBeGreaterThan(50_000);
});

it('credentials that expire end the run, which names what is left behind', async () => {
  const other = await OtherServer.start();
  let isExpired = false;
  const url = await startInFront(other, {
    handle: (_req, res, body) => {
      isExpired ||= other.ids.length > 0 && body.includes('"update"');
      if (isExpired) res.writeHead(401).end();
      return isExpired;
    },
  });
  const { report, failed } = await commanded(url, { check: [...TYPED, 'get-no-ids'] });
  const told = JSON.parse(report) as { ended: string; counts: object; warnings: string[] };
  expect([failed, told.counts]).toMatchObject([true, { failed: 0, defect: 0 }]);
  expect(told.ended).toMatch(
    /^The credentials are refused since set-[a-z-]+: GET .* answers 401\./,
  );
  expect(told.warnings[0]).toContain('Not all that was made for Thing could be removed');
  for (const id of other.ids) expect(told.warnings[1]).toContain(`${id} (made by `);
});

it('a 401 to one resource alone is a failure, and ends no run', async () => {
  const other = await OtherServer.start();
  const url = await startInFront(other, {
    handle: (_req, res, body) => {
      const isEcho = body.includes('Core/echo');
      if (isEcho) res.writeHead(401).end();
      return isEcho;
    },
  });
  const result = await ran(url, ['echo', 'get-not-found']);
  expect(statuses(result)).toEqual({ echo: 'failed', 'get-not-found': 'passed' });
});

it('a server that closes idle connections is asked again, and does nothing twice', async () => {
  const other = await OtherServer.start();
  const used = new WeakSet<Socket>();
  const broken: string[] = [];
  const url = await startInFront(other, {
    handle: ({ socket }, _res, body) => {
      if (!used.has(socket)) {
        used.add(socket);
        return false;
      }
      broken.push(body);
      socket.resetAndDestroy();
      return true;
    },
  });
  const { outcomes, warnings } = await ran(url, TYPED);
  expect(outcomes.map(({ status }) => status)).toEqual(TYPED.map(() => 'passed'));
  expect([other.ids, warnings]).toEqual([[], []]);
  expect(broken.length).toBeGreaterThan(0);
  expect(broken.filter((body) => body.includes('Thing/set'))).toEqual([]);
});

it('RFC 8620 2.2: a redirect to another origin is reported; 303 is followed', async () => {
  const other = await OtherServer.start();
  const to = (status: number, location: string) =>
    startInFront(other, {
      handle: ({ url: path }, res) => {
        if (path !== '/.well-known/jmap') return false;
        res.writeHead(status, { location }).end();
        return true;
      },
    });
  const elsewhere = await to(302, 'http://jmap.example.com/session');
  // The URL itself is no session either: it is asked for after the well-known one.
  await expect(commanded(`${elsewhere}/.well-known/jmap`)).rejects.toThrow(
    /redirects to http:\/\/jmap\.example\.com\/session \(302\): give that as --url\.$/,
  );
  expect(statuses(await ran(await to(303, '/session'), ['echo']))).toEqual({ echo: 'passed' });
});

const PAIR = 'jane:a "p<ss"/+é';

it.each(Object.keys(REPORTS))('%s has no credential, however the server tells it', async (word) => {
  const other = await OtherServer.start();
  const basic = Buffer.from(PAIR).toString('base64');
  const [, password = ''] = PAIR.split(/:(.*)/s);
  const named = `&lt;${password.replaceAll('<', '&lt;').replaceAll('"', '&quot;')}`;
  const url = await startInFront(other, {
    handle: (_req, res, body) => {
      if (!body.includes('Core/echo')) return false;
      const debug = {
        [`Basic ${basic}`]: [PAIR, password, encodeURIComponent(password), named],
        other: 'the-other-token',
        unpadded: basic.replace('=', ''),
        url: 'http://a/?access_token=of-nobody&x=1',
      };
      // The head of a long body is shown, and the cut goes through a token.
      const long = `${'x'.repeat(16_380 - 20)}${'the-other-token '.repeat(8)}`;
      const asJson = JSON.stringify({ debug, methodResponses: [[debug]], sessionState: 's' });
      res.writeHead(200, { 'x-debug': basic }).end(body.includes('"c1"') ? long : asJson);
      return true;
    },
  });
  const { report, summary, lines, failed } = await commanded(url, {
    ...{ token: undefined, basic: PAIR, 'other-token': ['the-other-token'] },
    ...{ check: ['echo', 'echo-any-json', 'request-created-ids'], report: word },
  });
  expect(failed).toBe(true);
  const told = `${report}${summary}${lines.join('')}`;
  expect(told).toContain('(hidden)');
  const unpadded = basic.replace('=', '');
  for (const secret of [
    unpadded,
    'p<ss',
    'p&lt;ss',
    'p%3Css',
    'p\\u003css',
    'the-oth',
    'of-nobody',
  ])
    expect(told).not.toContain(secret);
});

it('an error of the input has no credential', async () => {
  const other = await OtherServer.start();
  const url = await startInFront(other, {
    handle: (_req, res) => {
      res.writeHead(302, { location: 'https://elsewhere/?t=a-token' }).end();
      return true;
    },
  });
  await expect(commanded(url)).rejects.toThrow(/redirects to https:\/\/elsewhere\/\?t=\(hidden\)/);
});

it('no list of what the session has tells a credential', async () => {
  const accounts = { 'a-token': { isReadOnly: false } };
  const other = await OtherServer.start({ accounts });
  await expect(commanded(other.url, { account: ['x'] })).rejects.toThrow(/these: \(hidden\)\.$/);
});

it('RFC 9110 12.5.3: a server that compresses where it may is asked not to', async () => {
  const other = await OtherServer.start();
  const start = (isAlways: boolean) =>
    startInFront(other, {
      handle: ({ headers }, res, body) => {
        if (body === '' || (headers['accept-encoding'] === 'identity' && !isAlways)) return false;
        const { methodCalls } = JSON.parse(body) as { methodCalls: never };
        res.setHeader('content-type', 'application/json');
        res.setHeader('content-encoding', 'gzip');
        res.end(gzipSync(JSON.stringify(other.answer(methodCalls))));
        return true;
      },
    });
  expect(statuses(await ran(await start(false), ['echo']))).toEqual({ echo: 'passed' });
  const always = await ran(await start(true), ['echo']);
  expect(wordsOf(always, 'echo')).toMatch(/^A Response is JSON \(3\.4\), not .*json in gzip: /);
});

it.each(['prepared', 'checked'])(
  'objects that a type refers to are named: lost when %s',
  async (when) => {
    const own = { isPersonal: true, isReadOnly: false };
    const other = await OtherServer.start({ accounts: { a: own, b: own } });
    const most = when === 'prepared' ? 1 : 2;
    const url = await startInFront(other, {
      handle: (_req, res, body) => {
        if (other.ids.length >= most) res.writeHead(401).end();
        else if (body.includes('Part/get')) {
          const args = { accountId: 'a', state: 's', list: [], notFound: [] };
          const methodResponses = [['Part/get', args, 'c0']];
          res.end(JSON.stringify({ methodResponses, sessionState: 's' }));
        } else return false;
        return true;
      },
    });
    const part = `
  Part:
    properties:
      name: { type: string, maxLength: 100 }
      thingId: { type: string, references: Thing }
    required: [name, thingId]
    standardMethods: [get, set]
`;
    const server = await Server.connect({ url, authorization: bearer('a-token') });
    const warnings: string[] = [];
    const plan = {
      ...{ server, world: readWorld([{ ...THINGS, text: `${THINGS.text}${part}` }]) },
      ...{
        selection: { types: ['Part'] },
        checks: CHECKS.filter(({ id }) => id === 'get-not-found'),
      },
      warn: (line: string) => warnings.push(line),
    };
    await expect(run(plan, IDLE)).rejects.toThrow('The credentials are refused');
    expect(warnings).toEqual([
      expect.stringContaining('Not all that was made for Part could be removed'),
      ...(when === 'prepared' ? ['a'] : ['a', 'b']).map((id, n) =>
        expect.stringContaining(`Left behind: Thing objects in account ${id}: made${n + 1}`),
      ),
    ]);
  },
);

it('RFC 8620 1.7: credentials of a session over https go to no http', async () => {
  const other = await OtherServer.start(
    { session: { apiUrl: 'http://127.0.0.1:1/' } },
    CERTIFICATE,
  );
  const result = await ran(other.url, ['echo'], trustAuthorities(WIRE, CERTIFICATE.cert));
  expect(wordsOf(result, 'echo')).toContain(
    "The session's apiUrl is no URL that begins with https://: ",
  );
});

it('a session’s own URL may have a query', async () => {
  const other = await OtherServer.start();
  const paths: unknown[] = [];
  const url = await startInFront(other, {
    handle: ({ url: path }) => {
      paths.push(path);
      return false;
    },
  });
  expect(statuses(await ran(`${url}/session?user=a`, ['echo']))).toEqual({ echo: 'passed' });
  expect(paths.slice(0, 2)).toEqual(['/session?user=a', '/api']);
});

it('a descriptor that the server can’t give is no type that is left out', async () => {
  const reference = { 'urn:jmapsmith:reference': { url: '/about/{capability}' } };
  const other = await OtherServer.start({ session: { capabilities: reference } });
  const url = await startInFront(other, {
    handle: ({ url: path }, res) => {
      const isReference = path?.startsWith('/about/') === true;
      if (isReference) res.writeHead(500).end();
      return isReference;
    },
  });
  await expect(commanded(url, { descriptor: undefined })).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringMatching(/about\/urn%3Ajmapsmith%3Areference answered 500\.$/),
  });
});

it('a type that is named twice is checked once', async () => {
  const other = await OtherServer.start();
  const { report } = await commanded(other.url, {
    check: ['get-no-ids'],
    type: ['Thing', 'Thing'],
  });
  expect(JSON.parse(report)).toMatchObject({ counts: { passed: 1, failed: 0 } });
});

it('a page that is no session is told as that', async () => {
  const other = await OtherServer.start();
  const url = await startInFront(other, {
    handle: (_req, res) => {
      res.end('<html>Welcome</html>');
      return true;
    },
  });
  await expect(commanded(url)).rejects.toThrow(/jmap answered 200 without an apiUrl, http/);
});

it('a host of several addresses, none of which answers, is told by the first of them', () => {
  const errors = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}:1`));
  const all = Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' });
  expect(describeSilence(all)).toBe('the server takes no connections (connect ECONNREFUSED ::1:1)');
});

it('a server that hangs over some requests and answers an echo is checked to the end', async () => {
  const other = await OtherServer.start();
  const url = await startInFront(other, {
    handle: (req, _res, body) =>
      req.method === 'POST' && !body.includes('["Core/echo",{},') && !body.includes('Thing/'),
  });
  const hanging = ['request-not-json', 'request-not-an-object', 'request-unknown-capability'];
  const result = await ran(url, [...hanging, 'get-not-found'], { patience: 200 });
  expect(hanging.map((id) => wordsOf(result, id))).toEqual(
    hanging.map(() => expect.stringContaining('the server hangs')),
  );
  expect(statuses(result)['get-not-found']).toBe('passed');
});

it('objects whose create is answered without an id are recognised and removed', async () => {
  const other = await OtherServer.start({
    changeArgs: (_, { created = null, ...rest }) => ({
      ...rest,
      created:
        created === null
          ? null
          : { ...Object.fromEntries(Object.keys(created).map((key) => [key, null])) },
    }),
  });
  const { outcomes, warnings } = await ran(other.url, [
    'get-not-found',
    'get-no-ids',
    'set-destroy-many',
  ]);
  expect(outcomes.map(({ status }) => status)).toContain('failed');
  expect([other.ids, warnings]).toEqual([[], []]);
});

it.each([
  ['an account that is null', { accounts: { a: null } }, 'session-accounts'],
  [
    'a limit of 0 octets',
    { capabilities: { 'urn:ietf:params:jmap:core': { maxSizeRequest: 0 } } },
    'limits-size',
  ],
])('%s is the server’s fault, and no defect of the runner', async (_, session, id) => {
  const other = await OtherServer.start({ session });
  expect(statuses(await ran(other.url, [id]))).toEqual({ [id]: 'failed' });
});

it('no report has a part of a credential, where a long body is cut', async () => {
  const token = 'abcdefghij'.repeat(10);
  const recorder = new Recorder(new Secrets([bearer(token)]));
  const body = `${token} `.repeat(1000);
  recorder.add({ request: { line: 'POST', headers: {}, body }, answer: null });
  expect(recorder.take()[0]?.request.body).not.toContain('abcd');

  const other = await OtherServer.start();
  const url = await startInFront(other, {
    handle: (_req, res, text) => {
      if (text.includes('Core/echo')) res.writeHead(500).end(`${'x'.repeat(150)}${body}`);
      return text.includes('Core/echo');
    },
  });
  const { report, summary } = await commanded(url, { token, check: ['echo'], report: 'text' });
  expect(report).toContain('xxx(hidden)');
  expect(`${report}${summary}`).not.toContain('abcd');
});
