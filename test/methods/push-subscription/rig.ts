import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createAccount, createToken } from '../../../src/accounts/index.js';
import { openPool } from '../../../src/database/postgresql/index.js';
import { openPrisma } from '../../../src/database/postgresql/prisma.js';
import { openPrismaStandalone, type PrismaClient } from '../../../src/database/sqlite/prisma.js';
import { createIdGenerator } from '../../../src/protocol/ids.js';
import { Client, CORE } from '../../support/client.js';
import type { PostgresqlServer } from '../../support/postgresql.js';
import { type RunningServer, useServer } from '../../support/server.js';

export { PUSH, VAPID } from '../../support/client.js';

/** Any JSON that came back. */
// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
export type Json = any;

/** Nothing listens there. */
export const URL_OF_DEVICE = 'https://127.0.0.1:49151/push/device?x=y';

const ENV = { PUSH_CONTACT: 'mailto:operator@example.com', PUSH_ALLOW: '127.0.0.0/8' };

const ids = createIdGenerator();
let users = 0;

export interface NewClient {
  /** Another token of a user; a new user where not given. */
  readonly user?: string;
  readonly readOnly?: boolean;
  /** Milliseconds. */
  readonly lifetime?: number;
}

/** A server that serves push subscriptions, and its database as an operator sees it. */
export interface PushRig {
  readonly server: RunningServer;
  readonly prisma: PrismaClient;
  /** Makes a token, as `token create` does. */
  client(token?: NewClient): Promise<PushClient>;
  /** Returns the code that the server sends to the URL. */
  codeOf(id: string): Promise<string>;
}

/** A client of one token. */
export class PushClient extends Client {
  readonly user: string;

  constructor(url: string, token: string, user: string, using: readonly string[] = [CORE]) {
    super(url, token, using);
    this.user = user;
  }

  /** The id of the token. */
  get tokenId(): string {
    return this.token.split('_')[1] ?? '';
  }

  /** Calls PushSubscription/set. */
  change(args: object): Promise<Json> {
    return this.ok('PushSubscription/set', args);
  }

  /** Calls PushSubscription/get. */
  read(args: object = {}): Promise<Json> {
    return this.ok('PushSubscription/get', args);
  }

  /** Creates one that must succeed; resolves to what the response says of it. */
  async subscribe(more: object = {}): Promise<Json> {
    const { created, notCreated } = await this.change({ create: { k: { ...device(), ...more } } });
    if (created === null) throw new Error(JSON.stringify(notCreated));
    return created.k;
  }

  /** Resolves to the error of a create that must be refused. */
  async refused(more: object): Promise<Json> {
    const { created, notCreated } = await this.change({ create: { k: { ...device(), ...more } } });
    if (created !== null) throw new Error('It was created.');
    return notCreated.k;
  }
}

/** Returns the least that a create must have. */
export function device() {
  return { deviceClientId: 'a889-ffea-910', url: URL_OF_DEVICE };
}

/** Serves push subscriptions from a database for the tests of a file or a describe block. */
export function usePush(
  database: string,
  postgresql: () => PostgresqlServer,
  env: Readonly<Record<string, string>> = {},
): () => PushRig {
  const made: { url?: string; prisma?: PrismaClient; close?: () => Promise<void> } = {};
  const server = useServer(async () => {
    if (database === 'SQLite') return { env: { ...ENV, ...env } };
    made.url = await postgresql().createDatabase('push');
    return { env: { ...ENV, DATABASE_URL: made.url, ...env } };
  });
  afterAll(async () => {
    await made.prisma?.$disconnect();
    await made.close?.();
  });
  const prisma = (): PrismaClient => {
    if (made.prisma !== undefined) return made.prisma;
    if (made.url === undefined)
      made.prisma = openPrismaStandalone(join(server().dataDir, 'jmap.db'));
    else {
      const pool = openPool({ url: made.url, size: 2 });
      made.close = () => pool.end();
      made.prisma = openPrisma(pool);
    }
    return made.prisma;
  };
  return () => ({
    server: server(),
    prisma: prisma(),
    async client({ user, readOnly = false, lifetime }: NewClient = {}) {
      users += 1;
      const name = user ?? `user${users}`;
      if (user === undefined) await createAccount(prisma(), ids, { name: 'A', user: name });
      const token = await createToken(prisma(), ids, { user: name, readOnly, lifetime });
      return new PushClient(server().url, token, name);
    },
    async codeOf(id) {
      return (await prisma().jmapPushSubscription.findUniqueOrThrow({ where: { id } })).code;
    },
  });
}
