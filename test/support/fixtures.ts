import { beforeAll } from 'vitest';
import { Client, NOTES, TODOS } from './client.js';
import { type LaterOptions, type RunningServer, type ToolStep, useServer } from './server.js';

/** The accounts and tokens of these tests, made by the operator's commands. */
export interface Fixtures {
  /** The primary account of `U1`, writable. */
  readonly A1: string;
  /** The second account of `U1`, writable. */
  readonly A2: string;
  /** The account of `U3`; `U1` may read it. */
  readonly AR: string;
  /** The account of `U1` that is limited to Note. */
  readonly AN: string;
  /** The account of `U1` that is limited to Todo. */
  readonly AT: string;
  /** The account of `U2`, not shared. */
  readonly AX: string;
  /** An account id that is nobody's. */
  readonly unknownAccount: string;
  /** `U1`: `A1`, `A2`, `AR` (read), `AN`, `AT`. */
  readonly u1: Client;
  /** `U2`: `AX`. */
  readonly u2: Client;
  /** `U3`: `AR`, writable. */
  readonly u3: Client;
}

export type FixtureName = Exclude<keyof Fixtures, 'A1' | 'u1' | 'unknownAccount'>;

const EVERYTHING: readonly FixtureName[] = ['A2', 'AR', 'AN', 'AT', 'AX', 'u2', 'u3'];

/**
 * Makes `A1` and the client of `U1`, and what is named beside them: a file names what it uses. A
 * fixture that was not made throws where it is read.
 */
export async function makeFixtures(
  server: RunningServer,
  names: readonly FixtureName[] = EVERYTHING,
): Promise<Fixtures> {
  const wants = (name: FixtureName) => names.includes(name);
  const steps: ToolStep[] = [];
  /** The made fixtures, by the step that makes them. */
  const at = new Map<keyof Fixtures, number>();
  const account = (name: keyof Fixtures, user: string, capability?: string) => {
    const limits = capability === undefined ? [] : ['--capability', capability];
    const args = ['create', '--name', name, '--user', user, ...limits];
    at.set(name, steps.push(['scripts/account', args]) - 1);
  };
  const client = (user: 'u1' | 'u2' | 'u3') => {
    at.set(user, steps.push(['scripts/token', ['create', '--user', user]]) - 1);
  };
  // The first account is the primary one; a token needs its user to be there.
  account('A1', 'u1');
  if (wants('A2')) account('A2', 'u1');
  if (wants('AN')) account('AN', 'u1', NOTES);
  if (wants('AT')) account('AT', 'u1', TODOS);
  client('u1');
  if (wants('AR') || wants('u3')) {
    account('AR', 'u3');
    const grant = ['grant', at.get('AR') ?? '', '--user', 'u1', '--read-only'];
    steps.push(['scripts/account', grant]);
  }
  if (wants('AX') || wants('u2')) account('AX', 'u2');
  if (wants('u2')) client('u2');
  if (wants('u3')) client('u3');
  const outputs = await server.tools(steps);
  const made = new Map<keyof Fixtures, unknown>([['unknownAccount', 'a-nobody']]);
  for (const [name, step] of at) {
    const isClient = name === 'u1' || name === 'u2' || name === 'u3';
    const output = outputs[step] ?? '';
    made.set(name, isClient ? new Client(server.url, output) : output);
  }
  const read = <T>(name: keyof Fixtures): T => {
    if (!made.has(name)) throw new Error(`The fixture ${name} was not made for this file.`);
    return made.get(name) as T;
  };
  return {
    get A1() {
      return read<string>('A1');
    },
    get A2() {
      return read<string>('A2');
    },
    get AR() {
      return read<string>('AR');
    },
    get AN() {
      return read<string>('AN');
    },
    get AT() {
      return read<string>('AT');
    },
    get AX() {
      return read<string>('AX');
    },
    get unknownAccount() {
      return read<string>('unknownAccount');
    },
    get u1() {
      return read<Client>('u1');
    },
    get u2() {
      return read<Client>('u2');
    },
    get u3() {
      return read<Client>('u3');
    },
  };
}

/** A token, by `token create` with these arguments. */
export function makeToken(server: RunningServer, args: readonly string[]): Promise<string> {
  return server.tool('scripts/token', ['create', ...args]);
}

/** A user's account and a token, for a server that a test has to itself. */
export async function makeUser(
  server: RunningServer,
  user = 'u',
): Promise<{ accountId: string; token: string; client: Client }> {
  const [accountId = '', token = ''] = await server.tools([
    ['scripts/account', ['create', '--name', 'A', '--user', user]],
    ['scripts/token', ['create', '--user', user]],
  ]);
  return { accountId, token, client: new Client(server.url, token) };
}

/**
 * Makes a read-only token of `U1`, one that has expired by the time it is used, and one that was
 * revoked.
 */
export async function makeSpecialTokens(
  server: RunningServer,
): Promise<{ readOnly: string; expired: string; revoked: string }> {
  const token = (...args: string[]): ToolStep => [
    'scripts/token',
    ['create', '--user', 'u1', ...args],
  ];
  const [expired = '', readOnly = '', revoked = ''] = await server.tools([
    token('--expires', '1s'),
    token('--read-only'),
    token(),
    ['scripts/token', ['revoke', 2]],
  ]);
  return { readOnly, expired, revoked };
}

/** A server with the fixtures, for the tests of a file or describe block. */
export function useFixtures(
  options: LaterOptions = {},
  names: readonly FixtureName[] = EVERYTHING,
): {
  readonly server: () => RunningServer;
  readonly fixtures: () => Fixtures;
} {
  const server = useServer(options);
  let made: Fixtures | undefined;
  beforeAll(async () => {
    made = await makeFixtures(server(), names);
  });
  return {
    server,
    fixtures: () => {
      if (made === undefined) throw new Error('Fixtures are there inside tests only.');
      return made;
    },
  };
}
