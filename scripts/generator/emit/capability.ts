import { canonicalJson } from '../model/hash.js';
import type { EmittedFiles, Model, ModelCapability } from '../model.js';
import { RUNTIME_MODULE } from '../validation/keywords.js';
import { Code, Wrapped } from './code.js';
import { stemOf } from './definition.js';
import {
  constant,
  engineImports,
  namedImport,
  namedImports,
  namespaceImport,
  printModule,
} from './module.js';
import { ALL_DESCRIPTORS } from './preamble.js';
import type { ImportStructure } from './structures.js';
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
    model.capabilities.map((capability) => [
      `generated/${capability.name}/reference.ts`,
      printModule(sourceOf(capability), [
        constant({
          name: 'reference',
          type: 'string',
          value: canonicalJson(capability.onWire),
          words: 'The descriptor in canonical JSON, less what is never on the wire.',
        }),
      ]),
    ]),
  );
}

/** What the server loads: every capability, in the order of the descriptors' names. */
export function emitRegistry(model: Model): EmittedFiles {
  const text = printModule(ALL_DESCRIPTORS, [
    namespaceImport('jmap', RUNTIME_MODULE, true),
    ...model.capabilities.flatMap(importsOf),
    constant({
      name: 'registry',
      type: 'readonly jmap.CapabilityDefinition[]',
      value: model.capabilities.map(registered),
      words: 'Every capability that the server offers.',
    }),
  ]);
  return new Map([['generated/registry.ts', text]]);
}

/** The registry alone imports hook files: what is generated stays loadable without them. */
function importsOf(capability: ModelCapability): readonly ImportStructure[] {
  const { name, hooksFile } = capability;
  const definition = namedImport(constantName(capability), `./${name}/capability.js`);
  if (hooksFile === undefined) return [definition];
  const hooks: ImportStructure = {
    moduleSpecifier: `../${hooksFile.replace(/[.]ts$/, '.js')}`,
    namedImports: [{ name: 'hooks', alias: hooksName(capability) }],
  };
  return [hooks, definition];
}

function registered(capability: ModelCapability): Code {
  const name = constantName(capability);
  if (capability.hooksFile === undefined) return new Code(name);
  return new Code(`{ ...${name}, hooks: ${hooksName(capability)} }`);
}

/** `myThingsCapability` of my-things.yaml: the suffix keeps it apart from words of the language. */
function constantName(capability: ModelCapability): string {
  return `${camelCase(capability)}Capability`;
}

function hooksName(capability: ModelCapability): string {
  return `${camelCase(capability)}Hooks`;
}

function camelCase({ name }: ModelCapability): string {
  return name.replace(/-([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

function capabilityModule(capability: ModelCapability): string {
  const { types, methods } = capability;
  return printModule(sourceOf(capability), [
    ...engineImports(),
    ...(methods.length === 0 ? [] : [namedImport('methods', './methods.js')]),
    namedImport('reference', './reference.js'),
    ...types.map(({ name }) =>
      namedImports([`${stemOf(name)}Methods`, `${stemOf(name)}Type`], `./${name}.definition.js`),
    ),
    constant({
      name: constantName(capability),
      type: 'jmap.CapabilityDefinition',
      value: new Wrapped(
        'frozen(',
        {
          urn: capability.urn,
          name: capability.name,
          descriptorHash: capability.descriptorHash,
          session: capability.session,
          accountSession: capability.accountSession,
          bareSession: capability.bareSession,
          accountLevel: capability.accountLevel,
          dataTypes: types.map(({ name }) => new Code(`${stemOf(name)}Type`)),
          methods: [
            ...types.map(({ name }) => new Code(`...${stemOf(name)}Methods`)),
            ...(methods.length === 0 ? [] : [new Code('...methods')]),
          ],
          reference: new Code('reference'),
        },
        ')',
      ),
      words: capability.description,
    }),
  ]);
}
