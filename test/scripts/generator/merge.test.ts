import { execFileSync, spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { createProject, type Project } from './project.js';

/** A capability of one type with the properties given. */
function capability(name: string, properties: string): string {
  const type = name.charAt(0).toUpperCase() + name.slice(1);
  const types = `types:\n  ${type}:\n    properties:\n      ${properties}\n`;
  return `capability: urn:example:${name}\n${types}`;
}

const TEXT = 'text: { type: string, maxLength: 99, default: "" }';

/** A committed project with three capabilities. */
async function committed(): Promise<Project> {
  const names = ['desks', 'lamps', 'rooms'];
  const project = await createProject(
    Object.fromEntries(names.map((name) => [`${name}.yaml`, capability(name, TEXT)])),
  );
  expect((await project.generate()).code).toBe(0);
  await project.write('.gitignore', 'node_modules/\n');
  project.release();
  return project;
}

function git(project: Project, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  return execFileSync('git', [...who, ...args], { cwd: project.root, encoding: 'utf8' });
}

/** Changes descriptors and generates on a branch of its own, then goes back. */
async function branch(
  project: Project,
  name: string,
  descriptors: Readonly<Record<string, string>>,
): Promise<void> {
  const main = git(project, 'rev-parse', '--abbrev-ref', 'HEAD').trim();
  git(project, 'checkout', '-q', '-b', name);
  for (const [file, text] of Object.entries(descriptors))
    await project.write(`capabilities/${file}`, text);
  expect((await project.generate()).code).toBe(0);
  git(project, 'add', '.');
  git(project, 'commit', '-q', '-m', name);
  git(project, 'checkout', '-q', main);
}

/** Merges a branch; gives the files in conflict. */
function merge(project: Project, name: string): readonly string[] {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  spawnSync('git', [...who, 'merge', '-q', name], { cwd: project.root });
  return git(project, 'diff', '--name-only', '--diff-filter=U').split('\n').slice(0, -1);
}

it('two branches that touch two capabilities merge without a conflict, and all is current', {
  timeout: 600_000,
}, async () => {
  const project = await committed();
  // A migration that changes no table: of two migrations the later one is generated anew after a
  // merge.
  const changed = (name: string): string => `${capability(name, TEXT)}    acceptSnakeCase: true\n`;
  await branch(project, 'one', { 'desks.yaml': changed('desks') });
  await branch(project, 'two', { 'rooms.yaml': changed('rooms') });
  expect(merge(project, 'one')).toEqual([]);
  expect(merge(project, 'two')).toEqual([]);
  const run = await project.generate({ check: true });
  expect(run).toMatchObject({ code: 0, stdout: 'Everything generated is current.\n' });
});

it('two branches that add capabilities meet in one line, which generate mends', {
  timeout: 600_000,
}, async () => {
  const project = await committed();
  const method = (name: string): string => `capability: urn:example:${name}\n`;
  await branch(project, 'one', { 'tables.yaml': method('tables') });
  await branch(project, 'two', { 'vases.yaml': method('vases') });
  expect(merge(project, 'one')).toEqual([]);
  expect(merge(project, 'two')).toEqual(['generated/registry.ts']);
  const conflict = await project.read('generated/registry.ts');
  expect(conflict).toContain(
    [
      '<<<<<<< HEAD',
      "export { tablesCapability } from './tables/capability.js';",
      '=======',
      "export { vasesCapability } from './vases/capability.js';",
      '>>>>>>> two',
    ].join('\n'),
  );
  expect((await project.generate()).code).toBe(0);
  expect(await project.read('generated/registry.ts')).toBe(
    conflict.replaceAll(/^(?:<<<<<<<|=======|>>>>>>>).*\n/gm, ''),
  );
  expect((await project.generate({ check: true })).code).toBe(0);
});
