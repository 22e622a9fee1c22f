/**
 * Complete a part of a descriptor, by the place where it stands, with empty types for the names
 * that it refers to.
 */
const AROUND: Readonly<Record<string, (text: string, others: string) => string>> = {
  capability: (text, others) => (others === '' ? text : `${text}types:\n${others}`),
  types: (text, others) => `types:\n${indented(text, 2)}${others}`,
  type: (text, others) => {
    const properties = /^properties:/m.test(text) ? '' : PROPERTIES;
    return `types:\n  Sample:\n${properties}${indented(text, 4)}${others}`;
  },
  properties: (text, others) => `types:\n  Sample:\n    properties:\n${indented(text, 6)}${others}`,
};

const PROPERTIES = "    properties: { name: { type: string, default: '' } }\n";

/** A whole descriptor with the part in it; undefined for an unknown place. */
export function around(words: string, text: string): string | undefined {
  const [place = '', ...names] = words.split(/,? /);
  const others = names
    .map((name) => `  ${name}:\n    properties: { name: { type: string, default: '' } }\n`)
    .join('');
  const body = AROUND[place]?.(dedented(text), others);
  return body === undefined ? undefined : `capability: urn:example:sample\n${body}`;
}

function dedented(text: string): string {
  const indent = Math.min(...[...text.matchAll(/^ *(?=\S)/gm)].map(([spaces]) => spaces.length));
  return text.replaceAll(new RegExp(`^ {${indent}}`, 'gm'), '');
}

function indented(text: string, by: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(by));
}
