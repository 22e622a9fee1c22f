import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTree } from '../scripts/generator/project.js';
import { emptyFolder, install, jmapsmith, type Packed, packOnce, tool, write } from './pack.js';

/** An import or export at the begin of a line, or one at run time: samples in texts are neither. */
const IMPORT = /(?:^(?:import|export)\b[^;']*|\bimport\()'([.]{1,2}\/[^']+)'/gm;

let project: Awaited<ReturnType<typeof emptyFolder>>;
let packed: Packed;

beforeAll(async () => {
  project = await emptyFolder();
  packed = await packOnce();
  await install(packed.tarball, project.root);
});

afterAll(async () => {
  await project.remove();
});

describe('the packed package', () => {
  it('holds what a project needs, and nothing else', () => {
    const groups = new Set(packed.files.map(groupOf));
    expect([...groups].sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin/jmapsmith.mjs',
      'capabilities/blob.yaml',
      'capabilities/core.yaml',
      'capabilities/jmapsmith-admin.yaml',
      'capabilities/jmapsmith-explain.yaml',
      'capabilities/jmapsmith-once.yaml',
      'capabilities/jmapsmith-principals.yaml',
      'capabilities/jmapsmith-push.yaml',
      'capabilities/jmapsmith-quota.yaml',
      'capabilities/jmapsmith-reference.yaml',
      'capabilities/jmapsmith-sync.yaml',
      'capabilities/webpush-vapid.yaml',
      'capabilities/websocket.yaml',
      'dist/build/prisma/engine-postgresql/*.js',
      'dist/build/prisma/engine-sqlite/*.js',
      'dist/generated/blob/*.d.ts',
      'dist/generated/blob/*.js',
      'dist/generated/core/*.d.ts',
      'dist/generated/core/*.js',
      'dist/generated/engine.d.ts',
      'dist/generated/engine.js',
      'dist/generated/jmapsmith-admin/*.d.ts',
      'dist/generated/jmapsmith-admin/*.js',
      'dist/generated/jmapsmith-explain/*.d.ts',
      'dist/generated/jmapsmith-explain/*.js',
      'dist/generated/jmapsmith-once/*.d.ts',
      'dist/generated/jmapsmith-once/*.js',
      'dist/generated/jmapsmith-push/*.d.ts',
      'dist/generated/jmapsmith-push/*.js',
      'dist/generated/jmapsmith-reference/*.d.ts',
      'dist/generated/jmapsmith-reference/*.js',
      'dist/generated/jmapsmith-sync/*.d.ts',
      'dist/generated/jmapsmith-sync/*.js',
      'dist/generated/standard/*.d.ts',
      'dist/generated/standard/*.js',
      'dist/generated/webpush-vapid/*.d.ts',
      'dist/generated/webpush-vapid/*.js',
      'dist/generated/websocket/*.d.ts',
      'dist/generated/websocket/*.js',
      'dist/scripts/*.js',
      'dist/src/*.js',
      'dist/src/capability/*.d.ts',
      'dist/src/protocol/*.d.ts',
      'dist/src/runtime/*.d.ts',
      'dist/src/server/*.d.ts',
      'dist/src/text/*.d.ts',
      'docs/*.md',
      'examples/deploy/.dockerignore',
      'examples/deploy/Dockerfile',
      'examples/deploy/README.md',
      'examples/identity/README.md',
      'examples/identity/auth.yaml',
      'examples/identity/browser.mjs',
      'examples/identity/capabilities/list.yaml',
      'examples/identity/package.json',
      'examples/identity/provider.mjs',
      'examples/identity/samples.yaml',
      'examples/identity/sign-in.mjs',
      'examples/identity/sign-out.mjs',
      'examples/push/*.css',
      'examples/push/*.html',
      'examples/push/*.js',
      'examples/push/README.md',
      'examples/push/capabilities/list.yaml',
      'examples/push/package.json',
      'examples/push/samples.yaml',
      'examples/push/serve.mjs',
      'generated/descriptor.schema.json',
      'generated/shared.schema.json',
      'package.json',
      'scripts/*.mjs',
      'tsconfig.project.json',
    ]);
    // Examples' types, tests and what only this repository's own checks run.
    expect(
      packed.files.filter((file) =>
        /todo|note|test(?!ing\.)|check(?:-\w+)?\.mjs|licences\.|licenses\./i.test(file),
      ),
    ).toEqual([]);
  });

  it('ships every module that one of its modules imports', async () => {
    const missing: string[] = [];
    for (const file of packed.files.filter((name) => /\.(?:m?js|d\.ts)$/.test(name))) {
      const text = await readFile(join(project.root, 'node_modules/jmapsmith', file), 'utf8');
      for (const [, module = ''] of text.matchAll(IMPORT)) {
        const own = file.endsWith('.d.ts') ? module.replace(/\.js$/, '.d.ts') : module;
        const at = posix.join(posix.dirname(file), own);
        if (!packed.files.includes(at)) missing.push(`${file}: ${module}`);
      }
    }
    // Files that this repository itself has beside the engine, and a project elsewhere
    // (src/server/project.ts).
    expect(missing.sort()).toEqual([
      'dist/src/server/project.js: ../../build/prisma/postgresql/client.js',
      'dist/src/server/project.js: ../../build/prisma/sqlite/client.js',
      'dist/src/server/project.js: ../../generated/registry.js',
    ]);
  });

  it('names no source map, since it ships none', async () => {
    const naming: string[] = [];
    for (const file of packed.files.filter((name) => name.endsWith('.js'))) {
      const text = await readFile(join(project.root, 'node_modules/jmapsmith', file), 'utf8');
      if (/^\/\/# sourceMappingURL=/m.test(text)) naming.push(file);
    }
    expect(naming).toEqual([]);
  });

  it('ships every page that README.md or another page leads to', async () => {
    const missing: string[] = [];
    for (const file of packed.files.filter((name) => name.endsWith('.md'))) {
      const text = await readFile(join(project.root, 'node_modules/jmapsmith', file), 'utf8');
      const prose = text.replaceAll(/^```.*?^```/gms, '');
      for (const [, page = ''] of prose.matchAll(/\]\(((?!https?:)[^)#]+)[)#]/g)) {
        const at = posix.join(posix.dirname(file), page);
        if (!packed.files.includes(at)) missing.push(`${file}: ${page}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it('names the commands that make and install the conformance runner; exit code 2', async () => {
    const { code, stderr } = await jmapsmith(project.root, ['conform', '--list']);
    expect(stderr).toContain('npm pack --workspace conform');
    expect(stderr).toContain('npm install --save-dev FILE');
    expect(code).toBe(2);
  });

  it('begins a project in an empty folder: new, then generate', async () => {
    const { root } = project;
    await write(root, '.gitignore', 'of the team\n');
    expect(await tool(root, ['new', 'Invoice'])).toContain('Next: npx jmapsmith generate');
    await tool(root, ['generate']);
    // The engine's own capabilities are served without their descriptors.
    expect(await readdir(join(root, 'capabilities'))).toEqual(['invoices.yaml']);
    expect((await readdir(join(root, 'generated'))).sort()).toEqual([
      'calls.ts',
      'invoices',
      'registry.ts',
    ]);
    // A pull request with a new type stays short enough to be read.
    const files = await readTree(join(root, 'generated'));
    expect(Object.keys(files)).toEqual([
      'calls.ts',
      'invoices/Invoice.definition.ts',
      'invoices/Invoice.validators.ts',
      'invoices/capability.ts',
      'invoices/hooks.ts',
      'invoices/manifest.json',
      'registry.ts',
    ]);
    const lines = Object.values(files).map((text) => text.split('\n').length - 1);
    expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(305);
    const descriptor = await readFile(join(root, 'capabilities/invoices.yaml'), 'utf8');
    const schema = /\$schema=(\S+)/.exec(descriptor)?.[1] ?? '';
    expect(existsSync(join(root, 'capabilities', schema))).toBe(true);
    expect(await readFile(join(root, 'tsconfig.json'), 'utf8')).toContain(
      'jmapsmith/tsconfig.json',
    );
    // A file that a project has already is its own.
    expect(await readFile(join(root, '.gitignore'), 'utf8')).toBe('of the team\n');
    expect(existsSync(join(root, 'prisma/engine-sqlite'))).toBe(false);
    expect(await tool(root, ['generate', '--check'])).toBe('Everything generated is current.');
  });

  it('says what is wrong with exit code 2 for a wrong tool or folder', async () => {
    const { root } = project;
    const told = await Promise.all([
      jmapsmith(root, ['generates']),
      jmapsmith(root, []),
      jmapsmith(root, ['check', '--fast']),
      jmapsmith(join(root, 'node_modules'), ['start'], root),
    ]);
    expect(told.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
    const [unknown, nothing, argument, elsewhere] = told.map(({ stderr }) => stderr);
    expect(unknown).toContain('Did you mean "generate"?');
    expect(nothing).toContain('Usage: npx jmapsmith TOOL');
    expect(argument).toContain('--fast');
    expect(elsewhere).toContain('there is no folder capabilities/ in');
  });

  it('tells its version and what each tool does', async () => {
    const { root } = project;
    expect(await tool(root, ['--version'])).toMatch(/^\d+\.\d+\.\d+$/);
    const help = await tool(root, ['--help']);
    const tools = [...help.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name ?? '');
    expect(tools.length).toBe(19);
    const some = ['new', 'start', 'check', 'migrate', 'token'];
    const helps = await Promise.all(some.map((name) => tool(root, [name, '--help'])));
    for (const [index, name] of some.entries())
      expect(helps[index]).toContain(`npx jmapsmith ${name}`);
  });
});

/** A file's folder with its extension, for the folders that hold many; else the file itself. */
function groupOf(file: string): string {
  const [, folder] =
    /^(docs|examples\/push(?=.*[.](?:css|html|js)$)|scripts|dist\/scripts|dist\/build\/prisma\/[^/]+|dist\/generated\/[^/.]+|dist\/src(?=.*[.]js$)|dist\/src\/[^/]+(?=.*[.]d[.]ts$))\//.exec(
      file,
    ) ?? [];
  return folder === undefined ? file : `${folder}/*${/(?:\.d)?\.[a-z]+$/.exec(file)?.[0] ?? ''}`;
}
