import { expect, it } from 'vitest';
import type { DataTypeDefinition, PropertyDefinition } from '../../src/capability/definition.js';
import { UNKNOWN_PROPERTIES } from '../../src/capability/unknown-properties.js';
import { convertKept } from '../../src/hooks/convert-kept.js';
import {
  divideChanges,
  effectKind,
  type Kept,
  readKept,
  writeKept,
} from '../../src/hooks/kept-changes.js';
import { exactNumber, type JsonValue } from '../../src/protocol/json.js';
import { gadgetCapability, property } from '../methods/gadget.js';

// Tasks of a durable afterCommit that one version keeps and a later one does.

const [gadget] = gadgetCapability.dataTypes;
if (gadget === undefined) throw new Error('no gadget');

function typeWith(...properties: PropertyDefinition[]): DataTypeDefinition {
  return { ...(gadget as DataTypeDefinition), properties };
}

const id = property('id', 'string', { role: 'id', access: 'serverSet' });
const optional = { optional: true } as const;
const call = {
  ...{ userId: 'u1', method: 'Gadget/set', arguments: {}, createdIds: [['k', 'g1'] as const] },
  refused: ['k2'],
};

const before = typeWith(
  id,
  property('title', 'string', { required: true }),
  property('size', 'integer', { default: 1 }),
  property('note', 'string', { nullable: true, ...optional }),
  UNKNOWN_PROPERTIES,
);
const later = typeWith(
  id,
  property('label', 'string', { column: 'title', required: true }),
  // Another property has the former name, and so another column.
  property('title', 'integer', { column: 'title_2', default: 7 }),
  property('note', 'string', { nullable: true, ...optional }),
  property('color', 'string', optional),
  property('vendor', 'string', { nullable: true, default: null }),
  UNKNOWN_PROPERTIES,
);

let pauses = 0;
const slices = {
  isOver: () => true,
  next: async () => {
    pauses += 1;
  },
};

/** Of types that no file of `evolve/` converts. */
const stay = async <T>(values: T): Promise<T> => values;

/** Returns what one type keeps as another one gets it. */
async function pass(from: DataTypeDefinition, to: DataTypeDefinition, all: Kept): Promise<Kept> {
  return readKept(to, await writeKept(from, all, slices), slices, stay);
}

function kept(type: DataTypeDefinition): Promise<Kept> {
  const old = { id: 'g1', title: 'A', size: 2, note: null, 'x:y': [1], vendor: { a: 1 } };
  return pass(before, type, {
    call,
    changes: {
      created: [{ id: 'g2', title: 'B', size: 1 }],
      updated: [{ before: old, after: { ...old, title: 'C' } }],
      destroyed: [old],
    },
  });
}

it('the same version gets what was kept', async () => {
  const old = { id: 'g1', title: 'A', size: 2, note: null, 'x:y': [1], vendor: { a: 1 } };
  expect(await kept(before)).toEqual({
    call,
    changes: {
      created: [{ id: 'g2', title: 'B', size: 1 }],
      updated: [{ before: old, after: { ...old, title: 'C' } }],
      destroyed: [old],
    },
  });
});

it('a later version gets the names that properties have now', async () => {
  const now = { id: 'g1', label: 'A', title: 7, note: null, vendor: null, 'x:y': [1] };
  expect((await kept(later)).changes).toEqual({
    created: [{ id: 'g2', label: 'B', title: 7, vendor: null }],
    updated: [{ before: now, after: { ...now, label: 'C' } }],
    destroyed: [now],
  });
});

it('null in a property that is no longer nullable is what readers of rows see', async () => {
  const created = property('created', 'date', { role: 'created', access: 'serverSet' });
  const names = ['filled', 'timed', 'absent', 'null', 'plain'];
  const nullable = { nullable: true, default: null };
  const old = typeWith(id, created, ...names.map((name) => property(name, 'string', nullable)));
  const now = typeWith(
    ...[id, created, property('filled', 'string', { default: '' })],
    property('timed', 'date', { defaultNow: true }),
    property('absent', 'string', optional),
    property('null', 'string', { ...optional, nullable: true }),
    property('plain', 'string', nullable),
    property('timedSince', 'date', { defaultNow: true }),
  );
  const time = '2026-01-02T03:04:05Z';
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  const changes = { created: [{ id: 'g1', created: time, ...nulls }], updated: [], destroyed: [] };
  expect((await pass(old, now, { call, changes })).changes.created).toEqual([
    {
      ...{ id: 'g1', created: time, filled: '', timed: time, null: null, plain: null },
      timedSince: time,
    },
  ]);
});

it('numbers come back as numbers, however large and many they are', async () => {
  const type = typeWith(id, property('weight', 'number'), property('sizes', 'json'));
  // More than a client may send.
  const object = { id: 'g1', weight: 1e23, sizes: new Array<number>(10_001).fill(2 ** 60) };
  const changes = { created: [object], updated: [], destroyed: [] };
  // Of an argument that no schema describes.
  const inexact = exactNumber('9007199254740993') as unknown as JsonValue;
  const sent = { ...call, arguments: { inexact } };
  expect(await pass(type, type, { call: sent, changes })).toEqual({
    call: { ...call, arguments: { inexact: 2 ** 53 } },
    changes,
  });
});

it('a hook gets frozen objects', async () => {
  const { changes } = await kept(later);
  expect(Object.isFrozen(changes.created[0])).toBe(true);
  expect(Object.isFrozen(changes.updated[0]?.before)).toBe(true);
});

it('many changes are several tasks', () => {
  const objects = Array.from({ length: 700 }, (_, at) => ({ id: `g${at}` }));
  const updated = objects.map((object) => ({ before: object, after: object }));
  const parts = [...divideChanges({ created: objects, updated, destroyed: objects })];
  expect(parts).toEqual([
    { created: objects, updated: updated.slice(0, 300), destroyed: [] },
    { created: [], updated: updated.slice(300), destroyed: objects.slice(0, 600) },
    { created: [], updated: [], destroyed: objects.slice(600) },
  ]);
});

it('large objects are written and read in slices', async () => {
  const title = 'a'.repeat(1000);
  const created = Array.from({ length: 1000 }, (_, at) => ({ id: `g${at}`, title, size: 1 }));
  const changes = { created, updated: [], destroyed: [] };
  pauses = 0;
  const payload = await writeKept(before, { call, changes }, slices);
  expect(pauses).toBeGreaterThan(0);
  pauses = 0;
  expect((await readKept(before, payload, slices, stay)).changes).toEqual(changes);
  expect(pauses).toBeGreaterThan(5);
});

it('values of a version that knows a conversion are not converted again', async () => {
  const convert = () => expect.unreachable();
  const evolution = {
    ...{ migration: 7, file: 'evolve/0007-title.ts', table: 'Gadget', before: [id], convert },
    after: { title: { column: 'title_2', initial: 0 } },
  };
  const deadline = performance.now() + 2000;
  const conversions = {
    type: later,
    evolutions: [evolution],
    accountId: 'a1',
    timeout: 2000,
    deadline,
  };
  const former = { id: 'g1', title: 'A' };
  expect(await convertKept(former, 7, conversions)).toBe(former);
  // That version has deleted the file.
  const present = { id: 'g1', title_2: 0 };
  expect(await convertKept(present, 0, conversions)).toBe(present);
});

it('a renamed type keeps its tasks', () => {
  expect(effectKind({ ...before, name: 'Gizmo' } as DataTypeDefinition)).toBe(effectKind(before));
});
