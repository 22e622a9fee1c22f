import { expect, test } from 'vitest';
import { generatedOf, serveType, type Typed } from '../language/rig.js';
import { usePostgresql } from '../support/postgresql.js';

// Properties that a hook computes when they are read, and a standard method of a type's own.

const RAW = [
  'Subject:  Hello',
  'To: ann, bob',
  'Received: one',
  'Received: two',
  'Date: 2026-01-02T03:04:05Z',
  '',
  'What a long body this letter has.',
].join('\n');

const postgresql = usePostgresql();

async function judgeAlways(letters: Typed, id: string): Promise<void> {
  const { list } = await letters.call('get', { ids: [id] });
  const { created, updated, ...rest } = list[0];
  expect([typeof created, typeof updated]).toEqual(['string', 'string']);
  expect(rest).toEqual({
    ...{ id, folder: '', seen: false },
    ...{ preview: 'What a long body thi', sentAt: '2026-01-02T03:04:05Z', postage: 7 },
  });
  const named = async (...properties: readonly string[]) =>
    (await letters.call('get', { ids: [id], properties })).list[0];
  expect(await named('preview')).toEqual({ id, preview: 'What a long body thi' });
  expect(await named('lineCount', 'raw')).toEqual({ id, raw: RAW, lineCount: 7 });
  expect(await named('line_count')).toEqual({ id, lineCount: 7 });
  expect(await named('folder')).toEqual({ id, folder: '' });
}

async function judgeFamily(letters: Typed, id: string): Promise<void> {
  const names = ['header:Subject', 'header:subject:asText', 'header:To:asList'];
  const properties = [...names, 'header:Received:asText:all', 'header:Received', 'header:X:all'];
  const { list } = await letters.call('get', { ids: [id], properties });
  expect(list).toEqual([
    {
      id,
      'header:Subject': '  Hello',
      'header:subject:asText': 'Hello',
      'header:To:asList': ['ann', 'bob'],
      'header:Received:asText:all': ['one', 'two'],
      'header:Received': ' two',
      'header:X:all': [],
    },
  ]);
}

async function judgeBadNames(letters: Typed, id: string): Promise<void> {
  const described = async (...properties: readonly string[]) => {
    const answer = await letters.call('get', { ids: [id], properties });
    expect(answer).toMatchObject({ error: 'invalidArguments' });
    return answer.description as string;
  };
  const legal =
    'Letter has id, created, updated, raw, folder, seen, preview, bodyValue, sentAt, postage, ' +
    'lineCount, header:*.';
  expect(await described('nope')).toBe(`"properties": no property "nope". ${legal}`);
  expect(await described('header:')).toContain(
    'no property "header:" of header:*: "field" is missing.',
  );
  expect(await described('header:A:asDate')).toContain(
    'no property "header:A:asDate" of header:*: "form" is one of asRaw, asText, asList.',
  );
  expect(await described('header:A:asText:all:more')).toContain('it has further parts');
  expect(await described('header:*', 'stamp')).toContain('no property "stamp"');
  expect(await described('header:Bcc')).toBe('Nobody reads Bcc.');
}

async function judgeArguments(letters: Typed, id: string): Promise<void> {
  const properties = ['bodyValue'];
  const read = async (args: object) =>
    (await letters.call('get', { ids: [id], properties, ...args })).list[0];
  expect(await read({})).toEqual({ id });
  expect(await read({ fetchBody: true })).toEqual({
    id,
    bodyValue: { value: 'What a long body this letter has.', isTruncated: false },
  });
  expect(await read({ fetchBody: true, maxBodyBytes: 4 })).toEqual({
    id,
    bodyValue: { value: 'What', isTruncated: true },
  });
}

async function judgeWrites(letters: Typed, id: string): Promise<void> {
  const written = [
    { preview: 'x' },
    { lineCount: 1 },
    { line_count: 1 },
    { 'header:Subject': 'x' },
  ];
  for (const values of written) {
    const [name = ''] = Object.keys(values);
    const { notCreated, notUpdated } = await letters.call('set', {
      create: { k: { raw: RAW, ...values } },
      update: { [id]: values },
    });
    const refused = {
      type: 'invalidProperties',
      properties: [name],
      description: `"${name}" is computed when it is read.`,
    };
    expect([notCreated.k, notUpdated[id]]).toEqual([refused, refused]);
  }
  const sorted = await letters.call('query', { sort: [{ property: 'preview' }] });
  expect(sorted).toMatchObject({ error: 'unsupportedSort' });
  const filtered = await letters.call('query', { filter: { preview: 'x' } });
  expect(filtered).toMatchObject({ error: 'unsupportedFilter' });
}

