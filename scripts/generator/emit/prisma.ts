import type { EmittedFiles, Model } from '../model.js';
import { dataTable } from './prisma-data-tables.js';
import { PROVIDERS, type Provider, type Table } from './prisma-datamodel.js';
import { SHARED_TABLES } from './prisma-shared-tables.js';
import { printDatasource, printModels } from './prisma-text.js';

/** `prisma/sqlite/schema.prisma`, `prisma/postgresql/schema.prisma`. */
export function schemaPath(provider: Provider): string {
  return `prisma/${provider}/schema.prisma`;
}

/** The engine's tables and one for each data type, in the descriptors' order. */
export function tablesOf(model: Model): readonly Table[] {
  const types = model.capabilities.flatMap((capability) => capability.types);
  return [...SHARED_TABLES, ...types.map(dataTable)];
}

/**
 * The Prisma schemas: two, since a datasource's provider is a literal. Each gets its client in
 * `build/`, which the build makes anew and nobody commits (it is large).
 */
export function emitPrisma(model: Model): EmittedFiles {
  const named = PROVIDERS.map((provider) => ({ provider, client: provider }));
  return prismaSchemas(named, tablesOf(model), PREAMBLE);
}

const PREAMBLE = [
  '// Generated from capabilities/ by `npm run generate`. Do not edit: change the descriptors.',
  '// Data types are written by the engine alone (a write through Prisma would leave no change record).',
  '',
].join('\n');

/** `prisma/CLIENT/schema.prisma` for each of `named`; its client goes to `build/prisma/CLIENT`. */
export function prismaSchemas(
  named: readonly { readonly provider: Provider; readonly client: string }[],
  tables: readonly Table[],
  preamble: string,
): EmittedFiles {
  const models = printModels(tables, true);
  return new Map(
    named.map(({ provider, client }) => [
      `prisma/${client}/schema.prisma`,
      [preamble, generator(client), printDatasource(provider), models].join('\n'),
    ]),
  );
}

function generator(client: string): string {
  return `generator client {
  provider               = "prisma-client"
  output                 = "../../build/prisma/${client}"
  runtime                = "nodejs"
  moduleFormat           = "esm"
  generatedFileExtension = "ts"
  importFileExtension    = "js"
}
`;
}
