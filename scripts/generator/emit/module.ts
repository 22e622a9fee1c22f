import { RUNTIME_MODULE } from '../validation/keywords.js';
import { Code, literal, withoutHidden } from './code.js';
import { preamble } from './preamble.js';
import { type ImportStructure, printStatement, type Statement } from './structures.js';

/** Prints a module from structures, each once: no Project, no formatter. */
export function printModule(from: string, statements: readonly Statement[]): string {
  const body = `${statements.map(printStatement).join('\n')}\n`;
  return preamble(from) + body.replace(/^\n+/, '').replace(/\n{3,}/g, '\n\n');
}

/** What a definition needs of the engine: its vocabulary as `jmap`, and `frozen`. */
export function engineImports(): readonly ImportStructure[] {
  return [namedImport('frozen', RUNTIME_MODULE), namespaceImport('jmap', RUNTIME_MODULE, true)];
}

export function namespaceImport(
  name: string,
  moduleSpecifier: string,
  isTypeOnly = false,
): ImportStructure {
  return { moduleSpecifier, namespaceImport: name, isTypeOnly };
}

export function namedImport(name: string, moduleSpecifier: string): ImportStructure {
  return namedImports([name], moduleSpecifier);
}

export function namedImports(names: readonly string[], moduleSpecifier: string): ImportStructure {
  return { moduleSpecifier, namedImports: names.map((name) => ({ name })) };
}

/**
 * `export const name: Type = value;` with a doc comment. It is text and no structure, since
 * ts-morph would hang every further line of an initializer one level deeper.
 */
export function constant(options: {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
  readonly words?: string;
  readonly exported?: boolean;
}): string {
  const { name, type, value, words = '', exported = true } = options;
  const head = `${exported ? 'export ' : ''}const ${name}: ${type} = `;
  const doc = words === '' ? '' : `${docComment(words)}\n`;
  return `\n${doc}${head}${literal(value, 0, head.length + 1)};`;
}

/** A method's typed handler; its body stands on a line of its own. */
export function handler(args: string, body: string): Code {
  return new Code(`(args: ${args}, context: jmap.MethodContext) =>\n      ${body}`);
}

/** Words with the tag that editors strike names through by. */
export function deprecatedWords(words: string, deprecated: string | undefined): string {
  if (deprecated === undefined) return words;
  return [words, `@deprecated ${deprecated}`].filter((part) => part !== '').join('\n\n');
}

/** Words of a descriptor as a doc comment, which they can't end. */
function docComment(words: string): string {
  const lines = withoutHidden(words).replaceAll('*/', '* /').trim().split('\n');
  if (lines.length === 1) return `/** ${lines[0]} */`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */`;
}
