import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/**
 * The modules that a run of `generate` loads before it knows that it needs them. The TypeScript
 * compiler within ts-morph takes longer to load than thirty types to emit: a run with a wrong
 * descriptor does without.
 */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)';/gm;
const DYNAMIC = /\bimport\('([^']+)'\)/g;

interface Loaded {
  /** Relative to the root. */
  readonly own: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

/** Follows static imports alone. */
function loadedBy(entry: string): Loaded {
  const own = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (own.has(file)) return;
    own.add(file);
    for (const [, name = ''] of textOf(file).matchAll(IMPORT)) {
      if (name.startsWith('.')) visit(fileOf(file, name));
      else if (!name.startsWith('node:')) packages.add(name);
    }
  };
  visit(entry);
  return { own, packages };
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function fileOf(from: string, name: string): string {
  const file = resolve(ROOT, dirname(from), name).replace(/\.js$/, '.ts');
  return file.slice(resolve(ROOT).length + 1);
}

test('the help of generate loads no part of the generator', () => {
  const { own, packages } = loadedBy('scripts/generate.ts');
  expect([...packages]).toEqual([]);
  const parts =
    /descriptor\/(?:parse|check\/index|model)|generator\/(?:load|hooks|emit|migrations|write)/;
  expect([...own].filter((file) => parts.test(file))).toEqual([]);
});

test('a run begins with what reads YAML, and judges schemas and patterns', () => {
  const { own, packages } = loadedBy('scripts/generator/command.ts');
  // The configuration of servers judges addresses: a millisecond.
  const config = ['ipaddr.js'];
  expect([...packages].sort()).toEqual(['@eslint-community/regexpp', 'ajv', ...config, 'yaml']);
  expect(own).not.toContain('scripts/generator/watch.ts');
  expect(own).not.toContain('scripts/generator/hooks/read.ts');
  expect(own).not.toContain('scripts/generator/ts-morph.ts');
  expect(own.size).toBeGreaterThan(80);
});

test('only right descriptors load ts-morph, and its TypeScript compiler alone', () => {
  const { own, packages } = loadedBy('scripts/generator/emit/index.ts');
  expect([...packages].sort()).toEqual([
    '@eslint-community/regexpp',
    'ajv',
    'ajv/dist/standalone/index.js',
    'json-schema-to-typescript',
  ]);
  // It is required, which an import of 12 MB of CommonJS is slower than.
  expect(own).toContain('scripts/generator/ts-morph.ts');
  const hooks = loadedBy('scripts/generator/hooks/read.ts');
  expect([...hooks.packages]).toEqual([]);
  expect(hooks.own).toContain('scripts/generator/ts-morph.ts');
});

test('modules that only some runs need are imported by those runs alone', () => {
  const { own } = loadedBy('scripts/generator/command.ts');
  const generator = [...own].filter((file) => file.startsWith('scripts/'));
  const later = generator.flatMap((file) =>
    [...textOf(file).matchAll(DYNAMIC)].map(([, name = '']) =>
      name.startsWith('.') ? fileOf(file, name) : name,
    ),
  );
  expect([...new Set(later)].sort()).toEqual(
    [
      'diff',
      'scripts/generator/emit/index.ts',
      'scripts/generator/emit/validators.ts',
      'scripts/generator/hooks/imports.ts',
      'scripts/generator/hooks/read.ts',
      'scripts/generator/migrations/engine.ts',
      'scripts/generator/watch.ts',
      'src/database/postgresql/index.ts',
      'src/database/sqlite/index.ts',
    ].sort(),
  );
});
