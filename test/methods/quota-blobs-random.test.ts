import { expect, it, onTestFinished } from 'vitest';
import { changeAlbums, randomAlbum } from './quota-blobs-random.js';
import { serveAlbum } from './quota-blobs-rig.js';

async function start() {
  const project = await randomAlbum();
  onTestFinished(() => project.remove());
  const rig = await serveAlbum(project.root);
  onTestFinished(() => rig.served.close());
  return rig;
}

it('quotas of blobs stay exact through random calls, hooks, cascades and copies', async () => {
  await changeAlbums(await start(), 150, 1);
});

it('quotas of blobs count what a hook refers to by tx.set', async () => {
  const rig = await start();
  const [first, second] = [await rig.upload(900), await rig.upload(300)];
  const create = { a: { blobId: first }, b: { blobId: second } };
  const { created } = await rig.call('Photo/set', { create });
  const { list } = await rig.call('Note/get', { ids: null });
  expect(list).toMatchObject([{ text: 'several', attachments: [first] }]);
  await rig.check();
  await rig.call('Photo/set', { destroy: [created.a.id, created.b.id] });
  // The note of the hook still refers to the first one.
  const { storage, files } = await rig.used();
  expect([storage > 900, storage < 1200, files]).toEqual([true, true, 0]);
  await rig.check();
});
