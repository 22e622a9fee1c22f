import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ALBUM_YAML, AlbumRig } from './quota-blobs-rig.js';
import { makeProject, type QuotaProject, serveQuotas } from './quota-rig.js';

/** `storage` counts objects alone, and there is no `files`. */
const BEFORE = ALBUM_YAML.replace(', counts: [objects, blobs]', '')
  .replace(/^ {2}files: .*\n/m, '')
  .replace(/^plans:\n.*\n/m, '');

it('a start counts the blobs of existing objects where a quota counts them now', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-kept-'));
  const before = await makeProject({ 'album.yaml': BEFORE });
  const after = await makeProject({ 'album.yaml': ALBUM_YAML }, before);
  onTestFinished(async () => {
    for (const project of [before, after]) await project.remove();
    await rm(folder, { recursive: true, force: true });
  });
  const served = async (project: QuotaProject, work: (rig: AlbumRig) => Promise<void>) => {
    const rig = new AlbumRig((await serveQuotas(project.root, undefined, folder)).served);
    await work(rig).finally(() => rig.served.close());
  };
  await served(before, async (rig) => {
    const blobId = await rig.upload(700);
    await rig.photo({ blobId });
    await rig.call('Note/set', { create: { n: { attachments: [blobId] } } });
    expect((await rig.used()).storage).toBe((await rig.recounted()).storage - 700);
  });
  await served(after, async (rig) => {
    rig.served.statements.length = 0;
    await rig.check();
    expect((await rig.used()).files).toBe(700);
    const written = rig.served.statements.filter((sql) => /^(INSERT|UPDATE)/.test(sql));
    expect(written).toEqual([]);
  });
});
