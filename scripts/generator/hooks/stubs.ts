import type { ModelMethod, ModelProperty, ModelType } from '../../../src/descriptor/model.js';

/** Returns the stub of an own method, to paste into the hook file's `hooks`. */
export function methodStub({ name, account }: ModelMethod): string {
  const tx = account === 'none' ? 'args' : 'args, call, tx';
  return lines(
    'methods: {',
    `  '${name}': async (${tx}) => {`,
    `    throw new Error('${name} is not written yet.');`,
    '  },',
    '},',
  );
}

export function propertyStub(
  type: ModelType,
  part: 'compute' | 'computeOn',
  { name, computed }: ModelProperty,
): string {
  const from = computed?.kind === 'from' ? computed.properties.join(', ') : '';
  const body =
    part === 'compute'
      ? [`      ${name}: ({ ${from} }) => {`]
      : [`      ${name}: async (changes, call, reader) => {`];
  return lines(
    'types: {',
    `  ${type.name}: {`,
    `    ${part}: {`,
    ...body,
    `        throw new Error('${type.name}.${name} is not written yet.');`,
    '      },',
    '    },',
    '  },',
    '},',
  );
}

/** Returns the stub of the function that answers properties. */
export function answerStub({ name, answered = [] }: ModelType): string {
  const plain = answered.filter(({ parts }) => parts === undefined).map((each) => each.name);
  return lines(
    'types: {',
    `  ${name}: {`,
    '    async answer(objects, asked, call, reader) {',
    `      // ${[...plain, 'the names in asked.families'].join(', ')}`,
    `      throw new Error('answer of ${name} is not written yet.');`,
    '    },',
    '  },',
    '},',
  );
}

function lines(...all: readonly string[]): string {
  return all.map((line) => `    ${line}`).join('\n');
}
