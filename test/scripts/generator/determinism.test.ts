import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { render } from '../../../scripts/generator/pipeline.js';
import { createProject, REPOSITORY, readTree, thing } from './project.js';

const run = promisify(execFile);
const descriptors = await readTree(join(REPOSITORY, 'capabilities'));
const gadgets = await readTree(join(REPOSITORY, 'test/golden/output/gadgets/capabilities'));
const all = { ...descriptors, ...gadgets };

async function filesOf(project: { readonly root: string }): Promise<Record<string, string>> {
  const { owned, kept } = await render(project.root);
  return Object.fromEntries([...owned, ...kept]);
}

describe('what is generated', () => {
  it('has the same bytes in any folder and whatever order the files were made in', async () => {
    const forwards = await createProject(all);
    const backwards = await createProject(Object.fromEntries(Object.entries(all).reverse()));
    const files = await filesOf(forwards);
    expect(await filesOf(backwards)).toEqual(files);
    expect(Object.keys(files).length).toBeGreaterThan(40);
  });

  it('names no folder of this machine', async () => {
    const project = await createProject(all);
    for (const [path, text] of Object.entries(await filesOf(project))) {
      expect(text, path).not.toContain(project.root);
      expect(text, path).not.toContain(REPOSITORY);
    }
  });

  it('is the same from a descriptor with CRLF and a byte-order mark', async () => {
    const lf = await createProject(all);
    const crlf = await createProject(
      Object.fromEntries(
        Object.entries(all).map(([name, text]) => [name, `\ufeff${text.replaceAll('\n', '\r\n')}`]),
      ),
    );
    expect(await filesOf(crlf)).toEqual(await filesOf(lf));
  });

  it('is the same in another locale, time zone and working directory', async () => {
    const project = await createProject(all);
    await project.generate();
    const made = await project.tree();
    const tsx = join(REPOSITORY, 'node_modules/tsx/dist/cli.mjs');
    const args = [
      tsx,
      '--conditions=jmapsmith-source',
      join(REPOSITORY, 'scripts/generate.ts'),
      '--check',
      '--root',
      project.root,
    ];
    const env = { ...process.env, LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Asia/Kolkata' };
    const { stdout } = await run(process.execPath, args, { cwd: tmpdir(), env });
    expect(stdout).toBe('Everything generated is current.\n');
    expect(await project.tree()).toEqual(made);
  });
});

describe("a descriptor's hash", () => {
  const base =
    'description: A thing.\nproperties:\n  a: { type: string, default: "" }\n  b: { type: integer, default: 0 }\nsort: [a, b]';

  async function hashOf(text: string): Promise<string> {
    const files = await filesOf(await createProject({ 'things.yaml': text }));
    return (
      /descriptorHash: '(sha256-[0-9a-f]{64})'/.exec(
        files['generated/things/capability.ts'] ?? '',
      )?.[1] ?? ''
    );
  }

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
        'sort: [a, b]\nproperties:\n  b: { type: integer, default: 0 }\n  a: { type: string, default: "" }',
      ),
    ],
  ])('stays when %s changes', async (_what, changed) => {
    expect(await hashOf(changed)).toBe(await hashOf(thing(base)));
  });

  it.each([
    ['a default', thing(base.replace('default: 0', 'default: 1'))],
    ['a bound', thing(base.replace('type: integer', 'type: integer, maximum: 9'))],
    ['a filter', thing(`${base}\nfilter: { a: contains }`)],
    ['a session entry', `session: { description: x }\n${thing(base)}`],
    [
      'a property named description',
      thing(base.replace('  b:', '  description: { type: string, default: "" }\n  b:')),
    ],
  ])('changes when %s changes', async (_what, changed) => {
    const hash = await hashOf(changed);
    expect(hash).toMatch(/^sha256-/);
    expect(hash).not.toBe(await hashOf(thing(base)));
  });
});
