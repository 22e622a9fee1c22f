import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { Desk } from './desk.js';
import { type Person, startPeople, useProject } from './rules-rig.js';

/** People who find each other as principals, on a server of lists.yaml. */

export const PRINCIPALS = 'urn:ietf:params:jmap:principals';
export const OWNER = 'urn:ietf:params:jmap:principals:owner';

/** Cat has all of Ada's account, Dan may read it; the others have nothing in common with them. */
const MEMBERS = {
  ada: {},
  cat: { given: 'write' },
  dan: { given: 'read' },
  bob: { given: 'nothing' },
  'eve@example.com': { given: 'nothing' },
} as const;

type Name = keyof typeof MEMBERS;

/** Generates the project of lists.yaml. Returns what serves it with these people. */
export function useLists() {
  const root = useProject('lists.yaml');
  const postgresql = usePostgresql();
  return async (database: string, principals: 'shared' | 'all' | 'off' = 'shared') => {
    const url = database === 'SQLite' ? null : await postgresql().createDatabase('principals');
    const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-principals-'));
    const people = await startPeople(root(), { url, dataDir, principals }, MEMBERS);
    onTestFinished(async () => {
      await people.close();
      await rm(dataDir, { recursive: true, force: true });
    });
    const { accountId, users } = people;
    return {
      ...{ accountId, users, root: root(), people },
      /** Starts another server of the database, where a user looks at principals. */
      async beside(name: Name) {
        const own = await mkdtemp(join(tmpdir(), 'jmapsmith-principals-'));
        const other = await startPeople(root(), { url, dataDir: own, principals }, MEMBERS);
        onTestFinished(async () => {
          await other.close();
          await rm(own, { recursive: true, force: true });
        });
        return directoryOf(other.users[name]);
      },
      idOf: (name: Name) => users[name].id,
      desk: (name: Name) => new Desk(users[name], accountId),
      directory: (name: Name) => directoryOf(users[name]),
    };
  };
}

/** Returns a user's calls of the account in which the session says principals are. */
export async function directoryOf(person: Person): Promise<Desk> {
  const client = person.client.with([...person.client.using, PRINCIPALS]);
  // biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
  const { primaryAccounts } = (await client.session()) as any;
  return new Desk({ ...person, client }, primaryAccounts[PRINCIPALS]);
}
