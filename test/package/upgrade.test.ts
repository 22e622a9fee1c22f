import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readTree } from '../scripts/generator/project.js';
import { ROOT } from '../support/server.js';
import { emptyFolder, jmapsmith, tool, write } from './pack.js';

/**
 * A project as version 0.1.0 left it: one manifest, the package's capabilities among the team's,
 * several files for each type. Only the files that this test names matter: the others are alike.
 */
const DESCRIPTOR = `# yaml-language-server: $schema=../generated/descriptor.schema.json
capability: urn:example:things
types:
  Thing:
    properties:
      text: { type: string, default: '' }
`;
const HOOKS = `import { thingType } from '../generated/things/Thing.definition.js';
import type { ThingStored } from '../generated/things/Thing.stored.js';
import type { Hooks } from '../generated/things/hooks.js';

export const named = (thing: ThingStored): string => thingType.name + thing.text;
export const hooks = { types: { Thing: { check() {} } } } satisfies Hooks;
`;
const OLD = [
  'docs/reference/core.md',
  'generated/core/capability.ts',
  'generated/core/methods.types.ts',
  'generated/core/methods.validators.d.ts',
  'generated/core/methods.validators.js',
  'generated/core/reference.ts',
  'generated/descriptor.schema.json',
  'generated/registry.ts',
  'generated/standard/methods.ts',
  'generated/standard/validators.js',
  'generated/things/Thing.definition.ts',
  'generated/things/Thing.stored.ts',
  'generated/things/Thing.types.ts',
  'generated/things/Thing.validators.d.ts',
  'generated/things/Thing.validators.js',
  'generated/things/capability.ts',
  'generated/things/hooks.ts',
  'generated/things/reference.ts',
];
const EDITED = 'generated/things/Thing.types.ts';

let project: Awaited<ReturnType<typeof emptyFolder>>;

beforeAll(async () => {
  project = await emptyFolder();
  const { root } = project;
  await mkdir(join(root, 'node_modules'));
  await symlink(ROOT, join(root, 'node_modules/jmapsmith'));
  await write(root, '.gitignore', 'node_modules/\n');
  await write(root, 'capabilities/things.yaml', DESCRIPTOR);
  await write(root, 'capabilities/things.hooks.ts', HOOKS);
  const files: Record<string, string> = {};
  for (const path of OLD) {
    const text = `// What version 0.1.0 made of ${path}.\n`;
    await write(root, path, path === EDITED ? `${text}// mine\n` : text);
    files[path] = createHash('sha256').update(text).digest('hex');
  }
  await write(root, 'generated/manifest.json', JSON.stringify({ $comment: 'Generated', files }));
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-q', '-m', 'old'],
  ])
    execFileSync('git', args, { cwd: root });
});

afterAll(() => project.remove());

it('one generate brings a project of version 0.1.0 up to date, and keeps what was edited', {
  timeout: 600_000,
}, async () => {
  const { root } = project;
  const { code, stdout, stderr } = await jmapsmith(root, ['generate']);
  expect(code).toBe(0);
  expect(stdout).toContain('removed generated/manifest.json\n');
  expect(Object.keys(await readTree(join(root, 'generated')))).toEqual([
    'calls.ts',
    'registry.ts',
    'things/Thing.definition.ts',
    'things/Thing.types.ts',
    'things/Thing.validators.ts',
    'things/capability.ts',
    'things/hooks.ts',
    'things/manifest.json',
  ]);
  expect(await readFile(join(root, EDITED), 'utf8')).toMatch(/\/\/ mine\n$/);
  expect(stderr).toContain(`${EDITED}: orphaned and edited by hand`);
  expect(await readTree(join(root, 'docs'))).not.toHaveProperty(['reference/core.md']);
  // Both places that name a file which is gone, with what they should say.
  expect(stderr).toContain('capabilities/things.hooks.ts:2:34');
  expect(stderr).toContain("'../generated/things/Thing.definition.js'");
  expect(stderr).toContain('things.yaml:1');
});

it('all is current once the file is removed and the places are mended', {
  timeout: 600_000,
}, async () => {
  const { root } = project;
  execFileSync('rm', [join(root, EDITED)]);
  const schema = '../node_modules/jmapsmith/generated/descriptor.schema.json';
  await write(
    root,
    'capabilities/things.yaml',
    DESCRIPTOR.replace(/\$schema=.*/, `$schema=${schema}`),
  );
  await write(root, 'capabilities/things.hooks.ts', HOOKS.replace('.stored.js', '.definition.js'));
  const checked = await tool(root, ['generate', '--check', '--max-warnings', '1']);
  expect(checked).toBe('Everything generated is current.');
});

it('breaking compares with a commit of the old layout', { timeout: 600_000 }, async () => {
  const { root } = project;
  await write(root, 'capabilities/things.yaml', DESCRIPTOR.replace('text:', 'words:'));
  const { code, stdout, stderr } = await jmapsmith(root, ['breaking', '--against', 'HEAD']);
  expect(`${stdout}${stderr}`).toContain('text');
  expect(code).toBe(1);
});
