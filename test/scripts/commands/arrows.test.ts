import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../support/server.js';

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
}

describe('the arrows between folders (.dependency-cruiser.cjs)', () => {
  let folder: string;

  /** A file with one import each, and the rule that forbids it. */
  const forbidden: readonly (readonly [file: string, imported: string, rule: string])[] = [
    ['src/protocol/a.ts', '../methods/x.js', 'src-protocol-imports'],
    ['src/text/a.ts', '../store/port.js', 'src-text-imports'],
    ['src/capability/a.ts', '../methods/x.js', 'src-capability-imports'],
    ['src/runtime/a.ts', '../store/port.js', 'src-runtime-imports'],
    ['src/outbound/a.ts', '../accounts/principal.js', 'src-outbound-imports'],
    ['src/push/b.ts', 'ipaddr.js', 'ipaddr.js-stays-in-its-folder'],
    ['src/blobs/a.ts', '../accounts/principal.js', 'src-blobs-imports'],
    ['src/database/a.ts', '../store/port.js', 'src-database-imports'],
    ['src/accounts/a.ts', '../methods/x.js', 'src-accounts-imports'],
    ['src/store/sqlite/a.ts', '../../methods/x.js', 'src-store-imports'],
    ['src/methods/a.ts', '../http/x.js', 'src-methods-imports'],
    ['src/methods/b.ts', '../store/sqlite/x.js', 'src-methods-imports'],
    ['src/methods/d.ts', '../hooks/x.js', 'src-methods-imports'],
    ['src/hooks/a.ts', '../store/sqlite/x.js', 'src-hooks-imports'],
    ['src/backfill/a.ts', '../store/sqlite/x.js', 'src-backfill-imports'],
    ['src/methods/blob/c.ts', '../../../generated/blob/x.js', 'src-methods-imports'],
    ['src/push/a.ts', '../http/x.js', 'src-push-imports'],
    ['src/http/a.ts', '../store/sqlite/x.js', 'src-http-imports'],
    ['src/http/b.ts', '../websocket/x.js', 'src-http-imports'],
    ['src/websocket/b.ts', '../http/x.js', 'src-websocket-imports'],
    ['src/store/sql/a.ts', '../sqlite/x.js', 'nothing-engine-specific-in-shared-sql'],
    ['src/methods/m.ts', '../server/x.js', 'server-is-the-root'],
    ['src/store/b.ts', '../server/main.js', 'nothing-imports-main'],
    ['src/store/c.ts', '../../test/x.js', 'server-without-tools'],
    ['generated/blob/a.ts', '../../src/methods/x.js', 'generated-imports-the-vocabulary'],
    ['src/methods/e.ts', 'express', 'express-stays-in-its-folder'],
    ['src/http/e.ts', 'ws', 'ws-stays-in-its-folder'],
    ['src/methods/f.ts', 'better-sqlite3', 'better-sqlite3-stays-in-its-folder'],
    ['src/store/sqlite/f.ts', 'better-sqlite3', 'sqlite-driver-by-node'],
    ['src/methods/g.ts', '@prisma/client', 'better-sqlite3-stays-in-its-folder'],
    ['src/http/g.ts', '../../build/prisma/x.js', 'prisma-client-stays-in-its-folders'],
    ['src/methods/h.ts', 'yaml', 'tools-packages-stay-with-tools'],
    ['conform/src/k.ts', '../../src/methods/x.js', 'conform-src-imports'],
    ['src/methods/n.ts', '../descriptor/x.js', 'server-without-descriptors'],
    ['src/descriptor/n.ts', '../methods/x.js', 'src-descriptor-imports'],
    ['src/methods/k.ts', 'fastify', 'no-undeclared-packages'],
    ['src/methods/l.ts', 'fast-check', 'tools-packages-stay-with-tools'],
    ['conform/src/l.ts', 'pg', 'conform-declares-its-packages'],
    ['src/methods/i.ts', './nowhere.js', 'no-unresolvable'],
  ];
  const allowed: readonly (readonly [file: string, imported: string])[] = [
    ['src/methods/ok.ts', '../store/port.js'],
    ['src/http/ok.ts', 'express'],
    ['src/accounts/ok.ts', '../../build/prisma/x.js'],
    ['src/store/postgresql/ok.ts', 'pg'],
    ['src/server/main.ts', '../http/ok.js'],
  ];
  let violations: readonly Violation[];

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'arrows-'));
    for (const file of [
      '.dependency-cruiser.cjs',
      'tsconfig.json',
      'package.json',
      'conform/package.json',
    ]) {
      cpSync(join(ROOT, file), join(folder, file));
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const targets = [
      'src/methods/x',
      'src/hooks/x',
      'src/http/x',
      'src/server/x',
      'src/websocket/x',
      'src/descriptor/x',
      'src/store/sqlite/x',
    ];
    const others = [
      'src/store/port',
      'src/accounts/principal',
      'generated/blob/x',
      'build/prisma/x',
      'test/x',
    ];
    for (const name of [...targets, ...others]) write(`${name}.ts`, 'export const x = 1;\n');
    for (const [file, imported] of [...forbidden, ...allowed]) {
      write(file, `import * as x from '${imported}';\nexport const y = x;\n`);
    }
    write('src/push/orphan.ts', 'export const alone = 1;\n');
    write('src/text/one.ts', `import * as two from './two.js';\nexport const y = () => two;\n`);
    write('src/text/two.ts', `import * as one from './one.js';\nexport const y = () => one;\n`);
    const tool = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const options = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json'];
    const { stdout } = spawnSync(
      process.execPath,
      [tool, ...options, 'src', 'generated', 'conform/src'],
      {
        cwd: folder,
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      },
    );
    violations = JSON.parse(stdout).summary.violations;
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const rulesOf = (file: string): readonly string[] =>
    violations.filter(({ from }) => from === file).map(({ rule }) => rule.name);

  it.each(forbidden)('%s may not import %s', (file, _, rule) => {
    expect(rulesOf(file)).toContain(rule);
  });

  it.each(allowed)('%s may import %s', (file) => {
    expect(rulesOf(file)).toEqual([]);
  });

  it('finds a cycle and an orphan', () => {
    expect(rulesOf('src/push/orphan.ts')).toEqual(['no-orphans']);
    expect([...rulesOf('src/text/one.ts'), ...rulesOf('src/text/two.ts')]).toContain('no-circular');
  });
});
