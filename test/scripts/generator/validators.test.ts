import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  changesArguments,
  copyArguments,
  getArguments,
  queryArguments,
  queryChangesArguments,
  setArguments,
} from '../../../generated/standard/validators.js';
import type { Validator } from '../../../src/capability/index.js';
import { InexactNumber } from '../../../src/protocol/json.js';
import { capabilitiesOf } from '../../../src/server/project.js';
import { createProject, REPOSITORY, readTree } from './project.js';

const standard = {
  changesArguments,
  copyArguments,
  getArguments,
  queryArguments,
  queryChangesArguments,
  setArguments,
};

interface Validators {
  readonly update: Validator;
  readonly filter: Validator;
}

let gadget: Validators;
let text: string;

beforeAll(async () => {
  const folder = join(REPOSITORY, 'test/golden/output/gadgets/expected/gadgets');
  gadget = await import(pathToFileURL(join(folder, 'Gadget.validators.ts')).href);
  text = (await readTree(folder))['Gadget.validators.ts'] ?? '';
});

/** Returns the complaints of a validator: path and keyword. */
function complaints(validate: Validator, data: unknown): string[] {
  if (validate(data)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

const gadgetWith = (more: object) => ({ title: 'x', ...more });

describe('an emitted validator of values', () => {
  it('compiles nothing and requires nothing when it is loaded', () => {
    expect(text).not.toMatch(/\brequire\(|\beval\(|new Function/);
    expect(text.match(/^import .*$/gm)).toEqual([
      expect.stringMatching(/^import \{ .* \} from 'jmapsmith\/capability';$/),
    ]);
  });

  it('takes a whole object', () => {
    const whole = gadgetWith({
      code: 'AB-1',
      kind: "it's",
      rank: -10,
      level: 3,
      score: 1.5,
      due: '2026-01-31T12:00:00.120Z',
      meta: { note: null, at: '2026-01-31T12:00:00Z', a: { b: { c: 1 } } },
      list: ['a', 'b'],
      points: [1, 2.5],
      names: { de: 'Ding', __proto__: 'x' },
      extra: { any: [{ thing: null }] },
      blobId: 'G1',
    });
    expect(complaints(gadget.update, whole)).toEqual([]);
  });

  it('tells about everything that is wrong at once', () => {
    const wrong = { title: '', foo: null, rank: 11, done: 'yes', count: 1, id: 'x', kind: 'big' };
    expect(complaints(gadget.update, wrong).sort()).toEqual(
      [
        ' additionalProperties',
        ' additionalProperties',
        ' additionalProperties',
        '/done type',
        '/kind enum',
        '/rank maximum',
        '/title minLength',
      ].sort(),
    );
    expect(complaints(gadget.update, {})).toEqual([]);
    expect(complaints(gadget.update, 'x')).toEqual([' type']);
  });

  it('counts lengths in code points', () => {
    expect(complaints(gadget.update, { title: '😀'.repeat(200) })).toEqual([]);
    expect(complaints(gadget.update, { title: '😀'.repeat(201) })).toEqual(['/title maxLength']);
  });

  it('has bounds where the descriptor gives none', () => {
    const points = (count: number) => gadgetWith({ points: new Array(count).fill(0) });
    expect(complaints(gadget.update, points(1000))).toEqual([]);
    expect(complaints(gadget.update, points(1001))).toEqual(['/points maxItems']);
    const names = (length: number) => gadgetWith({ names: { x: 'a'.repeat(length) } });
    expect(complaints(gadget.update, names(65_535))).toEqual([]);
    expect(complaints(gadget.update, names(65_536))).toEqual(['/names/x maxLength']);
  });

  it('refuses null where the property is not nullable', () => {
    expect(complaints(gadget.update, gadgetWith({ rank: null, score: null, title: null }))).toEqual(
      ['/rank type', '/title type'],
    );
  });

  it.each([
    ['a string', { title: 'a\0b' }, '/title storable'],
    ['a list', { list: ['\0'] }, '/list/0 storable'],
    ['a nested member', { meta: { note: '\0' } }, '/meta/note storable'],
    ['a value of a map', { names: { de: '\0' } }, '/names/de storable'],
    ['a key of a map', { names: { '\0': 'x' } }, '/names storable'],
    ['a key of any JSON', { extra: { '\0': 1 } }, '/extra storable'],
  ])('refuses U+0000 in %s', (_where, more, complaint) => {
    expect(complaints(gadget.update, gadgetWith(more))).toContain(complaint);
  });

  it('never takes an inexact number for an integer', () => {
    const inexact = new InexactNumber('4.99999999999999999999');
    const wrong = gadgetWith({
      rank: inexact,
      level: inexact,
      meta: { note: null, a: { b: { c: inexact } } },
    });
    expect(complaints(gadget.update, wrong).filter((line) => line.endsWith(' type'))).toEqual([
      '/level type',
      '/meta/a/b/c type',
      '/rank type',
    ]);
  });

  it('replaces an inexact number by the nearest double where the schema has any number', () => {
    const data = gadgetWith({
      score: new InexactNumber('9007199254740993'),
      points: [1, new InexactNumber('4.99999999999999999999')],
    });
    expect(complaints(gadget.update, data)).toEqual([]);
    expect(data).toEqual({ title: 'x', score: 9007199254740992, points: [1, 5] });
  });

  it('judges bounds on the double that is stored', () => {
    const data = { score: new InexactNumber('-0.99999999999999999999') };
    expect(complaints(gadget.update, data)).toEqual(['/score minimum']);
  });

  it('refuses a number beyond the range of doubles, and never takes one for an object', () => {
    const huge = new InexactNumber('1e400');
    const data = gadgetWith({ score: huge, extra: huge, names: huge, meta: huge, points: [huge] });
    const complained = complaints(gadget.update, data);
    expect(new Set(complained.map((line) => line.split(' ')[0]))).toEqual(
      new Set(['/score', '/extra', '/names', '/meta', '/points/0']),
    );
    // Not only for what it lacks: an object may have no required members.
    expect(complained).toContain('/meta noNumber');
    // An object whose members are all declared and none required is not what is missing all of
    // them.
    const within = gadgetWith({ meta: { note: null, a: huge } });
    expect(complaints(gadget.update, within)).toEqual(['/meta/a noNumber']);
  });

  it('takes any UTCDate for a property, and the canonical form alone within one', () => {
    const loose = '2026-01-31T12:00:00.120Z';
    expect(complaints(gadget.update, gadgetWith({ due: loose }))).toEqual([]);
    expect(complaints(gadget.update, gadgetWith({ meta: { note: null, at: loose } }))).toEqual([
      '/meta/at canonicalFormat',
    ]);
    for (const due of ['2026-02-31T12:00:00Z', '2026-01-31T12:00:00+00:00', '2026-01-31', 'soon'])
      expect(complaints(gadget.update, gadgetWith({ due }))).toEqual(['/due format']);
  });

  it('takes __proto__, constructor and toString for undeclared names', () => {
    const hostile = JSON.parse('{"title":"x","__proto__":{"a":1},"constructor":1,"toString":1}');
    expect(complaints(gadget.update, hostile)).toEqual([
      ' additionalProperties',
      ' additionalProperties',
      ' additionalProperties',
    ]);
    expect(
      complaints(gadget.update, JSON.parse('{"title":"x","names":{"__proto__":"x"}}')),
    ).toEqual([]);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });
});

describe('an emitted filter validator', () => {
  it('types each condition by its property and operator', () => {
    const filter = {
      title: 'x',
      kind: ['small', 'no longer a word'],
      noCode: true,
      minRank: -20,
      maxScore: 1.5,
      levels: [1],
      dueBefore: '2026-01-31T12:00:00Z',
      dueAt: ['2026-01-31T12:00:00.120Z'],
      done: false,
      ids: ['a b'],
    };
    expect(complaints(gadget.filter, filter)).toEqual([]);
    const wrong = {
      title: 1,
      kind: 'small',
      noCode: 'x',
      minRank: 1.5,
      dueBefore: 'soon',
      done: 0,
    };
    expect(complaints(gadget.filter, wrong)).toEqual([
      '/done type',
      '/dueBefore format',
      '/kind type',
      '/minRank type',
      '/noCode type',
      '/title type',
    ]);
  });

  it('takes null for every condition', () => {
    const names = [
      'title',
      'titleStart',
      'kind',
      'noCode',
      'minRank',
      'maxScore',
      'dueBefore',
      'done',
    ];
    const filter = Object.fromEntries(names.map((name) => [name, null]));
    expect(complaints(gadget.filter, filter)).toEqual([]);
  });

  it('takes the nearest double of an inexact number, but not for an integer', () => {
    const filter = { maxScore: new InexactNumber('9007199254740993') };
    expect(complaints(gadget.filter, filter)).toEqual([]);
    expect(filter).toEqual({ maxScore: 9007199254740992 });
    expect(complaints(gadget.filter, { minRank: new InexactNumber('9007199254740993') })).toContain(
      '/minRank type',
    );
  });
});

describe('the argument validators of the standard methods', () => {
  const accountId = 'a1';

  it.each([
    ['getArguments', { accountId, ids: null, properties: null }],
    ['getArguments', { accountId, ids: ['a b', '#k'], properties: [] }],
    ['changesArguments', { accountId, sinceState: '', maxChanges: null }],
    ['setArguments', { accountId, ifInState: null, create: null, update: null, destroy: null }],
    ['setArguments', { accountId, create: { 'A-z_9': 1 }, update: { '#k': null, 'a b': [] } }],
    [
      'copyArguments',
      { accountId, fromAccountId: 'x', create: {}, onSuccessDestroyOriginal: true },
    ],
    ['queryArguments', { accountId, filter: null, sort: null, anchor: null, limit: null }],
    ['queryArguments', { accountId, position: -5, anchorOffset: -1, limit: 0, filter: { x: 1 } }],
    ['queryArguments', { accountId, sort: [{ property: 'x', isAscending: false, other: 1 }] }],
    ['queryChangesArguments', { accountId, sinceQueryState: '', maxChanges: 0, upToId: null }],
  ] as const)('%s takes %j', (name, args) => {
    expect(complaints(standard[name], args)).toEqual([]);
  });

  it.each([
    ['getArguments', {}, ' required'],
    ['getArguments', { accountId, foo: 1 }, ' additionalProperties'],
    ['getArguments', { accountId, ids: 'x' }, '/ids type'],
    ['getArguments', { accountId, ids: [1] }, '/ids/0 type'],
    ['changesArguments', { accountId, sinceState: null }, '/sinceState type'],
    ['changesArguments', { accountId, sinceState: '1', maxChanges: 0 }, '/maxChanges minimum'],
    ['setArguments', { accountId, create: { 'a b': {} } }, '/create propertyNames'],
    ['setArguments', { accountId, create: { '': {} } }, '/create propertyNames'],
    ['setArguments', { accountId, create: [] }, '/create type'],
    ['setArguments', { accountId, create: new InexactNumber('1e400') }, '/create noNumber'],
    ['copyArguments', { accountId, fromAccountId: 'x', create: null }, '/create type'],
    [
      'copyArguments',
      { accountId, fromAccountId: 'x', create: {}, onSuccessDestroyOriginal: null },
      '/onSuccessDestroyOriginal type',
    ],
    ['queryArguments', { accountId, position: 1.5 }, '/position type'],
    ['queryArguments', { accountId, position: null }, '/position type'],
    [
      'queryArguments',
      { accountId, position: new InexactNumber('9007199254740993') },
      '/position type',
    ],
    ['queryArguments', { accountId, calculateTotal: null }, '/calculateTotal type'],
    ['queryArguments', { accountId, limit: -1 }, '/limit minimum'],
    ['queryArguments', { accountId, filter: [] }, '/filter type'],
    ['queryArguments', { accountId, sort: {} }, '/sort type'],
    ['queryArguments', { accountId, sort: [{}] }, '/sort/0 required'],
    ['queryArguments', { accountId, sort: [{ property: 1 }] }, '/sort/0/property type'],
    [
      'queryArguments',
      { accountId, sort: [{ property: 'x', isAscending: 'no' }] },
      '/sort/0/isAscending type',
    ],
    ['queryChangesArguments', { accountId, sinceQueryState: null }, '/sinceQueryState type'],
    [
      'queryChangesArguments',
      { accountId, sinceQueryState: '1', maxChanges: -1 },
      '/maxChanges minimum',
    ],
  ] as const)('%s refuses %j', (name, args, complaint) => {
    expect(complaints(standard[name], args)).toContain(complaint);
  });
});

describe('the emitted registry', () => {
  it('loads in a project that has the package as a dependency', async () => {
    const descriptors = await readTree(join(REPOSITORY, 'test/golden/output/gadgets/capabilities'));
    const project = await createProject(descriptors);
    await project.generate();
    const registry = capabilitiesOf(
      await import(pathToFileURL(join(project.root, 'generated/registry.ts')).href),
    );
    const own = [
      'blob',
      'core',
      'jmapsmith-admin',
      'jmapsmith-explain',
      'jmapsmith-once',
      'jmapsmith-push',
      'jmapsmith-reference',
      'jmapsmith-sync',
      'webpush-vapid',
      'websocket',
    ];
    expect(registry.map(({ name }) => name)).toEqual([...own, 'gadgets'].sort());
    const capability = registry.find(({ name }) => name === 'gadgets');
    expect(capability?.session).toEqual({ madeOf: ['brass', 'steel'] });
    expect(capability?.dataTypes.map(({ name }) => name)).toEqual(['Class', 'Gadget']);
    const type = capability?.dataTypes.find(({ name }) => name === 'Gadget');
    expect(type?.properties.find(({ name }) => name === 'blobId')).toEqual({
      name: 'blobId',
      column: 'blobId',
      kind: 'string',
      nullable: true,
      required: false,
      default: null,
      access: 'mutable',
      blobs: [[]],
    });
    // One object, not two alike.
    const filter = type?.filters.find(({ property }) => property.name === 'title');
    expect(filter?.property).toBe(type?.properties.find(({ name }) => name === 'title'));
    expect(Object.isFrozen(type) && Object.isFrozen(type?.properties[0])).toBe(true);
    expect(type?.validate.update({ title: 'x' })).toBe(true);
    expect(capability?.methods.map(({ name }) => name)).toContain('Gadget/rebuild');
  });
});

describe('the errors that a validator keeps', () => {
  it('name every broken rule, but not each of thousands of wrong items', () => {
    const wrong = { ids: Array.from({ length: 100_000 }, () => 1), properties: 'x', more: 1 };
    const found = complaints(standard.getArguments, { ...wrong, accountId: 1 });
    expect(found.length).toBeLessThan(200);
    expect(found).toEqual(
      expect.arrayContaining([
        '/ids/0 type',
        '/accountId type',
        '/properties type',
        ' additionalProperties',
      ]),
    );
  });
});
