import { beforeAll } from 'vitest';
import { Client, NOTES, TODOS } from './client.js';
import { type LaterOptions, type RunningServer, useServer } from './server.js';

/** The accounts and tokens of cases.md, made by the operator's commands. */
export interface Fixtures {
  /** U1's primary account, writable. */
  readonly A1: string;
  /** U1's second account, writable. */
  readonly A2: string;
  /** U3's account, U1 may read it. */
  readonly AR: string;
  /** U1's account that is limited to Note. */
  readonly AN: string;
  /** U1's account that is limited to Todo. */
  readonly AT: string;
  /** U2's account, not shared. */
  readonly AX: string;
  /** An account id that is nobody's. */
  readonly unknownAccount: string;
  /** U1: A1, A2, AR (read), AN, AT. */
  readonly u1: Client;
  /** U2: AX. */
  readonly u2: Client;
  /** U3: AR, writable. */
  readonly u3: Client;
}

export type FixtureName = Exclude<keyof Fixtures, 'A1' | 'u1' | 'unknownAccount'>;

const EVERYTHING: readonly FixtureName[] = ['A2', 'AR', 'AN', 'AT', 'AX', 'u2', 'u3'];

/**
 * Makes A1 and U1's client, and what is named beside them: each costs a command or two, so a file names what it
 * uses. What was not made throws where it is read.
 */
export async function makeFixtures(
  server: RunningServer,
  names: readonly FixtureName[] = EVERYTHING,
): Promise<Fixtures> {
  const wants = (name: FixtureName) => names.includes(name);
  const made = new Map<keyof Fixtures, unknown>([['unknownAccount', 'a-nobody']]);
  const account = async (name: keyof Fixtures, user: string, capability?: string) => {
    const limits = capability === undefined ? [] : ['--capability', capability];
    const args = ['create', '--name', name, '--user', user, ...limits];
    made.set(name, await server.tool('scripts/account', args));
  };
  const client = async (user: 'u1' | 'u2' | 'u3') => {
    made.set(user, new Client(server.url, await makeToken(server, ['--user', user])));
  };
  // The first account is the primary one; a token needs its user to be there.
  await account('A1', 'u1');
  const first = async () => {
    if (wants('A2')) await account('A2', 'u1');
    if (wants('AN')) await account('AN', 'u1', NOTES);
    if (wants('AT')) await account('AT', 'u1', TODOS);
    await client('u1');
  };
  const others = async () => {
    if (wants('AR') || wants('u3')) {
      await account('AR', 'u3');
      const id = String(made.get('AR'));
      await server.tool('scripts/account', ['grant', id, '--user', 'u1', '--read-only']);
    }
    if (wants('AX') || wants('u2')) await account('AX', 'u2');
    if (wants('u2')) await client('u2');
    if (wants('u3')) await client('u3');
  };
  await Promise.all([first(), others()]);
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

/** A read-only token of U1, one that has expired by the time it is used, and one that was revoked. */
export async function makeSpecialTokens(
  server: RunningServer,
): Promise<{ readOnly: string; expired: string; revoked: string }> {
  const [expired, readOnly, revoked] = await Promise.all([
    makeToken(server, ['--user', 'u1', '--expires', '1s']),
    makeToken(server, ['--user', 'u1', '--read-only']),
    makeToken(server, ['--user', 'u1']),
  ]);
  await server.tool('scripts/token', ['revoke', revoked]);
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
  }, 60_000);
  return {
    server,
    fixtures: () => {
      if (made === undefined) throw new Error('Fixtures are there inside tests only.');
      return made;
    },
  };
}
