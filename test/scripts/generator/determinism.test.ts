import { describe, expect, it } from 'vitest';
import { parseDocument, visit } from 'yaml';
import { all, allFiles, filesOf } from './everything.js';
import { createProject, REPOSITORY, thing } from './project.js';

/** Each descriptor, changed; hook files are code. */
function changed(change: (text: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(all).map(([name, text]) => [name, name.endsWith('.ts') ? text : change(text)]),
  );
}

/** The same descriptor with the keys of every object, at every level, the other way round. */
function backwards(text: string): string {
  const document = parseDocument(text);
  visit(document, {
    Map(_key, node) {
      node.items.reverse();
    },
  });
  return document.toString();
}

describe('the output of generate', () => {
  it('is of every kind in these tests', async () => {
    const paths = Object.keys(await allFiles());
    for (const kind of [
      /^generated\/gadget\/Gadget\.definition\.ts$/,
      /^generated\/gadget\/Gadget\.validators\.ts$/,
      /^generated\/tracker\/hooks\.ts$/,
      /^generated\/registry\.ts$/,
      /^generated\/gadget\/manifest\.json$/,
      /^docs\/reference\/capabilities\/tracker\.md$/,
      /^prisma\/sqlite\/schema\.prisma$/,
      /^prisma\/postgresql\/migrations\/[^/]+\/migration\.sql$/,
      /^prisma\/sqlite\/migrations\/[^/]+\/model\.json$/,
    ])
      expect(paths.filter((path) => kind.test(path)).length, kind.source).toBeGreaterThan(0);
  });

  it('has the same bytes for files in any order, with CRLF or a byte-order mark', async () => {
    const files = await allFiles();
    const crlf = changed((text) => `\ufeff${text.replaceAll('\n', '\r\n')}`);
    const project = await createProject(Object.fromEntries(Object.entries(crlf).reverse()));
    expect(await filesOf(project)).toEqual(files);
    for (const [path, text] of Object.entries(files)) {
      expect(text, path).not.toContain(project.root);
      expect(text, path).not.toContain(REPOSITORY);
    }
  });

  it('makes the same tables, migrations and hashes whatever order the keys stand in', async () => {
    const shuffled = changed(backwards);
    expect(shuffled['tracker.yaml']).not.toBe(all['tracker.yaml']);
    const [files, others] = [await filesOf(await createProject(shuffled)), await allFiles()];
    expect(Object.keys(files)).toEqual(Object.keys(others));
    const words = (text: string | undefined) => text?.split(/[\s,|;<>&]+/).sort();
    for (const [path, text] of Object.entries(files)) {
      if (/^prisma\/|(capability|registry)\.ts$/.test(path)) expect(text, path).toBe(others[path]);
      // Members stand in another order, and say the same.
      if (/\.definition\.ts$/.test(path)) expect(words(text), path).toEqual(words(others[path]));
    }
  });

  it('has types, properties and members in the order of the descriptor', async () => {
    const files = await filesOf(
      await createProject({
        'things.yaml': [
          'capability: urn:example:things',
          'types:',
          '  Zebra:',
          '    properties:',
          '      title: { type: string, default: "" }',
          '      place:',
          '        type: object',
          '        properties: { street: { type: string }, city: { type: string } }',
          '        default: {}',
          '      code: { type: string, default: "" }',
          '    filter: { title: contains, code: equals }',
          '  Ape:',
          '    properties: { name: { type: string, default: "" } }',
          '',
        ].join('\n'),
      }),
    );
    const found = (path: string, names: RegExp) => [...((files[path] ?? '').match(names) ?? [])];
    const types = found(
      'generated/things/Zebra.definition.ts',
      /\b(title|place|street|city|code)\b(?=\??:)/g,
    );
    expect(types.slice(0, 5)).toEqual(['title', 'place', 'street', 'city', 'code']);
    expect(
      found('generated/things/Zebra.definition.ts', /\b(title|place|code)\b(?=: \{ kind)/g),
    ).toEqual(['title', 'place', 'code']);
    expect(
      found('generated/things/Zebra.definition.ts', /\b(title|code)\b(?=: \{ property)/g),
    ).toEqual(['title', 'code']);
    expect(
      found('docs/reference/capabilities/things.md', /^\| `(title|place|code)` \|/gm).slice(0, 3),
    ).toEqual(['| `title` |', '| `place` |', '| `code` |']);
    expect(found('docs/reference/capabilities/things.md', /^## .*/gm)).toEqual([
      '## Zebra',
      '## Ape',
    ]);
    const [, model = ''] = (files['prisma/sqlite/schema.prisma'] ?? '').split('model Zebra');
    const columns = model.split('\n}')[0]?.match(/^ {2}(title|place|code) /gm) ?? [];
    expect(columns.map((name) => name.trim())).toEqual(['code', 'place', 'title']);
  });
});

describe("a descriptor's hash", () => {
  const base =
    'description: A thing.\nproperties:\n  a: { type: string, default: "" }\n  b: { type: ' +
    'integer, default: 0 }\nsort: [a, b]';

  const filesOfThings = async (text: string) =>
    filesOf(await createProject({ 'things.yaml': text }));
  let rendered: ReturnType<typeof filesOfThings> | undefined;
  const filesOfBase = () => {
    rendered ??= filesOfThings(thing(base));
    return rendered;
  };

  function readHash(files: Record<string, string>): string {
    const text = files['generated/things/capability.ts'] ?? '';
    return /descriptorHash: '(sha256-[0-9a-f]{64})'/.exec(text)?.[1] ?? '';
  }
  const hashOf = async (text: string) => readHash(await filesOfThings(text));
  const hashOfBase = async () => readHash(await filesOfBase());

  it.each([
    ['a comment', `# words\n${thing(base)}`],
    ['white space', thing(base).replaceAll(': ', ':   ')],
    ['a description', thing(base.replace('A thing.', 'Some thing.'))],
    [
      'a default that is spelled out',
      thing(base.replace('b: { type: integer', 'b: { access: mutable, type: integer')),
    ],
    [
      'the order of properties',
      thing(
        'sort: [a, b]\nproperties:\n  b: { type: integer, default: 0 }\n  a: { type: string, ' +
          'default: "" }',
      ),
    ],
  ])('stays when %s changes', async (_what, changed) => {
    expect(await hashOf(changed)).toBe(await hashOfBase());
  });

  it.each([
    ['what a property was called', thing(base.replace('a: {', 'a: { renamedFrom: z,'))],
    ['what a type was called', thing(`${base}\nrenamedFrom: Old`)],
    ['what the next migration may drop', `drops: [Old]\n${thing(`${base}\ndrops: [z]`)}`],
  ])('stays, with every other byte, when %s is said', async (_what, said) => {
    expect(await filesOfThings(said)).toEqual(await filesOfBase());
  });

  it.each([
    ['a default', thing(base.replace('default: 0', 'default: 1'))],
    ['a bound', thing(base.replace('type: integer', 'type: integer, maximum: 9'))],
    ['a filter', thing(`${base}\nfilter: { a: contains }`)],
    [
      'a property named drops',
      thing(base.replace('  b:', '  drops: { type: string, default: "" }\n  b:')),
    ],
    ['a session entry', `session: { description: x }\n${thing(base)}`],
    [
      'a property named description',
      thing(base.replace('  b:', '  description: { type: string, default: "" }\n  b:')),
    ],
  ])('changes when %s changes', async (_what, changed) => {
    const hash = await hashOf(changed);
    expect(hash).toMatch(/^sha256-/);
    expect(hash).not.toBe(await hashOfBase());
  });

  it('changes with a member of a value that is called as a word for migrations is', async () => {
    const of = (inner: string) =>
      thing(`properties:\n  o: { type: object, properties: { ${inner} }, default: {} }`);
    const hashes = ['drops: { type: string }', 'renamedFrom: { type: string }'].map((inner) =>
      hashOf(of(inner)),
    );
    expect(new Set(await Promise.all(hashes)).size).toBe(2);
  });
});
