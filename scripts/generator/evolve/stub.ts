import type { Model, ModelType, Problem } from '../../../src/descriptor/model.js';
import { digits } from './resolve.js';

/** Problems that a conversion solves. */
const CONVERTED: readonly string[] = [
  ...['property-removed', 'property-type-changed', 'property-retargeted', 'property-narrowed'],
];

/**
 * Returns problems of which one of each type has the file to paste that would convert its objects.
 */
export function withStubs(
  problems: readonly Problem[],
  { capabilities }: Model,
  number: number,
): readonly Problem[] {
  const stubs = new Map<Problem, string>();
  for (const { name, types } of capabilities)
    for (const type of types) {
      const places = new Set([type.at, ...type.properties.map(({ at }) => at)]);
      const own = problems.filter(({ at }) => places.has(at));
      const first = CONVERTED.flatMap((kind) => own.find(({ code }) => code === kind) ?? [])[0];
      if (first !== undefined) stubs.set(first, stubOf(type, name, number));
    }
  return problems.map((problem) => {
    const stub = stubs.get(problem);
    return stub === undefined ? problem : { ...problem, message: `${problem.message} ${stub}` };
  });
}

function stubOf(type: ModelType, capability: string, number: number): string {
  const file = `evolve/${digits(number)}-${kebabCase(type.name)}.ts`;
  const lines = [
    `import type { Evolution } from '../generated/${capability}/evolve-${digits(number)}.js';`,
    '',
    'export const evolution = {',
    `  ${type.name}(object) {`,
    `    throw new Error(\`\${object.id} is not converted yet.\`);`,
    '  },',
    '} satisfies Evolution;',
  ].map((line) => (line === '' ? '' : `    ${line}`));
  return `Or convert the values in ${file}:\n${lines.join('\n')}`;
}

function kebabCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}
