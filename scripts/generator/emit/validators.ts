import type { Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import { createAjv } from '../../../src/descriptor/validation/ajv.js';
import { RUNTIME_MODULE } from '../../../src/descriptor/validation/keywords.js';
import type { AjvSchema } from '../../../src/descriptor/validation/schema.js';
import { divideNested } from './nested-validators.js';
import { preamble } from './preamble.js';
import { withIssues } from './validator-issues.js';
import { layOut } from './validator-layout.js';

/**
 * A validator to emit: the name it is exported by, its schema and the sentence above it.
 */
export interface ValidatorSource {
  readonly name: string;
  readonly schema: AjvSchema;
  readonly words: string;
}

/** The names of ajv's own helpers in `jmapsmith/capability`. */
const HELPERS: ReadonlyMap<string, string> = new Map([
  ['ajv/dist/runtime/ucs2length', 'codePointLength'],
  ['ajv/dist/runtime/equal', 'jsonEqual'],
]);

const REQUIRE = /^const (\w+) = require\("([^"]+)"\)\.(\w+);$/gm;

/**
 * Emits ajv's standalone code as an ES module: nothing is compiled at start, no `eval` runs. A
 * schema may refer to another of the same file by its name.
 */
export function emitValidators(sources: readonly ValidatorSource[]): string {
  const ajv = createAjv();
  const { schemas, definitions } = divideNested(sources.map(({ schema }) => schema));
  for (const [name, schema] of definitions) ajv.addSchema({ $id: name, ...schema });
  for (const [index, { name }] of sources.entries())
    ajv.addSchema({ $id: name, ...schemas[index] });
  const refs = Object.fromEntries(sources.map(({ name }) => [name, name]));
  return asModule(standalone(ajv, refs), sources);
}

/** Returns the text of a module of validators. The compiler does not check what ajv wrote. */
export function validatorModule(from: string, code: string): string {
  const note = '// @ts-nocheck: ajv compiled this from the schemas.';
  return `${preamble(from).trimEnd()}\n${note}\n\n${code}`;
}

type Standalone = (ajv: Ajv, refs: Record<string, string>) => string;

/** Calls ajv's package, which is CommonJS: bundlers and Node find its default in two places. */
function standalone(ajv: Ajv, refs: Record<string, string>): string {
  const module = standaloneCode as unknown as Standalone | { readonly default: Standalone };
  return typeof module === 'function' ? module(ajv, refs) : module.default(ajv, refs);
}

/** Makes a typed module of ajv's code: imports for `require` calls, and errors within bounds. */
function asModule(code: string, sources: readonly ValidatorSource[]): string {
  const imported = ['type Validator'];
  const bounded = withIssues(code);
  for (const name of ['addIssue', 'addIssues'])
    if (bounded.includes(`${name}(`)) imported.push(name);
  const body = bounded.replace(REQUIRE, (_line, local: string, module: string, member: string) => {
    const name = module === RUNTIME_MODULE ? member : HELPERS.get(module);
    if (name === undefined) throw new Error(`ajv asks for ${module}, which has no replacement.`);
    imported.push(`${name} as ${local}`);
    return '';
  });
  if (/\brequire\(/.test(withoutStrings(body)))
    throw new Error('A require() is left in emitted validators.');
  const words = new Map(sources.map((source) => [source.name, source.words]));
  const typed = layOut(body.replace(/^"use strict";\n/, '')).replace(
    /^export const (\w+) = (\w+);$/gm,
    (_line, name: string, local: string) =>
      `\n/** ${words.get(name) ?? ''} */\nexport const ${name}: Validator = ${local};`,
  );
  const names = imported.sort((a, b) => byCodeUnit(a.replace('type ', ''), b.replace('type ', '')));
  return `import { ${names.join(', ')} } from '${RUNTIME_MODULE}';\n${typed}\n`;
}

function withoutStrings(code: string): string {
  return code.replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
}
