import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emitPrisma } from '../../scripts/generator/emit/prisma.js';
import { model, todo } from './migrations/models.js';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** A small project that builds as this one does. */
const PROGRAM = `import { create } from '../../generated/things/validators.js';
const words: string[] = process.argv.slice(2);
process.stdout.write(JSON.stringify({ words, valid: create() }) + '\\n');
process.exitCode = 3;
`;

// The tests follow each other in one project: each goes on from what the one before has built.
let root: string;

beforeAll(() => {
  root = join(mkdtempSync(join(tmpdir(), 'jmapsmith-build-')), "it's another  name");
  for (const file of readdirSync(join(REPOSITORY, 'scripts')))
    if (file.endsWith('.mjs')) copy(`scripts/${file}`);
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.build.json']) copy(file);
  symlinkSync(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
  const schema = emitPrisma(model([todo()])).get('prisma/sqlite/schema.prisma') ?? '';
  write('prisma/sqlite/schema.prisma', schema);
  write('generated/things/validators.ts', '// @ts-nocheck\nexport const create = () => true;\n');
  write('src/server/main.ts', PROGRAM);
});

afterAll(() => {
  rmSync(dirname(root), { recursive: true, force: true });
});

function copy(file: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  copyFileSync(join(REPOSITORY, file), join(root, file));
}

function write(file: string, content: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content);
}

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [join(root, 'scripts/run.mjs'), ...args], { cwd: tmpdir() });
}

async function run(...args: string[]) {
  const child = start(...args);
  if (child.stdout === null || child.stderr === null) throw new Error('no output');
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { stdout, stderr, code };
}

const RESULT = `${JSON.stringify({ words: ['a b', '--c'], valid: true })}\n`;

describe('scripts/run.mjs', () => {
  it('builds in turn if two start at once; stdout and exit code are the program’s', async () => {
    const both = await Promise.all([
      run('src/server/main', 'a b', '--c'),
      run('src/server/main', 'a b', '--c'),
    ]);
    for (const { stdout, code } of both)
      expect({ stdout, code }).toEqual({ stdout: RESULT, code: 3 });
    const compiled = both.filter(({ stderr }) => stderr.includes('building: TypeScript'));
    expect(compiled.length).toBe(1);
    expect(compiled[0]?.stderr).toContain('building: the first build takes about a minute\n');
    expect(existsSync(join(root, 'dist/build/prisma/sqlite/client.js'))).toBe(true);
  });

  it('does nothing if all is current', async () => {
    const stamp = statSync(join(root, 'dist/.stamp')).mtimeMs;
    expect(await run('src/server/main', 'a b', '--c')).toEqual({
      stdout: RESULT,
      stderr: '',
      code: 3,
    });
    expect(statSync(join(root, 'dist/.stamp')).mtimeMs).toBe(stamp);
  });

  it('reports errors of the compiler with exit code 1, and keeps the last build', async () => {
    write('src/wrong.ts', 'export const wrong: number = "text";\n');
    const { stdout, stderr, code } = await run('src/server/main');
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain('src/wrong.ts(1,14)');
    expect(existsSync(join(root, 'dist/src/wrong.js'))).toBe(false);
    expect(existsSync(join(root, 'dist/src/server/main.js'))).toBe(true);
  });

  it('builds again after a change, reuses clients, removes files without a source', async () => {
    rmSync(join(root, 'src/wrong.ts'));
    write('dist/src/gone.js', '');
    write(
      'src/server/main.ts',
      PROGRAM.replace('words:', 'other:').replace('{ words,', '{ words: other,'),
    );
    const { stdout, stderr } = await run('src/server/main', 'a b', '--c');
    expect(stdout).toBe(RESULT);
    expect(stderr).toBe('building: TypeScript\n');
    expect(existsSync(join(root, 'dist/src/gone.js'))).toBe(false);
    expect(existsSync(join(root, 'dist/generated/things/validators.js'))).toBe(true);
  });

  // Left behind, a compiler wrote into dist while the next test removed it (ENOTEMPTY).
  it('ends its children before itself if it is killed, and builds again', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      write('src/server/main.ts', `// ${signal}\n${PROGRAM}`);
      const killed = spawn(process.execPath, [join(root, 'scripts/run.mjs'), 'src/server/main'], {
        cwd: tmpdir(),
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      await once(killed.stderr, 'data');
      killed.kill(signal);
      expect(await once(killed, 'close')).toEqual([null, signal]);
      // Nobody of its process group is left.
      expect(() => process.kill(-Number(killed.pid), 0)).toThrow('ESRCH');
    }
    const { stdout, code } = await run('src/server/main', 'a b', '--c');
    expect({ stdout, code }).toEqual({ stdout: RESULT, code: 3 });
  });

  it('says what is wrong with exit code 2 if there is no such program', async () => {
    const { stderr, code } = await run('src/none');
    expect(code).toBe(2);
    expect(stderr).toContain('src/none');
  });

  it('says what to do with exit code 2 if the packages are not installed', async () => {
    rmSync(join(root, 'node_modules'));
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    try {
      const { code, stdout, stderr } = await run('src/server/main');
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toBe(`build: the packages are not installed: run npm ci in ${root}\n`);
    } finally {
      symlinkSync(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
    }
  });
});
