import { describe, expect, it } from 'vitest';
import type { StateChange } from '../../../src/store/port.js';
import { Gadget, gadget, PROPERTIES } from '../gadget.js';
import { A, B, type Bench } from './bench.js';

export function changeCases(bench: Bench): void {
  const { read, write, insert } = bench;

  describe('states and changes', () => {
    const record = (...kinds: readonly ('created' | 'updated' | 'destroyed')[]) =>
      write((transaction) =>
        transaction.record(
          Gadget,
          kinds.map((kind, index) => ({ objectId: `r${index}`, kind })),
        ),
      );

    it('a counter that steps by one for each record, "0" at first', async () => {
      expect(await read((snapshot) => snapshot.stateNumber(Gadget))).toBe(0);
      expect(await record('created', 'updated')).toBe(2);
      bench.now += 5;
      expect(await record('destroyed')).toBe(3);
      expect(await read((snapshot) => snapshot.stateNumber(Gadget))).toBe(3);
      expect(await read((snapshot) => snapshot.stateNumber(Gadget), B)).toBe(0);
      expect(await read((snapshot) => snapshot.changes(Gadget, 0, 10))).toEqual([
        { number: 1, objectId: 'r0', kind: 'created', at: 1_000_000, properties: null },
        { number: 2, objectId: 'r1', kind: 'updated', at: 1_000_000, properties: null },
        { number: 3, objectId: 'r0', kind: 'destroyed', at: 1_000_005, properties: null },
      ]);
      expect(await read((snapshot) => snapshot.changes(Gadget, 1, 1))).toMatchObject([
        { number: 2 },
      ]);
    });

    it('records of updates name the properties that changed, unless there are many', async () => {
      const { title, list } = PROPERTIES;
      const changes = (['created', 'updated', 'destroyed'] as const).map((kind) => ({
        ...{ objectId: `r-${kind}`, kind },
      }));
      const long = Array.from({ length: 60 }, (_, n) => ({ ...title, column: `title_${n}` }));
      await write((t) => t.record(Gadget, changes, [title, list]));
      await write((t) => t.record(Gadget, changes.slice(1, 2), []));
      await write((t) => t.record(Gadget, changes.slice(1, 2), long));
      // As a version writes it that has another property.
      await write((t) => t.record(Gadget, changes.slice(1, 2), [{ ...title, column: 'heading' }]));
      const told = await read((snapshot) => snapshot.changes(Gadget, 0, 10));
      const expected = [null, ['title', 'list'], null, [], null, null];
      expect(told.map(({ properties }) => properties)).toEqual(expected);
      const { records } = await bench.store.readChanges({
        ...{ accountId: A, type: Gadget, since: 0, limit: 10, deadline: Infinity },
      });
      expect(records).toEqual(told);
    });

    it('a work that fails leaves no gap', async () => {
      await record('created');
      const failing = write(async (transaction) => {
        await transaction.record(Gadget, [{ objectId: 'r5', kind: 'created' }]);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await record('updated')).toBe(2);
    });

    it('old records are pruned from the front, in steps', async () => {
      await record('created', 'created', 'created');
      bench.now += 100;
      await record('updated', 'updated');
      // A clock that stepped back: an old time after a newer one must not leave a hole.
      bench.now -= 1000;
      await record('updated');
      await write((t) => t.record(Gadget, [{ objectId: 'r1', kind: 'created' }]), B);
      expect(await bench.store.pruneChanges(1_000_001, 2)).toBe(2);
      expect(await bench.store.pruneChanges(1_000_001, 100)).toBe(2);
      expect(await bench.store.pruneChanges(1_000_001, 100)).toBe(0);
      const kept = await read((snapshot) => snapshot.changes(Gadget, 0, 10));
      expect(kept.map((change) => change.number)).toEqual([4, 5, 6]);
      expect(await read((snapshot) => snapshot.changes(Gadget, 0, 10), B)).toEqual([]);
      expect(await read((snapshot) => snapshot.stateNumber(Gadget))).toBe(6);
    });

    it('reach listeners after the commit, in order, for each account', async () => {
      const heard: StateChange[] = [];
      const end = bench.store.onCommit((change) => heard.push(change));
      await Promise.all([record('created'), record('created', 'created')]);
      await write((t) => t.record(Gadget, [{ objectId: 'r1', kind: 'created' }]), B);
      await insert([gadget('r1')]);
      end();
      await record('updated');
      expect(heard).toEqual([
        { accountId: A, changed: { Gadget: '1' } },
        { accountId: A, changed: { Gadget: '3' } },
        { accountId: B, changed: { Gadget: '1' } },
      ]);
    });

    it('reach no listener if the work failed; a listener that throws harms no other', async () => {
      const heard: StateChange[] = [];
      bench.store.onCommit(() => {
        throw new Error('listener');
      });
      bench.store.onCommit((change) => heard.push(change));
      const failing = write(async (transaction) => {
        await transaction.record(Gadget, [{ objectId: 'r1', kind: 'created' }]);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await record('created')).toBe(1);
      expect(heard).toEqual([{ accountId: A, changed: { Gadget: '1' } }]);
    });
  });
}
