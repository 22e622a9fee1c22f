/** Text that stands for itself among the values that `literal` prints: a reference, a call. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A call of a function, whose last argument alone may take several lines: `frozen({ ... })`. */
export class Call {
  /** All that stands before the last argument: `frozen(`. */
  readonly head: string;
  /** None where the function takes no argument. */
  readonly last: readonly unknown[];

  constructor(callee: string, ...args: readonly unknown[]) {
    const before = args.slice(0, -1).map((argument) => `${inline(argument)}, `);
    this.head = `${callee}(${before.join('')}`;
    this.last = args.slice(-1);
  }
}

const WIDTH = 100;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** The indentation of one level. */
const STEP = '  ';

/**
 * Prints a value as TypeScript: on one line where it fits, else a line each, as the project's
 * formatter would. `depth` and `lead`: the levels around it and the characters in front of it.
 */
export function literal(value: unknown, depth = 0, lead = 0): string {
  if (value instanceof Call) {
    const { head, last } = value;
    return `${head}${last.map((each) => literal(each, depth, lead + head.length + 1)).join('')})`;
  }
  if (!isCompound(value)) return inline(value);
  const line = inlineWithin(value, WIDTH - 1 - depth * STEP.length - lead);
  if (line !== undefined) return line;
  const lines = partsOf(value).map(
    ([name, item]) => `${name}${literal(item, depth + 1, name.length)},`,
  );
  const body = lines.join('\n').replace(/^/gm, STEP);
  return Array.isArray(value) ? `[\n${body}\n]` : `{\n${body}\n}`;
}

/**
 * Prints a type of many members, joined by `|` and `&`, on as few lines as it takes. `lead`: the
 * characters in front of it.
 */
export function filled(type: string, lead: number): string {
  const lines = [''];
  for (const part of type.split(/(?<= [|&]) /)) {
    const line = lines.at(-1) ?? '';
    const taken = line.length + (lines.length === 1 ? lead : STEP.length);
    if (line !== '' && taken + part.length + 2 > WIDTH) lines.push(part);
    else lines[lines.length - 1] = line === '' ? part : `${line} ${part}`;
  }
  return lines.join(`\n${STEP}`);
}

/** Returns a value without members, on a line of any length. */
function inline(value: unknown): string {
  if (value instanceof Code) return value.text;
  return typeof value === 'string' ? quoted(value) : String(value);
}

/**
 * Returns the value on one line, or undefined where that is longer than `room`. It gives up at the
 * first part that is too much, so that no level prints a deep value anew.
 */
function inlineWithin(value: unknown, room: number): string | undefined {
  if (room < 0) return undefined;
  if (value instanceof Call) {
    const { head, last } = value;
    const inner = last.length === 0 ? '' : inlineWithin(last[0], room - head.length - 1);
    return inner === undefined ? undefined : `${head}${inner})`;
  }
  const line = isCompound(value) ? compoundWithin(value, room) : inline(value);
  return line === undefined || line.length > room ? undefined : line;
}

/** Returns an object or a list on one line; undefined if it needs more than `room` columns. */
function compoundWithin(value: object, room: number): string | undefined {
  let text = '';
  for (const [name, item] of partsOf(value)) {
    const inner = inlineWithin(item, room - text.length - name.length);
    if (inner === undefined) return undefined;
    text += `${text === '' ? '' : ', '}${name}${inner}`;
  }
  if (Array.isArray(value)) return `[${text}]`;
  return text === '' ? '{}' : `{ ${text} }`;
}

/** Returns whether a value has parts. Code is emitted as it is. */
function isCompound(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Code);
}

/**
 * Returns the items of a list, or the members of an object, each with what stands in front of it.
 */
function partsOf(value: object): (readonly [name: string, item: unknown])[] {
  if (Array.isArray(value)) return value.map((item: unknown) => ['', item] as const);
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => [isShorthand(key, item) ? '' : `${keyText(key)}: `, item] as const);
}

/** Returns whether a member is called as what it holds: `{ hooks }`. */
function isShorthand(key: string, item: unknown): boolean {
  return item instanceof Code && item.text === key;
}

/**
 * Returns a key as a literal has it. `__proto__` would set the prototype; computed, it is a member.
 */
function keyText(key: string): string {
  if (key === '__proto__') return "['__proto__']";
  return IDENTIFIER.test(key) ? key : quoted(key);
}

/**
 * Returns a string literal in single quotes, with every character that could end a line or confuse
 * a reader escaped.
 */
export function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'");
  return `'${withoutHidden(inner)}'`;
}

const HIDDEN = /[\u007f-\u009f\u2028\u2029\ufeff\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns text of a program, its string literals and comments, with escapes for hidden characters.
 * These end a line, or make the text look like another than it is: some turn the direction of
 * writing.
 */
export function withoutHidden(text: string): string {
  return text.replace(HIDDEN, escapeUnit);
}

/** Returns the escape of one UTF-16 unit. */
function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
