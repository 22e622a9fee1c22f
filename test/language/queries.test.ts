import { afterAll, describe, expect, it } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { expectPlans, type Planned } from './query-plans.js';
import { generated, serveType, type Typed } from './rig.js';

const postgresql = usePostgresql();

const DATABASES = ['SQLite', 'PostgreSQL'] as const;

/** Servers of the first test's project, which is gone when the others run. */
const messages = new Map<string, Typed>();

afterAll(async () => {
  for (const { served } of messages.values()) await served.close();
});

it('generates conditions and sorts on parts, internal properties and keys', async () => {
  const project = await generated('queries.yaml', 'queries.hooks.ts');
  const url = await postgresql().createDatabase('queries');
  messages.set('SQLite', await serveType(project, 'Message'));
  messages.set('PostgreSQL', await serveType(project, 'Message', { url }));
  expect(await project.read('generated/queries/Contact.definition.ts')).toContain(
    "readonly 'name/given'?: string | null;",
  );
  expect(await project.read('docs/reference/capabilities/queries.md')).toMatch(
    /"inMailboxOtherThan": \[\s*"/,
  );
  await expectPlans(project, url, PLANNED);
});

/** Queries that indexes answer: of several properties, of parts, of internal properties. */
const PLANNED: readonly Planned[] = [
  {
    type: 'Message',
    filter: { list: 'one' },
    sort: [{ property: 'subject' }],
    index: /Message_accountId_list_subject_casemap_id_idx/,
  },
  {
    type: 'Message',
    filter: null,
    sort: [{ property: 'from' }],
    index: /Message_accountId_fromKey_casemap_id_idx/,
  },
  {
    type: 'Contact',
    filter: null,
    sort: [{ property: 'place/city', isAscending: false }],
    index: /Contact_accountId_place_at_\w+_part_casemap_id_idx|Contact_[0-9a-f]{12}_idx/,
  },
  {
    type: 'Contact',
    filter: { cityIs: 'Köln' },
    sort: [],
    index: /Contact_accountId_place_at_\w+_part_id_idx|Contact_[0-9a-f]{12}_idx/,
  },
];

/** Objects by the names that tests give them. */
type Named = Readonly<Record<string, object>>;

const MESSAGES: Named = {
  a: {
    mailboxIds: { inbox: true },
    keywords: { $seen: true },
    role: 'inbox',
    size: 10,
    subject: 'Über uns',
    labels: ['x'],
    from: [{ name: 'Zoë', email: 'zoe@example.com' }],
    headers: { 'list-id': 'The JMAP list', 'a"%': 'é' },
    received: '2026-01-03T00:00:00Z',
    list: 'one',
  },
  b: {
    mailboxIds: { inbox: true, work: true },
    keywords: { $SEEN: true, $flagged: true },
    size: 20,
    subject: 'b',
    headers: { 'list-id': '' },
    from: [{ email: 'ann@example.com' }, { name: 'Bob', email: 'bob@example.org' }],
    received: '2026-01-01T00:00:00Z',
    list: 'one',
  },
  c: {
    mailboxIds: { work: true },
    size: 30,
    subject: 'C',
    labels: ['x', 'y'],
    from: [{ name: null, email: 'Ulla@example.com' }],
    received: null,
    list: 'two',
  },
  d: { size: 20, list: 'one' },
};

const CONTACTS: Named = {
  e: {
    uid: '1',
    name: {
      full: 'Ann Lee',
      components: [
        { kind: 'surname', value: 'Lee' },
        { kind: 'given', value: 'ann', language: 'DE-ch' },
        { kind: 'given', value: 'Zoe' },
      ],
    },
    emails: {
      home: {
        address: 'Ann@example.com',
        pref: 2,
        since: '2026-01-01T00:00:00+01:00',
        checked: true,
      },
      away: { address: 'lee@example.org', pref: 5, at: '2026-02-01T00:00:00Z', checked: true },
    },
    addressOfTheHouseholdWork: { city: 'Bonn' },
    place: { city: 'Köln', floor: 2, moved: '2025-01-01T00:00:00Z', lasts: 'PT90M' },
  },
  f: {
    uid: '2',
    name: { components: [{ kind: 'given', value: 'Bea' }] },
    emails: { home: { address: 'bea@example.com', since: '2026-01-01T00:00:00Z', checked: false } },
    addressOfTheHouseholdHome: { city: 'Bonn' },
    place: { city: 'Aachen', floor: 0, lasts: 'PT1H' },
  },
  g: { uid: '3', name: null, place: { floor: -1, moved: '2026-01-01T00:00:00Z' } },
  h: { uid: '4', name: { full: 'Bea\nAnn' }, emails: { k: { address: 'bea@example.com,ann@x' } } },
};

const MESSAGE_FILTERS: readonly (readonly [filter: object, found: string])[] = [
  [{ inMailboxOtherThan: ['inbox'] }, 'bc'],
  [{ inMailboxOtherThan: ['inbox', 'work'] }, ''],
  [{ inMailboxOtherThan: [] }, 'abc'],
  [{ hasKeyword: '$Seen' }, 'ab'],
  [{ keywordIs: '$Seen' }, 'ab'],
  [{ notKeyword: '$Seen' }, 'cd'],
  [{ operator: 'NOT', conditions: [{ notKeyword: '$seen' }] }, 'ab'],
  [{ operator: 'NOT', conditions: [{ inMailboxOtherThan: ['inbox'] }] }, 'ad'],
  [{ notLabel: 'y' }, 'abd'],
  [{ hasAnyRole: true }, 'a'],
  [{ hasAnyRole: false }, 'bcd'],
  [{ hasAnyRole: null }, 'abcd'],
  [{ minSize: 20, maxSize: 30 }, 'bd'],
  [{ over: 20 }, 'c'],
  [{ operator: 'NOT', conditions: [{ over: 20 }] }, 'abd'],
  [{ from: 'ZOË' }, 'a'],
  [{ from: 'bob example.com' }, 'b'],
  [{ from: 'example' }, 'abc'],
  [{ from: 'com bob' }, 'b'],
  [{ text: 'über zoe@' }, 'a'],
  [{ text: '"über uns"' }, 'a'],
  [{ text: "'Über uns' zoe" }, 'a'],
  [{ text: '"uns über"' }, ''],
  [{ text: '"über' }, ''],
  [{ from: '"bob@example.org"' }, 'b'],
  [{ header: ['list-id'] }, 'ab'],
  [{ header: ['list-id', ''] }, 'ab'],
  [{ header: ['list-id', 'jmap'] }, 'a'],
  [{ header: ['list-id', 'Jmap LIST'] }, 'a'],
  [{ header: ['list-id', 'map%'] }, ''],
  [{ header: ['jmap'] }, ''],
  [{ header: ['a"%', 'É'] }, 'a'],
  [{ operator: 'NOT', conditions: [{ header: ['list-id', 'jmap'] }] }, 'bcd'],
  [{ sender: 'ann' }, 'b'],
  [{ sender: 'u' }, 'c'],
];

const CONTACT_FILTERS: readonly (readonly [filter: object, found: string])[] = [
  [{ homeCity: 'Bonn' }, 'f'],
  [{ workCity: 'Bonn' }, 'e'],
  [{ name: 'ann' }, 'eh'],
  [{ name: 'lee zoe' }, 'e'],
  [{ 'name/given': 'ANN' }, 'e'],
  [{ 'name/given': 'lee' }, ''],
  [{ 'name/swiss': 'ann' }, 'e'],
  [{ 'name/swiss': 'zoe' }, ''],
  [{ email: 'EXAMPLE.com' }, 'efh'],
  [{ email: 'organn' }, ''],
  [{ emailStart: 'lee' }, 'e'],
  [{ emailStart: 'example' }, ''],
  [{ emailIs: 'lee@example.org' }, 'e'],
  [{ emailIs: 'ann@example.com' }, ''],
  [{ emailIn: ['Ann@example.com', 'bea@example.com'] }, 'ef'],
  [{ emailIn: [] }, ''],
  [{ allAt: 'bea' }, 'fgh'],
  [{ allAt: 'e' }, 'efgh'],
  [{ operator: 'NOT', conditions: [{ allAt: 'bea' }] }, 'e'],
  [{ allChecked: true }, 'egh'],
  [{ allChecked: false }, 'fgh'],
  [{ anyPref: 3 }, 'e'],
  [{ anyPref: 2 }, ''],
  [{ allPref: 2 }, 'efgh'],
  [{ allPref: 3 }, 'fgh'],
  [{ anySince: '2026-01-01T00:00:00Z' }, 'e'],
  [{ anySince: '2026-01-01T01:00:00Z' }, 'ef'],
  [{ anyAt: '2026-02-01T00:00:00Z' }, 'e'],
  [{ anyAt: '2026-02-01T00:00:01Z' }, ''],
  [{ city: 'KÖ' }, 'e'],
  [{ city: 'ach' }, 'f'],
  [{ cityIs: 'Köln' }, 'e'],
  [{ cityIs: null }, 'gh'],
  [{ noCity: true }, 'gh'],
  [{ noCity: false }, 'ef'],
  [{ floor: 0 }, 'fg'],
  [{ movedAfter: '2025-06-01T00:00:00Z' }, 'g'],
  [{ lastsLess: 'PT70M' }, 'f'],
];

const MESSAGE_SORTS: readonly (readonly [sort: readonly object[], order: string])[] = [
  [[{ property: 'receivedAt' }], 'cdba'],
  [[{ property: 'from' }], 'dbca'],
  [[{ property: 'from', isAscending: false }], 'acbd'],
  [[{ property: 'hasKeyword', keyword: '$Flagged' }], 'acdb'],
  [[{ property: 'hasKeyword', keyword: '$SEEN', isAscending: false }], 'badc'],
  [
    [
      { property: 'hasKeyword', keyword: '$seen' },
      { property: 'hasKeyword', keyword: '$flagged', isAscending: false },
    ],
    'dcba',
  ],
  [[{ property: 'hasKeyword', keyword: '$seen' }, { property: 'subject' }], 'dcba'],
  [[{ property: 'isList', value: 'one' }, { property: 'size' }], 'cabd'],
];

const CONTACT_SORTS: readonly (readonly [sort: readonly object[], order: string])[] = [
  [[{ property: 'name/given' }], 'ghef'],
  [[{ property: 'name/given', isAscending: false }], 'fehg'],
  [[{ property: 'name/given', collation: 'i;octet' }], 'ghfe'],
  [[{ property: 'place/city' }], 'ghfe'],
  [[{ property: 'place/floor' }], 'hgfe'],
  [[{ property: 'lasts' }], 'ghfe'],
  [[{ property: 'pref' }], 'fghe'],
];

const SUITES = [
  { type: 'Message', objects: MESSAGES, filters: MESSAGE_FILTERS, sorts: MESSAGE_SORTS },
  { type: 'Contact', objects: CONTACTS, filters: CONTACT_FILTERS, sorts: CONTACT_SORTS },
];

type Suite = (typeof SUITES)[number];

describe.each(DATABASES)('on %s', (database) => {
  describe.each(SUITES)('$type', (suite) => {
    const typed = (): Typed => (messages.get(database) as Typed).of(suite.type);

    it('RFC 8620 5.5: every condition and sort finds what it says', () => findsAll(typed(), suite));
    it('RFC 8620 5.6: a cache that follows /queryChanges is what the query is', () =>
      followsAll(typed(), suite));
  });

  it('RFC 8620 5.5: a Comparator needs its own member, and takes no other one', async () => {
    const typed = messages.get(database) as Typed;
    const sortBy = (comparator: object) => typed.query({}, [comparator]);
    expect(await sortBy({ property: 'hasKeyword' })).toMatchObject({
      type: 'invalidArguments',
      description: '"sort": a Comparator by "hasKeyword" needs the string "keyword".',
    });
    expect(await sortBy({ property: 'hasKeyword', keyword: 1 })).toMatchObject({
      type: 'invalidArguments',
    });
    expect(await sortBy({ property: 'size', keyword: '$seen' })).toMatchObject({
      type: 'unsupportedSort',
    });
    expect(await sortBy({ property: 'fromKey' })).toMatchObject({ type: 'unsupportedSort' });
    expect(await sortBy({ property: 'received' })).toMatchObject({ type: 'unsupportedSort' });
  });

  it('RFC 8621 4.4.1: an entry to look for is a key, or a key and a text', async () => {
    const typed = messages.get(database) as Typed;
    for (const header of [[], ['a', 'b', 'c'], ['a', 1], 'a'])
      expect(await typed.query({ header })).toMatchObject({ type: 'invalidArguments' });
  });
});

/** Makes the objects; returns the name of each by its id. */
async function fill(typed: Typed, objects: Named): Promise<Map<string, string>> {
  const { ids } = await typed.call('query', {});
  if (ids.length > 0) await typed.call('set', { destroy: ids });
  const { created, notCreated } = await typed.call('set', { create: objects });
  expect(notCreated).toBeNull();
  return new Map(Object.keys(objects).map((name) => [created[name].id, name]));
}

async function findsAll(typed: Typed, { objects, filters, sorts }: Suite): Promise<void> {
  const names = await fill(typed, objects);
  const letters = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? '?').join('');
  for (const [filter, found] of filters) {
    const ids = await typed.query(filter);
    expect({ filter, found: Array.isArray(ids) ? letters(ids) : ids }).toEqual({ filter, found });
  }
  for (const [sort, order] of sorts) {
    const ids = await typed.query({}, sort);
    expect({ sort, order: Array.isArray(ids) ? letters(ids) : ids }).toEqual({ sort, order });
    for (const [index, anchor] of ids.entries()) {
      const { position } = await typed.call('query', { sort, anchor, limit: 1 });
      expect({ sort, anchor, position }).toEqual({ sort, anchor, position: index });
    }
  }
}

