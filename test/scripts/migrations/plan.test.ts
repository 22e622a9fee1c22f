import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelProperty, ModelType } from '../../../src/descriptor/model.js';
import { referring } from '../../support/references.js';
import { drop, find, indexed, model, property, TODO_PROPERTIES, todo, type } from './models.js';
import { generate, names, sql, temporaryRoot, write } from './project.js';

const COUNTRY = type('Country', [property('name', 'string', { required: true })]);
const DUE = property('due', 'date', { nullable: true });

async function started(): Promise<string> {
  const root = temporaryRoot();
  const plan = await generate(root, model([todo()]));
  expect(plan.problems).toEqual([]);
  return root;
}

async function refusalsOf(root: string, of: ReturnType<typeof model>) {
  const plan = await generate(root, of);
  // Nothing new: only what was there.
  expect(names(plan)).toEqual(['0001_init']);
  return plan.problems.map(({ code, at, message }) => ({ code, line: at.line, message }));
}

describe('planMigrations: a new migration', () => {
  it('begins both histories with 0001_init', async () => {
    const plan = await generate(temporaryRoot(), model([todo()]));
    for (const provider of ['sqlite', 'postgresql']) {
      expect(names(plan, provider)).toEqual(['0001_init']);
      expect(sql(plan, '0001_init', provider)).toContain('CREATE TABLE "Todo"');
    }
    expect(plan.problems).toEqual([]);
  });

  it('names the next after the type or property that came', async () => {
    const root = await started();
    expect(names(await generate(root, model([todo(), COUNTRY])))).toEqual([
      '0001_init',
      '0002_country',
    ]);
    expect(names(await generate(root, model([todo([DUE]), COUNTRY])), 'postgresql')).toEqual([
      ...['0001_init', '0002_country', '0003_todo_due'],
    ]);
  });

  it('contains the difference alone', async () => {
    const plan = await generate(await started(), model([todo(), COUNTRY]));
    for (const provider of ['sqlite', 'postgresql'])
      expect(sql(plan, '0002_country', provider).match(/CREATE TABLE "\w+"/g)).toEqual([
        'CREATE TABLE "Country"',
      ]);
  });

  it('makes the same bytes in two places', async () => {
    const [one, two] = [await started(), await started()];
    const of = model([todo([DUE]), COUNTRY]);
    expect([...(await generate(one, of)).files]).toEqual([...(await generate(two, of)).files]);
  });

  it('adds an index that a sort asks for, and drops it again', async () => {
    const root = await started();
    const sorts = [indexed(property('done', 'boolean'))];
    const added = await generate(root, model([todo([], { sorts })]));
    expect(sql(added, '0002_todo')).toContain('CREATE INDEX "Todo_accountId_done_id_idx"');
    const dropped = await generate(root, model([todo()]));
    expect(sql(dropped, '0003_todo')).toContain('DROP INDEX "Todo_accountId_done_id_idx"');
  });

  it('drops a shadow column, which holds nothing of its own', async () => {
    const plan = await generate(await started(), model([todo([], { folded: [] })]));
    expect(plan.problems).toEqual([]);
    expect(names(plan)).toEqual(['0001_init', '0002_todo']);
  });
});

describe('planMigrations: nothing to do', () => {
  it('returns the existing migrations, byte for byte', async () => {
    const root = await started();
    const path = 'prisma/sqlite/migrations/0001_init/migration.sql';
    write(root, path, `${readFileSync(join(root, path), 'utf8')}\n-- reviewed\n`);
    const plan = await generate(root, model([todo()]));
    expect(names(plan)).toEqual(['0001_init']);
    expect(plan.files.get(path)).toMatch(/-- reviewed\n$/);
    expect(plan.files.size).toBe(6);
  });

  it('takes no notice of descriptions, order or another default', async () => {
    const root = await started();
    const [text, done] = TODO_PROPERTIES;
    if (text === undefined || done === undefined) throw new Error('no properties');
    const changed = type(
      'Todo',
      [
        { ...done, default: true },
        { ...text, description: 'Other.' },
      ],
      {
        folded: ['text'],
        casemapped: ['text'],
      },
    );
    expect(names(await generate(root, model([changed])))).toEqual(['0001_init']);
  });
});

