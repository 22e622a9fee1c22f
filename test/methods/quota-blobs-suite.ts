import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeTerms, checkUsage, keepQuotas } from '../../src/methods/quota/keep-quotas.js';
import { ALBUM_YAML, type AlbumRig, serveAlbum } from './quota-blobs-rig.js';
import { makeProject } from './quota-rig.js';

/** The tests of quotas of blobs on one database; `open` resolves to the URL of a new one. */
export function quotaBlobsSuite(database: string, open: () => Promise<string | undefined>): void {
  describe(`quotas of blobs on ${database}`, () => {
    let project: Awaited<ReturnType<typeof makeProject>>;
    let rig: AlbumRig;
    beforeAll(async () => {
      project = await makeProject({ 'album.yaml': ALBUM_YAML });
    });
    afterAll(() => project.remove());
    beforeEach(async () => {
      rig = await serveAlbum(project.root, await open());
    });
    afterEach(() => rig.served.close());
    const soon = () => ({ deadline: performance.now() + 60_000 });

    it('a blob that several objects refer to counts once, until the last one goes', async () => {
      const blobId = await rig.upload(500);
      expect(await rig.used()).toEqual({ storage: 0, files: 0 });
      const first = await rig.photo({ blobId, thumbId: blobId });
      const second = await rig.photo({ blobId });
      await rig.call('Note/set', { create: { n: { attachments: [blobId] } } });
      expect((await rig.used()).files).toBe(500);
      await rig.check();
      await rig.call('Photo/set', { destroy: [first.created.p.id] });
      expect((await rig.used()).files).toBe(500);
      await rig.call('Photo/set', { update: { [second.created.p.id]: { blobId: null } } });
      // The note still refers to it.
      expect((await rig.used()).files).toBe(0);
      await rig.check();
    });

    it('an object of a type that no quota names has no blobs counted', async () => {
      const blobId = await rig.upload(500);
      await rig.call('Draft/set', { create: { d: { blobId } } });
      expect(await rig.used()).toEqual({ storage: 0, files: 0 });
    });

    it('objects that go by cascade leave their blobs uncounted at once', async () => {
      const [shared, own] = [await rig.upload(300), await rig.upload(200)];
      const note = await rig.call('Note/set', { create: { n: { attachments: [shared] } } });
      const noteId = note.created.n.id;
      await rig.photo({ noteId, blobId: own, thumbId: shared });
      expect((await rig.used()).files).toBe(500);
      await rig.call('Note/set', { destroy: [noteId] });
      expect(await rig.used()).toEqual({ storage: 0, files: 0 });
    });

    it('a copy counts its blobs in the other account again', async () => {
      const blobId = await rig.upload(700);
      const { created } = await rig.photo({ blobId });
      const create = { c: { id: created.p.id }, d: { id: created.p.id } };
      await rig.call('Photo/copy', { fromAccountId: 'a1', accountId: 'a2', create });
      expect((await rig.used()).files).toBe(700);
      expect((await rig.used('a2')).files).toBe(700);
      await rig.check();
      await rig.check('a2');
    });

    it('a copy that finds no room in the other account is overQuota', async () => {
      const blobId = await rig.upload(700);
      const { created } = await rig.photo({ blobId });
      await rig.photo({ blobId: await rig.upload(2500, 'a2') }, 'a2');
      const create = { c: { id: created.p.id } };
      const copied = await rig.call('Photo/copy', {
        ...{ fromAccountId: 'a1', accountId: 'a2', create },
      });
      expect(copied.notCreated.c.type).toBe('overQuota');
      expect((await rig.used('a2')).files).toBe(2500);
      await rig.check('a2');
    });

    it('a create whose blob finds no room is overQuota, and tells the quota', async () => {
      await rig.photo({ blobId: await rig.upload(2000) });
      const { notCreated } = await rig.photo({ blobId: await rig.upload(1001) });
      expect(notCreated.p).toEqual({
        type: 'overQuota',
        description:
          'The quota "files" allows 3000 octets, and 2000 are used: ' +
          'there is no room for 1001 more.',
      });
      expect((await rig.photo({ blobId: await rig.upload(1000) })).notCreated).toBeNull();
      await rig.check();
    });

    it('creates of one call pay for a blob once, and get the room in their order', async () => {
      const [small, large] = [await rig.upload(1000), await rig.upload(2500)];
      const create = { a: { blobId: small }, b: { blobId: large }, c: { blobId: small }, d: {} };
      const { created, notCreated } = await rig.call('Photo/set', { create });
      expect(Object.keys(created)).toEqual(['a', 'c', 'd']);
      expect(notCreated.b.type).toBe('overQuota');
      expect((await rig.used()).files).toBe(1000);
      await rig.check();
    });

    it('a blob that goes makes room for another one of the call, and for itself', async () => {
      const [old, other] = [await rig.upload(2500), await rig.upload(2900)];
      const { created } = await rig.photo({ blobId: old });
      const id = created.p.id;
      const replaced = await rig.call('Photo/set', {
        create: { q: { blobId: other } },
        destroy: [id],
      });
      expect(replaced.notCreated).toBeNull();
      const again = await rig.call('Photo/set', {
        create: { r: { blobId: other } },
        destroy: [replaced.created.q.id],
      });
      expect(again.notCreated).toBeNull();
      expect((await rig.used()).files).toBe(2900);
      await rig.check();
    });

    it('an update over the limit may take a smaller blob, and no larger one', async () => {
      const { created } = await rig.photo({ blobId: await rig.upload(2000) });
      const id = created.p.id;
      await changeTerms(rig.keeping, 'a1', soon(), (_, terms) => ({ ...terms, plan: 'small' }));
      const update = async (size: number) =>
        rig.call('Photo/set', { update: { [id]: { blobId: await rig.upload(size) } } });
      expect((await update(2001)).notUpdated[id].type).toBe('overQuota');
      expect((await update(1900)).notUpdated).toBeNull();
      const moved = await rig.call('Photo/set', {
        update: { [id]: { title: 'the same blob' } },
      });
      expect(moved.notUpdated).toBeNull();
      expect((await rig.used()).files).toBe(1900);
      await rig.check();
    });

    it('a call that fails as a whole counts nothing', async () => {
      const blobId = await rig.upload(400);
      const failed = await rig.call('Photo/set', { ifInState: 'x', create: { p: { blobId } } });
      expect(failed.error).toBe('stateMismatch');
      expect(await rig.used()).toEqual({ storage: 0, files: 0 });
    });

    it('many writers at once never pass the limit', async () => {
      const blobs = await Promise.all(Array.from({ length: 12 }, () => rig.upload(500)));
      const answers = await Promise.all(blobs.map((blobId) => rig.photo({ blobId })));
      expect(answers.filter(({ created }) => created !== null)).toHaveLength(6);
      expect((await rig.used()).files).toBe(3000);
      await rig.check();
    });

    it('a recount corrects what is wrong', async () => {
      await rig.photo({ blobId: await rig.upload(600) });
      const { quotas, store } = rig.keeping;
      await store.write('a1', soon(), async (transaction) => {
        const rows = await transaction.get(quotas.type, { first: 10 }, quotas.type.properties);
        const wrong = rows.map((row) => ({ ...row, used: 77 }));
        await transaction.writeRows('update', quotas.type, wrong);
      });
      const checked = await checkUsage(rig.keeping, 'a1', soon());
      expect(checked.map(({ used, counted }) => used !== counted)).toEqual([true, true]);
      await keepQuotas(rig.keeping, 'a1', soon(), 'all');
      await rig.check();
    });

    it('a call that changes no blobs reads none', async () => {
      const { created } = await rig.photo({ blobId: await rig.upload(100), title: 'a' });
      const { statements } = rig.served;
      const counted = async (work: () => Promise<unknown>): Promise<number> => {
        statements.length = 0;
        await work();
        return statements.filter((sql) => sql.includes('AS "few"')).length;
      };
      const title = { update: { [created.p.id]: { title: 'a longer title' } } };
      expect(await counted(() => rig.call('Photo/set', title))).toBe(0);
      expect(await counted(() => rig.call('Photo/set', { create: { q: {} } }))).toBe(0);
      const blobId = await rig.upload(10);
      expect(await counted(() => rig.call('Draft/set', { create: { d: { blobId } } }))).toBe(0);
    });

    it('a call that changes blobs makes two statements more for each quota of them', async () => {
      const { statements } = rig.served;
      const create = (ids: readonly string[]) =>
        Object.fromEntries(ids.map((blobId, at) => [`p${at}`, { blobId }]));
      const ids = await Promise.all(Array.from({ length: 5 }, () => rig.upload(1)));
      for (const some of [ids.slice(0, 1), ids.slice(1)]) {
        statements.length = 0;
        await rig.call('Photo/set', { create: create(some) });
        const uses = statements.filter((sql) => sql.includes('AS "few"'));
        // The store notes the statements of SQLite alone.
        expect(uses).toHaveLength(statements.length === 0 ? 0 : 4);
      }
    });
  });
}
