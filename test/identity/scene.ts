import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { Client } from '../support/client.js';
import { type RunningServer, startServer } from '../support/server.js';
import { APPLICATION, INTROSPECTION, makeKey, OidcServer } from './oidc-server.js';

export const ALGORITHMS: readonly string[] = ['RS256', 'ES256', 'EdDSA'];
export const RESOURCE = 'https://jmap.example.com';

/** A provider, and servers of one database that let its users in. */
export interface Scene {
  readonly provider: OidcServer;
  /** The keys that it begins with, one for each algorithm. */
  readonly keys: readonly JWK[];
  readonly servers: readonly RunningServer[];
  /** The first server. */
  readonly server: RunningServer;
  /** A client with a token, at one of the servers in turn. */
  client(token: string, which?: number): Client;
  /** Everything that the servers have logged. */
  logs(): string;
  close(): Promise<void>;
}

export interface SceneOptions {
  /** Null: SQLite. */
  readonly database: string | null;
  readonly processes: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Lines of the AUTH_FILE beside the issuer and the audience. */
const AUTH_FILE = (issuer: string): string => `
issuers:
  - issuer: ${issuer}
    audience: [${RESOURCE}]
    algorithms: [RS256, ES256, EdDSA]
    user: { id: sub, name: email, create: true }
    account: { create: true, name: '{name}' }
    access:
      - { claim: groups, is: '^team-([a-z]+)$', account: '{1}', mode: write }
      - { claim: reads, is: '^([a-z]+)$', account: '{1}', mode: read }
    roles: { claim: realm_access.roles, allow: [agent] }
    opaque: { introspect: true, clientId: ${INTROSPECTION.id}, secretFile: secret, cache: 1s }
    logout: { clients: [${APPLICATION}] }
basic: tokens
`;

export async function openScene({ database, processes, env = {} }: SceneOptions): Promise<Scene> {
  const servers: RunningServer[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'identity-'));
  const keys = await Promise.all(ALGORITHMS.map((alg) => makeKey(alg, `key-${alg}`)));
  const provider = await OidcServer.start(
    {
      resource: RESOURCE,
      // The last one: what it hears must reach the others.
      logoutUrl: () => servers.at(-1)?.url ?? null,
    },
    keys,
  );
  await writeFile(join(folder, 'secret'), `${INTROSPECTION.secret}\n`);
  await writeFile(join(folder, 'auth.yaml'), AUTH_FILE(provider.issuer));
  for (let n = 0; n < processes; n += 1) {
    servers.push(
      await startServer({
        env: {
          ...{ AUTH_FILE: join(folder, 'auth.yaml'), BASE_URL: RESOURCE, LOG_LEVEL: 'trace' },
          OIDC_ALLOW: '127.0.0.1',
          ...(database === null ? {} : { DATABASE_URL: database }),
          ...env,
        },
      }),
    );
  }
  // It knows where to tell of logouts only now.
  await provider.rotate(keys);
  const at = (which: number): RunningServer => {
    const server = servers[which % servers.length];
    if (server === undefined) throw new Error('The scene has a server.');
    return server;
  };
  let turn = 0;
  return {
    ...{ provider, keys, servers },
    server: at(0),
    client(token, which = turn++) {
      return new Client(at(which).url, token);
    },
    logs: () => servers.map((server) => server.stdout() + server.stderr()).join(''),
    async close() {
      for (const server of servers) await server.remove();
      await provider.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