describe('planMigrations: refused changes', () => {
  it('a removed type, at the capability that had it', async () => {
    const root = temporaryRoot();
    await generate(root, model([todo(), COUNTRY]));
    const plan = await generate(root, model([todo()]));
    // Once, though both histories have the table.
    expect(plan.problems.map(({ code }) => code)).toEqual(['type-removed']);
    expect(plan.problems[0]?.at).toMatchObject({ file: 'capabilities/things.yaml', line: 1 });
    expect(plan.problems[0]?.message).toContain('drops: [Country]');
  });

  it('a removed type whose capability went with it, at its place in the snapshot', async () => {
    const root = temporaryRoot();
    await generate(root, model([todo(), COUNTRY]));
    const plan = await generate(root, { capabilities: [] });
    const at = plan.problems.find(({ message }) => message.includes('Country'))?.at;
    expect(at?.file).toBe('prisma/sqlite/migrations/0001_init/schema.prisma');
    const lines = readFileSync(join(root, at?.file ?? ''), 'utf8').split('\n');
    expect(lines[(at?.line ?? 0) - 1]).toBe('model Country {');
  });

  it('a removed property, at its type', async () => {
    const root = await started();
    const [text] = TODO_PROPERTIES;
    if (text === undefined) throw new Error('no property');
    const less = type('Todo', [text], { folded: ['text'], casemapped: ['text'] });
    expect(await refusalsOf(root, model([less]))).toEqual([
      { code: 'property-removed', line: 5, message: expect.stringContaining('Todo.done') },
    ]);
  });

  it('a property of another type, at the property', async () => {
    const root = await started();
    const [text] = TODO_PROPERTIES;
    if (text === undefined) throw new Error('no property');
    const other = type('Todo', [text, property('done', 'string', { default: '' })], {
      folded: ['text'],
      casemapped: ['text'],
    });
    expect(await refusalsOf(root, model([other]))).toEqual([
      { code: 'property-type-changed', line: 10, message: expect.stringContaining('Todo.done') },
    ]);
  });

  it('a property of another name and type, until its new name is given up', async () => {
    const root = temporaryRoot();
    await generate(root, model([todo([property('size', 'string', { default: '' })])]));
    const length = property('length', 'integer', { default: 0, renamedFrom: 'size' });
    for (const drops of [[], ['size']])
      expect(await refusalsOf(root, model([todo([length], { drops })]))).toContainEqual({
        code: 'property-type-changed',
        line: 10,
        message: expect.stringContaining('Write `drops: [length]`'),
      });
    const plan = await generate(root, model([todo([length], { drops: ['length'] })]));
    expect(plan.problems).toEqual([]);
  });

  it('a new property that existing objects have no value for', async () => {
    const root = await started();
    const place = property('place', 'string', { required: true });
    expect(await refusalsOf(root, model([todo([place])]))).toEqual([
      { code: 'property-without-default', line: 10, message: expect.stringContaining('place') },
    ]);
  });

  it('a nullable property that no longer is', async () => {
    const root = temporaryRoot();
    await generate(root, model([todo([DUE])]));
    const due = property('due', 'date', { default: '2020-01-01T00:00:00Z' });
    expect(await refusalsOf(root, model([todo([due])]))).toEqual([
      { code: 'property-not-nullable', line: 10, message: expect.stringContaining('Todo.due') },
    ]);
  });

  it('a narrower enum, bound or part of a value, until the type says that it knows', async () => {
    const with_ = (schema: ModelProperty['schema'], more: Partial<ModelProperty> = {}) =>
      property('kind', 'string', { default: 'a', schema, ...more });
    const wide = { type: 'string', maxLength: 9, enum: ['a', 'b'] } as const;
    const nested = (inner: object) => ({ type: 'object', properties: { in: inner } }) as const;
    for (const [before, after, why] of [
      [wide, { ...wide, enum: ['a'] }, 'loses "b" of its enum'],
      [wide, { ...wide, maxLength: 5 }, 'maxLength: 5, which was 9'],
      [{ type: 'string' }, wide, 'has an enum now'],
      [{ type: 'string' }, { type: 'string', pattern: '^a$' }, 'has pattern: "^a$" now'],
      [nested({ type: ['string', 'null'] }), nested({ type: 'string' }), '"in" takes no null'],
      [nested({}), { ...nested({}), required: ['in'] }, '"in" is required'],
      [nested({}), { type: 'object', additionalProperties: false }, '"in" is refused now'],
    ] as const) {
      const root = temporaryRoot();
      await generate(root, model([todo([with_(before as ModelProperty['schema'])])]));
      const narrow = with_(after as ModelProperty['schema']);
      expect(await refusalsOf(root, model([todo([narrow])]))).toEqual([
        { code: 'property-narrowed', line: 10, message: expect.stringContaining(why) },
      ]);
      const accepted = await generate(root, model([todo([narrow], { drops: ['kind'] })]));
      expect(names(accepted)).toEqual(['0001_init', '0002_todo']);
      // Released: the word has done its work. Wider again is no question, and is released too.
      expect(names(await generate(root, model([todo([narrow])])))).toHaveLength(2);
      const wider = await generate(root, model([todo([with_(before as ModelProperty['schema'])])]));
      expect(names(wider)).toHaveLength(3);
      for (const provider of ['sqlite', 'postgresql'])
        expect(sql(wider, '0003_todo', provider)).toMatch(/^-- No table changes: .*\n$/);
    }
  });

  it('nothing for a word in drops that has done its work, which is a warning', async () => {
    const kind = (maxLength: number) =>
      property('kind', 'string', { default: 'a', schema: { type: 'string', maxLength } });
    const root = temporaryRoot();
    const drops = ['kind', 'other'];
    await generate(root, model([todo([kind(9), property('old', 'string', { default: '' })])]));
    const narrow = model([todo([kind(5)], { drops: ['kind', 'old'] })]);
    expect((await generate(root, narrow)).problems, 'both accept something').toEqual([]);
    const [capability] = narrow.capabilities;
    if (capability === undefined) throw new Error('no capability');
    const types = [todo([kind(5)], { drops })];
    const later = { capabilities: [{ ...capability, types, drops: [drop('Gone')] }] };
    const { problems, files } = await generate(root, later);
    expect(problems).toMatchObject([
      {
        ...{ code: 'unused-drop', severity: 'warning' },
        message: expect.stringContaining('[Gone]'),
        at: { line: 30 },
      },
      { code: 'unused-drop', severity: 'warning', message: expect.stringContaining('[kind] of') },
      { code: 'unused-drop', severity: 'warning', message: expect.stringContaining('[other] of') },
    ]);
    expect(files.size).toBeGreaterThan(0);
  });

  it('a secret that is sealed otherwise, until its values are given up', async () => {
    const pin = property('pin', 'string', { nullable: true });
    const secret = { ...pin, access: 'secret', secret: 'hash' } as const;
    for (const [before, after] of [
      [pin, secret],
      [secret, pin],
      [secret, { ...secret, secret: 'encrypt' } as const],
    ] as const) {
      const root = temporaryRoot();
      await generate(root, model([todo([before])]));
      expect(await refusalsOf(root, model([todo([after])]))).toEqual([
        { code: 'property-sealed-otherwise', line: 10, message: expect.stringContaining('pin') },
      ]);
      const plan = await generate(root, model([todo([after], { drops: ['pin'] })]));
      const name = names(plan)[1] ?? '';
      expect(sql(plan, name)).toMatch(/DROP COLUMN "pin"|CREATE TABLE "new_Todo"/);
      expect(sql(plan, name, 'postgresql')).toContain('ADD COLUMN     "pin_2"');
      expect(sql(plan, name, 'postgresql')).not.toContain('DROP');
      // Without a value to put there it can't be.
      const anew = temporaryRoot();
      await generate(anew, model([todo([{ ...before, nullable: false }])]));
      const bare = todo([{ ...after, nullable: false }], { drops: ['pin'] });
      const problems = await refusalsOf(anew, model([bare]));
      expect(problems.map(({ code }) => code)).toEqual(['property-without-default']);
    }
  });

  it('a reference to another type, until its values are given up', async () => {
    const link = (to: string, rest: Partial<ModelProperty> = {}) => {
      const link = referring({ type: to, form: 'single', onDestroy: 'setNull', acyclic: false });
      return property('link', 'string', { nullable: true, ...link, ...rest });
    };
    const root = temporaryRoot();
    await generate(root, model([todo([link('Todo')]), COUNTRY]));
    expect(await refusalsOf(root, model([todo([link('Country')]), COUNTRY]))).toEqual([
      {
        ...{ code: 'property-retargeted', line: 10 },
        message: expect.stringContaining('refers to Todo objects and would now refer to Country'),
      },
    ]);
    const full = todo([link('Country', { nullable: false })], { drops: ['link'] });
    const codes = (await refusalsOf(root, model([full, COUNTRY]))).map(({ code }) => code);
    expect(codes).toContain('property-without-default');
    const given = todo([link('Country')], { drops: ['link'] });
    const plan = await generate(root, model([given, COUNTRY]));
    expect(plan.problems).toEqual([]);
    const name = names(plan).at(-1) ?? '';
    expect(name).toBe('0002_todo_link_2');
    expect(sql(plan, name)).toMatch(/DROP COLUMN "link"|CREATE TABLE "new_Todo"/);
    expect(sql(plan, name)).toContain('DELETE FROM "JmapReference"');
    expect(sql(plan, name, 'postgresql')).not.toMatch(/DROP|DELETE FROM "JmapReference"/);
    const renamed = type('Land', [find(COUNTRY.properties, 'name')], { renamedFrom: 'Country' });
    const follows = await generate(root, model([todo([link('Land')]), renamed]));
    expect(follows.problems).toEqual([]);
  });

  it('a rename to a name that the last release has, though that one goes', async () => {
    const root = temporaryRoot();
    const of = (name: string, rest: Partial<ModelProperty> = {}) =>
      property(name, 'string', { default: '', ...rest });
    await generate(root, model([todo([of('size'), of('length')]), COUNTRY]));
    const size = of('size', { renamedFrom: 'length' });
    for (const drops of [['size'], ['size', 'length']])
      expect(await refusalsOf(root, model([todo([size], { drops }), COUNTRY]))).toEqual([
        {
          ...{ code: 'bad-rename', line: 10 },
          message:
            "The property length can't be renamed to size yet: the last release has another " +
            'property of that name. Give that one up first (take it out, `drops: [size]` at the ' +
            'type, generate, commit), then rename length.',
        },
      ]);
    const [capability] = model([]).capabilities;
    if (capability === undefined) throw new Error('no capability');
    const country = { ...todo([of('size'), of('length')]), name: 'Country', table: 'Country' };
    const types = [{ ...country, renamedFrom: 'Todo' }];
    const plan = await refusalsOf(root, {
      capabilities: [{ ...capability, types, drops: [drop('Country')] }],
    });
    expect(plan).toEqual([
      { code: 'bad-rename', line: 5, message: expect.stringContaining('renamed to Country yet') },
    ]);
  });

  it('a released property with an old name that no release had', async () => {
    const root = temporaryRoot();
    const of = (name: string, renamedFrom?: string) =>
      property(name, 'string', { default: '', ...(renamedFrom && { renamedFrom }) });
    const first = of('first', 'beforeTheMigrations');
    await generate(root, model([todo([first, of('title')])]));
    await generate(root, model([todo([first, of('label', 'title')])]));
    const problemsOf = async (...properties: ModelProperty[]) =>
      (await generate(root, model([todo(properties)]))).problems;
    expect(await problemsOf(first, of('label', 'title')), 'leftovers').toEqual([]);
    for (const [name, old] of [
      ['label', 'titel'],
      ['first', 'titel'],
      ['label', 'anything'],
    ] as const) {
      const others = [first, of('label', 'title')].filter((one) => one.name !== name);
      const message = expect.stringMatching(
        `^the property Todo.${name} has renamedFrom: ${old}, but no release called it ` +
          `${old}.${old === 'titel' ? ' Did you mean "title"[?]' : ''} The last`,
      );
      expect(await problemsOf(of(name, old), ...others)).toEqual([
        expect.objectContaining({ code: 'bad-rename', message }),
      ]);
    }
  });

  it('a released type with an old name that no release had', async () => {
    const root = temporaryRoot();
    const of = (name: string, renamedFrom?: string) =>
      type(name, [find(COUNTRY.properties, 'name')], { ...(renamedFrom && { renamedFrom }) });
    const founder = of('Founder', 'BeforeTheMigrations');
    await generate(root, model([founder, of('Country')]));
    await generate(root, model([founder, of('Land', 'Country')]));
    const problemsOf = async (...types: ModelType[]) =>
      (await generate(root, model(types))).problems;
    expect(await problemsOf(founder, of('Land', 'Country'))).toEqual([]);
    for (const [name, old] of [
      ['Land', 'Contry'],
      ['Founder', 'Contry'],
      ['Land', 'Anything'],
    ] as const) {
      const others = [founder, of('Land', 'Country')].filter((one) => one.name !== name);
      const message = expect.stringMatching(
        `^the type ${name} has renamedFrom: ${old}, but no release called it ` +
          `${old}.${old === 'Contry' ? ' Did you mean "Country"[?]' : ''} The last`,
      );
      expect(await problemsOf(of(name, old), ...others)).toEqual([
        expect.objectContaining({ code: 'bad-rename', message }),
      ]);
    }
  });

  it('a type that becomes a singleton, or stops being one', async () => {
    for (const singleton of [true, false]) {
      const root = temporaryRoot();
      await generate(root, model([todo([], { singleton })]));
      expect(await refusalsOf(root, model([todo([], { singleton: !singleton })]))).toEqual([
        { code: 'singleton-changed', line: 5, message: expect.stringContaining('Todo') },
      ]);
    }
  });

  it('a unique over new properties of which every object would have the default', async () => {
    const root = await started();
    const code = property('code', 'string', { default: '' });
    const uniques = (of: ModelProperty) => [
      {
        name: 'code',
        properties: [of],
        at: { file: 'capabilities/things.yaml', line: 30, column: 1 },
      },
    ];
    expect(await refusalsOf(root, model([todo([code], { uniques: uniques(code) })]))).toEqual([
      { code: 'unique-by-default', line: 30, message: expect.stringContaining('Todo.code') },
    ]);
    const free = property('code', 'string', { nullable: true });
    const plan = await generate(root, model([todo([free], { uniques: uniques(free) })]));
    expect(plan.problems).toEqual([]);
  });

  it('a unique over a property that is computed only once the server has started', async () => {
    const root = await started();
    const slug = property('slug', 'string', {
      default: '',
      access: 'serverSet',
      computed: { kind: 'from', properties: ['text'] },
    });
    const uniques = [
      {
        name: 'slug',
        properties: [slug],
        at: { file: 'capabilities/things.yaml', line: 30, column: 1 },
      },
    ];
    expect(await refusalsOf(root, model([todo([slug], { uniques })]))).toEqual([
      { code: 'unique-not-computed', line: 30, message: expect.stringContaining('Todo.slug') },
    ]);
    expect((await generate(root, model([todo([slug])]))).problems).toEqual([]);
    expect((await generate(root, model([todo([slug], { uniques })]))).problems).toEqual([]);
  });

  it('names that a database can not tell apart or would cut', async () => {
    const plan = await generate(
      temporaryRoot(),
      model([
        todo([property('accountId', 'string', { default: '' }), property('DONE', 'boolean')]),
        type('TODO', []),
        type(`T${'o'.repeat(60)}`, []),
      ]),
    );
    expect(plan.files.size).toBe(0);
    expect(plan.problems.map(({ code, message }) => [code, message.split(':')[0]])).toEqual([
      ['database-name', 'Todo'],
      ['database-name', 'Todo'],
      ['database-name', expect.stringContaining('Todo and TODO')],
      ['database-name', expect.stringContaining('longer than')],
    ]);
  });

  it('a history whose migration lacks a file, or whose snapshot was edited', async () => {
    const root = await started();
    rmSync(join(root, 'prisma/postgresql/migrations/0001_init/migration.sql'));
    const snapshot = 'prisma/sqlite/migrations/0001_init/schema.prisma';
    const text = readFileSync(join(root, snapshot), 'utf8');
    write(root, snapshot, text.replace('model Todo {', 'model Todo {\n  nonsense'));
    const plan = await generate(root, model([todo()]));
    expect(plan.problems.map(({ code, at }) => [code, at.file])).toContainEqual([
      'migration-history',
      'prisma/postgresql/migrations/0001_init/schema.prisma',
    ]);
    const edited = plan.problems.find(({ code }) => code === 'migration-snapshot');
    expect(edited?.at.line).toBe(text.split('\n').indexOf('model Todo {') + 2);
  });
});
