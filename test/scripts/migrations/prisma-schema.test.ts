import { describe, expect, it } from 'vitest';
import { emitPrisma, storageSchemas, tablesOf } from '../../../scripts/generator/emit/prisma.js';
import { loadEngine } from '../../../scripts/generator/migrations/engine.js';
import { readDatamodel } from '../../../scripts/generator/migrations/read-datamodel.js';
import { indexed, model, property, todo, type } from './models.js';

function schema(of: ReturnType<typeof model>, provider = 'sqlite'): string {
  return textOf(storageSchemas(of), provider);
}

function clientSchema(of: ReturnType<typeof model>, provider = 'sqlite'): string {
  return textOf(emitPrisma(of), provider);
}

function textOf(files: ReadonlyMap<string, string>, provider: string): string {
  const text = files.get(`prisma/${provider}/schema.prisma`);
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
      const text = clientSchema(model([todo()]), provider);
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

  it('calls models and fields by their names, wherever they are stored', async () => {
    const of = (name: string, column: string) => ({ ...property(name, 'string'), column });
    const title = of('heading', 'title');
    const fresh = of('title', 'title_2');
    const task = {
      ...type('Task', [title, fresh], { sorts: [indexed(title)] }),
      table: 'Todo',
      shadows: [
        { column: 'title_folded', property: title, transform: 'fold' as const },
        { column: 'title_2_folded', property: fresh, transform: 'fold' as const },
      ],
    };
    const text = schema(model([task]));
    expect(text).toMatch(/^model Task [{]$/m);
    expect(text).toMatch(/^ {2}@@map[(]"Todo"[)]$/m);
    expect(text).toMatch(/^ {2}heading +String +@map[(]"title"[)]$/m);
    expect(text).toMatch(/^ {2}title +String +@map[(]"title_2"[)]$/m);
    expect(text).toMatch(/^ {2}heading_folded .*@map[(]"title_folded"[)]/m);
    expect(text).toMatch(/^ {2}@@index[(]\[accountId, heading, id][)]$/m);
    // Read back, and as SQL, there are places alone.
    const table = readDatamodel(text).find(({ name }) => name === 'Todo');
    expect(table?.columns.map(({ name }) => name)).toEqual([
      ...['accountId', 'id', 'created', 'updated'],
      ...['title_2', 'title', 'title_2_folded', 'title_folded'],
    ]);
    const sql = await (await loadEngine()).diff('postgresql', null, text);
    expect(sql).toContain('CREATE INDEX "Todo_accountId_title_id_idx" ON "Todo"');
  });

  it('takes names that went round in a circle, which Prisma would refuse', async () => {
    const at = (name: string, column: string) => ({ ...property(name, 'string'), column });
    const text = schema(model([type('Todo', [at('a', 'b'), at('b', 'c'), at('c', 'a')])]));
    const columns = readDatamodel(text).find(({ name }) => name === 'Todo')?.columns ?? [];
    expect(columns.map(({ name }) => name).sort()).toEqual(
      ['accountId', 'id', 'created', 'updated', 'a', 'b', 'c'].sort(),
    );
    expect(text.match(/^ {2}[abc]_ /gm)).toHaveLength(1);
    expect(await (await loadEngine()).diff('sqlite', null, text)).toContain('"b" TEXT');
  });

  it('indexes the collation key of an indexed string sort, of other sorts the column', () => {
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
    // A table has columns; their fields are Prisma's alone.
    const others = ['description', 'line', 'field', 'isTime'];
    const bare = (tables: readonly object[]) =>
      JSON.parse(
        JSON.stringify(tables, (key, value) => (others.includes(key) ? undefined : value)),
      ) as unknown;
    expect(bare(readDatamodel(schema(of)))).toEqual(bare(tablesOf(of)));
  });

  it('keeps words of a description from ending the comment they stand in', () => {
    const text = clientSchema(model([todo([], { description: 'Ends */ here.\nmodel X {\r\n}' })]));
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
      const created = await engine.diff(provider, null, clientSchema(of, provider));
      for (const name of types) expect(created).toContain(`CREATE TABLE "${name}" (`);
    }
  });

  it('gives the client relations and times, of which the database has neither', async () => {
    const link = (name: string, to: string, more: object = {}) => ({
      ...property(name, 'string'),
      references: [{ type: to, place: [], onDestroy: 'restrict' as const, acyclic: false }],
      ...more,
    });
    const task = type('Task', [
      link('parentId', 'Task', { nullable: true, default: null }),
      link('parent', 'Todo', { required: true }),
      property('due', 'date', { default: '1970-01-02T00:00:00Z' }),
    ]);
    const of = model([todo(), task]);
    const text = clientSchema(of);
    const rest = 'onDelete: Restrict, onUpdate: Restrict)';
    const toParent = `fields: [accountId, parentId], references: [accountId, id], ${rest}`;
    const toTodo = `fields: [accountId, parent], references: [accountId, id], ${rest}`;
    expect(text).toContain('relationMode = "prisma"');
    expect(text).toMatch(/^ {2}due +DateTime$/m);
    expect(text).toContain(`\n  parent_ Task? @relation("Task_parentId", ${toParent}\n`);
    expect(text).toContain(`\n  parentObject Todo @relation("Task_parent", ${toTodo}\n`);
    expect(text).toContain('\n  taskByParent_ Task[] @relation("Task_parentId")\n');
    expect(text).toContain('\n  taskByParentObject Task[] @relation("Task_parent")\n');
    expect(text).toContain('\n  taskByAccount Task[] @relation("Task_accountId")\n');
    const engine = await loadEngine();
    for (const provider of ['sqlite', 'postgresql'] as const) {
      const sql = await engine.diff(provider, null, clientSchema(of, provider));
      expect(sql).not.toContain('FOREIGN KEY');
      const stored = await engine.diff(provider, null, schema(of, provider));
      expect(stored).toContain('"due" BIGINT NOT NULL DEFAULT 86400000');
    }
  });

  it('has the same bytes for the same model', () => {
    expect([...emitPrisma(model([todo(), DEFAULTS]))]).toEqual([
      ...emitPrisma(model([todo(), DEFAULTS])),
    ]);
  });
});
