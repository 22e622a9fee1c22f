import { describe, expect, it } from 'vitest';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import { LinkJudge } from '../../src/methods/set/judge-links.js';
import type { ProposedChanges } from '../../src/methods/set/proposed-changes.js';
import { KnownObjects } from '../../src/methods/set/relations.js';
import { indexOf } from '../../src/methods/type-index.js';
import { UnitOfWork } from '../../src/methods/work/unit.js';
import type { StoredObject, Transaction } from '../../src/store/port.js';
import { described } from './described-type.js';
import { gadgetCapability } from './gadget.js';
import type { Json } from './rig.js';

const [GADGET] = gadgetCapability.dataTypes as [DataTypeDefinition];

/** Every slice is over when it is looked at; the turns that others had. */
function countTurns() {
  const counted = {
    turns: 0,
    isOver: () => true,
    next: async () => {
      counted.turns += 1;
    },
  };
  return counted;
}

function linked(id: string, count: number): StoredObject {
  const names = Array.from({ length: count }, (_, n) => `r${String(n).padStart(20, '0')}`);
  const links = Object.fromEntries(names.map((name) => [name, true]));
  return { id, links } as unknown as StoredObject;
}

const USER = { userId: 'u1', part: null };

describe('objects that refer to many others', () => {
  it('look them up a few thousand at a time, with turns for others in between', async () => {
    const slices = countTurns();
    const asked: number[] = [];
    const complaints: string[] = [];
    const rows = ['a', 'b'].map(
      (id) => [id, { id, before: null, after: linked(id, 25_000) }] as const,
    );
    const changes = {
      index: indexOf(GADGET),
      rows: new Map<string, unknown>(rows),
      refusals: 0,
      births: new Set(),
      holds: () => false,
      complain: ({ id }: { id: string }) => complaints.push(id),
    } as unknown as ProposedChanges;
    const transaction = {
      existing: async (_: unknown, ids: readonly string[]) => {
        asked.push(ids.length);
        return new Set();
      },
    } as unknown as Transaction;
    const unit = new UnitOfWork(transaction, USER, slices);
    const objects = new KnownObjects(unit, new Map([['Gadget', GADGET]]));
    await new LinkJudge(changes, unit, { objects, named: objects }).judge();
    expect(asked).toEqual([10_000, 10_000, 5000]);
    expect(complaints).toEqual(['a', 'b']);
    // Before each row is read, after every 4,096 of its ids, before each question and each row
    // judged.
    expect(slices.turns).toBe(2 + 12 + 3 + 2);
  });

  it('have their references written a few thousand at a time', async () => {
    const slices = countTurns();
    const written: number[] = [];
    const transaction = {
      writeRows: async () => undefined,
      changeReferences: async (removed: readonly unknown[], added: readonly unknown[]) => {
        expect(removed).toHaveLength(0);
        written.push(added.length);
      },
    } as unknown as Transaction;
    const unit = new UnitOfWork(transaction, USER, slices);
    unit.create(GADGET, linked('a', 12_000));
    await unit.flush();
    expect(written).toEqual([5000, 5000, 2000]);
    expect(slices.turns).toBeGreaterThan(3);
  });
});

describe('objects that name many blobs', () => {
  it('have them looked for and written a few thousand at a time', async () => {
    const { capability } = described({
      Page: { properties: { album: { setOf: 'blob', default: {} } } },
    });
    const [page] = capability.dataTypes as [DataTypeDefinition];
    const slices = countTurns();
    const [asked, written]: [number[], number[]] = [[], []];
    const transaction = {
      writeRows: async () => undefined,
      blobs: async (ids: readonly string[]) => {
        asked.push(ids.length);
        return ids.map((id) => ({ id }));
      },
      changeBlobReferences: async (_removed: unknown, added: readonly unknown[]) => {
        written.push(added.length);
      },
    } as unknown as Transaction;
    const unit = new UnitOfWork(transaction, USER, slices);
    const { links: album, ...object } = linked('a', 12_000) as Json;
    unit.create(page, { ...object, album });
    await unit.flush();
    expect([asked, written]).toEqual([
      [10_000, 2000],
      [5000, 5000, 2000],
    ]);
    // The insert; the object and every 4,096 of its names; two statements that look, three that
    // write.
    expect(slices.turns).toBe(1 + (1 + 2) + 2 + 3);
  });
});
