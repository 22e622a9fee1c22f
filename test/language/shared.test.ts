import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDescribed } from '../../conform/src/learn.js';
import { createProject } from '../scripts/generator/project.js';
import { regenerate, serveType } from './rig.js';

const PEOPLE = `capability: urn:example:people
types:
  Person:
    properties:
      home: { $ref: 'shared/address.yaml#/Address', default: {} }
      work: { $ref: 'shared/address.yaml#/Address', optional: true }
`;
const SHOPS = `capability: urn:example:shops
types:
  Shop:
    properties:
      places: { type: array, items: { $ref: shared/address.yaml#/Address }, default: [] }
methods:
  Shop/find:
    arguments: { type: object, properties: { accountId: { type: string } }, required: [accountId] }
    response:
      type: object
      properties: { accountId: { type: string }, at: { $ref: shared/geo/point.yaml#/Point } }
`;
const ADDRESS = `Address:
  type: object
  description: Where somebody is.
  properties:
    city: { type: string, maxLength: 10 }
    point: { $ref: 'geo/point.yaml#/Point' }
    country: { $ref: '#/country' }
country: { type: string, enum: [DE, FR] }
unused: { type: string }
`;
const POINT = `Point:
  type: object
  properties: { x: { type: number }, y: { type: number } }
  required: [x, y]
`;
const HOOKS = `export const hooks = {
  methods: { 'Shop/find': async ({ accountId }: { accountId: string }) => ({ accountId }) },
};
`;

/** Makes a project of two descriptors that share files. */
async function shared(files: Record<string, string> = {}) {
  return await createProject({
    'people.yaml': PEOPLE,
    'shops.yaml': SHOPS,
    'shops.hooks.ts': HOOKS,
    'shared/address.yaml': ADDRESS,
    'shared/geo/point.yaml': POINT,
    ...files,
  });
}

it('generates one type for a definition that several descriptors share', async () => {
  const project = await shared();
  await regenerate(project);
  const files = await project.tree('generated');
  const declaring = Object.entries(files).filter(([, text]) =>
    /export (?:interface|type) Address /.test(text),
  );
  expect(declaring.map(([path]) => path)).toEqual(['shared/address.ts']);
  expect(files['shared/address.ts']).toContain("import type { Point } from './geo/point.js';");
  expect(files['people/Person.definition.ts']).toContain(
    "import type { Address } from '../shared/address.js';",
  );
  expect(files['shops/methods.ts']).toContain(
    "import type { Point } from '../shared/geo/point.js';",
  );
  const reading = await readDescribed([join(project.root, 'capabilities/people.yaml')]);
  expect(reading?.get('Person')?.type.properties.at(-1)?.schema.properties).toMatchObject({
    point: { title: 'Point', required: ['x', 'y'] },
  });
  const [, told] = (files['people/capability.ts'] ?? '').split('reference: ');
  expect(told).toContain('#/$defs/Point');
  expect(told).not.toContain('.yaml');
  expect((await project.generate({ check: true })).code).toBe(0);
  await project.write('capabilities/shared/geo/point.yaml', POINT.replace('[x, y]', '[x]'));
  const { code, stderr, stdout } = await project.generate({ check: true });
  expect(code).toBe(1);
  expect(stderr + stdout).toContain('files are stale');
  await regenerate(project);
  const person = await serveType(project, 'Person');
  try {
    const [id] = await person.create({ home: { city: 'Bonn', point: { x: 1 }, country: 'DE' } });
    expect((await person.get(id)).home).toEqual({ city: 'Bonn', point: { x: 1 }, country: 'DE' });
    expect(await person.refuse({ home: { country: 'XX' } })).toMatchObject({
      description: '"home/country" must be one of "DE", "FR".',
    });
  } finally {
    await person.served.close();
  }
});

it('tells of a mistake in a shared file once, where it stands', async () => {
  const project = await shared({
    'shared/geo/point.yaml': POINT.replace('type: number', 'type: float'),
  });
  const { code, stderr } = await project.generate();
  expect(code).toBe(2);
  expect(stderr.split('\n').filter((line) => /^\S/.test(line))).toEqual([
    'capabilities/shared/geo/point.yaml:3:28: "float" is not string, boolean, integer, number, ' +
      'array or object. Write type: number.',
    '1 error; nothing was written.',
  ]);
});

it('names what is wrong with a reference to a shared file', async () => {
  const wrong = [
    ['shared/none.yaml#/Address', 'there is no readable file capabilities/shared/none.yaml'],
    ['shared/address.yaml#/Adress', 'capabilities/shared/address.yaml has no "Adress"'],
    ['people.yaml#/Address', 'names no definition of a file in capabilities/shared/'],
    ['../shared/address.yaml#/Address', 'names no definition of a file in capabilities/shared/'],
    ['shared/address.yaml', "names no schema of this descriptor's $defs"],
  ] as const;
  for (const [reference, words] of wrong) {
    const project = await shared({
      'people.yaml': PEOPLE.replaceAll('shared/address.yaml#/Address', reference),
    });
    const { code, stderr } = await project.generate();
    expect(code, reference).toBe(2);
    expect(stderr, reference).toContain('capabilities/people.yaml:5:21: ');
    expect(stderr, reference).toContain(words);
  }
  const project = await shared({
    'people.yaml': PEOPLE.replace('types:', '$defs: { address: { type: string } }\ntypes:'),
  });
  expect((await project.generate()).stderr).toContain(
    '"shared/address.yaml#/Address" and a definition of capabilities/people.yaml would both be ' +
      'the TypeScript type Address here: rename one of them.',
  );
});
