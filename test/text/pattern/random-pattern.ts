import type { Random } from '../../support/random.js';

const ATOMS = [
  ...['a', 'b', 'a', 'b', '.', '\\d', '\\w', '\\W', '\\s', '[ab]', '[^a]', '[a-c\\d]', '[\\w-]'],
  ...[
    '\\u{1F600}',
    '\\ud83d\\ude00',
    '\\x61',
    '\\n',
    '-',
    '\\u2028',
    'é',
    '[^\\s@]',
    '@',
    '[]',
    '[^]',
  ],
];
const QUANTIFIERS = ['*', '+', '?', '*?', '+?', '{2}', '{0,2}', '{1,3}', '{2,}', '{0}'];
const CONDITIONS = ['^', '$', '\\b', '\\B'];

/** A regular expression of all that patterns may have. */
export function randomPattern(random: Random, depth = 3): string {
  const alternatives = random.chance(0.25) ? random.integer(2, 3) : 1;
  return Array.from({ length: alternatives }, () => sequence(random, depth)).join('|');
}

function sequence(random: Random, depth: number): string {
  return Array.from({ length: random.integer(0, 3) }, () => part(random, depth)).join('');
}

function part(random: Random, depth: number): string {
  if (random.chance(0.15)) return random.pick(CONDITIONS);
  const isGroup = depth > 0 && random.chance(0.4);
  const open = random.pick(['(', '(?:']);
  const atom = isGroup ? `${open}${randomPattern(random, depth - 1)})` : random.pick(ATOMS);
  return random.chance(0.45) ? `${atom}${random.pick(QUANTIFIERS)}` : atom;
}

const CHARACTERS = [
  ...['a', 'b', 'a', 'b', 'c', '0', '_', '-', '@', ' ', '\n', '\u2028', 'é', '\u0000'],
  // A character beyond U+FFFF, its halves alone, and its halves in the wrong order.
  ...['\u{1F600}', '\ud83d', '\ude00', '\ude00\ud83d'],
];

export function randomText(random: Random): string {
  return Array.from({ length: random.integer(0, 8) }, () => random.pick(CHARACTERS)).join('');
}
