import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  computeStamp,
  inputFiles,
  isCurrent,
  readStamp,
  stampFile,
  writeStamp,
} from '../../scripts/build-stamp.mjs';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'jmapsmith-stamp-'));
  for (const file of INPUTS) write(file, `// ${file}\n`);
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const INPUTS = [
  'generated/todos/Todo.validators.ts',
  'generated/todos/capability.ts',
  'package-lock.json',
  'prisma/sqlite/schema.prisma',
  'scripts/generator/pipeline.ts',
  'src/server/main.ts',
  'tsconfig.build.json',
  'tsconfig.json',
];

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

describe("the build's stamp", () => {
  it('covers the files that the build reads, and nothing else', () => {
    write('README.md', 'words');
    write('scripts/run.mjs', '');
    write('prisma/sqlite/migrations/0001_init/schema.prisma', '');
    write('test/some.test.ts', '');
    expect(inputFiles(root)).toEqual(INPUTS);
  });

  it.each(INPUTS)('changes with the content of %s, and back', (file) => {
    const before = computeStamp(root);
    write(file, '// other');
    expect(computeStamp(root)).not.toBe(before);
    write(file, `// ${file}\n`);
    expect(computeStamp(root)).toBe(before);
  });

  it('changes when a file is added, renamed or moved text to its neighbour', () => {
    const stamps = new Set([computeStamp(root)]);
    write('src/other.ts', '');
    stamps.add(computeStamp(root));
    renameSync(join(root, 'src/other.ts'), join(root, 'src/another.ts'));
    stamps.add(computeStamp(root));
    write('src/another.ts', '// src');
    write('src/server/main.ts', '/main.ts\n');
    stamps.add(computeStamp(root));
    expect(stamps.size).toBe(4);
  });

  it('does not change with times', () => {
    const before = computeStamp(root);
    utimesSync(join(root, 'src/server/main.ts'), 1, 1);
    expect(computeStamp(root)).toBe(before);
  });

  it('is current only where dist/ has it', () => {
    expect(isCurrent(root)).toBe(false);
    mkdirSync(join(root, 'dist'));
    writeStamp(stampFile(root), computeStamp(root));
    expect(isCurrent(root)).toBe(true);
    expect(readStamp(stampFile(root))).toBe(computeStamp(root));
    write('src/server/main.ts', 'other');
    expect(isCurrent(root)).toBe(false);
  });
});
