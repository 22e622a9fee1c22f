import type { JSONSchema7 } from 'json-schema';
import { code, escapeText, table } from './markdown.js';
import { typeWords } from './words.js';

/** Returns the members of an object schema: arguments, or what an answer has. */
export function memberTable(head: string, schema: JSONSchema7 | undefined): readonly string[] {
  const rows = Object.entries(schema?.properties ?? {}).map(([name, inner]) => [
    schema?.required?.includes(name) === true ? code(name) : `${code(name)} (optional)`,
    code(typeWords(inner)),
    typeof inner === 'object' ? escapeText(inner.description ?? '') : '',
  ]);
  return rows.length === 0 ? [] : table([head, 'Type', 'What it is'], rows);
}
