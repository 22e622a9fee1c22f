import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { CHECKS } from '../src/checks/index.js';
import { conform, listChecks } from '../src/command.js';
import type { Options } from '../src/options.js';
import { writeText } from '../src/report/text.js';
import { Server } from '../src/subject/server.js';

// Servers that do what RFC 8620 and 8887 allow, and ours does not; and some that fall over.

interface Any {
  /** The answer to a POST to the API; null breaks the connection off. */
  readonly answer?: (body: string) => { status?: number; headers?: object; body: string } | null;
  /** The answer to a message of a WebSocket; null closes the connection. */
  readonly message?: (text: string) => string | null;
  /** Members of its session. */
  readonly session?: object;
}

interface Request {
  readonly id?: string;
  readonly methodCalls: readonly unknown[];
}

const echoed = (body: string): string => {
  const { methodCalls } = JSON.parse(body) as Request;
  return JSON.stringify({ methodResponses: methodCalls, sessionState: 's' });
};

/** A server with Core/echo alone, whose session has relative URLs. */
async function any({
  answer = (body) => ({ body: echoed(body) }),
  message,
  session: members = {},
}: Any): Promise<string> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { port } = server.address() as AddressInfo;
      const session = {
        apiUrl: '/api?v=1',
        uploadUrl: '/up/{accountId}/',
        capabilities: { 'urn:ietf:params:jmap:websocket': { url: `ws://127.0.0.1:${port}/ws` } },
        accounts: {},
        state: 's',
        ...members,
      };
      const isApi = req.method === 'POST' && req.url === '/api?v=1';
      const told = isApi
        ? answer(Buffer.concat(chunks).toString('utf8'))
        : { body: JSON.stringify(session) };
      if (told === null) return res.destroy();
      const { status = 200, headers = {}, body } = told;
      return res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
  });
  if (message !== undefined)
    new WebSocketServer({ server }).on('connection', (socket) =>
      socket.on('message', (data: Buffer) => {
        const told = message(data.toString('utf8'));
        if (told === null) socket.close(1008);
        else socket.send(told);
      }),
    );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const TOKEN = 'a-secret-token';
const options = (url: string, more: Partial<Options> = {}): Options => ({
  ...{ url, token: TOKEN, transport: 'http', report: 'json', check: ['echo'], ...more },
});

it('a session whose URLs are relative is one: they are beside its own', async () => {
  const url = await any({});
  const { failed, summary } = await conform(options(url), {}, () => undefined);
  expect([failed, summary]).toEqual([false, expect.stringContaining('1 passed, 0 failed')]);
  const server = await Server.connect({ url, authorization: `Bearer ${TOKEN}` });
  const upload = server.user.session.expand('uploadUrl', { accountId: 'a/b' });
  expect(upload).toBe(`${url}/up/a%2Fb/`);
});

it('no report has a cookie or the token', async () => {
  const cookie = { 'Set-Cookie': 'session=a-secret-cookie' };
  const url = await any({ answer: () => ({ headers: cookie, status: 500, body: 'no' }) });
  for (const report of ['json', 'junit', 'html', 'text']) {
    const told = await conform(options(url, { report }), {}, () => undefined);
    expect([report, told.failed]).toEqual([report, true]);
    expect(told.report + told.summary).not.toMatch(/a-secret/);
  }
});

const TODOS = 'capabilities/todos.yaml';

it('a descriptor of what the session doesn’t have is refused: nothing passes unseen', async () => {
  const url = await any({});
  const given = options(url, { descriptor: [TODOS] });
  await expect(conform(given, {}, () => undefined)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringMatching(/todos\.yaml: Todo is of urn:example:todos.*has urn:ietf/),
  });
});

it.each([
  [['get-all'], 'should', '--descriptor FILE'],
  [['session-no-cache'], 'must', '--level'],
])('%j of which no check can be run is refused: exit code 2', async (check, level, words) => {
  const url = await any({});
  await expect(conform(options(url, { check, level }), {}, () => undefined)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining(words),
  });
});

it('a type that can’t be looked at, or no check that applies, is no whole run', async () => {
  const capabilities = { 'urn:example:todos': {} };
  const accounts = { a: { accountCapabilities: capabilities } };
  const refusing = await any({
    session: { capabilities, accounts },
    answer: () => ({ status: 500, body: '<html>oops</html>' }),
  });
  const check = ['get-all', 'changes-none'];
  const run = await conform(options(refusing, { check, descriptor: [TODOS] }), {}, () => undefined);
  expect(run.failed).toBe(true);
  expect(run.summary).toMatch(
    /not whole: Todo can't be used: .*500: application\/json: <html>oops/,
  );

  const readOnly = { a: { isReadOnly: true, accountCapabilities: capabilities } };
  const nowhere = await any({ session: { capabilities, accounts: readOnly } });
  const given = options(nowhere, { check, descriptor: [TODOS], report: 'text' });
  const none = await conform(given, {}, () => undefined);
  expect([none.failed, none.summary]).toEqual([
    true,
    expect.stringContaining('not whole: Not one check could be run.'),
  ]);
  expect(none.report).toMatch(/^- {7}RFC 8620 5\.2: 0 passed, 0 failed, 1 not applicable$/m);
});

