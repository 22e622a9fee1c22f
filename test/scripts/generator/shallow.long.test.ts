import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { makeProject } from '../../../bench/generate-project.js';
import { render } from '../../../scripts/generator/pipeline.js';
import { type CompilerCounts, readCounts } from '../../support/compiler-counts.js';

/**
 * Shallow types: what a further data type costs the compiler, in the types that it makes and in the
 * generics that it fills in. Both are counted, so that the same code always gives the same numbers.
 * An editor stalls where they grow with the number of types, or by the thousand. Most of them fill
 * in what a create and a patch are: both follow from the object, so that they aren't emitted again.
 */

async function countsOf(size: number): Promise<CompilerCounts> {
  const root = await mkdtemp(join(tmpdir(), 'jmapsmith-shallow-'));
  try {
    await makeProject(root, size);
    for (const [path, text] of (await render(root)).owned) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    const file = join(root, 'tsconfig.json');
    const { config } = ts.readConfigFile(file, ts.sys.readFile);
    const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const program = ts.createProgram(fileNames, options);
    expect(ts.getPreEmitDiagnostics(program)).toEqual([]);
    return readCounts(program);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

test('each data type costs the compiler a few hundred types, however many there are', async () => {
  const [few, some, many] = [await countsOf(10), await countsOf(20), await countsOf(60)];
  const first = { types: some.types - few.types, more: some.instantiations - few.instantiations };
  const later = { types: many.types - some.types, more: many.instantiations - some.instantiations };
  expect(first.types / 10).toBeLessThan(350);
  expect(first.more / 10).toBeLessThan(450);
  // The fortieth costs what the tenth did.
  expect(later.types / 40).toBeLessThan((first.types / 10) * 1.05);
  expect(later.more / 40).toBeLessThan((first.more / 10) * 1.05);
});
