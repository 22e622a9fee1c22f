import type { Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import type { EmittedFiles } from '../../../src/descriptor/model.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import { createAjv } from '../../../src/descriptor/validation/ajv.js';
import { RUNTIME_MODULE } from '../../../src/descriptor/validation/keywords.js';
import type { AjvSchema } from '../../../src/descriptor/validation/schema.js';
import { preamble } from './preamble.js';

/**
 * A validator to emit: the name it is exported by, its schema and the sentence above its
 * declaration.
 */
export interface ValidatorSource {
  readonly name: string;
  readonly schema: AjvSchema;
  readonly words: string;
}

/** What ajv's own helpers are called in `jmapsmith/capability`. */
const HELPERS: ReadonlyMap<string, string> = new Map([
  ['ajv/dist/runtime/ucs2length', 'codePointLength'],
  ['ajv/dist/runtime/equal', 'jsonEqual'],
]);

/** What ajv writes to keep an error: unbounded, though a client chooses how many there are. */
const KEEP_ERROR =
  /const (err\d+) = (\{[^\n]*?\bschemaPath:("(?:[^"\\\n]|\\.)*")[^\n]*\});\nif\(vErrors === null\)\{\nvErrors = \[\1\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\n/g;
/** The same within bounds; an error that is left out isn't even made. */
const KEEP_ISSUE = 'if (keepsIssue(vErrors, $3)) (vErrors ??= []).push($2);\n';

const REQUIRE = /^const (\w+) = require\("([^"]+)"\)\.(\w+);$/gm;

/**
 * Emits ajv's standalone code as an ES module: nothing is compiled at start, no `eval` runs. A
 * schema may refer to another of the same file by its name.
 */
export function emitValidators(sources: readonly ValidatorSource[]): string {
  const ajv = createAjv();
  for (const { name, schema } of sources) ajv.addSchema({ $id: name, ...schema });
  const refs = Object.fromEntries(sources.map(({ name }) => [name, name]));
  return asModule(standalone(ajv, refs));
}

/** Emits a module of validators and its types: `path` with `.js` and with `.d.ts`. */
export function emitValidatorModule(
  path: string,
  sources: readonly ValidatorSource[],
  from: string,
): EmittedFiles {
  return validatorFiles(path, sources, from, emitValidators(sources));
}

/** The files of a module whose code is there already. */
export function validatorFiles(
  path: string,
  sources: readonly ValidatorSource[],
  from: string,
  code: string,
): EmittedFiles {
  const types = sources.map(
    ({ name, words }) => `/** ${words} */\nexport declare const ${name}: Validator;`,
  );
  const importLine = `import type { Validator } from '${RUNTIME_MODULE}';`;
  return new Map([
    [`${path}.js`, preamble(from) + code],
    [`${path}.d.ts`, `${preamble(from)}${[importLine, ...types].join('\n\n')}\n`],
  ]);
}

type Standalone = (ajv: Ajv, refs: Record<string, string>) => string;

/** The package is CommonJS; bundlers and Node disagree on where its default export is. */
function standalone(ajv: Ajv, refs: Record<string, string>): string {
  const module = standaloneCode as unknown as Standalone | { readonly default: Standalone };
  return typeof module === 'function' ? module(ajv, refs) : module.default(ajv, refs);
}

/** Replaces ajv's `require` calls by one static import, and has errors kept within bounds. */
function asModule(code: string): string {
  const imported: string[] = [];
  const bounded = code.replace(KEEP_ERROR, KEEP_ISSUE);
  if (bounded !== code) imported.push('keepsIssue');
  if (/\bvErrors\.(?:push\(|length = )/.test(bounded))
    throw new Error('Emitted validators keep errors in a way that has no bound.');
  const body = bounded.replace(REQUIRE, (_line, local: string, module: string, member: string) => {
    const name = module === RUNTIME_MODULE ? member : HELPERS.get(module);
    if (name === undefined) throw new Error(`ajv asks for ${module}, which has no replacement.`);
    imported.push(`${name} as ${local}`);
    return '';
  });
  if (/\brequire\(/.test(withoutStrings(body)))
    throw new Error('A require() is left in emitted validators.');
  const importLine =
    imported.length === 0
      ? ''
      : `import { ${imported.sort(byCodeUnit).join(', ')} } from '${RUNTIME_MODULE}';\n`;
  return importLine + body.replace(/^"use strict";\n/, '').replace(/\n{2,}/g, '\n');
}

function withoutStrings(code: string): string {
  return code.replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
}
