/**
 * A regular expression (flag u) as a tree that says what each part can match, as far as the
 * question needs it whether matching could take exponential or long polynomial time.
 */
export type PatternNode =
  | { readonly kind: 'class'; readonly set: CodeSet }
  | { readonly kind: 'empty' }
  /** `^`, `$`, `\b`: they match no character. */
  | { readonly kind: 'assertion' }
  /** A lookaround or a back-reference, about which nothing is proved. */
  | { readonly kind: 'unknown'; readonly source: string }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly part: PatternNode;
      readonly least: number;
      readonly most: number;
    };

/** Ranges of code points, both ends included. What isn't known is everything. */
export type CodeSet = readonly (readonly [number, number])[];

const ALL: CodeSet = [[0, 0x10_ffff]];
const DIGITS: CodeSet = [[0x30, 0x39]];
const WORDS: CodeSet = [...DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
/** ECMA-262 WhiteSpace and LineTerminator. */
const SPACES: CodeSet = [
  ...([
    [0x09, 0x0d],
    [0x20, 0x20],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
  ] as const),
  ...([
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
  ] as const),
  ...([
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ] as const),
];
const LINE_ENDS: CodeSet = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, '0': 0 };
const CLASSES: Readonly<Record<string, CodeSet>> = {
  d: DIGITS,
  w: WORDS,
  s: SPACES,
  D: complement(DIGITS),
  W: complement(WORDS),
  S: complement(SPACES),
};

export function overlap(a: CodeSet, b: CodeSet): boolean {
  return a.some(([from, to]) => b.some(([start, end]) => from <= end && start <= to));
}

function complement(set: CodeSet): CodeSet {
  const sorted = [...set].sort(([a], [b]) => a - b);
  const found: [number, number][] = [];
  let next = 0;
  for (const [from, to] of sorted) {
    if (from > next) found.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= 0x10_ffff) found.push([next, 0x10_ffff]);
  return found;
}

/** Parses a pattern that `new RegExp(source, 'u')` takes. */
export function parsePattern(source: string): PatternNode {
  return new PatternReader([...source]).whole();
}

class PatternReader {
  #at = 0;
  readonly #text: readonly string[];

  constructor(text: readonly string[]) {
    this.#text = text;
  }

  whole(): PatternNode {
    return this.#choice();
  }

  #peek(offset = 0): string {
    return this.#text[this.#at + offset] ?? '';
  }

  #take(): string {
    const taken = this.#peek();
    this.#at++;
    return taken;
  }

  #takes(text: string): boolean {
    const there = this.#text.slice(this.#at, this.#at + text.length).join('') === text;
    if (there) this.#at += text.length;
    return there;
  }

  #choice(): PatternNode {
    const options = [this.#sequence()];
    while (this.#takes('|')) options.push(this.#sequence());
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#text.length && !['|', ')'].includes(this.#peek()))
      parts.push(this.#quantified(this.#atom()));
    return parts.length === 0 ? { kind: 'empty' } : { kind: 'sequence', parts };
  }

  #quantified(part: PatternNode): PatternNode {
    const bounds = this.#quantifier();
    if (bounds === undefined) return part;
    this.#takes('?');
    return { kind: 'repeat', part, ...bounds };
  }

  #quantifier(): { least: number; most: number } | undefined {
    if (this.#takes('*')) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.#takes('+')) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (this.#takes('?')) return { least: 0, most: 1 };
    if (!this.#takes('{')) return undefined;
    const [least = '0', most] = this.#until('}').split(',');
    if (most === undefined) return { least: Number(least), most: Number(least) };
    return { least: Number(least), most: most === '' ? Number.POSITIVE_INFINITY : Number(most) };
  }

  #until(end: string): string {
    let text = '';
    while (this.#at < this.#text.length && this.#peek() !== end) text += this.#take();
    this.#take();
    return text;
  }

  #atom(): PatternNode {
    if (this.#takes('(')) return this.#group();
    if (this.#takes('[')) return { kind: 'class', set: this.#class() };
    if (this.#takes('.')) return { kind: 'class', set: complement(LINE_ENDS) };
    if (this.#takes('^') || this.#takes('$')) return { kind: 'assertion' };
    if (!this.#takes('\\')) return { kind: 'class', set: one(codeOf(this.#take())) };
    const letter = this.#peek();
    if (letter === 'b' || letter === 'B') {
      this.#take();
      return { kind: 'assertion' };
    }
    if (/[1-9k]/.test(letter)) {
      const source = letter === 'k' ? this.#until('>') : this.#take();
      return { kind: 'unknown', source: `\\${source}` };
    }
    return { kind: 'class', set: this.#escape() };
  }

  #group(): PatternNode {
    const around = ['?=', '?!', '?<=', '?<!'].find((mark) => this.#takes(mark));
    if (around === undefined && !this.#takes('?:') && this.#takes('?<')) this.#until('>');
    const inner = this.#choice();
    this.#take();
    return around === undefined ? inner : { kind: 'unknown', source: `(${around}` };
  }

  #class(): CodeSet {
    const negated = this.#takes('^');
    const found: (readonly [number, number])[] = [];
    while (this.#at < this.#text.length && !this.#takes(']')) {
      const from = this.#member();
      const single = from.length === 1 && from[0]?.[0] === from[0]?.[1];
      if (single && this.#peek() === '-' && this.#peek(1) !== ']') {
        this.#take();
        found.push([from[0]?.[0] ?? 0, this.#member()[0]?.[1] ?? 0x10_ffff]);
      } else found.push(...from);
    }
    return negated ? complement(found) : found;
  }

  #member(): CodeSet {
    if (!this.#takes('\\')) return one(codeOf(this.#take()));
    if (this.#takes('b')) return one(8);
    return this.#escape();
  }

  /** What stands behind a backslash and matches one character. */
  #escape(): CodeSet {
    const letter = this.#take();
    const named = Object.hasOwn(CLASSES, letter) ? CLASSES[letter] : undefined;
    if (named !== undefined) return named;
    const control = Object.hasOwn(CONTROLS, letter) ? CONTROLS[letter] : undefined;
    if (control !== undefined) return one(control);
    switch (letter) {
      case 'p':
      case 'P':
        this.#until('}');
        return ALL;
      case 'c':
        return one(codeOf(this.#take()) % 32);
      case 'x':
        return one(Number.parseInt(this.#take() + this.#take(), 16));
      case 'u':
        return this.#unicode();
      default:
        return one(codeOf(letter));
    }
  }

  #unicode(): CodeSet {
    if (this.#takes('{')) return one(Number.parseInt(this.#until('}'), 16));
    let digits = '';
    for (let index = 0; index < 4; index++) digits += this.#take();
    // Two escapes may be the halves of one character: then nothing is known.
    const code = Number.parseInt(digits, 16);
    if (code < 0xd800 || code > 0xdfff) return one(code);
    if (this.#takes('\\u')) this.#at += 4;
    return ALL;
  }
}

function one(code: number): CodeSet {
  return [[code, code]];
}

function codeOf(text: string): number {
  return text.codePointAt(0) ?? 0;
}
