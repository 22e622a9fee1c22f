import { afterAll, describe, expect, it } from 'vitest';
import { BLOB_ID } from '../scripts/generator/random/serve.js';
import { usePostgresql } from '../support/postgresql.js';
import { generated, serveType, type Typed } from './rig.js';

const postgresql = usePostgresql();

// biome-ignore lint/suspicious/noTemplateCurlyInString: a name with all kinds of quotes
const QUOTED = 'it\'s "so" `${1}` */ \\';

const DATABASES = ['SQLite', 'PostgreSQL'] as const;

/** Servers of the first test's project, which is gone when the others run. */
const cards = new Map<string, Typed>();

afterAll(async () => {
  for (const { served } of cards.values()) await served.close();
});

it('generates types, tables and hooks of any names', async () => {
  const project = await generated('names.yaml', 'names.hooks.ts');
  const url = await postgresql().createDatabase('names');
  cards.set('SQLite', await serveType(project, 'Card'));
  cards.set('PostgreSQL', await serveType(project, 'Card', { url }));
  expect(await project.read('generated/names/Card.definition.ts')).toContain(
    "readonly '@type': 'Card';",
  );
});

describe.each(DATABASES)('on %s', (database) => {
  const card = (): Typed => cards.get(database) as Typed;

  it('properties of any name are written, patched, filtered and sorted by', () => names(card()));
  it('undeclared properties are kept, within bounds', () => unknown(card()));
  it('RFC 8620 5.3: a null patch removes a property that may be absent, and null stays apart', () =>
    optional(card().of('Bare')));
  it('constants are defaults, and nothing else is legal', () => constants(card().of('Bare')));
  it('rules, normal forms and references know of absent and undeclared properties', () =>
    together(card().of('Deal')));
});

async function names(card: Typed): Promise<void> {
  const given = {
    'example.com:color': 'Rêd',
    'header:Subject:asText': 'Hello',
    'a/b~c': 7,
    'tags/all': { 'x/y': true },
    [QUOTED]: 'yes',
    'line\nend': true,
    '42': 43,
    title: 'Some Title',
    title_folded: 'other',
    Title: 'third',
    due_date: 'soon',
    rowid: 5,
    accountId: 'mine',
    名前: 'n',
    // biome-ignore lint/suspicious/noThenProperty: a name like any other
    then: 'x',
    created: '2026-01-31T12:00:00.000Z',
  };
  const [id, told] = await card.create(given);
  expect(told).toEqual({
    id,
    updated: expect.any(String),
    '@type': 'Card',
    version: 1,
    lengthOf: 14,
    created: '2026-01-31T12:00:00Z',
  });
  const { due_date: dueDate, ...rest } = given;
  const whole = { ...rest, ...told, dueDate };
  expect(await card.get(id)).toEqual(whole);
  expect(await card.get(id, ['@type', 'a/b~c', '42', 'due_date'])).toEqual({
    id,
    '@type': 'Card',
    'a/b~c': 7,
    '42': 43,
    dueDate: 'soon',
  });
  const patched = await card.update(id, {
    'a~1b~0c': 8,
    'tags~1all/x~1y': null,
    'tags~1all/p~0q': true,
    'line\nend': null,
    [QUOTED.replace('/', '~1')]: null,
    title_folded: 'changed',
  });
  expect(patched).toEqual({ lengthOf: 16, 'line\nend': false, updated: expect.any(String) });
  const after = await card.get(id);
  expect(after).toMatchObject({ 'a/b~c': 8, 'tags/all': { 'p~q': true }, title_folded: 'changed' });
  expect(after).not.toHaveProperty([QUOTED]);
  expect(await card.query({ 'example.com:color': 'rÊD' })).toEqual([id]);
  expect(await card.query({ 'is@type': 'Card', 'a/b~c': 8 })).toEqual([id]);
  expect(await card.query({ 'a/b~c': 7 })).toEqual([]);
  expect(await card.query({ 'tag?': 'p~q', title: 'TITLE', title_folded: 'changed' })).toEqual([
    id,
  ]);
  expect(await card.query({ noName: true })).toEqual([]);
  const [other] = await card.create({ 'header:Subject:asText': 'Abc', 'a/b~c': 1 });
  for (const property of ['header:Subject:asText', 'a/b~c', 'created'])
    expect(await card.query({}, [{ property }]), property).toEqual([other, id]);
  expect(await card.query({ noName: true })).toEqual([other]);
  expect(await card.refuse({ 'a/b~c': 1 })).toMatchObject({
    type: 'alreadyExists',
    existingId: other,
  });
  expect(await card.refuse({ 'a~1b~0c': 'x', '@type': 'Group' }, other)).toEqual({
    type: 'invalidProperties',
    properties: ['@type', 'a/b~c'],
    description: '"@type" must be "Card"; "a/b~c" must be integer.',
  });
  expect(await card.refuse({ 'a/b': 1 }, other)).toMatchObject({ type: 'invalidPatch' });
}

