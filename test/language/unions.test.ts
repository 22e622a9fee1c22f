import { afterAll, describe, expect, it } from 'vitest';
import { BLOB_ID } from '../scripts/generator/random/serve.js';
import { usePostgresql } from '../support/postgresql.js';
import { generated, serveType, type Typed } from './rig.js';

const postgresql = usePostgresql();

const DATABASES = ['SQLite', 'PostgreSQL'] as const;

/** Servers of the first test's project, which is gone when the others run. */
const contacts = new Map<string, Typed>();

afterAll(async () => {
  for (const { served } of contacts.values()) await served.close();
});

it('generates one type for a union and for a definition that contains itself', async () => {
  const project = await generated('unions.yaml');
  const url = await postgresql().createDatabase('unions');
  contacts.set('SQLite', await serveType(project, 'Contact'));
  contacts.set('PostgreSQL', await serveType(project, 'Contact', { url }));
  const text = await project.read('generated/unions/Contact.definition.ts');
  expect(text).toContain(`  readonly field: Person | {
    readonly '@type': 'Day';`);
  expect(text).toContain('  readonly maybe: Person | null;');
  expect(text).toContain('  readonly subParts?: readonly Part[];');
  expect(text).toContain('  readonly conditions: readonly Condition[];');
  for (const name of ['Person', 'Part']) expect(text.split(`interface ${name} `)).toHaveLength(2);
});

describe.each(DATABASES)('on %s', (database) => {
  const contact = (): Typed => contacts.get(database) as Typed;

  it('each branch has its formats, normal forms and references', () => branches(contact()));
  it('RFC 8620 5.3: a patch is judged by the branch of the object that it leaves', () =>
    patches(contact()));
  it('a branch may be that of objects without the member, or of all other values', () =>
    openBranches(contact()));
  it('RFC 8621 4.1.4: parts nest as deep as their definition says, and no deeper', () =>
    parts(contact()));
  it('RFC 8620 5.5: conditions within operators are stored and judged', () =>
    conditions(contact()));
});

/** The description of the SetError of a create, or of an update. */
async function refusal(contact: Typed, object: object, id?: string): Promise<string> {
  const { type, description } = await contact.refuse(object, id);
  expect(type).toBe('invalidProperties');
  return description;
}

async function branches(contact: Typed): Promise<void> {
  const [ann, told] = await contact.create({ name: 'Ann' });
  expect(told).toMatchObject({ field: { '@type': 'Day', value: '0' }, maybe: null, search: {} });
  expect(told).not.toHaveProperty('body');
  // The same member is a reference in one branch, a number in another, and text in a third.
  const [person] = await contact.create({ field: { '@type': 'Person', value: ann } });
  const [, day] = await contact.create({
    field: { '@type': 'Day', value: '1.50', notes: { Red: true } },
  });
  expect(day.field).toEqual({ '@type': 'Day', value: '1.5', notes: { red: true } });
  const [group] = await contact.create({
    field: { '@type': 'Group', value: '1.50', members: { [ann]: true } },
    list: [],
  });
  const refused = [
    [{ '@type': 'Person', value: 'none' }, '"field" refers at "value" to "none"'],
    [{ '@type': 'Day', value: ann }, '"field/value" must be a decimal of at most 40 digits'],
    [
      { '@type': 'Day', value: '1', note: '' },
      '"field/note" is not known, where "@type" is "Day".',
    ],
    [{ '@type': 'Person', note: '' }, '"field/value" is missing, where "@type" is "Person".'],
    [{ '@type': 'Other' }, '"field/@type" must be one of "Person", "Day", "Group".'],
    [{ value: 'x' }, '"field/@type" is missing.'],
    [{ '@type': 5 }, '"field/@type" must be one of "Person", "Day", "Group".'],
    ['Day', '"field" must be object.'],
    [null, '"field" must be object.'],
  ] as const;
  for (const [field, words] of refused)
    expect(await refusal(contact, { field }), JSON.stringify(field)).toContain(words);
  // Any text is one of a branch there.
  expect(await refusal(contact, { dates: { day: { '@type': 5 } } })).toBe(
    '"dates/day/@type" must be string.',
  );
  expect(
    await refusal(contact, { list: [{ '@type': 'Person', value: ann, x: 1 }], maybe: {} }),
  ).toBe('"list/0/x" is not known, where "@type" is "Person"; "maybe/@type" is missing.');
  // A creation id is one only where the branch has a reference.
  const { created, notCreated } = await contact.call('set', {
    create: {
      a: { field: { '@type': 'Person', value: '#b' } },
      b: { field: { '@type': 'Group', value: '#b' } },
    },
  });
  expect(notCreated).toBeNull();
  expect((await contact.get(created.a.id)).field.value).toBe(created.b.id);
  expect((await contact.get(created.b.id)).field.value).toBe('#b');
  // onDestroy: of Person cascade, of Group setNull.
  const gone = await contact.call('set', { destroy: [ann] });
  expect([...gone.destroyed].sort()).toEqual([ann, person].sort());
  expect((await contact.get(group)).field.members).toEqual({});
}