/** Changes that move objects in and out of results. */
async function changeAll(typed: Typed, objects: Named): Promise<void> {
  const { ids } = await typed.call('query', {});
  const [first = '', second = '', third = ''] = ids as string[];
  const [one = {}, other = {}] = Object.values(objects);
  const { notCreated, notUpdated } = await typed.call('set', {
    create: { k: { ...one } },
    update: { [first]: { ...other }, [second]: { ...one } },
    destroy: [third],
  });
  expect({ notCreated, notUpdated }).toEqual({ notCreated: null, notUpdated: null });
}

async function followsAll(typed: Typed, { objects, filters, sorts }: Suite): Promise<void> {
  await fill(typed, objects);
  const queries = [
    ...filters.map(([filter]) => ({ filter })),
    ...sorts.map(([sort]) => ({ sort, filter: null })),
  ];
  const before = [];
  for (const query of queries) before.push(await typed.call('query', query));
  await changeAll(typed, objects);
  for (const [index, query] of queries.entries()) {
    const { queryState: sinceQueryState, ids, canCalculateChanges } = before[index];
    expect(canCalculateChanges).toBe(true);
    const changes = await typed.call('queryChanges', { ...query, sinceQueryState });
    const kept = ids.filter((id: string) => !changes.removed.includes(id));
    for (const { id, index: at } of changes.added) kept.splice(at, 0, id);
    const after = await typed.call('query', query);
    expect({ query, ids: kept }).toEqual({ query, ids: after.ids });
    expect(changes.newQueryState).toBe(after.queryState);
  }
}
