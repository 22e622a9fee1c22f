import { createRequire } from 'node:module';
import type * as TsMorph from 'ts-morph';

/**
 * ts-morph and the TypeScript compiler within it. Both are CommonJS: before an `import`, Node
 * searches their 12 MB for the names that they export, which takes as long again as to load them.
 */
export const { printStructure, StructureKind, VariableDeclarationKind, ts } = createRequire(
  import.meta.url,
)('ts-morph') as typeof TsMorph;
