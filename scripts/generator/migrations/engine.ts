import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type * as Bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { Provider } from '../emit/prisma-datamodel.js';
import { printDatasource } from '../emit/prisma-text.js';

/**
 * Prisma's schema engine as WebAssembly: the very engine of `prisma migrate`, without the native
 * binary that Prisma would download, and without a database.
 */
export interface SchemaEngine {
  /**
   * Returns SQL that turns a database of datamodel `from` (null: an empty one) into one of `to`.
   */
  diff(provider: Provider, from: string | null, to: string): Promise<string>;
}

interface WasmExports {
  readonly __wbindgen_start: () => void;
}

/**
 * Node has it; TypeScript describes it among a browser's things only, which the project does
 * without.
 */
interface WebAssemblyGlobal {
  readonly WebAssembly: {
    instantiate(
      octets: Uint8Array,
      imports: object,
    ): Promise<{ readonly instance: { readonly exports: WasmExports } }>;
  };
}

type EngineModule = typeof Bindings & { __wbg_set_wasm(exports: WasmExports): void };

/** Datamodels: `from` (null: an empty database) is to become `to`. */
export interface DiffRequest {
  readonly provider: Provider;
  readonly from: string | null;
  readonly to: string;
}

const SCHEMA_FILE = 'schema.prisma';

let loading: Promise<SchemaEngine> | undefined;

/** Loads the engine (5 MB) once in a process. */
export function loadEngine(): Promise<SchemaEngine> {
  loading ??= load();
  return loading;
}

async function load(): Promise<SchemaEngine> {
  // The package's main module imports the .wasm file, which Node can't do by itself.
  const entry = createRequire(import.meta.url).resolve(
    '@prisma/schema-engine-wasm/schema_engine_bg',
  );
  const bindings = (await import(pathToFileURL(entry).href)) as EngineModule;
  const { bindMigrationAwareSqlAdapterFactory } = await import('@prisma/driver-adapter-utils');
  const { WebAssembly } = globalThis as unknown as WebAssemblyGlobal;
  const { instance } = await WebAssembly.instantiate(
    readFileSync(join(dirname(entry), 'schema_engine_bg.wasm')),
    { './schema_engine_bg.js': { ...bindings } },
  );
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();

  return {
    async diff(provider, from, to) {
      const engine = await bindings.SchemaEngine.new(
        // Of this one it wants the provider alone; a whole datamodel would be read twice.
        { datamodels: [[SCHEMA_FILE, printDatasource(provider)]] },
        () => undefined,
        bindMigrationAwareSqlAdapterFactory(absentDatabase(provider)),
      );
      try {
        const result = await engine.diff({
          from: target(from),
          to: target(to),
          script: true,
          exitCode: null,
          filters: { externalTables: [], externalEnums: [] },
        });
        return result.stdout ?? '';
      } finally {
        engine.free();
      }
    },
  };
}

function target(datamodel: string | null): Bindings.DiffTarget {
  if (datamodel === null) return { tag: 'empty' };
  return { tag: 'schemaDatamodel', files: [{ path: SCHEMA_FILE, content: datamodel }] };
}

/**
 * Returns a driver adapter with no database behind it. For PostgreSQL the engine asks once which
 * version it talks to; it is told the oldest that we support. Nothing else may be asked or run.
 */
function absentDatabase(provider: Provider): SqlMigrationAwareDriverAdapterFactory {
  const info = {
    provider: provider === 'postgresql' ? ('postgres' as const) : ('sqlite' as const),
    adapterName: 'jmapsmith-absent-database',
  };
  const refuse = () => Promise.reject(new Error('a migration is planned without a database'));
  const connection = {
    ...info,
    queryRaw: () =>
      Promise.resolve({
        columnNames: ['exists', 'version', 'numeric_version'],
        // ColumnTypeEnum: Boolean, Text, Int32.
        columnTypes: [5, 7, 0] as (0 | 5 | 7)[],
        rows: [[true, 'PostgreSQL 15.0', 150_000]],
      }),
    executeRaw: refuse,
    executeScript: refuse,
    startTransaction: refuse,
    dispose: () => Promise.resolve(),
  };
  const connect = () => Promise.resolve(connection);
  return { ...info, connect, connectToShadowDb: connect };
}
