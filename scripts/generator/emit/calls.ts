import {
  hasFurther,
  methodTypeName,
  standardMethodsOf,
} from '../../../src/descriptor/model/further-members.js';
import type {
  EmittedFiles,
  Model,
  ModelCapability,
  ModelType,
} from '../../../src/descriptor/model.js';
import { STANDARD_METHODS } from '../../../src/descriptor/standard-methods.js';
import { GeneratedModule, type Member } from './generated-module.js';
import { methodStem } from './own-methods.js';
import { ALL_DESCRIPTORS } from './preamble.js';
import { fileOf, JMAP } from './sources.js';

const PATH = 'generated/calls.ts';

/**
 * Returns the types of all method calls of a project, by the methods' names: what `call()` of
 * jmapsmith/testing takes and returns.
 */
export function emitCalls({ capabilities }: Model): EmittedFiles {
  const module = new GeneratedModule(PATH, ALL_DESCRIPTORS);
  const types = capabilities.flatMap((capability) =>
    capability.types.map((type) => ({ capability, type, isPlain: isPlain(type) })),
  );
  const plain = types
    .filter((one) => one.isPlain)
    .map(({ capability, type }) => {
      const calls = module.type(JMAP, 'TypeCalls');
      return `${calls}<'${type.name}', ${shapeOf(module, capability, type)}>`;
    });
  module.addInterface({
    name: 'Calls',
    ...(plain.length === 0 ? {} : { extends: plain.join(',\n  ') }),
    members: [
      ...types
        .filter((one) => !one.isPlain)
        .flatMap(({ capability, type }) => standardMembers(module, capability, type)),
      ...capabilities.flatMap((capability) => ownMembers(module, capability)),
    ],
  });
  return new Map([[PATH, module.toString()]]);
}

/** Returns whether a type has all standard methods as the RFC describes them. */
function isPlain(type: ModelType): boolean {
  const methods = standardMethodsOf(type);
  return (
    methods.length === STANDARD_METHODS.length &&
    methods.every(({ method }) => !hasFurther(method.arguments) && !hasFurther(method.response))
  );
}

function shapeOf(module: GeneratedModule, capability: ModelCapability, type: ModelType): string {
  return module.type(fileOf(capability, `${type.name}.definition`), `${type.name}Shape`);
}

function standardMembers(
  module: GeneratedModule,
  capability: ModelCapability,
  type: ModelType,
): readonly Member[] {
  const source = fileOf(capability, `${type.name}.definition`);
  return standardMethodsOf(type).map(({ row, method }) => {
    const further = (['Arguments', 'Response'] as const).map((part) =>
      hasFurther(part === 'Arguments' ? method.arguments : method.response)
        ? module.type(source, methodTypeName(type, row, part))
        : 'object',
    );
    const more = further.every((name) => name === 'object') ? '' : `, ${further.join(', ')}`;
    const shape = shapeOf(module, capability, type);
    const call = module.type(JMAP, 'StandardCall');
    return { name: `${type.name}/${row.verb}`, type: `${call}<${shape}, '${row.verb}'${more}>` };
  });
}

function ownMembers(module: GeneratedModule, capability: ModelCapability): readonly Member[] {
  return capability.methods.map((method) => {
    const source = fileOf(capability, 'methods');
    const [args, response] = (['Arguments', 'Response'] as const).map((part) =>
      module.type(source, `${methodStem(method)}${part}`),
    );
    return { name: method.name, type: `${module.type(JMAP, 'MethodCall')}<${args}, ${response}>` };
  });
}
