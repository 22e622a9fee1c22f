import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { USING } from './fill.js';
import { generateLoad, requestText } from './load/generate.js';
import { CONNECTIONS, inTurn } from './measure.js';
import type { Measurement } from './model.js';
import { spread } from './report.js';
import { startJmapsmith } from './start/jmapsmith.js';
import { ROOT } from './start/processes.js';

/**
 * Measures a get of one object by a token of ours, by a JWT that the server knows, and by JWTs that
 * it has never seen. All are of one user, at one server, in turns.
 */

const HELP = `usage: npm run bench -- identity [--rounds N] [--seconds S]

Measures requests by tokens of an identity provider beside those by a token of ours.

  --rounds N   rounds of all kinds of tokens (5)
  --seconds S  length of one measurement (3)
`;

const AUDIENCE = 'https://jmap.example.com';
/** JWTs that the server sees once; a measurement of them ends after a second. */
const UNSEEN = 4000;
const UNSEEN_SECONDS = 0.5;
const WARM_UP = 0.3;

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    help: { type: 'boolean', default: false },
  },
});

type Sign = (id: number) => Promise<string>;

/** Starts a provider that gives its key and no more; resolves to how it signs tokens. */
async function startProvider() {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', use: 'sig' };
  const server = createServer((req, res) => {
    const isKeys = req.url === '/keys';
    const body = isKeys ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` };
    res.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sign: Sign = (id) =>
    new SignJWT({ scope: 'todos', client_id: 'app', email: 'guest', jti: String(id) })
      .setProtectedHeader({ alg: 'RS256', kid: 'k', typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(AUDIENCE)
      .setSubject('bench')
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
  return { issuer, sign, close: () => server.close() };
}

interface Kind {
  readonly name: string;
  readonly seconds: number;
  /** Returns the token of the next request. */
  readonly token: () => string;
}

async function measure(url: string, pid: number, kind: Kind, call: unknown): Promise<Measurement> {
  const body = { using: USING, methodCalls: [call] };
  const same = new Map<string, readonly Buffer[]>();
  const textOf = (token: string): readonly Buffer[] => {
    const known = same.get(token) ?? [requestText('POST', '/jmap', token, body)];
    same.set(token, known);
    return known;
  };
  return generateLoad({
    ...{ port: Number(new URL(url).port), pid, connections: CONNECTIONS },
    ...{ seconds: kind.seconds, warmUp: WARM_UP },
    requests: () => textOf(kind.token()),
    check: (bodies) => {
      for (const answer of bodies)
        if (!answer.includes('"list":[{')) throw new Error(`${kind.name}: ${answer.toString()}`);
    },
  });
}

async function main(): Promise<void> {
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-identity-'));
  const provider = await startProvider();
  const server = await startJmapsmith({
    ...{ name: 'jmapsmith', folder, root: ROOT, nodeOptions: [] },
    env: {
      ...{ OIDC_ISSUER: provider.issuer, OIDC_AUDIENCE: AUDIENCE, OIDC_ALLOW: '127.0.0.1' },
      BASE_URL: AUDIENCE,
    },
  });
  try {
    const { url, pid } = server;
    const known = await provider.sign(0);
    const post = async (path: string, content: object) => {
      const headers = { authorization: `Bearer ${known}`, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(content) };
      return (await (await fetch(url + path, init)).json()) as Record<string, unknown>;
    };
    const session = await fetch(`${url}/.well-known/jmap`, {
      headers: { authorization: `Bearer ${known}` },
    });
    const [accountId = ''] = Object.keys(((await session.json()) as { accounts: object }).accounts);
    const created = await post('/jmap', {
      using: USING,
      methodCalls: [['Todo/set', { accountId, create: { c: { text: 'Measure.' } } }, '0']],
    });
    const id = /"id":"([^"]+)"/.exec(JSON.stringify(created))?.[1];
    const own = await server.tool('token', 'create', '--user', 'guest');
    const unseen: string[] = [];
    for (let n = 1; n <= UNSEEN * rounds; n += 1) unseen.push(await provider.sign(n));
    const kinds: readonly Kind[] = [
      { name: 'a token of ours', seconds, token: () => own },
      { name: 'a JWT that the server knows', seconds, token: () => known },
      { name: 'a JWT at its first request', seconds: UNSEEN_SECONDS, token: () => next(unseen) },
    ];
    const figures = new Map<string, Measurement[]>(kinds.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const kind of inTurn(kinds, round)) {
        process.stderr.write(`round ${round + 1}: ${kind.name}\n`);
        figures
          .get(kind.name)
          ?.push(await measure(url, pid, kind, ['Todo/get', { accountId, ids: [id] }, '0']));
      }
    }
    print(figures);
  } finally {
    await server.stop();
    provider.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function next(tokens: string[]): string {
  const token = tokens.pop();
  if (token === undefined) throw new Error('The JWTs are used up: measure for a shorter time.');
  return token;
}

function print(figures: ReadonlyMap<string, readonly Measurement[]>): void {
  let first: number | null = null;
  process.stdout.write(
    '| get 1 by | requests/s | processor time, us | of a token of ours |\n|---|---|---|---|\n',
  );
  for (const [name, all] of figures) {
    const rate = spread(all.map(({ perSecond }) => perSecond))?.median ?? 0;
    const cpu = spread(all.flatMap((one) => one.cpu ?? []))?.median ?? 0;
    first ??= cpu;
    const cells = [name, rate.toFixed(0), cpu.toFixed(0), (cpu / first).toFixed(2)];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
}

if (values.help) process.stdout.write(HELP);
else await main();
