import { describe, expect, it } from 'vitest';
import { compareModels } from '../../../scripts/generator/breaking/compare.js';
import type {
  AggregateDefinition,
  ComputedDefinition,
} from '../../../src/capability/definition.js';
import { referring } from '../../support/references.js';
import { find, model, property, TODO_PROPERTIES, todo, type } from '../migrations/models.js';

const comparedLines = (...models: Parameters<typeof compareModels>) =>
  compareModels(...models).map(
    ({ layer, breaking, where, what }) =>
      `${breaking ? 'breaking' : 'fine'} ${layer} ${where}: ${what}`,
  );

describe('breaking: changes from one model to another', () => {
  it('are none between equals', () => {
    expect(comparedLines(model([todo()]), model([todo()]))).toEqual([]);
  });

  it('are fine if something is added; old states go if objects begin with various values', () => {
    const rank = property('rank', 'integer', { default: 0 });
    const added = ['fine wire Todo.rank: property added', 'fine storage Todo.rank: column added'];
    const refused = 'fine sync Todo: old states are refused: clients fetch the type anew';
    expect(comparedLines(model([todo()]), model([todo([rank])]))).toEqual(added);
    const timed = { ...rank, default: undefined, defaultNow: true } as unknown as typeof rank;
    expect(comparedLines(model([todo()]), model([todo([timed])]))).toEqual([...added, refused]);
    const keeping = (...of: Parameters<typeof todo>) =>
      model([{ ...todo(...of), keepsUnknown: true }]);
    expect(comparedLines(keeping(), keeping([rank]))).toEqual([...added, refused]);
    expect(comparedLines(keeping(), model([todo()]))).toEqual([
      'fine sync Todo: old states are refused: clients fetch the type anew',
      'breaking wire Todo: refuses undeclared properties now',
      'breaking storage Todo: undeclared properties go',
    ]);
  });

  it('lock clients out if a scope comes or changes, and not if one goes that was all', () => {
    const [plain] = model([todo()]).capabilities;
    if (plain === undefined) throw new Error('The model has no capability.');
    const scoped = (full?: string, read?: string) => ({
      capabilities: [
        {
          ...plain,
          ...(full !== undefined && { oauthScopes: { full, ...(read !== undefined && { read }) } }),
        },
      ],
    });
    const urn = 'urn:example:things';
    const cases = [
      [[], ['a'], [`breaking wire ${urn}: OAuth scope (full): none -> a`]],
      [
        ['a'],
        ['b', 'c'],
        [
          `breaking wire ${urn}: OAuth scope (full): a -> b`,
          `fine wire ${urn}: OAuth scope (read): none -> c`,
        ],
      ],
      [['a', 'b'], ['a'], [`breaking wire ${urn}: OAuth scope (read): b -> none`]],
      [['a', 'b'], ['a', 'c'], [`breaking wire ${urn}: OAuth scope (read): b -> c`]],
      [
        ['a', 'b'],
        [],
        [
          `fine wire ${urn}: OAuth scope (full): a -> none`,
          `fine wire ${urn}: OAuth scope (read): b -> none`,
        ],
      ],
      [['a', 'b'], ['a', 'b'], []],
    ] as const;
    for (const [was, is, lines] of cases)
      expect(comparedLines(scoped(...was), scoped(...is))).toEqual(lines);
  });

  it('break clients if a quota comes, shrinks or counts more', () => {
    const [plain] = model([todo()]).capabilities;
    if (plain === undefined) throw new Error('The model has no capability.');
    const limited = (limit?: number, types = ['Todo']) => {
      const quotas = limit && [{ name: 'todos', types, resource: 'count' as const, limit }];
      return { capabilities: [{ ...plain, ...(quotas ? { quotas } : {}) }] };
    };
    const urn = 'urn:example:things';
    expect(comparedLines(limited(), limited(5))).toEqual([
      `breaking wire ${urn}: quota todos added: 5 objects`,
    ]);
    expect(comparedLines(limited(5), limited())).toEqual([`fine wire ${urn}: quota todos removed`]);
    expect(comparedLines(limited(5), limited(9))).toEqual([
      `fine wire ${urn}: quota todos: 5 objects -> 9 objects`,
    ]);
    expect(comparedLines(limited(5), limited(3, ['Todo', 'Note']))).toEqual([
      `breaking wire ${urn}: quota todos: 5 objects -> 3 objects`,
      `breaking wire ${urn}: quota todos counts Note too`,
    ]);
    expect(comparedLines(limited(5, ['Todo', 'Note']), limited(5))).toEqual([
      `fine wire ${urn}: quota todos counts no Note any more`,
    ]);
    expect(comparedLines(limited(5), limited(5))).toEqual([]);
    const counting = (...counts: ('objects' | 'blobs')[]) => {
      const quota = { name: 'all', types: ['Todo'], resource: 'octets' as const, limit: 5 };
      return { capabilities: [{ ...plain, quotas: [{ ...quota, counts }] }] };
    };
    expect(comparedLines(counting('objects'), counting('objects', 'blobs'))).toEqual([
      `breaking wire ${urn}: quota all counts blobs too`,
    ]);
    expect(comparedLines(counting('objects', 'blobs'), counting('blobs'))).toEqual([
      `fine wire ${urn}: quota all counts no objects any more`,
    ]);
    const uploads = (limit?: number) => {
      const unreferencedBlobs = limit && { name: 'uploads', limit };
      return { capabilities: [{ ...plain, ...(unreferencedBlobs ? { unreferencedBlobs } : {}) }] };
    };
    expect(comparedLines(uploads(), uploads(5))).toEqual([
      `breaking wire ${urn}: unreferenced blobs of a user: no limit -> 5 octets`,
    ]);
    expect(comparedLines(uploads(5), uploads(9))).toEqual([
      `fine wire ${urn}: unreferenced blobs of a user: 5 octets -> 9 octets`,
    ]);
  });

  it('break clients if a property is renamed, and keep its values', () => {
    const text = find(TODO_PROPERTIES, 'text');
    const title = { ...text, name: 'title', column: 'title', renamedFrom: 'text' };
    const after = type('Todo', [title, find(TODO_PROPERTIES, 'done')]);
    expect(comparedLines(model([todo()]), model([after]))).toEqual([
      'breaking wire Todo.title: property renamed from text',
      'fine storage Todo.title: values stay where they are',
      'fine sync Todo: old states are refused: clients fetch the type anew',
    ]);
  });

  it('keep references, counts and computed properties of a renamed type or property', () => {
    const project = (name: string, by: string, wasType: object = {}, wasBy: object = {}) => {
      const link = referring({ type: name, form: 'single', onDestroy: 'setNull', acyclic: false });
      const computed = (definition: ComputedDefinition) =>
        ({ access: 'serverSet', default: 0, computed: definition }) as const;
      return model([
        type(
          name,
          [
            property(by, 'string', { nullable: true, default: null, ...link, ...wasBy }),
            property('size', 'integer', computed({ kind: 'count', type: name, by })),
            property('seen', 'integer', computed({ kind: 'from', properties: [by] })),
            property(
              'told',
              'integer',
              computed({ kind: 'on', sources: [{ type: name, property: by }] }),
            ),
          ],
          wasType,
        ),
      ]);
    };
    const after = project('Case', 'aboveId', { renamedFrom: 'Todo' }, { renamedFrom: 'parentId' });
    expect(comparedLines(project('Todo', 'parentId'), after)).toEqual([
      'breaking wire Case: type renamed from Todo',
      'breaking wire Case.aboveId: property renamed from parentId',
      'fine storage Case.aboveId: values stay where they are',
      'fine sync Case: old states are refused: clients fetch the type anew',
    ]);
  });

  it('break clients and data if a type goes', () => {
    expect(comparedLines(model([todo()]), model([]))).toEqual([
      'breaking wire Todo: type removed',
      'breaking storage Todo: its table and all data in it go',
    ]);
  });

  const RANK = property('rank', 'integer', { default: 0, schema: { type: 'integer' } });
  const SLUG = property('slug', 'string', { default: '' });
  const one = (rest: Partial<typeof RANK>) => model([todo([{ ...RANK, ...rest }])]);
  const unique = (...properties: readonly (typeof RANK)[]) => ({
    uniques: [{ name: 'u', properties, at: RANK.at }],
  });
  const nullsEqual = (...properties: readonly (typeof RANK)[]) => ({
    uniques: [{ name: 'u', properties, nullsEqual: true as const, at: RANK.at }],
  });
  const reference = { type: 'Todo', form: 'single', onDestroy: 'setNull', acyclic: false } as const;
  const from = (...properties: readonly string[]) =>
    ({ access: 'serverSet', computed: { kind: 'from', properties } }) as const;
  const counted = (rest: Partial<AggregateDefinition>) =>
    ({ access: 'serverSet', computed: { kind: 'count', type: 'Todo', ...rest } }) as const;
  const things = (rest: object) => {
    const [capability] = model([todo()]).capabilities;
    if (capability === undefined) throw new Error('no capability');
    return { capabilities: [{ ...capability, ...rest }] };
  };
  const own = (argument: object, response: object, account: 'read' | 'write' = 'read') =>
    things({
      methods: [
        {
          ...{ name: 'Todo/sweep', description: '', account, builtIn: false, at: RANK.at },
          arguments: { type: 'object', properties: { n: argument } },
          response: { type: 'object', properties: response },
        },
      ],
    });
  const with_ = (rest: Parameters<typeof todo>[1]) => model([todo([RANK, SLUG], rest)]);

  const BODY = property('body', 'string', { default: '' });
  const words = (...properties: readonly [typeof RANK, ...(typeof RANK)[]]) => {
    const [first] = properties;
    const reads = { property: first, properties, column: `${first.column}_folded` };
    const rest = { operator: 'text', schema: {}, description: '', at: RANK.at } as const;
    return model([todo([SLUG, BODY], { filters: [{ name: 'words', ...reads, ...rest }] })]);
  };

  it('break clients if a search reads less, and so finds less', () => {
    const both = words(SLUG, BODY);
    expect(comparedLines(both, words(SLUG))).toEqual([
      'breaking wire Todo.words: filter reads body no more',
    ]);
    expect(comparedLines(words(SLUG), both)).toEqual([
      'fine wire Todo.words: filter reads body too',
    ]);
    expect(comparedLines(both, words(BODY, SLUG)), 'in another order').toEqual([]);
  });

  it.each([
    [
      'an enum that loses a value',
      one({ schema: { enum: [1, 2] } }),
      one({ schema: { enum: [1] } }),
      [
        'breaking wire Todo.rank: takes less: it loses 2 of its enum',
        'fine storage Todo.rank: values that do not fit stay, and are readable',
      ],
    ],
    [
      'an enum that gains one',
      one({ schema: { enum: [1] } }),
      one({ schema: { enum: [1, 2] } }),
      ['fine wire Todo.rank: takes and gives more than it did'],
    ],
    [
      'another access',
      one({}),
      one({ access: 'immutable' }),
      ['breaking wire Todo.rank: access: mutable -> immutable'],
    ],
    [
      'an access that gives more',
      one({ access: 'serverSet' }),
      one({}),
      ['fine wire Todo.rank: access: serverSet -> mutable'],
    ],
    [
      'a property that clients see no more',
      one({}),
      one({ access: 'internal' }),
      [
        'breaking wire Todo.rank: access: mutable -> internal',
        'fine sync Todo: old states are refused: clients fetch the type anew',
      ],
    ],
    [
      'another kind of a property that clients never see',
      one({ access: 'internal' }),
      one({ access: 'internal', kind: 'string' }),
      ['breaking storage Todo.rank: column of another type: its values go'],
    ],
    [
      'a narrower one that clients never see',
      one({ access: 'internal' }),
      one({ access: 'internal', schema: { type: 'integer', maximum: 5 } }),
      ['fine storage Todo.rank: values that do not fit stay, and are readable'],
    ],
    [
      'a new one that clients never see',
      model([todo()]),
      one({ access: 'internal', required: true }),
      ['fine storage Todo.rank: column added'],
    ],
    [
      'an old one that clients never saw',
      one({ access: 'internal' }),
      model([todo()]),
      ['breaking storage Todo.rank: column dropped, its values go'],
    ],
    [
      'another name for what clients never see',
      one({ access: 'internal' }),
      model([
        todo([
          property('size', 'integer', { access: 'internal', default: 0, renamedFrom: 'rank' }),
        ]),
      ]),
      ['fine storage Todo.size: values stay where they are'],
    ],
    [
      'a narrower one that clients see now',
      one({ access: 'internal', nullable: true, schema: { type: 'integer' } }),
      one({ nullable: true, schema: { type: 'integer', maximum: 5 } }),
      [
        'fine wire Todo.rank: access: internal -> mutable',
        'fine storage Todo.rank: values that do not fit stay, and are readable',
        'fine sync Todo: old states are refused: clients fetch the type anew',
      ],
    ],
    [
      'a required one that clients see now',
      one({ access: 'internal', required: true }),
      one({ required: true }),
      [
        'fine wire Todo.rank: access: internal -> mutable',
        'breaking wire Todo.rank: a create must give it now',
        'fine sync Todo: old states are refused: clients fetch the type anew',
      ],
    ],
    [
      'another name for what clients see now',
      one({ access: 'internal' }),
      model([todo([property('size', 'integer', { default: 0, renamedFrom: 'rank' })])]),
      [
        'fine storage Todo.size: values stay where they are',
        'fine wire Todo.size: access: internal -> mutable',
        'fine sync Todo: old states are refused: clients fetch the type anew',
      ],
    ],
    [
      'another kind of a property that clients see no more',
      one({ required: true }),
      one({ access: 'internal', kind: 'string' }),
      [
        'breaking wire Todo.rank: access: mutable -> internal',
        'breaking storage Todo.rank: column of another type: its values go',
        'fine sync Todo: old states are refused: clients fetch the type anew',
      ],
    ],
    [
      'a reference that clients never see, where it keeps what it refers to',
      one({ access: 'internal', ...referring(reference) }),
      one({ access: 'internal', ...referring({ ...reference, onDestroy: 'restrict' }) }),
      [
        'breaking wire Todo.rank: what it refers to changed',
        'fine storage Todo.rank: its reference records are made anew',
      ],
    ],
    [
      'a reference that clients never see, where it keeps nothing',
      one({ access: 'internal' }),
      one({ access: 'internal', ...referring(reference) }),
      ['fine storage Todo.rank: its reference records are made anew'],
    ],
    [
      'a secret',
      one({}),
      one({ access: 'secret', secret: 'hash' }),
      [
        'breaking wire Todo.rank: access: mutable -> secret',
        'breaking storage Todo.rank: sealed otherwise: its values go',
        'fine sync Todo: old states are refused: clients fetch the type anew',
      ],
    ],
    [
      'a required property',
      model([todo()]),
      one({ required: true }),
      ['breaking wire Todo.rank: property added, required', 'fine storage Todo.rank: column added'],
    ],
    [
      'what was optional',
      one({}),
      one({ required: true }),
      ['breaking wire Todo.rank: a create must give it now'],
    ],
    [
      'another kind',
      one({}),
      one({ kind: 'string' }),
      [
        'breaking wire Todo.rank: values were integer and are string',
        'breaking storage Todo.rank: column of another type: its values go',
        'fine sync Todo: old states are refused: clients fetch the type anew',
      ],
    ],
    [
      'null that is refused',
      one({ nullable: true }),
      one({}),
      [
        'breaking wire Todo.rank: null is refused now',
        'breaking storage Todo.rank: null is filled',
        'fine sync Todo: old states are refused: clients fetch the type anew',
      ],
    ],
    [
      'a reference',
      one({}),
      one(referring(reference)),
      [
        'breaking wire Todo.rank: what it refers to changed',
        'fine storage Todo.rank: its reference records are made anew',
      ],
    ],
    [
      'a reference to another type',
      one(referring(reference)),
      one(referring({ ...reference, type: 'Person' })),
      [
        'breaking wire Todo.rank: what it refers to changed',
        'breaking storage Todo.rank: refers to objects of another type: its values go',
        'fine sync Todo: old states are refused: clients fetch the type anew',
      ],
    ],
    [
      'a blob',
      one({ kind: 'string', schema: { type: 'string' } }),
      one({ kind: 'string', schema: { type: 'string' }, blobs: [[]] }),
      [
        'breaking wire Todo.rank: holds a blob now',
        'fine storage Todo.rank: its blob records are made anew',
      ],
    ],
    [
      'another source',
      one(from('text')),
      one(from('text', 'done')),
      [
        'breaking storage Todo.rank: is computed for the objects that exist: its values go',
        'fine sync Todo: old states are refused: clients fetch the type anew',
      ],
    ],
    [
      'other objects that are counted',
      one(counted({})),
      one(counted({ where: [{ property: 'done', values: [true] }] })),
      [
        'breaking wire Todo.rank: is made of other values now',
        'breaking storage Todo.rank: is computed for the objects that exist: its values go',
        'fine sync Todo: old states are refused: clients fetch the type anew',
      ],
    ],
    ['a default', one({}), one({ default: 5 }), ['fine wire Todo.rank: its default changed']],
    [
      'a property that goes',
      one({}),
      model([todo()]),
      [
        'breaking wire Todo.rank: property removed',
        'breaking storage Todo.rank: column dropped, its values go',
        'fine sync Todo: old states are refused: clients fetch the type anew',
      ],
    ],
    [
      'something unique',
      with_({}),
      with_(unique(RANK, SLUG)),
      [
        'breaking wire Todo.rank+slug: must be unique now',
        'breaking storage Todo.rank+slug: the migration is refused where objects collide',
      ],
    ],
    [
      'no longer unique',
      with_(unique(RANK, SLUG)),
      with_({}),
      ['fine wire Todo.rank+slug: need not be unique now'],
    ],
    [
      'as equal nulls',
      with_(unique(SLUG)),
      with_(nullsEqual(SLUG)),
      [
        'breaking wire Todo.slug: one object at most may have none now',
        'breaking storage Todo.slug: the migration is refused where objects collide',
      ],
    ],
    [
      'no more equal nulls',
      with_(nullsEqual(SLUG)),
      with_(unique(SLUG)),
      ['fine wire Todo.slug: any number of objects may have none now'],
    ],
    ['unique in another order', with_(unique(RANK, SLUG)), with_(unique(SLUG, RANK)), []],
    [
      'a lower limit',
      with_({}),
      with_({ limits: { count: 3 } }),
      ['breaking wire Todo: limits.count: none -> 3'],
    ],
    [
      'a singleton',
      with_({}),
      with_({ singleton: true }),
      [
        'breaking wire Todo: is a singleton now',
        'breaking storage Todo: its objects have ids that nobody can name',
      ],
    ],
    [
      'no more snake case',
      with_({ acceptSnakeCase: true }),
      with_({}),
      ['breaking wire Todo: snake case is refused now'],
    ],
    [
      'another URN',
      things({}),
      things({ urn: 'urn:example:others' }),
      [
        'fine wire urn:example:others: capability added',
        'breaking wire urn:example:things: capability removed',
      ],
    ],
    [
      'a member of the session that goes',
      things({ session: { max: 1 } }),
      things({}),
      ['breaking wire urn:example:things: its object in the session changed, and loses max'],
    ],
    [
      'a member of the session that comes',
      things({}),
      things({ session: { max: 1 } }),
      ['fine wire urn:example:things: its object in the session changed'],
    ],
    [
      'an argument that takes less',
      own({}, {}),
      own({ maximum: 3 }, {}),
      ['breaking wire Todo/sweep: its arguments changed: "n" has maximum: 3 now'],
    ],
    [
      'a response that gives more',
      own({}, {}),
      own({}, { more: {} }),
      ['fine wire Todo/sweep: its response changed'],
    ],
    [
      'a response that gives less',
      own({}, { more: {} }),
      own({}, {}),
      ['breaking wire Todo/sweep: its response changed: more is gone'],
    ],
    [
      'a method that writes now',
      own({}, {}),
      own({}, {}, 'write'),
      ['breaking wire Todo/sweep: account: read -> write'],
    ],
    ['a method that goes', own({}, {}), things({}), ['breaking wire Todo/sweep: method removed']],
  ])('report %s', (_, before, after, expected) => {
    expect(comparedLines(before, after)).toEqual(expected);
  });
});
