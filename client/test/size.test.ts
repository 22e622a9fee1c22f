import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { expect, it } from 'vitest';
import { ROOT } from '../../test/support/server.js';

/** A page that only calls loads this at most: all that `connect` needs. */
const MAX_OCTETS = 6144;
/** The store in IndexedDB, with its library. */
const MAX_OCTETS_OF_INDEXEDDB = 3072;

/** The transport by WebSocket comes on top, with the event source that takes its place. */
const MAX_OCTETS_OF_WEBSOCKET = 2688;
/** `connect` with a store and push. The tables of Unicode come later, where a list needs them. */
const MAX_WITH_STORE = 23.5 * 1024;

/** A binding without the user interface library to which it binds. */
const MAX_OCTETS_OF_BINDING = 1024;

const bundle = (contents: string, options: BuildOptions = {}) =>
  build({
    ...options,
    stdin: { contents, resolveDir: `${ROOT}/client`, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['jmapsmith-source'],
    metafile: true as const,
    write: false as const,
    logLevel: 'silent',
  });

async function measure(contents: string): Promise<number> {
  const { outputFiles } = await bundle(contents);
  const [{ contents: octets } = { contents: new Uint8Array() }] = outputFiles;
  expect(octets.length).toBeGreaterThan(1000);
  return gzipSync(octets, { level: 9 }).length;
}

const CONNECT = "import { connect } from '@jmapsmith/client'; globalThis.connect = connect;";

const INDEXEDDB =
  "import { indexedDb } from './src/persist/indexeddb.js'; globalThis.indexedDb = indexedDb;";

it('the client of calls is small', async () => {
  expect(await measure(CONNECT)).toBeLessThanOrEqual(MAX_OCTETS);
});

it('the store in IndexedDB is small', async () => {
  expect(await measure(INDEXEDDB)).toBeLessThanOrEqual(MAX_OCTETS_OF_INDEXEDDB);
});

it('the transport by WebSocket is loaded where it is imported, and small', async () => {
  const { metafile } = await bundle(CONNECT);
  expect(Object.keys(metafile.inputs)).not.toContain('client/src/transport/websocket.ts');
  const both = `${CONNECT} import { webSocket } from '@jmapsmith/client/websocket';
    globalThis.webSocket = webSocket;`;
  const more = (await measure(both)) - (await measure(CONNECT));
  expect(more).toBeLessThanOrEqual(MAX_OCTETS_OF_WEBSOCKET);
});

it('the client with a store is small, without the tables of texts', async () => {
  const text =
    "import { connect, memory } from '@jmapsmith/client'; globalThis.all = [connect, memory];";
  const { outputFiles, metafile } = await bundle(text, { splitting: true, outdir: 'out' });
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  expect(gzipSync(contents, { level: 9 }).length).toBeLessThanOrEqual(MAX_WITH_STORE);
  const [main] = Object.values(metafile.outputs);
  expect(Object.keys(main?.inputs ?? {})).toContain('client/src/sync/sync.ts');
  expect(Object.keys(main?.inputs ?? {})).not.toContain('client/src/query/unicode.ts');
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

it('a page that imports the store in IndexedDB gets idb alone beside it', async () => {
  const { metafile } = await bundle(INDEXEDDB);
  const inputs = Object.keys(metafile.inputs).filter((path) => path !== '<stdin>');
  const own = /^client\/src\/(persist|sync\/backoff)/;
  expect(inputs.filter((path) => !own.test(path))).toEqual(['node_modules/idb/build/index.js']);
});

it('the store in a file is for Node alone', async () => {
  const text = "import { sqliteFile } from '@jmapsmith/client/sqlite'; console.log(sqliteFile);";
  await expect(bundle(text)).rejects.toThrow('node:');
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
  ['tanstack-db', []],
])('the binding to %s is small, and brings nothing of the client along', async (name, external) => {
  const text = `export * from '@jmapsmith/client/${name}';`;
  const { outputFiles, metafile } = await bundle(text, { external });
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  expect(contents.length).toBeGreaterThan(100);
  expect(gzipSync(contents, { level: 9 }).length).toBeLessThanOrEqual(MAX_OCTETS_OF_BINDING);
  const inputs = Object.keys(metafile.inputs).filter((path) => !path.endsWith('/loading.ts'));
  expect(inputs.sort()).toEqual(['<stdin>', `client/src/bindings/${name}.ts`]);
});
