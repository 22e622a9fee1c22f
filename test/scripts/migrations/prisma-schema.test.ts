import { describe, expect, it } from 'vitest';
import { emitPrisma, tablesOf } from '../../../scripts/generator/emit/prisma.js';
import { loadEngine } from '../../../scripts/generator/migrations/engine.js';
import { readDatamodel } from '../../../scripts/generator/migrations/read-datamodel.js';
import { indexed, model, property, todo, type } from './models.js';

function schema(of: ReturnType<typeof model>, provider = 'sqlite'): string {
  const text = emitPrisma(of).get(`prisma/${provider}/schema.prisma`);
  if (text === undefined) throw new Error('no schema');
  return text;
}

const DEFAULTS = type('Defaults', [
  property('quoted', 'string', { default: 'it\'s a "b" TEXT;\n\\ é 😀' }),
  property('separated', 'string', { default: 'a\u2028b\u2029c\u0085d\re' }),
  property('small', 'number', { default: 1e-7 }),
  property('large', 'number', { default: -1.25e21 }),
  property('zero', 'number', { default: -0 }),
  property('whole', 'integer', { default: Number.MAX_SAFE_INTEGER }),
  property('since', 'date', { default: '1970-01-02T00:00:00Z' }),
  property('list', 'json', { default: ["it's", { a: 'x"y' }] }),
  property('nothing', 'string', { nullable: true, default: null }),
]);

describe('emitPrisma', () => {
  it('writes a schema for each database, with its provider and its own client folder', () => {
    const files = emitPrisma(model([todo()]));
    expect([...files.keys()]).toEqual([
      'prisma/sqlite/schema.prisma',
      'prisma/postgresql/schema.prisma',
    ]);
    for (const provider of ['sqlite', 'postgresql']) {
      const text = schema(model([todo()]), provider);
      expect(text).toContain(`provider = "${provider}"`);
      expect(text).toContain(`"../../build/prisma/${provider}"`);
    }
  });

  it('gives each data type a table keyed by account and id, with its shadow columns', () => {
    const table = readDatamodel(schema(model([todo()]))).find(({ name }) => name === 'Todo');
    expect(table?.key).toEqual(['accountId', 'id']);
    expect(table?.columns.map(({ name }) => name)).toEqual([
      ...['accountId', 'id', 'created', 'updated'],
      ...['text', 'done', 'text_folded', 'text_casemap'],
    ]);
  });

  it('makes an ordered index of the collation key where a string sort is indexed, of the column else', () => {
    const rank = property('rank', 'integer', { default: 0 });
    const text = property('text', 'string');
    const sorts = [indexed(text, 'text_casemap'), indexed(rank)];
    const table = readDatamodel(schema(model([todo([rank], { sorts })]))).find(
      ({ name }) => name === 'Todo',
    );
    expect(table?.indexes).toEqual([
      ['accountId', 'text_casemap', 'id'],
      ['accountId', 'rank', 'id'],
    ]);
  });

  it('is read back as the tables it was printed from', () => {
    const names = type('String', [
      property('rank', 'integer', { default: 0 }),
      property('NOT', 'string', { default: '' }),
    ]);
    const of = model([todo(), DEFAULTS, names]);
    const bare = (tables: readonly object[]) =>
      JSON.parse(
        JSON.stringify(tables, (key, value) =>
          key === 'description' || key === 'line' ? undefined : value,
        ),
      ) as unknown;
    expect(bare(readDatamodel(schema(of)))).toEqual(bare(tablesOf(of)));
  });

  it('keeps words of a description from ending the comment they stand in', () => {
    const text = schema(model([todo([], { description: 'Ends */ here.\nmodel X {\r\n}' })]));
    expect(text).toContain('/// Ends * / here.\n/// model X {\n/// }\nmodel Todo {');
  });

  it('names a model otherwise where Prisma keeps the name, and its table as the type', () => {
    const text = schema(model([type('Json', [])]));
    expect(text).toContain('model Json_ {');
    expect(text).toContain('@@map("Json")');
    expect(readDatamodel(text).map(({ name }) => name)).toContain('Json');
  });

  it('is legal for the schema engine, whatever the types are called', async () => {
    const types = ['Account', 'User', 'Promise', 'String', 'Json', 'PrismaClient', 'Object'];
    const of = model([DEFAULTS, ...types.map((name) => type(name, []))]);
    const engine = await loadEngine();
    for (const provider of ['sqlite', 'postgresql'] as const) {
      const created = await engine.diff(provider, null, schema(of, provider));
      for (const name of types) expect(created).toContain(`CREATE TABLE "${name}" (`);
    }
  });

  it('has the same bytes for the same model', () => {
    expect([...emitPrisma(model([todo(), DEFAULTS]))]).toEqual([
      ...emitPrisma(model([todo(), DEFAULTS])),
    ]);
  });
});
