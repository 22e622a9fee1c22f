import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newObject } from '../../src/methods/set/draft.js';
import {
  type CreateOperation,
  ProposedChanges,
  type UpdateOperation,
} from '../../src/methods/set/proposed-changes.js';
import { indexOf } from '../../src/methods/type-index.js';
import { setError } from '../../src/protocol/errors.js';
import type { JsonObject } from '../../src/protocol/json.js';
import { finish } from '../../src/runtime/paused-work.js';
import type { StoredObject } from '../../src/store/port.js';
import { gadgetCapability } from './gadget.js';

const [gadget] = gadgetCapability.dataTypes;
if (gadget === undefined) throw new Error('The capability has no type.');
const index = indexOf(gadget);
const createdIds = { earlier: new Map(), own: new Map(), ownType: gadget.name };
const scene = { index, known: index, createdIds, author: 'client', now: 0 } as const;

const gadgetOf = (id: string) => newObject(index, { title: 'x' }, { id, time: 0 });
const before = new Map([['g', gadgetOf('g')]]);
const refusal = setError('forbidden', 'No.');

const updatesOf = (...entries: readonly (readonly [id: string, patch: JsonObject])[]) =>
  entries.map(([id, patch], n): UpdateOperation => {
    return {
      kind: 'update',
      key: `${n}`,
      id,
      patch,
      sent: patch,
      refused: null,
      effect: null,
      error: null,
    };
  });

function propose(
  updates: readonly UpdateOperation[],
  compute?: (object: StoredObject) => StoredObject,
): ProposedChanges {
  const object = gadgetOf('new');
  const create: CreateOperation = {
    ...{ kind: 'create', key: 'k', id: 'new', sent: {}, object, error: null },
  };
  const changes = new ProposedChanges(scene, { creates: [create], updates, before }, compute);
  finish(changes.makeRows());
  return changes;
}

describe('an update that is refused', () => {
  it('has none of the updates before it applied again', () => {
    let computed = 0;
    const compute = (object: StoredObject) => {
      computed += 1;
      return object;
    };
    const updates = updatesOf(['g', { title: 'a' }], ['g', { code: 'b' }], ['g', { title: 'c' }]);
    const changes = propose(updates, compute);
    computed = 0;
    changes.refuse(updates[2] as UpdateOperation, refusal);
    expect(computed).toBe(0);
    expect(changes.rows.get('g')?.after).toMatchObject({ title: 'a', code: 'b' });
    changes.refuse(updates[0] as UpdateOperation, refusal);
    expect(changes.rows.get('g')?.after).toMatchObject({ title: 'x', code: 'b' });
  });

  it('leaves the object as the other updates make it', () => {
    const patch = fc.constantFrom<JsonObject>(
      { title: 'x' },
      { title: 'y' },
      { code: 'c', slot: 1 },
      { links: { a: true } },
      { 'links/a': true },
      { 'links/b': true },
      { 'links/a': null },
      { links: 3 },
      { slot: null },
    );
    const entries = fc.array(fc.tuple(fc.constantFrom('g', 'new', 'none'), patch), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        entries,
        fc.array(fc.nat(5), { maxLength: 4 }),
        fc.boolean(),
        (all, order, too) => {
          const updates = updatesOf(...all);
          const changes = propose(updates);
          for (const at of order) {
            const update = updates[at];
            if (update !== undefined) changes.refuse(update, refusal);
          }
          if (too) changes.refuse(changes.creates[0] as CreateOperation, refusal);
          const rest = propose(updates.filter(({ error }) => error === null));
          if (too) rest.refuse(rest.creates[0] as CreateOperation, refusal);
          expect(changes.rows).toStrictEqual(rest.rows);
        },
      ),
      { numRuns: 500 },
    );
  });
});
