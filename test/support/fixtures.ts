import { beforeAll } from 'vitest';
import { Client, NOTES, TODOS } from './client.js';
import { type RunningServer, type ServerOptions, useServer } from './server.js';

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

export async function makeFixtures(server: RunningServer): Promise<Fixtures> {
  const account = (name: string, user: string, ...capabilities: readonly string[]) =>
    server.tool('scripts/account', [
      'create',
      '--name',
      name,
      '--user',
      user,
      ...capabilities.flatMap((urn) => ['--capability', urn]),
    ]);
  const client = async (user: string) =>
    new Client(server.url, await makeToken(server, ['--user', user]));
  // The first account is the primary one; each chain below needs its user to be there.
  const A1 = await account('A1', 'u1');
  const first = async () => {
    const A2 = await account('A2', 'u1');
    const AN = await account('AN', 'u1', NOTES);
    const AT = await account('AT', 'u1', TODOS);
    return { A2, AN, AT, u1: await client('u1') };
  };
  const others = async () => {
    const AR = await account('AR', 'u3');
    await server.tool('scripts/account', ['grant', AR, '--user', 'u1', '--read-only']);
    const AX = await account('AX', 'u2');
    return { AR, AX, u2: await client('u2'), u3: await client('u3') };
  };
  const [mine, theirs] = await Promise.all([first(), others()]);
  return { A1, ...mine, ...theirs, unknownAccount: 'a-nobody' };
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
export function useFixtures(options: ServerOptions = {}): {
  readonly server: () => RunningServer;
  readonly fixtures: () => Fixtures;
} {
  const server = useServer(options);
  let made: Fixtures | undefined;
  beforeAll(async () => {
    made = await makeFixtures(server());
  }, 60_000);
  return {
    server,
    fixtures: () => {
      if (made === undefined) throw new Error('Fixtures are there inside tests only.');
      return made;
    },
  };
}
