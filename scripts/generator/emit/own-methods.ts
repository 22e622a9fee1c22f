import type {
  EmittedFiles,
  Model,
  ModelCapability,
  ModelMethod,
} from '../../../src/descriptor/model.js';
import { validationSchema } from '../../../src/descriptor/validation/schema.js';
import { Call, Code } from './code.js';
import { deprecatedWords, GeneratedModule } from './generated-module.js';
import { sharedSchemas, withShared } from './shared-schemas.js';
import { JMAP, validatorsOf } from './sources.js';
import { sourceOf } from './type-validators.js';
import { emitValidators, type ValidatorSource, validatorModule } from './validators.js';
import { addWireTypes, type NamedSchema } from './wire-types.js';

/**
 * Returns what a capability declares under `methods`: types, argument validators and definitions.
 */
export async function emitOwnMethods(model: Model): Promise<EmittedFiles> {
  const files = new Map<string, string>();
  for (const capability of model.capabilities) {
    const { methods } = capability;
    if (methods.length === 0) continue;
    const from = sourceOf(capability);
    const path = `generated/${capability.name}/methods`;
    const module = new GeneratedModule(`${path}.ts`, from);
    await addWireTypes(module, wireTypesOfMethods(methods));
    addMethods(module, capability);
    files.set(`${path}.ts`, module.toString());
    const sources = methods.flatMap(validatorsOfMethod);
    files.set(`${path}.validators.ts`, validatorModule(from, emitValidators(sources)));
  }
  return files;
}

/** Returns the stem of a method's types, `BlobUpload` of `Blob/upload`. */
export function methodStem({ name }: Pick<ModelMethod, 'name'>): string {
  return name
    .split('/')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

function validatorsOfMethod(method: ModelMethod): readonly ValidatorSource[] {
  const args = {
    name: validatorName(method, 'Arguments'),
    schema: validationSchema(method.arguments, 'message'),
    words: `The arguments of ${method.name}.`,
  };
  if (method.builtIn) return [args];
  // A hook file's answer is held to the promise of the descriptor.
  const response = {
    name: validatorName(method, 'Response'),
    schema: validationSchema(method.response, 'message'),
    words: `The response of ${method.name}.`,
  };
  return [args, response];
}

function validatorName(method: ModelMethod, part: 'Arguments' | 'Response'): string {
  const stem = methodStem(method);
  return `${stem.charAt(0).toLowerCase()}${stem.slice(1)}${part}`;
}

function wireTypesOfMethods(methods: readonly ModelMethod[]): readonly NamedSchema[] {
  const types = methods.flatMap(typesOf);
  const shared = sharedSchemas(
    methods.flatMap((method) => [method.arguments, method.response]),
    types.map(([name]) => name),
  );
  return withShared(types, shared);
}

function typesOf(method: ModelMethod): (readonly [string, ModelMethod['arguments']])[] {
  const words = (schema: ModelMethod['arguments'], fallback: string): ModelMethod['arguments'] => ({
    ...schema,
    description: deprecatedWords(schema.description ?? fallback, method.deprecated),
  });
  return [
    [`${methodStem(method)}Arguments`, words(method.arguments, `Arguments of ${method.name}.`)],
    [`${methodStem(method)}Response`, words(method.response, `Response of ${method.name}.`)],
  ];
}

function addMethods(module: GeneratedModule, capability: ModelCapability): void {
  module.addConstant({
    name: 'methods',
    type: `readonly ${module.type(JMAP, 'MethodDefinition')}[]`,
    value: new Call(
      module.value(JMAP, 'frozen'),
      capability.methods.map((method) => methodValue(capability, method, module)),
    ),
    words: `The methods of ${capability.urn} beside the standard ones.`,
  });
}

function methodValue(
  capability: ModelCapability,
  method: ModelMethod,
  module: GeneratedModule,
): object {
  const validator = (part: 'Arguments' | 'Response') =>
    new Code(module.value(validatorsOf(capability, 'methods'), validatorName(method, part)));
  return {
    name: method.name,
    capability: capability.urn,
    accountCapability: method.accountCapability,
    account: method.account,
    argumentNames: method.argumentNames,
    acceptSnakeCase: false,
    validateArguments: validator('Arguments'),
    validateResponse: method.builtIn ? undefined : validator('Response'),
    body: method.builtIn ? method.name : 'hookFile',
  };
}
