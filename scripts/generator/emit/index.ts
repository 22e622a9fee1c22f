import { META_SCHEMA } from '../../../src/descriptor/meta-schema.js';
import { inWrittenOrder } from '../../../src/descriptor/model/written-order.js';
import type { EmittedFiles, Model } from '../../../src/descriptor/model.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import { emitCalls } from './calls.js';
import { emitCapabilities } from './capability.js';
import { emitClient } from './client.js';
import { editorSchema } from './editor-schema.js';
import { emitEvolutions } from './evolutions.js';
import { emitHooks } from './hooks.js';
import { emitOwnMethods } from './own-methods.js';
import { emitPages } from './pages/index.js';
import { preambleText } from './preamble.js';
import { emitPrisma } from './prisma.js';
import { emitEngineSchemas } from './prisma-engine.js';
import { emitReference } from './reference/index.js';
import { emitEngine, emitRegistry } from './registry.js';
import { emitSharedTypes } from './shared-types.js';
import { emitStandardMethods } from './standard.js';
import { emitTypeModules } from './type-module.js';
import { emitTypeValidators } from './type-validators.js';

/** An artefact: a pure function from the model to the texts of its files. */
export interface Emitter {
  readonly name: string;
  readonly emit: (model: Model) => EmittedFiles | Promise<EmittedFiles>;
  /**
   * It is in the order of names, not in the order of the descriptors: nobody reads it for its
   * order.
   */
  readonly isByName?: true;
  /**
   * The capabilities that it is made of. Absent: all in the package's repository, a team's own in a
   * project. `project`: those that the package does not bring. `package`: those that it brings, and
   * in its own repository alone.
   */
  readonly only?: 'project' | 'package';
  /** It is emitted where an application uses the typed client, nowhere else. */
  readonly isForClients?: true;
}

/** Everything that the generator emits, one row an artefact. */
const EMITTERS: readonly Emitter[] = Object.freeze([
  { name: 'types and definitions', emit: emitTypeModules },
  { name: 'validators', emit: emitTypeValidators, isByName: true },
  { name: 'shared types', emit: emitSharedTypes },
  { name: 'own methods', emit: emitOwnMethods },
  { name: 'hook types', emit: emitHooks },
  { name: 'types of conversions', emit: emitEvolutions },
  { name: 'capabilities', emit: emitCapabilities, isByName: true },
  { name: 'registry', emit: emitRegistry, only: 'project' },
  { name: 'calls', emit: emitCalls, only: 'project' },
  { name: 'typed client', emit: emitClient, only: 'project', isForClients: true },
  { name: 'reference pages', emit: emitReference },
  { name: 'Prisma schemas', emit: emitPrisma, isByName: true },
  { name: "the package's capabilities", emit: emitEngine, only: 'package' },
  { name: 'standard methods', emit: emitStandardMethods, only: 'package' },
  { name: 'meta-schema', emit: emitMetaSchema, only: 'package' },
  { name: 'pages of the language and of errors', emit: emitPages, only: 'package' },
  { name: 'Prisma schemas of the engine', emit: emitEngineSchemas, only: 'package' },
]);

/** The owner of the emitted capabilities. */
export interface Owners {
  /** Names of the capabilities that the package brings. */
  readonly engine: ReadonlySet<string>;
  /** The project is the package's own repository, which compiles what the package brings. */
  readonly isPackage: boolean;
  /** The typed client is wanted. */
  readonly withClient?: boolean;
}

/** Renders all artefacts, in order of path; writes nothing. */
export async function emitAll(model: Model, owners: Owners): Promise<EmittedFiles> {
  const files = new Map<string, string>();
  const { isPackage, withClient = false } = owners;
  const rows = EMITTERS.filter(
    ({ only, isForClients = false }) =>
      (isPackage || only !== 'package') && (withClient || !isForClients),
  );
  // All are begun before one is awaited: a second thread works for some.
  const emitted = await Promise.all(
    rows.map(async ({ name, emit, isByName = false, only }) => {
      const part = partOf(model, only, owners);
      return { name, texts: await emit(isByName ? part : inWrittenOrder(part)) };
    }),
  );
  for (const { name, texts } of emitted) {
    for (const [path, text] of texts) {
      if (files.has(path)) throw new Error(`Two artefacts emit ${path}; the second is ${name}.`);
      files.set(path, text);
    }
  }
  return new Map([...files].sort(([a], [b]) => byCodeUnit(a, b)));
}

/** Returns the model with the capabilities that an artefact is made of (Emitter.only). */
function partOf(model: Model, only: Emitter['only'], { engine, isPackage }: Owners): Model {
  if (only === undefined && isPackage) return model;
  const isMeant = (name: string): boolean => engine.has(name) === (only === 'package');
  return { ...model, capabilities: model.capabilities.filter(({ name }) => isMeant(name)) };
}

/** The schema of files that descriptors share: each member is a definition. */
const SHARED_SCHEMA = Object.freeze({
  $comment: preambleText('src/descriptor/meta-schema.ts'),
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://jmapsmith.invalid/shared.schema.json',
  title: 'Definitions that JMAP capability descriptors share',
  type: 'object',
  additionalProperties: { $ref: 'descriptor.schema.json#/definitions/definition' },
});

/** Returns the descriptor language in draft-07, for editors (yaml-language-server). */
function emitMetaSchema(): EmittedFiles {
  const text = JSON.stringify(
    {
      $comment: preambleText('src/descriptor/meta-schema.ts'),
      ...editorSchema(META_SCHEMA),
    },
    null,
    2,
  );
  return new Map([
    ['generated/descriptor.schema.json', `${text}\n`],
    ['generated/shared.schema.json', `${JSON.stringify(SHARED_SCHEMA, null, 2)}\n`],
  ]);
}
