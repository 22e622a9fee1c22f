import type { EmittedFiles, Model, ModelCapability } from '../../../src/descriptor/model.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import { Call, Code } from './code.js';
import { stemOf } from './definition.js';
import { evolutionsOf } from './evolutions.js';
import { GeneratedModule } from './generated-module.js';
import { fileOf, JMAP } from './sources.js';
import { sourceOf } from './type-validators.js';

/** Returns the definition of each capability, with the hooks of its hook file. */
export function emitCapabilities(model: Model): EmittedFiles {
  return new Map(
    model.capabilities.map((capability) => {
      const path = `generated/${capability.name}/capability.ts`;
      return [path, emitModule(path, capability)];
    }),
  );
}

/**
 * Returns the name of a capability's constant, `myThingsCapability` of my-things.yaml: the suffix
 * keeps it apart from words of the language.
 */
export function constantName({ name }: Pick<ModelCapability, 'name'>): string {
  const camelCase = name.replace(/-([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
  return `${camelCase}Capability`;
}

/** Returns the text of `capability.ts`: what the session says, the types and the own methods. */
function emitModule(path: string, capability: ModelCapability): string {
  const { session, accountSession, bareSession, accountLevel } = capability;
  const { oauthScopes, quotas, plans, unreferencedBlobs } = capability;
  const module = new GeneratedModule(path, sourceOf(capability));
  module.addConstant({
    name: constantName(capability),
    value: new Call(module.value(JMAP, 'capability'), {
      urn: capability.urn,
      name: capability.name,
      descriptorHash: capability.descriptorHash,
      session: Object.keys(session).length === 0 ? undefined : session,
      accountSession: Object.keys(accountSession).length === 0 ? undefined : accountSession,
      bareSession: bareSession || undefined,
      accountLevel: accountLevel ? undefined : false,
      oauthScopes,
      quotas,
      plans,
      unreferencedBlobs,
      dataTypes: capability.types.map(({ name }) => importOf(module, capability, name, 'Type')),
      methods: methodsOf(module, capability),
      hooks: hooksOf(module, capability),
      evolutions: evolutionsOf(module, capability),
      // In order of names, as the server hands it out.
      reference: JSON.parse(canonicalJson(capability.onWire)),
    }),
    words: capability.description,
  });
  return module.toString();
}

/** Imports what the type's definition exports, and returns its name. */
function importOf(
  module: GeneratedModule,
  capability: ModelCapability,
  type: string,
  suffix: 'Type' | 'Methods',
): Code {
  return new Code(
    module.value(fileOf(capability, `${type}.definition`), `${stemOf(type)}${suffix}`),
  );
}

/** Returns the standard methods of all types, then the capability's own methods. */
function methodsOf(module: GeneratedModule, capability: ModelCapability): unknown {
  const lists = [
    ...capability.types.map(({ name }) => importOf(module, capability, name, 'Methods')),
    ...(capability.methods.length === 0
      ? []
      : [new Code(module.value(fileOf(capability, 'methods'), 'methods'))]),
  ];
  return lists.length === 1 ? lists[0] : lists.map(({ text }) => new Code(`...${text}`));
}

/**
 * Imports `hooks` of the hook file, if there is one. Only this module does: types and validators
 * stay loadable without it.
 */
function hooksOf(module: GeneratedModule, { hooksFile }: ModelCapability): Code | undefined {
  if (hooksFile === undefined) return undefined;
  const source = { from: `./${hooksFile.replace(/[.]ts$/, '.js')}` };
  return new Code(module.value(source, 'hooks'));
}
