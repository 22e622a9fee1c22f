import { Client, NOTES, TODOS } from '../support/client.js';
import type { RunningServer, ToolStep } from '../support/server.js';
import type { TokenName } from './expectations.js';

/** The accounts and tokens of the matrix. */
export interface World {
  readonly tokens: Readonly<Record<TokenName, Client>>;
  /** The user who shares the accounts, or not. */
  readonly other: Client;
  /** The id of a place's account, for a method that needs a capability. */
  accountId(place: string, capability: string): string;
}

/** Of the form that ids have, and given to no account. */
export const NOBODYS = 'a1nobodysaccount0000000';

/** The server signs its pushes, so that it has all capabilities of its descriptors. */
export const SIGNS = { PUSH_CONTACT: 'mailto:operator@example.com' };

/**
 * Makes them by the operator's commands. The tokens are used before access ends, as they would be
 * that an authenticator remembers.
 */
export async function makeWorld(
  server: RunningServer,
  using: readonly string[] = [],
): Promise<World> {
  const steps: ToolStep[] = [];
  const account = (user: string, ...more: string[]) =>
    steps.push(['scripts/account', ['create', '--name', 'x', '--user', user, ...more]]) - 1;
  const token = (user: string, ...more: (string | number)[]) =>
    steps.push(['scripts/token', ['create', '--user', user, ...more]]) - 1;
  const own = account('u1');
  const second = account('u1');
  const notes = account('u1', '--capability', NOTES);
  const todos = account('u1', '--capability', TODOS);
  const deleted = account('u1');
  const others = account('u2');
  const toWrite = account('u2');
  const toRead = account('u2');
  const revoked = account('u2');
  for (const id of [toWrite, revoked])
    steps.push(['scripts/account', ['grant', id, '--user', 'u1']]);
  steps.push(['scripts/account', ['grant', toRead, '--user', 'u1', '--read-only']]);
  const all = token('u1');
  const read = token('u1', '--read-only');
  const other = token('u2');
  const made = await server.tools(steps);
  const at = (step: number): string => made[step] ?? '';
  const scopes = [second, `${at(toWrite)}:read`, toRead, revoked, deleted, notes, todos];
  const [some = ''] = await server.tools([
    [
      'scripts/token',
      [
        'create',
        '--user',
        'u1',
        ...scopes.flatMap((scope) => ['--account', typeof scope === 'number' ? at(scope) : scope]),
      ],
    ],
  ]);
  const client = (text: string) => new Client(server.url, text, using);
  const tokens = { all: client(at(all)), some: client(some), read: client(at(read)) };
  for (const one of Object.values(tokens)) await one.session();
  await server.tools([
    ['scripts/account', ['delete', at(deleted), '--yes']],
    ['scripts/account', ['revoke', at(revoked), '--user', 'u1']],
  ]);
  const ids = new Map([
    ['own', at(own)],
    ['own, the second', at(second)],
    ['shared, to write', at(toWrite)],
    ['shared, to read', at(toRead)],
    ['shared once, revoked since', at(revoked)],
    ['own, deleted since', at(deleted)],
    ["another user's", at(others)],
    ["nobody's", NOBODYS],
    ['no possible id', '../no id\u0000'],
  ]);
  return {
    tokens,
    other: client(at(other)),
    accountId(place, capability) {
      // One of the two accounts that are limited lacks it.
      if (place === 'own, without the capability')
        return capability === NOTES ? at(todos) : at(notes);
      const id = ids.get(place);
      if (id === undefined) throw new Error(`There is no account for the place ${place}.`);
      return id;
    },
  };
}