/** RFC 8620 5.3: what the server computes may be in a patch as it is. */
async function judgeWholeObjects(letters: Typed, id: string): Promise<void> {
  const families = { 'header:Subject': '  Hello', 'header:To:asList': ['ann', 'bob'] };
  const [object] = (await letters.call('get', { ids: [id] })).list;
  const update = async (patches: object) => letters.call('set', { update: patches });
  const whole = { ...object, ...families, line_count: 7 };
  expect((await update({ [id]: whole })).updated).toEqual({ [id]: null });
  const stale = { ...whole, seen: true, preview: 'x', 'header:To:asList': ['ann'] };
  const refusal = (...properties: readonly string[]) => ({
    type: 'invalidProperties',
    properties,
    description: `${properties.map((name) => `"${name}" is computed when it is read`).join('; ')}.`,
  });
  expect((await update({ [id]: stale })).notUpdated).toEqual({
    [id]: refusal('preview', 'header:To:asList'),
  });
  // The hook refuses the call where a /get asks for this one.
  expect((await update({ [id]: { ...object, 'header:Bcc': 'x' } })).notUpdated).toMatchObject({
    [id]: { type: 'invalidProperties' },
  });
  const none = `r${'0'.repeat(26)}`;
  const mixed = await update({ [none]: whole, [id]: { ...whole, seen: true } });
  expect(Object.keys(mixed.updated)).toEqual([id]);
  expect(mixed.notUpdated).toMatchObject({ [none]: { type: 'notFound' } });
  await letters.update(id, { seen: false });
  await judgeOddPatches(letters, id);
}

/** Names and values that the hook doesn't know, beside one that is as it is. */
async function judgeOddPatches(letters: Typed, id: string): Promise<void> {
  const preview = 'What a long body thi';
  const update = async (patch: object, args: object = {}) =>
    letters.call('set', { update: { [id]: { ...patch, preview } }, ...args });
  const refused = async (name: string, patch: object, args?: object) =>
    expect((await update(patch, args)).notUpdated).toMatchObject({ [id]: { properties: [name] } });
  await refused('__proto__', { ['__proto__']: {} });
  await refused('stamp', { stamp: 7 });
  await refused('header:To:asDate', { 'header:To:asDate': null });
  // The argument is that of /set, and says nothing to a hook of /get.
  const bodyValue = { value: 'What a long body this letter has.', isTruncated: false };
  await refused('bodyValue', { bodyValue }, { fetchBody: true });
  // Null for what is absent changes nothing, however many there are.
  const names = Array.from({ length: 1001 }, (_, n) => [`undeclared${n}`, null]);
  const absent = { bodyValue: null, ...Object.fromEntries(names) };
  expect((await update(absent)).updated).toEqual({ [id]: null });
}

/** Of a singleton that nobody has written, as well. */
async function judgeSingleton(boxes: Typed): Promise<void> {
  const update = async (patch: object) => boxes.call('set', { update: { singleton: patch } });
  expect((await update({ isRed: true })).updated).toEqual({ singleton: null });
  expect((await update({ isRed: false })).notUpdated).toMatchObject({
    singleton: { properties: ['isRed'] },
  });
  // The hook of the method sees such an update, too.
  const refused = { error: 'invalidArguments', description: 'No box is black.' };
  expect(await update({ colour: 'black' })).toMatchObject(refused);
  expect(await update({ colour: 'black', isRed: true })).toMatchObject(refused);
}

async function judgeChanges(letters: Typed, id: string): Promise<void> {
  const changed = async (patch: object) => {
    const { state } = await letters.call('get', { ids: [] });
    await letters.update(id, patch);
    return (await letters.call('changes', { sinceState: state })).updatedProperties;
  };
  expect(await changed({ seen: true })).toEqual(['updated', 'seen']);
  expect(await changed({ folder: 'a' })).toEqual(['updated', 'folder', 'postage']);
  // Names of the family follow it, too, and nobody can list them.
  expect(await changed({ raw: `${RAW}!` })).toBeNull();
  await letters.update(id, { raw: RAW, folder: '', seen: false });
}

async function judgeWrongAnswers(letters: Typed): Promise<void> {
  const [id] = await letters.create({ raw: RAW, folder: 'free' });
  await expect(letters.call('get', { ids: [id], properties: ['postage'] })).rejects.toThrow(
    'answer of Letter gave -1, which the descriptor does not allow: "postage" must be >= 0.',
  );
}

async function judgeOwnMethod(parcels: Typed): Promise<void> {
  const { id, newState } = await parcels.call('set', { contents: [1, 2, 3] });
  expect(newState).toBe('1');
  const { list } = await parcels.call('get', { ids: [id] });
  expect(list).toMatchObject([{ id, weight: 6 }]);
  expect(await parcels.call('set', { create: {} })).toMatchObject({ error: 'invalidArguments' });
  const { created } = await parcels.call('changes', { sinceState: '0' });
  expect(created).toEqual([id]);
  expect(await parcels.call('query')).toMatchObject({ error: 'unknownMethod' });
}

test('properties are computed when they are read, on both databases', async () => {
  const project = await generatedOf('shapes', 'letters.yaml', 'letters.hooks.ts');
  const created = await postgresql().createDatabase('letters');
  for (const url of [undefined, created]) {
    const letters = await serveType(project, 'Letter', { url });
    try {
      const [id, told] = await letters.create({ raw: RAW });
      expect(Object.keys(told)).not.toContain('preview');
      await judgeAlways(letters, id);
      await judgeFamily(letters, id);
      await judgeBadNames(letters, id);
      await judgeArguments(letters, id);
      await judgeWrites(letters, id);
      await judgeWholeObjects(letters, id);
      await judgeSingleton(letters.of('Postbox'));
      await judgeChanges(letters, id);
      await judgeOwnMethod(letters.of('Parcel'));
      // The last one: the server tells of the failure again and again.
      await judgeWrongAnswers(letters);
    } finally {
      await letters.served.close();
    }
  }
});
