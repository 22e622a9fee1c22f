import { afterEach, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { memory } from '../../src/index.js';
import { failStore } from '../support/failing-store.js';
import { useGadgets } from '../support/gadgets.js';

// A destroy comes behind earlier writes that are late and name its object, and holds up no others.

const served = useGadgets();
afterEach(() => served.goOnline());

const holdUploads = (): void =>
  served.proxy().decide(({ path }) => (path.includes('upload') ? 'drop' : 'pass'));

it.each(['links', 'parentId'])(
  'a new object that waits for its file names by %s an object that is destroyed then',
  async (name) => {
    const jmap = await served.connect();
    await jmap.sync.settled();
    const me = jmap.account();
    const target = me.Gadget.create({ title: `target ${name}` });
    expect(await target.result).toMatchObject({ ok: true });
    const { id } = target.object;
    holdUploads();
    const value = name === 'links' ? { [id]: true } : id;
    const values = { title: `photo ${name}`, blobId: me.upload('octets'), [name]: value };
    const photo = me.Gadget.create(values as never);
    const gone = me.Gadget.destroy(target.object.$key as never);
    await new Promise((resolve) => setTimeout(resolve, 500));
    served.goOnline();
    await jmap.sync.settled();
    expect(await photo.result).toMatchObject({ ok: true });
    // The server keeps a parent that it has.
    expect((await gone.result).ok).toBe(name === 'links');
  },
);

it('writes are made while a lost store has a destroy of their type', async () => {
  const failing = failStore(memory());
  const jmap = await served.connect({ store: failing.store });
  await jmap.sync.settled();
  const me = jmap.account();
  const old = me.Gadget.create({ title: 'old' });
  expect(await old.result).toMatchObject({ ok: true });
  await jmap.sync.settled();
  served.goOffline();
  me.Project.create({ key: 'RTWO', name: 'first' });
  await eventually(() => expect(jmap.sync.getSnapshot().status).toBe('offline'));
  const gone = me.Gadget.destroy(old.object.$key as never);
  expect(await gone.saved).toBe(true);
  failing.lose();
  const fresh = me.Gadget.create({ title: 'fresh' });
  expect(await fresh.saved).toBe(false);
  served.goOnline();
  jmap.sync.wake();
  expect(await fresh.result).toMatchObject({ ok: true });
});

it('writes are made while the file of a new object is on its way that is destroyed', async () => {
  const jmap = await served.connect();
  await jmap.sync.settled();
  const me = jmap.account();
  holdUploads();
  let key = '';
  me.write((tx) => {
    key = tx.Gadget.create({ title: 'photo', blobId: me.upload('octets') }).object.$key;
    tx.Project.create({ key: 'RFOUR', name: 'x' });
  });
  me.Gadget.destroy(key as never);
  expect(await me.Gadget.create({ title: 'fresh' }).result).toMatchObject({ ok: true });
});
