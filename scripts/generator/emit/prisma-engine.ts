import type { EmittedFiles } from '../../../src/descriptor/model.js';
import { prismaSchemas } from './prisma.js';
import { PROVIDERS } from './prisma-datamodel.js';
import { SHARED_TABLES } from './prisma-shared-tables.js';

/**
 * Returns the schemas of the engine's own tables, whose clients are compiled into the package.
 * Users, accounts and tokens are the same in all projects, and no project's types reach the
 * engine's code.
 */
export function emitEngineSchemas(): EmittedFiles {
  const named = PROVIDERS.map((provider) => ({
    provider,
    client: `engine-${provider}`,
    compiler: 'small' as const,
  }));
  return prismaSchemas(named, SHARED_TABLES, 'scripts/generator/emit/prisma-shared-tables.ts');
}
