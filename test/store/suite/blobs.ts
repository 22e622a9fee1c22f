import { beforeEach, describe, expect, it } from 'vitest';
import { A, B, type Bench, HUGE } from './bench.js';

export function blobCases(bench: Bench): void {
  const { read, write } = bench;

  describe('blobs', () => {
    const blob = (id: string) => ({ id, type: 'text/plain', size: 2 ** 40, uploaderId: 'u1' });
    const reference = (blobId: string, objectId = 'r1', dataType = 'Gadget') => ({
      blobId,
      dataType,
      objectId,
    });
    const collect = (before: number, limit = 10) => bench.store.collectBlobs(before, limit);
    const blobs = (...wanted: readonly string[]) => read((snapshot) => snapshot.blobs(wanted));

    beforeEach(() => write((transaction) => transaction.insertBlobs([blob('b1'), blob('b2')])));

    it('are seen in their account alone', async () => {
      expect(await blobs('b1', 'b3')).toEqual([{ ...blob('b1'), referenced: false }]);
      expect(await read((snapshot) => snapshot.blobs(['b1']), B)).toEqual([]);
    });

    it('RFC 8620 6.1: are referenced while an object refers to them', async () => {
      await write((t) => t.changeBlobReferences([], [reference('b1'), reference('b1', 'r2')]));
      expect(await blobs('b1', 'b2')).toMatchObject([{ referenced: true }, { referenced: false }]);
      await write((t) => t.changeBlobReferences([reference('b1')], [reference('b2')]));
      expect(await blobs('b1', 'b2')).toMatchObject([{ referenced: true }, { referenced: true }]);
      await write((t) => t.changeBlobReferences([reference('b1', 'r2')], []));
      expect(await blobs('b1', 'b2')).toMatchObject([{ referenced: false }, { referenced: true }]);
    });

    it('RFC 8620 6.1: a viewer gets those that are referenced or its own uploads', async () => {
      const viewed = async (viewer: string) =>
        (await read((t) => t.blobs(['b2', 'b1', 'b3'], viewer))).map(({ id }) => id);
      expect(await viewed('u2')).toEqual([]);
      await write((t) => t.changeBlobReferences([], [reference('b1')]));
      expect(await viewed('u2')).toEqual(['b1']);
      expect(await viewed('u1')).toEqual(['b1', 'b2']);
    });

    it('are in order of id, however they are asked for and whatever was written last', async () => {
      await write((t) => t.changeBlobReferences([], [reference('b1')]));
      expect((await blobs('b2', 'b1')).map(({ id }) => id)).toEqual(['b1', 'b2']);
    });

    it('RFC 9404 4.3: references are found by blob and type, in order of object', async () => {
      await write((t) =>
        t.changeBlobReferences(
          [],
          [reference('b1', 'r2'), reference('b1'), reference('b2'), reference('b1', 'r3', 'Other')],
        ),
      );
      const found = await read((snapshot) => snapshot.blobReferences(['b1', 'b9'], ['Gadget']));
      expect(found).toEqual([reference('b1'), reference('b1', 'r2')]);
      const none = await read((snapshot) => snapshot.blobReferences(['b1'], ['Gadget']), B);
      expect(none).toEqual([]);
    });

    it('are counted once for all objects of the types, with few references', async () => {
      const many = Array.from({ length: 5 }, (_, n) => reference('b1', `r${n}`));
      await write((t) =>
        t.changeBlobReferences([], [...many, reference('b1', 'r9', 'Other'), reference('b2')]),
      );
      const uses = (limit: number, ...types: readonly string[]) =>
        read((snapshot) => snapshot.blobUses(['b2', 'b1', 'b9', '\0'], types, limit));
      const byId = async (...args: Parameters<typeof uses>) =>
        Object.fromEntries(
          (await uses(...args)).map(({ id, size, references }) => [id, [size, references]]),
        );
      expect(await byId(10, 'Gadget')).toEqual({ b1: [2 ** 40, 5], b2: [2 ** 40, 1] });
      expect(await byId(3, 'Gadget', 'Other')).toEqual({ b1: [2 ** 40, 3], b2: [2 ** 40, 1] });
      expect(await byId(10, 'Other')).toEqual({ b1: [2 ** 40, 1], b2: [2 ** 40, 0] });
      const octets = (...types: readonly string[]) => read((t) => t.blobOctets(types));
      expect(await octets('Gadget', 'Other')).toBe(2 ** 41);
      expect(await octets('Other')).toBe(2 ** 40);
      expect(await read((t) => t.blobOctets(['Gadget']), B)).toBe(0);
    });

    it('of one uploader go, oldest first, until the others have room', async () => {
      const sized = (id: string, size: number, uploaderId = 'u1') => ({
        ...{ ...blob(id), size, uploaderId },
      });
      const add = async (...all: readonly ReturnType<typeof sized>[]) => {
        bench.now += 1000;
        await write((t) => t.insertBlobs(all));
      };
      await add(sized('b9', 30), sized('c1', 900, 'u2'));
      await add(sized('b5', 30), sized('b6', 30));
      await add(sized('b4', 30));
      await write((t) => t.changeBlobReferences([], [reference('b6')]));
      const evict = async (maxOctets: number, ...newest: readonly string[]) =>
        [...(await write((t) => t.evictBlobs('u1', maxOctets, newest)))].sort();
      expect(await evict(90, 'b4')).toEqual(['b1', 'b2']);
      expect(await evict(90)).toEqual([]);
      expect(await evict(60)).toEqual(['b9']);
      expect(await evict(30, 'b5')).toEqual(['b4']);
      expect(await evict(0)).toEqual(['b5']);
      const rest = await blobs('b1', 'b2', 'b4', 'b5', 'b6', 'b9', 'c1');
      expect(rest.map(({ id }) => id)).toEqual(['b6', 'c1']);
    });

    it('are collected when nothing has referred to them since the time given', async () => {
      await write((t) => t.changeBlobReferences([], [reference('b1')]));
      bench.now += 1000;
      await write((t) => t.changeBlobReferences([reference('b1')], []));
      expect(await collect(1_000_000)).toEqual([]);
      expect(await collect(1_001_000)).toEqual([{ accountId: A, id: 'b2' }]);
      expect(await collect(1_001_001)).toEqual([{ accountId: A, id: 'b1' }]);
      expect(await blobs('b1', 'b2')).toEqual([]);
    });

    it('are not collected while referenced, and at most so many at a time', async () => {
      await write((t) => t.insertBlobs([blob('b3'), blob('b4')]));
      await write((t) => t.changeBlobReferences([], [reference('b2')]));
      expect(await collect(HUGE, 2)).toHaveLength(2);
      expect(await collect(HUGE, 2)).toHaveLength(1);
      expect(await collect(HUGE)).toEqual([]);
      expect(await blobs('b2')).toHaveLength(1);
    });

    it('one that is stored again stays referenced', async () => {
      await write((t) => t.changeBlobReferences([], [reference('b1')]));
      await write((t) => t.insertBlobs([blob('b1')]));
      expect(await blobs('b1')).toMatchObject([{ referenced: true }]);
    });

    it('one that is stored again lives on from then', async () => {
      bench.now += 1000;
      await write((t) => t.insertBlobs([blob('b1')]));
      expect(await collect(1_001_000)).toEqual([{ accountId: A, id: 'b2' }]);
    });
  });
}
