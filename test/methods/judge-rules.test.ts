import { describe, expect, it } from 'vitest';
import type { DataTypeDefinition, TypeRules } from '../../src/capability/definition.js';
import { newObject } from '../../src/methods/set/draft.js';
import { RuleJudge } from '../../src/methods/set/judge-rules.js';
import { ProposedChanges, type UpdateOperation } from '../../src/methods/set/proposed-changes.js';
import { indexOf } from '../../src/methods/type-index.js';
import type { JsonObject } from '../../src/protocol/json.js';
import { finish } from '../../src/runtime/paused-work.js';
import { gadgetCapability } from './gadget.js';

// Objects that a version without the rules has stored: no client makes them any more.

const [gadget] = gadgetCapability.dataTypes;
if (gadget === undefined) throw new Error('The capability has no type.');

/** Returns the SetErrors of updates of one stored object, in order; null for those that stand. */
function judge(
  rules: TypeRules,
  stored: JsonObject,
  patches: readonly JsonObject[],
  author: 'client' | 'hook' = 'client',
) {
  const type: DataTypeDefinition = { ...(gadget as DataTypeDefinition), rules };
  const index = indexOf(type);
  const object = { ...newObject(index, {}, { id: 'g', time: 0 }), ...stored };
  const updates = patches.map((patch, n): UpdateOperation => {
    const target = { kind: 'update', key: `${n}`, id: 'g' } as const;
    return { ...target, patch, sent: patch, refused: null, effect: null, error: null };
  });
  const createdIds = { earlier: new Map(), own: new Map(), ownType: type.name };
  const before = new Map([['g', object]]);
  const scene = { index, known: index, createdIds, author, now: 0 };
  const changes = new ProposedChanges(scene, { creates: [], updates, before });
  finish(changes.makeRows());
  const rulesJudge = new RuleJudge(changes);
  while (rulesJudge.judge()) expect(changes.refusals).toBeLessThanOrEqual(patches.length);
  return updates.map(({ error }) => error?.description ?? null);
}

describe('a stored object that breaks a rule', () => {
  const required: TypeRules = {
    required: [{ when: [{ property: 'title', values: ['sent'] }], properties: ['code'] }],
  };

  it('stays as it is under an update that concerns no property of the rule', () => {
    expect(judge(required, { title: 'sent', code: null }, [{ ownerId: 'x' }])).toEqual([null]);
    expect(judge(required, { title: 'sent', code: 'a' }, [{ code: null }])).toEqual([
      '"code" must be neither null nor empty while "title" is "sent".',
    ]);
    expect(judge(required, { title: 'draft', code: null }, [{ title: 'sent' }])).toEqual([
      '"code" must be neither null nor empty while "title" is "sent".',
    ]);
  });

  it('has a way out of a value that the schema doesn’t allow any more', () => {
    const steps = [{ from: 'draft', to: ['sent'] }];
    const rule = { property: 'title', steps };
    const stored = { title: 'old' };
    expect(judge({ transitions: [rule] }, stored, [{ title: 'sent' }])).toEqual([
      '"title" can\'t change from "old" to "sent": legal is nothing else.',
    ]);
    const complete = { ...rule, isComplete: true } as const;
    expect(judge({ transitions: [complete] }, stored, [{ title: 'sent' }])).toEqual([null]);
  });
});

describe('updates of one object in one call', () => {
  const steps = [
    { from: 'draft', to: ['sent'] },
    { from: 'sent', to: ['paid', 'draft'] },
  ];
  const rules: TypeRules = { transitions: [{ property: 'title', steps }] };

  it('take one step together: the last one that goes further is refused', () => {
    const far = [{ title: 'sent' }, { title: 'paid' }];
    expect(judge(rules, { title: 'draft' }, far)).toEqual([
      null,
      '"title" can\'t change from "draft" to "paid": legal is "sent".',
    ]);
    const back = [{ title: 'paid' }, { title: 'draft' }];
    expect(judge(rules, { title: 'draft' }, back)).toEqual([null, null]);
  });

  it('may put back what one of them changed of a locked object', () => {
    const when = [{ property: 'title', values: ['draft'], isNot: true } as const];
    const lock: TypeRules = { immutable: [{ when, properties: ['code'], error: 'isKept' }] };
    const stored = { title: 'sent', code: 'a' };
    expect(judge(lock, stored, [{ code: 'b' }, { code: 'a' }])).toEqual([null, null]);
    expect(judge(lock, stored, [{ code: 'b' }])).toEqual([
      '"code" must stay as it is while "title" is not "draft".',
    ]);
    expect(judge(lock, stored, [{ code: 'b' }], 'hook')).toEqual([null]);
  });
});