async function patches(contact: Typed): Promise<void> {
  const [ann] = await contact.create({ name: 'Ann' });
  const [id] = await contact.create({ field: { '@type': 'Group', members: { [ann]: true } } });
  await contact.update(id, { [`field/members/${ann}`]: null, 'field/value': 'x' });
  expect((await contact.get(id)).field).toEqual({ '@type': 'Group', value: 'x', members: {} });
  // A member that another branch has.
  expect(await refusal(contact, { 'field/notes': {} }, id)).toBe(
    '"field/notes" is not known, where "@type" is "Group".',
  );
  // A patch of the discriminator alone leaves members that the other branch lacks.
  expect(await refusal(contact, { 'field/@type': 'Day' }, id)).toBe(
    '"field/members" is not known, where "@type" is "Day".',
  );
  expect(await refusal(contact, { 'field/@type': null }, id)).toBe('"field/@type" is missing.');
  await contact.update(id, {
    'field/@type': 'Day',
    'field/value': '2.0',
    'field/members': null,
  });
  expect((await contact.get(id)).field).toEqual({ '@type': 'Day', value: '2' });
  // Keys have the form, and creation ids the meaning, of the branch that the patch leads to.
  await contact.update(id, { 'field/notes': {} });
  const told = await contact.update(id, { 'field/notes/Red': true });
  expect(told.field.notes).toEqual({ red: true });
  expect((await contact.get(id)).field.notes).toEqual({ red: true });
  await contact.update(id, {
    field: { '@type': 'Group', members: {} },
  });
  const answer = await contact.call('set', {
    create: { k: { name: 'Bob' } },
    update: { [id]: { 'field/members/#k': true } },
  });
  expect(answer.notUpdated).toBeNull();
  expect((await contact.get(id)).field.members).toEqual({ [answer.created.k.id]: true });
  await contact.update(id, { maybe: { '@type': 'Person', value: ann } });
  await contact.update(id, { maybe: null });
  expect((await contact.get(id)).maybe).toBeNull();
}

async function openBranches(contact: Typed): Promise<void> {
  const dates = {
    born: { year: 1990 },
    died: { '@type': 'PartialDate', year: 2020 },
    wed: { '@type': 'Timestamp', utc: '2026-01-31T12:00:00.000Z' },
    other: { '@type': 'example.com:Moon', phase: 3, deep: { a: [1] } },
  };
  const [id] = await contact.create({ dates });
  const stored = { ...dates, wed: { '@type': 'Timestamp', utc: '2026-01-31T12:00:00Z' } };
  expect((await contact.get(id)).dates).toEqual(stored);
  expect(await refusal(contact, { 'dates/wed/@type': null }, id)).toBe(
    '"dates/wed/utc" is not known, where "@type" is missing.',
  );
  expect(await refusal(contact, { 'dates/born/phase': 3 }, id)).toBe(
    '"dates/born/phase" is not known, where "@type" is missing.',
  );
  expect(await refusal(contact, { 'dates/wed/@type': 5 }, id)).toContain('"dates/wed/@type"');
  await contact.update(id, { 'dates/wed/@type': 'Other', 'dates/wed/phase': 4 });
  expect((await contact.get(id)).dates.wed).toEqual({
    '@type': 'Other',
    utc: '2026-01-31T12:00:00Z',
    phase: 4,
  });
}

async function parts(contact: Typed): Promise<void> {
  const [ann] = await contact.create({ name: 'Ann' });
  const leaf = { type: 'TEXT/Plain', blobId: BLOB_ID, friendId: ann };
  const two = { type: 'm/b', subParts: [leaf, { type: 'x' }] };
  const three = { type: 'm/a', subParts: [two] };
  const [id, told] = await contact.create({ body: three });
  const stored = { ...leaf, type: 'text/plain' };
  expect(told.body.subParts[0].subParts[0]).toEqual(stored);
  expect((await contact.get(id)).body.subParts[0].subParts).toEqual([stored, { type: 'x' }]);
  expect(await refusal(contact, { body: { type: 'm/c', subParts: [three] } })).toBe(
    '"body/subParts/0/subParts/0/subParts/0" lies deeper than the 3 levels that may nest.',
  );
  const unknown = {
    type: 'm/b',
    subParts: [{ type: 'm/b', subParts: [{ ...leaf, friendId: 'x' }] }],
  };
  expect(await refusal(contact, { body: unknown })).toContain('subParts/0/subParts/0/friendId');
  await contact.call('set', { destroy: [ann] });
  expect((await contact.get(id)).body.subParts[0].subParts[0].friendId).toBeNull();
  await contact.update(id, { body: null });
  expect(await contact.get(id)).not.toHaveProperty('body');
}

async function conditions(contact: Typed): Promise<void> {
  const at = (depth: number): object =>
    depth === 1
      ? { text: 'a', after: '2026-01-31T12:00:00.000Z' }
      : { operator: 'AND', conditions: [at(depth - 1)] };
  const [id] = await contact.create({ search: at(8) });
  let inner = (await contact.get(id)).search;
  for (let depth = 8; depth > 1; depth -= 1) inner = inner.conditions[0];
  expect(inner).toEqual({ text: 'a', after: '2026-01-31T12:00:00Z' });
  expect(await refusal(contact, { search: at(9) })).toMatch(
    /^"search.*" lies deeper than the 8 levels that may nest, where "operator" is "AND"[.]$/,
  );
  expect(await refusal(contact, { search: { operator: 'XOR', conditions: [] } })).toBe(
    '"search/operator" must be one of "AND", "OR", "NOT".',
  );
  expect(await refusal(contact, { search: { conditions: [] } })).toBe(
    '"search/conditions" is not known, where "operator" is missing.',
  );
}
