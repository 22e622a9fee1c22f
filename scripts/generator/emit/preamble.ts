/** The first lines of every emitted file: what it is made from, and by which command. */
export function preamble(from: string, comment: '//' | '#' = '//'): string {
  return `${comment} ${preambleText(from)}\n\n`;
}

export function preambleText(from: string): string {
  return `Generated from ${from} by \`npm run generate\`. Change the descriptor, not this file.`;
}

/** For what is made from all descriptors. */
export const ALL_DESCRIPTORS = 'capabilities/';