it('--section takes the section of one RFC, or of each', async () => {
  const url = await any({});
  const list = (section: string) =>
    listChecks(options(url, { check: undefined, section: [section] }));
  expect(list('4')).toMatch(/^RFC 8620 4\t.*^RFC 8887 4/ms);
  expect(list('8620:4')).not.toContain('RFC 8887 4');
  expect(() => list('8887:5.5')).toThrow(/none of these: .*5\.4, 5\.5/);
});

it('a server that is lost on the way is reported with what was found until then', async () => {
  const url = await any({ answer: () => null });
  const told: string[] = [];
  const checks = ['echo', 'request-not-json', 'request-unknown-capability', 'limits-calls'];
  const { failed, report, summary } = await conform(options(url, { check: checks }), {}, (line) =>
    told.push(line),
  );
  const { ended, counts } = JSON.parse(report) as { ended: string; counts: object };
  expect(failed).toBe(true);
  expect(ended).toMatch(/^3 checks in a row got no answer: POST .* Of 4 checks 1 were left\.$/);
  expect(counts).toEqual({ passed: 0, failed: 3, notApplicable: 0, defect: 0 });
  expect(summary).toContain(`The run is not whole: ${ended}`);
  expect(told).toContain(ended);
});

it.each(['junit', 'html'])('the %s report says that a run is not whole', async (word) => {
  const { REPORTS } = await import('../src/report/index.js');
  const head = {
    url: 'http://a',
    transport: 'http',
    seed: 1,
    outcomes: [],
  } as const;
  const results = { ...head, ended: 'The server <is> gone.', warnings: ['Left behind: x1'] };
  expect(REPORTS[word]?.(results)).toMatch(/Left behind: x1.*The run is not whole/s);
  expect(writeText(head)).not.toContain('whole');
});

it.each(['text', 'json', 'junit', 'html'])(
  'the %s report says which expectations come from the descriptor',
  async (word) => {
    const { REPORTS } = await import('../src/report/index.js');
    const check = CHECKS.find(({ id }) => id === 'set-text-length');
    if (check === undefined) throw new Error('There is no such check.');
    const failure = { message: 'It was cut.', exchanges: [] };
    const transport = 'http' as const;
    const outcome = { check, type: 'Note', transport, status: 'failed' as const, ms: 1, failure };
    const results = { url: 'http://a', transport, seed: 1, outcomes: [outcome] };
    expect(REPORTS[word]?.(results)).toContain('how long the text may be');
  },
);

it('a RequestError without a requestId answers what was sent', async () => {
  const url = await any({ message: () => '{"@type":"RequestError","type":"about:blank"}' });
  const server = await Server.connect({
    url,
    authorization: `Bearer ${TOKEN}`,
    transport: 'websocket',
  });
  const answer = await server.user.buildClient().send('no JSON');
  server.close();
  expect(answer).toMatchObject({ kind: 'problem', problem: { type: 'about:blank' } });
});

it('a request after one over which the server closed a WebSocket has a new one', async () => {
  const url = await any({
    message: (text) => {
      if (!text.startsWith('{')) return null;
      const response = JSON.parse(echoed(text)) as object;
      return JSON.stringify({
        ...{ '@type': 'Response', requestId: (JSON.parse(text) as Request).id, ...response },
      });
    },
  });
  const server = await Server.connect({
    url,
    authorization: `Bearer ${TOKEN}`,
    transport: 'websocket',
  });
  const client = server.user.buildClient();
  await expect(client.send('no JSON')).rejects.toThrow('closed the WebSocket');
  const [first, second] = await Promise.all([1, 2].map((n) => client.call('Core/echo', { n })));
  expect([first, second]).toEqual([1, 2].map((n) => ['Core/echo', { n }]));
  server.close();
});

it.each(['[5]', '[["Core/echo",{}]]', '[["Core/echo",null,"c0"]]', '[[1,{},"c0"]]'])(
  'methodResponses that are %s are reported as what they are',
  async (responses) => {
    const body = `{"methodResponses":${responses},"sessionState":"s"}`;
    const url = await any({ answer: () => ({ body }) });
    const { summary } = await conform(options(url), {}, () => undefined);
    expect(summary).toContain('An Invocation has a name, arguments and an id (3.2)');
  },
);

it.each([
  ['no scheme', { url: 'localhost:8080' }, 'begins with neither'],
  ['a password', { url: 'http://u:p@127.0.0.1' }, 'no user and no password'],
  ['a token that no header holds', { token: 'naïve\n' }, 'visible ASCII'],
  ['such a token of another', { 'other-token': [''] }, 'visible ASCII'],
])('%s is the input’s fault', async (_, more, words) => {
  await expect(
    conform({ ...options('http://127.0.0.1:9'), ...more }, {}, () => undefined),
  ).rejects.toMatchObject({ name: 'UsageError', message: expect.stringContaining(words) });
});
