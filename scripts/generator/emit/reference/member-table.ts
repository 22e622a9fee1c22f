import type { JSONSchema7 } from 'json-schema';
import { code, escapeText, table } from './markdown.js';
import { typeWords } from './words.js';

/** Returns the members of an object schema: arguments, or what an answer has. */
export function memberTable(head: string, schema: JSONSchema7 | undefined): readonly string[] {
  const rows = Object.entries(schema?.properties ?? {}).map(([name, inner]) => [
    code(name),
    code(typeWords(inner)),
    schema?.required?.includes(name) === true ? 'always' : 'optional',
    typeof inner === 'object' ? escapeText(inner.description ?? '') : '',
  ]);
  return rows.length === 0 ? [] : table([head, 'Type', 'There', 'What it is'], rows);
}
