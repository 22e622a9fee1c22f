import { beforeAll, describe, expect, it } from 'vitest';
import { type Fixtures, makeFixtures } from '../../../test/support/fixtures.js';
import { useServer } from '../../../test/support/server.js';
import { sharedProject } from '../../../test/support/shared-project.js';
import { connect, memory, type StoreOptions } from '../../src/index.js';
import type { Request, Response as Response_ } from '../../src/transport/transport.js';
import { makeFaultyFetch } from '../support/faulty-fetch.js';
import { tracker } from '../support/schema.js';

// Objects that name each other before the server has seen them: examples/tracker.yaml.

const server = useServer(async () => ({ project: await sharedProject() }));
let fixtures: Fixtures;
beforeAll(async () => {
  fixtures = await makeFixtures(server(), []);
});

let isOnline = true;
const open = (store = memory(), options: Pick<StoreOptions, 'coverage'> = {}) =>
  connect(tracker, {
    ...options,
    url: server().url,
    token: fixtures.u1.token,
    store,
    fetch: makeFaultyFetch(
      () => (isOnline ? null : 'request'),
      (session) => session,
    ),
  });

describe('an object that was made here', () => {
  it('is named by others, and found by them, before and after it has its id', async () => {
    const jmap = await open();
    const me = jmap.account();
    await jmap.sync.settled();
    isOnline = false;
    const project = me.Project.create({ key: 'LOC', name: 'Local' });
    const projectId = project.object.id;
    const issues = me.Issue.live({ filter: { projectId } });
    const totals: number[] = [];
    issues.subscribe(({ total }) => totals.push(total));
    const issue = me.Issue.create({ projectId, number: 1, title: 'First' });
    expect(totals.at(-1)).toBe(1);
    isOnline = true;
    await jmap.sync.settled();
    const made = await project.result;
    expect(await issue.result).toMatchObject({ ok: true });
    expect(made).toMatchObject({ ok: true, object: { $key: projectId } });
    const id = made.ok ? made.object.id : '';
    expect(id).not.toBe(projectId);
    expect(issues.getSnapshot().rows).toMatchObject([{ projectId: id, $pending: false }]);
    expect(totals.slice(1)).not.toContain(0);
    // The key is as good as the id from then on.
    await me.Issue.create({ projectId, number: 2, title: 'Second' }).result;
    expect(issues.getSnapshot().total).toBe(2);
    await jmap.close();
  });

  it('stands beside the ids of rows that include it', async () => {
    const jmap = await open();
    const me = jmap.account();
    const project = me.Project.create({ key: 'INC', name: 'Before' });
    const projectId = project.object.id;
    const first = me.Issue.create({ projectId, number: 1, title: 'First' });
    me.Issue.create({ projectId, number: 2, title: 'Second', duplicateOfId: first.object.id });
    const issues = me.Issue.live({
      ...{ filter: { projectId }, sort: ['number'], include: ['project', 'duplicateOf'] },
    });
    const names: (string | undefined)[][] = [];
    issues.subscribe(({ rows }) => names.push(rows.map(({ project }) => project?.name)));
    await jmap.sync.settled();
    expect(issues.getSnapshot().rows).toMatchObject([
      { title: 'First', project: { name: 'Before' }, duplicateOf: null },
      { title: 'Second', project: { name: 'Before' }, duplicateOf: { title: 'First' } },
    ]);
    const { rows } = issues.getSnapshot();
    me.Project.update(projectId, { name: 'After' });
    expect(names.at(-1)).toEqual(['After', 'After']);
    await jmap.sync.settled();
    me.Issue.update(first.object.id, { title: 'Other' });
    expect(issues.getSnapshot().rows[1]).toMatchObject({ duplicateOf: { title: 'Other' } });
    const again = issues.getSnapshot().rows;
    me.Project.create({ key: 'NIL', name: 'Nothing of it' });
    expect(issues.getSnapshot().rows).toBe(again);
    expect(again[0]).not.toBe(rows[0]);
    const wrong = () => me.Issue.live({ include: ['owner' as 'project'] });
    expect(wrong).toThrow(
      'Issue can\'t include "owner". It can include: "project", "duplicateOf".',
    );
    await jmap.sync.settled();
    await jmap.close();
  });

  it('is fetched for the rows that include it, where its type is kept in part', async () => {
    const jmap = await open(memory(), { coverage: { Project: 'known' } });
    const issues = jmap.account().Issue.live({ include: ['project'], sort: ['number'] });
    issues.subscribe(() => undefined);
    await expect
      .poll(() => issues.getSnapshot().rows.map(({ project }) => project?.key))
      .toContain('INC');
    await jmap.close();
  });

  it('is named by others after a new start', async () => {
    const store = memory();
    const first = await open(store);
    await first.sync.settled();
    isOnline = false;
    const { object } = first.account().Project.create({ key: 'NEW', name: 'New start' });
    const issue = first.account().Issue.create({
      ...{ projectId: object.id, number: 1, title: 'Kept' },
    });
    expect(await issue.saved).toBe(true);
    isOnline = true;
    const second = await open(store);
    await second.sync.settled();
    await second.account().Issue.create({ projectId: object.$key, number: 2, title: 'Later' })
      .result;
    const { rows } = second
      .account()
      .Issue.live({ filter: { projectId: object.$key } })
      .getSnapshot();
    expect(rows.map(({ title }) => title).sort()).toEqual(['Kept', 'Later']);
    const { list } = await second.account().Project.get();
    expect(list.find(({ key }) => key === 'NEW')).toMatchObject({ issues: 2 });
    await second.close();
    await first.close();
  });

  it('takes along, when it is refused, what names it and nothing else', async () => {
    const jmap = await open();
    const me = jmap.account();
    await me.Project.create({ key: 'DUP', name: 'Is there' }).result;
    await jmap.sync.settled();
    isOnline = false;
    const refused = me.Project.create({ key: 'DUP', name: 'Clashes' });
    const dependent = me.Issue.create({
      ...{ projectId: refused.object.id, number: 1, title: 'Falls' },
    });
    const other = me.Project.create({ key: 'OTH', name: 'Stays' });
    const results = [refused.result, dependent.result, other.result];
    isOnline = true;
    await jmap.sync.settled();
    expect(await Promise.all(results)).toMatchObject([
      { ok: false, error: { type: 'alreadyExists', existingId: expect.any(String) } },
      { ok: false, error: { type: 'dependencyFailed' } },
      { ok: true },
    ]);
    expect(me.Issue.live().getSnapshot().rows).not.toContainEqual(
      expect.objectContaining({ title: 'Falls' }),
    );
    await jmap.close();
  });

  it('is sent again with what names it, where the server was too busy for it', async () => {
    let isBusy = true;
    const busyFetch: typeof fetch = async (url, init) => {
      const request = init?.method === 'POST' ? (JSON.parse(String(init.body)) as Request) : null;
      const [call, ...others] = request?.methodCalls ?? [];
      if (!isBusy || call?.[0] !== 'Project/set') return fetch(url, init);
      isBusy = false;
      const body = JSON.stringify({ ...request, methodCalls: others });
      const response = (await (await fetch(url, { ...init, body })).json()) as Response_;
      const refusal = ['error', { type: 'serverUnavailable' }, call[2]] as const;
      const methodResponses = [refusal, ...response.methodResponses];
      return Response.json({ ...response, methodResponses });
    };
    const { token } = fixtures.u1;
    const options = { url: server().url, token, store: memory(), fetch: busyFetch };
    const jmap = await connect(tracker, options);
    await jmap.sync.settled();
    const me = jmap.account();
    const project = me.Project.create({ key: 'BUSY', name: 'Busy' });
    const issue = me.Issue.create({ projectId: project.object.id, number: 1, title: 'Waits' });
    await jmap.sync.settled();
    expect(isBusy).toBe(false);
    expect(await project.result).toMatchObject({ ok: true });
    expect(await issue.result).toMatchObject({ ok: true, object: { title: 'Waits' } });
    await jmap.close();
  });
});
