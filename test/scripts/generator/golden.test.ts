import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { render } from '../../../scripts/generator/pipeline.js';
import { createProject, type Project, REPOSITORY, readTree, WITH_CLIENT } from './project.js';

/**
 * Each folder of test/golden/errors holds wrong descriptors and the messages about them; each of
 * test/golden/warnings right ones that give warnings. Each of test/golden/output holds descriptors
 * and the files that they make, each of test/golden/client the typed client that they make. Each of
 * test/golden/history holds descriptors, the descriptors that were generated before them, and the
 * messages. `UPDATE_GOLDEN=1` writes the expectations anew.
 */
const GOLDEN = join(REPOSITORY, 'test/golden');
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';

describe('wrong descriptors', () => {
  it.each(readdirSync(join(GOLDEN, 'errors')))('%s', async (name) => {
    const folder = join(GOLDEN, 'errors', name);
    const project = await projectOf(folder);
    const before = await project.tree();
    const { code, stdout, stderr } = await project.generate();
    if (UPDATE) await writeFile(join(folder, 'stderr.txt'), stderr);
    expect(stderr).toBe(readFileSync(join(folder, 'stderr.txt'), 'utf8'));
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(await project.tree()).toEqual(before);
  });

  it('have a case for every complaint that a rule can make', async () => {
    const found = new Set<string>();
    for (const name of readdirSync(join(GOLDEN, 'errors'))) {
      const { root } = await projectOf(join(GOLDEN, 'errors', name));
      for (const problem of (await render(root)).problems) found.add(problem.code);
    }
    for (const kind of ['output', 'warnings'])
      for (const name of readdirSync(join(GOLDEN, kind))) {
        const { root } = await projectOf(join(GOLDEN, kind, name));
        for (const problem of (await render(root)).warnings) found.add(problem.code);
      }
    expect([...found].sort()).toEqual(codesInSource());
  });
});

describe('descriptors that give warnings', () => {
  it.each(readdirSync(join(GOLDEN, 'warnings')))('%s', async (name) => {
    const folder = join(GOLDEN, 'warnings', name);
    const { code, stderr } = await (await projectOf(folder)).generate();
    if (UPDATE) await writeFile(join(folder, 'stderr.txt'), stderr);
    expect(stderr).toBe(readFileSync(join(folder, 'stderr.txt'), 'utf8'));
    expect(code).toBe(0);
  });
});

describe('descriptors with a history', () => {
  it.each(readdirSync(join(GOLDEN, 'history')))('%s', async (name) => {
    const folder = join(GOLDEN, 'history', name);
    const project = await createProject(await readTree(join(folder, 'before')));
    expect(await project.generate()).toMatchObject({ code: 0, stderr: '' });
    project.release();
    for (const [path, text] of Object.entries(await readTree(join(folder, 'capabilities'))))
      await project.write(`capabilities/${path}`, text);
    const { stderr } = await project.generate();
    if (UPDATE) await writeFile(join(folder, 'stderr.txt'), stderr);
    expect(stderr).toBe(readFileSync(join(folder, 'stderr.txt'), 'utf8'));
  });
});

describe('right descriptors', () => {
  it.each(readdirSync(join(GOLDEN, 'output')))('%s', async (name) => {
    const folder = join(GOLDEN, 'output', name);
    const project = await projectOf(folder);
    expect((await project.generate()).code).toBe(0);
    const made = await project.tree('generated');
    const page = (await project.tree('docs/reference/capabilities'))[`${name}.md`] ?? '';
    const own = [
      ...Object.entries(made).filter(([path]) => path.startsWith(`${name}/`)),
      [`reference/${name}.md`, page] as const,
    ];
    if (UPDATE) await replace(join(folder, 'expected'), own);
    expect(Object.fromEntries(own)).toEqual(await readTree(join(folder, 'expected')));
  });
});

describe('typed clients', () => {
  it.each(readdirSync(join(GOLDEN, 'client')))('%s', async (name) => {
    const folder = join(GOLDEN, 'client', name);
    const project = await projectOf(folder);
    await project.write('package.json', WITH_CLIENT);
    expect((await project.generate()).code).toBe(0);
    const made = await project.tree('generated/client');
    if (UPDATE) await replace(join(folder, 'expected'), Object.entries(made));
    expect(made).toEqual(await readTree(join(folder, 'expected')));
  });
});

async function projectOf(folder: string): Promise<Project> {
  return createProject(await readTree(join(folder, 'capabilities')));
}

/** Every code that a call of `report` or a problem in the source names. */
function codesInSource(): string[] {
  const folders = ['src/descriptor/check', 'scripts/generator/load'];
  const listed = folders.flatMap((folder) =>
    readdirSync(join(REPOSITORY, folder)).map((name) => join(folder, name)),
  );
  const files = ['src/descriptor/parse.ts', ...listed].map((file) => join(REPOSITORY, file));
  const codes = files.flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    const reported = [...source.matchAll(/report\([^'"]*'([a-z]+(?:-[a-z]+)*)',/g)];
    const chosen = [...source.matchAll(/(?:code|\?|\?\?|:) '([a-z]+(?:-[a-z]+)*)'/g)].filter(
      ([, code]) => /^(unknown-|duplicate-key|syntax|(bad|unsafe)-pattern)/.test(code ?? ''),
    );
    return [...reported, ...chosen].map(([, code]) => code ?? '');
  });
  return [...new Set(codes)].sort();
}

async function replace(
  folder: string,
  files: readonly (readonly [string, string])[],
): Promise<void> {
  if (existsSync(folder)) await rm(folder, { recursive: true });
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
