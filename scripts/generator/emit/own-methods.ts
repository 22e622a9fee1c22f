import type { EmittedFiles, Model, ModelCapability, ModelMethod } from '../model.js';
import { validationSchema } from '../validation/schema.js';
import { Code, quoted, Wrapped } from './code.js';
import {
  constant,
  deprecatedWords,
  engineImports,
  handler,
  namespaceImport,
  printModule,
} from './module.js';
import { preamble } from './preamble.js';
import { sharedSchemas, withShared } from './shared-schemas.js';
import { sourceOf } from './type-validators.js';
import { emitValidators, emitValidatorTypes, type ValidatorSource } from './validators.js';
import { wireTypes } from './wire-types.js';

/** What a capability declares under `methods`: types, argument validators and definitions. */
export async function emitOwnMethods(model: Model): Promise<EmittedFiles> {
  const files = new Map<string, string>();
  for (const capability of model.capabilities) {
    const { methods } = capability;
    if (methods.length === 0) continue;
    const from = sourceOf(capability);
    const path = `generated/${capability.name}/methods`;
    const sources = methods.flatMap(validatorsOf);
    files.set(`${path}.types.ts`, preamble(from) + (await wireTypes(wireTypesOf(methods))));
    files.set(`${path}.validators.js`, emitValidators(sources, from));
    files.set(`${path}.validators.d.ts`, emitValidatorTypes(sources, from));
    files.set(`${path}.ts`, methodsModule(capability));
  }
  return files;
}

/** `BlobUpload` of `Blob/upload`. */
export function methodStem({ name }: Pick<ModelMethod, 'name'>): string {
  return name
    .split('/')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

function validatorsOf(method: ModelMethod): readonly ValidatorSource[] {
  const args = {
    name: validatorName(method, 'Arguments'),
    schema: validationSchema(method.arguments, 'message'),
    words: `The arguments of ${method.name}.`,
  };
  if (method.builtIn) return [args];
  // What a hook file returns is held to what the descriptor promises.
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

function wireTypesOf(methods: readonly ModelMethod[]): ReturnType<typeof withShared> {
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

function methodsModule(capability: ModelCapability): string {
  return printModule(sourceOf(capability), [
    ...engineImports(),
    namespaceImport('wire', './methods.types.js', true),
    namespaceImport('validators', './methods.validators.js'),
    constant({
      name: 'methods',
      type: 'readonly jmap.MethodDefinition[]',
      value: new Wrapped(
        'frozen(',
        capability.methods.map((method) => methodValue(capability, method)),
        ')',
      ),
      words: `The methods of ${capability.urn} beside the standard ones.`,
    }),
  ]);
}

function methodValue(capability: ModelCapability, method: ModelMethod): Wrapped {
  const args = `wire.${methodStem(method)}Arguments`;
  const response = `wire.${methodStem(method)}Response`;
  return new Wrapped(
    '',
    {
      name: method.name,
      capability: capability.urn,
      accountCapability: method.accountCapability,
      account: method.account,
      argumentNames: method.argumentNames,
      acceptSnakeCase: false,
      validateArguments: new Code(`validators.${validatorName(method, 'Arguments')}`),
      validateResponse: method.builtIn
        ? undefined
        : new Code(`validators.${validatorName(method, 'Response')}`),
      handle: handler(
        args,
        `context.${method.builtIn ? 'builtIn' : 'own'}<${args}, ${response}>(${quoted(method.name)}, args)`,
      ),
    },
    ` satisfies jmap.MethodDefinition<${args}, ${response}>`,
  );
}
