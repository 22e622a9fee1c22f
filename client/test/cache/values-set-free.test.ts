import { expect, it } from 'vitest';
import { useGadgets } from '../support/gadgets.js';

// An object takes the unique value of one that the client has destroyed just before.

const served = useGadgets();

type Created = Readonly<Record<string, { readonly id: string }>>;

async function openWith(...keys: string[]) {
  const far = await served.elsewhere();
  const make = Object.fromEntries(keys.map((key) => [key, { key, name: 'Before' }]));
  const { created } = await far.Project.set({ create: make });
  const jmap = await served.connect();
  await jmap.sync.settled();
  const ids = keys.map((key) => (created as Created)[key]?.id as never);
  return { far, jmap, me: jmap.account(), ids };
}

it('a project replaces another one of its key behind a checked update', async () => {
  const { jmap, me, ids } = await openWith('AONE');
  const gadget = me.Gadget.create({ title: 'checked' });
  await jmap.sync.settled();
  served.goOffline();
  const careful = me.Gadget.update(
    gadget.object.$key as never,
    { title: 'x' },
    { ifUnchanged: true },
  );
  const gone = me.Project.destroy(ids[0] as never);
  const made = me.Project.create({ key: 'AONE', name: 'After' });
  served.goOnline();
  await jmap.sync.settled();
  const ends = await Promise.all([careful.result, gone.result, made.result]);
  expect(ends).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
});

it('a project replaces another one of its key while a file is on its way', async () => {
  const { jmap, me, ids } = await openWith('ATWO');
  served.proxy().decide(({ path }) => (path.includes('upload') ? 'drop' : 'pass'));
  me.Gadget.create({ title: 'with a file', blobId: me.upload('octets') });
  const gone = me.Project.destroy(ids[0] as never);
  const made = me.Project.create({ key: 'ATWO', name: 'After' });
  await new Promise((resolve) => setTimeout(resolve, 500));
  served.goOnline();
  await jmap.sync.settled();
  expect(await gone.result).toMatchObject({ ok: true });
  expect(await made.result).toMatchObject({ ok: true });
});

it('an update takes the number of an issue that was destroyed before it', async () => {
  const { far, jmap, me, ids } = await openWith('DREAL');
  const { created } = await far.Issue.set({
    create: {
      a: { projectId: ids[0], number: 1, title: 'One' },
      b: { projectId: ids[0], number: 2, title: 'Two' },
    },
  } as never);
  await jmap.sync.settled();
  const [a, b] = ['a', 'b'].map((key) => (created as Created)[key]?.id) as never[];
  served.goOffline();
  const writes = [
    me.Issue.update(a as never, { title: 'Once' }),
    me.Issue.destroy(b as never),
    me.Issue.update(a as never, { number: 2 } as never),
  ];
  served.goOnline();
  await jmap.sync.settled();
  const ends = await Promise.all(writes.map(({ result }) => result));
  expect(ends).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
});
