import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { ROOT } from '../start/processes.js';
import type { Row } from './rows.js';

const KB = 1024;

interface Bundle {
  readonly what: string;
  readonly text: string;
  /** In kB; null: there is no target. */
  readonly most: number | null;
  readonly external?: readonly string[];
}

const CLIENT = '@jmapsmith/client';

/** Imports of a page for each use; other libraries are as they are published. */
const BUNDLES: readonly Bundle[] = [
  { what: '`connect`, without a store', text: use('connect', CLIENT), most: 6 },
  {
    what: 'with cache, synchronisation, push and IndexedDB',
    text: use('connect', CLIENT) + use('indexedDb', `${CLIENT}/indexeddb`),
    most: 28,
  },
  {
    what: 'the binding to React, without React',
    text: use('useLive', `${CLIENT}/react`),
    most: 1,
    external: ['react'],
  },
  { what: 'jmap-jam: calls alone', text: use('JamClient', 'jmap-jam'), most: null },
  {
    what: 'TanStack DB: collections and live queries, without a server',
    text:
      use('createCollection', '@tanstack/db') + use('createLiveQueryCollection', '@tanstack/db'),
    most: null,
  },
];

function use(name: string, module: string): string {
  return `import { ${name} } from '${module}'; globalThis.${name} = ${name};\n`;
}

/** The octets of pages, minified and compressed. Modules that they load later don't count. */
export async function measureSizes(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const bundle of BUNDLES) {
    const { what, most } = bundle;
    const octets = await countOctets(bundle);
    const target = most === null ? '' : `${most} kB`;
    const measured = `${(octets / KB).toFixed(1)} kB`;
    rows.push({ what, target, measured, isMet: most === null ? null : octets <= most * KB });
  }
  return rows;
}

async function countOctets({ text, external = [] }: Bundle): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: text, resolveDir: join(ROOT, 'client'), loader: 'ts' },
    ...{ bundle: true, minify: true, format: 'esm', platform: 'browser' },
    ...{ write: false, logLevel: 'silent', external: [...external], plugins: [LATER] },
  });
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  if (contents.length === 0) throw new Error('The bundle has no file of the page.');
  return gzipSync(contents, { level: 9 }).length;
}

/** Leaves modules out that a page loads when it needs them, as bundlers of pages do. */
const LATER: Plugin = {
  name: 'later',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : null,
    );
  },
};
