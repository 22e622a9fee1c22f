import { expect } from 'vitest';
import { ALL_CHECKS } from '../../test/conformance/checks.js';
import type { Client } from '../../test/support/client.js';
import type { Check } from '../src/check.js';
import type { TransportName } from '../src/client/connection.js';
import { bearer } from '../src/client/credentials.js';
import type { Item, JsonMap } from '../src/client/json.js';
import type { Outcome } from '../src/outcome.js';
import { run } from '../src/run.js';
import type { World } from '../src/subject/described.js';
import { Server } from '../src/subject/server.js';

/** A run beside objects of a type that its accounts have already. */
export interface Beside {
  readonly url: string;
  readonly user: Client;
  readonly others?: readonly Client[];
  readonly world: World;
  readonly type: string;
  readonly accounts: readonly string[];
  /** Objects that each of the accounts has before. */
  readonly create: Readonly<Record<string, JsonMap>>;
  /** Checks that are run; without it all of the type's. */
  readonly checks?: readonly Check[];
  readonly transport?: TransportName;
}

const IDLE = { planned: () => undefined, started: () => undefined, ended: () => undefined };

interface Ran {
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly string[];
}

/**
 * Returns the outcomes of checks; all that was there is as it was, byte by byte, and nothing else
 * is.
 */
export async function besideObjects(beside: Beside): Promise<Ran> {
  const { url, user, others = [], world, type, accounts, create } = beside;
  const urns = new Set([...world.values()].map(({ capability }) => capability));
  const client = user.with(['urn:ietf:params:jmap:core', ...urns]);
  const all = async (): Promise<string[]> => {
    const lists: string[] = [];
    for (const accountId of accounts) {
      const { list } = await client.get(type, { accountId, ids: null });
      lists.push(...list.map((item) => JSON.stringify(item as Item)));
    }
    return lists;
  };
  for (const accountId of accounts) {
    const { notCreated } = await client.set(type, { accountId, create });
    expect(notCreated).toBeNull();
  }
  const before = await all();
  const ids = async (accountId: string): Promise<string[]> =>
    (await client.get(type, { accountId, ids: null })).list.map(({ id }) => id);
  const server = await Server.connect({
    url,
    authorization: bearer(user.token),
    others: others.map(({ token }) => bearer(token)),
    transport: beside.transport ?? 'http',
    strict: true,
  });
  const warnings: string[] = [];
  try {
    const { checks = ALL_CHECKS.filter(({ scope }) => scope === 'type') } = beside;
    const warn = (line: string) => warnings.push(line);
    const plan = { server, world, checks, selection: { types: [type] }, warn };
    return { outcomes: await run(plan, IDLE), warnings };
  } finally {
    server.close();
    const after = await all();
    for (const accountId of accounts)
      await client.set(type, { accountId, destroy: await ids(accountId) });
    expect(after.filter((item) => !item.includes(LATE))).toEqual(before);
  }
}

/** An object that a test makes meanwhile has this word. */
export const LATE = 'made meanwhile';

/** Returns the outcomes that are no success: which failed, and why. */
export const failedOf = (outcomes: readonly Outcome[]): readonly string[] =>
  outcomes.flatMap(({ check, status, failure }) =>
    status === 'failed' ? [`${check.id}: ${failure?.message}`] : [],
  );
