import type { JSONSchema7 } from 'json-schema';
import { compile } from 'json-schema-to-typescript';
import { withoutHidden } from './code.js';
import { lean } from './lean-schema.js';

/**
 * Turns schemas into exported TypeScript types, in the order given: [name, schema]. The output
 * depends on nothing but the schemas: no formatter's configuration is looked for.
 */
export async function wireTypes(
  types: readonly (readonly [string, JSONSchema7])[],
): Promise<string> {
  const texts: string[] = [];
  for (const [name, schema] of types) {
    const text = await compile({ ...lean(schema), title: name } as never, name, {
      format: false,
      bannerComment: '',
      // Tuples of up to a thousand items are no help to anyone.
      ignoreMinAndMaxItems: true,
      additionalProperties: false,
      cwd: '/',
    });
    texts.push(indented(withoutHidden(text)));
  }
  return texts.join('\n');
}

/**
 * json-schema-to-typescript leaves layout to a formatter: this one knows braces at the ends of
 * lines.
 */
function indented(text: string): string {
  let depth = 0;
  let comment = false;
  const lines = text.trim().split('\n');
  return `${lines
    .map((line) => {
      const words = line.trim();
      const inComment = comment || words.startsWith('/**');
      if (!inComment && words.startsWith('}')) depth--;
      const indent = '  '.repeat(depth) + (comment ? ' ' : '');
      if (!inComment && words.endsWith('{')) depth++;
      comment = inComment && !words.endsWith('*/');
      return words === '' ? '' : indent + (depth === 0 ? words : statement(words, inComment));
    })
    .join('\n')}\n`;
}

function statement(line: string, inComment: boolean): string {
  return inComment || line.endsWith('{') || line.endsWith(';') ? line : `${line};`;
}
