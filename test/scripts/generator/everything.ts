import { execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { render } from '../../../scripts/generator/pipeline.js';
import { createProject, REPOSITORY, readTree } from './project.js';

const run = promisify(execFile);
const HEARD = 'Intl.DateTimeFormat().resolvedOptions().locale';

/** All descriptors of this repository with their hook files, by name. */
export const all = await everything();

/** The repository's own descriptors, the examples and the test types, with their hook files. */
async function everything(): Promise<Record<string, string>> {
  const conformance = join(REPOSITORY, 'test/conformance');
  const trees = await Promise.all([
    readTree(join(REPOSITORY, 'capabilities')),
    readTree(join(REPOSITORY, 'examples')),
  ]);
  const gadget = ['gadget.yaml', 'gadget.hooks.ts'];
  const files = Object.fromEntries(
    await Promise.all(
      gadget.map(async (name) => [name, await readFile(join(conformance, name), 'utf8')] as const),
    ),
  );
  const found = Object.entries(Object.assign(files, ...trees) as Record<string, string>);
  const isTheirs = /^[^/]+\.(?:yaml|hooks\.ts)$/;
  return Object.fromEntries(found.filter(([name]) => isTheirs.test(name)));
}

/** Renders the files of a project, which must have no problem. */
export async function filesOf({
  root,
}: {
  readonly root: string;
}): Promise<Record<string, string>> {
  const { owned, kept, problems } = await render(root);
  expect(problems).toEqual([]);
  return Object.fromEntries([...owned, ...kept]);
}

let rendered: Promise<Record<string, string>> | undefined;

/** Returns the files that the descriptors make as they are. */
export async function allFiles(): Promise<Record<string, string>> {
  rendered ??= createProject(all).then(filesOf);
  return rendered;
}

/** Expects `generate` to make the same with a locale, whose tag Node hears, and a time zone. */
export async function expectTheSameIn(LC_ALL: string, tag: string, TZ: string): Promise<void> {
  const project = await createProject({});
  const folder = 'ein Ordner für 中文';
  for (const [name, text] of Object.entries(all))
    await project.write(join(folder, 'capabilities', name), text);
  const root = join(project.root, folder);
  await project.write(join(folder, 'package.json'), await project.read('package.json'));
  await symlink(join(project.root, 'node_modules'), join(root, 'node_modules'));
  const tsx = join(REPOSITORY, 'node_modules/tsx/dist/cli.mjs');
  const script = join(REPOSITORY, 'scripts/generate.ts');
  const args = [tsx, '--conditions=jmapsmith-source', script, '--root', root];
  const env = { ...process.env, LC_ALL, LANG: LC_ALL, TZ };
  await run(process.execPath, args, { cwd: tmpdir(), env });
  expect(await readTree(root)).toMatchObject(await allFiles());
  // Node hears of the locale.
  expect((await run(process.execPath, ['-p', HEARD], { env })).stdout.trim()).toBe(tag);
}
