import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AlbumRig } from './quota-blobs-rig.js';
import { type Json, makeProject, serveQuotas } from './quota-rig.js';

/** A user may have 2000 octets of blobs that nothing refers to, and an account 3000 of others. */
export const UPLOADS_YAML = `capability: urn:example:album
quotas:
  uploads: { types: [], octets: 2kB, of: unreferenced, per: user }
  files: { types: [Photo], octets: 3kB, counts: [blobs] }
types:
  Photo: { properties: { blobId: { type: [string, 'null'], blob: true } } }
`;

/** The tests of the quota of unreferenced blobs; `open` resolves to the URL of a new database. */
export function uploadsQuotaSuite(database: string, open: () => Promise<string | undefined>): void {
  describe(`the quota of unreferenced blobs on ${database}`, () => {
    let project: Awaited<ReturnType<typeof makeProject>>;
    let rig: AlbumRig;
    beforeAll(async () => {
      project = await makeProject({ 'album.yaml': UPLOADS_YAML });
    });
    afterAll(() => project.remove());
    beforeEach(async () => {
      rig = new AlbumRig((await serveQuotas(project.root, await open())).served);
    });
    afterEach(() => rig.served.close());

    /** Returns those of the blobs that are there still. */
    const left = async (...ids: readonly string[]): Promise<readonly string[]> => {
      const { list } = await rig.call('Blob/get', { ids, properties: ['size'] });
      return ids.filter((id) => list.some((blob: Json) => blob.id === id));
    };
    const text = (size: number) => ({ data: [{ 'data:asText': 'x'.repeat(size) }] });

    it('RFC 8620 6.1: the oldest go first until there is room, and the new one stays', async () => {
      const [a, b, c] = [await rig.upload(800), await rig.upload(700), await rig.upload(500)];
      expect(await left(a, b, c)).toEqual([a, b, c]);
      const d = await rig.upload(900);
      expect(await left(a, b, c, d)).toEqual([c, d]);
      const whole = await rig.upload(2000);
      expect(await left(c, d, whole)).toEqual([whole]);
    });

    it('one that goes leaves no octets', async () => {
      const old = await rig.upload(2000);
      await rig.upload(1);
      const store = rig.served.store;
      const deadline = performance.now() + 60_000;
      const rows = await store.read('a1', { deadline }, (snapshot) => snapshot.blobs([old]));
      expect(rows).toEqual([]);
      await expect(rig.served.blobs.read('a1', old)).rejects.toThrow('has no octets');
    });

    it('blobs that objects refer to neither go nor count', async () => {
      const kept = await rig.upload(1500);
      const { created } = await rig.photo({ blobId: kept });
      const [a, b] = [await rig.upload(1000), await rig.upload(1000)];
      expect(await left(kept, a, b)).toEqual([kept, a, b]);
      // The last reference gone: the quota of objects counts it no more, and this one does.
      expect((await rig.used()).files).toBe(1500);
      await rig.call('Photo/set', { destroy: [created.p.id] });
      expect((await rig.used()).files).toBe(0);
      expect(await left(kept, a, b)).toEqual([kept, a, b]);
      const d = await rig.upload(400);
      expect(await left(kept, a, b, d)).toEqual([kept, d]);
    });

    it('one that is taken over in the call that destroys its object stays', async () => {
      const blobId = await rig.upload(2000);
      const { created } = await rig.photo({ blobId });
      const moved = await rig.call('Photo/set', {
        ...{ create: { q: { blobId } }, destroy: [created.p.id] },
      });
      expect(moved.notCreated).toBeNull();
      await rig.upload(2000);
      expect(await left(blobId)).toEqual([blobId]);
    });

    it('an upload that is larger than the quota is overQuota, and nothing goes', async () => {
      const old = await rig.upload(1000);
      const { created, notCreated } = await rig.call('Blob/upload', {
        create: { large: text(2001), small: text(1000) },
      });
      expect(notCreated.large).toEqual({
        type: 'overQuota',
        description:
          'The quota "uploads" allows 2000 octets of unreferenced blobs: the blob has more.',
      });
      expect(await left(old, created.small.id)).toEqual([old, created.small.id]);
    });

    it('uploads of one call come one after the other', async () => {
      const old = await rig.upload(100);
      const create = { a: text(1200), b: text(1200) };
      const { created } = await rig.call('Blob/upload', { create });
      expect(await left(old, created.a.id, created.b.id)).toEqual([created.b.id]);
    });

    it('another account and another user have a quota of their own', async () => {
      const own = await rig.upload(2000);
      await rig.upload(2000, 'a2');
      const deadline = performance.now() + 60_000;
      const other = { id: 'b-of-another', type: 'text/plain', size: 1500, uploaderId: 'u2' };
      await rig.served.store.write('a1', { deadline }, (transaction) =>
        transaction.insertBlobs([other]),
      );
      expect(await left(own)).toEqual([own]);
      await rig.upload(1);
      const rows = await rig.served.store.read('a1', { deadline }, (snapshot) =>
        snapshot.blobs([own, other.id]),
      );
      expect(rows.map(({ id }) => id)).toEqual([other.id]);
    });

    it('Blob/copy makes room in its account, and refuses blobs larger than the quota', async () => {
      const old = await rig.upload(1500, 'a2');
      const copied = await rig.upload(1000);
      const deadline = performance.now() + 60_000;
      const large = { id: 'blarge', type: 'text/plain', size: 2001, uploaderId: 'u1' };
      await rig.served.store.write('a1', { deadline }, (transaction) =>
        transaction.insertBlobs([large]),
      );
      const answer = await rig.call('Blob/copy', {
        ...{ fromAccountId: 'a1', accountId: 'a2', blobIds: [copied, large.id] },
      });
      expect(answer.notCopied[large.id].type).toBe('overQuota');
      const ids = [old, answer.copied[copied]];
      const { list } = await rig.call('Blob/get', {
        ...{ accountId: 'a2', ids, properties: ['size'] },
      });
      expect(list.map(({ id }: Json) => id)).toEqual([answer.copied[copied]]);
    });

    it('a /set that names a removed one is refused, and one that came first keeps it', async () => {
      const [gone, kept] = [await rig.upload(1000), await rig.upload(1000)];
      await Promise.all([rig.photo({ blobId: kept }), rig.upload(2000)]);
      const { notCreated } = await rig.photo({ blobId: gone });
      expect(notCreated.p.type).toBe('invalidProperties');
      // In either order, an object never names a blob that is not there.
      const { list } = await rig.call('Photo/get', { ids: null });
      for (const { blobId } of list) expect(await left(blobId)).toEqual([blobId]);
    });

    it('random uploads and objects never leave a user more than the quota', async () => {
      const ids: string[] = [];
      for (let round = 0; round < 60; round += 1) {
        const size = (round * 397) % 1900;
        const blobId = await rig.upload(size);
        if (round % 3 === 0) {
          const { created } = await rig.photo({ blobId });
          if (created !== null) ids.push(created.p.id);
        }
        if (round % 5 === 0) await rig.call('Photo/set', { destroy: ids.splice(0, 1) });
        const last = await rig.upload(1);
        expect(await left(last)).toEqual([last]);
        expect(await unreferenced(rig)).toBeLessThanOrEqual(2000);
      }
      expect(ids.length).toBeGreaterThan(0);
    });

    it('is no object of the type Quota', async () => {
      const { list } = await rig.call('Quota/get', { ids: null });
      expect(list.map(({ name }: Json) => name)).toEqual(['files']);
    });
  });
}

/** Resolves to the octets of the user's blobs in the first account that nothing refers to. */
async function unreferenced({ served }: AlbumRig): Promise<number> {
  const deadline = performance.now() + 60_000;
  const ids: string[] = [];
  for await (const { accountId, blobId } of served.blobs.list())
    if (accountId === 'a1') ids.push(blobId);
  const rows = await served.store.read('a1', { deadline }, (snapshot) => snapshot.blobs(ids));
  const own = rows.filter(({ referenced, uploaderId }) => !referenced && uploaderId === 'u1');
  return own.reduce((sum, { size }) => sum + size, 0);
}