async function unknown(card: Typed): Promise<void> {
  const given = {
    'example.com:note': { deep: [1, { a: null }] },
    'x-count': 3,
    some_thing: null,
    'a/b~c': 20,
  };
  const [id, told] = await card.create(given);
  expect(told).not.toHaveProperty('x-count');
  expect(await card.get(id)).toMatchObject(given);
  expect(await card.get(id, ['title'])).toEqual({ id, title: '' });
  expect(await card.call('get', { ids: [id], properties: ['x-count'] })).toMatchObject({
    error: 'invalidArguments',
  });
  expect(await card.query({ 'x-count': 3 })).toMatchObject({ error: 'unsupportedFilter' });
  expect(await card.query({}, [{ property: 'x-count' }])).toMatchObject({
    error: 'unsupportedSort',
  });
  expect(
    await card.update(id, {
      'example.com:note/deep': [2],
      'example.com:note/more': { x: 'y' },
      'x-count': null,
      fresh: 5,
      'x~1y': 'slash',
    }),
  ).toEqual({ updated: expect.any(String) });
  const now = await card.get(id);
  expect(now).toMatchObject({
    'example.com:note': { deep: [2], more: { x: 'y' } },
    fresh: 5,
    'x/y': 'slash',
    some_thing: null,
  });
  expect(now).not.toHaveProperty(['x-count']);
  expect(await card.update(id, { fresh: 5, 'x-count': null })).toBeNull();
  for (const name of [
    '',
    'cost',
    'constructor',
    '__proto__',
    'toString',
    'a\u0000b',
    'n'.repeat(129),
  ])
    expect(await card.refuse(JSON.parse(`{${JSON.stringify(name)}: 1}`)), name).toMatchObject({
      type: 'invalidProperties',
      properties: [name],
    });
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`m${at}`, at]));
  expect((await card.refuse({ ...many, 'a/b~c': 30 })).properties).toHaveLength(101);
  expect(await card.refuse({ big: 'x'.repeat(65_536) }, id)).toMatchObject({ properties: ['big'] });
  let deep: unknown = 1;
  for (let level = 0; level < 65; level += 1) deep = [deep];
  expect(await card.refuse({ deep }, id)).toMatchObject({ properties: ['deep'] });
  expect(await card.update(id, { wide: 'x'.repeat(60_000) })).not.toBeNull();
  // A hook removes this one.
  const [dropping, droppingTold] = await card.create({ 'x-drop': 1, 'a/b~c': 40 });
  expect(droppingTold).toMatchObject({ 'x-drop': null });
  expect(await card.update(dropping, { 'x-drop': 2 })).toMatchObject({ 'x-drop': null });
}

async function optional(bare: Typed): Promise<void> {
  const [id, told] = await bare.create({});
  const start = { id, shape: { kind: 'round', sizes: [1, 2] }, maybe: null, points: [] };
  expect(told).toEqual(start);
  expect(await bare.get(id)).toEqual(start);
  const [nulled] = await bare.create({ due: null, meta: null });
  expect(await bare.get(nulled)).toEqual({ ...start, id: nulled, due: null, meta: null });
  expect(await bare.query({ noDue: true })).toEqual([id, nulled]);
  expect(await bare.query({ due: null })).toEqual([id, nulled]);
  expect(await bare.refuse({ text: null })).toMatchObject({ properties: ['text'] });
  const set = {
    text: 'b',
    due: '2026-01-31T12:00:00Z',
    parentId: id,
    iconBlobId: BLOB_ID,
    code: 'c',
  };
  const [full, made] = await bare.create({ ...set, fixed: 'f', half: 1.5, secret: 's' });
  expect(made).toEqual({ ...start, id: full, words: 'B' });
  expect(await bare.get(full)).toEqual({ ...made, ...set, fixed: 'f', half: 1.5 });
  // The stored form is told though nothing changes.
  expect(await bare.update(full, { price: '7.50' })).toEqual({ price: '7.5' });
  expect(await bare.update(full, { price: '7.500' })).toEqual({ price: '7.5' });
  expect(await bare.update(full, { price: '7.5' })).toBeNull();
  expect(await bare.update(full, { price: null })).toBeNull();
  expect(await bare.get(full, ['text', 'half'])).toEqual({ id: full, text: 'b', half: 1.5 });
  expect(await bare.get(id, ['text', 'half', 'due'])).toEqual({ id });
  expect(await bare.query({ noText: false })).toEqual([full]);
  expect(await bare.query({ noText: true }, [{ property: 'due' }])).toEqual([id, nulled]);
  expect(await bare.query({}, [{ property: 'text', isAscending: false }])).toEqual([
    full,
    nulled,
    id,
  ]);
  // Nothing is computed of what is absent, and a client can't know that.
  expect(await bare.update(full, { text: null, due: null, iconBlobId: null })).toEqual({
    words: null,
  });
  const left = await bare.get(full);
  expect(Object.keys(left)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(text|iconBlobId|words)$/)]),
  );
  expect(left).toMatchObject({ due: null, parentId: id, code: 'c' });
  expect(await bare.update(full, { text: null })).toBeNull();
  expect(await bare.update(id, { due: null })).toBeNull();
  expect(await bare.get(id)).toEqual({ ...start, due: null });
  expect(await bare.refuse({ fixed: null }, full)).toMatchObject({ properties: ['fixed'] });
  expect(await bare.refuse({ fixed: 'new' }, id)).toMatchObject({ properties: ['fixed'] });
  expect(await bare.refuse({ code: 'c' }, id)).toMatchObject({ type: 'alreadyExists' });
  expect(await bare.update(full, { code: null })).toBeNull();
  const { destroyed } = await bare.call('set', { destroy: [id] });
  expect(destroyed).toEqual([id]);
  expect(await bare.get(full)).not.toHaveProperty('parentId');
}

