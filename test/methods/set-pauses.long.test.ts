import { describe, expect, it } from 'vitest';
import type { PropertyDefinition } from '../../src/capability/definition.js';
import { holdsBlobs, type Place } from '../../src/capability/places.js';
import { planCopy } from '../../src/methods/copy/draft-copies.js';
import { Problems } from '../../src/methods/issues.js';
import { canonicalSteps, draftCreate, newObject } from '../../src/methods/set/draft.js';
import { creationReport, dropEqual, updateReport } from '../../src/methods/set/report.js';
import { updateObject } from '../../src/methods/set/update.js';
import { indexOf } from '../../src/methods/type-index.js';
import { noteBlobs } from '../../src/methods/work/links.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { parseIJson } from '../../src/protocol/ijson.js';
import type { JsonObject, JsonValue } from '../../src/protocol/json.js';
import type { Steps } from '../../src/runtime/paused-work.js';
import type { BlobReference } from '../../src/store/port.js';
import { gadgetCapability, property } from './gadget.js';

// An object of a request may have 100,000 members. No step of a /set or a
// /copy may go over all of them at once.

const [gadget] = gadgetCapability.dataTypes;
if (gadget === undefined) throw new Error('The capability has no type.');
const index = indexOf(gadget);
const createdIds = { earlier: new Map(), own: new Map(), ownType: gadget.name };
const scene = { index, createdIds, author: 'client', now: 0 } as const;

const MANY = 99_999;

/** As many members; the number of each stands for the % of its name. */
function members(name: string, value: JsonValue): JsonObject {
  const texts = Array.from({ length: MANY }, (_, n) => {
    return `${JSON.stringify(name.replace('%', `${n}`))}:${JSON.stringify(value)}`;
  });
  return parseIJson(Buffer.from(`{${texts}}`)) as JsonObject;
}

const stored = (links: JsonObject = {}) =>
  newObject(index, { title: 'x', links }, { id: 'g', time: 0 });

/** A property that holds blobs there. */
const kept = (...blobs: readonly Place[]) => property('kept', 'json', { blobs });

function ofGadget(name: string): PropertyDefinition {
  const found = index.properties.get(name);
  if (found === undefined) throw new Error(`A gadget has no ${name}.`);
  return found;
}

function pauses(steps: Steps<unknown>): number {
  return [...steps].length;
}

describe('a /set pauses', () => {
  it('while it compares a value with the one that is stored', () => {
    const same = updateObject(scene, stored(members('r%', true)), { links: members('r%', true) });
    const other = updateObject(scene, stored(), { links: members('r%', true) });
    expect(pauses(same)).toBeGreaterThan(pauses(other) + 20);
  });

  it('while it looks for objects behind creation ids in pointers', () => {
    const plain = updateObject(scene, stored(), members('links/r%', true));
    const behind = updateObject(scene, stored(), members('links/#r%', true));
    expect(pauses(behind)).toBeGreaterThan(pauses(plain) + 10);
  });

  it.each<[string, PropertyDefinition, () => JsonValue]>([
    ['names of members', kept([{ each: 'key' }]), () => members('#b%', true)],
    ['values of members', kept([{ each: 'value' }]), () => members('m%', '#b')],
    ['items', kept([{ each: 'item' }]), () => Array<string>(MANY).fill('#b')],
    ['a set of references', ofGadget('links'), () => members('#r%', true)],
    ['a list of references', ofGadget('others'), () => Array<string>(MANY).fill('#r')],
  ])('while it looks for what is behind creation ids in %s', (_, holder, value) => {
    const steps = (of: PropertyDefinition) =>
      canonicalSteps(of, value(), { createdIds, problems: new Problems(), inexact: [] });
    expect(pauses(steps(holder))).toBeGreaterThan(pauses(steps(kept())) + 20);
  });

  it('while it looks for the blobs that an object names', () => {
    const [holder] = [kept([{ each: 'key' }])].filter(holdsBlobs);
    if (holder === undefined) throw new Error('The property holds blobs.');
    const after = { ...stored(), kept: members('b%', true) };
    const into = { removed: [], added: [] as BlobReference[] };
    const move = { objectId: 'g', before: null, after };
    expect(pauses(noteBlobs({ ...index, blobs: [holder] }, [move], into))).toBeGreaterThan(20);
    expect(into.added).toHaveLength(MANY);
  });

  it('between properties that the type does not have', () => {
    expect(pauses(updateObject(scene, stored(), members('no%', 1)))).toBeGreaterThan(10);
    expect(pauses(draftCreate({ ...scene, required: [] }, members('no%', 1)))).toBeGreaterThan(10);
  });

  it('while it looks for what its client does not know', () => {
    const links = () => members('r%', true);
    const report = creationReport(index, { title: 'x', links: links() }, stored(links()));
    expect(pauses(dropEqual(report))).toBeGreaterThan(20);
    const expected = new Map([['links', links()]]);
    expect(
      pauses(updateReport(index, expected, { before: stored(), after: stored(links()) })),
    ).toBeGreaterThan(20);
  });
});

describe('a /copy pauses', () => {
  it('while it judges what the copies override', () => {
    const plan = (links: JsonObject) =>
      planCopy(
        index,
        { k: { id: 'g', links } },
        { createdIds: new Map(), maximum: 1, ids: createIdGenerator() },
      );
    expect(pauses(plan(members('r%', true)))).toBeGreaterThan(pauses(plan({})) + 10);
  });

  it('while it looks for what its client does not know', () => {
    const [expected, copy] = [stored(members('r%', true)), stored(members('r%', true))];
    expect(pauses(dropEqual(creationReport(index, expected, copy)))).toBeGreaterThan(20);
  });
});
