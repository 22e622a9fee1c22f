import {
  addedArguments,
  hasFurther,
  shapeArguments,
  standardMethodsOf,
} from '../../../src/descriptor/model/further-members.js';
import type {
  EmittedFiles,
  Model,
  ModelCapability,
  ModelType,
} from '../../../src/descriptor/model.js';
import { STANDARD_METHODS } from '../../../src/descriptor/standard-methods.js';
import { GeneratedModule, type Member, objectType } from './generated-module.js';
import { type Further, importFurther, importOwn, importType } from './method-types.js';
import { ALL_DESCRIPTORS } from './preamble.js';
import { JMAP } from './sources.js';

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
      return `${calls}<'${type.name}', ${importType(module, capability, type.name, 'Shape')}>`;
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
    methods.every(
      (each) => !hasFurther(addedArguments(type, each)) && !hasFurther(each.method.response),
    )
  );
}

function standardMembers(
  module: GeneratedModule,
  capability: ModelCapability,
  type: ModelType,
): readonly Member[] {
  return importFurther(module, capability, type).map(({ verb, args, response }) => {
    const shape = importType(module, capability, type.name, 'Shape');
    const call = module.type(JMAP, 'StandardCall');
    const added = [...(args === null ? [] : [args]), ...shapeTypes(type, verb)].join(' & ');
    const more =
      added === '' && response === null ? '' : `, ${added || 'object'}, ${response ?? 'object'}`;
    return { name: `${type.name}/${verb}`, type: `${call}<${shape}, '${verb}'${more}>` };
  });
}

/** Returns the type of the arguments that give results a shape; none of most methods. */
function shapeTypes(type: ModelType, verb: Further['verb']): readonly string[] {
  const names = Object.keys(shapeArguments(type, verb));
  if (names.length === 0) return [];
  return [objectType({ members: names.map((name) => ({ name, type: 'boolean' })) })];
}

function ownMembers(module: GeneratedModule, capability: ModelCapability): readonly Member[] {
  return capability.methods.map((method) => ({
    name: method.name,
    type: `${module.type(JMAP, 'MethodCall')}<${importOwn(module, capability, method)}>`,
  }));
}
