import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { expect, it } from 'vitest';
import { ROOT } from '../../test/support/server.js';

/** A page that only calls loads this at most: all that `connect` needs. */
const MAX_OCTETS = 6144;
/** The store in IndexedDB, with its library. */
const MAX_OCTETS_OF_INDEXEDDB = 3136;

/** The transport by WebSocket comes on top, with the event source that takes its place. */
const MAX_OCTETS_OF_WEBSOCKET = 2688;
/**
 * All that a page loads at once with the store in IndexedDB, which tabs share, and push. Parts that
 * few need come later: tables of Unicode, lists that the server decides, uploads.
 */
const MAX_OF_PAGE = 47_500;

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

/** Leaves modules out that a page loads when it needs them, as bundlers of pages do. */
const LATER: Plugin = {
  name: 'later',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : null,
    );
  },
};

/** Returns the octets of the file that a page loads at once, and the modules in it. */
async function load(contents: string) {
  const { outputFiles, metafile } = await bundle(contents, { plugins: [LATER] });
  const [{ contents: octets } = { contents: new Uint8Array() }] = outputFiles;
  expect(octets.length).toBeGreaterThan(1000);
  return {
    octets: gzipSync(octets, { level: 9 }).length,
    inputs: Object.keys(metafile.inputs),
  };
}

async function measure(contents: string): Promise<number> {
  return (await load(contents)).octets;
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

it('a page with a store that tabs share is small, without what few need', async () => {
  const text = `import { connect } from '@jmapsmith/client';
    import { indexedDb } from '@jmapsmith/client/indexeddb';
    globalThis.all = [connect, indexedDb];`;
  const { octets, inputs } = await load(text);
  expect(octets).toBeLessThanOrEqual(MAX_OF_PAGE);
  for (const part of ['sync/sync', 'tabs/lock-roles'])
    expect(inputs).toContain(`client/src/${part}.ts`);
  for (const later of [
    'query/unicode',
    'query/server-list',
    'cache/upload-worker',
    'tabs/lease-roles',
  ])
    expect(inputs).not.toContain(`client/src/${later}.ts`);
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

it('the client runs no text as code, with all that it loads later', async () => {
  const text = `${CONNECT} ${INDEXEDDB} import { webSocket } from '@jmapsmith/client/websocket';
    globalThis.webSocket = webSocket;`;
  const { outputFiles, metafile } = await bundle(text);
  expect(Object.keys(metafile.inputs)).toContain('client/src/query/unicode.ts');
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
