import { it, onTestFinished } from 'vitest';
import { changeAlbums, randomAlbum } from './quota-blobs-random.js';
import { serveAlbum } from './quota-blobs-rig.js';

it('quotas of blobs stay exact through random calls, hooks, cascades and copies', async () => {
  const project = await randomAlbum();
  onTestFinished(() => project.remove());
  const rig = await serveAlbum(project.root);
  onTestFinished(() => rig.served.close());
  await changeAlbums(rig, 150, 1);
});
