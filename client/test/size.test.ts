import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { ROOT } from '../../test/support/server.js';

/** A page that only calls loads this at most: all that `connect` needs. */
const MAX_OCTETS = 6144;
/** A binding without the user interface library to which it binds. */
const MAX_OCTETS_OF_BINDING = 1024;

const bundle = (contents: string, external: readonly string[] = []) =>
  build({
    external: [...external],
    stdin: { contents, resolveDir: `${ROOT}/client`, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['jmapsmith-source'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });

const CONNECT = "import { connect } from '@jmapsmith/client'; globalThis.connect = connect;";

it('the client of calls is small', async () => {
  const { outputFiles } = await bundle(CONNECT);
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  expect(contents.length).toBeGreaterThan(1000);
  expect(gzipSync(contents, { level: 9 }).length).toBeLessThanOrEqual(MAX_OCTETS);
});

it('a browser gets nothing of Node, and of the server the pure modules alone', async () => {
  const { metafile } = await bundle(CONNECT);
  const inputs = Object.entries(metafile.inputs);
  const imports = inputs.flatMap(([, { imports }]) => imports);
  expect(imports.filter(({ external }) => external)).toEqual([]);
  const foreign = inputs.map(([path]) => path).filter((path) => path !== '<stdin>');
  const isPure = (path: string) =>
    /^(client\/src|src\/(protocol|text))\//.test(path) || path === 'src/runtime/paused-work.ts';
  expect(foreign.filter((path) => !isPure(path))).toEqual([]);
  await expect(bundle("import 'node:fs';")).rejects.toThrow('node:fs');
});

it('the client runs no text as code', async () => {
  const { outputFiles } = await bundle(CONNECT);
  expect(outputFiles[0]?.text).not.toMatch(/\beval\(|\bFunction\(/);
});

it('a page that imports an error pays for the error alone', async () => {
  const text = "import { NeedsAuthError } from '@jmapsmith/client'; console.log(NeedsAuthError);";
  const { outputFiles } = await bundle(text);
  expect(outputFiles[0]?.contents.length).toBeLessThan(300);
});

it.each([
  ['react', ['react']],
  ['vue', ['vue']],
  ['solid', ['solid-js']],
])('the binding to %s is small, and brings nothing of the client along', async (name, external) => {
  const text = `export * from '@jmapsmith/client/${name}';`;
  const { outputFiles, metafile } = await bundle(text, external);
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  expect(contents.length).toBeGreaterThan(100);
  expect(gzipSync(contents, { level: 9 }).length).toBeLessThanOrEqual(MAX_OCTETS_OF_BINDING);
  expect(Object.keys(metafile.inputs).sort()).toEqual(
    ['<stdin>', 'client/src/bindings/loading.ts', `client/src/bindings/${name}.ts`].sort(),
  );
});
