import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Fixtures, makeFixtures } from '../../test/support/fixtures.js';
import { useServer } from '../../test/support/server.js';
import { sharedProject } from '../../test/support/shared-project.js';
import { type Account, connect, memory } from '../src/index.js';
import { type TrackerProject, tracker } from './support/schema.js';

// Types that refer to each other, with methods of their own: examples/tracker.yaml.

const server = useServer(async () => ({
  project: await sharedProject(),
  env: { MAX_OBJECTS_IN_SET: '50' },
}));
let me: Account<TrackerProject>;
let fixtures: Fixtures;
beforeAll(async () => {
  fixtures = await makeFixtures(server(), []);
  const { token } = fixtures.u1;
  me = (await connect(tracker, { url: server().url, token })).account();
});

describe('a project with issues', () => {
  it('is made, read and counted by one batch', async () => {
    const { project, issues, read, summary } = await me.batch((b) => {
      const project = b.Project.set({ create: { p: { key: 'CL', name: 'Client' } } });
      const issues = b.Issue.set({
        create: { i: { projectId: '#p', number: 1, title: 'First' } },
      });
      const found = b.Issue.query({ sort: [{ property: 'number', isAscending: true }] });
      const all = b.Issue.get({ ids: found.ids, properties: ['projectId'] });
      const read = b.Project.get({ ids: all.list.map((issue) => issue.projectId) });
      const summary = b.Project.summary({ id: '#p' });
      return { project, issues, read, summary };
    });
    expect(read.list).toMatchObject([{ id: project.created?.p?.id, key: 'CL', issues: 1 }]);
    expect(issues.created?.i?.id).toEqual(expect.any(String));
    expect(summary.counts).toEqual({ open: 1, closed: 0 });
  });

  it('refuses what clashes, with the object that has it', async () => {
    const { list } = await me.Project.get();
    const { notCreated } = await me.Project.set({ create: { p: { key: 'CL', name: 'Again' } } });
    const error = notCreated?.p;
    expect(error?.type === 'alreadyExists' && error.existingId).toBe(list[0]?.id);
  });

  it('has methods of its own', async () => {
    const { list } = await me.Issue.get();
    const ids = list.map(({ id }) => id);
    expect(await me.Issue.close({ ids, resolution: 'fixed' })).toMatchObject({ closed: ids });
  });
});

describe('a client with a store', () => {
  it('shows what the server makes of other objects, too, when it writes', async () => {
    const { token } = fixtures.u1;
    const jmap = await connect(tracker, { url: server().url, token, store: memory() });
    onTestFinished(() => jmap.close());
    const { Project, Issue } = jmap.account();
    const project = Project.create({ key: 'HK', name: 'Hooks' });
    const values = { projectId: project.object.id, number: 1, title: 'By hooks' };
    const issue = Issue.create(values);
    expect(await issue.result).toMatchObject({ ok: true, object: { slug: '1-by-hooks' } });
    await jmap.sync.settled();
    const find = <Row extends { readonly $key: string }>(rows: readonly Row[], key: string) =>
      rows.find(({ $key }) => $key === key);
    const projects = Project.live();
    const issues = Issue.live();
    expect(find(projects.rows, project.object.$key)).toMatchObject({ issues: 1 });
    // A hook writes a comment, which the issue counts.
    const id = find(issues.rows, issue.object.$key)?.id ?? '';
    await Issue.close({ ids: [id], resolution: 'fixed' });
    await jmap.sync.settled();
    const closed = { status: 'closed', comments: 1 };
    await expect.poll(() => find(issues.rows, issue.object.$key)).toMatchObject(closed);
    const again = await Project.create({ key: 'HK', name: 'Once more' }).result;
    const existingId = find(projects.rows, project.object.$key)?.id ?? '';
    expect(again).toMatchObject({ ok: false, error: { type: 'alreadyExists', existingId } });
    expect(find(projects.rows, project.object.$key)).toMatchObject({ name: 'Hooks' });
  });
});

describe('a /set that is cut', () => {
  it('puts creates behind those to which they refer', async () => {
    const { list } = await me.Project.get();
    const projectId = list[0]?.id ?? '';
    const create = Object.fromEntries(
      Array.from({ length: 120 }, (_, n) => [
        `i${n}`,
        {
          projectId,
          number: n + 100,
          title: `Issue ${n}`,
          duplicateOfId: n === 119 ? null : `#i${n + 1}`,
        },
      ]),
    );
    const answer = await me.Issue.set({ create });
    expect(answer.notCreated).toBeNull();
    const { list: made } = await me.Issue.get({
      ids: [answer.created?.['i0']?.id ?? ''],
      properties: ['duplicateOfId'],
    });
    expect(made[0]?.duplicateOfId).toBe(answer.created?.['i1']?.id);
  });

  it('has its updates and destroys in one answer', async () => {
    const { list } = await me.Issue.get({ properties: ['number'] });
    const numbered = list.filter(({ number }) => number >= 100);
    const destroy = numbered.slice(60).map(({ id }) => id);
    const update = Object.fromEntries(
      numbered.slice(0, 60).map(({ id }) => [id, { title: 'Changed', duplicateOfId: null }]),
    );
    const answer = await me.Issue.set({ update, destroy: [...destroy, 'none'] });
    // A destroy also updates an object that refers to the one destroyed.
    expect(Object.keys(answer.updated ?? {})).toEqual(expect.arrayContaining(Object.keys(update)));
    expect([...(answer.destroyed ?? [])].sort()).toEqual([...destroy].sort());
    expect(answer.notDestroyed).toMatchObject({ none: { type: 'notFound' } });
  });
});
