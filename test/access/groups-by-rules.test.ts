import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { EventStream } from '../support/event-source.js';
import { usePostgresql } from '../support/postgresql.js';
import { Desk } from './desk.js';
import { startPeople, useProject } from './rules-rig.js';

/** Groups that access rules name, in a project without a shared type. */

const root = useProject('notebooks.yaml');
const postgresql = usePostgresql();

const MEMBERS = { ada: {}, bob: { given: 'write' } } as const;

it.each(['SQLite', 'PostgreSQL'])(
  'a user who joins a group that a property names is pushed that, on %s',
  async (database) => {
    const url = database === 'SQLite' ? null : await postgresql().createDatabase('rule_groups');
    const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-rule-groups-'));
    const people = await startPeople(root(), { url, dataDir, hasPush: true }, MEMBERS);
    onTestFinished(async () => {
      await people.close();
      await rm(dataDir, { recursive: true, force: true });
    });
    const { groups, accountId, users } = people;
    const [ada, bob] = [new Desk(users.ada, accountId), new Desk(users.bob, accountId)];
    const team = await groups.create('team');
    const plans = await ada.create('Notebook', { name: 'Plans', members: { [team]: true } });
    const query = { types: 'Notebook', closeafter: 'no', ping: '0' };
    const stream = await EventStream.open(bob.client, query);
    onTestFinished(() => stream.close());
    /** Does some work; resolves once a push tells the state that it leads to. */
    const pushed = (work: () => Promise<void>) =>
      bob.changes('Notebook', async () => {
        await work();
        const { state } = await bob.call('Notebook/get', { ids: [] });
        await stream.state(accountId, 'Notebook', state);
      });
    const joined = await pushed(() => groups.add('team', 'bob'));
    expect(joined).toEqual({ created: [plans], updated: [], destroyed: [] });
    const left = await pushed(() => groups.remove('team', 'bob'));
    expect(left).toEqual({ created: [], updated: [], destroyed: [plans] });
  },
);
