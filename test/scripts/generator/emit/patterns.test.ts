import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { emitValidators } from '../../../../scripts/generator/emit/validators.js';
import type { Validator } from '../../../../src/capability/index.js';
import { REPOSITORY } from '../project.js';

/** The emitted validator of a property and of the keys of a set, as a server loads it. */
async function emitted(pattern: string): Promise<Validator> {
  const root = await mkdtemp(join(tmpdir(), 'jmapsmith-emit-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'node_modules'));
  await symlink(REPOSITORY, join(root, 'node_modules/jmapsmith'));
  await writeFile(join(root, 'package.json'), '{ "type": "module", "private": true }\n');
  const schema = {
    type: 'object',
    properties: {
      text: { type: 'string', maxLength: 1000, pattern },
      list: { type: 'array', items: { type: 'string', pattern } },
      set: { type: 'object', propertyNames: { type: 'string', pattern } },
    },
  };
  const code = emitValidators([{ name: 'update', schema, words: '' }]);
  expect(code).not.toContain('RegExp(');
  await writeFile(join(root, 'a.validators.ts'), code);
  return (await import(pathToFileURL(join(root, 'a.validators.ts')).href)).update;
}

it('patterns that RegExp takes hours for judge long texts, whatever maxLength says', async () => {
  const update = await emitted('a[ab]*b[ab]*b[ab]*c');
  const long = 'ab'.repeat(500_000);
  const paths = (value: object): readonly string[] => {
    update(value);
    return (update.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
  };
  expect(paths({ text: 'abbc', list: ['abbc'], set: { abbc: true } })).toEqual([]);
  expect(paths({ text: 'a' })).toEqual(['/text pattern']);
  // Two units of UTF-16 for each of 1,000 code points: it may not be too long.
  expect(paths({ text: 'ab'.repeat(1000) })).toEqual(['/text maxLength', '/text pattern']);
  expect(paths({ text: long })).toEqual(['/text maxLength']);
  expect(paths({ list: [`${long}c`, long] })).toEqual(['/list/1 pattern']);
  expect(paths({ set: { [long]: true } })).toEqual(['/set pattern', '/set propertyNames']);
});

it('each pattern of a file is compiled by its own text', async () => {
  const update = await emitted('^[A-Z]{2}-\\d+$');
  expect(update({ text: 'AB-7' })).toBe(true);
  expect(update({ text: 'AB-' })).toBe(false);
});
