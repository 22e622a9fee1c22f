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
  const models = printModels(tablesOf(model), true);
  return new Map(
    PROVIDERS.map((provider) => [
      schemaPath(provider),
      [preamble(), generator(provider), printDatasource(provider), models].join('\n'),
    ]),
  );
}

function preamble(): string {
  return [
    '// Generated from capabilities/ by `npm run generate`. Do not edit: change the descriptors.',
    '// Data types are written by the engine alone (a write through Prisma would leave no change record).',
    '',
  ].join('\n');
}

function generator(provider: Provider): string {
  return `generator client {
  provider               = "prisma-client"
  output                 = "../../build/prisma/${provider}"
  runtime                = "nodejs"
  moduleFormat           = "esm"
  generatedFileExtension = "ts"
  importFileExtension    = "js"
}
`;
}
