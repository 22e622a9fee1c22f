import { canonicalJson } from '../../../src/descriptor/model/hash.js';
import type { EmittedFiles, Model, ModelCapability } from '../../../src/descriptor/model.js';
import { Call, Code } from './code.js';
import { stemOf } from './definition.js';
import { GeneratedModule } from './generated-module.js';
import { ALL_DESCRIPTORS } from './preamble.js';
import { fileOf, JMAP } from './sources.js';
import { sourceOf } from './type-validators.js';

/** The definition of each capability. */
export function emitCapabilities(model: Model): EmittedFiles {
  return new Map(
    model.capabilities.map((capability) => [
      `generated/${capability.name}/capability.ts`,
      capabilityModule(capability),
    ]),
  );
}

/** What clients may read of each descriptor: one JSON text, which the server hands out as it is. */
export function emitWireDescriptors(model: Model): EmittedFiles {
  return new Map(
    model.capabilities.map((capability) => {
      const path = `generated/${capability.name}/reference.ts`;
      const module = new GeneratedModule(path, sourceOf(capability));
      module.addConstant({
        name: 'reference',
        type: 'string',
        value: canonicalJson(capability.onWire),
        words: 'The descriptor in canonical JSON, less what is never on the wire.',
      });
      return [path, module.toString()];
    }),
  );
}

/** What the server loads: every capability, in the order of the descriptors' names. */
export function emitRegistry(model: Model): EmittedFiles {
  const path = 'generated/registry.ts';
  const module = new GeneratedModule(path, ALL_DESCRIPTORS);
  module.addConstant({
    name: 'registry',
    type: `readonly ${module.type(JMAP, 'CapabilityDefinition')}[]`,
    value: model.capabilities.map((capability) => registered(capability, module)),
    words: 'Every capability that the server offers.',
  });
  return new Map([[path, module.toString()]]);
}

/** The registry alone imports hook files: what is generated stays loadable without them. */
function registered(capability: ModelCapability, module: GeneratedModule): Code {
  const { hooksFile } = capability;
  const name = module.value(fileOf(capability, 'capability'), constantName(capability));
  if (hooksFile === undefined) return new Code(name);
  const source = { from: `./${hooksFile.replace(/[.]ts$/, '.js')}` };
  const hooks = module.value(source, 'hooks', `${camelCase(capability)}Hooks`);
  return new Code(`{ ...${name}, hooks: ${hooks} }`);
}

/** `myThingsCapability` of my-things.yaml: the suffix keeps it apart from words of the language. */
function constantName(capability: ModelCapability): string {
  return `${camelCase(capability)}Capability`;
}

function camelCase({ name }: ModelCapability): string {
  return name.replace(/-([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

function capabilityModule(capability: ModelCapability): string {
  const { types, methods } = capability;
  const path = `generated/${capability.name}/capability.ts`;
  const module = new GeneratedModule(path, sourceOf(capability));
  const ofType = (name: string, suffix: 'Type' | 'Methods') =>
    module.value(fileOf(capability, `${name}.definition`), `${stemOf(name)}${suffix}`);
  module.addConstant({
    name: constantName(capability),
    type: module.type(JMAP, 'CapabilityDefinition'),
    value: new Call(module.value(JMAP, 'frozen'), {
      urn: capability.urn,
      name: capability.name,
      descriptorHash: capability.descriptorHash,
      session: capability.session,
      accountSession: capability.accountSession,
      bareSession: capability.bareSession,
      accountLevel: capability.accountLevel,
      dataTypes: types.map(({ name }) => new Code(ofType(name, 'Type'))),
      methods: [
        ...types.map(({ name }) => new Code(`...${ofType(name, 'Methods')}`)),
        ...(methods.length === 0
          ? []
          : [new Code(`...${module.value(fileOf(capability, 'methods'), 'methods')}`)]),
      ],
      reference: new Code(module.value(fileOf(capability, 'reference'), 'reference')),
    }),
    words: capability.description,
  });
  return module.toString();
}
