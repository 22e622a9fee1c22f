import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { COMPILER_OPTIONS, useText } from '../../bench/client/types.js';
import { makeProject } from '../../bench/generate-project.js';
import { type CompilerCounts, readCounts } from '../../test/support/compiler-counts.js';
import { ROOT } from '../../test/support/server.js';
import { writeClient } from './support/write-client.js';

// The work of the compiler over a program of many types. The same code gives the same counts.

const TYPES = 20;

/** Writes a project of so many types, with their client, and a program that has batches of all. */
async function writeProgram(root: string, size: number): Promise<void> {
  await makeProject(root, size);
  await writeClient(root);
  await mkdir(join(root, 'node_modules/@jmapsmith'));
  await symlink(join(ROOT, 'client'), join(root, 'node_modules/@jmapsmith/client'), 'junction');
  await writeFile(join(root, 'use.ts'), useText(size, './generated/client/index.js'));
}

async function countOf(size: number): Promise<CompilerCounts> {
  const root = await mkdtemp(join(tmpdir(), 'jmapsmith-counts-'));
  try {
    await writeProgram(root, size);
    const compilerOptions = {
      ...COMPILER_OPTIONS,
      lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
      customConditions: ['jmapsmith-source'],
    };
    const json = { compilerOptions, files: ['use.ts'] };
    const { options, fileNames } = ts.parseJsonConfigFileContent(json, ts.sys, root);
    const program = ts.createProgram(fileNames, options);
    // The client's own files are those of a package: nobody checks them with a program.
    const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(root));
    expect(own.length).toBeGreaterThan(size);
    expect(own.flatMap((file) => program.getSemanticDiagnostics(file))).toEqual([]);
    return readCounts(program);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

it('a type with a batch costs the compiler a few hundred types, and no deep generics', async () => {
  // Each costs the same today, however many there are: what grows with their number shows here.
  const { types, instantiations } = await countOf(TYPES);
  expect(types / TYPES).toBeLessThan(465);
  expect(instantiations / TYPES).toBeLessThan(1000);
});
