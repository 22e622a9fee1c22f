import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TYPES_OF_A_CAPABILITY = 10;

/**
 * A project of so many types, twelve properties each, in descriptors of ten; with a tsconfig.json
 * to compile what is generated.
 */
export async function makeProject(root: string, size: number): Promise<void> {
  await mkdir(join(root, 'capabilities'), { recursive: true });
  await mkdir(join(root, 'node_modules'));
  await symlink(ROOT, join(root, 'node_modules/jmapsmith'), 'junction');
  await writeFile(join(root, 'package.json'), '{ "type": "module", "private": true }\n');
  const compilerOptions = {
    target: 'ES2023',
    module: 'NodeNext',
    customConditions: ['jmapsmith-source'],
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  };
  await writeFile(
    join(root, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['generated'] }),
  );
  for (let first = 0; first < size; first += TYPES_OF_A_CAPABILITY) {
    const name = `part${first / TYPES_OF_A_CAPABILITY}`;
    const types = Array.from({ length: TYPES_OF_A_CAPABILITY }, (_, n) => typeText(first + n));
    await writeFile(
      join(root, `capabilities/${name}.yaml`),
      `capability: urn:example:${name}\ntypes:\n${types.join('')}`,
    );
  }
}

/** Twelve properties, of every kind that a descriptor often has. */
function typeText(number: number): string {
  return `  Thing${number}:
    description: One of many.
    properties:
      title: { type: string, maxLength: 200, description: What it is called. }
      body: { type: string, maxLength: 10000, default: '' }
      done: { type: boolean, default: false }
      rank: { type: integer, minimum: -10, maximum: 10, default: 0 }
      score: { type: [number, 'null'] }
      due: { type: [string, 'null'], format: utc-date }
      size: { type: string, enum: [small, large], default: small, access: immutable }
      tags: { setOf: string, maxLength: 50, maxProperties: 100, default: {} }
      list: { type: array, items: { type: string, maxLength: 100 }, maxItems: 50, default: [] }
      meta: { type: object, properties: { a: { type: integer }, b: { type: string } }, default: {} }
      parentId: { type: [string, 'null'], references: Thing${number}, acyclic: true }
      blobId: { type: [string, 'null'], blob: true }
    required: [title]
    filter:
      title: { is: contains, indexed: true }
      done: equals
      dueBefore: { property: due, is: before }
    sort: [{ property: title, indexed: true }, { property: due, indexed: true }, created]
`;
}
