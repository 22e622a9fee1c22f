import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, REPOSITORY } from '../project.js';

const fixture = (name: string): Promise<string> =>
  readFile(join(REPOSITORY, 'test/hooks', name), 'utf8');

test('--check exits with 1 for a hook file that is behind, with 0 once it is mended', async () => {
  const hooks = await fixture('machines.hooks.ts');
  const project = await createProject({ 'machines.yaml': await fixture('machines.yaml') });
  const path = 'capabilities/machines.hooks.ts';
  await project.write(path, `// written for: 000000000000\n${hooks}`);
  expect((await project.generate()).code).toBe(0);
  const behind = await project.generate({ check: true });
  expect(behind.code).toBe(1);
  expect(behind.stderr).toContain(`${path}:1`);
  const line = /\/\/ written for: [0-9a-f]{12}/.exec(behind.stderr)?.[0] ?? 'none';
  await project.write(path, `${line}\n${hooks}`);
  expect((await project.generate({ check: true })).code).toBe(0);
});

test('a descriptor without its functions ends with 2, and nothing is written', async () => {
  const project = await createProject({ 'machines.yaml': await fixture('machines.yaml') });
  const { code, stderr } = await project.generate();
  expect(code).toBe(2);
  expect(stderr).toContain('nothing implements Machine/rebuild');
  expect(Object.keys(await project.tree('.')).some((name) => name.startsWith('generated/'))).toBe(
    false,
  );
});

test('an import that Node would not find is reported, with place and right path', async () => {
  const hooks = await fixture('machines.hooks.ts');
  const project = await createProject({ 'machines.yaml': await fixture('machines.yaml') });
  const path = 'capabilities/machines.hooks.ts';
  await project.write('rules/reason.ts', "export { WHY } from './why';\nexport const A = 1;\n");
  await project.write('rules/why.ts', 'export const WHY = 1;\n');
  await project.write('rules/more/index.ts', 'export type More = 1;\nexport const B = 2;\n');
  const imports = [
    "import type { More } from '../rules/more';",
    "import { A } from '../rules/reason.js';",
    "import { B } from '../rules/more';",
    "const late = () => import('../rules/why');",
    "import { nowhere } from './nowhere';",
  ];
  await project.write(path, `${imports.join('\n')}\n${hooks}`);
  for (const check of [false, true]) {
    const { code, stderr } = await project.generate({ check });
    expect(code).toBe(2);
    expect(stderr.match(/^\S+: Node finds .*'\./gm)).toEqual([
      `${path}:3:19: Node finds no module '../rules/more': write '../rules/more/index.js'.`,
      `${path}:4:27: Node finds no module '../rules/why': write '../rules/why.js'.`,
      "rules/reason.ts:1:21: Node finds no module './why': write './why.js'.",
    ]);
  }
  await project.write('rules/reason.ts', "export { WHY } from './why.js';\nexport const A = 1;\n");
  const right = imports.slice(0, 2).join('\n');
  await project.write(path, `${right}\nimport { B } from '../rules/more/index.ts';\n${hooks}`);
  expect((await project.generate()).code).toBe(0);
});