async function constants(bare: Typed): Promise<void> {
  expect(await bare.refuse({ shape: { kind: 'flat' }, half: 2, maybe: 'no' })).toEqual({
    type: 'invalidProperties',
    properties: ['half', 'maybe', 'shape'],
    description: expect.stringMatching(
      /"half" must be 1\.5.*"maybe" must be one of "always", null.*"shape" must be {"kind"/,
    ),
  });
  expect(await bare.refuse({ points: [{ '@type': 'Dot' }, {}] })).toMatchObject({
    description: expect.stringContaining('"points/0/@type" must be "Point"'),
  });
  const [id] = await bare.create({ points: [{ '@type': 'Point', x: 1 }], maybe: 'always' });
  expect(await bare.get(id)).toMatchObject({
    points: [{ '@type': 'Point', x: 1 }],
    maybe: 'always',
  });
}

async function together(deal: Typed): Promise<void> {
  const [id, told] = await deal.create({ mark: 'One', day: '2026-02-01', tags: { Red: true } });
  expect(told).toMatchObject({ kind: 'deal', mark: 'one', tags: { red: true } });
  const [other] = await deal.create({ 'x-one': 1 });
  // Absent counts as null: it is equal to itself in `nulls: equal`, and empty for a rule.
  expect(await deal.refuse({})).toMatchObject({ type: 'alreadyExists', existingId: other });
  expect(await deal.refuse({ mark: null }, id)).toMatchObject({ type: 'alreadyExists' });
  expect(await deal.refuse({ mark: 'ONE' })).toMatchObject({ existingId: id });
  expect(await deal.refuse({ mark: 'x', status: 'sent' })).toMatchObject({
    properties: ['status', 'reason', 'linked'],
  });
  expect(await deal.update(id, { status: 'open' })).toEqual({ updated: expect.any(String) });
  expect(await deal.update(id, { status: null })).toEqual({ updated: expect.any(String) });
  expect(await deal.get(id)).not.toHaveProperty('status');
  await deal.update(id, { status: 'open' });
  expect(await deal.refuse({ status: 'sent', reason: ' ' }, id)).toMatchObject({
    properties: ['reason', 'linked'],
  });
  const { state } = await deal.call('get', { ids: [] });
  const changed = async (): Promise<unknown> =>
    (await deal.call('changes', { sinceState: state })).updatedProperties;
  const sent = { status: 'sent', reason: ' why ', linked: { [other]: ' to ' } };
  expect(await deal.update(id, sent)).toEqual({
    updated: expect.any(String),
    reason: 'why',
    linked: { [other]: 'to' },
  });
  await deal.update(id, { day: null, 'tags/RED': null, 'tags/Blue': true });
  expect(await changed()).toEqual(['updated', 'status', 'reason', 'day', 'tags', 'linked']);
  expect(await deal.get(id)).toMatchObject({ tags: { blue: true } });
  expect(await deal.query({ tag: 'BLUE' })).toEqual([id]);
  expect(await deal.query({ day: '2026-01-01' })).toEqual([]);
  expect(await deal.refuse({ linked: null }, id)).toMatchObject({ properties: ['linked'] });
  const { notDestroyed } = await deal.call('set', { destroy: [other] });
  expect(notDestroyed[other]).toMatchObject({ type: 'dealIsLinked', objectIds: [id] });
  // No client can ask for undeclared properties by their names.
  await deal.update(id, { 'x-two': '#k' });
  expect(await changed()).toBeNull();
  await deal.update(id, { status: 'paid' });
  for (const patch of [{ note: null }, { 'x-two': null }, { 'x-three': 3 }, { reason: null }])
    expect(await deal.refuse(patch, id)).toMatchObject({ properties: Object.keys(patch) });
  expect(await deal.update(id, { day: null, kind: 'deal', 'x-two': '#k' })).toBeNull();
  const [last] = await deal.create({ mark: 'two', nextId: other, note: ' A ' });
  expect(await deal.query({ note: 'a' })).toEqual([last]);
  await deal.call('set', { destroy: [id] });
  expect((await deal.call('set', { destroy: [other] })).destroyed).toEqual([other]);
  expect(await deal.get(last)).not.toHaveProperty('nextId');
}
