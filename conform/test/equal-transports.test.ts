import { describe, expect, it } from 'vitest';
import { describedWorld } from '../../test/conformance/descriptor.js';
import { type RunningServer, type ToolStep, useServer } from '../../test/support/server.js';
import { bearer } from '../src/client/credentials.js';
import { Server } from '../src/subject/server.js';
import { differences, sample, TICKING, transcript, type Users } from './equal-transports.js';

// Some checks, one type, two users who are alike, on one server: equal-transports.long.test.ts has
// all, on two.
const server = useServer({ env: TICKING });
const TODOS = 'urn:example:todos';
/** A world of its own for each run: a world remembers which values it has given. */
const newWorld = () => describedWorld('../../capabilities/todos.yaml');

/** A user with two accounts and one to read, and another user. */
async function users(of: RunningServer, name: string): Promise<Users> {
  const account = (user: string): ToolStep => [
    'scripts/account',
    ['create', '--name', 'A', '--user', user],
  ];
  const token = (user: string): ToolStep => ['scripts/token', ['create', '--user', user]];
  const outputs = await of.tools([
    ...[`${name}1`, `${name}1`, `${name}2`, `${name}3`].map(account),
    ['scripts/account', ['grant', 2, '--user', `${name}1`, '--read-only']],
    ...[`${name}1`, `${name}2`, `${name}3`].map(token),
  ]);
  const [own = '', ...others] = outputs.slice(5).map(bearer);
  return { url: of.url, authorization: own, others };
}

describe('the server of both runs', () => {
  it('gives no two objects one moment', async () => {
    const { url, authorization } = await users(server(), 'm');
    const connected = await Server.connect({ url, authorization });
    const [accountId] = connected.listWritable(TODOS);
    const create = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`k${index}`, { text: 'one' }]),
    );
    const { created } = await connected.user.buildClient(TODOS).set('Todo', { accountId, create });
    connected.close();
    const moments = Object.values(created ?? {}).map((one) => one['created']);
    expect(moments).toHaveLength(100);
    expect(new Set(moments).size).toBe(100);
  });
});

describe('the checks over HTTP and over WebSocket', () => {
  it('send the same and are answered the same, for Todo', async () => {
    const checks = sample(40);
    const [one, two] = [await users(server(), 'h'), await users(server(), 's')];
    const http = await transcript(one, 'http', newWorld(), ['Todo'], checks);
    const socket = await transcript(two, 'websocket', newWorld(), ['Todo'], checks);
    expect([...socket.keys()]).toEqual([...http.keys()]);
    expect(http.size).toBeGreaterThanOrEqual(40);
    expect(differences(http, socket)).toEqual([]);
  });
});
