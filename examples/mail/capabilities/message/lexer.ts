/** A token of a structured header field (RFC 5322, 3.2). */
export interface Token {
  readonly kind: 'angle' | 'atom' | 'comment' | 'quoted' | 'special';
  /** The text within the quotes or brackets, with its quoted pairs decoded. */
  readonly text: string;
  /** The token as it stands in the field. */
  readonly raw: string;
  /** White space or a comment stands in front of it. */
  readonly isApart: boolean;
}

const SPACE = /[ \t\r\n]*/y;
const QUOTED = /"(?:[^"\\]|\\[\s\S])*"?/y;
const ATOM = /[^ \t\r\n"(<>,;:[\]]+/y;
const LITERAL = /\[[^[\]\r\n]{0,255}\]/y;
/** An angle bracket with what it holds; a quoted string in it may hold brackets. */
const ANGLE = /<((?:"(?:[^"\\]|\\[\s\S])*"|[^<>"])*)>/y;
/** An angle bracket that nothing closes holds the text up to a comma. */
const OPEN_ANGLE = /<([^,;<>]*)>?/y;

/** Returns the tokens of a field. Any text has some: brackets that don't close end with it. */
export function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let isApart = false;
  while (at < text.length) {
    const space = matchAt(SPACE, text, at)?.[0] ?? '';
    at += space.length;
    isApart ||= space !== '';
    if (at >= text.length) break;
    const token = readToken(text, at, isApart);
    tokens.push(token);
    at += token.raw.length;
    isApart = token.kind === 'comment';
  }
  return tokens;
}

function readToken(text: string, at: number, isApart: boolean): Token {
  const first = text.charAt(at);
  if (first === '(') return readComment(text, at, isApart);
  if (first === '"') {
    const raw = matchAt(QUOTED, text, at)?.[0] ?? first;
    const inner = raw.length > 1 && raw.endsWith('"') ? raw.slice(1, -1) : raw.slice(1);
    return { kind: 'quoted', text: decodePairs(inner), raw, isApart };
  }
  if (first === '<') {
    const [raw, inner] = matchAt(ANGLE, text, at) ?? matchAt(OPEN_ANGLE, text, at) ?? [first, ''];
    return { kind: 'angle', text: inner ?? '', raw, isApart };
  }
  const literal = first === '[' ? matchAt(LITERAL, text, at) : null;
  const raw = literal?.[0] ?? matchAt(ATOM, text, at)?.[0] ?? first;
  const kind = raw === ',' || raw === ';' || raw === ':' ? 'special' : 'atom';
  return { kind, text: raw, raw, isApart };
}

/** Reads a comment with the comments in it. */
function readComment(text: string, start: number, isApart: boolean): Token {
  let depth = 0;
  let at = start;
  for (; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth === 0) break;
  }
  const raw = text.slice(start, at + 1);
  const inner = text.slice(start + 1, Math.min(at, text.length));
  return { kind: 'comment', text: decodePairs(inner), raw, isApart };
}

function decodePairs(text: string): string {
  return text.replace(/\r?\n(?=[ \t])/g, '').replace(/\\([\s\S])/g, '$1');
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Returns a field on one line, with a space in place of each comment. */
export function removeComments(text: string): string {
  const kept = readTokens(text).filter(({ kind }) => kind !== 'comment');
  return kept
    .map(({ raw, isApart }) => (isApart ? ` ${raw}` : raw))
    .join('')
    .trim();
}
