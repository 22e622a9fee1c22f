import type { Model, ModelType, Problem } from '../../../src/descriptor/model.js';
import { digits } from './resolve.js';

/** Problems of values that would go. */
const LOSSES: readonly string[] = ['property-removed', 'property-type-changed'];

/**
 * Returns the problems of a type; the first about values that would go has the file that would
 * convert them, to paste.
 */
export function withStub(
  problems: readonly Problem[],
  type: ModelType | undefined,
  { capabilities }: Model,
  number: number,
): readonly Problem[] {
  const capability = capabilities.find(({ types }) => types.some((one) => one === type));
  const first = problems.find(({ code }) => LOSSES.includes(code));
  if (type === undefined || capability === undefined || first === undefined) return problems;
  const file = `evolve/${digits(number)}-${kebabCase(type.name)}.ts`;
  const stub = [
    `import type { Evolution } from '../generated/${capability.name}/evolve-${digits(number)}.js';`,
    '',
    'export const evolution = {',
    `  ${type.name}(object) {`,
    `    throw new Error(\`\${object.id} is not converted yet.\`);`,
    '  },',
    '} satisfies Evolution;',
  ];
  const lines = stub.map((line) => (line === '' ? '' : `    ${line}`)).join('\n');
  const message = `${first.message} Or convert the values in ${file}:\n${lines}`;
  return problems.map((problem) => (problem === first ? { ...first, message } : problem));
}

function kebabCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}
