import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { EmittedFiles, Model } from '../../../src/descriptor/model.js';
import { ALL_DESCRIPTORS, preambleText } from './preamble.js';
import { dataTable } from './prisma-data-tables.js';
import { PROVIDERS, type Provider, type Table } from './prisma-datamodel.js';
import { withRelations } from './prisma-relations.js';
import { sharedTablesOf } from './prisma-shared-tables.js';
import { printDatasource, printModels } from './prisma-text.js';

/**
 * Returns the path of a schema: `prisma/sqlite/schema.prisma`, `prisma/postgresql/schema.prisma`.
 */
export function schemaPath(provider: Provider): string {
  return `prisma/${provider}/schema.prisma`;
}

/** Returns the engine's tables and one for each data type, in the descriptors' order. */
export function tablesOf(model: Model): readonly Table[] {
  const types = typesIn(model);
  return [...sharedTablesOf(model), ...types.map(dataTable)];
}

/**
 * Returns the Prisma schemas: two, since a datasource's provider is a literal. Each gets its client
 * in `build/`, which the build makes anew and nobody commits (it is large).
 */
export function emitPrisma(model: Model): EmittedFiles {
  const named = PROVIDERS.map((provider) => ({ provider, client: provider }));
  const warning =
    '// Data types are written by the engine alone (a write through Prisma would leave no change ' +
    'record).\n';
  return prismaSchemas(named, withRelations(model, tablesOf(model)), ALL_DESCRIPTORS, warning);
}

/** Returns the same schemas as the databases have them: what migrations are made from. */
export function storageSchemas(model: Model): EmittedFiles {
  const models = printModels(tablesOf(model), false);
  return new Map(
    PROVIDERS.map((provider) => [schemaPath(provider), `${printDatasource(provider)}\n${models}`]),
  );
}

interface NamedClient {
  readonly provider: Provider;
  readonly client: string;
  /**
   * Prisma's query compiler of half the size, for clients with few queries, whose plans are
   * remembered: it is as fast there, and takes less memory and time to load.
   */
  readonly compiler?: 'small';
}

/**
 * Returns `prisma/CLIENT/schema.prisma` for each of `named`; its client goes to
 * `build/prisma/CLIENT`.
 */
export function prismaSchemas(
  named: readonly NamedClient[],
  tables: readonly Table[],
  from: string,
  note = '',
): EmittedFiles {
  const head = `// ${preambleText(from)}\n${note}`;
  const models = printModels(tables, true);
  const hasRelations = tables.some(({ relations = [] }) => relations.length > 0);
  return new Map(
    named.map((one) => [
      `prisma/${one.client}/schema.prisma`,
      [head, generator(one), printDatasource(one.provider, hasRelations), models].join('\n'),
    ]),
  );
}

function generator({ client, compiler }: NamedClient): string {
  const build = compiler === undefined ? '' : `\n  compilerBuild          = "${compiler}"`;
  return `generator client {
  provider               = "prisma-client"
  output                 = "../../build/prisma/${client}"
  runtime                = "nodejs"
  moduleFormat           = "esm"
  generatedFileExtension = "ts"
  importFileExtension    = "js"${build}
}
`;
}
