import { expect, it, onTestFinished } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { AlbumRig } from './quota-blobs-rig.js';
import { makeProject, serveQuotas } from './quota-rig.js';
import { UPLOADS_YAML, uploadsQuotaSuite } from './uploads-quota-suite.js';

const postgresql = usePostgresql();

uploadsQuotaSuite('PostgreSQL', () => postgresql().createDatabase('quota'));

it('a /set on one server and an upload on another leave no object without its blob', async () => {
  const project = await makeProject({ 'album.yaml': UPLOADS_YAML });
  onTestFinished(() => project.remove());
  const url = await postgresql().createDatabase('quota');
  const open = async () => new AlbumRig((await serveQuotas(project.root, url)).served);
  const [one, other] = await Promise.all([open(), open()]);
  onTestFinished(async () => {
    for (const { served } of [one, other]) await served.close();
  });
  for (let round = 0; round < 30; round += 1) {
    const blobId = await one.upload(2000);
    const [answer] = await Promise.all([other.photo({ blobId }), one.upload(2000)]);
    const { created, notCreated } = answer;
    const deadline = performance.now() + 60_000;
    const rows = await other.served.store.read('a1', { deadline }, (snapshot) =>
      snapshot.blobs([blobId]),
    );
    if (created === null) {
      expect(notCreated.p.type).toBe('invalidProperties');
      expect(rows).toEqual([]);
    } else {
      expect(rows).toMatchObject([{ id: blobId, referenced: true }]);
      await other.call('Photo/set', { destroy: [created.p.id] });
    }
  }
});
