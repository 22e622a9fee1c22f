import { expect, it } from 'vitest';
import { createProject, thing } from './project.js';

const BEFORE = thing(`
properties: { size: { type: string, default: small } }
`);
const AFTER = thing(`
properties: { size: { type: integer } }
required: [size]
`);

const file = (type: string) => `
export const evolution = { ${type}({ size }) { return { size: size.length }; } };
`;

it('a file of evolve/ is held to the migrations and the types that there are', async () => {
  const project = await createProject({ 'things.yaml': BEFORE });
  await project.generate();
  project.release();
  const readErrors = async () => (await project.generate()).stderr;
  const narrow = 'properties: { size: { type: string, maxLength: 5, default: small } }';
  for (const after of [thing(narrow), AFTER]) {
    await project.write('capabilities/things.yaml', after);
    expect(await readErrors()).toMatch(
      /Or convert the values in evolve\/0002-thing\.ts:\n {4}import type/,
    );
  }
  const wrong: readonly (readonly [name: string, text: string, message: string])[] = [
    ['2-thing.ts', file('Thing'), 'its name must be like 0007-split-name.ts'],
    [
      '0007-thing.ts',
      file('Thing'),
      'there is no migration 0007: the next one has the number 0002',
    ],
    ['0001-thing.ts', file('Thing'), 'no migration stands before 0001'],
    ['0002-thing.ts', file('Thign'), 'there is no type Thign behind the migration. Did you mean'],
    ['0002-thing.ts', 'export const evolutions = {};', 'the file needs `export const evolution ='],
    ['0002-thing.ts', 'export const evolution = {', 'expected'],
  ];
  for (const [name, text, message] of wrong) {
    await project.write(`evolve/${name}`, text);
    expect(await readErrors()).toContain(message);
    await project.remove(`evolve/${name}`);
  }
  await project.write('evolve/0002-thing.ts', file('Thing'));
  expect(await readErrors()).toBe('');
  expect(await project.read('generated/things/evolve-0002.ts')).toContain(
    'readonly Thing: jmap.Convert<ThingBefore, ThingAfter>;',
  );
  project.release();
  // Its types stay when the model moves on; a released migration takes no other file.
  await project.write(
    'capabilities/things.yaml',
    thing(`
properties: { width: { type: integer, renamedFrom: size } }
required: [width]
`),
  );
  expect(await readErrors()).toBe('');
  expect(await project.read('generated/things/evolve-0002.ts')).toContain('readonly size?: number');
  await project.write('evolve/0001-thing.ts', file('Thing'));
  expect(await readErrors()).toContain('no migration stands before 0001');
});
