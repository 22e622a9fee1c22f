import { META_SCHEMA } from '../../../src/descriptor/meta-schema.js';
import { inWrittenOrder } from '../../../src/descriptor/model/written-order.js';
import type { EmittedFiles, Model } from '../../../src/descriptor/model.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import { emitCapabilities, emitRegistry, emitWireDescriptors } from './capability.js';
import { emitDefinitions } from './definition.js';
import { editorSchema } from './editor-schema.js';
import { emitHooks } from './hooks.js';
import { emitOwnMethods } from './own-methods.js';
import { preambleText } from './preamble.js';
import { emitPrisma } from './prisma.js';
import { emitReference } from './reference/index.js';
import { emitStandardMethods } from './standard.js';
import { emitTypeTypes } from './type-types.js';
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
}

/** Everything that the generator emits, one row an artefact. */
export const EMITTERS: readonly Emitter[] = Object.freeze([
  { name: 'wire types', emit: emitTypeTypes },
  { name: 'validators', emit: emitTypeValidators, isByName: true },
  { name: 'standard argument validators', emit: emitStandardMethods },
  { name: 'definitions', emit: emitDefinitions },
  { name: 'own methods', emit: emitOwnMethods },
  { name: 'hook types', emit: emitHooks },
  { name: 'capabilities', emit: emitCapabilities, isByName: true },
  { name: 'wire descriptors', emit: emitWireDescriptors },
  { name: 'registry', emit: emitRegistry },
  { name: 'meta-schema', emit: emitMetaSchema },
  { name: 'reference pages', emit: emitReference },
  { name: 'Prisma schemas', emit: emitPrisma, isByName: true },
]);

/** Renders all artefacts, in order of path; writes nothing. */
export async function emitAll(model: Model): Promise<EmittedFiles> {
  const files = new Map<string, string>();
  const written = inWrittenOrder(model);
  // All are begun before one is awaited: a second thread works for some.
  const emitted = await Promise.all(
    EMITTERS.map(async ({ name, emit, isByName = false }) => ({
      name,
      texts: await emit(isByName ? model : written),
    })),
  );
  for (const { name, texts } of emitted) {
    for (const [path, text] of texts) {
      if (files.has(path)) throw new Error(`Two artefacts emit ${path}; the second is ${name}.`);
      files.set(path, text);
    }
  }
  return new Map([...files].sort(([a], [b]) => byCodeUnit(a, b)));
}

/** For editors (yaml-language-server): the descriptor language in draft-07. */
function emitMetaSchema(): EmittedFiles {
  const text = JSON.stringify(
    {
      $comment: preambleText('src/descriptor/meta-schema.ts'),
      ...editorSchema(META_SCHEMA),
    },
    null,
    2,
  );
  return new Map([['generated/descriptor.schema.json', `${text}\n`]]);
}
