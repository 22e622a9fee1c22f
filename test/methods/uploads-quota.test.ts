import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { AlbumRig } from './quota-blobs-rig.js';
import { makeProject, serveQuotas } from './quota-rig.js';
import { UPLOADS_YAML, uploadsQuotaSuite } from './uploads-quota-suite.js';

uploadsQuotaSuite('SQLite', async () => undefined);

it('the quota of unreferenced blobs has an index, which a project without it has not', async () => {
  const plain = UPLOADS_YAML.replace(/^ {2}uploads: .*\n/m, '');
  const before = await makeProject({ 'album.yaml': plain });
  const after = await makeProject({ 'album.yaml': UPLOADS_YAML }, before);
  onTestFinished(async () => {
    for (const project of [before, after]) await project.remove();
  });
  const has = async (root: string, database: string) =>
    (await readFile(join(root, 'prisma', database, 'schema.prisma'), 'utf8')).includes(
      '@@index([accountId, uploaderId, unreferencedSince]',
    );
  for (const database of ['sqlite', 'postgresql'])
    expect([await has(before.root, database), await has(after.root, database)]).toEqual([
      ...[false, true],
    ]);
  const rig = new AlbumRig((await serveQuotas(after.root)).served);
  onTestFinished(() => rig.served.close());
  const { statements, store } = rig.served;
  statements.length = 0;
  await rig.upload(1);
  const sql = statements.find((text) => text.includes('OVER (')) ?? '';
  const parameters = ['[]', 'a1', 'u1', 1];
  const statement = { sql, parameters, inThread: false };
  const [plan] = await store.plans('a1', performance.now() + 60_000, [statement]);
  expect(plan?.indexes.join()).toMatch(/JmapBlob_accountId_uploaderId_unreferencedSince/);
  // Of the upload itself: its row, and whether there is room.
  expect(statements.filter((text) => text.includes('"JmapBlob"'))).toHaveLength(2);
});
