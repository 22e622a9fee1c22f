import { describe, expect, it } from 'vitest';
import type { ReferenceRecord } from '../../../src/store/port.js';
import { Random } from '../../support/random.js';
import { ALL, Gadget, gadgets } from '../gadget.js';
import { B, type Bench } from './bench.js';

const PARENT = [{ type: 'Gadget', reference: 'parentId' }];

/** `b>a`: b has a as its parent. `b~a`: b has a among its links. `x!a`: another type's parentId. */
function records(text: string): readonly ReferenceRecord[] {
  return text.split(' ').map((word) => {
    const [, fromId = '', kind, toId = ''] = /^(\w+)([>~!])(\w+)$/.exec(word) ?? [];
    return {
      toType: 'Gadget',
      toId,
      fromType: kind === '!' ? 'Widget' : 'Gadget',
      fromId,
      reference: kind === '~' ? 'links' : 'parentId',
    };
  });
}

function said(found: readonly ReferenceRecord[]): readonly string[] {
  return found
    .map(({ fromType, fromId, reference, toId }) => {
      const kind = fromType === 'Widget' ? '!' : reference === 'links' ? '~' : '>';
      return `${fromId}${kind}${toId}`;
    })
    .sort();
}

export function referenceCases(bench: Bench): void {
  const { read, write } = bench;

  const add = (text: string, account?: string) =>
    write((transaction) => transaction.changeReferences([], records(text)), account);

  const referrers = async (ids: readonly string[], through = PARENT, limit = 100) =>
    said(await read((snapshot) => snapshot.referrers([{ type: 'Gadget', ids }], through, limit)));

  const ancestors = async (ids: readonly string[], limit = 100) =>
    said(await read((snapshot) => snapshot.ancestors(Gadget, 'parentId', ids, limit)));

  describe('references', () => {
    it('lead into the closure of what cascades, and no further', async () => {
      await add('b>a c>b d~b e~d f>d x!b y>z');
      expect(await referrers(['a'])).toEqual(['b>a', 'c>b', 'd~b', 'x!b']);
      expect(await referrers(['a'], [])).toEqual(['b>a']);
      const both = [...PARENT, { type: 'Gadget', reference: 'links' }];
      expect(await referrers(['a'], both)).toEqual(['b>a', 'c>b', 'd~b', 'e~d', 'f>d', 'x!b']);
      expect(await referrers(['c', 'none'])).toEqual([]);
      expect(await referrers([])).toEqual([]);
    });

    it('tell the types apart: an id of another type is another object', async () => {
      await add('x!a b>x');
      const widgets = [{ type: 'Widget', reference: 'parentId' }];
      expect(await referrers(['a'], widgets)).toEqual(['x!a']);
      const targets = [{ type: 'Widget', ids: ['x', 'a'] }];
      expect(await read((snapshot) => snapshot.referrers(targets, widgets, 10))).toEqual([]);
    });

    it('may go in a circle, and to themselves', async () => {
      await add('a>c b>a c>b d>d');
      expect(await referrers(['a'])).toEqual(['a>c', 'b>a', 'c>b']);
      expect(await referrers(['d', 'd'])).toEqual(['d>d']);
      expect(await ancestors(['a'])).toEqual(['a>c', 'b>a', 'c>b']);
      expect(await ancestors(['d'])).toEqual(['d>d']);
    });

    it('come once each, by however many ways they are reached', async () => {
      await add('b>a c>a d~b d~c d>b');
      expect(await referrers(['a', 'b', 'c'])).toEqual(['b>a', 'c>a', 'd>b', 'd~b', 'd~c']);
    });

    it('are at most one more than the limit', async () => {
      const many = Array.from({ length: 50 }, (_, index) => `n${index}>a`).join(' ');
      await add(many);
      expect(await referrers(['a'], PARENT, 10)).toHaveLength(11);
      expect(await referrers(['a'], PARENT, 49)).toHaveLength(50);
      expect(await referrers(['a'], PARENT, 50)).toHaveLength(50);
      const chain = Array.from({ length: 50 }, (_, index) => `c${index}>c${index + 1}`).join(' ');
      await add(chain);
      expect(await ancestors(['c0'], 10)).toHaveLength(11);
      expect(await ancestors(['c0'], 50)).toHaveLength(50);
    });

    it('lead up by one reference of one type', async () => {
      await add('a>b b>c c~d x!a e>b');
      expect(await ancestors(['a'])).toEqual(['a>b', 'b>c']);
      expect(await ancestors(['a', 'e', 'none'])).toEqual(['a>b', 'b>c', 'e>b']);
      expect(await ancestors(['x'])).toEqual([]);
      expect(await ancestors([])).toEqual([]);
    });

    it('of another account are never seen nor changed', async () => {
      await add('b>a', B);
      await add('a>c');
      expect(await referrers(['a'])).toEqual([]);
      await add('c>b');
      expect(await referrers(['a', 'b', 'c'])).toEqual(['a>c', 'c>b']);
      expect(await ancestors(['a', 'b'])).toEqual(['a>c', 'c>b']);
      await write((transaction) => transaction.changeReferences(records('b>a'), []));
      const theirs = await read((s) => s.ancestors(Gadget, 'parentId', ['b'], 10), B);
      expect(said(theirs)).toEqual(['b>a']);
    });

    it('are removed and added in one go; what is there already stays once', async () => {
      await add('b>a c>a');
      await write((transaction) =>
        transaction.changeReferences(records('b>a d>a'), records('c>a b~a')),
      );
      expect(await referrers(['a'])).toEqual(['b~a', 'c>a']);
      await write((transaction) => transaction.changeReferences(records('c>a'), records('c>a')));
      expect(await referrers(['a'])).toEqual(['b~a', 'c>a']);
    });

    it('agree with a walk over random graphs', async () => {
      const random = Random.fromEnvironment();
      const id = () => `n${random.integer(0, 30)}`;
      const all = [
        ...new Set(
          Array.from({ length: 60 }, () => `${id()}${random.pick(['>', '>', '~'])}${id()}`),
        ),
      ];
      await add(all.join(' '));
      for (let round = 0; round < 20; round += 1) {
        const roots = [id(), id()];
        const seed = `seed ${random.seed}, ${roots.join()}`;
        expect(await referrers(roots), seed).toEqual(walk(all, roots, 'down'));
        expect(await ancestors(roots), seed).toEqual(walk(all, roots, 'up'));
      }
    });

    it('follow a chain of 10,000 in one statement', async () => {
      const chain = Array.from({ length: 10_000 }, (_, index) => `c${index}>c${index + 1}`);
      await add(chain.join(' '));
      const ran = await bench.counted(async () => {
        expect(await ancestors(['c0'], 10_000)).toHaveLength(10_000);
        expect(await referrers(['c10000'], PARENT, 20_000)).toHaveLength(10_000);
      });
      expect(ran).toBe(2);
    });
  });

  describe('existence and number', () => {
    it('existing says which ids are there, of this account', async () => {
      await bench.insert(gadgets(3));
      await bench.insert(gadgets(4), B);
      const ids = ['r000000', 'r000002', 'r000003', 'R000001', ''];
      const found = await read((snapshot) => snapshot.existing(Gadget, ids));
      expect([...found].sort()).toEqual(['r000000', 'r000002']);
      expect(await read((snapshot) => snapshot.existing(Gadget, []))).toEqual(new Set());
    });

    it('objectCount follows creations and destructions, undone with their work', async () => {
      const count = (account?: string) => read((s) => s.objectCount(Gadget), account);
      const record = (text: string, account?: string) =>
        write(
          (transaction) =>
            transaction.record(
              Gadget,
              text.split(' ').map((word) => ({
                objectId: word.slice(1),
                kind: word.startsWith('+')
                  ? 'created'
                  : word.startsWith('-')
                    ? 'destroyed'
                    : 'updated',
              })),
            ),
          account,
        );
      expect(await count()).toBe(0);
      await record('+a +b +c =a');
      await record('+a', B);
      expect(await count()).toBe(3);
      await record('-a +d -b');
      expect(await count()).toBe(2);
      const failing = write(async (transaction) => {
        await transaction.record(Gadget, [{ objectId: 'e', kind: 'created' }]);
        expect(await transaction.objectCount(Gadget)).toBe(3);
        throw new Error('undone');
      });
      await expect(failing).rejects.toThrow('undone');
      expect([await count(), await count(B)]).toEqual([2, 1]);
      expect(await read((snapshot) => snapshot.count(Gadget, ALL))).toBe(0);
    });
  });
}

/** All records into (or out of, upwards) what is reached by `>`. */
function walk(
  all: readonly string[],
  roots: readonly string[],
  direction: 'up' | 'down',
): readonly string[] {
  const edges = all.map((text) => {
    const [from = '', to = ''] = text.split(/[>~]/);
    return {
      text,
      cascades: text.includes('>'),
      near: direction === 'up' ? from : to,
      far: direction === 'up' ? to : from,
    };
  });
  const reached = new Set(roots);
  for (const one of reached) {
    for (const { near, far, cascades } of edges) if (near === one && cascades) reached.add(far);
  }
  return edges
    .filter(({ near, cascades }) => reached.has(near) && (cascades || direction === 'down'))
    .map(({ text }) => text)
    .sort();
}
