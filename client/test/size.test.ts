import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { ROOT } from '../../test/support/server.js';

/** A page that only calls loads this at most: all that `connect` needs. */
const MAX_OCTETS = 6144;

/** The transport by WebSocket comes on top, with the event source that takes its place. */
const MAX_OCTETS_OF_WEBSOCKET = 2662;

const bundle = (contents: string) =>
  build({
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

/** Returns the octets of what a page loads. */
async function measure(contents: string): Promise<number> {
  const { outputFiles } = await bundle(contents);
  const [file] = outputFiles;
  expect(file?.contents.length).toBeGreaterThan(1000);
  return gzipSync(file?.contents ?? '', { level: 9 }).length;
}

it('the client of calls is small', async () => {
  expect(await measure(CONNECT)).toBeLessThanOrEqual(MAX_OCTETS);
});

it('the transport by WebSocket is loaded where it is imported, and small', async () => {
  const { metafile } = await bundle(CONNECT);
  expect(Object.keys(metafile.inputs)).not.toContain('client/src/transport/websocket.ts');
  const both = `${CONNECT} import { webSocket } from '@jmapsmith/client/websocket';
    globalThis.webSocket = webSocket;`;
  const more = (await measure(both)) - (await measure(CONNECT));
  expect(more).toBeLessThanOrEqual(MAX_OCTETS_OF_WEBSOCKET);
});

it('a browser gets nothing of Node, and of the server the pure modules alone', async () => {
  const { metafile } = await bundle(CONNECT);
  const inputs = Object.entries(metafile.inputs);
  const imports = inputs.flatMap(([, { imports }]) => imports);
  expect(imports.filter(({ external }) => external)).toEqual([]);
  const foreign = inputs.map(([path]) => path).filter((path) => path !== '<stdin>');
  expect(foreign.filter((path) => !/^(client\/src|src\/(protocol|text))\//.test(path))).toEqual([]);
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
