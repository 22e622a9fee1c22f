import { createAuthenticator, createTickets, type Principal } from '../../../src/accounts/index.js';
import { createBackChannel } from '../../../src/accounts/oidc/back-channel.js';
import type { Clocks } from '../../../src/accounts/oidc/clocks.js';
import { createWelcome } from '../../../src/accounts/oidc/first-sight.js';
import type { ProviderSettings } from '../../../src/accounts/oidc/settings.js';
import { SignIns } from '../../../src/accounts/oidc/sign-ins.js';
import type { PrismaClient } from '../../../src/database/sqlite/prisma.js';
import { createIdGenerator } from '../../../src/protocol/ids.js';
import type { usePostgresql } from '../../support/postgresql.js';
import { openForTwo } from '../shared-database.js';
import { clocksOf, makeProvider, type TestProvider } from './test-provider.js';

export const ids = createIdGenerator();

/** A server with a provider: its authenticator, and what it told of refusals. */
export function serverOf(
  prisma: PrismaClient,
  provider: TestProvider,
  now: () => number = Date.now,
  clocks: Clocks = clocksOf(now),
) {
  const refusals: string[] = [];
  const providers = new SignIns({
    ...{ providers: [provider], post: provider.post, clocks },
    welcome: createWelcome({ prisma, ids, tasks: [] }),
    onFailure: () => undefined,
    onRefused: (reason) => refusals.push(reason),
  });
  const authenticator = createAuthenticator(prisma, { providers, now });
  const tickets = createTickets(prisma, { providers });
  const judgeLogout = createBackChannel({ prisma, providers: [provider], now });
  const logOut = async (token: string): Promise<void> => {
    const end = await judgeLogout(token, async () => undefined);
    await end();
  };
  return { authenticator, providers, refusals, tickets, logOut };
}

/** Opens a database for two servers, and the first server. */
export async function openServer(
  engine: string,
  postgresql: ReturnType<typeof usePostgresql>,
  settings: Partial<ProviderSettings> = {},
  now: () => number = Date.now,
) {
  const prismas = await openForTwo(engine, postgresql);
  const provider = await makeProvider(now, settings);
  return { prismas, prisma: prismas[0], provider, ...serverOf(prismas[0], provider, now) };
}

/** `name:rw` or `name:ro` of each account in reach. */
export function reachOf(principal: Principal | null): readonly string[] | null {
  if (principal === null) return null;
  return [...principal.accounts.values()]
    .map(({ name, isReadOnly }) => `${name}:${isReadOnly ? 'ro' : 'rw'}`)
    .sort();
}
