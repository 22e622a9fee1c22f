import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { placePackages, usedFiles } from '../../scripts/standalone-packages.mjs';
import { Random } from '../support/random.js';

/** Names of packages and how many versions of each there are. */
const NAMES = ['a', 'b', '@scope/c', 'd', 'e'];
const VERSIONS = 3;

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'jmapsmith-packages-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Installed {
  readonly name: string;
  readonly folder: string;
}

/**
 * The packages that the modules of each folder get by a name: the project's root is one of them.
 */
type Needs = ReadonlyMap<string, readonly Installed[]>;

/**
 * Installs random packages as pnpm does: each in a folder of its own, linked where it is needed.
 */
function installRandom(root: string, random: Random): Needs {
  const packages = NAMES.flatMap((name) =>
    Array.from({ length: VERSIONS }, (_, version) => {
      const store = join(root, 'node_modules/.store', `${name.replace('/', '+')}@${version}`);
      return { name, folder: join(store, 'node_modules', name) };
    }),
  );
  const needs = new Map<string, readonly Installed[]>();
  for (const [index, { name, folder }] of packages.entries()) {
    // Of the packages behind it: npm has no place for a circle of versions that differ either.
    const needed = choose(packages.slice(index + 1), random, name);
    const dependencies = Object.fromEntries(needed.map((one) => [one.name, '*']));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
    for (const one of needed) link(one, folder.slice(0, -name.length));
    needs.set(folder, needed);
  }
  const direct = choose(packages, random, '');
  for (const one of direct) link(one, join(root, 'node_modules'));
  return needs.set(root, direct);
}

/** At most one version of a name, and none of `without`. */
function choose(packages: readonly Installed[], random: Random, without: string): Installed[] {
  return NAMES.filter((name) => name !== without && random.chance(0.5)).flatMap((name) => {
    const versions = packages.filter((one) => one.name === name);
    return versions.length === 0 ? [] : [random.pick(versions)];
  });
}

function link({ name, folder }: Installed, into: string): void {
  mkdirSync(dirname(join(into, name)), { recursive: true });
  symlinkSync(folder, join(into, name), 'dir');
}

/** The package that modules in a place get, as Node looks for it. */
function resolve(placed: ReadonlyMap<string, string>, from: string, name: string) {
  for (let at = from; ; at = dirname(at)) {
    const found = placed.get(join(at, 'node_modules', name));
    if (found !== undefined || at === '.') return found;
  }
}

describe('the node_modules of a standalone server', () => {
  it.each([1, 2, 3, 4, 5, 6, 7])('resolves each name as before, by seed %i', (seed) => {
    const root = temporaryFolder();
    const needs = installRandom(root, new Random(seed));
    const reached = new Set(needs.keys());
    reached.delete(root);
    const placed = placePackages(root, reached);
    for (const [place, from] of [['.', root] as const, ...placed])
      for (const { name, folder } of needs.get(from) ?? [])
        expect(resolve(placed, place, name), `${place}: ${name}`).toBe(folder);
    expect(placed.size).toBeGreaterThan(0);
  });

  it('has the binary of a native package, and none of its sources', () => {
    const root = temporaryFolder();
    const files = [
      ...['package.json', 'binding.gyp', 'LICENSE', 'lib/index.js', 'lib/index.d.ts'],
      ...['lib/index.js.map', 'src/native.cpp', 'deps/native.c', 'build/Makefile'],
      ...['build/Release/native.node', 'build/Release/obj.target/native.node', 'build/Release/x.o'],
      ...['node_modules/other/index.js', 'query_compiler_fast_bg.mysql.mjs', 'data/words.txt'],
      'query_compiler_fast_bg.sqlite.mjs',
      `prebuilds/${process.platform}-${process.arch}.node`,
      'prebuilds/plan9-mips.node',
    ];
    for (const file of files) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), '');
    }
    const reached = new Set([join(root, 'query_compiler_fast_bg.sqlite.mjs')]);
    expect([...usedFiles(root, reached)].sort()).toEqual([
      'LICENSE',
      'build/Release/native.node',
      'data/words.txt',
      'lib/index.js',
      'package.json',
      `prebuilds/${process.platform}-${process.arch}.node`,
      'query_compiler_fast_bg.sqlite.mjs',
    ]);
  });

  it.each([
    ['a package that npm links', 'packages/mine', ['index.js', 'package.json']],
    [
      'an installed package',
      'node_modules/mine',
      ['.data/words.txt', '.env', 'index.js', 'package.json'],
    ],
  ])('has the files of %s that npm would publish', (_, at, expected) => {
    const folder = join(temporaryFolder(), at);
    for (const file of ['package.json', 'index.js', '.env', '.data/words.txt']) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    expect([...usedFiles(folder, new Set())].sort()).toEqual(expected);
  });
});
